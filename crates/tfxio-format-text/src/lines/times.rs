//! Dates and times in texts, as ISO 8601 has them and JSON and CSV are written: `2024-02-29`, `23:59:59.5`,
//! `2024-02-29T23:59:59Z`.

use arrow_schema::{DataType, TimeUnit};
use tfxio_base::iso8601;

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
    pub(super) fn of(data_type: &DataType) -> Option<(Self, i64)> {
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
    pub(super) fn read(self, text: &[u8], per_second: i64) -> Result<i64, Unfit> {
        let mut rest = text;
        let number = match self {
            Self::Date => match (iso8601::take_date(&mut rest).ok_or(Unfit::Kind)?, per_second) {
                (days, 1) => i32::try_from(days).map_err(|_| Unfit::Range)?.into(),
                (days, unit) => days * DAY * i128::from(unit),
            },
            Self::Time => ticks(&mut rest, per_second)?,
            Self::Timestamp(has_zone) => {
                let days = iso8601::take_date(&mut rest).ok_or(Unfit::Kind)?;
                let (b'T' | b't' | b' ', after) = rest.split_first().ok_or(Unfit::Kind)? else {
                    return Err(Unfit::Kind);
                };
                rest = after;
                let time = ticks(&mut rest, per_second)?;
                // Without a zone, a text does not say when it was; with one, a column without loses that.
                let offset = if has_zone { iso8601::take_offset(&mut rest).ok_or(Unfit::Kind)? } else { 0 };
                (days * DAY - i128::from(offset)) * i128::from(per_second) + time
            }
        };
        if !rest.is_empty() {
            return Err(Unfit::Kind);
        }
        i64::try_from(number).map_err(|_| Unfit::Range)
    }
}

/// Takes a time of day off a text, in the unit.
#[inline]
fn ticks(text: &mut &[u8], per_second: i64) -> Result<i128, Unfit> {
    iso8601::take_time(text, true).ok_or(Unfit::Kind)?.ticks(per_second).ok_or(Unfit::Range)
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
