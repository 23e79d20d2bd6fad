//! Errors name the cause, the position and the remedy.
#![cfg(feature = "example")]

use std::sync::Arc;

use tfxio::prelude::*;
use tfxio::tfrecord_io::FileWriter;
use tfxio::{Error, ErrorKind, Limits, OnError, Partition, Skip, SkipBudget};

fn fixture(name: &str) -> String {
    format!("{}/../../fixtures/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Returns the number of batches before the first error, and the error; nothing may come after it.
fn failing(scan: &mut dyn Scan) -> (usize, Error) {
    let mut batches = 0;
    loop {
        match scan.next_batch() {
            Ok(Some(_)) => batches += 1,
            Ok(None) => unreachable!("no error"),
            Err(error) => {
                assert!(scan.next_batch().unwrap().is_none());
                return (batches, error);
            }
        }
    }
}

fn read(dataset: &Arc<dyn Dataset>, request: ScanRequest) -> (usize, Error) {
    failing(&mut dataset.read(request).unwrap())
}

fn names(dataset: &Arc<dyn Dataset>) -> Vec<&str> {
    dataset.schema().fields().iter().map(|field| field.name().as_str()).collect()
}

fn raw(pattern: impl tfxio::Patterns) -> Arc<dyn Dataset> {
    OpenOptions::new().format("raw").open(pattern).unwrap()
}

/// Options that infer the schema from the first records.
fn first(records: u64) -> OpenOptions {
    OpenOptions::new().set("infer_records", records).unwrap()
}

// {a: [1]}, {b: [1]} and {a: ["x"]}
const INT: &[u8] = b"\x0a\x0c\x0a\x0a\x0a\x01a\x12\x05\x1a\x03\x0a\x01\x01";
const OTHER: &[u8] = b"\x0a\x0c\x0a\x0a\x0a\x01b\x12\x05\x1a\x03\x0a\x01\x01";
const BYTES: &[u8] = b"\x0a\x0c\x0a\x0a\x0a\x01a\x12\x05\x0a\x03\x0a\x01x";

struct File(tempfile::TempDir);

impl File {
    fn new(records: &[&[u8]]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = FileWriter::create(folder.path().join("a.tfrecord")).unwrap();
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
    let dataset = first(2).open(file.name()).unwrap();
    for threads in [1, 3] {
        let (batches, error) = read(&dataset, ScanRequest::new().batch_rows(1).threads(threads));
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
    // Told to, it is passed over.
    let ignored = first(2).set("unknown_features", "ignore").unwrap().open(file.name()).unwrap();
    assert_eq!(ignored.read(ScanRequest::new()).unwrap().next().unwrap().unwrap().num_rows(), 3);
}

#[test]
fn a_feature_that_changes_its_kind() {
    let file = File::new(&[INT, BYTES]);
    let (_, error) = read(&first(1).open(file.name()).unwrap(), ScanRequest::new());
    assert_eq!((error.kind(), error.position().record), (ErrorKind::SchemaMismatch, Some(1)));
    assert_eq!(error.position().column.as_deref(), Some("a"));
    let text = error.to_string();
    assert!(text.contains("bytes_list") && text.contains("int64_list"), "{text}");
    // Inference over all notices it before the first batch.
    let error = tfxio::open(file.name()).and_then(|dataset| dataset.read(ScanRequest::new())).unwrap_err();
    assert_eq!((error.kind(), error.position().record), (ErrorKind::SchemaMismatch, Some(1)));
}

#[test]
fn a_projection_reads_beside_a_feature_of_several_kinds() {
    // {a: [1], b: [1]} and {a: ["x"], b: [1]}
    let both = |a: &[u8]| [a, OTHER].concat();
    let file = File::new(&[&both(INT), &both(BYTES)]);
    let dataset = tfxio::open(file.name()).unwrap();
    let batch = dataset.read(ScanRequest::new().columns(["b"])).unwrap().next().unwrap().unwrap();
    assert_eq!((batch.num_rows(), batch.num_columns()), (2, 1));
    for request in [ScanRequest::new().columns(["a"]), ScanRequest::new()] {
        let error = dataset.read(request).err().unwrap();
        assert_eq!((error.kind(), error.position().record), (ErrorKind::SchemaMismatch, Some(1)));
    }
}

#[test]
fn every_record_of_a_small_data_set_counts() {
    let mut records = vec![INT; 1500];
    records.push(OTHER);
    let dataset = tfxio::open(File::new(&records).name());
    // The file is gone, and the schema is known.
    assert_eq!(names(&dataset.unwrap()), ["a", "b"]);
    let file = File::new(&records);
    let dataset = tfxio::open(file.name()).unwrap();
    for partition in dataset.partitions(9_000).unwrap() {
        let mut scan = dataset.scan(&partition, &ScanRequest::new()).unwrap();
        assert_eq!(scan.schema(), dataset.schema());
        while let Some(batch) = scan.next_batch().unwrap() {
            assert_eq!(batch.schema(), *dataset.schema());
        }
    }
}

#[test]
fn a_large_data_set_is_opened_by_its_first_records() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["a", "b"].map(|name| folder.path().join(name).to_str().unwrap().to_owned());
    let write = |name: &str, records: &[&[u8]]| {
        let mut writer = FileWriter::create(name).unwrap();
        records.iter().for_each(|record| writer.write(record).unwrap());
        writer.finish().unwrap();
    };
    write(&names[0], &vec![INT; 10_000]);
    write(&names[1], &[INT, OTHER]);
    // It says that it is large: a hole follows the records, which is damage.
    std::fs::File::options().append(true).open(&names[1]).unwrap().set_len((256 << 20) + 1).unwrap();
    let (_, error) = read(&tfxio::open(&names[..]).unwrap(), ScanRequest::new());
    assert_eq!((error.kind(), error.position().record), (ErrorKind::SchemaMismatch, Some(1)));
    assert!(error.to_string().contains("infer it from more of them, or give a schema"), "{error}");
}

#[test]
fn files_of_nothing_whose_names_say_more() {
    let folder = tempfile::tempdir().unwrap();
    let open = |name: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, b"").unwrap();
        OpenOptions::new().format("raw").open(&path).and_then(|dataset| dataset.read(ScanRequest::new()))
    };
    for (name, format) in [("a.tfrecord.gz", "gzip"), ("a.ZLIB", "zlib"), ("a.parquet", "Parquet")] {
        let error = open(name).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Malformed);
        assert!(
            error.to_string().contains(&format!("the file has 0 bytes, and its name says {format}")),
            "{error}"
        );
    }
    assert!(open("a.tfrecord").unwrap().next().is_none());
}

