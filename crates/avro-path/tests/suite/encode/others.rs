//! Containers of ours, read by another implementation.

use std::sync::Arc;

use apache_avro::types::Value;
use arrow_array::builder::{Int32Builder, ListBuilder, MapBuilder, StringBuilder};
use arrow_array::*;
use arrow_schema::{DataType, Field};
use avro_path::encode::{EncodeOptions, EncodePlan};

use crate::encode::test_data::{batch, container};

#[test]
fn apache_avro_reads_each_type() {
    let mut lists = ListBuilder::new(Int32Builder::new());
    lists.append_value([Some(1), None]);
    lists.append_null();
    let mut maps = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    maps.keys().append_value("k");
    maps.values().append_value(7);
    maps.append(true).unwrap();
    maps.append(true).unwrap();
    let inner = StructArray::from(vec![(
        Arc::new(Field::new("in side", DataType::Float64, true)),
        Arc::new(Float64Array::from(vec![Some(0.5), None])) as ArrayRef,
    )]);
    let mut fixed = builder::FixedSizeBinaryBuilder::new(3);
    fixed.append_value(b"abc").unwrap();
    fixed.append_value(b"def").unwrap();
    let decimals = Decimal128Array::from(vec![-130, 5]).with_precision_and_scale(10, 2).unwrap();
    let batch = batch([
        ("flag", Arc::new(BooleanArray::from(vec![true, false])) as ArrayRef),
        ("small", Arc::new(Int8Array::from(vec![-1, 1]))),
        ("large?", Arc::new(UInt64Array::from(vec![Some(1), None]))),
        ("real", Arc::new(Float32Array::from(vec![0.25, -1.0]))),
        ("text", Arc::new(StringViewArray::from(vec!["grün", ""]))),
        ("raw", Arc::new(BinaryArray::from(vec![&b"\xff"[..], b""]))),
        ("fixed", Arc::new(fixed.finish())),
        ("decimal", Arc::new(decimals)),
        ("day", Arc::new(Date32Array::from(vec![1, 2]))),
        ("at", Arc::new(TimestampMicrosecondArray::from(vec![3, 4]).with_timezone("UTC"))),
        ("list?", Arc::new(lists.finish())),
        ("map", Arc::new(maps.finish())),
        ("inner", Arc::new(inner)),
        ("nothing?", Arc::new(NullArray::new(2))),
    ]);
    let plan = EncodePlan::builder(&batch.schema())
        .options(EncodeOptions::default().namespace("a.b"))
        .build()
        .unwrap();
    let file = container(&plan, &batch).unwrap();
    let reader = apache_avro::Reader::new(&file[..]).unwrap();
    let records = reader.map(Result::unwrap).collect::<Vec<_>>();
    assert_eq!(records.len(), 2);

    let some = |value: Value| Value::Union(1, Box::new(value));
    let null = || Value::Union(0, Box::new(Value::Null));
    let Value::Record(first) = &records[0] else { panic!("{:?}", records[0]) };
    let expected = [
        ("flag", Value::Boolean(true)),
        ("small", Value::Int(-1)),
        ("large", some(Value::Long(1))),
        ("real", Value::Float(0.25)),
        ("text", Value::String("grün".to_owned())),
        ("raw", Value::Bytes(vec![0xff])),
        ("fixed", Value::Fixed(3, b"abc".to_vec())),
        ("decimal", Value::Decimal(apache_avro::Decimal::from(&[0xff, 0x7e]))),
        ("day", Value::Date(1)),
        ("at", Value::TimestampMicros(3)),
        ("list", some(Value::Array(vec![some(Value::Int(1)), null()]))),
        ("map", Value::Map([("k".to_owned(), some(Value::Int(7)))].into())),
        ("inner", Value::Record(vec![("in_side".to_owned(), some(Value::Double(0.5)))])),
        ("nothing", Value::Null),
    ];
    assert_eq!(*first, expected.map(|(name, value)| (name.to_owned(), value)));
    let Value::Record(second) = &records[1] else { panic!("{:?}", records[1]) };
    assert_eq!((&second[2].1, &second[10].1), (&null(), &null()));
    assert_eq!(second[11].1, Value::Map([].into()));
}
