//! Files that are not there or not what they should be.

use tfxio::avro_path::container::Codec;

use super::{change, find, numbers, one};
use crate::run::{json_lines, names, path, tfxio};

/// Every command that reads an Avro file complains alike.
#[track_caller]
fn complaint(file: &str, code: i32) -> String {
    let folder = tempfile::tempdir().unwrap();
    let specs = path(&folder, "specs.json");
    std::fs::write(&specs, r#"{"n": {"kind": "FixedLen", "shape": [], "dtype": "int64"}}"#).unwrap();
    let (arrow, avro) = (path(&folder, "o.arrow"), path(&folder, "o.avro"));
    let errors = [
        tfxio(["head", file]).fails(code),
        tfxio(["schema", file]).fails(code),
        tfxio(["avro-path", file, "n"]).fails(code),
        tfxio(["tensors", file, "--features", &specs]).fails(code),
        tfxio(["convert", file, &arrow]).fails(code),
        tfxio(["repair", file, &avro]).fails(code),
    ];
    assert!(errors.iter().all(|error| *error == errors[0]), "{errors:#?}");
    assert_eq!(names(&folder), ["specs.json"], "nothing is left");
    let [first, ..] = errors;
    first
}

#[test]
fn what_is_no_avro_file() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes, what) in [
        ("empty.avro", &b""[..], "the file is empty; an Avro file without records still has a header"),
        (
            "text.avro",
            b"n,text\n1,a\n",
            "this is not an Avro file: it does not begin with \"Obj\" and 1; check the path",
        ),
        (
            "gzip.avro",
            // "text".
            b"\x1f\x8b\x08\0\0\0\0\0\x02\x03+I\xad(\x01\0\xc7\xa7\x8b;\x04\0\0\0",
            "this is not an Avro file, but something compressed with gzip; decompress it first",
        ),
        (
            "cut.avro",
            b"Obj\x01\x04\x16avro.sch",
            "the file ends within its header; the file is not complete; copy it again",
        ),
        // The bytes say it, whatever the name does.
        (
            "cut.data",
            b"Obj\x01\x04",
            "the file ends within its header; the file is not complete; copy it again",
        ),
    ] {
        let file = path(&folder, name);
        std::fs::write(&file, bytes).unwrap();
        assert_eq!(complaint(&file, 1), format!("error: {file}: {what}"));
        let run = tfxio(["inspect", &file]);
        assert_eq!((run.code, run.err), (1, format!("error: {file}: {what}\n")));
    }
}

#[test]
fn a_schema_that_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(&folder, "a.avro");
    std::fs::write(&file, b"Obj\x01\x02\x16avro.schema\x10{\"type\":}\x000123456789abcdef").unwrap();
    let error = complaint(&file, 1);
    assert!(
        error.starts_with(&format!("error: {file}, at $: "))
            || error.starts_with(&format!("error: {file}: ")),
        "{error}"
    );
}

#[test]
fn a_missing_file() {
    assert_eq!(
        tfxio(["avro-path", "no/such.avro", "n"]).fails(3),
        "error: no/such.avro: opening the file failed: no such file; check the path"
    );
    assert_eq!(
        tfxio(["head", "no/such.avro"]).fails(3),
        "error: no/such.avro: opening the file failed: no such file; check the path"
    );
}

/// Blocks that are damaged: the others can be had.
#[test]
fn damage_of_the_container_is_for_repair() {
    let folder = tempfile::tempdir().unwrap();
    let marker = b"a marker of rows";
    for codec in Codec::ALL {
        let file = numbers(&folder, "a.avro", 50, codec);
        change(&file, |bytes| {
            // Behind the header the first block, and behind its marker the second.
            let behind = |bytes: &[u8], from: usize| from + find(&bytes[from..], marker) + marker.len();
            let header = behind(bytes, 0);
            let first = behind(bytes, header);
            let end = first + find(&bytes[first..], marker);
            match codec {
                // The marker itself: nothing else is checked.
                Codec::Null => bytes[end] ^= 0xff,
                _ => bytes[first + 3..end].iter_mut().for_each(|byte| *byte ^= 0x55),
            }
        });
        let output = path(&folder, "o.avro");
        let advice = format!(". To keep the records that are whole: tfxio repair {file} OUT");
        for run in [
            tfxio(["head", "-n", "99", &file]),
            tfxio(["convert", &file, &output]),
            tfxio(["inspect", &file]),
        ] {
            let first = run.err.lines().next().unwrap_or_default();
            assert!(
                run.code == 1 && first.contains("block 1") && first.ends_with(&advice),
                "{codec}: {}",
                run.err
            );
        }
        tfxio(["repair", &file, &output]).ok();
        assert_eq!(tfxio(["head", "-n", "99", &output, "--format", "json"]).ok().lines().count(), {
            if codec == Codec::Null { 50 } else { 40 }
        });
        std::fs::remove_file(&output).unwrap();
    }
}

