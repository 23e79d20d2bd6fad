//! Columns of every type that Arrow has, with common values and with those at the ends of what the type holds.

use std::sync::Arc;

use arrow_array::builder::{
    FixedSizeBinaryBuilder, FixedSizeListBuilder, Int64Builder, LargeListBuilder, LargeListViewBuilder,
    ListBuilder, ListViewBuilder, MapBuilder, PrimitiveRunBuilder, StringBuilder, StringRunBuilder,
    UnionBuilder,
};
use arrow_array::types::*;
use arrow_array::*;
use arrow_buffer::{NullBuffer, i256};
use arrow_schema::{DataType, Field, TimeUnit};
use half::f16;

/// A column of a type.
pub(super) struct Column {
    /// Name of the type in the guide.
    pub(super) name: String,
    pub(super) field: Field,
    /// Common values, and a null.
    pub(super) common: ArrayRef,
    /// Values at the ends of the type, of which a format may hold some only.
    pub(super) extreme: ArrayRef,
}

fn column(name: impl Into<String>, common: ArrayRef, extreme: ArrayRef) -> Column {
    let (name, field) = (name.into(), Field::new("c", common.data_type().clone(), true));
    Column { name, field, common, extreme }
}

/// A column of numbers, of which the second common one is null.
fn numbers<T: ArrowPrimitiveType>(name: &str, common: [T::Native; 2], extreme: Vec<T::Native>) -> Column {
    let common = PrimitiveArray::<T>::from_iter([Some(common[0]), None, Some(common[1])]);
    column(name, Arc::new(common), Arc::new(PrimitiveArray::<T>::from_iter_values(extreme)))
}

/// The same column with another type of the same values.
fn of_type<T: ArrowPrimitiveType>(column: Column, name: impl Into<String>, to: &DataType) -> Column {
    let typed = |array: &ArrayRef| {
        let array: &PrimitiveArray<T> = array.as_any().downcast_ref().unwrap();
        Arc::new(array.clone().with_data_type(to.clone())) as ArrayRef
    };
    self::column(name, typed(&column.common), typed(&column.extreme))
}

pub(super) fn all() -> Vec<Column> {
    [plain(), times(), timestamps(), intervals(), decimals(), texts(), indirect(), nested()]
        .into_iter()
        .flatten()
        .collect()
}

fn plain() -> Vec<Column> {
    let halves = [0x7e01, 0xfc00, 0x8000, 1, 0x7bff, 0x7d00].map(f16::from_bits).to_vec();
    let singles = [0x7fc0_1234_u32, 0xff80_0000, 0x8000_0000, 1, 0x7f7f_ffff, 0x7fa0_0000, 0x3dcc_cccd];
    let doubles = [
        0x7ff8_0000_0000_1234_u64,
        0xfff0_0000_0000_0000,
        1 << 63,
        1,
        f64::MAX.to_bits(),
        0x7ff4_0000_0000_0000,
    ];
    let bools = |values: Vec<Option<bool>>| Arc::new(BooleanArray::from(values)) as ArrayRef;
    vec![
        column("Null", Arc::new(NullArray::new(3)), Arc::new(NullArray::new(1))),
        column("Boolean", bools(vec![Some(true), None, Some(false)]), bools(vec![Some(true)])),
        numbers::<Int8Type>("Int8", [1, -7], vec![i8::MIN, i8::MAX]),
        numbers::<Int16Type>("Int16", [1, -7], vec![i16::MIN, i16::MAX]),
        numbers::<Int32Type>("Int32", [1, -7], vec![i32::MIN, i32::MAX]),
        numbers::<Int64Type>("Int64", [1, -7], vec![i64::MIN, i64::MAX, (1 << 53) + 1]),
        numbers::<UInt8Type>("UInt8", [1, 7], vec![0, u8::MAX]),
        numbers::<UInt16Type>("UInt16", [1, 7], vec![0, u16::MAX]),
        numbers::<UInt32Type>("UInt32", [1, 7], vec![0, u32::MAX]),
        numbers::<UInt64Type>("UInt64", [1, 7], vec![0, u64::MAX, 1 << 63, (1 << 63) - 1]),
        numbers::<Float16Type>("Float16", [f16::from_f32(0.1), f16::from_f32(-2.0)], halves),
        numbers::<Float32Type>("Float32", [0.5, -2.0], singles.map(f32::from_bits).to_vec()),
        numbers::<Float64Type>("Float64", [0.1, -2.0], doubles.map(f64::from_bits).to_vec()),
    ]
}