#[test]
fn damage_names_file_byte_and_record() {
    let file = fixture("damaged/bit-in-payload.tfrecord");
    let (batches, error) = read(&raw(&file), ScanRequest::new().batch_rows(1));
    assert_eq!((batches, error.kind()), (2, ErrorKind::Malformed));
    let position = error.position();
    assert_eq!(
        (position.file.as_deref(), position.byte, position.record),
        (Some(&*file), Some(158), Some(2))
    );
    assert!(error.to_string().contains("the checksum of the record's payload"), "{error}");
}

#[test]
fn the_rows_before_damage_are_a_batch_of_their_own() {
    let dataset = raw(fixture("damaged/bit-in-payload.tfrecord"));
    let mut batches = dataset.read(ScanRequest::new().batch_rows(4)).unwrap();
    assert_eq!(batches.next().unwrap().unwrap().num_rows(), 2);
    assert_eq!(batches.next().unwrap().unwrap_err().position().record, Some(2));
}

#[test]
fn a_record_in_a_partition_of_unknown_number_is_counted_from_its_beginning() {
    let file = File::new(&[INT, INT, INT, OTHER]);
    let dataset = first(3).open(file.name()).unwrap();
    let partition = Partition::range(file.name(), 30, u64::MAX);
    let (_, error) = failing(&mut *dataset.scan(&partition, &ScanRequest::new()).unwrap());
    assert_eq!((error.position().byte, error.position().record), (Some(90), None));
    assert!(
        error.to_string().ends_with(&format!(
            " (in the partition {}[30..], whose records are numbered from its first)",
            file.name()
        )),
        "{error}"
    );
}

#[test]
fn files_that_are_not_there() {
    let error = tfxio::open("no/such.tfrecord").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert_eq!(error.to_string(), "no/such.tfrecord: opening the file failed: no such file; check the path");
    let error = tfxio::open([""; 0]).unwrap_err();
    assert_eq!(error.to_string(), "no file is named; name at least one file or pattern");
    let error = tfxio::open(fixture("digits/digits@4.tfrecord")).unwrap_err();
    assert!(error.to_string().contains("4 of 4 shards are missing"), "{error}");
}