/// Records that do not match their schema: each command names the field.
#[test]
fn a_record_that_is_none_can_be_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let schema = r#"{"type": "record", "name": "r", "fields": [{"name": "items", "type": {"type": "array", "items": {
        "type": "record", "name": "i", "fields": [{"name": "text", "type": "string"}]}}}]}"#;
    // Two items, of which the second claims 100 bytes.
    let file = one(&folder, "a.avro", schema, &[4, 2, b'x', 0xc8, 1, b'y', 0]);
    let output = path(&folder, "o.avro");
    let advice = format!(". To leave such records out: tfxio convert {file} OUT --on-error skip");
    let arrow = path(&folder, "o.arrow");
    for run in [
        tfxio(["head", &file]),
        tfxio(["avro-path", &file, "items[*].text"]),
        tfxio(["convert", &file, &arrow]),
        tfxio(["convert", &file, &output]),
        tfxio(["inspect", &file]),
    ] {
        let first = run.err.lines().next().unwrap_or_default();
        assert!(
            run.code == 1
                && first.contains("record 0")
                && first.contains("items[1].text")
                && first.ends_with(&advice),
            "{}",
            run.err
        );
    }
    let report = json_lines(&tfxio(["inspect", "--json", &file]).out).remove(0);
    assert!(report["errors"][0].as_str().unwrap().ends_with(&advice), "{report}");
    assert_eq!(names(&folder), ["a.avro"]);
}

/// A file whose blocks are written by hand.
fn blocks(folder: &tempfile::TempDir, schema: &str, blocks: &[(i64, Vec<u8>)]) -> String {
    use tfxio::avro_path::AvroSchema;
    use tfxio::avro_path::container::ContainerWriter;
    use tfxio::avro_path::datum::write;

    let marker = *b"0123456789abcdef";
    let schema = AvroSchema::parse(schema).unwrap();
    let writer = ContainerWriter::builder(Vec::new(), &schema).codec(Codec::Null).sync_marker(marker).build();
    let mut bytes = writer.unwrap().finish().unwrap();
    for (count, data) in blocks {
        write::long(&mut bytes, *count);
        write::bytes(&mut bytes, data);
        bytes.extend_from_slice(&marker);
    }
    let file = path(folder, "claims.avro");
    std::fs::write(&file, bytes).unwrap();
    file
}

/// Ten records of 268 million nulls each, in 230 bytes.
#[test]
fn items_without_bytes_are_bounded_over_a_batch() {
    use tfxio::avro_path::datum::write;

    let folder = tempfile::tempdir().unwrap();
    let mut data = Vec::new();
    for _ in 0..10 {
        write::long(&mut data, 1 << 25);
        write::long(&mut data, 0);
    }
    for items in ["\"null\"", r#"{"type": "fixed", "name": "f", "size": 0}"#] {
        let schema = format!(
            r#"{{"type": "record", "name": "r", "fields": [
                {{"name": "a", "type": {{"type": "array", "items": {items}}}}}]}}"#
        );
        let file = blocks(&folder, &schema, &[(10, data.clone())]);
        for more in [&[][..], &["--key", "a[*]"]] {
            let output = path(&folder, "o.parquet");
            let error = tfxio([&["convert", &file, &output][..], more].concat()).fails(1);
            assert!(error.starts_with(&format!("error: {file}, byte ")), "{error}");
            assert!(error.contains("record 2") && error.contains("at a: "), "{error}");
            assert!(error.contains("more array items without bytes"), "{error}");
        }
    }
}

#[test]
fn a_claim_that_is_damage_comes_before_what_an_output_refuses() {
    let folder = tempfile::tempdir().unwrap();
    let schema = r#"{"type": "record", "name": "r", "fields": []}"#;
    let file = blocks(&folder, schema, &[(1 << 40, Vec::new())]);
    let error = tfxio(["convert", &file, &path(&folder, "o.parquet")]).fails(1);
    assert!(
        error.contains("block 0: the blocks up to here claim more than 67108864 records without bytes"),
        "{error}"
    );
}
