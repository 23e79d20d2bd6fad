//! `tfxio inspect`: what is in a file, and whether it is whole.

use serde_json::json;
use tfxio::avro_path::AvroSchema;
use tfxio::avro_path::container::{Codec, ContainerWriter};
use tfxio::avro_path::datum::write;

use super::{PEOPLE, change, find, numbers};
use crate::run::{json_lines, path, tfxio};

#[test]
fn a_table_for_people() {
    assert_eq!(
        tfxio(["inspect", PEOPLE]).ok(),
        "\
file                       codec  schema                  blocks  records  payload bytes  longest  CRC-32    metadata  state
─────────────────────────  ─────  ──────────────────────  ──────  ───────  ─────────────  ───────  ────────  ────────  ─────
fixtures/avro/people.avro   null  record com.test.person       1        2            252      229  9b5ff655  made.by   ok
"
    );
    let out = tfxio(["inspect", "fixtures/tfrecord/six-records.tfrecord", PEOPLE, PEOPLE]).ok();
    assert!(out.contains("\n\nfile ") && out.ends_with("\n"), "{out}");
    assert!(out.lines().last().unwrap().starts_with("2 files "), "{out}");
}

#[test]
fn json_says_it_to_programs() {
    let folder = tempfile::tempdir().unwrap();
    for codec in Codec::ALL {
        let file = numbers(&folder, &format!("{codec}.avro"), 25, codec);
        let report = json_lines(&tfxio(["inspect", "--json", &file]).ok());
        assert_eq!(
            report,
            [json!({
                "file": file, "format": "avro", "codec": codec.name(), "schema": "record a.b.row", "blocks": 3,
                "records": 25, "payload_bytes": 265, "longest": 11, "crc32_of_payloads": 3_096_757_983_u32, "metadata": {"by": "a test"}, "errors": [],
            })]
        );
    }
}

#[test]
fn every_damage_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let file = numbers(&folder, "a.avro", 50, Codec::Null);
    change(&file, |bytes| {
        // The lengths of two texts, which are then longer than their blocks.
        for text in ["number 15", "number 38"] {
            let at = find(bytes, text.as_bytes());
            bytes[at - 1] = 0x7e;
            bytes[at + 1] = 0xff;
        }
    });
    let run = tfxio(["inspect", "--json", &file]);
    assert_eq!(run.code, 1);
    let report = json_lines(&run.out).remove(0);
    assert_eq!((&report["blocks"], &report["records"]), (&json!(5), &json!(43)));
    let errors = report["errors"].as_array().unwrap();
    assert_eq!(errors.len(), 2, "{errors:?}");
    let first = errors[0].as_str().unwrap();
    assert!(first.starts_with(&format!("{file}, byte ")) && first.contains("block 1, record 15"), "{first}");
    let second = errors[1].as_str().unwrap();
    let ending = "after 33 good records: lost as well: 2 records (records: record 8 of the block, at text: bytes or a \
                  string claim 63 bytes, 20 are left)";
    assert!(second.ends_with(ending), "{second}");

    let run = tfxio(["inspect", &file]);
    assert_eq!(run.code, 1);
    assert!(run.out.contains("damaged") && run.err.lines().count() == 2, "{}{}", run.out, run.err);
}

#[test]
fn records_without_bytes_are_counted_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let schema = AvroSchema::parse("\"null\"").unwrap();
    let writer =
        ContainerWriter::builder(Vec::new(), &schema).sync_marker(*b"0123456789abcdef").build().unwrap();
    let mut bytes = writer.finish().unwrap();
    for _ in 0..3 {
        write::long(&mut bytes, 20_000_000);
        write::bytes(&mut bytes, b"");
        bytes.extend_from_slice(b"0123456789abcdef");
    }
    let file = path(&folder, "null.avro");
    std::fs::write(&file, bytes).unwrap();
    let report = json_lines(&tfxio(["inspect", "--json", &file]).ok()).remove(0);
    assert_eq!((&report["records"], &report["payload_bytes"]), (&json!(60_000_000), &json!(0)));
}