#[cfg(feature = "avro")]
#[test]
fn what_cannot_be_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let fails = |options: OpenOptions, pattern: &str| {
        let error = options.open(pattern).and_then(|dataset| dataset.count()).unwrap_err();
        error.to_string().replace(&path(""), "")
    };
    assert_eq!(
        fails(OpenOptions::new(), &path("*.tfrecord")),
        "*.tfrecord: no file matches the pattern; check the directory and the pattern; quote it so that the shell does not change it"
    );

    std::fs::copy(fixture("tfrecord/six-records.tfrecord"), path("a.tfrecord")).unwrap();
    std::fs::copy(fixture("avro/people.avro"), path("b.avro")).unwrap();
    let mixed = "b.avro: the format of the file is avro, and that of a.tfrecord is tfrecord; open the files of each format \
                 by themselves";
    assert_eq!(fails(OpenOptions::new(), &path("*")), mixed);

    std::fs::write(path("notes.unknown"), b"\x00\xffhello").unwrap();
    let unknown = fails(OpenOptions::new(), &path("notes.unknown"));
    let expected = "notes.unknown: the format is not known by the first bytes or the name; check the file, or state its format: \
                    the formats are \"tfrecord\", \"avro\"";
    assert!(unknown.starts_with(expected), "{unknown}");
}

#[cfg(feature = "tensors")]
#[test]
fn a_schema_that_does_not_fit() {
    let folder = tempfile::tempdir().unwrap();
    let open = |schema: &str| {
        let path = folder.path().join("schema.pbtxt");
        std::fs::write(&path, schema).unwrap();
        OpenOptions::new().set("schema", path.to_str().unwrap())?.open(fixture("digits/digits@3.tfrecord"))
    };
    let dataset = open("feature { name: 'label' type: FLOAT }").unwrap();
    let (batches, error) = read(&dataset, ScanRequest::new());
    assert_eq!((batches, error.kind()), (0, ErrorKind::SchemaMismatch));
    let first = fixture("digits/digits-00000-of-00003.tfrecord");
    assert_eq!(
        error.to_string(),
        format!(
            "{first}, byte 0, record 0, column \"label\": the value is an int64_list, the schema says float_list"
        )
    );
    let error = open("feature { name: 'label' kind: FLOAT }").unwrap_err().to_string();
    let path = folder.path().join("schema.pbtxt");
    assert!(error.starts_with(&format!("{}: the schema cannot be read", path.display())), "{error}");
}

#[test]
fn limits_hold() {
    let dataset = raw(fixture("tfrecord/six-records.tfrecord"));
    let read_with = |limits| read(&dataset, ScanRequest::new().limits(limits)).1;
    let error = read_with(Limits::default().record_bytes(50));
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    let error = read_with(Limits::default().batch_bytes(100));
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    assert!(error.to_string().ends_with(
        "the batch is longer than the limit of 100 bytes; raise `batch_bytes` or read smaller batches"
    ));
}

#[test]
fn damage_is_read_over() {
    let dataset = raw(fixture("damaged/zeros-over-two-records.tfrecord"));
    for threads in [1, 2] {
        let skip = Skip::new(SkipBudget::default());
        let request = ScanRequest::new().batch_rows(3).threads(threads).on_error(OnError::Skip(skip.clone()));
        let rows = dataset.read(request).unwrap().map(|batch| batch.unwrap().num_rows()).collect::<Vec<_>>();
        assert_eq!((rows, skip.report().ranges), (vec![3, 1], 1));
        // However the file is cut.
        let partitions = dataset.partitions(1).unwrap();
        let rows = partitions.iter().map(|partition| {
            let request = ScanRequest::new().threads(threads).on_error(OnError::Skip(skip.clone()));
            let mut scan = dataset.scan(partition, &request).unwrap();
            std::iter::from_fn(|| scan.next_batch().unwrap()).map(|batch| batch.num_rows()).sum::<usize>()
        });
        assert_eq!(rows.sum::<usize>(), 4);
    }
}

#[test]
fn a_budget_of_damage_holds() {
    let skip = Skip::new(SkipBudget::default().ranges(0));
    let dataset = raw(fixture("damaged/bit-in-payload.tfrecord"));
    let (_, error) = read(&dataset, ScanRequest::new().on_error(OnError::Skip(skip)));
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
}
