//! Batches from elsewhere: their columns are chosen, cast and refused like columns of files that are converted.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, BinaryArray, Float64Array, Int64Array, ListArray, RecordBatch};
use tfxio_convert::{BatchOutput, CastType, Conversion, Summary};
use tfxio_formats::tfxio_core::{Batch, Error, ErrorKind, Result, ScanRequest};
use tfxio_formats::{DatasetExt as _, open};

fn batch() -> RecordBatch {
    let ids: ArrayRef = Arc::new(Int64Array::from(vec![7, 8, 9]));
    let scores: ArrayRef = Arc::new(Float64Array::from(vec![0.1, 0.2, 0.3]));
    let names: ArrayRef = Arc::new(BinaryArray::from_iter_values([b"a", b"b", b"c"]));
    let ones = [Some(vec![Some(1)]), Some(vec![Some(2)]), Some(vec![Some(3)])];
    let lists: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(ones));
    RecordBatch::try_from_iter([("id", ids), ("score", scores), ("name", names), ("one", lists)]).unwrap()
}

fn write(output: BatchOutput, batches: Vec<RecordBatch>) -> Result<Summary> {
    let schema = batches.first().unwrap().schema();
    let mut batches = VecDeque::from(batches);
    output.write(&schema, move || Ok(batches.pop_front().map(Batch::from)))
}

fn columns(path: &Path) -> Vec<(String, String)> {
    let dataset = open(path.to_str().unwrap()).unwrap();
    let fields = dataset.schema().fields().iter();
    fields.map(|field| (field.name().clone(), field.data_type().to_string())).collect()
}

#[test]
fn columns_become_what_they_become_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    write(BatchOutput::new(path("all.arrow")), vec![batch()]).unwrap();
    let all = path("all.arrow");
    for ending in ["tfrecord", "parquet", "arrow", "avro", "jsonl"] {
        let (mine, theirs) = (path(&format!("mine.{ending}")), path(&format!("theirs.{ending}")));
        let builder = Conversion::builder([all.to_str().unwrap()], &theirs);
        let builder = builder.columns(["one", "s*", "name"]).exclude("na*").cast("one", CastType::String);
        let converted = builder.scalars(true).text(true).build().unwrap().run(|_| {}).unwrap();
        let output = BatchOutput::new(&mine).columns(["one", "s*", "name"]).exclude("na*");
        let output = output.cast("one", CastType::String).scalars(true).text(true);
        let summary = write(output, vec![batch(), batch().slice(0, 0)]).unwrap();
        assert_eq!(columns(&mine), columns(&theirs));
        assert_eq!((summary.records, summary.losses), (converted.records, converted.losses), "{ending}");
        assert_eq!(summary.files, [mine.to_string_lossy()]);
        assert_eq!(converted.files, [theirs.to_string_lossy()]);
        let rows = |path: &Path| {
            let batches = open(path.to_str().unwrap()).unwrap().read(ScanRequest::new()).unwrap();
            batches.map(|batch| format!("{:?}", batch.unwrap().columns())).collect::<Vec<_>>()
        };
        assert_eq!(rows(&mine), rows(&theirs));
    }
}

#[test]
fn what_is_lost_is_refused_where_that_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |name: &str, what: &str| {
        let output = BatchOutput::new(folder.path().join(name)).lossless(true);
        let error = write(output, vec![batch()]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.to_string().contains(what), "{error}");
    };
    refused("x.tfrecord", "64-bit floats are rounded to 32 bits");
    let texts: ArrayRef = Arc::new(arrow_array::StringArray::from(vec!["1", "2"]));
    let texts = RecordBatch::try_from_iter([("x", texts)]).unwrap();
    // This is known when all values are.
    let error = write(BatchOutput::new(folder.path().join("x.csv")).lossless(true), vec![texts]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn what_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let output = || BatchOutput::new(folder.path().join("x.parquet"));
    let said = |done: Result<Summary>| done.unwrap_err().to_string();
    let unknown = said(write(output().columns(["scor"]), vec![batch()]));
    assert!(unknown.contains("there is no column \"scor\"; did you mean \"score\""), "{unknown}");
    let unknown = said(write(output().exclude("scor"), vec![batch()]));
    assert!(unknown.contains("there is no column \"scor\" to leave out"), "{unknown}");
    let twice = output().cast("id", CastType::String).cast("id", CastType::Bytes);
    assert!(said(write(twice, vec![batch()])).contains("cast twice"));
    let other = batch().project(&[1, 0]).unwrap();
    let mixed = said(write(output(), vec![batch(), other]));
    assert!(mixed.contains("and those before it have"), "{mixed}");
    let mut left = 2;
    let failing = output().write(&batch().schema(), move || {
        left -= 1;
        if left == 0 { Err(Error::new(ErrorKind::Other, "no more")) } else { Ok(Some(batch().into())) }
    });
    assert!(said(failing).contains("no more"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn the_files_of_copies_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for ending in ["tfrecord", "avro"] {
        write(BatchOutput::new(path(&format!("all.{ending}"))), vec![batch()]).unwrap();
        for name in [format!("set@2.{ending}"), format!("by-size@*.{ending}"), format!("one.{ending}")] {
            let all = path(&format!("all.{ending}"));
            let conversion = Conversion::builder([all.to_str().unwrap()], path(&name)).build().unwrap();
            let summary = conversion.run(|_| {}).unwrap();
            let sizes = summary.files.iter().map(|file| std::fs::metadata(file).unwrap().len());
            assert_eq!(sizes.sum::<u64>(), summary.bytes_out, "{name}: {:?}", summary.files);
        }
    }
}
