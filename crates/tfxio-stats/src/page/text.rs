//! Text and numbers of the page.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde_json::Value;
use tfxio_base::Count;

/// Returns text with the characters that cannot be seen, or that make other text look different, written as `\u202e`.
pub(super) fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for char in text.chars() {
        if is_hidden(char) {
            let _ = write!(out, "\\u{:04x}", u32::from(char));
        } else {
            out.push(char);
        }
    }
    Cow::Owned(out)
}

/// Returns whether a character is a control: of terminals, of lines, of writing direction, or of no width.
fn is_hidden(char: char) -> bool {
    char.is_control()
        || matches!(
            char,
            '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'
                ..='\u{202e}' | '\u{2060}'
                ..='\u{2064}' | '\u{2066}'
                ..='\u{206f}' | '\u{feff}'
        )
}

/// Returns text for HTML, also within quoted attributes.
pub(super) fn html(text: &str) -> String {
    let text = visible(text);
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(char),
        }
    }
    out
}

/// Returns JSON that is safe in a script element: nothing in it ends the element or begins a comment.
pub(super) fn json(value: &Value) -> String {
    let text = value.to_string();
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        // Beyond strings JSON has none of these.
        match char {
            '<' | '>' | '&' | '\'' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(char));
            }
            _ => out.push(char),
        }
    }
    out
}

/// Returns the first characters of a text, and `…` where there are more.
pub(super) fn cut(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}…", text.get(..end).unwrap_or_default())),
    }
}

/// Returns an integer with commas between thousands.
pub(super) fn integer(value: u64) -> String {
    grouped(&value.to_string())
}

fn grouped(digits: &str) -> String {
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Returns a number in about five significant digits.
pub(super) fn number(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "∞" } else { "-∞" }.to_owned();
    }
    let size = value.abs();
    if size != 0.0 && !(1e-4..1e15).contains(&size) {
        return format!("{value:.3e}");
    }
    let digits = if value.fract() == 0.0 || size == 0.0 {
        0
    } else {
        // At most 6 by the check above: the logarithm is at least -4.
        (4.0 - size.log10().floor()).clamp(0.0, 6.0) as usize
    };
    let text = format!("{value:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    let (sign, text) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let (whole, rest) = text.find('.').map_or((text, ""), |at| text.split_at(at));
    let sign = if text.chars().all(|char| matches!(char, '0' | '.')) { "" } else { sign };
    format!("{sign}{}{rest}", grouped(whole))
}

/// Returns a part of a whole in percent; what is not none or all is not shown as such.
pub(super) fn percent(part: f64, whole: f64) -> String {
    // Also where either is NaN.
    if !(whole > 0.0 && part >= 0.0) {
        return "–".to_owned();
    }
    let share = 100.0 * part / whole;
    match share {
        _ if part == 0.0 => "0 %".to_owned(),
        _ if share < 0.1 => "<0.1 %".to_owned(),
        _ if part < whole && share > 99.9 => "99.9 %".to_owned(),
        _ => {
            let text = format!("{share:.1}");
            format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
        }
    }
}

/// Returns a number of things: `1 example`, `1,234 examples`.
pub(super) fn counted(value: u64, thing: &str) -> String {
    let text = Count::of(value, thing).to_string();
    match text.split_once(' ') {
        Some((_, things)) => format!("{} {things}", integer(value)),
        None => text,
    }
}

/// Returns a number for JSON in at most nine significant digits; what JSON does not have is a string.
pub(super) fn rounded(value: f64) -> Value {
    if !value.is_finite() {
        return Value::String(
            if value.is_nan() {
                "NaN"
            } else if value > 0.0 {
                "Infinity"
            } else {
                "-Infinity"
            }
            .to_owned(),
        );
    }
    // 2^53: integers up to here are exact.
    if value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0 {
        return Value::from(value as i64);
    }
    let rounded = format!("{value:.8e}").parse().unwrap_or(value);
    Value::from(rounded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (5.0, "5"),
            (-1234.5678, "-1,234.6"),
            (1_234_567.0, "1,234,567"),
            (11.660797256, "11.661"),
            (0.00123456, "0.001235"),
            (1e-7, "1.000e-7"),
            (1.5e18, "1.500e18"),
            (99_999.99, "100,000"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-∞"),
        ] {
            assert_eq!(number(value), text, "{value}");
        }
        assert_eq!(integer(u64::MAX), "18,446,744,073,709,551,615");
    }

    #[test]
    fn percents_do_not_hide_the_few() {
        let shown = [(0.0, 9.0), (1.0, 1e6), (1.0, 3.0), (999_999.0, 1e6), (7.0, 7.0), (0.0, 0.0)];
        assert_eq!(
            shown.map(|(part, whole)| percent(part, whole)),
            ["0 %", "<0.1 %", "33.3 %", "99.9 %", "100 %", "–"]
        );
    }

    #[test]
    fn nothing_leaves_its_element() {
        let hostile = "</script><!--\"'&\u{2028}\u{202e}\u{0}";
        assert_eq!(html(hostile), "&lt;/script&gt;&lt;!--&quot;&#39;&amp;\\u2028\\u202e\\u0000");
        let text = json(&Value::from(hostile));
        assert!(!text.contains(['<', '>', '&', '\'', '\u{2028}']), "{text}");
        assert_eq!(serde_json::from_str::<String>(&text).unwrap(), hostile);
    }

    #[test]
    fn long_text_is_cut_between_characters() {
        assert_eq!(cut("日本語", 3), "日本語");
        assert_eq!(cut("日本語", 2), "日本…");
    }

    #[test]
    fn what_json_does_not_have_is_a_string() {
        let texts = [f64::NAN, f64::INFINITY, 17.505_000_305, 1e300, 990.9, 3.0].map(rounded);
        assert_eq!(serde_json::to_string(&texts).unwrap(), r#"["NaN","Infinity",17.5050003,1e+300,990.9,3]"#);
    }
}
