//! Casts of columns of every type, for a format that takes the types of tf.Example.
#![allow(clippy::unwrap_used, reason = "a test")]

use std::sync::Arc;

use arrow_array::builder::{
    FixedSizeBinaryBuilder, Int32Builder, LargeListViewBuilder, StringDictionaryBuilder,
};
use arrow_array::cast::AsArray as _;
use arrow_array::types::*;
use arrow_array::*;
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, Fields, Schema, TimeUnit};
use tfxio_core::{Batch, Origins};

use super::{CastOptions, CastPlan, CastType, Target};

/// Returns whether tf.Example has such a column, and nothing wider: lists of int64, 32-bit floats, texts and bytes.
fn takes(column: &Field) -> bool {
    let item = match column.data_type() {
        DataType::Null => return true,
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            item.data_type()
        }
        _ => return false,
    };
    matches!(item, DataType::Int64 | DataType::Float32)
        || item.is_string()
        || item.is_binary() && !matches!(item, DataType::FixedSizeBinary(_))
}

fn plan(batch: &RecordBatch, options: &CastOptions) -> tfxio_core::Result<CastPlan> {
    CastPlan::new(&batch.schema(), options, &Target { name: "lists", takes: &takes, losses: &|_| Vec::new() })
}

fn batch(columns: impl IntoIterator<Item = (&'static str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, column)| (name, column, true)))
        .unwrap()
}

/// The values of a column of lists of one, or nulls, as text; and what is lost.
fn one(column: ArrayRef, options: &CastOptions) -> Result<(String, Vec<String>), String> {
    let batch = batch([("x", column)]);
    let plan = plan(&batch, options).map_err(|error| error.to_string())?;
    let mut origins = Origins::default();
    (0..batch.num_rows()).for_each(|row| origins.push("f".into(), 10 + row as u64, None));
    let made = plan.apply(Batch::new(batch, origins)).map_err(|error| error.to_string())?;
    assert_eq!(made.columns().schema(), *plan.schema());
    let lists = made.columns().column(0).as_list::<i64>();
    let value = |row: usize| -> String {
        if lists.is_null(row) {
            return "-".to_owned();
        }
        let values = lists.value(row);
        match values.data_type() {
            DataType::Int64 => format!("{:?}", &values.as_primitive::<Int64Type>().values()[..]),
            DataType::Float32 => format!("{:?}", &values.as_primitive::<Float32Type>().values()[..]),
            _ => {
                let text =
                    |index| String::from_utf8_lossy(super::text::get(&values, index).unwrap()).into_owned();
                format!("{:?}", (0..values.len()).map(text).collect::<Vec<_>>())
            }
        }
    };
    let text = (0..lists.len()).map(value).collect::<Vec<_>>().join(" ");
    Ok((text, plan.losses().iter().map(|loss| loss.what.clone()).collect()))
}

#[track_caller]
fn becomes(column: impl Array + 'static, values: &str, loss: &str) {
    let (text, losses) = one(Arc::new(column), &CastOptions::default()).unwrap();
    assert_eq!((text.as_str(), losses.join("; ").as_str()), (values, loss));
}

#[test]
fn integers_and_bools_are_int64() {
    becomes(BooleanArray::from(vec![Some(true), None, Some(false)]), "[1] - [0]", "");
    becomes(Int8Array::from(vec![Some(-128), None]), "[-128] -", "");
    becomes(Int16Array::from(vec![-5]), "[-5]", "");
    becomes(Int32Array::from(vec![i32::MIN]), "[-2147483648]", "");
    becomes(Int64Array::from(vec![i64::MAX]), "[9223372036854775807]", "");
    becomes(UInt8Array::from(vec![255]), "[255]", "");
    becomes(UInt16Array::from(vec![65_535]), "[65535]", "");
    becomes(UInt32Array::from(vec![u32::MAX]), "[4294967295]", "");
    // What is under a null does not count.
    let hidden = UInt64Array::new(vec![7, u64::MAX].into(), Some(NullBuffer::from(vec![true, false])));
    becomes(hidden, "[7] -", "");
}

#[test]
fn floats_are_float32() {
    becomes(Float32Array::from(vec![Some(0.5), None]), "[0.5] -", "");
    let loss = "64-bit floats are rounded to 32 bits";
    becomes(Float64Array::from(vec![0.1, f64::NAN, f64::INFINITY]), "[0.1] [NaN] [inf]", loss);
    becomes(Float16Array::from(vec![half::f16::from_f32(0.5)]), "[0.5]", "");
}

#[test]
fn texts_and_bytes_stay_what_they_are() {
    becomes(StringArray::from(vec![Some("a"), None, Some("")]), "[\"a\"] - [\"\"]", "");
    becomes(LargeStringArray::from(vec!["é"]), "[\"é\"]", "");
    becomes(
        StringViewArray::from(vec!["a text that is longer than twelve"]),
        "[\"a text that is longer than twelve\"]",
        "",
    );
    becomes(BinaryViewArray::from(vec![&b"b"[..]]), "[\"b\"]", "");
    let mut fixed = FixedSizeBinaryBuilder::new(2);
    fixed.append_value("ab").unwrap();
    fixed.append_null();
    becomes(fixed.finish(), "[\"ab\"] -", "");
}

#[test]
fn dictionaries_and_runs_are_their_values() {
    let mut words = StringDictionaryBuilder::<Int8Type>::new();
    words.append_value("x");
    words.append_null();
    words.append_value("x");
    becomes(words.finish(), "[\"x\"] - [\"x\"]", "");
    let runs = RunArray::<Int32Type>::try_new(&vec![2, 3].into(), &Float64Array::from(vec![Some(1.0), None]))
        .unwrap();
    becomes(runs.clone(), "[1.0] [1.0] -", "64-bit floats are rounded to 32 bits");
    becomes(runs.slice(1, 2), "[1.0] -", "64-bit floats are rounded to 32 bits");
}

#[test]
fn times_are_int64_of_their_unit() {
    becomes(Date32Array::from(vec![-1]), "[-1]", "dates become the number of days since 1970-01-01");
    becomes(
        Date64Array::from(vec![86_400_000]),
        "[86400000]",
        "dates become the number of milliseconds since 1970-01-01",
    );
    becomes(
        TimestampMicrosecondArray::from(vec![Some(7), None]),
        "[7] -",
        "timestamps become the number of microseconds since 1970-01-01 00:00",
    );
    becomes(
        TimestampSecondArray::from(vec![7]).with_timezone("Europe/Berlin"),
        "[7]",
        "timestamps become the number of seconds since 1970-01-01 00:00 UTC, without their time zone",
    );
    becomes(
        Time32SecondArray::from(vec![7]),
        "[7]",
        "times of day become the number of seconds since midnight",
    );
    becomes(
        Time64NanosecondArray::from(vec![7]),
        "[7]",
        "times of day become the number of nanoseconds since midnight",
    );
    becomes(DurationMillisecondArray::from(vec![7]), "[7]", "durations become the number of milliseconds");
}

#[test]
fn lists_keep_their_lengths() {
    let lists = ListArray::from_iter_primitive::<UInt64Type, _, _>([
        Some(vec![Some(1), Some(2)]),
        None,
        Some(vec![]),
    ]);
    let made = |array: ArrayRef| {
        let batch = batch([("x", array)]);
        let plan = plan(&batch, &CastOptions::default()).unwrap();
        Arc::clone(plan.apply(batch.into()).unwrap().columns().column(0))
    };
    let column = made(Arc::new(lists.clone()));
    let column = column.as_list::<i32>();
    assert_eq!((column.value_length(0), column.is_null(1), column.value_length(2)), (2, true, 0));
    assert_eq!(column.value(0).as_primitive::<Int64Type>().values(), &[1, 2]);
    // A slice converts only what it refers to.
    let column = made(Arc::new(lists.slice(2, 1)));
    assert_eq!(column.as_list::<i32>().values().len(), 0);
    let fixed = FixedSizeListArray::from_iter_primitive::<Float64Type, _, _>(
        [Some(vec![Some(1.0), Some(2.0)]), None],
        2,
    );
    let column = made(Arc::new(fixed));
    assert_eq!(column.as_fixed_size_list().value(0).as_primitive::<Float32Type>().values(), &[1.0, 2.0]);
    let mut views = LargeListViewBuilder::new(Int32Builder::new());
    views.append_value([Some(1), Some(2)]);
    views.append_null();
    let column = made(Arc::new(views.finish()));
    assert_eq!(column.as_list::<i64>().value(0).as_primitive::<Int64Type>().values(), &[1, 2]);
    assert!(column.is_null(1));
}

#[test]
fn values_that_no_list_refers_to_do_not_count() {
    let values = UInt64Array::from(vec![1, u64::MAX, 2]);
    let item = Arc::new(Field::new_list_field(DataType::UInt64, true));
    let nulls = Some(NullBuffer::from(vec![true, false, true]));
    let lists = ListArray::new(item, OffsetBuffer::from_lengths([1, 1, 1]), Arc::new(values), nulls);
    let batch = batch([("x", Arc::new(lists) as ArrayRef)]);
    let made = plan(&batch, &CastOptions::default()).unwrap().apply(batch.into()).unwrap();
    let lists = made.columns().column(0).as_list::<i32>();
    assert_eq!((lists.value(2).as_primitive::<Int64Type>().value(0), lists.is_null(1)), (2, true));
}

#[test]
fn structs_become_columns_of_their_fields() {
    let fields: Fields =
        vec![Field::new("n", DataType::Int32, true), Field::new("s", DataType::Utf8, true)].into();
    let columns: Vec<ArrayRef> =
        vec![Arc::new(Int32Array::from(vec![1, 2])), Arc::new(StringArray::from(vec!["a", "b"]))];
    let inner = StructArray::new(fields, columns, Some(NullBuffer::from(vec![true, false])));
    let rows = batch([("a", Arc::new(inner.clone()) as ArrayRef)]);
    let whole = plan(&rows, &CastOptions::default()).unwrap();
    let names = whole.schema().fields().iter().map(|field| field.name().as_str()).collect::<Vec<_>>();
    assert_eq!(names, ["a.n", "a.s"]);
    assert_eq!(whole.losses().len(), 1);
    let made = whole.apply(rows.into()).unwrap();
    assert!(made.columns().columns().iter().all(|column| column.is_valid(0) && column.is_null(1)));
    let twice = batch([("a", Arc::new(inner) as ArrayRef), ("a.n", Arc::new(Int64Array::from(vec![1, 2])))]);
    assert_eq!(
        plan(&twice, &CastOptions::default()).unwrap_err().to_string(),
        "column \"a.n\": a field of a struct, taken apart, would have the name of another column; leave one of the two out, or \
         rename it"
    );
}

fn cast(
    column: impl Array + 'static,
    to: CastType,
    is_lossless: bool,
) -> Result<(String, Vec<String>), String> {
    let casts = vec![("x".to_owned(), to)];
    one(Arc::new(column), &CastOptions { casts, is_lossless, ..CastOptions::default() })
}

#[track_caller]
fn casts(column: impl Array + 'static, to: CastType, values: &str, loss: &str) {
    let (text, losses) = cast(column, to, false).unwrap();
    assert_eq!((text.as_str(), losses.join("; ").as_str()), (values, loss));
}

#[track_caller]
fn unfit(column: impl Array + 'static, to: CastType, is_lossless: bool, what: &str) {
    let error = cast(column, to, is_lossless).unwrap_err();
    let position = format!("f, record {}, column \"x\": ", 11);
    assert_eq!(error, format!("{position}{what}; leave the column out, or cast it to another type"));
}

#[test]
fn casts_to_numbers() {
    let decimals =
        || Decimal128Array::from(vec![Some(100), Some(250), None]).with_precision_and_scale(10, 2).unwrap();
    casts(decimals(), CastType::Float32, "[1.0] [2.5] -", "decimals are rounded to 32-bit floats");
    casts(decimals(), CastType::String, "[\"1.00\"] [\"2.50\"] -", "");
    unfit(decimals(), CastType::Int64, false, "2.50 is not an integer of 64 bits");
    assert_eq!(cast(decimals(), CastType::Float32, true).unwrap().0, "[1.0] [2.5] -");
    let tenths = Decimal256Array::from_iter_values([10, 1].map(arrow_buffer::i256::from))
        .with_precision_and_scale(40, 1)
        .unwrap();
    unfit(tenths.clone(), CastType::Float32, true, "0.1 is not a float of 32 bits");
    casts(tenths.slice(0, 1), CastType::Int64, "[1]", "");
    casts(StringArray::from(vec!["7", " -1 "]), CastType::Int64, "[7] [-1]", "");
    unfit(StringArray::from(vec!["7", "x"]), CastType::Int64, false, "\"x\" is not such a number");
    casts(Float64Array::from(vec![2.0]), CastType::Int64, "[2]", "");
    unfit(Float64Array::from(vec![2.0, 2.5]), CastType::Int64, false, "2.5 is not an integer of 64 bits");
    unfit(Float64Array::from(vec![2.0, 1e19]), CastType::Int64, false, "1e19 is not an integer of 64 bits");
    unfit(Float64Array::from(vec![2.0, 0.1]), CastType::Float32, true, "0.1 is not a float of 32 bits");
    casts(
        Int64Array::from(vec![1 << 24]),
        CastType::Float32,
        "[16777216.0]",
        "integers are rounded to 32-bit floats",
    );
    unfit(
        Int64Array::from(vec![1, (1 << 24) + 1]),
        CastType::Float32,
        true,
        "16777217 is not a float of 32 bits",
    );
    casts(Int16Array::from(vec![7]), CastType::Float32, "[7.0]", "");
}

#[test]
fn texts_are_floats_where_nothing_is_lost() {
    let texts = |text: &str| StringArray::from(vec!["0", text]);
    let loss = "numbers in texts are rounded to 32-bit floats";
    casts(texts("-Infinity"), CastType::Float32, "[0.0] [-inf]", loss);
    casts(texts("16777217"), CastType::Float32, "[0.0] [16777216.0]", loss);
    for (text, to, bits) in
        [("1e400", CastType::Float64, 64), ("-1e400", CastType::Float64, 64), ("1e39", CastType::Float32, 32)]
    {
        // The target takes no 64-bit floats without a loss.
        for is_lossless in [false, true].into_iter().take(if bits == 32 { 2 } else { 1 }) {
            unfit(texts(text), to, is_lossless, &format!("{text:?} is not a float of {bits} bits"));
        }
    }
    for text in ["16777217", "0.1", "1e-60", "1.00000000000000000000001"] {
        unfit(texts(text), CastType::Float32, true, &format!("{text:?} is not a float of 32 bits"));
    }
    for (text, float) in [
        ("16777216", "16777216.0"),
        ("1677721600e-2", "16777216.0"),
        ("+002.50", "2.5"),
        (".5", "0.5"),
        ("5.", "5.0"),
        ("-0.0E7", "-0.0"),
        ("1.5e3", "1500.0"),
        ("nan", "NaN"),
        ("inf", "inf"),
    ] {
        assert_eq!(cast(texts(text), CastType::Float32, true).unwrap().0, format!("[0.0] [{float}]"));
    }
}

#[test]
fn casts_to_text_and_bytes() {
    casts(Float64Array::from(vec![0.1, 1e300]), CastType::String, "[\"0.1\"] [\"1e300\"]", "");
    casts(BooleanArray::from(vec![true]), CastType::String, "[\"true\"]", "");
    casts(UInt64Array::from(vec![u64::MAX]), CastType::String, "[\"18446744073709551615\"]", "");
    casts(Date32Array::from(vec![Some(1), None]), CastType::String, "[\"1970-01-02\"] -", "");
    casts(
        TimestampMillisecondArray::from(vec![1_500]).with_timezone("UTC"),
        CastType::String,
        "[\"1970-01-01T00:00:01.500Z\"]",
        "",
    );
    casts(Date32Array::from(vec![i32::MAX]), CastType::String, "[\"+5881580-07-11\"]", "");
    casts(
        TimestampSecondArray::from(vec![i64::MIN, 0]),
        CastType::String,
        "[\"-292277022657-01-27T08:29:52\"] [\"1970-01-01T00:00:00\"]",
        "",
    );
    casts(
        TimestampMicrosecondArray::from(vec![1_000, i64::MAX]),
        CastType::String,
        "[\"1970-01-01T00:00:00.001\"] [\"+294247-01-10T04:00:54.775807\"]",
        "",
    );
    casts(StringArray::from(vec!["a"]), CastType::Bytes, "[\"a\"]", "");
    unfit(BinaryArray::from(vec![&b"a"[..], b"\xff"]), CastType::String, false, "the bytes are not UTF-8");
}

#[test]
fn casts_to_units_of_time() {
    let loss = |unit: &str| format!("timestamps become the number of {unit} since 1970-01-01 00:00");
    let millis = || TimestampMillisecondArray::from(vec![2_000, 1_500]);
    casts(millis(), CastType::Microseconds, "[2000000] [1500000]", &loss("microseconds"));
    unfit(
        millis(),
        CastType::Seconds,
        false,
        "1500 milliseconds are not a whole number of seconds of 64 bits",
    );
    assert_eq!(cast(millis(), CastType::Milliseconds, true).unwrap().0, "[2000] [1500]");
    casts(
        Date32Array::from(vec![1]),
        CastType::Seconds,
        "[86400]",
        "dates become the number of seconds since 1970-01-01",
    );
    unfit(
        TimestampSecondArray::from(vec![0, i64::MAX]),
        CastType::Nanoseconds,
        false,
        "9223372036854775807 seconds are not a whole number of nanoseconds of 64 bits",
    );
}

#[test]
fn what_becomes_nothing_is_an_error_with_the_way_out() {
    let decimals = Decimal128Array::from(vec![1]).with_precision_and_scale(10, 2).unwrap();
    let months = IntervalYearMonthArray::from(vec![1]);
    let rows = batch([("d", Arc::new(decimals) as ArrayRef), ("m", Arc::new(months))]);
    assert_eq!(
        plan(&rows, &CastOptions::default()).unwrap_err().to_string(),
        "column \"d\": the format lists does not take a column of the type Decimal128(10, 2); leave the column out, or cast it \
         to one of int64, float32, float64, string; the same is true of \"m\" (Interval(YearMonth))"
    );
    let no = |column: &str, to| {
        let casts = vec![(column.to_owned(), to)];
        plan(&rows, &CastOptions { casts, ..CastOptions::default() }).unwrap_err().to_string()
    };
    assert_eq!(
        no("m", CastType::Int64),
        "column \"m\": the column has the type Interval(YearMonth), which has no cast to int64; it has no casts; leave the \
         column out"
    );
    assert_eq!(no("e", CastType::Int64), "there is no column \"e\" to cast; the columns are \"d\", \"m\"");
    assert_eq!(
        "flaot32".parse::<CastType>().unwrap_err().to_string(),
        "there is no cast to \"flaot32\"; did you mean \"float32\"?"
    );
}

#[test]
fn columns_that_fit_are_not_touched() {
    let lists: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>([Some(vec![Some(1)])]));
    let schema = Schema::new(vec![Field::new("x", lists.data_type().clone(), false)]);
    let rows = RecordBatch::try_new(Arc::new(schema), vec![Arc::clone(&lists)]).unwrap();
    let plan = plan(&rows, &CastOptions { is_lossless: true, ..CastOptions::default() }).unwrap();
    assert!(Arc::ptr_eq(plan.schema(), &rows.schema()));
    assert!(Arc::ptr_eq(plan.apply(rows.into()).unwrap().columns().column(0), &lists));
}