fn times() -> Vec<Column> {
    // The last days of the years -1 and 9999, and those after them.
    let days = [-719_529, -719_528, 2_932_896, 2_932_897];
    let mut dates = days.to_vec();
    dates.extend([i32::MIN, i32::MAX, -1]);
    let mut wide = days.map(|days| i64::from(days) * 86_400_000).to_vec();
    // A time of day, and days that 32 bits do not count.
    wide.extend([1, -1, 86_399_999, i64::MIN, i64::MAX, (i64::from(i32::MAX) + 1) * 86_400_000]);
    let spans = || vec![i64::MIN, i64::MAX, -1];
    vec![
        numbers::<Date32Type>("Date32", [20_000, -1], dates),
        numbers::<Date64Type>("Date64", [1_728_000_000_000, -86_400_000], wide),
        // The end of a day, and numbers that are no time of day.
        numbers::<Time32SecondType>("Time32(s)", [1, 86_399], vec![86_400, -1, i32::MIN, i32::MAX]),
        numbers::<Time32MillisecondType>(
            "Time32(ms)",
            [1, 86_399_999],
            vec![86_400_000, -1, i32::MIN, i32::MAX],
        ),
        numbers::<Time64MicrosecondType>(
            "Time64(µs)",
            [1, 86_399_999_999],
            vec![86_400_000_000, -1, i64::MIN, i64::MAX],
        ),
        numbers::<Time64NanosecondType>(
            "Time64(ns)",
            [1, 86_399_999_999_999],
            vec![86_400_000_000_000, -1, i64::MIN, i64::MAX],
        ),
        numbers::<DurationSecondType>("Duration(s)", [1, -90], spans()),
        numbers::<DurationMillisecondType>("Duration(ms)", [1, -90], spans()),
        numbers::<DurationMicrosecondType>("Duration(µs)", [1, -90], spans()),
        numbers::<DurationNanosecondType>("Duration(ns)", [1, -90], spans()),
    ]
}

fn timestamps() -> Vec<Column> {
    // Ends of 64 bits, and years -9999, 0, 1, 9999 and 10000 where the unit holds them.
    let values = |per_second: i64| {
        let years = [-377_705_116_800, -62_167_219_201, -62_135_596_800, 253_402_300_799, 253_402_300_800];
        let mut values = vec![i64::MIN, i64::MAX, -1];
        values.extend(years.iter().filter_map(|seconds: &i64| seconds.checked_mul(per_second)));
        values
    };
    let mut columns = Vec::new();
    for zone in [None, Some("UTC"), Some("+02:00"), Some("Europe/Berlin")] {
        let name = |unit: &str| {
            zone.map_or(format!("Timestamp({unit})"), |zone| format!("Timestamp({unit}, {zone})"))
        };
        let of = |unit| DataType::Timestamp(unit, zone.map(Into::into));
        let common = |per_second: i64| [1_700_000_000 * per_second + per_second / 2, -per_second];
        let seconds = numbers::<TimestampSecondType>("", common(1), values(1));
        columns.push(of_type::<TimestampSecondType>(seconds, name("s"), &of(TimeUnit::Second)));
        let millis = numbers::<TimestampMillisecondType>("", common(1_000), values(1_000));
        columns.push(of_type::<TimestampMillisecondType>(millis, name("ms"), &of(TimeUnit::Millisecond)));
        let micros = numbers::<TimestampMicrosecondType>("", common(1_000_000), values(1_000_000));
        columns.push(of_type::<TimestampMicrosecondType>(micros, name("µs"), &of(TimeUnit::Microsecond)));
        let nanos = numbers::<TimestampNanosecondType>("", common(1_000_000_000), values(1_000_000_000));
        columns.push(of_type::<TimestampNanosecondType>(nanos, name("ns"), &of(TimeUnit::Nanosecond)));
    }
    columns
}

