//! Numbers and values in sentences.

/// Returns a number with at most six digits that count, or all of them before the point.
pub(crate) fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let exponent = value.abs().log10().floor();
    if !(-5.0..15.0).contains(&exponent) {
        return format!("{value:e}");
    }
    // Within the range above.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 10")]
    let decimals = (5.0 - exponent).max(0.0) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Returns a share as a percentage: `12%`, `<1%`; `?` of nothing.
pub(crate) fn share(part: f64, whole: f64) -> String {
    let percent = 100.0 * part / whole;
    match percent {
        _ if whole <= 0.0 || percent.is_nan() => "?".to_owned(),
        percent if percent < 1.0 => "<1%".to_owned(),
        percent => format!("{}%", percent.floor()),
    }
}

/// Returns a value in quotes, with escapes, cut where it is long.
pub(crate) fn quoted(value: &str) -> String {
    const MOST: usize = 60;
    match value.char_indices().nth(MOST) {
        Some((at, _)) => format!("{:?}…", value.get(..at).unwrap_or_default()),
        None => format!("{value:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{number, quoted, share};

    #[test]
    fn numbers_have_six_digits() {
        for (value, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (1_234_567.0, "1234567"),
            (0.123_456_789, "0.123457"),
            (-2.5, "-2.5"),
            (1e300, "1e300"),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn shares_are_whole_percentages() {
        assert_eq!([share(0.5, 100.0), share(12.9, 100.0), share(1.0, 0.0)], ["<1%", "12%", "?"]);
    }

    #[test]
    fn long_values_are_cut() {
        assert_eq!(quoted("a\n"), "\"a\\n\"");
        assert_eq!(quoted(&"é".repeat(61)), format!("\"{}\"…", "é".repeat(60)));
    }
}
