//! Tests of the types that hold the values of two types.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, IntervalUnit, TimeUnit};

use super::{Unlike, merged};

fn types() -> Vec<DataType> {
    use DataType as T;
    use TimeUnit::{Microsecond as Us, Millisecond as Ms, Nanosecond as Ns, Second as S};
    let mut types = vec![
        T::Null,
        T::Boolean,
        T::Int8,
        T::Int16,
        T::Int32,
        T::Int64,
        T::UInt8,
        T::UInt16,
        T::UInt32,
        T::UInt64,
        T::Float16,
        T::Float32,
        T::Float64,
        T::Decimal32(5, 2),
        T::Decimal64(18, 0),
        T::Decimal128(38, 4),
        T::Decimal256(76, 10),
        T::Utf8,
        T::LargeUtf8,
        T::Utf8View,
        T::Binary,
        T::LargeBinary,
        T::BinaryView,
        T::FixedSizeBinary(4),
        T::FixedSizeBinary(16),
        T::Date32,
        T::Date64,
        T::Time32(S),
        T::Time32(Ms),
        T::Time64(Us),
        T::Time64(Ns),
        T::Interval(IntervalUnit::MonthDayNano),
        T::Interval(IntervalUnit::YearMonth),
    ];
    for unit in [S, Ms, Us, Ns] {
        types.push(T::Duration(unit));
        types.extend(
            [None, Some("UTC".into()), Some("Europe/Paris".into())].map(|zone| T::Timestamp(unit, zone)),
        );
    }
    for values in [T::Utf8, T::Int32] {
        types.push(T::Dictionary(Box::new(T::Int8), Box::new(values.clone())));
        types.push(T::Dictionary(Box::new(T::Int32), Box::new(values.clone())));
        let ends = Arc::new(Field::new("run_ends", T::Int32, false));
        types.push(T::RunEndEncoded(ends, Arc::new(Field::new("values", values, true))));
    }
    for item in [T::Int32, T::Int64, T::Utf8] {
        let item = || Arc::new(Field::new("item", item.clone(), true));
        types.extend([
            T::List(item()),
            T::LargeList(item()),
            T::ListView(item()),
            T::FixedSizeList(item(), 2),
            T::FixedSizeList(item(), 3),
        ]);
        let of = |name: &str| Field::new(name, item().data_type().clone(), false);
        types.push(T::Struct(Fields::from(vec![of("a"), of("b")])));
        types.push(T::Struct(Fields::from(vec![of("b"), of("a")])));
        let entries = T::Struct(Fields::from(vec![Field::new("key", T::Utf8, false), of("value")]));
        types.push(T::Map(Arc::new(Field::new("entries", entries, false)), false));
    }
    types
}

/// Returns a type with the fields of structs by name, as their order is that of the first.
fn sorted(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Struct(fields) => {
            let mut fields = fields.iter().cloned().collect::<Vec<_>>();
            fields.sort_by(|a, b| a.name().cmp(b.name()));
            DataType::Struct(fields.into())
        }
        other => other.clone(),
    }
}

#[test]
fn the_merged_type_is_one_of_both() {
    let mut merging = 0;
    for first in &types() {
        assert_eq!(merged(first, first, false).as_ref(), Ok(first));
        for second in &types() {
            let both = merged(first, second, false);
            let other = merged(second, first, false);
            let Ok(both) = both else {
                assert!(other.is_err(), "{first} and {second}");
                assert!(matches!(both, Err(Unlike::Types(..))), "{first} and {second}");
                continue;
            };
            assert_eq!(sorted(&both), sorted(&other.unwrap()), "{first} and {second}");
            // A third file of either type changes nothing.
            for third in [first, second] {
                assert_eq!(merged(&both, third, false).as_ref(), Ok(&both), "{first}, {second}, {third}");
            }
            merging += usize::from(first != second);
        }
    }
    assert!(merging > 400, "{merging}");
}

#[test]
fn types_that_may_be_read_in_two_ways_are_not_merged() {
    use DataType as T;
    let zoned = T::Timestamp(TimeUnit::Second, Some("UTC".into()));
    for (first, second) in [
        (T::Int64, T::UInt64),
        (T::Boolean, T::Int8),
        (T::Utf8, T::Binary),
        (T::Utf8, T::Int64),
        (T::Date32, T::Timestamp(TimeUnit::Second, None)),
        (T::Timestamp(TimeUnit::Second, None), zoned),
        (T::Decimal128(38, 0), T::Int64),
        (T::Decimal256(76, 0), T::Decimal256(76, 1)),
        (T::new_list(T::Int64, true), T::Int64),
        (T::Interval(IntervalUnit::DayTime), T::Interval(IntervalUnit::MonthDayNano)),
    ] {
        let unlike = Unlike::Types(Vec::new(), first.clone(), second.clone());
        assert_eq!(merged(&first, &second, true), Err(unlike));
    }
}

#[test]
fn numbers_have_the_narrowest_type_that_holds_them() {
    use DataType as T;
    for (first, second, both) in [
        (T::Int8, T::Int16, T::Int16),
        (T::Int8, T::UInt8, T::Int16),
        (T::Int8, T::UInt16, T::Int32),
        (T::Int64, T::UInt32, T::Int64),
        (T::UInt8, T::UInt64, T::UInt64),
        (T::Int16, T::Float16, T::Float32),
        (T::UInt16, T::Float32, T::Float32),
        (T::Int32, T::Float32, T::Float64),
        (T::Int64, T::Float64, T::Float64),
        (T::Float16, T::Float32, T::Float32),
        (T::Decimal128(10, 2), T::Decimal128(8, 4), T::Decimal128(12, 4)),
        (T::Decimal32(5, 2), T::Decimal64(18, 0), T::Decimal128(20, 2)),
        (T::Decimal128(38, 0), T::Decimal128(38, 2), T::Decimal256(40, 2)),
        (T::Decimal128(5, -2), T::Decimal128(5, 0), T::Decimal128(7, 0)),
    ] {
        assert_eq!(merged(&first, &second, false), Ok(both), "{first} and {second}");
    }
}

#[test]
fn fields_of_structs_are_missing_only_in_a_union() {
    let of = |names: &[&str]| {
        let fields = names.iter().map(|name| Field::new(*name, DataType::Int64, false));
        DataType::Struct(fields.collect())
    };
    let (first, second) = (of(&["a", "b"]), of(&["b", "c"]));
    assert_eq!(merged(&first, &second, false), Err(Unlike::NotInSecond(vec!["a".to_owned()])));
    assert_eq!(merged(&of(&["b"]), &second, false), Err(Unlike::NotInFirst(vec!["c".to_owned()])));
    let DataType::Struct(both) = merged(&first, &second, true).unwrap() else { unreachable!() };
    let both = both.iter().map(|field| (field.name().as_str(), field.is_nullable())).collect::<Vec<_>>();
    assert_eq!(both, [("a", true), ("b", false), ("c", true)]);
    assert_eq!(merged(&of(&["a", "a"]), &second, true), Err(Unlike::Twice(vec!["a".to_owned()])));
}