#[test]
fn arrays_of_several_dimensions_become_lists_of_their_values() {
    let list = |values: ArrayRef, size, nulls: Option<NullBuffer>| -> ArrayRef {
        let item = Arc::new(Field::new_list_field(values.data_type().clone(), true));
        Arc::new(FixedSizeListArray::try_new(item, size, values, nulls).unwrap())
    };
    let values: ArrayRef = Arc::new(Int32Array::from_iter_values(0..24));
    let null = |nulls: &[bool]| Some(NullBuffer::from(nulls.to_vec()));
    let whole = list(list(list(Arc::clone(&values), 2, None), 3, None), 2, null(&[true, false]));
    let of = |column: &ArrayRef, options: &CastOptions| {
        let rows = batch([("x", Arc::clone(column))]);
        let plan = plan(&rows, options)?;
        let (losses, made) = (plan.losses().to_vec(), plan.apply(rows.into())?);
        Ok::<_, tfxio_core::Error>((losses, Arc::clone(made.columns().column(0))))
    };
    let (losses, made) = of(&whole, &CastOptions::default()).unwrap();
    assert_eq!(losses.len(), 1);
    assert_eq!(losses[0].what, "arrays of 2 × 3 × 2 values become lists of 12, without their shape");
    let lists = made.as_fixed_size_list();
    assert!(lists.is_valid(0) && lists.is_null(1) && lists.value_length() == 12);
    assert_eq!(*lists.value(0).as_primitive::<Int64Type>().values(), (0..12).collect::<Vec<_>>());
    let (_, second) = of(&whole.slice(1, 1), &CastOptions::default()).unwrap();
    assert!(second.is_null(0));
    let lossless = CastOptions { is_lossless: true, ..CastOptions::default() };
    assert!(of(&whole, &lossless).unwrap_err().to_string().contains("without their shape"));
    // A list within that is not there is not a list of as many nulls, unless nothing is there.
    let gap = |outer| list(list(values.slice(0, 8), 2, null(&[true, true, true, false])), 2, outer);
    let error = of(&gap(None), &CastOptions::default()).unwrap_err();
    assert!(error.to_string().contains("an array lacks one of the arrays that it is made of"), "{error}");
    assert_eq!(error.position().row, Some(1));
    assert!(of(&gap(null(&[true, false])), &CastOptions::default()).is_ok());
}

#[test]
fn units_have_all_names() {
    let units = [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond];
    let names = units.map(|unit| super::times::meaning(&DataType::Duration(unit), None).unwrap());
    assert_eq!(
        names.map(|name| name.rsplit(' ').next().unwrap().to_owned()),
        ["seconds", "milliseconds", "microseconds", "nanoseconds"]
    );
}
