//! Each Arrow type: the Avro type and the values.

use std::sync::Arc;

use arrow_array::builder::{
    BinaryViewBuilder, FixedSizeBinaryBuilder, Int32Builder, Int64Builder, MapBuilder, StringBuilder,
};
use arrow_array::types::{Float16Type, Int8Type, Int32Type, IntervalDayTime, IntervalMonthDayNano};
use arrow_array::*;
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer, i256};
use arrow_schema::{DataType, Field, Schema as ArrowSchema};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::encode::test_data::{batch, derived, rows};

/// Asserts that a column that is not nullable becomes this type and these values; a nullable one the union with null,
/// and nulls where the column has them.
#[track_caller]
fn check(array: impl Array + 'static, ty: Value, values: &[Value]) {
    let array: ArrayRef = Arc::new(array);
    let plain = batch([("x", Arc::clone(&array))]);
    assert_eq!(derived(&plain)["fields"][0]["type"], ty);
    let found = rows(&plain).iter().map(|row| row["x"].clone()).collect::<Vec<_>>();
    assert_eq!(found, values);

    // Nullable, whole and sliced.
    let nullable = batch([("x?", Arc::clone(&array))]);
    let field = derived(&nullable)["fields"][0].clone();
    assert_eq!((&field["type"], field.get("default")), (&json!(["null", ty]), Some(&Value::Null)));
    let found = rows(&nullable).iter().map(|row| row["x"].clone()).collect::<Vec<_>>();
    assert_eq!(found, values);
    let found = rows(&nullable.slice(1, nullable.num_rows() - 1));
    assert_eq!(found.iter().map(|row| row["x"].clone()).collect::<Vec<_>>(), values[1..]);
}

fn logical(ty: &str, logical: &str) -> Value {
    json!({"type": ty, "logicalType": logical})
}

fn bytes(bytes: &[u8]) -> Value {
    json!({"base64": STANDARD.encode(bytes)})
}

#[test]
fn null() {
    let batch = batch([("x?", Arc::new(NullArray::new(2)) as ArrayRef)]);
    assert_eq!(derived(&batch)["fields"][0], json!({"name": "x", "type": "null", "default": null}));
    assert_eq!(rows(&batch), [json!({"x": null}), json!({"x": null})]);
}

#[test]
fn boolean() {
    check(
        BooleanArray::from(vec![true, false, true]),
        json!("boolean"),
        &[json!(true), json!(false), json!(true)],
    );
}

#[test]
fn integers() {
    check(Int8Array::from(vec![i8::MIN, 0, i8::MAX]), json!("int"), &[json!(-128), json!(0), json!(127)]);
    check(Int16Array::from(vec![i16::MIN, 5]), json!("int"), &[json!(i16::MIN), json!(5)]);
    check(Int32Array::from(vec![i32::MIN, i32::MAX]), json!("int"), &[json!(i32::MIN), json!(i32::MAX)]);
    check(UInt8Array::from(vec![0, 255]), json!("int"), &[json!(0), json!(255)]);
    check(UInt16Array::from(vec![0, u16::MAX]), json!("int"), &[json!(0), json!(u16::MAX)]);
    check(Int64Array::from(vec![i64::MIN, i64::MAX]), json!("long"), &[json!(i64::MIN), json!(i64::MAX)]);
    check(UInt32Array::from(vec![0, u32::MAX]), json!("long"), &[json!(0), json!(u32::MAX)]);
    check(UInt64Array::from(vec![0, i64::MAX as u64]), json!("long"), &[json!(0), json!(i64::MAX)]);
}

#[test]
fn floats() {
    let half = |value: f32| <Float16Type as ArrowPrimitiveType>::Native::from_f32(value);
    check(Float16Array::from(vec![half(0.5), half(-2.0)]), json!("float"), &[json!(0.5), json!(-2.0)]);
    check(Float32Array::from(vec![0.25, f32::NAN]), json!("float"), &[json!(0.25), json!("NaN")]);
    check(
        Float64Array::from(vec![0.1, f64::NEG_INFINITY]),
        json!("double"),
        &[json!(0.1), json!("-Infinity")],
    );
}

