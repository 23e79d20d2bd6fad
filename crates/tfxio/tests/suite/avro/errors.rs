//! Errors of Avro files: each names its position, and the rows before it are read.

use arrow_array::RecordBatch;
use tfxio::avro_path::container::Codec;
use tfxio::prelude::*;
use tfxio::{Error, ErrorKind, Partition};

use crate::avro::test_files::{all, file, open, people, rows};

fn build(name: &str, keys: &[&str]) -> Error {
    OpenOptions::new().format("avro").keys(keys.iter().copied()).open(name).unwrap_err()
}

#[test]
fn keys_are_checked_before_data_are_read() {
    let error = build(&people(), &["name.frist"]);
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert_eq!(
        error.to_string(),
        "key \"name.frist\", column 6: no field \"frist\" in record com.test.fullname; did you mean \"first\"?"
    );
    let error = build(&people(), &["age", "friends[0:1].age"]);
    assert!(error.to_string().starts_with("key \"friends[0:1].age\", column 10: "), "{error}");
    let error = build(&people(), &["age", "age"]);
    assert_eq!(error.to_string(), "two columns are called \"age\"; give each key another name");
}

#[test]
fn files_that_are_none_of_avro() {
    let folder = tempfile::tempdir().unwrap();
    let whole = rows(Codec::Null, 0..3, 100);
    for (bytes, what) in [
        (&b""[..], "the file is empty; an Avro file without records still has a header"),
        (
            b"neither Avro nor a record",
            "this is not an Avro file: it does not begin with \"Obj\" and 1; check the path",
        ),
        (b"PAR1 and more", "this is a Parquet file, not an Avro file; read it as such"),
        (&whole[..40], "the file ends within its header; the file is not complete; copy it again"),
    ] {
        let name = file(&folder, "some.avro", bytes);
        let error = build(&name, &["n"]);
        assert_eq!(error.kind(), ErrorKind::Malformed);
        // A file that is of another format says that too.
        let other =
            if bytes.starts_with(b"PAR1") { "; the file begins like one of the format parquet" } else { "" };
        assert_eq!(error.to_string(), format!("{name}: {what}{other}"));
    }
    let error = build("no/such.avro", &["n"]);
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert_eq!(error.to_string(), "no/such.avro: opening the file failed: no such file; check the path");
    let error = OpenOptions::new().keys(["n"]).open([""; 0]).unwrap_err();
    assert_eq!(error.to_string(), "no file is named; name at least one file or pattern");
}

fn read(name: &str, threads: usize, partition: Option<&Partition>) -> (Vec<RecordBatch>, Error) {
    let dataset = open(name, &["n", "text", "below[*]"]);
    let request = ScanRequest::new().threads(threads).batch_rows(8);
    let whole = Partition::whole(name);
    let scan = dataset.scan(partition.unwrap_or(&whole), &request);
    let (batches, error) = all(&mut *scan.unwrap());
    (batches, error.expect("there is damage"))
}

#[test]
fn rows_before_the_damage_are_read_by_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = rows(Codec::Null, 0..100, 100);
    // The text of row 50 is no UTF-8 any more.
    let at = bytes.windows(6).position(|window| window == b"row 50").unwrap();
    bytes[at] = 0xff;
    let name = file(&folder, "text.avro", &bytes);
    let mut expected = None;
    for threads in [1, 2, 4] {
        let (batches, error) = read(&name, threads, None);
        assert_eq!(batches.len(), 6, "48 rows and 2 that are lost with their batch");
        assert_eq!((error.kind(), error.position().record), (ErrorKind::Malformed, Some(50)));
        let text = error.to_string();
        assert!(
            text.starts_with(&format!("{name}, byte ")) && text.contains(", record 50, byte of the record "),
            "{text}"
        );
        assert!(text.contains("a string of 6 bytes is not UTF-8 from its byte 0"), "{text}");
        assert_eq!(*expected.get_or_insert_with(|| (batches.clone(), text.clone())), (batches, text));
    }

    // Cut within a block.
    let whole = rows(Codec::Deflate, 0..100, 100);
    let name = file(&folder, "cut.avro", &whole[..whole.len() - 30]);
    for threads in [1, 3] {
        let (batches, error) = read(&name, threads, None);
        assert!(!batches.is_empty() && batches.iter().all(|batch| batch.num_rows() == 8));
        assert!(error.to_string().contains("the file ends within a block of "), "{error}");
    }
}

