//! Reading the digits in every way gives the same rows.
#![cfg(feature = "example")]
#![allow(clippy::unwrap_used, reason = "a test")]

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Int64Type};
use arrow_select::concat::concat_batches;
use tfxio::tfrecord_io::{self, Compression};
use tfxio::{
    BoxedBatchReader, ErrorKind, ExampleTfxIo, RawRecordTfxIo, ReadOptions, RecordOptions, Sample, Split,
    TfxIo,
};

fn fixture(name: &str) -> String {
    format!("{}/../../fixtures/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn all(reader: BoxedBatchReader) -> RecordBatch {
    let schema = reader.schema();
    let batches = reader.collect::<Result<Vec<_>, _>>().unwrap();
    assert!(batches.iter().all(|batch| batch.schema() == schema));
    concat_batches(&schema, &batches).unwrap()
}

fn digits(folder: &str) -> ExampleTfxIo {
    let pattern = fixture(&format!("{folder}/digits-?????-of-00003.tfrecord"));
    ExampleTfxIo::builder([pattern]).infer_schema(Sample::All).build().unwrap()
}

#[test]
fn the_digits_are_what_they_should_be() {
    let batch = all(digits("digits").read_all(&ReadOptions::default()).unwrap());
    assert_eq!(batch.num_rows(), 1797);
    let (ids, images, labels) = (
        batch.column(0).as_list::<i64>().values().as_binary::<i64>().clone(),
        batch.column(1).as_list::<i64>(),
        batch.column(2).as_list::<i64>().values().as_primitive::<Int64Type>().clone(),
    );
    assert_eq!(ids.value(1796), b"digit-1796");
    assert_eq!(labels.values()[..10], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    let first = images.value(0);
    assert_eq!(first.as_primitive::<Float32Type>().values()[..8], [0.0, 0.0, 5.0, 13.0, 9.0, 1.0, 0.0, 0.0]);
    assert!((0..1797).all(|row| images.value_length(row) == 64));
}

#[test]
fn every_compression_gives_the_same_rows() {
    let plain = all(digits("digits").read_all(&ReadOptions::default()).unwrap());
    for folder in ["digits-gzip", "digits-zlib"] {
        assert_eq!(all(digits(folder).read_all(&ReadOptions::default()).unwrap()), plain, "{folder}");
    }
}

#[test]
fn any_splits_give_each_row_once() {
    let dataset = digits("digits");
    let whole = all(dataset.read_all(&ReadOptions::default()).unwrap());
    for target in [1, 3_000, 100_000, 1 << 40] {
        let splits = dataset.splits(target).unwrap();
        assert!(splits.len() >= 3);
        let options = ReadOptions::default().with_batch_size(100);
        let parts =
            splits.iter().map(|split| all(dataset.read(split, &options).unwrap())).collect::<Vec<_>>();
        assert_eq!(concat_batches(&whole.schema(), &parts).unwrap(), whole, "target {target}");
        if target == 1 {
            assert_eq!(splits.len(), 1797, "no split is smaller than a record");
        }
    }
}

#[test]
fn splits_may_be_cut_anywhere() {
    let file = fixture("digits/digits-00001-of-00003.tfrecord");
    let dataset = ExampleTfxIo::builder([file.clone()]).infer_schema(Sample::All).build().unwrap();
    let whole = all(dataset.read(&Split::whole(file.clone()), &ReadOptions::default()).unwrap());
    let cut = |start, end| Split { start, end, ..Split::whole(file.clone()) };
    for at in [1, 300, 301, 100_003] {
        let parts = [cut(0, at), cut(at, 150_001), cut(150_001, u64::MAX)];
        let parts = parts.map(|split| all(dataset.read(&split, &ReadOptions::default()).unwrap()));
        assert_eq!(concat_batches(&whole.schema(), &parts).unwrap(), whole, "cut at {at}");
    }
}

#[test]
fn compressed_files_are_one_split() {
    let splits = digits("digits-gzip").splits(1000).unwrap();
    assert_eq!(splits.len(), 3);
    assert!(splits.iter().all(Split::is_whole));
}

#[test]
fn threads_give_the_same_batches() {
    for folder in ["digits", "digits-gzip"] {
        let dataset = |threads| {
            let pattern = fixture(&format!("{folder}/digits-*.tfrecord"));
            let options = RecordOptions::default().with_threads(threads);
            ExampleTfxIo::builder([pattern])
                .infer_schema(Sample::All)
                .record_options(options)
                .build()
                .unwrap()
        };
        for batch_size in [1, 7, 128, 599, 5000] {
            let options = ReadOptions::default().with_batch_size(batch_size);
            let one = dataset(1).read_all(&options).unwrap().collect::<Result<Vec<_>, _>>().unwrap();
            assert_eq!(one.len(), 1797usize.div_ceil(batch_size));
            for threads in [2, 5] {
                let more = dataset(threads).read_all(&options).unwrap();
                assert_eq!(
                    more.collect::<Result<Vec<_>, _>>().unwrap(),
                    one,
                    "{threads} threads, {batch_size} rows"
                );
            }
        }
    }
}

#[test]
fn dropping_a_reader_stops_its_threads() {
    let pattern = fixture("digits/digits-*.tfrecord");
    let options = RecordOptions::default().with_threads(4);
    let dataset = ExampleTfxIo::builder([pattern]).record_options(options).build().unwrap();
    let mut reader = dataset.read_all(&ReadOptions::default().with_batch_size(1)).unwrap();
    assert_eq!(reader.next().unwrap().unwrap().num_rows(), 1);
    // Waits for the threads: would hang if one did not stop.
    drop(reader);
}

#[test]
fn projections_choose_and_order_columns() {
    let file = fixture("digits/digits-00000-of-00003.tfrecord");
    let dataset = ExampleTfxIo::builder([file])
        .infer_schema(Sample::First(5))
        .raw_record_column("raw")
        .source_column("from")
        .build()
        .unwrap();
    let columns = |projection: &[&str]| {
        let options = ReadOptions::default().with_projection(projection.iter().copied());
        let batch = all(dataset.read_all(&options).unwrap());
        assert_eq!(batch.num_rows(), 599);
        batch.schema().fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>()
    };
    for projection in [&["label"][..], &["label", "id"], &["from", "label", "raw", "id"], &["raw"], &[]] {
        assert_eq!(columns(projection), projection);
    }
    let schema = dataset.arrow_schema().unwrap();
    let names = schema.fields().iter().map(|field| field.name().as_str()).collect::<Vec<_>>();
    assert_eq!(names, ["id", "image", "label", "raw", "from"]);

    let options = ReadOptions::default().with_projection(["lable"]);
    let error = dataset.read_all(&options).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert_eq!(error.to_string(), "there is no column \"lable\"; did you mean \"label\"?");
}

#[test]
fn the_source_column_leads_back_to_the_record() {
    let file = fixture("digits/digits-00000-of-00003.tfrecord");
    let dataset = ExampleTfxIo::builder([file.clone()]).source_column("source").build().unwrap();
    let batch = all(dataset.read_all(&ReadOptions::default().with_projection(["source"])).unwrap());
    let source = batch.column(0).as_struct();
    let offsets = source.column_by_name("offset").unwrap().as_primitive::<arrow_array::types::UInt64Type>();
    let bytes = std::fs::read(&file).unwrap();
    for row in [0, 1, 598] {
        let rest = &bytes[offsets.value(row) as usize..];
        let record = tfrecord_io::SliceReader::new(rest).next_record().unwrap().unwrap();
        let id = format!("digit-{row:04}").into_bytes();
        assert!(record.data.windows(id.len()).any(|part| part == id));
    }
}

#[test]
fn raw_records_are_the_payloads() {
    for name in ["six-records.tfrecord", "six-records.tfrecord.gz", "six-records.tfrecord.zlib"] {
        let dataset =
            RawRecordTfxIo::new([fixture(&format!("tfrecord/{name}"))]).unwrap().with_column("bytes");
        let batch = all(dataset.read_all(&ReadOptions::default().with_batch_size(4)).unwrap());
        let records = tfrecord_io::RecordReader::open(fixture(&format!("tfrecord/{name}"))).unwrap();
        let column =
            batch.column_by_name("bytes").unwrap().as_list::<i64>().values().as_binary::<i64>().clone();
        for (row, record) in records.into_records().enumerate() {
            assert_eq!(column.value(row), record.unwrap().data);
        }
        assert_eq!(batch.num_rows(), 6);
    }
}

#[test]
fn raw_records_have_one_column() {
    let dataset = RawRecordTfxIo::new([fixture("tfrecord/six-records.tfrecord")]).unwrap();
    let read =
        |columns: &[&str]| dataset.read_all(&ReadOptions::default().with_projection(columns.iter().copied()));
    assert!(read(&["raw_record"]).is_ok());
    assert_eq!(
        read(&["label"]).err().unwrap().to_string(),
        "there is no column \"label\"; the only column of raw records is \"raw_record\""
    );
    assert!(read(&["raw_record", "raw_record"]).is_err());
}

#[test]
fn no_schema_and_no_inference_is_an_answer() {
    let dataset = ExampleTfxIo::builder([fixture("digits/digits-00000-of-00003.tfrecord")]).build().unwrap();
    assert_eq!(dataset.arrow_schema().unwrap_err().kind(), ErrorKind::SchemaRequired);
    // Reading works all the same.
    assert_eq!(all(dataset.read_all(&ReadOptions::default()).unwrap()).num_rows(), 599);
}

#[test]
fn a_stated_compression_must_be_right() {
    let read = |folder: &str, compression| {
        let file = fixture(&format!("{folder}/digits-00000-of-00003.tfrecord"));
        let options = RecordOptions::default().with_compression(compression);
        let dataset = ExampleTfxIo::builder([file]).record_options(options).build().unwrap();
        dataset.read_all(&ReadOptions::default()).map(|reader| all(reader).num_rows())
    };
    assert_eq!(read("digits-gzip", Compression::Gzip).unwrap(), 599);
    assert!(read("digits", Compression::Gzip).is_err());
    assert!(read("digits-zlib", Compression::Gzip).is_err());
}

#[test]
fn an_empty_file_has_no_rows() {
    for name in ["empty.tfrecord", "empty.tfrecord.gz", "empty.tfrecord.zlib"] {
        let dataset = ExampleTfxIo::builder([fixture(&format!("tfrecord/{name}"))]).build().unwrap();
        assert_eq!(dataset.read_all(&ReadOptions::default()).unwrap().count(), 0, "{name}");
        let splits = dataset.splits(10).unwrap();
        let read = |split: &Split| dataset.read(split, &ReadOptions::default()).unwrap().count();
        assert_eq!(splits.iter().map(read).sum::<usize>(), 0);
    }
}

#[test]
fn data_sets_are_shared_between_threads() {
    let dataset: Arc<dyn TfxIo> = Arc::new(digits("digits"));
    let rows = std::thread::scope(|scope| {
        let splits = dataset.splits(60_000).unwrap();
        let read = |split: Split| {
            let dataset = Arc::clone(&dataset);
            scope.spawn(move || all(dataset.read(&split, &ReadOptions::default()).unwrap()).num_rows())
        };
        let threads = splits.into_iter().map(read).collect::<Vec<_>>();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum::<usize>()
    });
    assert_eq!(rows, 1797);
}

#[test]
fn an_index_makes_splits_exact_where_scanning_is_deceived() {
    let folder = tempfile::tempdir().unwrap();
    let copy = |name: &str| {
        let path = folder.path().join(name);
        std::fs::copy(fixture(&format!("tfrecord/{name}")), &path).unwrap();
        path.to_str().unwrap().to_owned()
    };
    for name in ["tfrecord-in-tfrecord.tfrecord", "mixed-sizes.tfrecord"] {
        let file = copy(name);
        let dataset = RawRecordTfxIo::new([file.clone()]).unwrap();
        let whole = all(dataset.read_all(&ReadOptions::default()).unwrap());
        tfrecord_io::Index::build(&file).unwrap().write_beside(&file).unwrap();
        let splits = dataset.splits(100).unwrap();
        assert!(splits.len() > 2 && splits.iter().all(|split| split.records.is_some()));
        let parts = splits.iter().map(|split| {
            let batch = all(dataset.read(split, &ReadOptions::default()).unwrap());
            assert_eq!(split.records, Some(batch.num_rows() as u64));
            batch
        });
        assert_eq!(concat_batches(&whole.schema(), &parts.collect::<Vec<_>>()).unwrap(), whole, "{name}");
    }
}

#[test]
fn an_index_of_another_size_is_an_error_unless_it_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tfrecord");
    let file = path.to_str().unwrap().to_owned();
    std::fs::copy(fixture("tfrecord/mixed-sizes.tfrecord"), &path).unwrap();
    tfrecord_io::Index::build(&path).unwrap().write_beside(&path).unwrap();
    std::fs::copy(fixture("digits/digits-00000-of-00003.tfrecord"), &path).unwrap();
    let dataset = RawRecordTfxIo::new([file]).unwrap();
    assert_eq!(dataset.splits(10_000).unwrap_err().kind(), ErrorKind::Malformed);
    assert!(dataset.read_all(&ReadOptions::default()).is_err());
    let dataset = dataset.with_record_options(RecordOptions::default().with_index(false));
    let splits = dataset.splits(10_000).unwrap();
    let rows =
        splits.iter().map(|split| all(dataset.read(split, &ReadOptions::default()).unwrap()).num_rows());
    assert_eq!(rows.sum::<usize>(), 599);
}
