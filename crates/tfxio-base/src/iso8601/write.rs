//! Text of dates and times.

use super::{DAY_SECONDS, EPOCH_DAYS, ERA_DAYS};

/// Returns the date of a number of days since 1970-01-01.
///
/// ```
/// assert_eq!(tfxio_base::iso8601::date(19_782), "2024-02-29");
/// assert_eq!(tfxio_base::iso8601::date(2_932_897), "+10000-01-01");
/// ```
#[must_use]
pub fn date(days: i64) -> String {
    let (era, day) = {
        let days = i128::from(days) + i128::from(EPOCH_DAYS);
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

/// Returns the date and the time of day of a number of ticks since 1970-01-01, of which a second has 10 to the power of
/// `digits`; its fraction is written with `digits` digits. More than 18 are taken as 18.
///
/// ```
/// assert_eq!(tfxio_base::iso8601::date_time(-1, 3), "1969-12-31T23:59:59.999");
/// ```
#[must_use]
pub fn date_time(ticks: i64, digits: u32) -> String {
    let digits = digits.min(18);
    let of_second = 10i64.pow(digits);
    let (seconds, fraction) = (ticks.div_euclid(of_second), ticks.rem_euclid(of_second));
    let (days, time) = (seconds.div_euclid(DAY_SECONDS), seconds.rem_euclid(DAY_SECONDS));
    let text = format!("{}T{:02}:{:02}:{:02}", date(days), time / 3600, time / 60 % 60, time % 60);
    if digits > 0 { format!("{text}.{fraction:0width$}", width = digits as usize) } else { text }
}

/// Returns the date of a number of milliseconds since 1970-01-01, with the time of day where it is not the beginning of one.
#[must_use]
pub fn date_or_time(milliseconds: i64) -> String {
    const DAY: i64 = 1_000 * DAY_SECONDS;
    match milliseconds.rem_euclid(DAY) {
        0 => date(milliseconds.div_euclid(DAY)),
        _ => date_time(milliseconds, 3),
    }
}

#[cfg(test)]
mod tests {
    use super::{date, date_or_time, date_time};

    #[test]
    fn the_first_and_the_last() {
        assert_eq!(date(i32::MAX.into()), "+5881580-07-11");
        assert_eq!(date(i32::MIN.into()), "-5877641-06-23");
        assert_eq!(date_time(i64::MAX, 0), "+292277026596-12-04T15:30:07");
        assert_eq!(date_time(i64::MIN, 0), "-292277022657-01-27T08:29:52");
        assert_eq!(date_time(i64::MAX, 6), "+294247-01-10T04:00:54.775807");
        assert_eq!(date_or_time(-86_400_000), "1969-12-31");
        assert_eq!(date_or_time(-1), "1969-12-31T23:59:59.999");
        assert_eq!(date_time(-1, 9), "1969-12-31T23:59:59.999999999");
        assert_eq!(date_time(i64::MIN, 99), date_time(i64::MIN, 18));
    }
}