#[test]
fn strings_and_binary() {
    let texts = ["", "grün", "a text that is longer than a view holds"];
    let shown = texts.map(Value::from);
    check(StringArray::from(texts.to_vec()), json!("string"), &shown);
    check(LargeStringArray::from(texts.to_vec()), json!("string"), &shown);
    check(StringViewArray::from(texts.to_vec()), json!("string"), &shown);
    let raw: [&[u8]; 3] = [b"", b"\xff\0", b"more bytes than a view holds in itself"];
    let shown = raw.map(bytes);
    check(BinaryArray::from(raw.to_vec()), json!("bytes"), &shown);
    check(LargeBinaryArray::from(raw.to_vec()), json!("bytes"), &shown);
    let mut views = BinaryViewBuilder::new();
    raw.iter().for_each(|bytes| views.append_value(bytes));
    check(views.finish(), json!("bytes"), &shown);
}

#[test]
fn fixed_binary() {
    let mut fixed = FixedSizeBinaryBuilder::new(2);
    fixed.append_value(b"ab").unwrap();
    fixed.append_value(b"\0\xff").unwrap();
    let ty = json!({"type": "fixed", "name": "row_x", "size": 2});
    check(fixed.finish(), ty, &[bytes(b"ab"), bytes(b"\0\xff")]);
}

#[test]
fn a_uuid_is_one_by_the_extension_of_its_column() {
    let mut uuids = FixedSizeBinaryBuilder::new(16);
    uuids.append_value([7; 16]).unwrap();
    let field = Field::new("x", DataType::FixedSizeBinary(16), false)
        .with_metadata([("ARROW:extension:name".to_owned(), "arrow.uuid".to_owned())].into());
    let batch = RecordBatch::try_new(Arc::new(ArrowSchema::new(vec![field])), vec![Arc::new(uuids.finish())])
        .unwrap();
    let ty = json!({"type": "fixed", "name": "row_x", "size": 16, "logicalType": "uuid"});
    assert_eq!(derived(&batch)["fields"][0]["type"], ty);
    assert_eq!(rows(&batch)[0]["x"], bytes(&[7; 16]));
}

#[test]
fn decimals_have_as_few_bytes_as_their_value() {
    let ty = |precision: u8, scale: i8| json!({"type": "bytes", "logicalType": "decimal", "precision": precision, "scale": scale});
    let values = [0, 127, 128, -128, -129, 1 << 20];
    let shown: [&[u8]; 6] = [&[0], &[127], &[0, 128], &[128], &[255, 127], &[16, 0, 0]];
    let shown = shown.map(bytes);
    check(Decimal32Array::from(values.to_vec()).with_precision_and_scale(9, 2).unwrap(), ty(9, 2), &shown);
    check(
        Decimal64Array::from(values.map(i64::from).to_vec()).with_precision_and_scale(18, 0).unwrap(),
        ty(18, 0),
        &shown,
    );
    check(
        Decimal128Array::from(values.map(i128::from).to_vec()).with_precision_and_scale(38, 38).unwrap(),
        ty(38, 38),
        &shown,
    );
    let wide = values.map(|value| i256::from_i128(i128::from(value)));
    check(Decimal256Array::from(wide.to_vec()).with_precision_and_scale(76, 4).unwrap(), ty(76, 4), &shown);
    let nines = i256::from_string(&"9".repeat(76)).unwrap();
    let extremes = Decimal256Array::from(vec![nines, nines.wrapping_neg()]);
    check(extremes, ty(76, 10), &[bytes(&nines.to_be_bytes()), bytes(&nines.wrapping_neg().to_be_bytes())]);
}

#[test]
fn dates_and_times() {
    check(Date32Array::from(vec![-1, 20_000]), logical("int", "date"), &[json!(-1), json!(20_000)]);
    let day = 86_400_000_i64;
    check(
        Date64Array::from(vec![-day, day]),
        logical("long", "local-timestamp-millis"),
        &[json!(-day), json!(day)],
    );
    let millis = logical("int", "time-millis");
    check(Time32SecondArray::from(vec![0, 86_399]), millis.clone(), &[json!(0), json!(86_399_000)]);
    check(Time32MillisecondArray::from(vec![1, 86_399_999]), millis, &[json!(1), json!(86_399_999)]);
    let micros = logical("long", "time-micros");
    check(
        Time64MicrosecondArray::from(vec![1, 86_399_999_999]),
        micros,
        &[json!(1), json!(86_399_999_999_i64)],
    );
    let nanos = json!({"type": "long", "arrow.type": "Time64(ns)"});
    check(
        Time64NanosecondArray::from(vec![1, 86_399_999_999_999]),
        nanos,
        &[json!(1), json!(86_399_999_999_999_i64)],
    );
}

