//! JSON text, value by value, as [RFC 8259](https://www.rfc-editor.org/rfc/rfc8259) has it.

use tfxio_core::{Error, ErrorKind, Limits, Result};

use crate::lines::bytes;

/// A text that is read from its beginning to its end.
pub(super) struct Json<'a> {
    text: &'a [u8],
    at: usize,
    /// Levels of lists and objects that may still be entered.
    levels: u32,
}

/// A key as most programs write it: between quotes, a colon after it.
#[derive(Clone, Debug)]
pub(super) struct Key {
    /// Empty where something in it is escaped.
    quoted: Box<[u8]>,
}

impl Key {
    pub(super) fn new(name: &str) -> Self {
        let quoted = match special(name.as_bytes()) {
            None => format!("\"{name}\":").into_bytes().into(),
            Some(_) => Box::default(),
        };
        Self { quoted }
    }
}

/// Returns the position of the first quote, backslash or control character, which ends the literal part of a string.
#[inline]
fn special(text: &[u8]) -> Option<usize> {
    const QUOTES: u64 = bytes::repeated(b'"');
    const ESCAPES: u64 = bytes::repeated(b'\\');
    const SPACES: u64 = bytes::repeated(b' ');
    let marks = |word| bytes::any(word, QUOTES) | bytes::any(word, ESCAPES) | bytes::below(word, SPACES);
    bytes::position(text, marks, |byte| matches!(byte, b'"' | b'\\' | 0..=0x1f))
}

/// Kind of a value by its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum First {
    Null,
    Bool,
    Number,
    String,
    List,
    Object,
}

