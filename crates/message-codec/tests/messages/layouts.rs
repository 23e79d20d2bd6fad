//! Arrow types and values of both layouts.

use message_codec::{Enums, MessagePlanBuilder};

use crate::render::text;
use crate::test_data::{builder, decode, plain};

const SOURCE: &str = r#"
    syntax = "proto3";
    enum Color { RED = 0; GREEN = 1; }
    message Inner { int32 a = 1; optional string b = 2; }
    message M {
        int64 id = 1;
        optional double score = 2;
        repeated sint32 steps = 3;
        Inner inner = 4;
        repeated Inner inners = 5;
        map<string, Inner> by_name = 6;
        oneof choice { bool yes = 7; bytes raw = 8; }
        Color color = 9;
        repeated Color colors = 10;
    }"#;

/// id 7, steps 1 and -1, inner without a, two inners, one entry, raw "x", colors GREEN and 9.
const FULL: &[u8] =
    b"\x08\x07\x1a\x02\x02\x01\x22\x00\x2a\x02\x08\x05\x2a\x03\x12\x01b\x32\x07\x0a\x01k\x12\x02\x08\x03\
                      \x42\x01x\x52\x02\x01\x09";

fn types(builder: MessagePlanBuilder) -> String {
    let plan = builder.build().unwrap();
    let fields = plan.schema().fields().iter();
    let fields = fields.map(|field| {
        let null = if field.is_nullable() { "" } else { ", not null" };
        format!("{}: {}{null}", field.name(), field.data_type())
    });
    fields.collect::<Vec<_>>().join("\n")
}

#[test]
fn structured_columns_are_lists() {
    assert_eq!(
        types(builder(SOURCE).large_offsets(false)),
        "id: List(Int64)\n\
         score: List(Float64)\n\
         steps: List(Int32)\n\
         inner: List(Struct(\"a\": List(Int32), \"b\": List(Utf8)))\n\
         inners: List(Struct(\"a\": List(Int32), \"b\": List(Utf8)))\n\
         by_name: List(Struct(\"key\": List(Utf8), \"value\": List(Struct(\"a\": List(Int32), \"b\": List(Utf8)))))\n\
         yes: List(Boolean)\n\
         raw: List(Binary)\n\
         color: List(Utf8)\n\
         colors: List(Utf8)"
    );
    let batch = decode(builder(SOURCE), &[FULL, b""]).unwrap();
    assert_eq!(
        text(&batch),
        "{by_name: [{key: [\"k\"], value: [{a: [3], b: null}]}], color: [\"RED\"], colors: [\"GREEN\" \"9\"], id: [7], \
         inner: [{a: [0], b: null}], inners: [{a: [5], b: null} {a: [0], b: [\"b\"]}], raw: [b\"x\"], score: null, \
         steps: [1 -1], yes: null}\n\
         {by_name: [], color: [\"RED\"], colors: [], id: [0], inner: null, inners: [], raw: null, score: null, steps: [], \
         yes: null}"
    );
}

#[test]
fn plain_columns_are_those_of_a_table() {
    assert_eq!(
        types(plain(SOURCE).enums(Enums::Numbers)),
        "id: Int64, not null\n\
         score: Float64\n\
         steps: LargeList(non-null Int32), not null\n\
         inner: Struct(\"a\": non-null Int32, \"b\": LargeUtf8)\n\
         inners: LargeList(non-null Struct(\"a\": non-null Int32, \"b\": LargeUtf8)), not null\n\
         by_name: Map(\"entries\": non-null Struct(\"key\": non-null LargeUtf8, \"value\": non-null Struct(\"a\": non-null \
         Int32, \"b\": LargeUtf8)), unsorted), not null\n\
         yes: Boolean\n\
         raw: LargeBinary\n\
         color: Int32, not null\n\
         colors: LargeList(non-null Int32), not null"
    );
    let batch = decode(plain(SOURCE).enums(Enums::Numbers), &[FULL, b""]).unwrap();
    assert_eq!(
        text(&batch),
        "{by_name: [{key: \"k\", value: {a: 3, b: null}}], color: 0, colors: [1 9], id: 7, inner: {a: 0, b: null}, \
         inners: [{a: 5, b: null} {a: 0, b: \"b\"}], raw: b\"x\", score: null, steps: [1 -1], yes: null}\n\
         {by_name: [], color: 0, colors: [], id: 0, inner: null, inners: [], raw: null, score: null, steps: [], yes: null}"
    );
}

#[test]
fn proto2_keeps_presence_and_fills_defaults_on_demand() {
    let source = r#"
        syntax = "proto2";
        enum E { A = 3; B = 4; }
        message M {
            optional int32 n = 1 [default = -5];
            optional string s = 2 [default = "none"];
            optional bytes b = 3 [default = "\001\xff\n"];
            optional E e = 4 [default = B];
            optional E first = 5;
            optional float f = 6 [default = inf];
            optional bool t = 7 [default = true];
            optional uint64 u = 8;
            oneof o { int32 x = 9 [default = 2]; }
            optional group G = 10 { optional sint64 z = 1; }
        }"#;
    let none =
        "{b: null, e: null, f: null, first: null, g: null, n: null, s: null, t: null, u: null, x: null}";
    assert_eq!(text(&decode(plain(source), &[b""]).unwrap()), none);
    assert_eq!(text(&decode(builder(source), &[b""]).unwrap()), none);
    assert_eq!(
        text(&decode(plain(source).defaults(true), &[b""]).unwrap()),
        "{b: b\"\\x01\\xff\\n\", e: \"B\", f: inf, first: \"A\", g: null, n: -5, s: \"none\", t: true, u: 0, x: null}"
    );
    assert_eq!(
        text(&decode(builder(source).defaults(true).enums(Enums::Numbers), &[b"\x53\x08\x03\x54"]).unwrap()),
        "{b: [b\"\\x01\\xff\\n\"], e: [4], f: [inf], first: [3], g: [{z: [-2]}], n: [-5], s: [\"none\"], t: [true], u: [0], \
         x: null}"
    );
}

#[test]
fn a_message_within_itself_is_bytes_from_the_stated_depth_on() {
    let source = r#"syntax = "proto3"; message M { int32 v = 1; M left = 2; repeated M more = 3; }"#;
    let record = b"\x08\x01\x12\x06\x08\x02\x12\x02\x08\x03\x1a\x00\x12\x02\x1a\x00";
    assert_eq!(
        text(&decode(plain(source), &[record]).unwrap()),
        "{left: b\"\\x08\\x02\\x12\\x02\\x08\\x03\\x1a\\x00\", more: [b\"\"], v: 1}"
    );
    assert_eq!(
        text(&decode(plain(source).max_depth(1), &[record]).unwrap()),
        "{left: {left: b\"\\x08\\x03\", more: [b\"\"], v: 2}, more: [{left: null, more: [], v: 0}], v: 1}"
    );
}