#[test]
fn timestamps_say_whether_they_have_a_zone() {
    let (small, large) = (-5_i64, 1_700_000_000_i64);
    let shown = [json!(small), json!(large)];
    let values = || vec![small, large];
    for (zone, local) in [(Some("+01:00"), ""), (Some("+00:00"), ""), (None, "local-")] {
        let ty = |unit: &str| {
            let mut ty = logical("long", &format!("{local}timestamp-{unit}"));
            if zone == Some("+01:00") {
                ty["arrow.timezone"] = json!(zone);
            }
            ty
        };
        let seconds = TimestampSecondArray::from(values()).with_timezone_opt(zone);
        check(seconds, ty("millis"), &[json!(small * 1000), json!(large * 1000)]);
        check(TimestampMillisecondArray::from(values()).with_timezone_opt(zone), ty("millis"), &shown);
        check(TimestampMicrosecondArray::from(values()).with_timezone_opt(zone), ty("micros"), &shown);
        check(TimestampNanosecondArray::from(values()).with_timezone_opt(zone), ty("nanos"), &shown);
    }
}

#[test]
fn durations_are_numbers_and_intervals_avros_durations() {
    let ty = |unit: &str| json!({"type": "long", "arrow.type": format!("Duration({unit})")});
    check(DurationSecondArray::from(vec![-1, 2]), ty("s"), &[json!(-1), json!(2)]);
    check(DurationMillisecondArray::from(vec![-1, 2]), ty("ms"), &[json!(-1), json!(2)]);
    check(DurationMicrosecondArray::from(vec![-1, 2]), ty("µs"), &[json!(-1), json!(2)]);
    check(DurationNanosecondArray::from(vec![-1, 2]), ty("ns"), &[json!(-1), json!(2)]);

    let ty = json!({"type": "fixed", "name": "row_x", "size": 12, "logicalType": "duration"});
    let parts = |months: u32, days: u32, millis: u32| {
        bytes(&[months.to_le_bytes(), days.to_le_bytes(), millis.to_le_bytes()].concat())
    };
    check(IntervalYearMonthArray::from(vec![0, 300]), ty.clone(), &[parts(0, 0, 0), parts(300, 0, 0)]);
    let days = vec![IntervalDayTime::new(1, 2), IntervalDayTime::new(i32::MAX, 3)];
    check(IntervalDayTimeArray::from(days), ty.clone(), &[parts(0, 1, 2), parts(0, i32::MAX as u32, 3)]);
    let all = vec![IntervalMonthDayNano::new(1, 2, 3_000_000), IntervalMonthDayNano::new(0, 0, 0)];
    check(IntervalMonthDayNanoArray::from(all), ty, &[parts(1, 2, 3), parts(0, 0, 0)]);
}

fn list_of(items: Value) -> Value {
    json!({"type": "array", "items": items})
}

#[test]
fn lists_of_each_kind() {
    let values = [Some(vec![Some(1), None]), Some(vec![]), Some(vec![Some(-3)])];
    let ty = list_of(json!(["null", "int"]));
    let shown = [json!([1, null]), json!([]), json!([-3])];
    check(ListArray::from_iter_primitive::<Int32Type, _, _>(values.clone()), ty.clone(), &shown);
    check(LargeListArray::from_iter_primitive::<Int32Type, _, _>(values), ty, &shown);

    let item = Arc::new(Field::new_list_field(DataType::Int32, false));
    let ty = list_of(json!("int"));
    let numbers: ArrayRef = Arc::new(Int32Array::from_iter_values(0..6));
    let fixed = FixedSizeListArray::try_new(Arc::clone(&item), 2, Arc::clone(&numbers), None).unwrap();
    check(fixed, ty.clone(), &[json!([0, 1]), json!([2, 3]), json!([4, 5])]);
    let shown = [json!([3, 4]), json!([]), json!([0, 1, 2, 3, 4, 5])];
    let views = ListViewArray::try_new(
        Arc::clone(&item),
        ScalarBuffer::from(vec![3, 6, 0]),
        ScalarBuffer::from(vec![2, 0, 6]),
        Arc::clone(&numbers),
        None,
    );
    check(views.unwrap(), ty.clone(), &shown);
    let views = LargeListViewArray::try_new(
        item,
        ScalarBuffer::from(vec![3, 6, 0]),
        ScalarBuffer::from(vec![2, 0, 6]),
        numbers,
        None,
    );
    check(views.unwrap(), ty, &shown);
}

