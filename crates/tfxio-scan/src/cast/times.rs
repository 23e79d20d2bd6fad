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
use tfxio_core::Count;

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

/// Returns the number of decimal digits of the fraction of a second.
pub(super) fn fraction_digits(unit: TimeUnit) -> u32 {
    match unit {
        TimeUnit::Second => 0,
        TimeUnit::Millisecond => 3,
        TimeUnit::Microsecond => 6,
        TimeUnit::Nanosecond => 9,
    }
}

fn name(nanoseconds: i64) -> &'static str {
    match nanoseconds {
        DAY => "day",
        1_000_000_000 => "second",
        1_000_000 => "millisecond",
        1_000 => "microsecond",
        _ => "nanosecond",
    }
}

/// Returns what the numbers mean that values of a type become, in their own unit or another.
pub fn meaning(data_type: &DataType, other: Option<TimeUnit>) -> Option<String> {
    let unit = name(other.map(nanoseconds).or(unit(data_type))?);
    Some(match data_type {
        DataType::Date32 | DataType::Date64 => format!("dates become the number of {unit}s since 1970-01-01"),
        DataType::Timestamp(_, None) => {
            format!("timestamps become the number of {unit}s since 1970-01-01 00:00")
        }
        DataType::Timestamp(..) => {
            format!(
                "timestamps become the number of {unit}s since 1970-01-01 00:00 UTC, without their time zone"
            )
        }
        DataType::Duration(_) => format!("durations become the number of {unit}s"),
        _ => format!("times of day become the number of {unit}s since midnight"),
    })
}

/// Returns what is lost where times are kept without the name of their time zone.
pub fn zone_loss(data_type: &DataType) -> Option<String> {
    const UTC: [&str; 5] = ["UTC", "Etc/UTC", "Z", "+00:00", "+0000"];
    match data_type {
        DataType::Timestamp(_, Some(zone)) if !UTC.contains(&&**zone) => {
            Some(format!("the time zone {zone:?} is not kept, the times are in UTC"))
        }
        _ => None,
    }
}

/// Returns what is lost of a column where times are kept without the names of their time zones.
pub fn zone_losses(data_type: &DataType) -> Vec<String> {
    let mut found = Vec::new();
    super::plan::leaves(data_type, &mut |values| {
        found.extend(zone_loss(values).filter(|loss| !found.contains(loss)));
    });
    found
}

/// Returns the type that has the same times for readers that do not know this one: seconds in milliseconds, and days for dates in
/// milliseconds.
pub(super) fn common(data_type: &DataType) -> Option<DataType> {
    Some(match data_type {
        DataType::Timestamp(TimeUnit::Second, zone) => {
            DataType::Timestamp(TimeUnit::Millisecond, zone.clone())
        }
        DataType::Time32(TimeUnit::Second) => DataType::Time32(TimeUnit::Millisecond),
        DataType::Date64 => DataType::Date32,
        _ => return None,
    })
}

/// Returns whether values of a column, through lists and structs, have a common type that is another.
pub fn has_common(data_type: &DataType) -> bool {
    match data_type {
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _)
        | DataType::RunEndEncoded(_, item) => has_common(item.data_type()),
        DataType::Dictionary(_, values) => has_common(values),
        DataType::Struct(fields) => fields.iter().any(|field| has_common(field.data_type())),
        values => common(values).is_some(),
    }
}

/// Returns values of the type that [`common`] returns; a value that the type cannot represent does not fit.
pub(super) fn commonly(values: &ArrayRef) -> Result<ArrayRef, Unfit> {
    match values.data_type() {
        DataType::Timestamp(TimeUnit::Second, zone) => {
            let scaled = ticks(values, TimeUnit::Millisecond)?;
            let times = scaled.as_primitive::<Int64Type>().reinterpret_cast::<TimestampMillisecondType>();
            Ok(Arc::new(times.with_timezone_opt(zone.clone())))
        }
        DataType::Time32(_) => {
            let wrong =
                |value: i32| format!("{value} seconds are not a time of day in milliseconds of 32 bits");
            each::<Time32SecondType, Time32MillisecondType>(values, |value| value.checked_mul(1_000), wrong)
        }
        _ => {
            const DAY: i64 = 86_400_000;
            let days = |value: i64| if value % DAY == 0 { i32::try_from(value / DAY).ok() } else { None };
            each::<Date64Type, Date32Type>(values, days, |value| {
                let time = Count::of(value, "millisecond");
                format!("{time} since 1970-01-01 {} not a whole number of days", time.verb("is", "are"))
            })
        }
    }
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
        let time = Count::of(value, name(from));
        format!("{time} {} not a whole number of {}s of 64 bits", time.verb("is", "are"), name(to))
    })
}
