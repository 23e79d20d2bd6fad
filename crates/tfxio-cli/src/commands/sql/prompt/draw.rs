//! A text that is being typed, on the terminal.

use std::io;

use console::Term;
use unicode_width::UnicodeWidthChar as _;

use super::PROMPTS;
use super::line::Line;

/// What stands on the terminal, and where its cursor is in it.
#[derive(Debug, PartialEq, Eq)]
struct Frame {
    shown: String,
    /// Row and column of the cursor.
    cursor: (usize, usize),
    /// Row of the end.
    last_row: usize,
}

impl Frame {
    /// Lays a text out on a terminal of this many columns.
    fn new(line: &Line, columns: usize) -> Self {
        let columns = columns.max(1);
        let mut frame = Self { shown: String::new(), cursor: (0, 0), last_row: 0 };
        for (number, of) in line.text().split('\n').enumerate() {
            if number > 0 {
                frame.shown.push('\n');
                frame.last_row += 1;
            }
            let mut column = 0;
            let prompt = PROMPTS[usize::from(number > 0)];
            frame.put(prompt, &mut column, columns);
            // Where the cursor stands in this line of the text, if it does.
            let start = of.as_ptr() as usize - line.text().as_ptr() as usize;
            let at = line.before().len().checked_sub(start).filter(|at| *at <= of.len());
            let (before, after) = of.split_at(at.unwrap_or(of.len()));
            frame.put(before, &mut column, columns);
            if at.is_some() {
                frame.cursor = (frame.last_row, column);
            }
            frame.put(after, &mut column, columns);
        }
        frame
    }

    fn put(&mut self, text: &str, column: &mut usize, columns: usize) {
        for character in text.chars() {
            // What would move the cursor is shown as something that does not.
            let character = if crate::escape::is_control(character) { '\u{fffd}' } else { character };
            let width = character.width().unwrap_or(0);
            if *column + width > columns {
                self.wrap(column);
            }
            self.shown.push(character);
            *column += width;
            if *column >= columns {
                self.wrap(column);
            }
        }
    }

    /// Begins a row here, and not where the terminal would.
    fn wrap(&mut self, column: &mut usize) {
        self.shown.push('\n');
        self.last_row += 1;
        *column = 0;
    }
}

/// The text as it was drawn last.
#[derive(Debug)]
pub(super) struct Screen {
    term: Term,
    /// The row of the cursor, from the first of the text.
    row: usize,
    /// Rows from the one of the cursor to the last.
    below: usize,
}

impl Screen {
    pub(super) fn new() -> Self {
        Self { term: Term::buffered_stderr(), row: 0, below: 0 }
    }

    pub(super) fn columns(&self) -> usize {
        usize::from(self.term.size().1)
    }

    /// Draws a text in place of what was drawn before.
    pub(super) fn draw(&mut self, line: &Line) -> io::Result<()> {
        let frame = Frame::new(line, self.columns());
        self.up(self.row)?;
        self.term.write_str("\r")?;
        self.term.clear_to_end_of_screen()?;
        self.term.write_str(&frame.shown)?;
        let (row, column) = frame.cursor;
        self.up(frame.last_row - row)?;
        self.term.write_str("\r")?;
        if column > 0 {
            self.term.move_cursor_right(column)?;
        }
        (self.row, self.below) = (row, frame.last_row - row);
        self.term.flush()
    }

    /// Leaves what was drawn as it is, and writes below it.
    pub(super) fn leave(&mut self, text: &str) -> io::Result<()> {
        if self.below > 0 {
            self.term.move_cursor_down(self.below)?;
        }
        self.term.write_str("\n")?;
        self.term.write_str(text)?;
        (self.row, self.below) = (0, 0);
        self.term.flush()
    }

    /// Empties the terminal.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        self.term.clear_screen()?;
        (self.row, self.below) = (0, 0);
        Ok(())
    }

    fn up(&self, rows: usize) -> io::Result<()> {
        if rows > 0 { self.term.move_cursor_up(rows) } else { Ok(()) }
    }

    /// Waits for a key.
    pub(super) fn key(&self) -> io::Result<console::Key> {
        self.term.read_key_raw()
    }
}

#[cfg(test)]
mod tests {
    use super::super::line::To;
    use super::*;

    fn frame(text: &str, columns: usize) -> Frame {
        Frame::new(&Line::of(text.to_owned()), columns)
    }

    #[test]
    fn lines_have_prompts() {
        let found = frame("select 1\nfrom x", 80);
        assert_eq!(found.shown, "tfxio> select 1\n   ... from x");
        assert_eq!((found.cursor, found.last_row), ((1, 13), 1));
        let mut line = Line::of("select 1\nfrom x".to_owned());
        line.go_by_line(true);
        line.go(To::Start);
        assert_eq!(Frame::new(&line, 80).cursor, (0, 7));
    }

    #[test]
    fn long_lines_are_cut_into_rows() {
        let found = frame("abcdef", 10);
        assert_eq!(found.shown, "tfxio> abc\ndef");
        assert_eq!((found.cursor, found.last_row), ((1, 3), 1));
        // A full row: the cursor is in the next.
        assert_eq!(frame("abc", 10).cursor, (1, 0));
        // Two columns do not fit into one.
        assert_eq!(frame("ab日", 10).shown, "tfxio> ab\n日");
        assert_eq!(frame("a\tb", 80).shown, "tfxio> a\u{fffd}b");
        assert_eq!(frame("", 0).last_row, 7);
    }
}
