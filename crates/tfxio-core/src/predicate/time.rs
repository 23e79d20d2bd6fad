//! Dates and timestamps of predicates, as ISO 8601 has them.

use arrow_schema::TimeUnit;

use super::number::Among;

const NANOSECONDS: i128 = 1_000_000_000;
const DAY: i128 = 86_400 * NANOSECONDS;

/// Unit in which the numbers of a column count from 1970-01-01.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Times {
    Days,
    Units(TimeUnit),
}

impl Times {
    fn nanoseconds(self) -> i128 {
        match self {
            Self::Days => DAY,
            Self::Units(TimeUnit::Second) => NANOSECONDS,
            Self::Units(TimeUnit::Millisecond) => 1_000_000,
            Self::Units(TimeUnit::Microsecond) => 1_000,
            Self::Units(TimeUnit::Nanosecond) => 1,
        }
    }

    /// Returns where a date, or a date and a time of day, is among the numbers of a column; `None` of other texts. An offset such
    /// as `Z` or `+02:00` is one of columns with a time zone, where its absence means UTC.
    pub(crate) fn among(self, text: &str, has_zone: bool) -> Option<Among<i128>> {
        let (date, time) = match text.split_once(['T', ' ']) {
            Some((date, time)) => (date, Some(time)),
            None => (text, None),
        };
        let mut total = i128::from(days(date)?) * DAY;
        if let Some(time) = time {
            let (time, offset) = split_offset(time);
            total += of_day(time)?;
            if let Some(offset) = offset {
                total -= self::offset(offset).filter(|_| has_zone)?;
            }
        }
        let (whole, rest) = (total.div_euclid(self.nanoseconds()), total.rem_euclid(self.nanoseconds()));
        Some(if rest == 0 { Among::At(whole) } else { Among::After(whole) })
    }
}

/// Returns the number that this number of digits are, or any number of them.
fn digits(text: &str, count: Option<usize>) -> Option<i64> {
    let is_right =
        text.bytes().all(|byte| byte.is_ascii_digit()) && count.is_none_or(|count| text.len() == count);
    text.parse().ok().filter(|_| is_right)
}

/// Returns the days since 1970-01-01 of a date: `2026-11-24`, `+12026-11-24`, `-0001-11-24`.
fn days(text: &str) -> Option<i64> {
    const MOST_YEARS: i64 = 1_000_000_000_000;
    let (sign, rest) = match text.as_bytes().first()? {
        b'-' => (-1, text.get(1..)?),
        b'+' => (1, text.get(1..)?),
        _ => (1, text),
    };
    let mut parts = rest.splitn(3, '-');
    let year = parts.next().filter(|year| year.len() >= 4).and_then(|year| digits(year, None))?;
    let month = parts.next().and_then(|month| digits(month, Some(2)))?;
    let day = parts.next().and_then(|day| digits(day, Some(2)))?;
    let year = Some(sign * year).filter(|year| year.abs() < MOST_YEARS)?;
    let is_leap = year.rem_euclid(4) == 0 && (year.rem_euclid(100) != 0 || year.rem_euclid(400) == 0);
    let last = match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=last).contains(&day) {
        return None;
    }
    // Years that begin in March have their leap day at the end.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    Some(365 * year + leap_days + (153 * month + 2) / 5 + day - 1 - 719_468)
}

/// Splits the offset from UTC off a time of day.
fn split_offset(time: &str) -> (&str, Option<&str>) {
    match time.find(['Z', '+', '-']) {
        Some(at) => (time.get(..at).unwrap_or_default(), time.get(at..)),
        None => (time, None),
    }
}

/// Returns the nanoseconds of an offset from UTC: `Z`, `+02:00`, `-0530`.
fn offset(text: &str) -> Option<i128> {
    let sign = match text.as_bytes().first()? {
        b'Z' => return (text == "Z").then_some(0),
        b'-' => -1,
        _ => 1,
    };
    let (hours, minutes) = match text.get(1..)? {
        both if both.len() == 5 => both.split_once(':')?,
        both => both.split_at_checked(2)?,
    };
    let minutes = 60 * digits(hours, Some(2))? + digits(minutes, Some(2)).filter(|minutes| *minutes < 60)?;
    Some(i128::from(sign * minutes) * 60 * NANOSECONDS)
}

/// Returns the nanoseconds of a time of day: `12:30`, `12:30:15`, `12:30:15.123`.
fn of_day(text: &str) -> Option<i128> {
    let mut parts = text.splitn(3, ':');
    let hours = parts.next().and_then(|hours| digits(hours, Some(2))).filter(|hours| *hours < 24)?;
    let minutes =
        parts.next().and_then(|minutes| digits(minutes, Some(2))).filter(|minutes| *minutes < 60)?;
    let (seconds, fraction) = match parts.next() {
        Some(seconds) => seconds.split_once('.').unwrap_or((seconds, "0")),
        None => ("00", "0"),
    };
    let seconds = digits(seconds, Some(2)).filter(|seconds| *seconds < 60)?;
    let fraction = Some(fraction).filter(|fraction| (1..=9).contains(&fraction.len()))?;
    let fraction = digits(&format!("{fraction:0<9}"), Some(9))?;
    Some(i128::from(3600 * hours + 60 * minutes + seconds) * NANOSECONDS + i128::from(fraction))
}

#[cfg(test)]
mod tests {
    use arrow_array::Date32Array;
    use arrow_schema::TimeUnit;

    use super::{Times, days};
    use crate::predicate::number::Among;

    #[test]
    fn days_are_those_of_arrow() {
        for day in (-719_600..3_000_000).step_by(97).chain(-1000..1000) {
            let text = Date32Array::from(vec![day]).value_as_date(0).expect("a date").to_string();
            assert_eq!(days(&text), Some(day.into()), "{text}");
        }
        assert_eq!(days("+292277026596-12-04"), Some(106_751_991_167_300));
    }

    #[test]
    fn what_a_text_is_among_the_numbers_of_a_column() {
        let seconds = Times::Units(TimeUnit::Second);
        for (times, text, has_zone, expected) in [
            (Times::Days, "1970-01-02", false, Some(Among::At(1))),
            (Times::Days, "1970-01-02T00:00:01", false, Some(Among::After(1))),
            (Times::Days, "1969-12-31", false, Some(Among::At(-1))),
            (seconds, "1970-01-01", false, Some(Among::At(0))),
            (seconds, "1970-01-01 00:01", false, Some(Among::At(60))),
            (seconds, "1969-12-31T23:59:59.5", false, Some(Among::After(-1))),
            (seconds, "1970-01-01T02:00:00+02:00", true, Some(Among::At(0))),
            (seconds, "1970-01-01T00:00:00-0030", true, Some(Among::At(1800))),
            (seconds, "1970-01-01T00:00:00Z", true, Some(Among::At(0))),
            (seconds, "1970-01-01T00:00:00Z", false, None),
            (Times::Units(TimeUnit::Nanosecond), "1970-01-01T00:00:00.000000001", false, Some(Among::At(1))),
            (seconds, "1970-02-29", false, None),
            (seconds, "1972-02-29", false, Some(Among::At(68_169_600))),
            (seconds, "70-01-01", false, None),
            (seconds, "1970-1-1", false, None),
            (seconds, "1970-01-01T", false, None),
            (seconds, "1970-01-01T24:00", false, None),
            (seconds, "1970-01-01T00:00:00.", false, None),
            (seconds, "", false, None),
            (seconds, "+-1-01-01", false, None),
            (seconds, "99999999999999999999-01-01", false, None),
        ] {
            assert_eq!(times.among(text, has_zone), expected, "{text}");
        }
    }
}
