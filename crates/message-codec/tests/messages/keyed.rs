//! Maps that come as structs of their keys.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{ArrayRef, Float64Array, Int64Array, NullArray, StringArray, StructArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{Field, Fields};

use crate::test_data;

const SOURCE: &str = r#"syntax = "proto3";
    message In { optional int32 a = 1; map<bool, double> deep = 2; }
    message M {
        map<string, int32> texts = 1;
        map<sint64, string> numbers = 2;
        map<fixed32, In> messages = 3;
    }"#;

fn structs(rows: usize, fields: Vec<(&str, ArrayRef)>) -> ArrayRef {
    let names = fields.iter().map(|(name, array)| Field::new(*name, array.data_type().clone(), true));
    let names = names.collect::<Fields>();
    let arrays = fields.into_iter().map(|(_, array)| array).collect();
    Arc::new(StructArray::try_new_with_length(names, arrays, None, rows).unwrap())
}

fn numbers(values: &[Option<i64>]) -> ArrayRef {
    Arc::new(Int64Array::from(values.to_vec()))
}

fn texts(values: &[Option<&str>]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

fn encode(columns: Vec<(&str, ArrayRef)>) -> Result<Vec<Vec<u8>>, message_codec::Error> {
    test_data::encode(SOURCE, columns)
}

#[test]
fn each_key_is_an_entry_where_it_has_a_value() {
    let map = structs(
        3,
        vec![
            ("a", numbers(&[Some(1), None, Some(0)])),
            ("", numbers(&[None, None, Some(300)])),
            ("never", Arc::new(NullArray::new(3))),
        ],
    );
    // An entry has its value also where that is a default.
    let last = b"\x0a\x05\x0a\x01a\x10\x00\x0a\x05\x0a\x00\x10\xac\x02".to_vec();
    assert_eq!(
        encode(vec![("texts", map)]).unwrap(),
        [b"\x0a\x05\x0a\x01a\x10\x01".to_vec(), Vec::new(), last]
    );
    assert_eq!(encode(vec![("texts", structs(1, Vec::new()))]).unwrap(), [Vec::<u8>::new()]);
}

#[test]
fn keys_are_of_the_type_of_the_map() {
    let map = structs(1, vec![("-2", texts(&[Some("x")])), ("9223372036854775807", texts(&[Some("")]))]);
    let record =
        b"\x12\x05\x08\x03\x12\x01x\x12\x0d\x08\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01\x12\x00".to_vec();
    assert_eq!(encode(vec![("numbers", map)]).unwrap(), [record]);
    let error = |map, name: &str, value: ArrayRef| {
        encode(vec![(map, structs(1, vec![(name, value)]))]).unwrap_err().to_string()
    };
    for name in ["", "x", "1.0", "01", "+1", "9223372036854775808"] {
        assert_eq!(
            error("numbers", name, texts(&[Some("x")])),
            format!(
                "at numbers.{name}: the key is not one of the type of the map's; correct the key, or leave the column out"
            )
        );
    }
    assert_eq!(
        error("texts", "a", texts(&[Some("x")])),
        "at texts.a: the column has Arrow type Utf8; the field has the type int32; convert the column, or write with a \
         descriptor that it fits"
    );
    assert_eq!(
        error("texts", "a", numbers(&[Some(1 << 31)])),
        "at texts.a, row 0: the row has the value 2147483648, which the type of the field does not have; cast the column"
    );
    let twice = vec![("a", numbers(&[Some(1)])), ("a", numbers(&[Some(2)]))];
    assert_eq!(
        encode(vec![("texts", structs(1, twice))]).unwrap_err().to_string(),
        "at texts.a: the key comes twice; correct the key, or leave the column out"
    );
}

#[test]
fn maps_are_in_messages_of_maps() {
    let floats = |values: [Option<f64>; 3]| -> ArrayRef { Arc::new(Float64Array::from(values.to_vec())) };
    let deep =
        vec![("true", floats([Some(1.0), None, Some(0.5)])), ("false", floats([Some(2.0), None, None]))];
    let inner = structs(3, vec![("a", numbers(&[Some(7), None, Some(8)])), ("deep", structs(3, deep))]);
    // The second is absent, whatever its fields hold.
    let nulls = NullBuffer::from(vec![true, false, true]);
    let fields = inner.as_struct();
    let inner = StructArray::new(fields.fields().clone(), fields.columns().to_vec(), Some(nulls));
    let records = encode(vec![("messages", structs(3, vec![("4294967295", Arc::new(inner))]))]).unwrap();
    let entry = |key: u8, value: f64| [&[0x12, 11, 8, key, 0x11][..], &value.to_le_bytes()].concat();
    let record = |a: u8, deep: Vec<Vec<u8>>| {
        let inner = [vec![8, a], deep.concat()].concat();
        let entry = [&[0x0d, 255, 255, 255, 255, 0x12, inner.len() as u8][..], &inner].concat();
        [&[0x1a, entry.len() as u8][..], &entry].concat()
    };
    let first = record(7, vec![entry(1, 1.0), entry(0, 2.0)]);
    assert_eq!(records, [first, Vec::new(), record(8, vec![entry(1, 0.5)])]);
}