fn intervals() -> Vec<Column> {
    let (days, nanos) = (IntervalDayTime::new, IntervalMonthDayNano::new);
    vec![
        numbers::<IntervalYearMonthType>("Interval(YearMonth)", [14, 0], vec![-14, i32::MIN, i32::MAX]),
        numbers::<IntervalDayTimeType>(
            "Interval(DayTime)",
            [days(2, 500), days(0, 0)],
            vec![
                days(-2, 500),
                days(2, -500),
                days(-1, -1),
                days(i32::MIN, i32::MIN),
                days(i32::MAX, i32::MAX),
            ],
        ),
        numbers::<IntervalMonthDayNanoType>(
            "Interval(MonthDayNano)",
            [nanos(14, 3, 5_000_000), nanos(0, 0, 0)],
            vec![
                nanos(-1, 2, 3_000_000),
                nanos(1, -2, 3_000_000),
                nanos(1, 2, -3_000_000),
                nanos(1, 2, 3),
                nanos(0, 0, 4_294_967_295_000_000),
                nanos(0, 0, 4_294_967_296_000_000),
                nanos(0, 0, 90_000_000_000_000),
                nanos(i32::MIN, i32::MIN, i64::MIN),
                nanos(i32::MAX, i32::MAX, i64::MAX),
            ],
        ),
    ]
}

/// Decimals of a width: of a scale of some digits, none, all of the precision, less than none, and more than the precision.
fn decimals() -> Vec<Column> {
    fn of<T: DecimalType>(
        name: &str,
        to: fn(u8, i8) -> DataType,
        digits: fn(&str) -> T::Native,
    ) -> Vec<Column> {
        let most = T::MAX_PRECISION;
        let all = i8::try_from(most).unwrap();
        [(most, 2), (most, 0), (most, all), (most, -3), (2, 5)]
            .map(|(precision, scale)| {
                let nines = "9".repeat(precision.into());
                let mut extreme = vec![digits(&nines), digits(&format!("-{nines}")), digits("0")];
                // Arrow does not see to it that a value has no more digits than its type says.
                extreme.push(digits(&format!("1{}", "0".repeat(precision.into()))));
                let name = match scale {
                    2 => format!("{name}(p, 2)"),
                    0 => format!("{name}(p, 0)"),
                    -3 => format!("{name}(p, -3)"),
                    5 => format!("{name}(2, 5)"),
                    _ => format!("{name}(p, p)"),
                };
                of_type::<T>(
                    numbers::<T>("", [digits("-5"), digits("15")], extreme),
                    name,
                    &to(precision, scale),
                )
            })
            .into()
    }
    let columns = [
        of::<Decimal32Type>("Decimal32", DataType::Decimal32, |text| text.parse().unwrap()),
        of::<Decimal64Type>("Decimal64", DataType::Decimal64, |text| text.parse().unwrap()),
        of::<Decimal128Type>("Decimal128", DataType::Decimal128, |text| text.parse().unwrap()),
        of::<Decimal256Type>("Decimal256", DataType::Decimal256, |text| i256::from_string(text).unwrap()),
    ];
    columns.into_iter().flatten().collect()
}

/// Texts that a reader may take for something else.
const WORDS: [&str; 16] = [
    "007",
    "true",
    "null",
    "NaN",
    "1e5",
    "2020-01-01",
    " x ",
    "",
    "a\0b",
    "\u{feff}x",
    "\"q\",\n\r\n",
    "=1+1",
    "{\"base64\": \"AA==\"}",
    "18446744073709551616",
    "\u{2028}\u{1f980}",
    "-0",
];

