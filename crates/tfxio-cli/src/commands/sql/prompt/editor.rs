//! A prompt with history and completion.

use std::io;

use console::Key;
use tfxio::{Error, ErrorKind};

use super::complete::{Words, common};
use super::draw::Screen;
use super::history::History;
use super::line::{Line, To};
use super::raw::Raw;
use super::{Engine, go_on, plain, text};
use crate::Done;

/// Choices that are listed at most.
const LISTED: usize = 200;

/// Reads statements until the end of the input, and runs each.
pub(super) fn run(engine: &Engine) -> Done {
    let mut editor = Editor { history: History::load(), ..Editor::default() };
    let mut screen = Screen::new();
    let mut is_first = true;
    loop {
        editor.words.renew(engine);
        let typed = match editor.read(&mut screen) {
            Ok(Some(typed)) => typed,
            Ok(None) => return Ok(()),
            // A terminal that cannot do what is needed.
            Err(_) if is_first => return plain::run(engine),
            Err(error) => return Err(Error::new(ErrorKind::Io, "the prompt failed").because(error).into()),
        };
        is_first = false;
        if text::is_farewell(&typed) {
            return Ok(());
        }
        if !typed.trim().is_empty() {
            editor.history.add(&typed);
            go_on(engine.run(&typed))?;
        }
    }
}

/// What keys work on.
#[derive(Debug, Default)]
struct Editor {
    line: Line,
    history: History,
    words: Words,
}

/// What a key has done.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    /// The text is to be drawn again.
    Draw,
    /// These are the choices that there are.
    Choices(Vec<String>),
    /// The terminal is to be emptied.
    Clear,
    /// The text is given up.
    GivenUp,
    /// The text is whole.
    Whole,
    /// The prompt ends.
    End,
}

impl Editor {
    /// Reads a text; none where the prompt ends.
    fn read(&mut self, screen: &mut Screen) -> io::Result<Option<String>> {
        let _raw = Raw::new();
        self.line = Line::default();
        self.history.leave();
        screen.draw(&self.line)?;
        loop {
            let key = match screen.key() {
                Ok(key) => key,
                // The terminal is gone.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
                Err(error) => return Err(error),
            };
            match self.press(key) {
                Step::Draw => {}
                Step::Choices(choices) => screen.leave(&listed(&choices, screen.columns()))?,
                Step::Clear => screen.clear()?,
                Step::GivenUp => {
                    screen.leave("")?;
                    self.line = Line::default();
                    self.history.leave();
                }
                Step::Whole => {
                    screen.leave("")?;
                    return Ok(Some(std::mem::take(&mut self.line).text().to_owned()));
                }
                Step::End => {
                    screen.leave("")?;
                    return Ok(None);
                }
            }
            screen.draw(&self.line)?;
        }
    }

    /// Does what a key is for.
    fn press(&mut self, key: Key) -> Step {
        match key {
            Key::Enter => return self.enter(),
            Key::Tab => return self.complete(),
            Key::CtrlC | Key::Char('\u{3}') => return Step::GivenUp,
            Key::Char('\u{4}') if self.line.text().is_empty() => return Step::End,
            Key::Char('\u{c}') => return Step::Clear,
            Key::Backspace => self.line.delete(To::Left),
            Key::Del | Key::Char('\u{4}') => self.line.delete(To::Right),
            Key::Char('\u{b}') => self.line.delete(To::End),
            Key::Char('\u{15}') => self.line.delete(To::Start),
            Key::Char('\u{17}') => self.line.delete(To::WordLeft),
            Key::ArrowLeft | Key::Char('\u{2}') => self.line.go(To::Left),
            Key::ArrowRight | Key::Char('\u{6}') => self.line.go(To::Right),
            Key::Home => self.line.go(To::Start),
            Key::End => self.line.go(To::End),
            Key::ArrowUp | Key::Char('\u{10}') => self.up(),
            Key::ArrowDown | Key::Char('\u{e}') => self.down(),
            Key::UnknownEscSeq(keys) => match keys[..] {
                ['b'] => self.line.go(To::WordLeft),
                ['f'] => self.line.go(To::WordRight),
                ['d'] => self.line.delete(To::WordRight),
                _ => {}
            },
            Key::Char(character) if !character.is_control() => {
                self.line.insert(character.encode_utf8(&mut [0; 4]));
            }
            _ => {}
        }
        Step::Draw
    }

    /// Ends a text that is whole, and begins another line of one that is not.
    fn enter(&mut self) -> Step {
        let typed = self.line.text();
        if typed.trim().is_empty() || text::is_farewell(typed) || text::is_complete(typed) {
            return Step::Whole;
        }
        self.line.insert("\n");
        Step::Draw
    }

    fn complete(&mut self) -> Step {
        let choices = self.words.complete(self.line.before());
        let Some(first) = choices.first() else { return Step::Draw };
        let (start, common) = (first.start, common(&choices));
        let typed = self.line.before().len().saturating_sub(start);
        if choices.len() == 1 || common.len() > typed {
            self.line.replace(start, common);
            return Step::Draw;
        }
        Step::Choices(choices.into_iter().map(|choice| choice.shown).collect())
    }

    fn up(&mut self) {
        if !self.line.go_by_line(true)
            && let Some(older) = self.history.older(self.line.text())
        {
            self.line = Line::of(older.to_owned());
        }
    }

    fn down(&mut self) {
        if !self.line.go_by_line(false)
            && let Some(newer) = self.history.newer()
        {
            self.line = Line::of(newer.to_owned());
        }
    }
}

/// Returns a list in columns, each line with its end.
fn listed(choices: &[String], columns: usize) -> String {
    let shown = choices.iter().take(LISTED).map(|choice| crate::escape::line(choice));
    let shown = shown.collect::<Vec<_>>();
    let widest = shown.iter().map(|choice| crate::width::of(choice)).max().unwrap_or(0) + 2;
    let across = (columns / widest).max(1);
    let mut out = String::new();
    for row in shown.chunks(across) {
        let cells = row.iter().map(|choice| format!("{choice}{:1$}", "", widest - crate::width::of(choice)));
        out.push_str(cells.collect::<String>().trim_end());
        out.push('\n');
    }
    if choices.len() > LISTED {
        out.push_str(&format!("and {} more\n", choices.len() - LISTED));
    }
    out
}

#[cfg(test)]
mod tests;
