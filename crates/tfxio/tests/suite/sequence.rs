//! tf.SequenceExamples as record batches.
#![cfg(feature = "tensors")]

#[cfg(all(feature = "ipc", feature = "parquet"))]
mod convert;
mod messages;
use crate::records;

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray as _;
use arrow_schema::DataType;
use arrow_select::concat::concat_batches;
use tfxio::prelude::*;
use tfxio::{ErrorKind, Result};

use self::records::{File, floats, ints, sequence_example, strings};

fn all(scan: &mut dyn Scan) -> RecordBatch {
    let mut batches = Vec::new();
    while let Some(batch) = scan.next_batch().unwrap() {
        assert_eq!(batch.schema(), *scan.schema());
        batches.push(batch.into_columns());
    }
    concat_batches(scan.schema(), &batches).unwrap()
}

fn whole(dataset: &Arc<dyn Dataset>) -> RecordBatch {
    all(&mut dataset.read(ScanRequest::new()).unwrap())
}

/// Records with two context features and two lists, one of which comes late.
fn file(records: i64) -> File {
    File::new((0..records).map(|number| {
        let steps = (0..number % 4).map(|step| ints(&vec![number; step as usize])).collect::<Vec<_>>();
        let words = if number < 3 { vec![] } else { vec![strings(&["a", "b"]), strings(&[])] };
        sequence_example(
            [("user", ints(&[number])), ("x", floats(&[0.5]))],
            [("clicks", steps), ("words", words)],
        )
    }))
}

fn names(dataset: &Arc<dyn Dataset>) -> Vec<&str> {
    dataset.schema().fields().iter().map(|field| field.name().as_str()).collect()
}

#[test]
fn the_schema_is_inferred_over_the_sample() {
    let file = file(10);
    let dataset = tfxio::open(file.name()).unwrap();
    assert_eq!(names(&dataset), ["user", "x", "##SEQUENCE##"]);
    let batch = whole(&dataset);
    assert_eq!(batch.num_rows(), 10);
    let lists = batch.column(2).as_struct();
    let clicks = lists.column_by_name("clicks").unwrap().as_list::<i64>();
    assert_eq!(
        (0..10).map(|row| clicks.value_length(row)).collect::<Vec<_>>(),
        [0, 1, 2, 3, 0, 1, 2, 3, 0, 1]
    );
    let words =
        lists.column_by_name("words").unwrap().as_list::<i64>().values().as_list::<i64>().values().clone();
    assert_eq!(words.data_type(), &DataType::LargeBinary);

    // The kinds of the first records are not those of all.
    let early = OpenOptions::new().set("infer_records", 2).unwrap().open(file.name()).unwrap();
    let error = early.read(ScanRequest::new()).unwrap().find_map(Result::err).unwrap();
    assert_eq!((error.kind(), error.position().record), (ErrorKind::SchemaMismatch, Some(3)));
}

#[test]
fn partitions_and_threads_give_the_same_rows() {
    let file = file(1000);
    let dataset = tfxio::open(file.name()).unwrap();
    let whole = whole(&dataset);
    let request = ScanRequest::new().batch_rows(64).threads(4);
    assert_eq!(all(&mut dataset.read(request.clone()).unwrap()), whole);
    let partitions = dataset.partitions(10_000).unwrap();
    assert!(partitions.len() > 2);
    let parts = partitions.iter().map(|partition| all(&mut *dataset.scan(partition, &request).unwrap()));
    assert_eq!(concat_batches(&whole.schema(), &parts.collect::<Vec<_>>()).unwrap(), whole);
}

#[test]
fn projections_name_columns_in_any_order() {
    let file = file(4);
    let dataset = OpenOptions::new()
        .set("sequence_column", "lists")
        .and_then(|options| options.set("raw_record_column", "raw"))
        .and_then(|options| options.source_column("source").open(file.name()))
        .unwrap();
    assert_eq!(names(&dataset), ["user", "x", "lists", "raw", "source"]);
    let read = |columns: &[&str]| {
        dataset.read(ScanRequest::new().columns(columns.iter().copied())).map(|mut batches| {
            all(&mut batches).schema().fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>()
        })
    };
    for columns in [&["lists", "user"][..], &["x"], &["raw", "lists"], &["source", "x", "raw"], &["lists"]] {
        assert_eq!(read(columns).unwrap(), columns);
    }
    let error = read(&["clicks"]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument, "a list has no column of its own: {error}");
}

#[test]
fn a_given_schema_decides() {
    let file = file(6);
    let schema = r###"
        feature { name: "user" type: INT shape { dim { size: 1 } } }
        feature { name: "##SEQUENCE##" type: STRUCT struct_domain { feature { name: "clicks" type: INT } } }"###;
    let options = || OpenOptions::new().format("sequence_example").set("schema", schema).unwrap();
    let batch = whole(&options().set("fixed_size_lists", true).unwrap().open(file.name()).unwrap());
    assert!(matches!(batch.column(0).data_type(), DataType::FixedSizeList(_, 1)));
    assert_eq!(batch.column(1).as_struct().num_columns(), 1);

    let strict = options().set("unknown_features", "refuse").unwrap().open(file.name()).unwrap();
    let error = strict.read(ScanRequest::new()).unwrap().find_map(Result::err).unwrap();
    assert_eq!((error.kind(), error.position().record), (ErrorKind::SchemaMismatch, Some(0)));
}
