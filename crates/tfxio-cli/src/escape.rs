//! Text from data and from names of files, made harmless for terminals.
//!
//! Characters that a terminal would act on are written as JSON writes them, `\u001b`: control characters, which move
//! the cursor or set titles and colours, and the controls of writing direction, which make a line look like another
//! one.

use std::borrow::Cow;

use tfxio::json::escaped as push;
pub(crate) use tfxio::json::is_control;

/// A name or a value, which stays in its line.
pub(crate) fn line(text: &str) -> Cow<'_, str> {
    escaped(text, is_control)
}

/// A text of several lines.
pub(crate) fn lines(text: &str) -> Cow<'_, str> {
    escaped(text, |char| is_control(char) && !matches!(char, '\n' | '\t'))
}

fn escaped(text: &str, is_meant: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&is_meant) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for char in text.chars() {
        if is_meant(char) { push(&mut out, char) } else { out.push(char) }
    }
    Cow::Owned(out)
}

/// Whether bytes of UTF-8 may hold a character that [`lines`] escapes. Fast, and right where it is false.
pub(crate) fn may_need_it(bytes: &[u8]) -> bool {
    // The last three begin what is beyond ASCII.
    let is_meant = |byte: &u8| match byte {
        b'\n' | b'\t' => false,
        0..0x20 | 0x7f | 0xc2 | 0xd8 | 0xe2 => true,
        _ => false,
    };
    bytes.iter().any(is_meant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_acts_on_is_escaped() {
        for (text, shown) in [
            ("plain 日本 é 🦀 \u{a0}", "plain 日本 é 🦀 \u{a0}"),
            ("n\x1b]0;PWNED\x07\x1b[2J", "n\\u001b]0;PWNED\\u0007\\u001b[2J"),
            ("a\u{9b}2Jb\u{85}\u{7f}\0", "a\\u009b2Jb\\u0085\\u007f\\u0000"),
            ("a\u{202e}gpj\u{2066}\u{200f}\u{61c}", "a\\u202egpj\\u2066\\u200f\\u061c"),
            ("a\nb\tc\rd\u{2028}", "a\\nb\\tc\\rd\\u2028"),
        ] {
            assert_eq!(line(text), shown);
            assert_eq!(lines(text), shown.replace("\\n", "\n").replace("\\t", "\t"));
            assert!(may_need_it(text.as_bytes()) || !lines(text).contains('\\'), "{text:?}");
        }
        assert!(('\0'..=char::MAX).all(|char| {
            let mut bytes = [0; 4];
            let text = char.encode_utf8(&mut bytes);
            matches!(lines(text), Cow::Borrowed(_)) || may_need_it(text.as_bytes())
        }));
    }
}
