//! The words of text protobuf.

use std::borrow::Cow;

use super::literal;
use crate::kind::line_and_column;
use crate::{Error, Kind};

/// A word and where it begins.
#[derive(Clone, Debug)]
pub(super) struct Token<'a> {
    /// The byte at which it begins.
    pub(super) at: usize,
    pub(super) word: Word<'a>,
}

#[derive(Clone, Debug)]
pub(super) enum Word<'a> {
    /// A name.
    Name(&'a str),
    /// A word that begins with a digit, or with a point and a digit. It has no sign.
    Number(&'a str),
    /// A string in quotes: the text with them, and the bytes that it means.
    String(&'a str, Vec<u8>),
    /// Any other character.
    Symbol(char),
    /// The end of the text.
    End,
}

impl Word<'_> {
    /// Returns the word for a message of ours, long ones cut.
    pub(super) fn found(&self) -> String {
        match self {
            Self::Name(text) | Self::Number(text) | Self::String(text, _) => format!("`{}`", clipped(text)),
            Self::Symbol(symbol) => format!("`{symbol}`"),
            Self::End => "the end of the text".to_owned(),
        }
    }
}

/// Returns the text as a message shows it: its first 40 characters.
pub(super) fn clipped(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

/// The text and how much of it is read.
pub(super) struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        // A byte order mark, which editors may write.
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Self { text, at }
    }

    /// Returns an error at a byte of the text.
    pub(super) fn error(&self, at: usize, what: impl std::fmt::Display) -> Error {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
        let column = before[line_start..].chars().filter(|&c| c != '\u{feff}').count() + 1;
        Error::new(Kind::MalformedText, what.to_string()).at(line_and_column(line, column))
    }

    /// Reads the next word.
    pub(super) fn next(&mut self) -> Result<Token<'a>, Error> {
        self.skip_blanks();
        let at = self.at;
        let rest = &self.text[at..];
        let Some(first) = rest.chars().next() else { return Ok(Token { at, word: Word::End }) };
        let second_is_digit = rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
        let word = match first {
            'a'..='z' | 'A'..='Z' | '_' => {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                self.at += end;
                Word::Name(&rest[..end])
            }
            '0'..='9' | '.' if first != '.' || second_is_digit => {
                let end = number_end(rest);
                self.at += end;
                Word::Number(&rest[..end])
            }
            '"' | '\'' => {
                let (length, bytes) = literal::read_string(rest, first)
                    .map_err(|fault| self.error(at + fault.at, fault.what))?;
                self.at += length;
                Word::String(&rest[..length], bytes)
            }
            symbol => {
                self.at += symbol.len_utf8();
                Word::Symbol(symbol)
            }
        };
        Ok(Token { at, word })
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let kept = rest.trim_start_matches([' ', '\t', '\n', '\r', '\u{0b}', '\u{0c}']);
            self.at += rest.len() - kept.len();
            if !kept.starts_with('#') {
                return;
            }
            self.at += kept.find('\n').unwrap_or(kept.len());
        }
    }
}

/// Returns the end of a number. Letters belong to it too, so that `1x` is one bad number and not two words.
fn number_end(text: &str) -> usize {
    let hex = text.starts_with("0x") || text.starts_with("0X");
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let sign = (c == '-' || c == '+') && !hex && matches!(before, 'e' | 'E');
        if !(c.is_ascii_alphanumeric() || c == '.' || c == '_' || sign) {
            return at;
        }
        before = c;
    }
    text.len()
}