fn texts() -> Vec<Column> {
    let words = ["é", "x y"];
    let common = || [Some(words[0]), None, Some(words[1])];
    let texts = |to: fn(Vec<Option<&'static str>>) -> ArrayRef| {
        (to(common().to_vec()), to(WORDS.iter().copied().map(Some).collect()))
    };
    // Such as are UTF-8, and such as are not.
    let raw = [&b"\xff\x00"[..], b"\xc3", b"", b"7", b"\xed\xa0\x80", b"true"];
    let bytes = |to: fn(Vec<Option<&'static [u8]>>) -> ArrayRef| {
        let common = common().map(|text| text.map(str::as_bytes));
        (to(common.to_vec()), to(raw.iter().copied().map(Some).collect()))
    };
    let fixed = |size: i32, values: &[Option<&[u8]>]| {
        let mut fixed = FixedSizeBinaryBuilder::new(size);
        for value in values {
            match value {
                Some(value) => fixed.append_value(value).unwrap(),
                None => fixed.append_null(),
            }
        }
        Arc::new(fixed.finish()) as ArrayRef
    };
    let of = |name: &str, (common, extreme): (ArrayRef, ArrayRef)| column(name, common, extreme);
    let mut uuid = column(
        "FixedSizeBinary(16), arrow.uuid",
        fixed(16, &[Some(&[0x12; 16]), None, Some(&[0; 16])]),
        fixed(16, &[Some(&[0xff; 16]), Some(b"0123456789abcdef")]),
    );
    let extension = [("ARROW:extension:name".to_owned(), "arrow.uuid".to_owned())];
    uuid.field = uuid.field.with_metadata(extension.into());
    vec![
        of("Utf8", texts(|values| Arc::new(StringArray::from(values)))),
        of("LargeUtf8", texts(|values| Arc::new(LargeStringArray::from(values)))),
        of("Utf8View", texts(|values| Arc::new(StringViewArray::from(values)))),
        of("Binary", bytes(|values| Arc::new(BinaryArray::from(values)))),
        of("LargeBinary", bytes(|values| Arc::new(LargeBinaryArray::from(values)))),
        of("BinaryView", bytes(|values| Arc::new(BinaryViewArray::from(values)))),
        column(
            "FixedSizeBinary(3)",
            fixed(3, &[Some(b"abc"), None, Some(b"x y")]),
            fixed(3, &[Some(b"\xff\x00a"), Some(b"123"), Some(b"-01")]),
        ),
        column("FixedSizeBinary(0)", fixed(0, &[Some(b""), None, Some(b"")]), fixed(0, &[Some(b"")])),
        uuid,
    ]
}

/// A dictionary of texts: with a value that no key names, one that is there twice, and one that is null.
fn dictionary<K: ArrowDictionaryKeyType>(name: &str, keys: [K::Native; 3]) -> Column {
    let keys = PrimitiveArray::<K>::from_iter([Some(keys[0]), None, Some(keys[2]), Some(keys[1])]);
    let words = StringArray::from(vec!["é", "x y", "é", "not there"]);
    let with_null = StringArray::from(vec![Some("007"), None, Some("z")]);
    let common = DictionaryArray::<K>::try_new(keys.clone(), Arc::new(words)).unwrap();
    let extreme = DictionaryArray::<K>::try_new(keys, Arc::new(with_null)).unwrap();
    column(format!("Dictionary({name}, Utf8)"), Arc::new(common), Arc::new(extreme))
}

/// A dictionary of the values of a column.
pub(super) fn dictionary_of(name: &str, values: &ArrayRef) -> ArrayRef {
    let count = i32::try_from(values.len()).unwrap();
    let keys = Int32Array::from_iter_values((0..count).rev());
    let dictionary = DictionaryArray::<Int32Type>::try_new(keys, Arc::clone(values));
    Arc::new(dictionary.unwrap_or_else(|error| panic!("{name}: {error}")))
}

/// Runs of two of each value of a column.
pub(super) fn runs_of(values: &ArrayRef) -> ArrayRef {
    let ends = Int32Array::from_iter_values((1..=values.len()).map(|end| 2 * i32::try_from(end).unwrap()));
    Arc::new(RunArray::<Int32Type>::try_new(&ends, values).unwrap())
}