impl<'a> Json<'a> {
    /// # Errors
    /// `Malformed` where the text is not UTF-8.
    pub(super) fn new(text: &'a [u8], limits: &Limits) -> Result<Self> {
        if let Err(error) = std::str::from_utf8(text) {
            let what = "the line is not UTF-8";
            let error = Error::new(ErrorKind::Malformed, what).at_record_byte(error.valid_up_to());
            return Err(error.help("save the file as UTF-8; bytes are written as {\"base64\": \"…\"}"));
        }
        Ok(Self { text, at: 0, levels: limits.nesting })
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    #[inline]
    pub(super) fn pass_spaces(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    #[cold]
    fn wrong(&self, what: &str) -> Error {
        let error = match self.peek() {
            None => Error::new(ErrorKind::Malformed, format!("{what}, and the line ends"))
                .help("write each object on a line of its own, which holds all of it"),
            Some(_) => {
                let rest = self.text.get(self.at..).unwrap_or_default();
                let shown = std::str::from_utf8(rest).unwrap_or_default().chars().next().unwrap_or_default();
                Error::new(ErrorKind::Malformed, format!("{what}, and not {shown:?}"))
                    .help("correct the line")
            }
        };
        error.at_record_byte(self.at)
    }

    /// Passes over a byte that must come next, and spaces before it.
    fn expect(&mut self, byte: u8, what: &str) -> Result<()> {
        self.pass_spaces();
        if self.peek() != Some(byte) {
            return Err(self.wrong(what));
        }
        self.at += 1;
        Ok(())
    }

    /// Returns the kind of the next value, by its first byte.
    #[inline]
    pub(super) fn first(&mut self) -> Result<First> {
        self.pass_spaces();
        Ok(match self.peek() {
            Some(b'"') => First::String,
            Some(b'-' | b'0'..=b'9') => First::Number,
            Some(b'[') => First::List,
            Some(b'{') => First::Object,
            Some(b'n') => First::Null,
            Some(b't' | b'f') => First::Bool,
            _ => return Err(self.wrong("a value is expected")),
        })
    }

    fn word(&mut self, word: &str) -> Result<()> {
        if !self.text.get(self.at..).is_some_and(|rest| rest.starts_with(word.as_bytes())) {
            return Err(self.wrong("a value is expected"));
        }
        self.at += word.len();
        Ok(())
    }

    /// Reads `null`.
    pub(super) fn null(&mut self) -> Result<()> {
        self.word("null")
    }

    /// Reads `true` or `false`.
    pub(super) fn bool(&mut self) -> Result<bool> {
        let value = self.peek() == Some(b't');
        self.word(if value { "true" } else { "false" })?;
        Ok(value)
    }

    #[inline]
    fn digits(&mut self) -> usize {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at - start
    }

    /// Reads a number: its text, and whether it has neither a fraction nor an exponent.
    #[inline]
    pub(super) fn number(&mut self) -> Result<(&'a [u8], bool)> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let is_zero = self.peek() == Some(b'0');
        let digits = self.digits();
        if digits == 0 {
            return Err(self.wrong("a digit is expected"));
        }
        if is_zero && digits > 1 {
            self.at = start;
            let what = "a number begins with a zero that says nothing";
            return Err(Error::new(ErrorKind::Malformed, what)
                .help("correct the line")
                .at_record_byte(start));
        }
        let mut is_integer = true;
        if self.peek() == Some(b'.') {
            is_integer = false;
            self.at += 1;
            if self.digits() == 0 {
                return Err(self.wrong("a digit is expected"));
            }
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            is_integer = false;
            self.at += 1;
            if matches!(self.peek(), Some(b'-' | b'+')) {
                self.at += 1;
            }
            if self.digits() == 0 {
                return Err(self.wrong("a digit is expected"));
            }
        }
        Ok((self.text.get(start..self.at).unwrap_or_default(), is_integer))
    }

    /// Reads a string. Its text is part of the line, or of `unescaped` where it has escapes.
    #[inline]
    pub(super) fn string<'b>(&mut self, unescaped: &'b mut Vec<u8>) -> Result<&'b [u8]>
    where
        'a: 'b,
    {
        self.expect(b'"', "a string is expected")?;
        let start = self.at;
        let rest = self.text.get(start..).unwrap_or_default();
        let Some(end) = special(rest) else {
            self.at = self.text.len();
            return Err(self.wrong("a string is not closed"));
        };
        self.at = start + end;
        if self.peek() == Some(b'"') {
            self.at += 1;
            return Ok(rest.get(..end).unwrap_or_default());
        }
        unescaped.clear();
        unescaped.extend_from_slice(rest.get(..end).unwrap_or_default());
        self.escaped(unescaped)?;
        Ok(unescaped.as_slice())
    }

    /// Reads the rest of a string.
    fn escaped(&mut self, out: &mut Vec<u8>) -> Result<()> {
        loop {
            match self.peek() {
                None => return Err(self.wrong("a string is not closed")),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => {
                    self.at += 1;
                    self.escape(out)?;
                }
                Some(0..=0x1f) => return Err(self.wrong("control characters in a string are escaped")),
                Some(_) => {
                    let rest = self.text.get(self.at..).unwrap_or_default();
                    let plain = rest.get(..special(rest).unwrap_or(rest.len())).unwrap_or_default();
                    out.extend_from_slice(plain);
                    self.at += plain.len();
                }
            }
        }
    }

    fn escape(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let byte = match self.peek() {
            Some(byte @ (b'"' | b'\\' | b'/')) => byte,
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'u') => {
                self.at += 1;
                return self.unicode(out);
            }
            _ => return Err(self.wrong("an escape is one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u")),
        };
        out.push(byte);
        self.at += 1;
        Ok(())
    }

    /// Reads the digits of `\u`, and of the second one of a pair.
    fn unicode(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let start = self.at;
        let first = self.hex()?;
        let code = if (0xd800..0xdc00).contains(&first)
            && self.text.get(self.at..).is_some_and(|rest| rest.starts_with(b"\\u"))
        {
            self.at += 2;
            let second = self.hex()?;
            match second.checked_sub(0xdc00).filter(|low| *low < 0x400) {
                Some(low) => 0x10000 + ((first - 0xd800) << 10) + low,
                None => first,
            }
        } else {
            first
        };
        let Some(char) = char::from_u32(code) else {
            let what = "half of a pair of \\u stands alone, which is not a character";
            return Err(Error::new(ErrorKind::Malformed, what)
                .help("correct the line")
                .at_record_byte(start));
        };
        out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
        Ok(())
    }

    fn hex(&mut self) -> Result<u32> {
        let digits =
            self.text.get(self.at..self.at + 4).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let code = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let code = code.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let code = code.ok_or_else(|| self.wrong("four hexadecimal digits are expected"))?;
        self.at += 4;
        Ok(code)
    }

