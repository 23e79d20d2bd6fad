//! Reading of dates and times off the front of a text.

use super::{EPOCH_DAYS, ERA_DAYS};

/// Most digits of a year, and of a fraction of a second.
const MOST_DIGITS: usize = 18;

/// Time of day as a text has it: whole seconds, and a decimal fraction of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Time {
    seconds: i64,
    fraction: i64,
    /// Digits of the fraction, at most [`MOST_DIGITS`].
    digits: u32,
}

impl Time {
    /// Returns the time in ticks, of which a second has `per_second`; `None` if they are too coarse for its fraction.
    #[inline]
    #[must_use]
    pub fn ticks(self, per_second: i64) -> Option<i128> {
        let whole = i128::from(self.seconds) * i128::from(per_second);
        if self.fraction == 0 {
            return Some(whole);
        }
        let (fraction, scale) = (i128::from(self.fraction) * i128::from(per_second), 10i128.pow(self.digits));
        (fraction % scale == 0).then(|| whole + fraction / scale)
    }
}

/// Takes a date off a text, and returns the number of days since 1970-01-01. A year of more than four digits has a sign:
/// `2026-11-24`, `+12026-11-24`, `-0001-11-24`.
///
/// ```
/// let mut text = &b"2024-02-29T23:59"[..];
/// assert_eq!(tfxio_base::iso8601::take_date(&mut text), Some(19_782));
/// assert_eq!(text, b"T23:59");
/// ```
#[inline]
#[must_use]
pub fn take_date(text: &mut &[u8]) -> Option<i128> {
    let (sign, is_signed) = match text.first()? {
        b'-' => (-1, true),
        b'+' => (1, true),
        _ => (1, false),
    };
    if is_signed {
        *text = text.get(1..)?;
    }
    let year = sign * digits(text, 4, is_signed)?;
    byte(text, b'-')?;
    let month = digits(text, 2, false)?;
    byte(text, b'-')?;
    let day = digits(text, 2, false)?;
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=last).contains(&day) {
        return None;
    }
    let year = year - i64::from(month <= 2);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let of_era = year.rem_euclid(400);
    let day = of_era * 365 + of_era / 4 - of_era / 100 + of_year - EPOCH_DAYS;
    Some(i128::from(year.div_euclid(400)) * i128::from(ERA_DAYS) + i128::from(day))
}

/// Takes a time of day off a text: `23:59:59`, `23:59:59.5`, and `23:59` unless seconds are needed. A fraction has at most
/// 18 digits.
#[inline]
#[must_use]
pub fn take_time(text: &mut &[u8], needs_seconds: bool) -> Option<Time> {
    let hours = digits(text, 2, false).filter(|hours| *hours < 24)?;
    byte(text, b':')?;
    let minutes = digits(text, 2, false).filter(|minutes| *minutes < 60)?;
    let mut time = Time { seconds: (hours * 60 + minutes) * 60, fraction: 0, digits: 0 };
    if !needs_seconds && text.first() != Some(&b':') {
        return Some(time);
    }
    byte(text, b':')?;
    time.seconds += digits(text, 2, false).filter(|seconds| *seconds < 60)?;
    if text.first() == Some(&b'.') {
        *text = text.get(1..).unwrap_or_default();
        let before = text.len();
        time.fraction = digits(text, 1, true)?;
        time.digits = u32::try_from(before - text.len()).ok()?;
    }
    Some(time)
}

