//! Values that cannot be true, through key decoders: the error has record, path and byte.

use avro_path::datum::{DatumReader, SkipPlan, write, write_json};
use avro_path::record::{Layout, RecordOptions, RecordPlan};
use avro_path::{AvroSchema, Error, ErrorKind, Key, KeyProgram, Kind, Limits, Resolution};
use tfxio_core::Origin;

fn refused(schema: &str, keys: &[&str], datum: &[u8]) -> Error {
    let keys = keys.iter().map(|key| Key::parse(key).unwrap()).collect::<Vec<_>>();
    let mut decoder = KeyProgram::new(&AvroSchema::parse(schema).unwrap(), &keys).unwrap().decoder();
    let error = decoder.push(datum, Origin::new("x.avro", 100, 8)).unwrap_err();
    assert_eq!(decoder.rows(), 0);
    error
}

/// Returns the error of the whole record as columns.
fn refused_whole(schema: &str, layout: Layout, datum: &[u8]) -> Error {
    let options = RecordOptions::default().layout(layout);
    let plan =
        RecordPlan::builder(&AvroSchema::parse(schema).unwrap()).options(options.clone()).build().unwrap();
    let mut decoder = plan.decoder();
    let error = decoder.push(datum, Origin::new("x.avro", 100, 8)).unwrap_err();
    assert_eq!((decoder.rows(), decoder.flush().unwrap().num_rows()), (0, 0));
    error
}

const VALUES: &str = r#"{"type": "record", "name": "r", "fields": [{"name": "a", "type": {"type": "array", "items": {
    "type": "record", "name": "i", "fields": [
        {"name": "s", "type": "string"},
        {"name": "e", "type": {"type": "enum", "name": "k", "symbols": ["A", "B"]}},
        {"name": "u", "type": ["null", "int"]},
        {"name": "m", "type": {"type": "map", "values": "int"}}]}}}]}"#;

/// Returns an array of one item, from the bytes of its fields.
fn item(s: &[u8], e: i64, u: &[i64], m: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    write::long(&mut out, 1);
    write::bytes(&mut out, s);
    write::long(&mut out, e);
    u.iter().for_each(|&number| write::long(&mut out, number));
    out.extend_from_slice(m);
    write::long(&mut out, 0);
    out
}

#[test]
fn indices_and_texts() {
    let keys = ["a[*].s", "a[*].e", "a[*].u", "a[*].m['k']"];
    let at = "x.avro, byte 100, record 8, byte of the record";
    for (datum, kind, text) in [
        (
            item(b"a\xff", 0, &[0], &[0]),
            Some(Kind::NotUtf8),
            "1, at a[0].s: a string of 2 bytes is not UTF-8 from its byte 1",
        ),
        (
            item(b"", 2, &[0], &[0]),
            Some(Kind::Malformed),
            "2, at a[0].e: a branch or symbol has the number 2, there are 2",
        ),
        (
            item(b"", -1, &[0], &[0]),
            Some(Kind::Malformed),
            "2, at a[0].e: a branch or symbol has the number -1, there are 2",
        ),
        (
            item(b"", 1, &[2], &[0]),
            Some(Kind::Malformed),
            "3, at a[0].u: a branch or symbol has the number 2, there are 2",
        ),
        (
            item(b"", 1, &[i64::MIN], &[0]),
            Some(Kind::Malformed),
            "3, at a[0].u: a branch or symbol has the number -9223372036854775808, there are 2",
        ),
    ] {
        let error = refused(VALUES, &keys, &datum);
        let (found, message) = (error.detail().copied(), error.to_string());
        assert_eq!((found, message), (kind, format!("{at} {text}")));
        for layout in [Layout::Plain, Layout::Structured] {
            let error = refused_whole(VALUES, layout, &datum);
            assert_eq!((error.detail().copied(), error.to_string()), (kind, format!("{at} {text}")));
        }
    }
}

