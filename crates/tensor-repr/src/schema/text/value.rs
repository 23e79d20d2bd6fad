//! The values of fields: strings, numbers, names of enum values, and the text after an unknown number.

use prost::encoding::{self, WireType, encode_key};
use prost_reflect::{FieldDescriptor, Kind};

use super::literal;
use super::parse::Parser;
use super::token::{Word, clipped};
use crate::Error;

impl Parser<'_> {
    /// Reads a string, which may be in parts.
    pub(super) fn string(&mut self, field: &FieldDescriptor) -> Result<Vec<u8>, Error> {
        self.strings()?.ok_or_else(|| self.needs(field))
    }

    /// Takes the strings that follow each other, as one; none if the next word is not a string.
    fn strings(&mut self) -> Result<Option<Vec<u8>>, Error> {
        let mut out = None;
        while matches!(self.token.word, Word::String(..)) {
            if let Word::String(_, part) = self.take()?.word {
                out.get_or_insert_with(Vec::new).extend(part);
            }
        }
        Ok(out)
    }

    pub(super) fn float<T: std::str::FromStr + std::ops::Neg<Output = T>>(
        &mut self,
        field: &FieldDescriptor,
    ) -> Result<T, Error> {
        let at = self.token.at;
        let negative = self.take_symbol('-')?;
        let text = match self.token.word {
            Word::Number(text) => literal::float(text),
            Word::Name(name) if ["inf", "infinity"].contains(&name.to_ascii_lowercase().as_str()) => {
                Some("inf")
            }
            Word::Name(name) if name.eq_ignore_ascii_case("nan") => Some("nan"),
            _ => None,
        };
        // What `float` lets through parses.
        let value = text.and_then(|text| text.parse::<T>().ok());
        let value = value.ok_or_else(|| self.needs_signed(field, negative, at))?;
        self.take()?;
        Ok(if negative { -value } else { value })
    }

    /// Reads an integer, a bool or an enum value, as the varint that it is.
    pub(super) fn integral(&mut self, field: &FieldDescriptor) -> Result<u64, Error> {
        let at = self.token.at;
        if let Word::Name(name) = self.token.word {
            let value = match field.kind() {
                Kind::Bool => match name {
                    "true" | "True" | "t" => Some(1),
                    "false" | "False" | "f" => Some(0),
                    _ => None,
                },
                Kind::Enum(item) => {
                    let value = item.get_value_by_name(name).ok_or_else(|| {
                        let known: Vec<_> = item.values().map(|value| value.name().to_owned()).collect();
                        let (field, item) = (field.name(), item.name());
                        self.expected(format!("`{field}` needs a {item}: {}", known.join(", ")))
                    })?;
                    Some(i64::from(value.number()) as u64)
                }
                _ => None,
            };
            let value = value.ok_or_else(|| self.needs(field))?;
            self.take()?;
            return Ok(value);
        }
        let negative = self.take_symbol('-')?;
        let Word::Number(text) = self.token.word else { return Err(self.needs_signed(field, negative, at)) };
        let magnitude = literal::integer(text).ok_or_else(|| self.needs_signed(field, negative, at))?;
        let value = magnitude.map(i128::from).map(|value| if negative { -value } else { value });
        let (lowest, highest) = range(&field.kind());
        let value = value.filter(|value| (lowest..=highest).contains(value)).ok_or_else(|| {
            let sign = if negative { "-" } else { "" };
            let what =
                format!("`{}` is {lowest} to {highest}, found `{sign}{}`", field.name(), clipped(text));
            self.tokens.error(at, what)
        })?;
        self.take()?;
        // As protobuf does it: negative numbers fill all 64 bits.
        Ok(value as u64)
    }

    fn needs(&self, field: &FieldDescriptor) -> Error {
        self.expected(format!("`{}` needs {}", field.name(), describe(&field.kind())))
    }

    /// As [`needs`](Self::needs), where a sign may have been taken already, at the byte `at`.
    fn needs_signed(&self, field: &FieldDescriptor, negative: bool, at: usize) -> Error {
        if !negative {
            return self.needs(field);
        }
        let (name, kind, found) = (field.name(), describe(&field.kind()), self.token.word.found());
        self.tokens.error(at, format!("`{name}` needs {kind}, found `-` before {found}"))
    }

    /// Writes the value of a field of which only the number is known: an integer, a string, a list of such, or a group. The
    /// number of hexadecimal digits determines its width: 8 are 32 bits, 16 are 64, any other number is a varint.
    pub(super) fn unknown(&mut self, number: u32, out: &mut Vec<u8>) -> Result<(), Error> {
        let colon = self.take_symbol(':')?;
        match self.token.word.clone() {
            Word::Symbol('{' | '<') => {
                encode_key(number, WireType::StartGroup, out);
                let content = self.message(None, "the group")?;
                out.extend_from_slice(&content);
                encode_key(number, WireType::EndGroup, out);
                return Ok(());
            }
            _ if !colon => return Err(self.expected(format!("`:` is needed after `{number}`"))),
            Word::Symbol('[') => {
                return self.list(|parser, out| parser.unknown_scalar(number, out), out);
            }
            _ => {}
        }
        self.unknown_scalar(number, out)
    }

    fn unknown_scalar(&mut self, number: u32, out: &mut Vec<u8>) -> Result<(), Error> {
        let what = "an unknown field needs an integer, a string or a group";
        match self.token.word.clone() {
            Word::String(..) => {
                let content = self.strings()?.unwrap_or_default();
                encoding::bytes::encode(number, &content, out);
            }
            Word::Number(text) => {
                let value = literal::integer(text).flatten().ok_or_else(|| self.expected(what))?;
                let hex = text.starts_with("0x");
                match text.len() {
                    10 if hex => encoding::fixed32::encode(number, &(value as u32), out),
                    18 if hex => encoding::fixed64::encode(number, &value, out),
                    _ => encoding::uint64::encode(number, &value, out),
                }
                self.take()?;
            }
            _ => return Err(self.expected(what)),
        }
        Ok(())
    }
}

/// Returns the least and the largest value.
fn range(kind: &Kind) -> (i128, i128) {
    match kind {
        Kind::Bool => (0, 1),
        Kind::Enum(_) => (i32::MIN.into(), i32::MAX.into()),
        Kind::Uint32 => (0, u32::MAX.into()),
        Kind::Uint64 => (0, u64::MAX.into()),
        _ => (i64::MIN.into(), i64::MAX.into()),
    }
}

/// Describes a value of the type, as a message about text does.
fn describe(kind: &Kind) -> &'static str {
    match kind {
        Kind::Bool => "true or false",
        Kind::Uint32 | Kind::Uint64 => "an integer that is not negative",
        Kind::Float | Kind::Double => "a number",
        Kind::String | Kind::Bytes => "a string in quotes",
        Kind::Enum(_) => "the name of an enum value",
        Kind::Message(_) => "a message in { }",
        _ => "an integer",
    }
}
