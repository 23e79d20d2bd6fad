//! A text that is being typed, of one line or several.

/// A text, and the byte before which the cursor stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Line {
    text: String,
    at: usize,
}

/// Where the cursor goes, or up to where is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum To {
    /// A character to the left.
    Left,
    /// A character to the right.
    Right,
    /// The beginning of this word or of the one before.
    WordLeft,
    /// The end of this word or of the next.
    WordRight,
    /// The beginning of this line of the text.
    Start,
    /// The end of this line of the text.
    End,
}

impl Line {
    /// Returns a text with the cursor at its end.
    pub(super) fn of(text: String) -> Self {
        Self { at: text.len(), text }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns what stands before the cursor.
    pub(super) fn before(&self) -> &str {
        &self.text[..self.at]
    }

    /// Returns what stands after the cursor.
    pub(super) fn after(&self) -> &str {
        &self.text[self.at..]
    }

    /// Types a text.
    pub(super) fn insert(&mut self, text: &str) {
        self.text.insert_str(self.at, text);
        self.at += text.len();
    }

    /// Types a text in place of what stands between a byte and the cursor.
    pub(super) fn replace(&mut self, start: usize, text: &str) {
        if start <= self.at && self.text.is_char_boundary(start) {
            self.text.replace_range(start..self.at, text);
            self.at = start + text.len();
        }
    }

    /// Moves the cursor.
    pub(super) fn go(&mut self, to: To) {
        self.at = self.offset(to);
    }

    /// Deletes what stands between the cursor and another offset.
    pub(super) fn delete(&mut self, to: To) {
        let other = self.offset(to);
        let (start, end) = (self.at.min(other), self.at.max(other));
        self.text.replace_range(start..end, "");
        self.at = start;
    }

    fn offset(&self, to: To) -> usize {
        let is_word = |character: char| character.is_alphanumeric() || character == '_';
        let (before, after) = (self.before(), self.after());
        match to {
            To::Left => before.char_indices().next_back().map_or(0, |(at, _)| at),
            To::Right => self.at + after.chars().next().map_or(0, char::len_utf8),
            To::WordLeft => before.trim_end_matches(|c| !is_word(c)).trim_end_matches(is_word).len(),
            To::WordRight => {
                let rest = after.trim_start_matches(|c| !is_word(c)).trim_start_matches(is_word);
                self.text.len() - rest.len()
            }
            To::Start => before.rfind('\n').map_or(0, |end| end + 1),
            To::End => after.find('\n').map_or(self.text.len(), |end| self.at + end),
        }
    }

    /// Moves the cursor a line up or down within the text, and returns whether there was one.
    pub(super) fn go_by_line(&mut self, is_up: bool) -> bool {
        let start = self.offset(To::Start);
        let column = self.text[start..self.at].chars().count();
        let line = if is_up {
            let Some(end) = start.checked_sub(1) else { return false };
            self.text[..end].rfind('\n').map_or(0, |end| end + 1)
        } else {
            let end = self.offset(To::End);
            if end == self.text.len() {
                return false;
            }
            end + 1
        };
        let of = self.text[line..].split('\n').next().unwrap_or_default();
        let bytes = of.char_indices().nth(column).map_or(of.len(), |(at, _)| at);
        self.at = line + bytes;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a line whose cursor is where the bar stands.
    fn line(text: &str) -> Line {
        Line { at: text.find('|').unwrap(), text: text.replace('|', "") }
    }

    fn shown(line: &Line) -> String {
        format!("{}|{}", line.before(), line.after())
    }

    fn went(text: &str, to: To) -> String {
        let mut line = line(text);
        line.go(to);
        shown(&line)
    }

    fn deleted(text: &str, to: To) -> String {
        let mut line = line(text);
        line.delete(to);
        shown(&line)
    }

    #[test]
    fn typing() {
        let mut line = line("sel|t");
        line.insert("ec");
        assert_eq!(shown(&line), "selec|t");
        line.replace(3, "EC");
        assert_eq!(shown(&line), "selEC|t");
        line.replace(9, "x");
        assert_eq!(shown(&line), "selEC|t");
        assert_eq!(shown(&Line::of("é".to_owned())), "é|");
    }

    #[test]
    fn the_cursor_moves() {
        assert_eq!(went("é|x", To::Left), "|éx");
        assert_eq!(went("|x", To::Left), "|x");
        assert_eq!(went("|éx", To::Right), "é|x");
        assert_eq!(went("x|", To::Right), "x|");
        assert_eq!(went("select la_bel, |x", To::WordLeft), "select |la_bel, x");
        assert_eq!(went("select| la_bel, x", To::WordRight), "select la_bel|, x");
        assert_eq!(went("ab\nc|d\nef", To::Start), "ab\n|cd\nef");
        assert_eq!(went("ab\nc|d\nef", To::End), "ab\ncd|\nef");
    }

    #[test]
    fn deleting() {
        assert_eq!(deleted("aé|b", To::Left), "a|b");
        assert_eq!(deleted("a|éb", To::Right), "a|b");
        assert_eq!(deleted("|", To::Left), "|");
        assert_eq!(deleted("select 'a b'|", To::WordLeft), "select 'a |");
        assert_eq!(deleted("ab|cd\nef", To::Start), "|cd\nef");
        assert_eq!(deleted("ab|cd\nef", To::End), "ab|\nef");
    }

    #[test]
    fn lines_of_one_text() {
        let mut line = line("select\nx\nfr|om");
        assert!(line.go_by_line(true));
        assert_eq!(shown(&line), "select\nx|\nfrom");
        assert!(line.go_by_line(true));
        assert_eq!(shown(&line), "s|elect\nx\nfrom");
        assert!(!line.go_by_line(true));
        assert!(line.go_by_line(false) && line.go_by_line(false));
        assert_eq!(shown(&line), "select\nx\nf|rom");
        assert!(!line.go_by_line(false));
    }
}
