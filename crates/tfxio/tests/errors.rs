//! What goes wrong says what, where and what to do.
#![cfg(feature = "example")]
#![allow(clippy::unwrap_used, reason = "a test")]

use tfxio::example_codec::{ExampleSchema, FeatureKind, FeatureSpec, UnknownFeatures};
use tfxio::tfrecord_io::WriterBuilder;
use tfxio::{
    BoxedBatchReader, Error, ErrorKind, ExampleTfxIo, Limits, RawRecordTfxIo, ReadOptions, RecordOptions,
    Salvage, Sample, Split, TfxIo,
};

fn fixture(name: &str) -> String {
    format!("{}/../../fixtures/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Batches before the first error, and the error; nothing may come behind it.
fn read(reader: BoxedBatchReader) -> (usize, Error) {
    let mut reader = reader;
    let mut batches = 0;
    loop {
        match reader.next() {
            Some(Ok(_)) => batches += 1,
            Some(Err(error)) => {
                assert!(reader.next().is_none());
                return (batches, Error::from(error));
            }
            None => unreachable!("no error"),
        }
    }
}

// {a: [1]}, {b: [1]} and {a: ["x"]}
const INT: &[u8] = b"\x0a\x0c\x0a\x0a\x0a\x01a\x12\x05\x1a\x03\x0a\x01\x01";
const OTHER: &[u8] = b"\x0a\x0c\x0a\x0a\x0a\x01b\x12\x05\x1a\x03\x0a\x01\x01";
const BYTES: &[u8] = b"\x0a\x0c\x0a\x0a\x0a\x01a\x12\x05\x0a\x03\x0a\x01x";

struct File(tempfile::TempDir);

impl File {
    fn new(records: &[&[u8]]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = WriterBuilder::new().create(folder.path().join("a.tfrecord")).unwrap();
        records.iter().for_each(|record| writer.write(record).unwrap());
        writer.finish().unwrap();
        Self(folder)
    }

    fn name(&self) -> String {
        self.0.path().join("a.tfrecord").to_str().unwrap().to_owned()
    }
}

#[test]
fn a_feature_that_an_inferred_schema_does_not_have() {
    let file = File::new(&[INT, INT, OTHER]);
    for threads in [1, 3] {
        let options = RecordOptions::default().with_threads(threads);
        let dataset = ExampleTfxIo::builder([file.name()])
            .infer_schema(Sample::First(2))
            .record_options(options)
            .build()
            .unwrap();
        let (batches, error) = read(dataset.read_all(&ReadOptions::default().with_batch_size(1)).unwrap());
        assert_eq!((batches, error.kind()), (2, ErrorKind::SchemaMismatch));
        assert_eq!(error.position().record, Some(2));
        assert_eq!(
            error.to_string(),
            format!(
                "{}, byte 60, record 2, column \"b\": the feature is not in the schema, which was inferred from other \
                 records; infer it from more of them, or give a schema",
                file.name()
            )
        );
    }
    // Told to, or with a schema that was given, it is passed over.
    let ignored = ExampleTfxIo::builder([file.name()])
        .infer_schema(Sample::First(2))
        .unknown_features(UnknownFeatures::Ignore)
        .build()
        .unwrap();
    assert_eq!(ignored.read_all(&ReadOptions::default()).unwrap().next().unwrap().unwrap().num_rows(), 3);
}

#[test]
fn a_feature_that_changes_its_kind() {
    let file = File::new(&[INT, BYTES]);
    let dataset = ExampleTfxIo::builder([file.name()]).infer_schema(Sample::First(1)).build().unwrap();
    let (_, error) = read(dataset.read_all(&ReadOptions::default()).unwrap());
    assert_eq!((error.kind(), error.position().record), (ErrorKind::SchemaMismatch, Some(1)));
    assert_eq!(error.position().column.as_deref(), Some("a"));
    let text = error.to_string();
    assert!(text.contains("bytes_list") && text.contains("int64_list"), "{text}");
    // Inference over all notices it before the first batch.
    let dataset = ExampleTfxIo::builder([file.name()]).infer_schema(Sample::All).build().unwrap();
    assert_eq!(dataset.arrow_schema().unwrap_err().kind(), ErrorKind::SchemaMismatch);
}

#[test]
fn a_projection_reads_beside_a_feature_of_several_kinds() {
    // {a: [1], b: [1]} and {a: ["x"], b: [1]}
    let both = |a: &[u8]| [a, OTHER].concat();
    let file = File::new(&[&both(INT), &both(BYTES)]);
    for sample in [None, Some(Sample::All)] {
        let mut builder = ExampleTfxIo::builder([file.name()]);
        if let Some(sample) = sample {
            builder = builder.infer_schema(sample);
        }
        let dataset = builder.build().unwrap();
        let options = |names: &[&str]| ReadOptions::default().with_projection(names.iter().copied());
        let batch = dataset.read_all(&options(&["b"])).unwrap().next().unwrap().unwrap();
        assert_eq!((batch.num_rows(), batch.num_columns()), (2, 1));
        for all in [options(&["a"]), ReadOptions::default()] {
            let error = dataset.read_all(&all).err().unwrap();
            assert_eq!((error.kind(), error.position().record), (ErrorKind::SchemaMismatch, Some(1)));
        }
        assert!(dataset.feature_schema().is_err());
    }
}

#[test]
fn without_a_schema_every_record_of_a_small_data_set_counts() {
    let mut records = vec![INT; 1500];
    records.push(OTHER);
    let file = File::new(&records);
    let dataset = ExampleTfxIo::builder([file.name()]).build().unwrap();
    let names = |reader: BoxedBatchReader| {
        let schema = reader.schema();
        assert!(reader.into_iter().all(|batch| batch.is_ok()));
        schema.fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(dataset.read_all(&ReadOptions::default()).unwrap()), ["a", "b"]);
    // All splits have the columns of the data set.
    for split in dataset.splits(9_000).unwrap() {
        assert_eq!(names(dataset.read(&split, &ReadOptions::default()).unwrap()), ["a", "b"]);
    }
    // The schema was not asked for.
    assert_eq!(dataset.arrow_schema().unwrap_err().kind(), ErrorKind::SchemaRequired);
}

#[test]
fn without_a_schema_a_large_data_set_is_read_by_its_first_records() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["a", "b"].map(|name| folder.path().join(name).to_str().unwrap().to_owned());
    let write = |name: &str, records: &[&[u8]]| {
        let mut writer = WriterBuilder::new().create(name).unwrap();
        records.iter().for_each(|record| writer.write(record).unwrap());
        writer.finish().unwrap();
    };
    let most = usize::try_from(Sample::MOST_RECORDS).unwrap();
    write(&names[0], &vec![INT; most]);
    write(&names[1], &[INT, OTHER]);
    // It says that it is large: a hole follows the records, which is damage.
    std::fs::File::options().append(true).open(&names[1]).unwrap().set_len(Sample::MOST_BYTES + 1).unwrap();
    let dataset = ExampleTfxIo::builder(names.clone()).build().unwrap();
    let (_, error) = read(dataset.read_all(&ReadOptions::default()).unwrap());
    assert_eq!((error.kind(), error.position().record), (ErrorKind::SchemaMismatch, Some(1)));
    assert!(error.to_string().contains("infer it from more of them, or give a schema"), "{error}");
}

#[test]
fn files_of_nothing_whose_names_say_more() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, b"").unwrap();
        path.to_str().unwrap().to_owned()
    };
    for (name, format) in [("a.tfrecord.gz", "gzip"), ("a.ZLIB", "zlib"), ("a.parquet", "Parquet")] {
        let dataset = RawRecordTfxIo::new([at(name)]).unwrap();
        let error = dataset.read_all(&ReadOptions::default()).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Malformed);
        assert!(
            error.to_string().contains(&format!("the file has 0 bytes, and its name says {format}")),
            "{error}"
        );
    }
    let empty = RawRecordTfxIo::new([at("a.tfrecord")]).unwrap();
    assert!(empty.read_all(&ReadOptions::default()).unwrap().next().is_none());
}

