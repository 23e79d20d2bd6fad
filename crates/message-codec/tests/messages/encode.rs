//! Rows encoded as messages, and rows that are refused.

use std::sync::Arc;

use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{
    ArrayRef, BinaryArray, Float64Array, Int32Array, Int64Array, ListArray, NullArray, RecordBatch,
    StringArray, StructArray, UInt32Array,
};
use arrow_schema::{DataType, Field, Schema};
use message_codec::{Enums, Layout, Limits, MessageEncoder, MessagePlan};

use crate::test_data::{self, decode, message};

const SOURCE: &str = r#"syntax = "proto3";
    enum Color { RED = 0; GREEN = 1; }
    message In { optional int32 a = 1; }
    message M {
        int32 n = 5;
        optional string s = 2;
        repeated int32 list = 3;
        Color color = 4;
        In in = 1;
        oneof o { int32 x = 6; string y = 7; }
        map<int32, string> map = 8;
    }"#;

fn encode(columns: Vec<(&str, ArrayRef)>) -> Result<Vec<Vec<u8>>, message_codec::Error> {
    test_data::encode(SOURCE, columns)
}

fn ints(values: &[Option<i32>]) -> ArrayRef {
    Arc::new(Int32Array::from(values.to_vec()))
}

fn texts(values: &[Option<&str>]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

fn lists(values: &[Option<&[Option<i32>]>]) -> ArrayRef {
    let lists = values.iter().map(|list| list.map(<[Option<i32>]>::to_vec));
    Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists))
}

#[test]
fn fields_are_written_in_the_order_of_their_numbers() {
    let records = encode(vec![
        ("n", ints(&[Some(-1), Some(0)])),
        ("list", lists(&[Some(&[Some(7), Some(300)]), Some(&[])])),
        ("s", texts(&[Some(""), None])),
        ("color", texts(&[Some("GREEN"), Some("9")])),
    ]);
    let first = b"\x12\x00\x1a\x03\x07\xac\x02\x20\x01\x28\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01".to_vec();
    assert_eq!(records.unwrap(), [first, b"\x20\x09".to_vec()]);
}

#[test]
fn both_layouts_come_back_the_same() {
    let record = b"\x0a\x00\x12\x01s\x1a\x02\x01\x02\x3a\x01y\x42\x05\x08\x00\x12\x01v\x42\x04\x08\x05\x12\x00\x98\x06\x01";
    for layout in [Layout::Plain, Layout::Structured] {
        let builder = || MessagePlan::builder(message(SOURCE)).layout(layout).unknown_fields("rest");
        let batch = decode(builder(), &[record, b""]).unwrap();
        let encoder = MessageEncoder::builder(message(SOURCE), batch.schema()).unknown_fields("rest").build();
        let records = encoder.unwrap().encode_to_vec(&batch).unwrap();
        assert_eq!(records, [record.to_vec(), Vec::new()]);
        let records = records.iter().map(Vec::as_slice).collect::<Vec<_>>();
        assert_eq!(decode(builder(), &records).unwrap(), batch);
    }
}

#[test]
fn long_messages_have_long_lengths() {
    let source = r#"syntax = "proto3"; message In { string a = 1; In in = 2; } message M { In in = 1; }"#;
    for length in [0, 1, 125, 126, 127, 128, 129, 16_380, 16_384, 70_000] {
        let text = "x".repeat(length);
        let text: ArrayRef = Arc::new(StringArray::from(vec![text.as_str()]));
        let field =
            |name: &str, array: &ArrayRef| Arc::new(Field::new(name, array.data_type().clone(), true));
        let inner: ArrayRef = Arc::new(StructArray::from(vec![(field("a", &text), text)]));
        let outer: ArrayRef = Arc::new(StructArray::from(vec![(field("in", &inner), inner)]));
        let schema = Arc::new(Schema::new(vec![field("in", &outer)]));
        let batch = RecordBatch::try_new(Arc::clone(&schema), vec![outer]).unwrap();
        let encoder = MessageEncoder::builder(message(source), schema).build().unwrap();
        let [record] = encoder.encode_to_vec(&batch).unwrap().try_into().unwrap();
        let plan = MessagePlan::builder(message(source)).layout(Layout::Plain).max_depth(1);
        let again = decode(plan, &[&record]).unwrap();
        let again =
            MessageEncoder::builder(message(source), again.schema()).build().unwrap().encode_to_vec(&again);
        assert_eq!(again.unwrap(), [record]);
    }
}

