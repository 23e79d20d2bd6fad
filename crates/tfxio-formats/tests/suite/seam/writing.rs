//! Batches that are written and read again.

use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, LargeListBuilder};
use arrow_array::types::Float32Type;
use arrow_array::{ArrayRef, BinaryArray, Float64Array, LargeListArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use tfxio_formats::tfrecord_io::{Compression, Reader};
use tfxio_formats::tfxio_core::{
    Batch, Dataset, FileFormat as _, FormatOptions, Scan as _, ScanRequest, Written,
};
use tfxio_formats::{DatasetExt as _, TfRecordFormat, formats, open};

use crate::seam::test_files;

fn options() -> FormatOptions {
    let mut options = FormatOptions::default();
    options.formats = formats();
    options
}

/// Writes all rows of a data set.
fn write(dataset: &Arc<dyn Dataset>, output: &Path, options: &FormatOptions) -> Written {
    let mut batches = dataset.read(ScanRequest::new().batch_rows(100)).unwrap();
    let output = output.to_str().unwrap();
    let mut sink = TfRecordFormat.sink(output, batches.schema(), options).unwrap();
    while let Some(batch) = batches.next_batch().unwrap() {
        sink.write(&batch).unwrap();
    }
    assert!(!std::fs::exists(output).unwrap(), "it appears when it is whole");
    sink.finish().unwrap()
}

/// Returns each row as a batch of its own, since batches end with files.
fn rows(dataset: &Arc<dyn Dataset>) -> Vec<RecordBatch> {
    let batches = dataset.read(ScanRequest::new()).unwrap();
    let rows = |batch: RecordBatch| (0..batch.num_rows()).map(|row| batch.slice(row, 1)).collect::<Vec<_>>();
    batches.flat_map(|batch| rows(batch.unwrap())).collect()
}

fn fixture(name: &str) -> String {
    format!("{}/../../fixtures/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn what_is_written_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let raw = test_files::write(folder.path(), "raw.tfrecord", test_files::FileLayout::Plain, 300);
    let raw = test_files::open(&[raw]);
    let datasets = [
        (open(fixture("digits/digits@3.tfrecord")).unwrap(), "digits.tfrecord", options()),
        (open(fixture("tensors/sessions.tfrecord")).unwrap(), "sessions.tfrecord.gz", options()),
        (raw, "again.tfrecord.zlib", options().option("records", "raw")),
    ];
    for (dataset, name, options) in datasets {
        let output = folder.path().join(name);
        let written = write(&dataset, &output, &options);
        assert_eq!(written.rows, dataset.count().unwrap());
        assert_eq!(written.files, [output.to_str().unwrap()]);
        let found = Reader::open(&output).unwrap().compression().unwrap();
        assert_eq!(found, Compression::of_file_name(name), "{name}");
        let again = match options.text("records") {
            Some(_) => test_files::open(&[output]),
            None => open(&output).unwrap(),
        };
        assert!(rows(&again) == rows(&dataset), "{name}");
    }
}

#[test]
fn shards_get_records_in_turn_or_by_size() {
    let folder = tempfile::tempdir().unwrap();
    let digits = open(fixture("digits/digits@3.tfrecord")).unwrap();
    let written = write(&digits, &folder.path().join("a@3.tfrecord"), &options());
    assert_eq!(written.files.len(), 3);
    assert!(written.files[1].ends_with("a-00001-of-00003.tfrecord"), "{:?}", written.files);
    let shard = open(written.files[1].as_str()).unwrap();
    assert_eq!(shard.count().unwrap(), 599);
    let by_size = options().option("shard_bytes", 100_000_u64).option("output_compression", "gzip");
    let written = write(&digits, &folder.path().join("b@*.tfrecord"), &by_size);
    assert!(written.files.len() > 4, "{:?}", written.files);
    let whole = open(folder.path().join("b@*.tfrecord").to_str().unwrap()).unwrap();
    assert_eq!(rows(&whole), rows(&digits));
    assert!(std::fs::read(&written.files[0]).unwrap().starts_with(&[0x1f, 0x8b]));
}

#[test]
fn a_sink_that_is_dropped_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let digits = open(fixture("digits/digits@3.tfrecord")).unwrap();
    for name in ["a.tfrecord", "a@3.tfrecord"] {
        let output = folder.path().join(name);
        drop(TfRecordFormat.sink(output.to_str().unwrap(), digits.schema(), &options()).unwrap());
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// Returns what is said of a batch of one column that is to be written.
fn refused(column: ArrayRef, options: FormatOptions) -> String {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("a.tfrecord");
    let schema: SchemaRef = Arc::new(Schema::new(vec![Field::new("x", column.data_type().clone(), true)]));
    let batch = RecordBatch::try_new(Arc::clone(&schema), vec![column]).unwrap();
    let written = TfRecordFormat
        .sink(output.to_str().unwrap(), &schema, &options)
        .and_then(|mut sink| sink.write(&Batch::from(batch)));
    written.unwrap_err().to_string()
}

#[test]
fn what_cannot_be_written_is_an_error() {
    let doubles = || Arc::new(Float64Array::from(vec![1.0])) as ArrayRef;
    let error = refused(doubles(), options());
    assert!(error.starts_with("column \"x\": tf.Example has no values of type Float64"), "{error}");
    let error = refused(doubles(), options().option("records", "raw"));
    assert_eq!(error, "column \"x\": the column has Arrow type Float64; records are made of bytes");
    let error = refused(doubles(), options().option("records", "exampel"));
    assert!(error.contains("did you mean \"example\"?"), "{error}");
    let error = refused(doubles(), options().option("shard_byte", 3_u64));
    assert!(error.contains("did you mean \"shard_bytes\"?"), "{error}");
    let bytes = Arc::new(BinaryArray::from(vec![Some(&b"a"[..]), None]));
    let error = refused(bytes, options().option("records", "raw"));
    assert_eq!(error, "column \"x\", row 1: the row has no value, and a record is one byte string");
    let lists = LargeListArray::new_null(Arc::new(Field::new_list_field(DataType::Binary, true)), 1);
    let error = refused(Arc::new(lists), options().option("records", "raw"));
    assert_eq!(error, "column \"x\", row 0: the row has 0 values, and a record is one byte string");
}

#[test]
fn small_types_become_those_of_features() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("a.tfrecord");
    let mut bools = LargeListBuilder::new(BooleanBuilder::new());
    bools.append_value([Some(true), Some(false)]);
    let batch = RecordBatch::try_from_iter([("x", Arc::new(bools.finish()) as ArrayRef)]).unwrap();
    let mut sink = TfRecordFormat.sink(output.to_str().unwrap(), &batch.schema(), &options()).unwrap();
    sink.write(&Batch::from(batch)).unwrap();
    sink.finish().unwrap();
    let read = rows(&open(&output).unwrap());
    assert_eq!(format!("{:?}", read[0].column(0).slice(0, 1)).matches("Int64").count(), 1);
}

#[test]
fn an_output_that_lacks_a_batch_does_not_appear() {
    let folder = tempfile::tempdir().unwrap();
    let batch = |name: &str, values: Vec<Option<f32>>| {
        let values = values.into_iter().map(|value| Some([value])).collect::<Vec<_>>();
        let lists = LargeListArray::from_iter_primitive::<Float32Type, _, _>(values);
        Batch::from(RecordBatch::try_from_iter([(name, Arc::new(lists) as ArrayRef)]).unwrap())
    };
    let (good, other) = (batch("x", vec![Some(1.0), Some(2.0)]), batch("y", vec![Some(3.0)]));
    for format in formats().files().iter() {
        let Some(ending) = format.endings().first() else { continue };
        let output = folder.path().join(format!("out{ending}"));
        let output = output.to_str().unwrap();
        let mut sink = format.sink(output, &good.columns().schema(), &options()).unwrap();
        sink.write(&good).unwrap();
        let name = format.name();
        let error = sink.write(&other).unwrap_err().to_string();
        assert!(error.contains('y'), "{name}: {error}");
        assert_eq!(
            sink.finish().unwrap_err().to_string(),
            format!(
                "{output}: a batch could not be written, so the output is not whole and does not appear; write the batches \
                 that can be to a new sink"
            )
        );
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "{name}");
    }
}
