//! Dates, times and durations as ISO 8601 has them.

use std::fmt::Write as _;

use arrow_array::Array;
use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    ArrowTemporalType, Date32Type, Date64Type, DurationMicrosecondType, DurationMillisecondType,
    DurationNanosecondType, DurationSecondType, IntervalDayTimeType, IntervalMonthDayNanoType,
    IntervalYearMonthType, Time32MillisecondType, Time32SecondType, Time64MicrosecondType,
    Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType,
};
use arrow_schema::{DataType, IntervalUnit, TimeUnit};

use tfxio_base::iso8601;

/// Returns a date, time or duration of a row with the digits that its unit has, durations without zeros at their end; a year of
/// more than four digits has a sign; a number that is not a time of day stays as it is; `None` of other types.
pub(crate) fn text(column: &dyn Array, row: usize) -> Option<String> {
    use TimeUnit::{Microsecond, Millisecond, Nanosecond, Second};

    Some(match column.data_type() {
        DataType::Date32 => iso8601::date(column.as_primitive::<Date32Type>().value(row).into()),
        DataType::Date64 => iso8601::date_or_time(column.as_primitive::<Date64Type>().value(row)),
        DataType::Time32(Second) => time::<Time32SecondType>(column, row, "%T"),
        DataType::Time32(_) => time::<Time32MillisecondType>(column, row, "%T%.3f"),
        DataType::Time64(Microsecond) => time::<Time64MicrosecondType>(column, row, "%T%.6f"),
        DataType::Time64(_) => time::<Time64NanosecondType>(column, row, "%T%.9f"),
        DataType::Timestamp(unit, zone) => {
            // Whatever the zone, what is stored is UTC.
            let zone = if zone.is_some() { "Z" } else { "" };
            let (ticks, digits) = match unit {
                Second => (column.as_primitive::<TimestampSecondType>().value(row), 0),
                Millisecond => (column.as_primitive::<TimestampMillisecondType>().value(row), 3),
                Microsecond => (column.as_primitive::<TimestampMicrosecondType>().value(row), 6),
                Nanosecond => (column.as_primitive::<TimestampNanosecondType>().value(row), 9),
            };
            format!("{}{zone}", iso8601::date_time(ticks, digits))
        }
        DataType::Duration(unit) => {
            let (number, digits) = match unit {
                Second => (column.as_primitive::<DurationSecondType>().value(row), 0),
                Millisecond => (column.as_primitive::<DurationMillisecondType>().value(row), 3),
                Microsecond => (column.as_primitive::<DurationMicrosecondType>().value(row), 6),
                Nanosecond => (column.as_primitive::<DurationNanosecondType>().value(row), 9),
            };
            let sign = if number < 0 { "-" } else { "" };
            format!("{sign}{}", period(0, 0, i128::from(number.unsigned_abs()), digits))
        }
        DataType::Interval(IntervalUnit::YearMonth) => {
            period(column.as_primitive::<IntervalYearMonthType>().value(row), 0, 0, 0)
        }
        DataType::Interval(IntervalUnit::DayTime) => {
            let value = column.as_primitive::<IntervalDayTimeType>().value(row);
            period(0, value.days, value.milliseconds.into(), 3)
        }
        DataType::Interval(IntervalUnit::MonthDayNano) => {
            let value = column.as_primitive::<IntervalMonthDayNanoType>().value(row);
            period(value.months, value.days, value.nanoseconds.into(), 9)
        }
        _ => return None,
    })
}

fn time<T: ArrowTemporalType>(column: &dyn Array, row: usize, format: &str) -> String
where
    i64: From<T::Native>,
{
    let times = column.as_primitive::<T>();
    let text = times.value_as_time(row).map(|time| time.format(format).to_string());
    text.unwrap_or_else(|| i64::from(times.value(row)).to_string())
}

/// A duration of months, days, and fractions of a second of this many digits: `P1Y2M3DT4H5M6.789S`.
fn period(months: i32, days: i32, fractions: i128, digits: u32) -> String {
    let mut out = String::from("P");
    part(&mut out, (months / 12).into(), "Y");
    part(&mut out, (months % 12).into(), "M");
    part(&mut out, days.into(), "D");
    if fractions != 0 {
        let unit = 10i128.pow(digits);
        let (seconds, fraction) = (fractions / unit, (fractions % unit).unsigned_abs());
        out.push('T');
        part(&mut out, seconds / 3600, "H");
        part(&mut out, seconds / 60 % 60, "M");
        if fraction == 0 {
            part(&mut out, seconds % 60, "S");
        } else {
            let sign = if fractions < 0 { "-" } else { "" };
            let fraction = format!("{fraction:0>width$}", width = digits as usize);
            let seconds = (seconds % 60).abs();
            let _ = write!(out, "{sign}{seconds}.{}S", fraction.trim_end_matches('0'));
        }
    }
    if out == "P" { "PT0S".to_owned() } else { out }
}

fn part(out: &mut String, number: i128, unit: &str) {
    if number != 0 {
        let _ = write!(out, "{number}{unit}");
    }
}

#[cfg(test)]
mod tests {
    use super::period;

    #[test]
    fn durations() {
        for (months, days, fractions, digits, expected) in [
            (0, 0, 0, 3, "PT0S"),
            (14, 3, 4_005, 3, "P1Y2M3DT4.005S"),
            (0, 0, 93_784_000, 3, "PT26H3M4S"),
            (0, 0, 90, 0, "PT1M30S"),
            (-1, 2, -1_500_000_000, 9, "P-1M2DT-1.5S"),
            (0, 0, -500, 3, "PT-0.5S"),
            (0, -1, 0, 3, "P-1D"),
            (0, 0, i128::from(i64::MIN), 9, "PT-2562047H-47M-16.854775808S"),
        ] {
            assert_eq!(period(months, days, fractions, digits), expected);
        }
    }
}