#[test]
fn what_a_message_cannot_hold_is_refused() {
    let error = |columns| encode(columns).unwrap_err().to_string();
    let one = || ints(&[Some(1)]);
    assert_eq!(
        error(vec![("n", ints(&[Some(1), None]))]),
        "at n, row 1: the row has a null, which would be read as the default of its type; fill it, or write with a \
         descriptor in which the field is optional"
    );
    assert_eq!(
        error(vec![("list", lists(&[None]))]),
        "at list, row 0: the row has a null, which would be read as an empty list; fill it"
    );
    assert_eq!(
        error(vec![("list", lists(&[Some(&[None])]))]),
        "at list, row 0: the row has a null in a list, which no message can hold; fill it or leave it out"
    );
    assert_eq!(
        error(vec![("n", lists(&[Some(&[Some(1), Some(2)])]))]),
        "at n, row 0: the row has a list of 2 values, and the field is singular; give one value, or null"
    );
    assert_eq!(
        error(vec![("color", texts(&[Some("GREN")]))]),
        "at color, row 0: the row has \"GREN\", which is not a value of Color; did you mean \"GREEN\"?"
    );
    assert_eq!(
        error(vec![("x", one()), ("y", texts(&[Some("")]))]),
        "row 0: \"x\" and \"y\" have values, and a oneof holds one of them"
    );
    let help = "convert the column, or write with a descriptor that it fits";
    assert_eq!(
        error(vec![("s", one())]),
        format!("at s: the column has Arrow type Int32; the field is a string; {help}")
    );
    let wide: ArrayRef = Arc::new(Int64Array::from(vec![1, 1 << 31]));
    assert_eq!(
        error(vec![("n", wide)]),
        "at n, row 1: the row has the value 2147483648, which the type of the field does not have; cast the column"
    );
    assert_eq!(
        error(vec![("n", texts(&[None]))]),
        format!("at n: the column has Arrow type Utf8; the field has the type int32; {help}")
    );
    assert_eq!(
        error(vec![("list", one())]),
        format!(
            "at list: the column has Arrow type Int32; the field is repeated, and the column has no lists; {help}"
        )
    );
    assert_eq!(
        error(vec![("in", one())]),
        format!("at in: the column has Arrow type Int32; the field is a message; {help}")
    );
    assert_eq!(
        error(vec![("lost", one())]),
        "at lost: M has no field \"lost\"; leave the column out; did you mean \"list\"?"
    );
    let nested: ArrayRef =
        Arc::new(StructArray::from(vec![(Arc::new(Field::new("b", DataType::Int32, true)), one())]));
    assert_eq!(
        error(vec![("in", nested)]),
        "at in.b: In has no field \"b\"; leave the column out; the fields are \"a\""
    );
    assert_eq!(error(vec![("n", one()), ("n", one())]), "there are two columns \"n\"");
    let source = r#"syntax = "proto2"; message M { required int32 a = 1; }"#;
    let schema = Arc::new(Schema::empty());
    assert_eq!(
        MessageEncoder::builder(message(source), schema).build().unwrap_err().to_string(),
        "M requires the field \"a\", and no column has it; write with a descriptor in which it is optional"
    );
}

#[test]
fn entries_of_maps_are_written_whole() {
    // 0 is a value of the enum, and not its default.
    let source = r#"syntax = "proto2"; enum E { ONE = 1; ZERO = 0; } message M { map<int32, E> m = 1; }"#;
    let record = b"\x0a\x04\x08\x00\x10\x00\x0a\x04\x08\x01\x10\x01";
    for (layout, enums) in [(Layout::Plain, Enums::Names), (Layout::Structured, Enums::Numbers)] {
        let builder = MessagePlan::builder(message(source)).layout(layout).enums(enums);
        let batch = decode(builder, &[record]).unwrap();
        let encoder = MessageEncoder::builder(message(source), batch.schema()).build().unwrap();
        assert_eq!(encoder.encode_to_vec(&batch).unwrap(), [record]);
    }
}

#[test]
fn entries_of_maps_have_keys() {
    let of = |count: i32| {
        let entries = StructArray::from(vec![(
            Arc::new(Field::new("value", DataType::Utf8, true)),
            texts(&vec![Some("a"); count as usize]),
        )]);
        let item = Arc::new(Field::new_list_field(arrow_array::Array::data_type(&entries).clone(), true));
        let offsets = arrow_buffer::OffsetBuffer::new(vec![0, count].into());
        let lists = ListArray::new(item, offsets, Arc::new(entries), None);
        encode(vec![("map", Arc::new(lists))])
    };
    assert_eq!(of(1).unwrap(), [b"\x42\x03\x12\x01a"]);
    assert_eq!(
        of(2).unwrap_err().to_string(),
        "at map, row 0: the row has a map of 2 entries without a column of their keys; give the entries a column \"key\""
    );
}

#[test]
fn a_key_that_comes_twice_is_refused() {
    let entries = StructArray::from(vec![
        (Arc::new(Field::new("key", DataType::Int32, true)), ints(&[Some(1), Some(0), Some(1)])),
        (Arc::new(Field::new("value", DataType::Utf8, true)), texts(&[Some("a"), Some("b"), Some("c")])),
    ]);
    let item = Arc::new(Field::new_list_field(arrow_array::Array::data_type(&entries).clone(), true));
    let offsets = arrow_buffer::OffsetBuffer::new(vec![0, 3].into());
    let lists = ListArray::new(item, offsets, Arc::new(entries), None);
    assert_eq!(
        encode(vec![("map", Arc::new(lists))]).unwrap_err().to_string(),
        "at map, row 0: the row has a map with a key that comes twice, of which the last would be read; leave one of the \
         entries out"
    );
}