#[test]
fn a_required_feature_that_is_absent() {
    let file = File::new(&[INT, OTHER]);
    let schema = ExampleSchema::new([FeatureSpec::new("a", FeatureKind::Int64).required()]).unwrap();
    let dataset = ExampleTfxIo::builder([file.name()]).schema(schema).build().unwrap();
    let (_, error) = read(dataset.read_all(&ReadOptions::default()).unwrap());
    assert_eq!((error.kind(), error.position().record), (ErrorKind::SchemaMismatch, Some(1)));
}

#[test]
fn damage_names_file_byte_and_record() {
    let file = fixture("damaged/bit-in-payload.tfrecord");
    let dataset = RawRecordTfxIo::new([file.clone()]).unwrap();
    let (batches, error) = read(dataset.read_all(&ReadOptions::default().with_batch_size(1)).unwrap());
    assert_eq!((batches, error.kind()), (2, ErrorKind::Malformed));
    let position = error.position();
    assert_eq!(
        (position.file.as_deref(), position.byte, position.record),
        (Some(&*file), Some(158), Some(2))
    );
    assert!(error.to_string().contains("the checksum of the record's payload"), "{error}");
}

#[test]
fn a_batch_is_whole_or_an_error() {
    // Two good records, then damage: with batches of four there is no batch at all.
    let dataset = RawRecordTfxIo::new([fixture("damaged/bit-in-payload.tfrecord")]).unwrap();
    let (batches, _) = read(dataset.read_all(&ReadOptions::default().with_batch_size(4)).unwrap());
    assert_eq!(batches, 0);
}

