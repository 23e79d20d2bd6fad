//! Errors of columns that cannot be written: the position, and the advice.

use std::sync::Arc;

use arrow_array::builder::{Int64Builder, ListBuilder, MapBuilder, StringBuilder, UInt64Builder};
use arrow_array::types::{IntervalDayTime, IntervalMonthDayNano};
use arrow_array::*;
use arrow_schema::{DataType, Field, Schema as ArrowSchema, UnionFields, UnionMode};
use avro_path::encode::EncodePlan;
use avro_path::{ErrorKind, Kind};

use crate::encode::test_data::{batch, rows_with};

fn plan(fields: Vec<Field>) -> avro_path::Result<EncodePlan> {
    EncodePlan::builder(&ArrowSchema::new(fields)).build()
}

#[test]
fn types_without_a_form_are_named_with_their_column() {
    let union = UnionFields::try_new([0], [Field::new("a", DataType::Int32, true)]).unwrap();
    let union = DataType::Union(union, UnionMode::Sparse);
    let list = DataType::new_list(union.clone(), true);
    let inner = DataType::Struct(vec![Field::new("y", list, true)].into());
    let error = plan(vec![Field::new("x", inner, true)]).unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::ValueMismatch));
    let text = format!(
        "at x.y[*]: the column has the type {union}, which has no form in Avro; cast the column, or leave it out"
    );
    assert_eq!(error.to_string(), text);

    for (precision, scale) in [(5, -2), (2, 3)] {
        let error = plan(vec![Field::new("d", DataType::Decimal128(precision, scale), true)]).unwrap_err();
        let text = format!(
            "at d: the column has the type Decimal128({precision}, {scale}), and Avro's decimals a scale from 0 to \
             the precision; cast the column"
        );
        assert_eq!(error.to_string(), text);
    }
}

#[test]
fn types_nested_too_deeply_are_an_error() {
    let deep = (0..200).fold(DataType::Int32, |below, _| DataType::new_list(below, true));
    let error = plan(vec![Field::new("x", deep, true)]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
}

/// Asserts the error of a row, after which nothing is left of the row.
#[track_caller]
fn refused(array: ArrayRef, row: usize, text: &str) {
    let batch =
        batch([("before", Arc::new(StringArray::from(vec!["text"; array.len()])) as ArrayRef), ("x", array)]);
    let plan = EncodePlan::builder(&batch.schema()).build().unwrap();
    let rows = plan.rows(&batch).unwrap();
    let mut out = b"what was there".to_vec();
    for good in 0..row {
        rows.append(good, &mut out).unwrap();
    }
    let length = out.len();
    let error = rows.append(row, &mut out).unwrap_err();
    assert_eq!((error.detail(), error.to_string().as_str()), (Some(&Kind::ValueMismatch), text));
    assert_eq!(out.len(), length);
}

#[test]
fn integers_too_large() {
    refused(
        Arc::new(UInt64Array::from(vec![1, u64::MAX])),
        1,
        "record 1, at x: the value 18446744073709551615 is more than a long of Avro can hold; \
         cast the column to a decimal",
    );
    let mut lists = ListBuilder::new(UInt64Builder::new());
    lists.append_value([Some(1), Some(1 << 63)]);
    refused(
        Arc::new(lists.finish()),
        0,
        "record 0, at x[1]: the value 9223372036854775808 is more than a long of Avro can hold; \
         cast the column to a decimal",
    );
}

#[test]
fn times_too_large() {
    refused(
        Arc::new(TimestampSecondArray::from(vec![0, i64::MAX])),
        1,
        "record 1, at x: the time 9223372036854775807 is out of the range of Avro's logical type; \
         cast the column, or leave it out",
    );
    // Its milliseconds have more than the 32 bits of an int.
    refused(
        Arc::new(Time32SecondArray::from(vec![86_399, -1, 2_147_484])),
        2,
        "record 2, at x: the time 2147484 is out of the range of Avro's logical type; cast the column, or leave it out",
    );
}

#[test]
fn intervals_that_are_no_durations() {
    let text = |row: usize, interval: &str| {
        format!(
            "record {row}, at x: the interval of {interval} is not a duration of Avro, which has whole milliseconds and \
             nothing negative; leave the column out, or write another format"
        )
    };
    refused(
        Arc::new(IntervalYearMonthArray::from(vec![1, -1])),
        1,
        &text(1, "-1 months, 0 days and 0 nanoseconds"),
    );
    let days = IntervalDayTimeArray::from(vec![IntervalDayTime::new(0, -1)]);
    refused(Arc::new(days), 0, &text(0, "0 months, 0 days and -1000000 nanoseconds"));
    let nanos = IntervalMonthDayNanoArray::from(vec![IntervalMonthDayNano::new(0, 1, 1)]);
    refused(Arc::new(nanos), 0, &text(0, "0 months, 1 day and 1 nanosecond"));
    let long = IntervalMonthDayNanoArray::from(vec![IntervalMonthDayNano::new(0, 0, 1_000_000 << 33)]);
    refused(Arc::new(long), 0, &text(0, "0 months, 0 days and 8589934592000000 nanoseconds"));
}

#[test]
fn nulls_where_the_type_has_none() {
    let numbers = batch([("x?", Arc::new(Int32Array::from(vec![Some(1), None])) as ArrayRef)]);
    let schema = r#"{"type": "record", "name": "r", "fields": [{"name": "x", "type": "int"}]}"#;
    let error = rows_with(&numbers, schema).unwrap_err();
    assert_eq!(
        error.to_string(),
        "record 1, at x: the value is null, and the Avro type is not a union with null; \
         fill the nulls, or make the type a union with null"
    );
    let mut maps = MapBuilder::new(None, StringBuilder::new(), Int64Builder::new());
    maps.keys().append_value("k");
    maps.values().append_null();
    maps.append(true).unwrap();
    let maps = batch([("x", Arc::new(maps.finish()) as ArrayRef)]);
    let schema = r#"{"type": "record", "name": "r", "fields": [{"name": "x", "type": {"type": "map", "values": "long"}}]}"#;
    let error = rows_with(&maps, schema).unwrap_err();
    assert_eq!(error.position().path.as_deref(), Some("x[\"k\"]"));
}

#[test]
fn batches_of_another_schema() {
    let plan = plan(vec![Field::new("x", DataType::Int32, true)]).unwrap();
    for (other, text) in [
        (
            batch([("x", Arc::new(Int64Array::from(vec![1])) as ArrayRef)]),
            "at x: the batch has \"x\" of the type Int64 here, the plan \"x\" of the type Int32; \
             make a plan for this batch",
        ),
        (
            batch([("y", Arc::new(Int32Array::from(vec![1])) as ArrayRef)]),
            "at x: the batch has \"y\" of the type Int32 here, the plan \"x\" of the type Int32; \
             make a plan for this batch",
        ),
        (
            batch([
                ("x", Arc::new(Int32Array::from(vec![1])) as ArrayRef),
                ("y", Arc::new(Int32Array::from(vec![1]))),
            ]),
            "the batch has 2 columns, the plan 1; make a plan for this batch",
        ),
    ] {
        let error = plan.rows(&other).unwrap_err();
        assert_eq!((error.detail(), error.to_string().as_str()), (Some(&Kind::ValueMismatch), text));
    }
    let one = batch([("x", Arc::new(Int32Array::from(vec![1])) as ArrayRef)]);
    let error = plan.rows(&one).unwrap().append(1, &mut Vec::new()).unwrap_err();
    assert_eq!(error.to_string(), "the batch has 1 row, and row 1 is asked for");
}