#[test]
fn a_block_that_holds_more_than_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = rows(Codec::Null, 0..8, 1 << 20);
    // The count of the only block stands behind the header's marker: 8, as 16.
    let at = bytes.windows(16).position(|window| window == b"a marker of rows").unwrap() + 16;
    assert_eq!(bytes[at], 16);
    bytes[at] = 14;
    let name = file(&folder, "more.avro", &bytes);
    for threads in [1, 2] {
        let (batches, error) = read(&name, threads, None);
        assert!(batches.is_empty(), "the batch is not full");
        assert!(error.to_string().contains("bytes are left over after the block's 7 records"), "{error}");
    }
}

#[test]
fn a_block_with_another_marker_behind_it_is_read_if_it_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    for codec in [Codec::Null, Codec::Deflate] {
        let mut bytes = rows(codec, 0..16, 1 << 20);
        let end = bytes.len();
        bytes[end - 1] ^= 1;
        let name = file(&folder, "marker.avro", &bytes);
        for threads in [1, 2] {
            let (batches, error) = read(&name, threads, None);
            assert_eq!(batches.iter().map(RecordBatch::num_rows).collect::<Vec<_>>(), [8, 8]);
            assert!(
                error.to_string().contains("the block does not end with the file's sync marker"),
                "{error}"
            );
        }
        // A bit of the count of records.
        let at = bytes.windows(16).position(|window| window == b"a marker of rows").unwrap() + 16;
        bytes[at] ^= 2;
        let name = file(&folder, "count.avro", &bytes);
        for threads in [1, 2] {
            let (batches, error) = read(&name, threads, None);
            assert!(batches.is_empty());
            assert!(
                error.to_string().contains("the block does not end with the file's sync marker"),
                "{error}"
            );
        }
    }
}

#[test]
fn records_of_a_partition_are_counted_from_its_first() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = rows(Codec::Null, 0..100, 100);
    let at = bytes.windows(6).position(|window| window == b"row 95").unwrap();
    bytes[at] = 0xff;
    let name = file(&folder, "text.avro", &bytes);
    let partition = Partition::range(name.clone(), 700, u64::MAX);
    for threads in [1, 2] {
        let (_, error) = read(&name, threads, Some(&partition));
        assert_eq!(error.position().record, None);
        // Byte 749 is the first from 700 on at which a block begins.
        let ending = format!("(in the partition {name}[749..], whose records are numbered from its first)");
        assert!(error.to_string().ends_with(&ending), "{error}");
    }
}

#[cfg(feature = "tensors")]
#[test]
fn a_row_that_makes_no_tensor_is_named_by_its_record() {
    use tfxio::tensor_repr::feature_specs_from_json;

    let folder = tempfile::tempdir().unwrap();
    let files = [(1..3, "a.avro"), (4..6, "b.avro"), (7..40, "c.avro")]
        .map(|(part, name)| file(&folder, name, &rows(Codec::Null, part, 30)));
    // Every number that three divides has no text: the first is 9, the third record of the third file.
    let specs = feature_specs_from_json(r#"{"text": {"kind": "FixedLen", "shape": [], "dtype": "string"}}"#);
    let dataset = OpenOptions::new().features(specs.unwrap()).open(&files[..]).unwrap();
    let tensors = dataset.tensors(dataset.representations().unwrap()).unwrap();
    for threads in [1, 3] {
        let request = ScanRequest::new().threads(threads).batch_rows(3);
        let error = tensors.read(request.clone()).unwrap().find_map(Result::err).unwrap();
        let text = error.to_string();
        assert!(text.starts_with(&format!("{}, byte ", files[2])), "{error}");
        assert!(text.contains(", record 2, tensor \"text\", column \"text\": "), "{error}");

        let partition = Partition::range(files[2].clone(), 600, u64::MAX);
        let error = tensors.scan(&partition, &request).unwrap().find_map(Result::err).unwrap();
        let ending =
            format!("(in the partition {}[600..], whose records are numbered from its first)", files[2]);
        assert!(error.to_string().ends_with(&ending), "{error}");
    }
}
