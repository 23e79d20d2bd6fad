//! Dates, times, timestamps and durations as integers.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    Date32Type, Date64Type, DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType,
    DurationSecondType, Int64Type, Time32MillisecondType, Time32SecondType, Time64MicrosecondType,
    Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};

use super::leaf::{Unfit, as_numbers, each};

const DAY: i64 = 86_400_000_000_000;

/// Returns the nanoseconds of the unit that values of a type count.
pub(super) fn unit(data_type: &DataType) -> Option<i64> {
    Some(match data_type {
        DataType::Date32 => DAY,
        DataType::Date64 => nanoseconds(TimeUnit::Millisecond),
        DataType::Timestamp(unit, _)
        | DataType::Time32(unit)
        | DataType::Time64(unit)
        | DataType::Duration(unit) => nanoseconds(*unit),
        _ => return None,
    })
}

fn nanoseconds(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1_000_000_000,
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1_000,
        TimeUnit::Nanosecond => 1,
    }
}

fn name(nanoseconds: i64) -> &'static str {
    match nanoseconds {
        DAY => "days",
        1_000_000_000 => "seconds",
        1_000_000 => "milliseconds",
        1_000 => "microseconds",
        _ => "nanoseconds",
    }
}

/// Returns what the numbers mean that values of a type become, in their own unit or another.
pub(crate) fn meaning(data_type: &DataType, other: Option<TimeUnit>) -> Option<String> {
    let unit = name(other.map(nanoseconds).or(unit(data_type))?);
    Some(match data_type {
        DataType::Date32 | DataType::Date64 => format!("dates become the number of {unit} since 1970-01-01"),
        DataType::Timestamp(_, None) => {
            format!("timestamps become the number of {unit} since 1970-01-01 00:00")
        }
        DataType::Timestamp(..) => {
            format!(
                "timestamps become the number of {unit} since 1970-01-01 00:00 UTC, without their time zone"
            )
        }
        DataType::Duration(_) => format!("durations become the number of {unit}"),
        _ => format!("times of day become the number of {unit} since midnight"),
    })
}

/// Returns the numbers that are stored.
pub(super) fn numbers(values: &ArrayRef) -> ArrayRef {
    let days = |days: i32| i64::from(days);
    match values.data_type() {
        DataType::Date32 => Arc::new(values.as_primitive::<Date32Type>().unary::<_, Int64Type>(days)),
        DataType::Time32(TimeUnit::Second) => {
            Arc::new(values.as_primitive::<Time32SecondType>().unary::<_, Int64Type>(days))
        }
        DataType::Time32(_) => {
            Arc::new(values.as_primitive::<Time32MillisecondType>().unary::<_, Int64Type>(days))
        }
        DataType::Date64 => as_numbers::<Date64Type>(values),
        DataType::Time64(TimeUnit::Microsecond) => as_numbers::<Time64MicrosecondType>(values),
        DataType::Time64(_) => as_numbers::<Time64NanosecondType>(values),
        DataType::Timestamp(TimeUnit::Second, _) => as_numbers::<TimestampSecondType>(values),
        DataType::Timestamp(TimeUnit::Millisecond, _) => as_numbers::<TimestampMillisecondType>(values),
        DataType::Timestamp(TimeUnit::Microsecond, _) => as_numbers::<TimestampMicrosecondType>(values),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => as_numbers::<TimestampNanosecondType>(values),
        DataType::Duration(TimeUnit::Second) => as_numbers::<DurationSecondType>(values),
        DataType::Duration(TimeUnit::Millisecond) => as_numbers::<DurationMillisecondType>(values),
        DataType::Duration(TimeUnit::Microsecond) => as_numbers::<DurationMicrosecondType>(values),
        DataType::Duration(TimeUnit::Nanosecond) => as_numbers::<DurationNanosecondType>(values),
        _ => Arc::clone(values),
    }
}

/// Returns how many of a unit values are; one that is not a whole number of them, or too many, does not fit.
pub(super) fn ticks(values: &ArrayRef, to: TimeUnit) -> Result<ArrayRef, Unfit> {
    let (from, to) = (unit(values.data_type()).unwrap_or(1), nanoseconds(to));
    let stored = numbers(values);
    let (factor, divisor) = if from >= to { (from / to, 1) } else { (1, to / from) };
    let convert = |value: i64| {
        if divisor > 1 {
            (value % divisor == 0).then_some(value / divisor)
        } else {
            value.checked_mul(factor)
        }
    };
    each::<Int64Type, Int64Type>(&stored, convert, |value| {
        format!("{value} {} are not a whole number of {} of 64 bits", name(from), name(to))
    })
}
