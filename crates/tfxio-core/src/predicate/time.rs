//! Dates and timestamps of predicates, as ISO 8601 has them.

use arrow_schema::TimeUnit;
use tfxio_base::iso8601;

use super::number::Among;

const NANOSECONDS: i64 = 1_000_000_000;
const DAY: i128 = 86_400 * NANOSECONDS as i128;

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
            Self::Units(TimeUnit::Second) => NANOSECONDS.into(),
            Self::Units(TimeUnit::Millisecond) => 1_000_000,
            Self::Units(TimeUnit::Microsecond) => 1_000,
            Self::Units(TimeUnit::Nanosecond) => 1,
        }
    }

    /// Returns where a date, or a date and a time of day, is among the numbers of a column; `None` of other texts. An offset such
    /// as `Z` or `+02:00` is one of columns with a time zone, where its absence means UTC.
    pub(crate) fn among(self, text: &str, has_zone: bool) -> Option<Among<i128>> {
        let mut text = text.as_bytes();
        let mut total = iso8601::take_date(&mut text)? * DAY;
        if let Some((separator, mut rest)) = text.split_first() {
            if !matches!(separator, b'T' | b't' | b' ') {
                return None;
            }
            total += iso8601::take_time(&mut rest, false)?.ticks(NANOSECONDS)?;
            if has_zone && !rest.is_empty() {
                total -= i128::from(iso8601::take_offset(&mut rest)?) * i128::from(NANOSECONDS);
            }
            if !rest.is_empty() {
                return None;
            }
        }
        let (whole, rest) = (total.div_euclid(self.nanoseconds()), total.rem_euclid(self.nanoseconds()));
        Some(if rest == 0 { Among::At(whole) } else { Among::After(whole) })
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::Date32Array;
    use arrow_schema::TimeUnit;

    use super::Times;
    use crate::predicate::number::Among;

    #[test]
    fn days_are_those_of_arrow() {
        for day in (-95_700_000..95_000_000).step_by(9_973).chain(-800_000..-600_000).chain(-800..800) {
            let text = Date32Array::from(vec![day]).value_as_date(0).expect("a date").to_string();
            assert_eq!(Times::Days.among(&text, false), Some(Among::At(day.into())), "{text}");
            assert_eq!(tfxio_base::iso8601::date(day.into()), text);
        }
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
            (seconds, "1970-01-01T00:00:00+02:00", false, None),
            (seconds, "1970-01-01T00:00:00Zulu", true, None),
            (seconds, "1970-01-01x00:00", false, None),
            (seconds, "1970-01-01T00:00:00.0000000001", false, None),
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