fn indirect() -> Vec<Column> {
    fn runs<R: RunEndIndexType>(name: &str) -> Column {
        let of = |words: &[Option<&str>]| {
            let mut runs = StringRunBuilder::<R>::new();
            words.iter().for_each(|word| runs.append_option(*word));
            Arc::new(runs.finish()) as ArrayRef
        };
        let common = of(&[Some("é"), Some("é"), None, None, Some("x y")]);
        column(format!("RunEndEncoded({name}, Utf8)"), common, of(&[Some("007"), Some("007"), Some("")]))
    }
    let mut numbers = PrimitiveRunBuilder::<Int32Type, Date32Type>::new();
    [Some(5), Some(5), None, Some(-1)].into_iter().for_each(|day| numbers.append_option(day));
    let numbers: ArrayRef = Arc::new(numbers.finish());
    let days: ArrayRef = Arc::new(Date32Array::from(vec![Some(5), None, Some(i32::MAX)]));
    let days = dictionary_of("Date32", &days);
    vec![
        dictionary::<Int8Type>("Int8", [0, 1, 2]),
        dictionary::<Int16Type>("Int16", [0, 1, 2]),
        dictionary::<Int32Type>("Int32", [0, 1, 2]),
        dictionary::<Int64Type>("Int64", [0, 1, 2]),
        dictionary::<UInt8Type>("UInt8", [0, 1, 2]),
        dictionary::<UInt16Type>("UInt16", [0, 1, 2]),
        dictionary::<UInt32Type>("UInt32", [0, 1, 2]),
        dictionary::<UInt64Type>("UInt64", [0, 1, 2]),
        column("Dictionary(Int32, Date32)", Arc::clone(&days), days),
        runs::<Int16Type>("Int16"),
        runs::<Int32Type>("Int32"),
        runs::<Int64Type>("Int64"),
        column("RunEndEncoded(Int32, Date32)", Arc::clone(&numbers), numbers),
    ]
}

/// Returns three rows of lists: one value, null, and the other values. Their values are contiguous.
pub(super) fn lists_of(field: &Field, values: &ArrayRef) -> ArrayRef {
    let item = Arc::new(field.clone().with_name(Field::LIST_FIELD_DEFAULT_NAME));
    let rest = values.len() - 1;
    let offsets = arrow_buffer::OffsetBuffer::<i64>::from_lengths([1, 0, rest]);
    let nulls = NullBuffer::from(vec![true, false, true]);
    Arc::new(LargeListArray::try_new(item, offsets, Arc::clone(values), Some(nulls)).unwrap())
}

/// A struct of a column, of which the second is null.
pub(super) fn structs_of(field: &Field, values: &ArrayRef) -> ArrayRef {
    let nulls = NullBuffer::from_iter((0..values.len()).map(|row| row != 1));
    let fields = vec![field.clone().with_name("v")];
    Arc::new(StructArray::try_new(fields.into(), vec![Arc::clone(values)], Some(nulls)).unwrap())
}

/// Maps of a text to each value of a column.
pub(super) fn maps_of(field: &Field, values: &ArrayRef) -> ArrayRef {
    let keys = StringArray::from_iter_values((0..values.len()).map(|at| format!("k{at}")));
    let fields = vec![Field::new("keys", DataType::Utf8, false), field.clone().with_name("values")];
    let entries =
        StructArray::try_new(fields.into(), vec![Arc::new(keys), Arc::clone(values)], None).unwrap();
    let entry = Arc::new(Field::new("entries", entries.data_type().clone(), false));
    let offsets = arrow_buffer::OffsetBuffer::<i32>::from_lengths(vec![1; values.len()]);
    Arc::new(MapArray::try_new(entry, offsets, entries, None, false).unwrap())
}

