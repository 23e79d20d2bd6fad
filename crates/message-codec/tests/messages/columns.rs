//! Projections, and fields that the descriptor does not have.

use message_codec::{ColumnPath, Limits};

use crate::render::text;
use crate::test_data::{builder, decode, plain};

const SOURCE: &str = r#"syntax = "proto3";
    message Deep { string x = 1; int32 y = 2; }
    message In { Deep deep = 1; int32 n = 2; }
    message M { repeated In in = 1; string s = 2; map<string, Deep> m = 3; }"#;

/// One `in`, with a string that is not UTF-8 in x.
const RECORD: &[u8] = b"\x0a\x09\x0a\x05\x0a\x01\xff\x10\x03\x10\x04\x12\x01s\x1a\x03\x0a\x01k";

#[test]
fn only_what_is_asked_for_is_read() {
    let some = |columns: &[&[&str]]| {
        let columns = columns.iter().map(|steps| ColumnPath::new(steps.iter().copied()));
        decode(plain(SOURCE).columns(columns), &[RECORD]).map(|batch| text(&batch))
    };
    assert_eq!(some(&[&["s"]]).unwrap(), "{s: \"s\"}");
    assert_eq!(some(&[&["in", "deep", "y"]]).unwrap(), "{in: [{deep: {y: 3}}]}");
    assert_eq!(
        some(&[&["m"], &["in", "n"]]).unwrap(),
        "{in: [{n: 4}], m: [{key: \"k\", value: {x: \"\", y: 0}}]}"
    );
    assert_eq!(some(&[]).unwrap(), "{}");
    let error = |columns| some(columns).unwrap_err().to_string();
    assert!(error(&[&["in"]]).contains("UTF-8"));
    assert_eq!(error(&[&["ni"]]), "there is no column \"ni\"; the columns are \"in\", \"s\", \"m\"");
    assert_eq!(error(&[&["in", "depe"]]), "in has no field \"depe\"; did you mean \"deep\"?");
    assert_eq!(error(&[&["s", "x"]]), "s has no fields to choose from");
    assert_eq!(
        error(&[&["m", "value"]]),
        "m has no fields to choose from; a map is read as a whole in the plain layout"
    );
    let values = ColumnPath::new(["m", "value", "y"]);
    assert_eq!(
        text(&decode(builder(SOURCE).columns([values]), &[RECORD]).unwrap()),
        "{m: [{value: [{y: [0]}]}]}"
    );
}

#[test]
fn columns_keep_the_order_of_the_descriptor() {
    let plan = plain(SOURCE).columns(["s", "in"]).build().unwrap();
    let names = plan.schema().fields().iter().map(|field| field.name().as_str()).collect::<Vec<_>>();
    assert_eq!(names, ["in", "s"]);
}

#[test]
fn unknown_fields_are_passed_over_or_kept() {
    let source = r#"syntax = "proto3"; message In { int32 a = 1; } message M { In in = 1; int32 b = 2; }"#;
    let record = b"\x18\x05\x0a\x05\x08\x01\x12\x01z\x10\x07\x23\x08\x01\x24";
    assert_eq!(text(&decode(plain(source), &[record]).unwrap()), "{b: 7, in: {a: 1}}");
    let kept = |builder: message_codec::MessagePlanBuilder| {
        text(&decode(builder.unknown_fields("rest"), &[record, b""]).unwrap())
    };
    assert_eq!(
        kept(plain(source)),
        "{b: 7, in: {a: 1, rest: b\"\\x12\\x01z\"}, rest: b\"\\x18\\x05#\\x08\\x01$\"}\n{b: 0, in: null, rest: null}"
    );
    assert_eq!(
        kept(builder(source)),
        "{b: [7], in: [{a: [1], rest: [b\"\\x12\\x01z\"]}], rest: [b\"\\x18\\x05#\\x08\\x01$\"]}\n\
         {b: [0], in: null, rest: null}"
    );
    assert_eq!(kept(plain(source).columns(["rest"])), "{rest: b\"\\x18\\x05#\\x08\\x01$\"}\n{rest: null}");
    let error = plain(source).unknown_fields("b").build().unwrap_err();
    assert_eq!(
        error.to_string(),
        "M has a field \"b\" itself; give the column of unknown fields another name"
    );
}