#[test]
fn null_and_empty_lists_are_different() {
    let values = [None, Some(vec![]), Some(vec![None::<i32>])];
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>(values);
    let found = rows(&batch([("x?", Arc::new(lists) as ArrayRef)]));
    assert_eq!(found, [json!({"x": null}), json!({"x": []}), json!({"x": [null]})]);
}

#[test]
fn structs_in_structs() {
    let inner = StructArray::from(vec![
        (
            Arc::new(Field::new("a", DataType::Int32, false)),
            Arc::new(Int32Array::from(vec![1, 2, 3])) as ArrayRef,
        ),
        (
            Arc::new(Field::new("b", DataType::Utf8, true)),
            Arc::new(StringArray::from(vec![Some("x"), None, Some("z")])),
        ),
    ]);
    let field = Arc::new(Field::new("in", inner.data_type().clone(), true));
    let nulls = NullBuffer::from(vec![true, true, false]);
    let (fields, columns, _) = inner.into_parts();
    let inner = StructArray::new(fields, columns, Some(nulls));
    let outer = StructArray::from(vec![(field, Arc::new(inner) as ArrayRef)]);
    let ty = json!({"type": "record", "name": "row_x", "fields": [
        {"name": "in", "type": ["null", {"type": "record", "name": "row_x_in", "fields": [
            {"name": "a", "type": "int"},
            {"name": "b", "type": ["null", "string"], "default": null},
        ]}], "default": null},
    ]});
    let shown = [json!({"in": {"a": 1, "b": "x"}}), json!({"in": {"a": 2, "b": null}}), json!({"in": null})];
    check(outer, ty, &shown);
}

#[test]
fn lists_of_structs() {
    let items = StructArray::from(vec![(
        Arc::new(Field::new("a", DataType::Int32, false)),
        Arc::new(Int32Array::from(vec![1, 2, 3])) as ArrayRef,
    )]);
    let item = Arc::new(Field::new_list_field(items.data_type().clone(), false));
    let lists = ListArray::new(item, OffsetBuffer::from_lengths([2, 0, 1]), Arc::new(items), None);
    let record = json!({"type": "record", "name": "row_x", "fields": [{"name": "a", "type": "int"}]});
    check(lists, list_of(record), &[json!([{"a": 1}, {"a": 2}]), json!([]), json!([{"a": 3}])]);
}

#[test]
fn maps_with_strings_as_keys() {
    let mut builder = MapBuilder::new(None, StringBuilder::new(), Int64Builder::new());
    builder.keys().append_value("k");
    builder.values().append_value(1);
    builder.keys().append_value("l");
    builder.values().append_null();
    builder.append(true).unwrap();
    builder.append(true).unwrap();
    let ty = json!({"type": "map", "values": ["null", "long"]});
    check(builder.finish(), ty, &[json!({"k": 1, "l": null}), json!({})]);
}

#[test]
fn maps_with_other_keys() {
    let mut builder = MapBuilder::new(None, Int32Builder::new(), Int64Builder::new());
    builder.keys().append_value(7);
    builder.values().append_value(1);
    builder.append(true).unwrap();
    builder.append(true).unwrap();
    let ty = list_of(json!({"type": "record", "name": "row_x", "fields": [
        {"name": "keys", "type": "int"},
        {"name": "values", "type": ["null", "long"], "default": null},
    ]}));
    check(builder.finish(), ty, &[json!([{"keys": 7, "values": 1}]), json!([])]);
}