/// A block whose writer gives a wrong number of bytes for its items: everything that reads the items finds it.
#[test]
fn sizes_of_blocks_that_are_not_those_of_their_items() {
    let schema = AvroSchema::parse(VALUES).unwrap();
    let more = VALUES.replace(r#""name": "s""#, r#""name": "t", "type": "int", "default": 0}, {"name": "s""#);
    let resolution = Resolution::new(&schema, &AvroSchema::parse(&more).unwrap()).unwrap();
    let item = item(b"abc", 1, &[0], &[0]);
    // Without the count before it and the end behind it.
    let item = &item[1..item.len() - 1];
    assert_eq!(item.len(), 7);
    for size in [6, 8] {
        let mut datum = Vec::new();
        write::long(&mut datum, -1);
        write::long(&mut datum, size);
        datum.extend_from_slice(item);
        datum.extend_from_slice(&[0, 0]);
        let text = format!("a block of an array or map claims to have {size} bytes, its items have 7");
        let shown = write_json(&schema, &mut DatumReader::new(&datum), &Limits::default(), &mut Vec::new());
        let resolved = resolution.apply(&mut DatumReader::new(&datum), &mut Vec::new());
        for error in [shown.unwrap_err(), resolved.unwrap_err(), refused_whole(VALUES, Layout::Plain, &datum)]
        {
            assert_eq!((error.detail(), error.what()), (Some(&Kind::Malformed), text.as_str()));
        }
        assert!(refused(VALUES, &["a[*].s"], &datum).to_string().ends_with(&text));
    }
}

/// The key of a map is compared, not looked at; where it is shown it has to be text.
#[test]
fn keys_of_maps_that_are_no_text() {
    let datum = item(b"", 1, &[0], &[2, 2, 0xff, 0, 0]);
    let schema = AvroSchema::parse(VALUES).unwrap();
    let program = KeyProgram::new(&schema, &[Key::parse("a[*].m['k']").unwrap()]).unwrap();
    program.decoder().push(&datum, Origin::record(0)).unwrap();
    let error =
        write_json(&schema, &mut DatumReader::new(&datum), &Limits::default(), &mut Vec::new()).unwrap_err();
    assert_eq!(
        (error.detail().copied(), error.to_string().as_str()),
        (
            Some(Kind::NotUtf8),
            "byte of the data 5, at a[0].m: a string of 1 byte is not UTF-8 from its byte 0"
        )
    );
}

const NODE: &str = r#"{"type": "record", "name": "node", "fields": [
    {"name": "v", "type": "int"}, {"name": "next", "type": ["null", "node"]}]}"#;

/// Returns a list of `nodes` nodes.
fn chain(nodes: usize) -> Vec<u8> {
    let mut out = [0, 2].repeat(nodes);
    out.pop();
    out.push(0);
    out
}

/// A record within itself takes a piece of the stack for each level, so that there is a bound: 1,000.
#[test]
fn data_may_be_nested_a_thousand_times_and_no_more() {
    let schema = AvroSchema::parse(NODE).unwrap();
    let program = KeyProgram::new(&schema, &[Key::parse("v").unwrap()]).unwrap();
    program.decoder().push(&chain(1000), Origin::record(0)).unwrap();
    let plan = SkipPlan::new(&schema);
    for nodes in [1, 1000] {
        let datum = chain(nodes);
        let mut reader = DatumReader::new(&datum);
        plan.skip(schema.root(), &mut reader).unwrap();
        assert!(reader.is_empty());
    }
    let error = plan.skip(schema.root(), &mut DatumReader::new(&chain(1001))).unwrap_err();
    assert_eq!(
        error.to_string(),
        "byte of the data 2000: the datum is nested in itself more than 1000 times"
    );
    let error = refused(NODE, &["v"], &chain(1002));
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    assert_eq!(
        error.to_string(),
        "x.avro, byte 100, record 8, byte of the record 2002, at next: \
         the datum is nested in itself more than 1000 times"
    );
}

#[test]
fn json_takes_as_much_nesting_as_the_limits_say() {
    let schema = AvroSchema::parse(NODE).unwrap();
    let show = |nodes: usize, nesting: u32| {
        let limits = Limits::default().nesting(nesting);
        write_json(&schema, &mut DatumReader::new(&chain(nodes)), &limits, &mut Vec::new())
    };
    show(100, 100).unwrap();
    show(1000, 5000).unwrap();
    for (nodes, nesting) in [(101, 100), (1001, 5000)] {
        let error = show(nodes, nesting).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
        assert_eq!(
            (error.what(), error.hint()),
            (
                "the datum is nested more deeply than Limits::nesting",
                Some("raise the limit if this is meant")
            )
        );
    }
}

#[test]
fn a_key_reaches_deeper_than_what_is_passed_over() {
    // Each level of the key is a level of the data.
    let key = format!("{}v", "next.".repeat(60));
    let program = KeyProgram::new(&AvroSchema::parse(NODE).unwrap(), &[Key::parse(&key).unwrap()]).unwrap();
    let mut decoder = program.decoder();
    decoder.push(&chain(61), Origin::record(0)).unwrap();
    decoder.push(&chain(1059), Origin::record(1)).unwrap();
    assert_eq!(decoder.flush().unwrap().num_rows(), 2);
}
