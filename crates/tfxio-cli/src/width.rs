//! Width of text in a terminal: East Asian characters and emoji take two columns, combining marks none.

use unicode_width::UnicodeWidthStr as _;

/// Returns the number of columns that a text takes.
pub(crate) fn of(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.width() }
}

/// Returns the longest beginning of a text that takes at most `most` columns, with the marks of its last character.
pub(crate) fn start(text: &str, most: usize) -> &str {
    // No character takes more columns than bytes. What follows looks at the beginning once for each of its characters.
    if text.len() <= most && of(text) <= most {
        return text;
    }
    let mut end = 0;
    // A character may have any number of marks.
    for (at, char) in text.char_indices().take(most.saturating_mul(4).saturating_add(16)) {
        let next = at + char.len_utf8();
        let Some(beginning) = text.get(..next) else { break };
        if of(beginning) > most {
            break;
        }
        end = next;
    }
    text.get(..end).unwrap_or_default()
}

/// Returns the longest end of a text that takes at most `most` columns.
pub(crate) fn end(text: &str, most: usize) -> &str {
    let mut start = text.len();
    for (at, _) in text.char_indices().rev().take(most.saturating_mul(4).saturating_add(16)) {
        match text.get(at..) {
            Some(end) if of(end) <= most => start = at,
            _ => break,
        }
    }
    text.get(start..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{end, of, start};

    #[test]
    fn wide_and_combining_characters() {
        for (text, width) in [
            ("abc", 3),
            ("日本", 4),
            ("🦀", 2),
            ("e\u{301}", 1),
            ("👩\u{200d}💻", 2),
            ("🇩🇪", 2),
            ("a\u{200b}b", 2),
            ("", 0),
        ] {
            assert_eq!(of(text), width, "{text:?}");
        }
    }

    #[test]
    fn cut_between_characters() {
        assert_eq!(start("日本語", 5), "日本");
        assert_eq!(start("日本語", 1), "");
        assert_eq!(start("e\u{301}e\u{301}e", 2), "e\u{301}e\u{301}");
        assert_eq!(start("a👩\u{200d}💻b", 3), "a👩\u{200d}💻");
        assert_eq!(end("日本語", 5), "本語");
        assert_eq!(end("abc", 2), "bc");
        assert_eq!((start("abc", 9), end("abc", 9)), ("abc", "abc"));
        // As cells are that are shown whole: the characters before each one are not gone over.
        let long = "long ".repeat(1 << 20);
        assert_eq!(start(&long, usize::MAX), long);
        let marks = format!("a{}", "\u{301}".repeat(100_000));
        assert!(of(start(&marks, 10)) <= 10);
    }
}
