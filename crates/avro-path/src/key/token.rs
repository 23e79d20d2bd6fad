//! Tokens of a key expression.

use super::Span;
use crate::{Error, Kind, Position, Result};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    At,
    Dot,
    Colon,
    Open,
    Close,
    Star,
    Tilde,
    Equal,
    NotEqual,
    And,
    /// A name without quotes.
    Name(String),
    /// Text between quotes, with escapes resolved.
    Quoted(String),
    /// Number as it is written.
    Number(String),
    End,
}

/// Tokens with a fixed spelling.
static MARKS: [(&str, Token); 10] = [
    ("@", Token::At),
    (".", Token::Dot),
    (":", Token::Colon),
    ("[", Token::Open),
    ("]", Token::Close),
    ("*", Token::Star),
    ("~", Token::Tilde),
    ("=", Token::Equal),
    ("!=", Token::NotEqual),
    ("&", Token::And),
];

impl Token {
    /// Returns the token in a message.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Name(name) => format!("the name {name:?}"),
            Self::Quoted(text) => format!("the quoted text {text:?}"),
            Self::Number(digits) => format!("the number {digits}"),
            mark => match MARKS.iter().find(|(_, known)| known == mark) {
                Some((text, _)) => format!("{text:?}"),
                None => "the end".to_owned(),
            },
        }
    }
}

/// Returns whether a name without quotes may begin with the character.
pub(super) fn begins_name(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

/// Returns whether a name without quotes may go on with the character.
pub(super) fn continues_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns all tokens of a text, with an [`End`](Token::End) after the last.
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, Span)>> {
    let mut lexer = Lexer { text, at: 0 };
    let mut tokens = Vec::new();
    loop {
        let (token, span) = lexer.next()?;
        let is_end = token == Token::End;
        tokens.push((token, span));
        if is_end {
            return Ok(tokens);
        }
    }
}

/// Returns the quoted text with which a text begins, escapes resolved, and the text after it.
pub(crate) fn leading_quoted(text: &str) -> Option<(String, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let mut lexer = Lexer { text, at: 0 };
    match lexer.quoted(quote, Span { start: 0 }) {
        Ok(Token::Quoted(quoted)) => Some((quoted, lexer.rest())),
        _ => None,
    }
}

pub(super) fn syntax(text: &str, span: Span, what: impl Into<String>) -> Error {
    Error::new(Kind::KeySyntax, what).at(Position::new().key(text).key_column(span.column(text)))
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Takes characters of a kind, and returns them.
    fn take_while(&mut self, is_kind: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|c| !is_kind(c)).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    fn next(&mut self) -> Result<(Token, Span)> {
        self.take_while(char::is_whitespace);
        let span = Span { start: self.at };
        if let Some((text, mark)) = MARKS.iter().find(|(text, _)| self.rest().starts_with(text)) {
            self.at += text.len();
            return Ok((mark.clone(), span));
        }
        let token = match self.peek() {
            None => Token::End,
            Some(quote @ ('\'' | '"')) => self.quoted(quote, span)?,
            Some('-' | '0'..='9') => self.number(span)?,
            Some(c) if begins_name(c) => Token::Name(self.take_while(continues_name).to_owned()),
            Some(c) => {
                let error = syntax(self.text, span, format!("the character {c:?} means nothing here"));
                return Err(error.help(match c {
                    '<' | '>' | '|' => "a filter tests with = or !=, and several tests are joined by & alone",
                    _ => "names with other characters than letters, digits and _ need quotes",
                }));
            }
        };
        Ok((token, span))
    }

    fn number(&mut self, span: Span) -> Result<Token> {
        let start = self.at;
        if self.peek() == Some('-') {
            self.at += 1;
        }
        let is_digit = |c: char| c.is_ascii_digit();
        if self.take_while(is_digit).is_empty() {
            let error = syntax(self.text, span, "\"-\" without a number");
            return Err(error.help("names with other characters than letters, digits and _ need quotes"));
        }
        let mut follow = self.rest().chars();
        if follow.next() == Some('.') && follow.next().is_some_and(is_digit) {
            self.at += 1;
            self.take_while(is_digit);
        }
        let exponent = self.rest().strip_prefix(['e', 'E']);
        if let Some(exponent) = exponent {
            let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            if digits.starts_with(is_digit) {
                self.at += 1 + (exponent.len() - digits.len());
                self.take_while(is_digit);
            }
        }
        if let Some(c) = self.peek().filter(|&c| continues_name(c)) {
            let what = format!("the number goes on with {c:?}");
            let error = syntax(self.text, Span { start: self.at }, what);
            return Err(error.help("a name that begins with a digit needs quotes"));
        }
        Ok(Token::Number(self.text.get(start..self.at).unwrap_or_default().to_owned()))
    }

    fn quoted(&mut self, quote: char, span: Span) -> Result<Token> {
        self.at += 1;
        let mut value = String::new();
        loop {
            value.push_str(self.take_while(|c| c != quote && c != '\\'));
            let Some(c) = self.peek() else {
                let error = syntax(self.text, span, format!("the quote {quote} is never closed"));
                return Err(error.help(format!("close it, or write \\{quote} for the character")));
            };
            self.at += 1;
            if c == quote {
                return Ok(Token::Quoted(value));
            }
            value.push(self.escape()?);
        }
    }

    /// Returns the character of an escape, whose backslash was taken: as in JSON, and the other quote.
    fn escape(&mut self) -> Result<char> {
        let span = Span { start: self.at - 1 };
        let rest = self.text.get(span.start..).unwrap_or_default();
        let is_unicode = rest.starts_with("\\u");
        // Characters beyond U+FFFF are escaped in two halves.
        let lengths: &[usize] = if is_unicode { &[6, 12] } else { &[2] };
        let unescaped = |&length: &usize| match rest.get(..length)? {
            "\\'" => Some(('\'', length)),
            escape => Some((serde_json::from_str(&format!("\"{escape}\"")).ok()?, length)),
        };
        let Some((c, length)) = lengths.iter().find_map(unescaped) else {
            let (what, help) = if is_unicode {
                (
                    "\\u is not followed by the number of a character",
                    "write four hexadecimal digits, for characters beyond U+FFFF two such escapes as in JSON",
                )
            } else {
                (
                    "the backslash begins no escape",
                    "the escapes are \\\\, \\', \\\", \\/, \\b, \\f, \\n, \\r, \\t and \\uXXXX",
                )
            };
            return Err(syntax(self.text, span, what).help(help));
        };
        self.at = span.start + length;
        Ok(c)
    }
}
