//! Defaults that proto2 declares, as a descriptor has them: text.

use std::sync::Arc;

use tfxio_base::{Error, Result};

use super::{EnumNames, Read};
use crate::Kind;
use crate::descriptor::{Field, Scalar};

/// A default: bits of numbers, or bytes.
#[derive(Default)]
pub(super) struct DefaultValue {
    pub(super) bits: u64,
    pub(super) bytes: Arc<[u8]>,
}

/// Returns the default of a field: the one that is declared, or else that of its type. `first` is the first value of its enum.
pub(super) fn of(field: &Field, read: Read, names: Option<&EnumNames>, first: i32) -> Result<DefaultValue> {
    let bits = |bits: u64| Ok(DefaultValue { bits, ..DefaultValue::default() });
    let bytes = |bytes: &[u8]| Ok(DefaultValue { bytes: bytes.into(), ..DefaultValue::default() });
    let text = field.default.as_deref();
    if let Read::EnumNumber | Read::EnumName = read {
        let number = match (text, names) {
            (Some(text), Some(names)) => *names.numbers.get(text).ok_or_else(|| wrong(field, text))?,
            _ => first,
        };
        if read == Read::EnumNumber {
            return bits(u64::from(number.cast_unsigned()));
        }
        let name = names.and_then(|names| names.name(number));
        return bytes(name.map_or_else(|| number.to_string().into(), Arc::clone).as_bytes());
    }
    let Some(text) = text else { return Ok(DefaultValue::default()) };
    let Read::Scalar(scalar) = read else { return Ok(DefaultValue::default()) };
    let wrong = || wrong(field, text);
    match scalar {
        Scalar::String => bytes(text.as_bytes()),
        Scalar::Bytes => bytes(&unescaped(text).ok_or_else(wrong)?),
        Scalar::Bool => bits(u64::from(text.parse::<bool>().map_err(|_| wrong())?)),
        Scalar::Double => bits(text.parse::<f64>().map_err(|_| wrong())?.to_bits()),
        Scalar::Float => bits(u64::from(text.parse::<f32>().map_err(|_| wrong())?.to_bits())),
        Scalar::Int32 | Scalar::Sint32 | Scalar::Sfixed32 => {
            bits(u64::from(text.parse::<i32>().map_err(|_| wrong())?.cast_unsigned()))
        }
        Scalar::Uint32 | Scalar::Fixed32 => bits(u64::from(text.parse::<u32>().map_err(|_| wrong())?)),
        Scalar::Int64 | Scalar::Sint64 | Scalar::Sfixed64 => {
            bits(text.parse::<i64>().map_err(|_| wrong())?.cast_unsigned())
        }
        Scalar::Uint64 | Scalar::Fixed64 => bits(text.parse::<u64>().map_err(|_| wrong())?),
    }
}

fn wrong(field: &Field, text: &str) -> Error {
    let what = format!("the default {text:?} does not fit the type of the field");
    Error::new(Kind::BadDescriptor, what).at_path(Arc::clone(&field.name))
}

/// Returns bytes that are written with the escapes of C.
fn unescaped(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        out.push(match rest.next()? {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'v' => 11,
            b'x' | b'X' => digits(&mut rest, 0, 16, 2)?,
            digit @ b'0'..=b'7' => digits(&mut rest, u32::from(digit - b'0'), 8, 2)?,
            other @ (b'\\' | b'\'' | b'"' | b'?') => other,
            _ => return None,
        });
    }
    Some(out)
}

/// Reads up to `most` more digits of a number.
fn digits(
    rest: &mut std::iter::Peekable<std::str::Bytes<'_>>,
    first: u32,
    radix: u32,
    most: usize,
) -> Option<u8> {
    let mut value = first;
    for _ in 0..most {
        let Some(digit) = rest.peek().and_then(|byte| char::from(*byte).to_digit(radix)) else { break };
        value = value * radix + digit;
        rest.next();
    }
    u8::try_from(value).ok()
}