#[test]
fn limits_hold() {
    let build = |limits| plain(SOURCE).limits(limits).build().unwrap_err().to_string();
    assert_eq!(
        build(Limits::default().columns(5)),
        "M has more than 5 columns, all levels counted; choose some columns, or raise `Limits::columns`"
    );
    assert_eq!(
        build(Limits::default().nesting(1)),
        "at in.deep: M has messages in messages more than 1 deep; choose some columns"
    );
    let record = |limits| decode(plain(SOURCE).limits(limits), &[RECORD]).unwrap_err().to_string();
    assert_eq!(
        record(Limits::default().record_bytes(3)),
        "record 0: the record has 19 bytes, 3 are allowed; raise `Limits::record_bytes`; a protobuf message has at most \
         2147483647"
    );
    let large =
        decode(plain(SOURCE).limits(Limits::default().batch_bytes(60)), &[b"\x0a\x00\x0a\x00\x0a\x00"]);
    assert_eq!(
        large.unwrap_err().to_string(),
        "record 0, at in: the batch would have more than 60 bytes; read fewer rows a batch, or raise \
         `Limits::batch_bytes`; 32-bit offsets allow 2 GiB"
    );
    let many =
        decode(plain(SOURCE).limits(Limits::default().list_items(3)), &[b"\x0a\x00\x0a\x00\x0a\x00\x0a\x00"]);
    assert_eq!(
        many.unwrap_err().to_string(),
        "record 0, at in: the record has more than 3 values in lists; raise `Limits::list_items`"
    );
    let packed = r#"syntax = "proto3"; message M { repeated bool b = 1; }"#;
    let many = decode(plain(packed).limits(Limits::default().list_items(3)), &[b"\x0a\x04\x00\x00\x00\x00"]);
    assert_eq!(
        many.unwrap_err().to_string(),
        "record 0, at b: the record has more than 3 values in lists; raise `Limits::list_items`"
    );
    // Messages without fields take room, too.
    let empty = r#"syntax = "proto3"; message E {} message M { repeated E e = 1; }"#;
    let large = decode(plain(empty).limits(Limits::default().batch_bytes(20)), &[&b"\x0a\x00".repeat(20)]);
    assert_eq!(
        large.unwrap_err().to_string(),
        "record 0, at e: the batch would have more than 20 bytes; read fewer rows a batch, or raise \
         `Limits::batch_bytes`; 32-bit offsets allow 2 GiB"
    );
}

#[test]
fn names_and_paths_of_columns_are_bounded() {
    let fields = (1..=300).map(|number| format!("optional int32 f{number} = {number};")).collect::<String>();
    let long = "n".repeat(2000);
    let inner = (1..=300).map(|number| format!("optional A {long}{number} = {number};")).collect::<String>();
    let source = format!(
        "syntax = \"proto2\"; message T {{ {fields} }} message A {{ optional T {long} = 1; }} \
         message M {{ {inner} optional T t = 1000; }}"
    );
    let error = plain(&source).build().unwrap_err();
    let error = error.to_string();
    assert!(
        error.ends_with(
            "M has columns whose names, paths and defaults take more than 256 MiB; choose some columns"
        ),
        "{}",
        error.len()
    );
    assert_eq!(plain(&source).columns(["t"]).build().unwrap().schema().fields().len(), 1);
}

#[test]
fn a_null_does_not_take_the_room_of_a_default() {
    let long = "d".repeat(1000);
    let source =
        format!("syntax = \"proto2\"; message M {{ optional string s = 1 [default = \"{long}\"]; }}");
    let bounded = |fills| plain(&source).defaults(fills).limits(Limits::default().batch_bytes(500));
    assert_eq!(
        text(&decode(bounded(false), &[b"", b"\x0a\x01x", b""]).unwrap()),
        "{s: null}\n{s: \"x\"}\n{s: null}"
    );
    assert!(decode(bounded(true), &[b""]).is_err());
}
