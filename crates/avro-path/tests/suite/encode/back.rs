//! Columns that are written and read back unchanged.

use std::sync::Arc;

use arrow_array::builder::{FixedSizeBinaryBuilder, Int32Builder, ListBuilder};
use arrow_array::types::IntervalMonthDayNano;
use arrow_array::*;
use arrow_buffer::i256;
use avro_path::encode::EncodePlan;

use crate::encode::test_data::{batch, container, decoded};

#[test]
fn columns_come_back_with_their_types() {
    let mut fixed = FixedSizeBinaryBuilder::new(2);
    fixed.append_value(b"ab").unwrap();
    fixed.append_null();
    let mut lists = ListBuilder::new(Int32Builder::new());
    lists.append_value([Some(1), None]);
    lists.append_value([]);
    let interval = IntervalMonthDayNano::new(1, 2, 3_000_000);
    let columns: [(&str, ArrayRef); 17] = [
        ("boolean?", Arc::new(BooleanArray::from(vec![Some(true), None]))),
        ("int", Arc::new(Int32Array::from(vec![1, -1]))),
        ("long?", Arc::new(Int64Array::from(vec![None, Some(i64::MIN)]))),
        ("float?", Arc::new(Float32Array::from(vec![Some(0.5), None]))),
        ("double", Arc::new(Float64Array::from(vec![0.1, -0.0]))),
        ("string?", Arc::new(StringArray::from(vec![Some(""), None]))),
        ("binary?", Arc::new(BinaryArray::from(vec![Some(&b"\xff"[..]), None]))),
        ("fixed?", Arc::new(fixed.finish())),
        (
            "decimal?",
            Arc::new(Decimal128Array::from(vec![Some(-130), None]).with_precision_and_scale(10, 2).unwrap()),
        ),
        (
            "wide",
            Arc::new(
                Decimal256Array::from(vec![i256::from(5), i256::from(-1_000_000)])
                    .with_precision_and_scale(76, 3)
                    .unwrap(),
            ),
        ),
        ("date?", Arc::new(Date32Array::from(vec![Some(-1), None]))),
        ("millis", Arc::new(Time32MillisecondArray::from(vec![1, 86_399_999]))),
        ("micros", Arc::new(Time64MicrosecondArray::from(vec![1, 2]))),
        ("at?", Arc::new(TimestampMicrosecondArray::from(vec![Some(3), None]).with_timezone("+00:00"))),
        ("local", Arc::new(TimestampNanosecondArray::from(vec![3, 4]))),
        ("interval?", Arc::new(IntervalMonthDayNanoArray::from(vec![Some(interval), None]))),
        ("list", Arc::new(lists.finish())),
    ];
    let all = batch(columns);
    let plan = EncodePlan::builder(&all.schema()).build().unwrap();
    let found = decoded(&container(&plan, &all).unwrap());
    for (field, column) in all.schema().fields().iter().zip(all.columns()) {
        assert_eq!(found.column_by_name(field.name()).unwrap(), column, "{field}");
    }
    assert_eq!(found.num_columns(), all.num_columns());
}