#[test]
fn dictionaries_and_runs_are_their_values() {
    let dictionary: DictionaryArray<Int8Type> = ["a", "b", "a"].into_iter().collect();
    check(dictionary, json!("string"), &[json!("a"), json!("b"), json!("a")]);
    let runs = RunArray::try_new(&Int32Array::from(vec![2, 3]), &StringArray::from(vec!["x", "y"])).unwrap();
    let batch = batch([("x", Arc::new(runs) as ArrayRef)]);
    assert_eq!(derived(&batch)["fields"][0]["type"], json!(["null", "string"]));
    let shown = [json!({"x": "x"}), json!({"x": "x"}), json!({"x": "y"})];
    assert_eq!(rows(&batch), shown);
    assert_eq!(rows(&batch.slice(1, 2)), shown[1..]);
}

#[test]
fn nulls_of_dictionaries_may_be_keys_or_values() {
    let keys = Int8Array::from(vec![Some(0), None, Some(1)]);
    let values = StringArray::from(vec![Some("a"), None]);
    let dictionary = DictionaryArray::<Int8Type>::try_new(keys, Arc::new(values)).unwrap();
    let found = rows(&batch([("x?", Arc::new(dictionary) as ArrayRef)]));
    assert_eq!(found, [json!({"x": "a"}), json!({"x": null}), json!({"x": null})]);
    let keys = Int8Array::from(vec![None, None]);
    let dictionary =
        DictionaryArray::<Int8Type>::try_new(keys, Arc::new(StringArray::from(Vec::<&str>::new())));
    let found = rows(&batch([("x?", Arc::new(dictionary.unwrap()) as ArrayRef)]));
    assert_eq!(found, [json!({"x": null}), json!({"x": null})]);
}

#[test]
fn nulls_of_each_storage() {
    let texts = || [Some("a"), None, Some("c")];
    let binary = || texts().map(|text| text.map(str::as_bytes));
    let arrays: [ArrayRef; 6] = [
        Arc::new(StringArray::from_iter(texts())),
        Arc::new(LargeStringArray::from_iter(texts())),
        Arc::new(StringViewArray::from_iter(texts())),
        Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)])),
        Arc::new(BinaryArray::from_iter(binary())),
        Arc::new(TimestampMillisecondArray::from(vec![Some(1), None, Some(3)])),
    ];
    for array in arrays {
        let name = array.data_type().clone();
        let found = rows(&batch([("x?", array)]));
        let nulls = found.iter().map(|row| row["x"].is_null()).collect::<Vec<_>>();
        assert_eq!(nulls, [false, true, false], "{name}");
    }
}

#[test]
fn a_batch_without_columns_has_rows_without_bytes() {
    let options = RecordBatchOptions::new().with_row_count(Some(3));
    let empty = RecordBatch::try_new_with_options(Arc::new(ArrowSchema::empty()), vec![], &options).unwrap();
    assert_eq!(rows(&empty), [json!({}), json!({}), json!({})]);
}

/// Returns the rows of the table of the documentation: Arrow types, and the Avro type that they become.
fn table() -> Vec<(Vec<&'static str>, Value)> {
    let page = include_str!("../../../../../docs/avro.md");
    let (_, table) = page.split_once("| Arrow type of a column").expect("the table");
    let (table, _) = table.split_once("\n\n").expect("an end of the table");
    let rows = table.lines().skip(2).map(|row| {
        let (arrow, avro) = row.trim_matches('|').split_once(" | ").expect("two cells");
        let types = arrow.trim().trim_matches('`').split("`, `").collect();
        (types, serde_json::from_str(avro.trim().trim_matches('`')).expect("an Avro type"))
    });
    rows.collect()
}

#[test]
fn types_are_those_of_the_page() {
    let table = table();
    assert_eq!(table.len(), 27);
    for (types, avro) in table {
        for name in types {
            let arrow: DataType = name.parse().unwrap_or_else(|error| panic!("{name}: {error}"));
            let array = new_empty_array(&arrow);
            assert_eq!(derived(&batch([("f", array)]))["fields"][0]["type"], avro, "{name}");
        }
    }
}