    fn enter(&mut self) -> Result<()> {
        self.at += 1;
        self.levels = self.levels.checked_sub(1).ok_or_else(|| {
            let what = "lists and objects are nested more deeply than the limit allows";
            let error = Error::new(ErrorKind::LimitExceeded, what).at_record_byte(self.at - 1);
            error.help("raise the limit `nesting` if this is meant to be")
        })?;
        Ok(())
    }

    /// Reads a list: calls `item` with each item next.
    pub(super) fn list(&mut self, mut item: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        self.enter()?;
        self.pass_spaces();
        if self.peek() == Some(b']') {
            self.at += 1;
        } else {
            loop {
                item(self)?;
                self.pass_spaces();
                match self.peek() {
                    Some(b',') => self.at += 1,
                    Some(b']') => {
                        self.at += 1;
                        break;
                    }
                    _ => return Err(self.wrong("a comma or the end of the list is expected")),
                }
            }
        }
        self.levels += 1;
        Ok(())
    }

    /// Passes over a key that is expected, and the colon after it, if it comes next.
    #[inline]
    pub(super) fn pass_key(&mut self, key: &Key) -> bool {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let is_next = !key.quoted.is_empty() && rest.starts_with(&key.quoted);
        if is_next {
            self.at += key.quoted.len();
        }
        is_next
    }

    /// Reads a key, and passes over the colon after it. Its text is as that of [`Json::string`].
    #[inline]
    pub(super) fn key<'b>(&mut self, unescaped: &'b mut Vec<u8>) -> Result<&'b [u8]>
    where
        'a: 'b,
    {
        let key = self.string(unescaped)?;
        self.expect(b':', "a colon is expected after a key")?;
        Ok(key)
    }

    /// Reads an object: calls `member` where each key comes next, which reads it and its value.
    pub(super) fn object(&mut self, mut member: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        self.enter()?;
        self.pass_spaces();
        if self.peek() == Some(b'}') {
            self.at += 1;
        } else {
            loop {
                self.pass_spaces();
                member(self)?;
                self.pass_spaces();
                match self.peek() {
                    Some(b',') => self.at += 1,
                    Some(b'}') => {
                        self.at += 1;
                        break;
                    }
                    _ => return Err(self.wrong("a comma or the end of the object is expected")),
                }
            }
        }
        self.levels += 1;
        Ok(())
    }

    /// Returns the text of the object that comes next if it has the one key `base64` with a string, and passes over it;
    /// otherwise nothing is read.
    pub(super) fn base64(&mut self) -> Result<Option<&'a [u8]>> {
        const KEY: &[u8] = b"\"base64\"";
        let start = self.at;
        self.at += 1;
        self.pass_spaces();
        if self.text.get(self.at..).is_some_and(|rest| rest.starts_with(KEY)) {
            self.at += KEY.len();
            self.pass_spaces();
            if self.peek() == Some(b':') {
                self.at += 1;
                self.pass_spaces();
                if self.peek() == Some(b'"') {
                    let begin = self.at + 1;
                    let rest = self.text.get(begin..).unwrap_or_default();
                    if let Some(length) = rest.iter().position(|byte| *byte == b'"') {
                        self.at = begin + length + 1;
                        self.pass_spaces();
                        if self.peek() == Some(b'}') {
                            self.at += 1;
                            return Ok(rest.get(..length));
                        }
                    }
                }
            }
        }
        self.at = start;
        Ok(None)
    }

    /// Passes over a value.
    pub(super) fn pass(&mut self, unescaped: &mut Vec<u8>) -> Result<()> {
        match self.first()? {
            First::Null => self.null(),
            First::Bool => self.bool().map(drop),
            First::Number => self.number().map(drop),
            First::String => self.string(unescaped).map(drop),
            First::List => self.list(|json| json.pass(unescaped)),
            First::Object => self.object(|json| {
                json.key(unescaped)?;
                json.pass(unescaped)
            }),
        }
    }

    /// Refuses what follows the value.
    pub(super) fn finish(mut self) -> Result<()> {
        self.pass_spaces();
        if self.at < self.text.len() {
            return Err(self.wrong("the end of the line is expected after the object"));
        }
        Ok(())
    }
}
