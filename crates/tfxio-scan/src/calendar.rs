//! Dates in ISO 8601, of all years that Arrow has: one of more than four digits, or before 0, has a sign.

use arrow_schema::TimeUnit;

const DAY_SECONDS: i64 = 86_400;

/// Returns the date of a number of days since 1970-01-01, in the Gregorian calendar: `+292277026596-12-04`.
pub fn date(days: i64) -> String {
    // The years of 400 have the same days; they are counted from 0000-03-01, so that a leap day is the last of its year.
    const ERA_DAYS: i64 = 146_097;
    let (era, day) = {
        let days = i128::from(days) + 719_468;
        (days.div_euclid(ERA_DAYS.into()), days.rem_euclid(ERA_DAYS.into()) as i64)
    };
    let year = (day - day / 1_460 + day / 36_524 - day / (ERA_DAYS - 1)) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let (month, is_next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = era * 400 + i128::from(year + is_next);
    match year {
        0..=9999 => format!("{year:04}-{month:02}-{of_month:02}"),
        _ => format!("{year:+05}-{month:02}-{of_month:02}"),
    }
}

/// Returns the date of a number of milliseconds since 1970-01-01, with the time of day where it is not the beginning of one.
pub fn date_of(milliseconds: i64) -> String {
    const DAY: i64 = 1_000 * DAY_SECONDS;
    match milliseconds.rem_euclid(DAY) {
        0 => date(milliseconds.div_euclid(DAY)),
        _ => date_time(milliseconds, TimeUnit::Millisecond),
    }
}

/// Returns the date and the time of day of a number of units since 1970-01-01, with all digits of the unit.
pub fn date_time(ticks: i64, unit: TimeUnit) -> String {
    let (of_second, digits) = match unit {
        TimeUnit::Second => (1, 0),
        TimeUnit::Millisecond => (1_000, 3),
        TimeUnit::Microsecond => (1_000_000, 6),
        TimeUnit::Nanosecond => (1_000_000_000, 9),
    };
    let (seconds, fraction) = (ticks.div_euclid(of_second), ticks.rem_euclid(of_second));
    let (days, time) = (seconds.div_euclid(DAY_SECONDS), seconds.rem_euclid(DAY_SECONDS));
    let text = format!("{}T{:02}:{:02}:{:02}", date(days), time / 3600, time / 60 % 60, time % 60);
    if digits > 0 { format!("{text}.{fraction:0digits$}") } else { text }
}

#[cfg(test)]
mod tests {
    use arrow_array::{Date32Array, TimestampMillisecondArray};
    use arrow_schema::TimeUnit;

    use super::{date, date_of, date_time};

    #[test]
    fn dates_are_those_of_the_calendar_of_arrow() {
        let days = (-95_700_000..95_000_000).step_by(9_973).chain(-800_000..-600_000).chain(-800..800);
        for day in days {
            let array = Date32Array::from(vec![day]);
            let expected = array.value_as_date(0).expect("a year of chrono");
            assert_eq!(date(day.into()), expected.to_string(), "{day}");
            let ticks = i64::from(day) * 86_400_000 + 86_399_999;
            let array = TimestampMillisecondArray::from(vec![ticks]);
            let expected = array.value_as_datetime(0).expect("a year of chrono");
            assert_eq!(date_time(ticks, TimeUnit::Millisecond), format!("{expected:?}"), "{day}");
        }
    }

    #[test]
    fn the_first_and_the_last() {
        assert_eq!(date(i32::MAX.into()), "+5881580-07-11");
        assert_eq!(date(i32::MIN.into()), "-5877641-06-23");
        assert_eq!(date_time(i64::MAX, TimeUnit::Second), "+292277026596-12-04T15:30:07");
        assert_eq!(date_time(i64::MIN, TimeUnit::Second), "-292277022657-01-27T08:29:52");
        assert_eq!(date_time(i64::MAX, TimeUnit::Microsecond), "+294247-01-10T04:00:54.775807");
        assert_eq!(date_of(-86_400_000), "1969-12-31");
        assert_eq!(date_of(-1), "1969-12-31T23:59:59.999");
        assert_eq!(date_time(-1, TimeUnit::Nanosecond), "1969-12-31T23:59:59.999999999");
    }
}
