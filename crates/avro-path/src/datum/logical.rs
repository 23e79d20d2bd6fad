//! Values of logical types as texts.

use std::fmt::Write as _;

use crate::schema::Logical;

const SECONDS_OF_DAY: i64 = 86_400;
/// Bytes of a decimal beyond which it is not written as a number: that takes the square of their number in time.
const DECIMAL_BYTES: usize = 128;

/// A date, a time or a timestamp in ISO 8601, with as many digits of a second as its unit has. `None` for other types, and
/// for times that are not of a day.
pub(super) fn moment(logical: Logical, value: i64) -> Option<String> {
    match logical {
        Logical::Date => Some(date(value)),
        Logical::TimeMillis => time(value, 3),
        Logical::TimeMicros => time(value, 6),
        Logical::TimestampMillis => Some(timestamp(value, 3) + "Z"),
        Logical::TimestampMicros => Some(timestamp(value, 6) + "Z"),
        Logical::TimestampNanos => Some(timestamp(value, 9) + "Z"),
        Logical::LocalTimestampMillis => Some(timestamp(value, 3)),
        Logical::LocalTimestampMicros => Some(timestamp(value, 6)),
        Logical::LocalTimestampNanos => Some(timestamp(value, 9)),
        _ => None,
    }
}

/// A decimal as a number, a UUID as its usual text, a duration in ISO 8601. `None` for other types.
pub(super) fn of_bytes(logical: Logical, bytes: &[u8]) -> Option<String> {
    match logical {
        Logical::Decimal { scale, .. } => decimal(bytes, usize::try_from(scale).ok()?),
        Logical::Uuid => uuid(bytes),
        Logical::Duration => duration(bytes),
        _ => None,
    }
}

fn date(days: i64) -> String {
    // The days since 0000-03-01, in eras of 400 years, so that a leap day is the last of its year.
    let days = days.saturating_add(719_468);
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, month) = (day - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    let year = year + era * 400 + i64::from(month <= 2);
    if (0..=9999).contains(&year) {
        format!("{year:04}-{month:02}-{day:02}")
    } else {
        format!("{year:+05}-{month:02}-{day:02}")
    }
}

/// A time in units of a second with `digits` digits after the point.
fn time(value: i64, digits: u32) -> Option<String> {
    let unit = 10_i64.pow(digits);
    if !(0..SECONDS_OF_DAY * unit).contains(&value) {
        return None;
    }
    let (seconds, part) = (value / unit, value % unit);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    Some(format!("{hour:02}:{minute:02}:{second:02}.{part:0width$}", width = digits as usize))
}

fn timestamp(value: i64, digits: u32) -> String {
    let day = SECONDS_OF_DAY.saturating_mul(10_i64.pow(digits));
    let time = time(value.rem_euclid(day), digits).unwrap_or_default();
    format!("{}T{time}", date(value.div_euclid(day)))
}

/// A number in two's complement, big-endian, of which `scale` digits stand after the point.
fn decimal(bytes: &[u8], scale: usize) -> Option<String> {
    let negative = bytes.first().is_some_and(|&first| first >= 0x80);
    if bytes.len() > DECIMAL_BYTES || scale > 2 * DECIMAL_BYTES * 3 {
        return None;
    }
    // Digits of base 10^9, the lowest first.
    let mut digits: Vec<u64> = Vec::new();
    let mut add = |factor: u64, more: u64| {
        let mut carry = more;
        for digit in &mut digits {
            let sum = *digit * factor + carry;
            *digit = sum % 1_000_000_000;
            carry = sum / 1_000_000_000;
        }
        if carry > 0 {
            digits.push(carry);
        }
    };
    for &byte in bytes {
        add(256, u64::from(if negative { !byte } else { byte }));
    }
    if negative {
        add(1, 1);
    }
    let mut text = String::new();
    for (at, digit) in digits.iter().rev().enumerate() {
        let width = if at == 0 { 1 } else { 9 };
        let _ = write!(text, "{digit:0width$}");
    }
    let text = format!("{text:0>width$}", width = scale + 1);
    let (whole, part) = text.split_at_checked(text.len().saturating_sub(scale))?;
    let sign = if negative { "-" } else { "" };
    let point = if scale > 0 { "." } else { "" };
    Some(format!("{sign}{whole}{point}{part}"))
}

fn uuid(bytes: &[u8]) -> Option<String> {
    let bytes: &[u8; 16] = bytes.try_into().ok()?;
    let mut text = String::with_capacity(36);
    for (at, byte) in bytes.iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        let _ = write!(text, "{byte:02x}");
    }
    Some(text)
}

/// Months, days and milliseconds.
fn duration(bytes: &[u8]) -> Option<String> {
    let bytes: &[u8; 12] = bytes.try_into().ok()?;
    let (parts, _) = bytes.as_chunks::<4>();
    let [months, days, millis] =
        [0, 1, 2].map(|at| parts.get(at).map_or(0, |part| u32::from_le_bytes(*part)));
    Some(format!("P{months}M{days}DT{}.{:03}S", millis / 1000, millis % 1000))
}

#[cfg(test)]
mod tests {
    use super::{moment, of_bytes};
    use crate::schema::Logical;

    #[test]
    fn dates_and_times() {
        for (logical, value, text) in [
            (Logical::Date, 0, "1970-01-01"),
            (Logical::Date, 19_000, "2022-01-08"),
            (Logical::Date, -1, "1969-12-31"),
            (Logical::Date, 11_016, "2000-02-29"),
            (Logical::Date, -719_529, "-0001-12-31"),
            (Logical::Date, i64::from(i32::MAX), "+5881580-07-11"),
            (Logical::TimeMillis, 45_296_789, "12:34:56.789"),
            (Logical::TimeMicros, 0, "00:00:00.000000"),
            (Logical::TimestampMillis, 1_000_000_000_000, "2001-09-09T01:46:40.000Z"),
            (Logical::TimestampMicros, -1, "1969-12-31T23:59:59.999999Z"),
            (Logical::TimestampNanos, i64::MIN, "1677-09-21T00:12:43.145224192Z"),
            (Logical::LocalTimestampMillis, 5, "1970-01-01T00:00:00.005"),
            (Logical::TimestampMillis, i64::MAX, "+292278994-08-17T07:12:55.807Z"),
        ] {
            assert_eq!(moment(logical, value).as_deref(), Some(text), "{logical:?} {value}");
        }
        assert_eq!(moment(Logical::TimeMillis, 86_400_000), None);
        assert_eq!(moment(Logical::TimeMicros, -1), None);
    }

    #[test]
    fn bytes() {
        let decimal = |scale| Logical::Decimal { precision: 40, scale };
        for (logical, bytes, text) in [
            (decimal(2), &[0, 100][..], "1.00"),
            (decimal(2), &[0xff], "-0.01"),
            (decimal(0), &[0x80], "-128"),
            (decimal(3), &[], "0.000"),
            (decimal(0), &[0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], "2361183241434822606847"),
            (decimal(1), &[0x80, 0, 0, 0, 0, 0, 0, 0, 0], "-236118324143482260684.8"),
            (Logical::Duration, &[1, 0, 0, 0, 2, 0, 0, 0, 0xd2, 4, 0, 0], "P1M2DT1.234S"),
        ] {
            assert_eq!(of_bytes(logical, bytes).as_deref(), Some(text), "{bytes:?}");
        }
        let uuid = of_bytes(Logical::Uuid, &[0x12; 16]);
        assert_eq!(uuid.as_deref(), Some("12121212-1212-1212-1212-121212121212"));
        assert_eq!(of_bytes(decimal(0), &[1; 200]), None);
    }
}