#[test]
fn records_have_at_most_the_bytes_that_are_allowed() {
    let texts = texts(&[Some("short"), Some("too long")]);
    let schema = Arc::new(Schema::new(vec![Field::new("s", DataType::Utf8, true)]));
    let batch = RecordBatch::try_new(Arc::clone(&schema), vec![texts]).unwrap();
    let encoder = |most| {
        let builder = MessageEncoder::builder(message(SOURCE), Arc::clone(&schema));
        builder.limits(Limits::default().record_bytes(most)).build().unwrap()
    };
    assert_eq!(
        encoder(9).encode_to_vec(&batch).unwrap_err().to_string(),
        "at s, row 1: the record has 10 bytes with this field, 9 are allowed; raise `Limits::record_bytes`; a protobuf message \
         has at most 2147483647"
    );
    assert_eq!(encoder(10).encode_to_vec(&batch).unwrap().len(), 2);
}

#[test]
fn bytes_that_are_not_whole_fields_are_refused() {
    let source = r#"syntax = "proto2"; message M { optional group G = 1 { optional int32 a = 2; } }"#;
    let bytes = |value: &[u8]| -> ArrayRef { Arc::new(BinaryArray::from(vec![value])) };
    let encode = |name: &str, value: &[u8]| {
        let schema = Arc::new(Schema::new(vec![Field::new(name, DataType::Binary, true)]));
        let batch = RecordBatch::try_new(Arc::clone(&schema), vec![bytes(value)]).unwrap();
        let encoder =
            MessageEncoder::builder(message(source), schema).unknown_fields("rest").build().unwrap();
        encoder.encode_to_vec(&batch).map_err(|error| error.to_string())
    };
    assert_eq!(encode("g", b"\x10\x05"), Ok(vec![b"\x0b\x10\x05\x0c".to_vec()]));
    assert_eq!(encode("rest", b"\x50\x05"), Ok(vec![b"\x50\x05".to_vec()]));
    let refused = "the row has bytes that are not the fields of a message:";
    assert_eq!(encode("g", b"\x0c"), Err(format!("at g, row 0: {refused} a group ends that is not open")));
    let truncated = "the bytes end before the message does";
    assert_eq!(encode("rest", b"\x52\x05a"), Err(format!("at rest, row 0: {refused} {truncated}")));
}

#[test]
fn numbers_of_another_type_are_written_if_they_fit() {
    let source = r#"syntax = "proto2"; enum E { A = 0; } message M {
        optional double d = 1; optional float f = 2; optional sint32 s = 3; repeated fixed32 l = 4; optional E e = 5;
        optional uint64 u = 6; optional bytes b = 7; optional string absent = 8; }"#;
    let encode = |columns: Vec<(&str, ArrayRef)>| {
        test_data::encode(source, columns).map_err(|error| error.to_string())
    };
    let long = |value: i64| -> ArrayRef { Arc::new(Int64Array::from(vec![value])) };
    let float = |value: f64| -> ArrayRef { Arc::new(Float64Array::from(vec![value])) };
    let lists = |values: &[Option<i64>]| -> ArrayRef {
        Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>([Some(values.to_vec())]))
    };
    let nulls: ArrayRef = Arc::new(NullArray::new(1));
    let record = encode(vec![
        ("d", long(3)),
        ("f", float(-0.5)),
        ("s", long(-2)),
        ("l", lists(&[Some(1), Some(4_294_967_295)])),
        ("e", long(7)),
        ("u", Arc::new(UInt32Array::from(vec![9]))),
        ("b", texts(&[Some("x")])),
        ("absent", nulls),
    ]);
    let wanted = [
        b"\x09\0\0\0\0\0\0\x08\x40".as_slice(),
        b"\x15\0\0\0\xbf\x18\x03\x25\x01\0\0\0\x25\xff\xff\xff\xff\x28\x07\x30\x09\x3a\x01x",
    ];
    assert_eq!(record, Ok(vec![wanted.concat()]));
    let refused = |name: &str, value: ArrayRef, what: &str| {
        let error = encode(vec![(name, value)]).unwrap_err();
        let has = format!("row 0: the row has the value {what}, which the type of the field does not have");
        assert!(error.contains(&has), "{error}");
    };
    refused("f", float(0.123_456_789), "0.123456789");
    refused("f", float(1e300), "1e300");
    assert_eq!(
        encode(vec![("f", float(0.1))]),
        Ok(vec![[b"\x15".as_slice(), &0.1f32.to_le_bytes()].concat()])
    );
    refused("f", long((1 << 24) + 1), "16777217");
    refused("d", long((1 << 53) + 1), "9007199254740993");
    refused("s", float(1.0), "1.0");
    refused("u", long(-1), "-1");
    refused("l", lists(&[Some(-1)]), "-1");
    refused("e", long(1 << 40), "1099511627776");
}
