//! tf.SequenceExamples as record batches.
#![cfg(feature = "tensors")]
#![allow(clippy::unwrap_used, reason = "a test")]

#[cfg(all(feature = "ipc", feature = "parquet"))]
mod convert;
mod messages;
#[allow(dead_code, reason = "other tests need more of it")]
#[path = "../records/mod.rs"]
mod records;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray as _;
use arrow_schema::DataType;
use arrow_select::concat::concat_batches;
use tfxio::example_codec::{ExampleSchema, FeatureKind, FeatureSpec, SequenceExampleSchema, UnknownFeatures};
use tfxio::{BoxedBatchReader, ErrorKind, ReadOptions, RecordOptions, Sample, SequenceExampleTfxIo, TfxIo};

use self::records::{File, floats, ints, sequence_example, strings};

fn all(reader: BoxedBatchReader) -> RecordBatch {
    let schema = reader.schema();
    let batches = reader.collect::<Result<Vec<_>, _>>().unwrap();
    assert!(batches.iter().all(|batch| batch.schema() == schema));
    concat_batches(&schema, &batches).unwrap()
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

fn names(dataset: &SequenceExampleTfxIo) -> Vec<String> {
    dataset.arrow_schema().unwrap().fields().iter().map(|field| field.name().clone()).collect()
}

#[test]
fn the_schema_is_inferred_over_the_sample() {
    let file = file(10);
    let dataset = SequenceExampleTfxIo::builder([file.name()]).infer_schema(Sample::All).build().unwrap();
    assert_eq!(names(&dataset), ["user", "x", "##SEQUENCE##"]);
    let batch = all(dataset.read_all(&ReadOptions::default()).unwrap());
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

    let seen = dataset.infer(Sample::All, |_, _| {}).unwrap();
    assert_eq!((seen.records(), seen.sequence_features().count()), (10, 2));
    // The kinds of the first records are not those of all.
    let early = SequenceExampleTfxIo::builder([file.name()]).infer_schema(Sample::First(2)).build().unwrap();
    let error = early.read_all(&ReadOptions::default()).unwrap().find_map(Result::err).unwrap();
    let error = tfxio::Error::from(error);
    assert_eq!((error.kind(), error.position().record), (ErrorKind::SchemaMismatch, Some(3)));
}

#[test]
fn without_a_schema_each_read_infers_its_own() {
    let file = file(5);
    let dataset = SequenceExampleTfxIo::builder([file.name()]).build().unwrap();
    assert_eq!(dataset.arrow_schema().unwrap_err().kind(), ErrorKind::SchemaRequired);
    assert_eq!(all(dataset.read_all(&ReadOptions::default()).unwrap()).num_columns(), 3);
}

#[test]
fn splits_and_threads_give_the_same_rows() {
    let file = file(1000);
    let builder = || SequenceExampleTfxIo::builder([file.name()]).infer_schema(Sample::All);
    let whole = all(builder().build().unwrap().read_all(&ReadOptions::default()).unwrap());
    let threads = RecordOptions::default().with_threads(4);
    let threaded = builder().record_options(threads).build().unwrap();
    let options = ReadOptions::default().with_batch_size(64);
    assert_eq!(all(threaded.read_all(&options).unwrap()), whole);
    let splits = threaded.splits(10_000).unwrap();
    assert!(splits.len() > 2);
    let parts = splits.iter().map(|split| all(threaded.read(split, &options).unwrap())).collect::<Vec<_>>();
    assert_eq!(concat_batches(&whole.schema(), &parts).unwrap(), whole);
}

#[test]
fn projections_name_columns_in_any_order() {
    let file = file(4);
    let dataset = SequenceExampleTfxIo::builder([file.name()])
        .infer_schema(Sample::All)
        .sequence_column("lists")
        .source_column("source")
        .raw_record_column("raw")
        .build()
        .unwrap();
    assert_eq!(names(&dataset), ["user", "x", "lists", "raw", "source"]);
    let read = |columns: &[&str]| {
        let options = ReadOptions::default().with_projection(columns.iter().copied());
        dataset.read_all(&options).map(|reader| {
            all(reader).schema().fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>()
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
    let schema = SequenceExampleSchema::new(
        ExampleSchema::new([FeatureSpec::new("user", FeatureKind::Int64).fixed_len(1)]).unwrap(),
        ExampleSchema::new([FeatureSpec::new("clicks", FeatureKind::Int64)]).unwrap(),
    );
    let builder = || SequenceExampleTfxIo::builder([file.name()]).schema(schema.clone());
    let dataset = builder().fixed_size_lists(true).build().unwrap();
    let batch = all(dataset.read_all(&ReadOptions::default()).unwrap());
    assert!(matches!(batch.column(0).data_type(), DataType::FixedSizeList(_, 1)));
    assert_eq!(batch.column(1).as_struct().num_columns(), 1);

    let strict = builder().unknown_features(UnknownFeatures::Refuse).build().unwrap();
    let error = strict.read_all(&ReadOptions::default()).unwrap().find_map(Result::err).unwrap();
    let error = tfxio::Error::from(error);
    assert_eq!((error.kind(), error.position().record), (ErrorKind::SchemaMismatch, Some(0)));
}