fn nested() -> Vec<Column> {
    macro_rules! lists {
        ($builder:ident, $rows:expr) => {{
            let mut lists = $builder::new(Int64Builder::new());
            let rows: &[Option<Vec<Option<i64>>>] = &$rows;
            for row in rows {
                match row {
                    Some(row) => lists.append_value(row.iter().copied()),
                    None => lists.append_null(),
                }
            }
            Arc::new(lists.finish()) as ArrayRef
        }};
    }
    let common = [Some(vec![Some(1), Some(-2)]), None, Some(vec![Some(3)])];
    let extreme = [Some(vec![]), Some(vec![None, Some(i64::MIN)]), Some(vec![Some(i64::MAX)])];
    let fixed = |rows: &[Option<[Option<i64>; 2]>]| {
        let mut lists = FixedSizeListBuilder::new(Int64Builder::new(), 2);
        for row in rows {
            row.unwrap_or_default().into_iter().for_each(|item| lists.values().append_option(item));
            lists.append(row.is_some());
        }
        Arc::new(lists.finish()) as ArrayRef
    };
    let mut maps = MapBuilder::new(None, StringBuilder::new(), Int64Builder::new());
    let mut odd_maps = MapBuilder::new(None, Int64Builder::new(), StringBuilder::new());
    for row in 0..3 {
        for key in 0..row {
            maps.keys().append_value(format!("k{key}"));
            maps.values().append_option((key == 0).then_some(7));
            odd_maps.keys().append_value(key);
            odd_maps.values().append_value("v");
        }
        maps.append(row != 1).unwrap();
        odd_maps.append(row != 1).unwrap();
    }
    let (maps, odd_maps): (ArrayRef, ArrayRef) = (Arc::new(maps.finish()), Arc::new(odd_maps.finish()));
    let union = |mut union: UnionBuilder| {
        union.append::<Int64Type>("a", 5).unwrap();
        union.append::<Float64Type>("b", 0.5).unwrap();
        union.append_null::<Int64Type>("a").unwrap();
        Arc::new(union.build().unwrap()) as ArrayRef
    };
    let (sparse, dense) = (union(UnionBuilder::new_sparse()), union(UnionBuilder::new_dense()));
    let twice = |array: &ArrayRef| (Arc::clone(array), Arc::clone(array));
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), Some(2), Some(-3)]));
    let structs = structs_of(&Field::new("v", DataType::Int64, true), &numbers);
    let without_fields: ArrayRef =
        Arc::new(StructArray::new_empty_fields(2, Some(NullBuffer::from(vec![true, false]))));
    let of = |name: &str, (common, extreme): (ArrayRef, ArrayRef)| column(name, common, extreme);
    let in_lists = |values: &ArrayRef| lists_of(&Field::new("v", values.data_type().clone(), true), values);
    vec![
        column("List(Int64)", lists!(ListBuilder, common), lists!(ListBuilder, extreme)),
        column("LargeList(Int64)", lists!(LargeListBuilder, common), lists!(LargeListBuilder, extreme)),
        column(
            "FixedSizeList(2, Int64)",
            fixed(&[Some([Some(1), Some(-2)]), None, Some([Some(3), Some(4)])]),
            fixed(&[Some([Some(i64::MIN), None]), Some([Some(i64::MAX), Some(0)])]),
        ),
        column("ListView(Int64)", lists!(ListViewBuilder, common), lists!(ListViewBuilder, extreme)),
        column(
            "LargeListView(Int64)",
            lists!(LargeListViewBuilder, common),
            lists!(LargeListViewBuilder, extreme),
        ),
        of("LargeList(LargeList(Int64))", twice(&in_lists(&lists!(LargeListBuilder, common)))),
        of("LargeList(Struct(v: Int64))", twice(&in_lists(&structs))),
        of("Struct(v: Int64)", twice(&structs)),
        of("Struct()", twice(&without_fields)),
        of("Map(Utf8, Int64)", twice(&maps)),
        of("Map(Int64, Utf8)", twice(&odd_maps)),
        of("Union, sparse", twice(&sparse)),
        of("Union, dense", twice(&dense)),
    ]
}
