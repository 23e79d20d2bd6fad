//! From text to a tree.

use std::collections::HashSet;

use super::{Data, Member, Place, Value};
use crate::{Error, Kind, Result};

/// Arrays and objects inside each other. Manifests and configurations have five at most.
const MAX_DEPTH: usize = 64;

pub(crate) fn parse(text: &str) -> Result<Value> {
    let mut parser = Parser { text, at: 0, counted: 0, place: Place { line: 1, column: 1 } };
    parser.skip_blanks()?;
    let value = parser.value(0)?;
    parser.skip_blanks()?;
    match parser.peek() {
        None => Ok(value),
        Some(_) => Err(parser.unexpected("the end of the text")),
    }
}

struct Parser<'a> {
    text: &'a str,
    /// The next byte; always between two characters.
    at: usize,
    /// The offset up to which lines and columns have been counted.
    counted: usize,
    place: Place,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += if found { wanted.len_utf8() } else { 0 };
        found
    }

    /// Returns the position of the next character.
    fn here(&mut self) -> Place {
        for char in self.text.get(self.counted..self.at).unwrap_or_default().chars() {
            if char == '\n' {
                self.place = Place { line: self.place.line.saturating_add(1), column: 1 };
            } else {
                self.place.column = self.place.column.saturating_add(1);
            }
        }
        self.counted = self.at;
        self.place
    }

    fn error(&mut self, what: impl Into<String>) -> Error {
        self.here().mark(Error::new(Kind::InvalidJson, what))
    }

    fn unexpected(&mut self, expected: &str) -> Error {
        let word = self.rest().chars().take_while(|char| char.is_alphanumeric() || *char == '_');
        let word = word.take(20).collect::<String>();
        let found = match self.peek() {
            None => "the text ends".to_owned(),
            Some(char) if word.is_empty() => format!("found `{}`", char.escape_debug()),
            Some(_) => format!("found `{word}`"),
        };
        let error = self.error(format!("{found}, expected {expected}"));
        let hint = match self.peek() {
            Some('\'') => "strings are written \"…\"",
            Some('#') => "comments begin with //",
            Some('/') => "comments begin with // and end with the line",
            Some('T' | 'F' | 'N' | 'I') => "JSON has true, false, null and finite numbers",
            _ => return error,
        };
        error.help(hint)
    }

    fn skip_blanks(&mut self) -> Result<()> {
        loop {
            match self.peek() {
                Some(' ' | '\t' | '\n' | '\r') => self.at += 1,
                Some('/') if self.rest().starts_with("//") => {
                    self.at += self.rest().find('\n').unwrap_or(self.rest().len());
                }
                Some('/') => return Err(self.unexpected("a comment")),
                _ => return Ok(()),
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value> {
        let place = self.here();
        let data = match self.peek() {
            Some('{' | '[') if depth == MAX_DEPTH => {
                return Err(self.error(format!("more than {MAX_DEPTH} arrays and objects inside each other")));
            }
            Some('{') => Data::Object(self.object(depth + 1)?),
            Some('[') => Data::Array(self.items(']', "a value", |parser| parser.value(depth + 1))?),
            Some('"') => Data::String(self.string()?),
            Some('-' | '0'..='9') => self.number()?,
            _ if self.take_word("null") => Data::Null,
            _ if self.take_word("true") => Data::Bool(true),
            _ if self.take_word("false") => Data::Bool(false),
            _ => return Err(self.unexpected("a value")),
        };
        Ok(Value { place, data })
    }

    fn take_word(&mut self, word: &str) -> bool {
        let rest = self.rest().strip_prefix(word);
        let found =
            rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_'));
        self.at += if found { word.len() } else { 0 };
        found
    }

    /// Reads items between commas, up to the closing bracket. `wanted` describes an item.
    fn items<T>(
        &mut self,
        close: char,
        wanted: &str,
        mut item: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut items = Vec::new();
        self.next();
        self.skip_blanks()?;
        if self.take(close) {
            return Ok(items);
        }
        loop {
            if self.peek() == Some(close) {
                return Err(self.unexpected(wanted).help("leave out the comma before it"));
            }
            items.push(item(self)?);
            self.skip_blanks()?;
            if self.take(close) {
                return Ok(items);
            }
            if !self.take(',') {
                return Err(self.unexpected(&format!("`,` or `{close}`")));
            }
            self.skip_blanks()?;
        }
    }

    fn object(&mut self, depth: usize) -> Result<Vec<Member>> {
        let mut names = HashSet::new();
        self.items('}', "a key", |parser| {
            let place = parser.here();
            if parser.peek() != Some('"') {
                return Err(parser.unexpected("a key, which is a string"));
            }
            let name = parser.string()?;
            if !names.insert(name.clone()) {
                let error = Error::new(Kind::InvalidJson, format!("the key {name:?} stands there twice"));
                return Err(place.mark(error.help("leave one of the two out")));
            }
            parser.skip_blanks()?;
            if !parser.take(':') {
                return Err(parser.unexpected("`:`"));
            }
            parser.skip_blanks()?;
            Ok(Member { name, place, value: parser.value(depth)? })
        })
    }

    fn string(&mut self) -> Result<String> {
        self.next();
        let mut text = String::new();
        loop {
            match self.peek() {
                None => return Err(self.unexpected("the closing `\"` of a string")),
                Some('"') => {
                    self.next();
                    return Ok(text);
                }
                Some('\\') => text.push(self.escape()?),
                Some('\0'..='\x1f') => {
                    return Err(self
                        .unexpected("the closing `\"` of a string")
                        .help("write \\n for a line break and \\t for a tab"));
                }
                Some(char) => {
                    self.next();
                    text.push(char);
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char> {
        self.here();
        let start = self.at;
        self.next();
        let char = match self.next() {
            Some(char @ ('"' | '\\' | '/')) => Some(char),
            Some('b') => Some('\u{8}'),
            Some('f') => Some('\u{c}'),
            Some('n') => Some('\n'),
            Some('r') => Some('\r'),
            Some('t') => Some('\t'),
            Some('u') => self.code_point(),
            _ => None,
        };
        char.ok_or_else(|| {
            self.at = start;
            self.error("this is not a JSON escape")
                .help("one of \\\", \\\\, \\/, \\b, \\f, \\n, \\r, \\t and \\u with four hexadecimal digits")
        })
    }

    /// Reads the code point of a `\u` escape: one code unit, or two that are a surrogate pair.
    fn code_point(&mut self) -> Option<char> {
        let unit = self.code_unit()?;
        let low = match unit {
            0xd800..0xdc00 if self.take('\\') && self.take('u') => Some(self.code_unit()?),
            _ => None,
        };
        char::decode_utf16([unit].into_iter().chain(low)).next()?.ok()
    }

    fn code_unit(&mut self) -> Option<u16> {
        let digits = self.rest().get(..4).filter(|digits| digits.bytes().all(|d| d.is_ascii_hexdigit()))?;
        let unit = u16::from_str_radix(digits, 16).ok()?;
        self.at += 4;
        Some(unit)
    }

    fn digits(&mut self) -> bool {
        let count = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        self.at += count;
        count > 0
    }

    fn number(&mut self) -> Result<Data> {
        self.here();
        let start = self.at;
        self.take('-');
        let zero = self.peek() == Some('0');
        let first = self.at;
        let mut valid = self.digits() && !(zero && self.at > first + 1);
        let is_integer = !matches!(self.peek(), Some('.' | 'e' | 'E'));
        if self.take('.') {
            valid &= self.digits();
        }
        if self.take('e') || self.take('E') {
            let _ = self.take('-') || self.take('+');
            valid &= self.digits();
        }
        valid &= !self.peek().is_some_and(|next| next.is_alphanumeric() || matches!(next, '_' | '.'));
        let text = self.text.get(start..self.at).unwrap_or_default();
        if valid
            && is_integer
            && let Ok(integer) = text.parse::<i128>()
        {
            return Ok(Data::Int(integer));
        }
        let problem = match text.parse::<f64>() {
            Ok(float) if valid && float.is_finite() => return Ok(Data::Float(float)),
            Ok(_) if valid => "this number is too large for a float64",
            _ => "this is not a JSON number",
        };
        self.at = start;
        Err(self.error(problem))
    }
}