#[test]
fn a_record_in_a_split_is_counted_from_the_beginning_of_the_split() {
    let file = File::new(&[INT, INT, INT, OTHER]);
    let schema = ExampleSchema::new([FeatureSpec::new("a", FeatureKind::Int64)]).unwrap();
    let dataset = ExampleTfxIo::builder([file.name()])
        .schema(schema)
        .unknown_features(UnknownFeatures::Refuse)
        .build()
        .unwrap();
    let split = Split { start: 30, ..Split::whole(file.name()) };
    let (_, error) = read(dataset.read(&split, &ReadOptions::default()).unwrap());
    assert_eq!((error.position().byte, error.position().record), (Some(90), None));
    assert!(
        error.to_string().ends_with(&format!(
            " (in the split {}[30..], whose records are numbered from its first)",
            file.name()
        )),
        "{error}"
    );
}

#[test]
fn files_that_are_not_there() {
    let error = ExampleTfxIo::builder(["no/such.tfrecord"]).build().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert_eq!(error.to_string(), "no/such.tfrecord: opening the file failed: no such file; check the path");
    let none: [&str; 0] = [];
    let error = RawRecordTfxIo::new(none).unwrap_err();
    assert_eq!(error.to_string(), "no file is named; name at least one file or pattern");
    let error = RawRecordTfxIo::new([fixture("digits/digits@4.tfrecord")]).unwrap_err();
    assert!(error.to_string().contains("4 of 4 shards are missing"), "{error}");
}

#[test]
fn limits_hold() {
    let limits = Limits { record_bytes: 50, ..Limits::default() };
    let read_with = |limits| {
        let options = RecordOptions::default().with_limits(limits);
        let dataset = RawRecordTfxIo::new([fixture("tfrecord/six-records.tfrecord")]).unwrap();
        read(dataset.with_record_options(options).read_all(&ReadOptions::default()).unwrap()).1
    };
    assert_eq!(read_with(limits).kind(), ErrorKind::LimitExceeded);
    let error = read_with(Limits { batch_bytes: 100, ..Limits::default() });
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    assert!(error.to_string().ends_with(
        "the batch is longer than the limit of 100 bytes; raise `batch_bytes` or read smaller batches"
    ));
}

#[test]
fn salvage_reads_over_damage() {
    for threads in [1, 2] {
        let options = RecordOptions::default().with_threads(threads).with_salvage(Salvage::default());
        let file = fixture("damaged/zeros-over-two-records.tfrecord");
        let dataset = RawRecordTfxIo::new([file.clone()]).unwrap().with_record_options(options);
        let batches = dataset.read_all(&ReadOptions::default().with_batch_size(3)).unwrap();
        let rows = batches.map(|batch| batch.unwrap().num_rows()).collect::<Vec<_>>();
        assert_eq!(rows, [3, 1]);
        assert!(dataset.splits(1).unwrap().iter().all(Split::is_whole));
        let split = Split { start: 1, ..Split::whole(file) };
        let error = dataset.read(&split, &ReadOptions::default()).err().unwrap();
        assert!(error.to_string().ends_with("[1..] cannot be salvaged: files are salvaged whole"), "{error}");
    }
}

#[test]
fn a_salvage_budget_holds() {
    use tfxio::tfrecord_io::salvage::Budget;

    let salvage = Salvage::default().budget(Budget::default().with_places(0));
    let options = RecordOptions::default().with_salvage(salvage);
    let dataset = RawRecordTfxIo::new([fixture("damaged/bit-in-payload.tfrecord")]).unwrap();
    let (_, error) = read(dataset.with_record_options(options).read_all(&ReadOptions::default()).unwrap());
    assert_eq!(error.kind(), ErrorKind::Malformed);
}
