//! Parsing of text to encoded messages.

use prost::encoding;
use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};

use super::token::{Token, Tokens, Word, clipped};
use super::{ANY, is_repeated, literal};
use crate::Error;
use crate::kind::with_nearest;
use crate::proto::descriptors::{self, inner_message};
use crate::schema::check::DEPTH;

/// The largest number that a field can have.
const LAST_FIELD: u64 = (1 << 29) - 1;

/// Returns the encoded schema that the text describes.
pub(in crate::schema) fn parse(text: &str) -> Result<Vec<u8>, Error> {
    let mut tokens = Tokens::new(text);
    let token = tokens.next()?;
    let mut parser = Parser { tokens, token, depth: 0 };
    let mut out = Vec::new();
    parser.fields(Some(&descriptors::schema()?), None, &mut out)?;
    Ok(out)
}

pub(super) struct Parser<'a> {
    pub(super) tokens: Tokens<'a>,
    /// The word that comes next.
    pub(super) token: Token<'a>,
    /// Number of open messages.
    depth: usize,
}

/// Target of a value, as named before it.
enum Target {
    /// A field of the message.
    Known(FieldDescriptor),
    /// A number that is not a field of the message.
    Unknown(u32),
}

impl<'a> Parser<'a> {
    /// Takes the next word.
    pub(super) fn take(&mut self) -> Result<Token<'a>, Error> {
        let next = self.tokens.next()?;
        Ok(std::mem::replace(&mut self.token, next))
    }

    /// Takes the next word if it is that symbol.
    pub(super) fn take_symbol(&mut self, symbol: char) -> Result<bool, Error> {
        let is_it = self.is_symbol(symbol);
        if is_it {
            self.take()?;
        }
        Ok(is_it)
    }

    fn is_symbol(&self, symbol: char) -> bool {
        matches!(self.token.word, Word::Symbol(found) if found == symbol)
    }

    /// Returns an error at the next word: `what` is expected instead.
    pub(super) fn expected(&self, what: impl std::fmt::Display) -> Error {
        self.tokens.error(self.token.at, format!("{what}, found {}", self.token.word.found()))
    }

    /// Fields up to `end`, or to the end of the text. `message` is `None` where nothing is known.
    fn fields(
        &mut self,
        message: Option<&MessageDescriptor>,
        end: Option<(char, usize)>,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let mut seen = Seen::default();
        loop {
            match (&self.token.word, end) {
                (Word::End, None) => return Ok(()),
                (Word::End, Some((symbol, open))) => {
                    return Err(self.tokens.error(open, format!("the message has no `{symbol}` at its end")));
                }
                (Word::Symbol(found), Some((symbol, _))) if *found == symbol => {
                    self.take()?;
                    return Ok(());
                }
                _ => self.field(message, &mut seen, out)?,
            }
        }
    }

    fn field(
        &mut self,
        message: Option<&MessageDescriptor>,
        seen: &mut Seen,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let at = self.token.at;
        if self.is_symbol('[') {
            self.any(message, seen, out)?;
        } else {
            match self.target(message)? {
                Target::Known(field) => {
                    if let Some(fault) = seen.add(&field) {
                        return Err(self.tokens.error(at, fault));
                    }
                    self.known(&field, out)?;
                }
                Target::Unknown(number) => self.unknown(number, out)?,
            }
        }
        if !self.take_symbol(';')? {
            self.take_symbol(',')?;
        }
        Ok(())
    }

    /// Reads the field that the next word names.
    fn target(&mut self, message: Option<&MessageDescriptor>) -> Result<Target, Error> {
        let Token { at, word } = self.token.clone();
        match word {
            Word::Name(name) => {
                let Some(message) = message else {
                    return Err(self.expected("the number of a field is needed where its message is unknown"));
                };
                let field = message.get_field_by_name(name).ok_or_else(|| {
                    let what = format!("{} has no field `{}`", message.name(), clipped(name));
                    let known: Vec<_> = message.fields().collect();
                    let known: Vec<_> = known.iter().map(FieldDescriptor::name).collect();
                    with_nearest(self.tokens.error(at, what), name, &known)
                })?;
                self.take()?;
                Ok(Target::Known(field))
            }
            Word::Number(text) => match literal::integer(text) {
                Some(Some(number @ 1..=LAST_FIELD)) => {
                    self.take()?;
                    let number = number as u32;
                    let known = message.and_then(|message| message.get_field(number));
                    Ok(known.map_or(Target::Unknown(number), Target::Known))
                }
                _ => Err(self.expected(format!("the number of a field is 1 to {LAST_FIELD}"))),
            },
            _ => {
                let of = message.map_or("a field", MessageDescriptor::name);
                Err(self.expected(format!("a field of {of} is needed")))
            }
        }
    }

    /// Reads the value of a field, or the list of its values.
    fn known(&mut self, field: &FieldDescriptor, out: &mut Vec<u8>) -> Result<(), Error> {
        let colon = self.take_symbol(':')?;
        if inner_message(field).is_none() && !colon {
            return Err(self.expected(format!("`:` is needed after `{}`", field.name())));
        }
        if !self.is_symbol('[') {
            return self.value(field, out);
        }
        if !is_repeated(field) {
            return Err(self.expected(format!("`{}` has one value", field.name())));
        }
        self.list(|parser, out| parser.value(field, out), out)
    }

    /// Values in brackets, divided by commas.
    pub(super) fn list(
        &mut self,
        value: impl Fn(&mut Self, &mut Vec<u8>) -> Result<(), Error>,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        self.take()?;
        if self.take_symbol(']')? {
            return Ok(());
        }
        loop {
            value(self, out)?;
            if self.take_symbol(']')? {
                return Ok(());
            }
            if !self.take_symbol(',')? {
                return Err(self.expected("the list needs `,` or `]`"));
            }
        }
    }

    fn value(&mut self, field: &FieldDescriptor, out: &mut Vec<u8>) -> Result<(), Error> {
        if let Some(message) = inner_message(field) {
            let content = self.message(Some(&message), field.name())?;
            encoding::bytes::encode(field.number(), &content, out);
            return Ok(());
        }
        match field.kind() {
            Kind::String | Kind::Bytes => {
                let at = self.token.at;
                let content = self.string(field)?;
                if matches!(field.kind(), Kind::String) && std::str::from_utf8(&content).is_err() {
                    return Err(self
                        .tokens
                        .error(at, format!("`{}` is text, and must be UTF-8", field.name())));
                }
                encoding::bytes::encode(field.number(), &content, out);
            }
            Kind::Double => encoding::double::encode(field.number(), &self.float(field)?, out),
            Kind::Float => encoding::float::encode(field.number(), &self.float(field)?, out),
            _ => encoding::uint64::encode(field.number(), &self.integral(field)?, out),
        }
        Ok(())
    }

    /// Reads a message in braces, encoded.
    pub(super) fn message(
        &mut self,
        message: Option<&MessageDescriptor>,
        name: &str,
    ) -> Result<Vec<u8>, Error> {
        let at = self.token.at;
        let end = match self.token.word {
            Word::Symbol('{') => '}',
            Word::Symbol('<') => '>',
            _ => return Err(self.expected(format!("`{name}` needs a message in {{ }}"))),
        };
        if self.depth == DEPTH {
            return Err(self
                .tokens
                .error(at, format!("more than {DEPTH} messages are inside of each other")));
        }
        self.take()?;
        self.depth += 1;
        let mut out = Vec::new();
        self.fields(message, Some((end, at)), &mut out)?;
        self.depth -= 1;
        Ok(out)
    }

    /// Reads `[domain/type] { … }`, the value of an `Any` as the message that it holds.
    fn any(
        &mut self,
        message: Option<&MessageDescriptor>,
        seen: &mut Seen,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let at = self.take()?.at;
        let mut url = String::new();
        loop {
            match &self.token.word {
                Word::Name(part) | Word::Number(part) => url.push_str(part),
                Word::Symbol(part @ ('.' | '/' | '-')) => url.push(*part),
                Word::Symbol(']') => break,
                _ => return Err(self.expected("a name in [ ] needs `]`")),
            }
            self.take()?;
        }
        self.take()?;
        let is_any = message.is_some_and(|message| message.full_name() == ANY);
        let Some((_, name)) = url.rsplit_once('/').filter(|_| is_any) else {
            let of = message.map_or("the group", MessageDescriptor::name);
            return Err(self.tokens.error(at, format!("{of} has no extension `[{}]`", clipped(&url))));
        };
        if url.matches('/').count() > 1 {
            let what = format!(
                "`[{}]` has more than one `/`: write the domain and the message, as [domain/name]",
                clipped(&url)
            );
            return Err(self.tokens.error(at, what));
        }
        let pool = message.map(MessageDescriptor::parent_pool);
        let Some(inner) = pool.and_then(|pool| pool.get_message_by_name(name)) else {
            let what =
                format!("the message `{}` is not known here: write its type_url and value", clipped(name));
            return Err(self.tokens.error(at, what));
        };
        self.take_symbol(':')?;
        let content = self.message(Some(&inner), name)?;
        for (part, content) in [("type_url", url.into_bytes()), ("value", content)] {
            let Some(field) = message.and_then(|message| message.get_field_by_name(part)) else { continue };
            if let Some(fault) = seen.add(&field) {
                return Err(self.tokens.error(at, fault));
            }
            encoding::bytes::encode(field.number(), &content, out);
        }
        Ok(())
    }
}

/// The fields of one message that have a value already.
#[derive(Default)]
struct Seen(Vec<FieldDescriptor>);

impl Seen {
    /// Notes a field that may have one value; what is wrong if it has one already.
    fn add(&mut self, field: &FieldDescriptor) -> Option<String> {
        if is_repeated(field) {
            return None;
        }
        for known in &self.0 {
            if known.number() == field.number() {
                return Some(format!("`{}` has a value already", field.name()));
            }
            if known.containing_oneof().is_some_and(|oneof| field.containing_oneof() == Some(oneof)) {
                let (new, old) = (field.name(), known.name());
                return Some(format!("`{new}` cannot stand beside `{old}`: only one of the two may be set"));
            }
        }
        self.0.push(field.clone());
        None
    }
}
