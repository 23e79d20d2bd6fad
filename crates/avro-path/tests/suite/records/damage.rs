//! Damaged data: an error with its place, no panic, and the decoder as it was before.

use avro_path::datum::write;
use avro_path::record::{AvroDecoder, RecordOptions, RecordPlan};
use avro_path::{AvroSchema, Kind};
use proptest::prelude::*;
use serde_json::json;
use tfxio_core::Origin;

use crate::records::render;

const SCHEMA: &str = r#"{"type": "record", "name": "row", "fields": [
    {"name": "label", "type": "int"},
    {"name": "flag", "type": "boolean"},
    {"name": "items", "type": {"type": "array", "items": {"type": "record", "name": "item", "fields": [
        {"name": "name", "type": "string"},
        {"name": "kind", "type": {"type": "enum", "name": "kind", "symbols": ["a", "b"]}},
        {"name": "weight", "type": ["null", "double"]}]}}},
    {"name": "attrs", "type": {"type": "map", "values": ["null", "long", "bytes"]}},
    {"name": "hash", "type": {"type": "fixed", "name": "hash", "size": 4}},
    {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}},
    {"name": "when", "type": ["null", {"type": "long", "logicalType": "timestamp-micros"}]}]}"#;

fn datum(items: i64) -> Vec<u8> {
    let mut out = Vec::new();
    write::long(&mut out, -items);
    write::boolean(&mut out, items % 2 == 1);
    if items > 0 {
        write::long(&mut out, items);
    }
    for item in 0..items {
        write::string(&mut out, &"näme".repeat(item as usize));
        write::long(&mut out, item % 2);
        write::long(&mut out, item % 2);
        if item % 2 == 1 {
            write::double(&mut out, 0.5);
        }
    }
    write::long(&mut out, 0);
    write::long(&mut out, 3);
    for branch in 0..3 {
        write::string(&mut out, "key");
        write::long(&mut out, branch);
        match branch {
            1 => write::long(&mut out, 1 << 40),
            2 => write::bytes(&mut out, b"\xff\xfe"),
            _ => {}
        }
    }
    write::long(&mut out, 0);
    out.extend(b"hash");
    write::bytes(&mut out, &[1, 2]);
    write::long(&mut out, 1);
    write::long(&mut out, 1_700_000_000_000_000);
    out
}

fn decoder(options: &RecordOptions) -> AvroDecoder {
    RecordPlan::builder(&AvroSchema::parse(SCHEMA).unwrap())
        .options(options.clone())
        .build()
        .unwrap()
        .decoder()
}

fn all_options() -> [RecordOptions; 4] {
    [
        RecordOptions::default().layout(avro_path::record::Layout::Structured),
        render::plain(),
        render::plain().fields(["label", "when"]),
        RecordOptions::default()
            .layout(avro_path::record::Layout::Structured)
            .fields(["items.weight", "attrs.long"]),
    ]
}

#[test]
fn a_datum_cut_at_any_byte_is_an_error_and_leaves_nothing() {
    for options in all_options() {
        let data = [datum(0), datum(1), datum(3)];
        let mut clean = decoder(&options);
        for datum in &data {
            clean.push(datum, Origin::record(0)).unwrap();
        }
        let expected = clean.flush().unwrap();
        let mut decoder = decoder(&options);
        for datum in &data {
            for cut in 0..datum.len() {
                let error = decoder.push(&datum[..cut], Origin::new("a.avro", 5, 8)).unwrap_err();
                let position = error.position();
                assert_eq!((position.file.as_deref(), position.record), (Some("a.avro"), Some(8)));
                assert!(position.record_byte.is_some_and(|byte| byte <= cut as u64), "{error}");
                assert!(position.path.is_some(), "{error}");
            }
            decoder.push(datum, Origin::record(0)).unwrap();
            assert!(decoder.push(&[datum.as_slice(), b"\0"].concat(), Origin::record(0)).is_err());
        }
        assert_eq!(decoder.rows(), data.len());
        assert_eq!(decoder.flush().unwrap(), expected);
    }
}

