//! Dates and times in texts, as ISO 8601 has them and JSON and CSV are written: `2024-02-29`, `23:59:59.5`,
//! `2024-02-29T23:59:59Z`.

use arrow_schema::{DataType, TimeUnit};

use super::Unfit;

const DAY: i128 = 86_400;

/// Type that a text is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Temporal {
    Date,
    Time,
    /// Whether it has a time zone.
    Timestamp(bool),
}

impl Temporal {
    /// Returns what texts are read as for a type, and how many of its unit are a second.
    pub(super) fn of(data_type: &DataType) -> Option<(Self, i128)> {
        let per_second = |unit: TimeUnit| match unit {
            TimeUnit::Second => 1,
            TimeUnit::Millisecond => 1_000,
            TimeUnit::Microsecond => 1_000_000,
            TimeUnit::Nanosecond => 1_000_000_000,
        };
        match data_type {
            DataType::Date32 => Some((Self::Date, 1)),
            DataType::Date64 => Some((Self::Date, 1_000)),
            DataType::Time32(unit) | DataType::Time64(unit) => Some((Self::Time, per_second(*unit))),
            DataType::Timestamp(unit, zone) => Some((Self::Timestamp(zone.is_some()), per_second(*unit))),
            _ => None,
        }
    }

    /// Reads a text as the number that is stored: of dates in days, where one of the unit is a second.
    ///
    /// # Errors
    /// `Range` where the unit is too coarse for the fraction, or the number has more than 64 bits.
    pub(super) fn read(self, text: &[u8], per_second: i128) -> Result<i64, Unfit> {
        let mut rest = text;
        let number = match self {
            Self::Date => match (days(&mut rest).ok_or(Unfit::Kind)?, per_second) {
                (days, 1) => i32::try_from(days).map_err(|_| Unfit::Range)?.into(),
                (days, unit) => days * DAY * unit,
            },
            Self::Time => seconds(&mut rest, per_second)?,
            Self::Timestamp(has_zone) => {
                let days = days(&mut rest).ok_or(Unfit::Kind)?;
                let (b'T' | b't' | b' ', after) = rest.split_first().ok_or(Unfit::Kind)? else {
                    return Err(Unfit::Kind);
                };
                rest = after;
                let seconds = seconds(&mut rest, per_second)?;
                // Without a zone, a text does not say when it was; with one, a column without loses that.
                let offset = if has_zone { zone(&mut rest).ok_or(Unfit::Kind)? } else { 0 };
                (days * DAY - offset) * per_second + seconds
            }
        };
        if !rest.is_empty() {
            return Err(Unfit::Kind);
        }
        i64::try_from(number).map_err(|_| Unfit::Range)
    }
}

/// Takes this many digits, or at least as many, off a text.
fn digits(text: &mut &[u8], count: usize, or_more: bool) -> Option<i128> {
    let found = text.iter().take(18).take_while(|byte| byte.is_ascii_digit()).count();
    let count = if or_more { found.max(count) } else { count };
    let (number, rest) = text.split_at_checked(count).filter(|_| found >= count)?;
    *text = rest;
    Some(number.iter().fold(0, |sum, digit| sum * 10 + i128::from(digit - b'0')))
}

fn byte(text: &mut &[u8], wanted: u8) -> Option<()> {
    let (first, rest) = text.split_first()?;
    *text = rest;
    (*first == wanted).then_some(())
}

/// Takes a date off a text: the number of days since 1970-01-01.
fn days(text: &mut &[u8]) -> Option<i128> {
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
    let most = match month {
        2 => 28 + i128::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        _ => return None,
    };
    if !(1..=most).contains(&day) {
        return None;
    }
    // Years that begin in March, so that the leap day is their last; 400 of them have 146,097 days.
    let year = year - i128::from(month <= 2);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let of_era = year.rem_euclid(400);
    Some(year.div_euclid(400) * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
}

/// Takes a time of day off a text, in the unit.
fn seconds(text: &mut &[u8], per_second: i128) -> Result<i128, Unfit> {
    let mut whole = || {
        let hours = digits(text, 2, false).filter(|hours| *hours < 24)?;
        byte(text, b':')?;
        let minutes = digits(text, 2, false).filter(|minutes| *minutes < 60)?;
        byte(text, b':')?;
        let seconds = digits(text, 2, false).filter(|seconds| *seconds < 60)?;
        Some((hours * 60 + minutes) * 60 + seconds)
    };
    let whole = whole().ok_or(Unfit::Kind)?;
    let mut fraction = 0;
    if text.first() == Some(&b'.') {
        *text = text.get(1..).unwrap_or_default();
        let before = text.len();
        let digits = digits(text, 1, true).ok_or(Unfit::Kind)?;
        let scale = 10i128.pow(u32::try_from(before - text.len()).unwrap_or(18).min(18));
        if digits * per_second % scale != 0 {
            return Err(Unfit::Range);
        }
        fraction = digits * per_second / scale;
    }
    Ok(whole * per_second + fraction)
}

/// Takes a time zone off a text, in seconds east of UTC.
fn zone(text: &mut &[u8]) -> Option<i128> {
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

#[cfg(test)]
mod tests {
    use super::{Temporal, Unfit};

    #[test]
    fn texts_are_the_numbers_that_are_stored() {
        let (date, time) = (Temporal::Date, Temporal::Time);
        let (local, zoned) = (Temporal::Timestamp(false), Temporal::Timestamp(true));
        for (of, text, unit, number) in [
            (date, "1970-01-01", 1, 0),
            (date, "1969-12-31", 1, -1),
            (date, "2000-02-29", 1, 11_016),
            (date, "2024-10-04", 1_000, 1_728_000_000_000),
            (date, "0001-01-01", 1, -719_162),
            (date, "-0001-12-31", 1, -719_529),
            (date, "+10000-01-01", 1, 2_932_897),
            (time, "23:59:59.5", 1_000, 86_399_500),
            (time, "00:00:00.000000001", 1_000_000_000, 1),
            (time, "00:00:01.500000", 1_000, 1_500),
            (local, "1969-12-31T23:59:59.999999", 1_000_000, -1),
            (local, "2001-09-09 01:46:40", 1, 1_000_000_000),
            (zoned, "2001-09-09T01:46:40Z", 1, 1_000_000_000),
            (zoned, "2001-09-09T03:46:40+02:00", 1, 1_000_000_000),
        ] {
            assert_eq!(of.read(text.as_bytes(), unit), Ok(number), "{text}");
        }
        for (of, text, unit, unfit) in [
            (date, "", 1, Unfit::Kind),
            (date, "2023-02-29", 1, Unfit::Kind),
            (date, "2023-13-01", 1, Unfit::Kind),
            (date, "2023-1-01", 1, Unfit::Kind),
            (date, "19000", 1, Unfit::Kind),
            (date, "2023-01-01T00:00:00", 1, Unfit::Kind),
            (date, "+999999999999999999-01-01", 1_000, Unfit::Range),
            (time, "24:00:00", 1, Unfit::Kind),
            (time, "00:00", 1, Unfit::Kind),
            (time, "00:00:00.5", 1, Unfit::Range),
            (local, "2001-09-09T01:46:40Z", 1, Unfit::Kind),
            (zoned, "2001-09-09T01:46:40", 1, Unfit::Kind),
            (local, "9999-01-01T00:00:00", 1_000_000_000, Unfit::Range),
        ] {
            assert_eq!(of.read(text.as_bytes(), unit), Err(unfit), "{text}");
        }
    }
}
