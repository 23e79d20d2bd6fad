//! Values in texts, read by rules that are independent of the tested code.

use arrow_buffer::i256;

use super::value::{Of, Value};

/// Parses a text as a value of the same kind as `like`.
pub(super) fn value(text: &str, like: &Value) -> Option<Value> {
    Some(match like {
        Value::Bool(_) => Value::Bool(text.parse().ok()?),
        Value::Whole(_) => Value::Whole(text.parse().ok()?),
        Value::Half(_) | Value::Single(_) | Value::Double(_) => {
            Value::Double(text.parse::<f64>().ok()?.to_bits())
        }
        Value::Decimal(..) => decimal(text)?,
        Value::Time(Of::Span, ..) => {
            let (months, days, nanos) = period(text)?;
            (months == 0 && days == 0).then_some(Value::Time(Of::Span, nanos, 1))?
        }
        Value::Time(Of::Day, ..) => Value::Time(Of::Day, time_of_day(text)?, 1),
        Value::Time(of, ..) => {
            let zoned = text.strip_suffix('Z');
            if zoned.is_some() != (*of == Of::Moment) {
                return None;
            }
            let text = zoned.unwrap_or(text);
            let (date, time) = text.split_once('T').unwrap_or((text, "00:00:00"));
            Value::Time(*of, days(date)? * 86_400_000_000_000 + time_of_day(time)?, 1)
        }
        Value::Interval(..) => {
            let (months, days, nanos) = period(text)?;
            Value::Interval(months, days, nanos)
        }
        _ => return None,
    })
}

/// Returns the bytes of a UUID.
pub(super) fn uuid(text: &str) -> Option<Vec<u8>> {
    let digits = text.replace('-', "");
    if text.len() != 36 || digits.len() != 32 {
        return None;
    }
    (0..16).map(|at| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).ok()).collect()
}

fn decimal(text: &str) -> Option<Value> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = format!("{whole}{fraction}");
    // Those of a negative scale have zeros before the point, for which there may be no room.
    let short = digits.trim_end_matches('0');
    let zeros = i32::try_from(digits.len() - short.len()).ok()?;
    let scale = i32::try_from(fraction.len()).ok()? - zeros;
    Some(Value::Decimal(i256::from_string(if short.is_empty() { "0" } else { short })?, scale))
}

/// Returns the days from 1970-01-01 to a date: counted year by year within 400 of them.
fn days(text: &str) -> Option<i128> {
    let (sign, text) = match text.as_bytes().first()? {
        b'-' => (-1, &text[1..]),
        b'+' => (1, &text[1..]),
        _ => (1, text),
    };
    let mut parts = text.split('-').map(|part| part.parse::<i128>().ok());
    let (year, month, day) = (sign * parts.next()??, parts.next()??, parts.next()??);
    let is_leap = |year: i128| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let eras = year.div_euclid(400) - 1970_i128.div_euclid(400);
    let first = 1600;
    let of_years = |year: i128| (first..year).map(|year| 365 + i128::from(is_leap(year))).sum::<i128>();
    let months = [31, 28 + i128::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let before = months.iter().take(usize::try_from(month).ok()?.checked_sub(1)?).sum::<i128>();
    let within = of_years(first + year.rem_euclid(400)) + before + day - 1;
    Some(eras * 146_097 + within - of_years(1970))
}

/// Returns nanoseconds after midnight.
fn time_of_day(text: &str) -> Option<i128> {
    let (text, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let mut parts = text.split(':').map(|part| part.parse::<i128>().ok());
    let (hours, minutes, seconds) = (parts.next()??, parts.next()??, parts.next()??);
    let nanos = format!("{fraction:0<9}").parse::<i128>().ok()?;
    Some(((hours * 60 + minutes) * 60 + seconds) * 1_000_000_000 + nanos)
}

/// Returns the months, days and nanoseconds of an ISO 8601 duration, of which each part may have a sign.
fn period(text: &str) -> Option<(i128, i128, i128)> {
    let (sign, text) = text.strip_prefix('-').map_or((1, text), |text| (-1, text));
    let (date, time) = text.strip_prefix('P')?.split_once('T').unwrap_or((&text[1..], ""));
    let (mut months, mut days, mut nanos) = (0, 0, 0);
    let mut add = |mut text: &str, of_date: bool| {
        while !text.is_empty() {
            let end = text.find(|char: char| char.is_ascii_alphabetic())?;
            let (number, rest) = text.split_at(end);
            let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
            let sign = if number.starts_with('-') { -sign } else { sign };
            let fraction = format!("{fraction:0<9}").parse::<i128>().ok()?;
            let whole = whole.trim_start_matches('-').parse::<i128>().ok()?;
            match (of_date, &rest[..1]) {
                (true, "Y") => months += sign * whole * 12,
                (true, "M") => months += sign * whole,
                (true, "D") => days += sign * whole,
                (false, "H") => nanos += sign * whole * 3_600_000_000_000,
                (false, "M") => nanos += sign * whole * 60_000_000_000,
                (false, "S") => nanos += sign * (whole * 1_000_000_000 + fraction),
                _ => return None,
            }
            text = &rest[1..];
        }
        Some(())
    };
    add(date, true)?;
    add(time, false)?;
    Some((months, days, nanos))
}
