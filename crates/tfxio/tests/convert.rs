//! Conversions keep what a row says: absent, empty, and features that never have a value.
#![cfg(all(feature = "parquet", feature = "ipc"))]
#![allow(clippy::unwrap_used, reason = "a test")]

use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use tfxio::convert::{Conversion, ParquetCompression, Phase};
use tfxio::tfrecord_io::WriterBuilder;
use tfxio::{ErrorKind, ExampleTfxIo, ReadOptions, Sample};

/// {a: [1], b: [], n: unset}, {}, {a: [], b: ["x", ""]}
const RECORDS: [&[u8]; 3] = [
    b"\x0a\x1c\x0a\x0a\x0a\x01a\x12\x05\x1a\x03\x0a\x01\x01\x0a\x07\x0a\x01b\x12\x02\x0a\x00\x0a\x05\x0a\x01n\x12\x00",
    b"",
    b"\x0a\x17\x0a\x07\x0a\x01a\x12\x02\x1a\x00\x0a\x0c\x0a\x01b\x12\x07\x0a\x05\x0a\x01x\x0a\x00",
];

fn write(path: &Path) -> String {
    let mut writer = WriterBuilder::new().create(path).unwrap();
    RECORDS.iter().for_each(|record| writer.write(record).unwrap());
    writer.finish().unwrap();
    text(path)
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

fn read(path: &Path) -> RecordBatch {
    let dataset = ExampleTfxIo::builder([text(path)]).infer_schema(Sample::All).build().unwrap();
    let mut batches = dataset.read_all(&ReadOptions::default()).unwrap();
    let batch = batches.next().unwrap().unwrap();
    assert!(batches.next().is_none());
    batch
}

#[test]
fn absent_and_empty_stay_what_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| -> PathBuf { folder.path().join(name) };
    let input = write(&at("in.tfrecord"));
    let original = read(&at("in.tfrecord"));
    assert_eq!(original.num_rows(), 3);
    let types = original.schema().fields().iter().map(|f| f.data_type().to_string()).collect::<Vec<_>>();
    assert_eq!(types, ["LargeList(Int64)", "LargeList(LargeBinary)", "Null"]);
    for between in ["b.parquet", "b.arrow"] {
        Conversion::new([input.as_str()], at(between)).unwrap().run(|_| {}).unwrap();
        let summary =
            Conversion::new([text(&at(between))], at("back.tfrecord")).unwrap().run(|_| {}).unwrap();
        assert_eq!(summary.records, 3);
        assert_eq!(read(&at("back.tfrecord")), original, "{between}");
    }
}

#[test]
fn progress_counts_records_and_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let input = write(&folder.path().join("in.tfrecord"));
    for threads in [1, 2] {
        let conversion = Conversion::new([input.as_str()], folder.path().join("out.arrow"))
            .unwrap()
            .batch_size(2)
            .record_options(tfxio::RecordOptions::default().with_threads(threads));
        let bytes = conversion.bytes_in();
        let mut seen = Vec::new();
        let summary = conversion.run(|progress| seen.push(progress)).unwrap();
        assert_eq!((summary.records, summary.bytes_in), (3, bytes));
        assert!(summary.bytes_out > 0);
        let phases = seen.iter().map(|progress| (progress.phase, progress.records)).collect::<Vec<_>>();
        assert_eq!(phases, [(Phase::Schema, 3), (Phase::Records, 2), (Phase::Records, 3)]);
        assert_eq!(seen.last().unwrap().bytes_read, bytes);
    }
}

#[test]
fn columns_of_other_types_are_refused_when_they_become_examples() {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int64Array};

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plain.arrow");
    let column: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    let batch = RecordBatch::try_from_iter([("id", column)]).unwrap();
    let file = std::fs::File::create(&path).unwrap();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(file, &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    let conversion = Conversion::new([text(&path)], folder.path().join("out.tfrecord")).unwrap();
    let error = conversion.run(|_| {}).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert_eq!(error.position().column.as_deref(), Some("id"));
    assert!(!folder.path().join("out.tfrecord").exists());
    // Between columnar formats any type goes.
    let conversion = Conversion::new([text(&path)], folder.path().join("out.parquet")).unwrap();
    let summary = conversion.parquet_compression(ParquetCompression::Snappy).run(|_| {}).unwrap();
    assert_eq!(summary.records, 2);
}

#[test]
fn files_of_other_columns_are_not_mixed() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&folder.path().join(name));
    let input = write(&folder.path().join("in.tfrecord"));
    Conversion::new([input.as_str()], at("all.parquet")).unwrap().run(|_| {}).unwrap();
    Conversion::new([input.as_str()], at("some.parquet")).unwrap().columns(["a"]).run(|_| {}).unwrap();
    let both = Conversion::new([at("all.parquet"), at("some.parquet")], at("out.arrow")).unwrap();
    let error = both.run(|_| {}).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
    assert_eq!(
        error.to_string(),
        format!(
            "{}: the file has other columns than the files before it; convert it by itself",
            at("some.parquet")
        )
    );
    let twice = Conversion::new([at("all.parquet"), at("in.parquet")], at("out.arrow"));
    assert_eq!(twice.unwrap_err().kind(), ErrorKind::Io);
}