#[test]
fn fields_of_records_within_records_have_their_whole_path() {
    let longs = ["a", "b", "c", "d", "e"].map(|name| json!({"name": name, "type": "long"}));
    let deep = json!({"type": "record", "name": "Deep", "fields": [{"name": "x", "type": "double"}]});
    let more = [json!({"name": "t", "type": "string"}), json!({"name": "deep", "type": deep})];
    let inner = [longs.as_slice(), &more].concat();
    let inner = json!({"type": "record", "name": "Inner", "fields": inner});
    let fields = [("n", json!("long")), ("in", inner), ("z", json!("long"))];
    let fields = fields.map(|(name, ty)| json!({"name": name, "type": ty}));
    let schema =
        AvroSchema::parse(&json!({"type": "record", "name": "r", "fields": fields}).to_string()).unwrap();
    // Each field as often as it has bytes.
    let paths =
        [&["n", "in.a", "in.b", "in.c", "in.d", "in.e", "in.t", "in.t"][..], &["in.deep.x"; 8], &["z"]]
            .concat();
    let datum = [&[0; 6][..], &[2, b't'], &[0; 9]].concat();
    let plain = render::plain();
    for options in [plain.clone(), plain.clone().fields(["in.deep.x"]), plain.fields(["in.c", "in.t"])] {
        let mut decoder = RecordPlan::builder(&schema).options(options.clone()).build().unwrap().decoder();
        for (cut, path) in paths.iter().enumerate() {
            let error = decoder.push(&datum[..cut], Origin::record(0)).unwrap_err();
            // What is passed over as a whole is named as a whole.
            let found = error.position().path.clone().unwrap();
            assert!(
                path.strip_prefix(&*found).is_some_and(|rest| rest.is_empty() || &*found == "in.deep"),
                "{error}"
            );
        }
        decoder.push(&datum, Origin::record(0)).unwrap();
        assert_eq!(decoder.flush().unwrap().num_rows(), 1);
    }
}

#[test]
fn errors_say_what_and_where() {
    let whole = datum(3);
    let cases: [(usize, u8, &str); 7] = [
        (0, 0xff, "record 4, byte of the record 0, at label: a number has more than 64 bits"),
        (1, 2, "record 4, byte of the record 1, at flag: a boolean is the byte 2, not 0 or 1"),
        (
            2,
            0x7e,
            "record 4, byte of the record 2, at items: a block of an array or map claims 63 items, LEFT bytes are left",
        ),
        (
            4,
            4,
            "record 4, byte of the record 4, at items[0].kind: a branch or symbol has the number 2, there are 2",
        ),
        (
            5,
            4,
            "record 4, byte of the record 5, at items[0].weight: a branch or symbol has the number 2, there are 2",
        ),
        (6, 9, "record 4, byte of the record 6, at items[1].name: bytes or a string have the length -5"),
        (
            8,
            0xff,
            "record 4, byte of the record 6, at items[1].name: a string of 5 bytes is not UTF-8 from its byte 1",
        ),
    ];
    for (at, byte, expected) in cases {
        let mut damaged = whole.clone();
        damaged[at] = byte;
        if at == 0 {
            damaged.splice(0..1, [0xff; 11]);
        }
        let error = decoder(&render::plain()).push(&damaged, Origin::record(4)).unwrap_err();
        let expected = expected.replace("LEFT", &(whole.len() - 3).to_string());
        assert_eq!(error.to_string(), expected);
    }
    let error = decoder(&render::plain()).push(&[2], Origin::record(4)).unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::Truncated));
    assert_eq!(error.to_string(), "record 4, byte of the record 1, at flag: the datum ends within a boolean");
}

proptest! {
    #[test]
    fn changed_bytes_never_panic_and_leave_nothing(
        which in 0..4_usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let options = &all_options()[which];
        let mut decoder = decoder(options);
        decoder.push(&datum(2), Origin::record(0)).unwrap();
        let mut damaged = datum(3);
        for (at, byte) in &changes {
            let at = at.index(damaged.len());
            damaged[at] = *byte;
        }
        let failed = decoder.push(&damaged, Origin::record(1)).is_err();
        decoder.push(&datum(2), Origin::record(2)).unwrap();
        let batch = decoder.flush().unwrap();
        let rows = render::rows(&batch);
        prop_assert_eq!(rows.len(), if failed { 2 } else { 3 });
        prop_assert_eq!(rows.first(), rows.last());
    }
}