/// Takes an offset from UTC off a text, and returns it in seconds to the east: `Z`, `+02:00`, `-0530`.
#[inline]
#[must_use]
pub fn take_offset(text: &mut &[u8]) -> Option<i64> {
    let (first, rest) = text.split_first()?;
    *text = rest;
    let sign = match first {
        b'Z' | b'z' => return Some(0),
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let hours = digits(text, 2, false).filter(|hours| *hours < 24)?;
    if text.first() == Some(&b':') {
        *text = text.get(1..)?;
    }
    let minutes = digits(text, 2, false).filter(|minutes| *minutes < 60)?;
    Some(sign * (hours * 60 + minutes) * 60)
}

/// Takes this many digits off a text, or at least as many and at most [`MOST_DIGITS`].
#[inline]
fn digits(text: &mut &[u8], count: usize, or_more: bool) -> Option<i64> {
    let found = text.iter().take(MOST_DIGITS).take_while(|byte| byte.is_ascii_digit()).count();
    let count = if or_more { found.max(count) } else { count };
    let (number, rest) = text.split_at_checked(count).filter(|_| found >= count)?;
    *text = rest;
    Some(number.iter().fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0')))
}

#[inline]
fn byte(text: &mut &[u8], wanted: u8) -> Option<()> {
    let (first, rest) = text.split_first()?;
    *text = rest;
    (*first == wanted).then_some(())
}

#[cfg(test)]
mod tests {
    use super::{take_date, take_offset, take_time};
    use crate::iso8601::date;

    fn whole<T>(text: &str, take: impl Fn(&mut &[u8]) -> Option<T>) -> Option<T> {
        let mut rest = text.as_bytes();
        take(&mut rest).filter(|_| rest.is_empty())
    }

    #[test]
    fn dates_are_read_as_they_are_written() {
        let (first, last) = (i64::MIN / 86_400, i64::MAX / 86_400);
        let days = (-95_700_000..95_000_000).step_by(9_973).chain(-800_000..-600_000).chain([first, last]);
        for day in days {
            assert_eq!(whole(&date(day), take_date), Some(day.into()), "{}", date(day));
        }
        for (text, days) in [
            ("1970-01-01", Some(0)),
            ("2000-02-29", Some(11_016)),
            ("0001-01-01", Some(-719_162)),
            ("-0001-12-31", Some(-719_529)),
            ("+292277026596-12-04", Some(106_751_991_167_300)),
            ("1900-02-29", None),
            ("2023-13-01", None),
            ("2023-00-01", None),
            ("2023-1-01", None),
            ("2023-01-00", None),
            ("70-01-01", None),
            ("12026-01-01", None),
            ("+-1-01-01", None),
            ("+9999999999999999999-01-01", None),
            ("", None),
            ("-", None),
        ] {
            assert_eq!(whole(text, take_date), days, "{text}");
        }
        assert!(whole("-999999999999999999-12-31", take_date).is_some());
    }

    #[test]
    fn times_keep_all_digits() {
        let ticks =
            |text, per_second| whole(text, |text| take_time(text, false)).map(|time| time.ticks(per_second));
        assert_eq!(ticks("23:59", 1), Some(Some(86_340)));
        assert_eq!(ticks("23:59:59.5", 1_000), Some(Some(86_399_500)));
        assert_eq!(ticks("00:00:01.500000000000", 1_000), Some(Some(1_500)));
        assert_eq!(ticks("00:00:00.0001", 1_000), Some(None));
        assert_eq!(ticks("00:00:00.000000000000000001", i64::MAX), Some(None));
        assert_eq!(ticks("23:59:59.999999999999999999", 1_000_000_000), Some(None));
        for text in
            ["24:00", "00:60", "00:00:60", "0:00", "00:00:00.", "00:00:00.0000000000000000000", "00:0", ""]
        {
            assert_eq!(ticks(text, 1), None, "{text}");
        }
        assert_eq!(whole("23:59", |text| take_time(text, true)), None);
    }

    #[test]
    fn offsets_are_seconds_to_the_east() {
        for (text, seconds) in [
            ("Z", Some(0)),
            ("z", Some(0)),
            ("+02:00", Some(7_200)),
            ("-0530", Some(-19_800)),
            ("+24:00", None),
            ("+02:60", None),
            ("02:00", None),
            ("+2", None),
            ("Zulu", None),
            ("", None),
        ] {
            assert_eq!(whole(text, take_offset), seconds, "{text}");
        }
    }
}
