//! The fields of an encoded message, one by one, known or not.

use std::borrow::Cow;

use prost::DecodeError;
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};

use crate::{Error, Kind};

/// A field of an encoded message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WireField<'a> {
    /// Its number.
    pub(crate) number: u32,
    /// All of it, the key too.
    pub(crate) raw: &'a [u8],
    /// Its value.
    pub(crate) value: WireValue<'a>,
}

/// A value on the wire.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WireValue<'a> {
    Varint(u64),
    Fixed32(u32),
    Fixed64(u64),
    /// A string, a message, or packed numbers.
    Bytes(&'a [u8]),
    /// The fields of a group, without the key at its end.
    Group(&'a [u8]),
}

/// Returns the fields of a message. The first error ends them.
pub(crate) fn fields(message: &[u8]) -> impl Iterator<Item = Result<WireField<'_>, DecodeError>> {
    let mut rest = message;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let field = next(&mut rest);
        if field.is_err() {
            rest = &[];
        }
        Some(field)
    })
}

fn next<'a>(rest: &mut &'a [u8]) -> Result<WireField<'a>, DecodeError> {
    let start = *rest;
    let (number, wire_type) = decode_key(rest)?;
    let mut value = *rest;
    skip_field(wire_type, number, rest, DecodeContext::default())?;
    value = &value[..value.len() - rest.len()];
    let raw = &start[..start.len() - rest.len()];
    let value = match wire_type {
        WireType::Varint => WireValue::Varint(decode_varint(&mut value)?),
        WireType::ThirtyTwoBit => WireValue::Fixed32(u32::from_le_bytes(array(value))),
        WireType::SixtyFourBit => WireValue::Fixed64(u64::from_le_bytes(array(value))),
        WireType::LengthDelimited => {
            decode_varint(&mut value)?;
            WireValue::Bytes(value)
        }
        // The key at the end is as long as the one at the start, but for writers that pad.
        WireType::StartGroup | WireType::EndGroup => WireValue::Group(without_end(value)?),
    };
    Ok(WireField { number, raw, value })
}

/// Returns the fields of a group before the key that ends it.
fn without_end(group: &[u8]) -> Result<&[u8], DecodeError> {
    let mut rest = group;
    loop {
        let at = rest;
        let (number, wire_type) = decode_key(&mut rest)?;
        if wire_type == WireType::EndGroup {
            return Ok(&group[..group.len() - at.len()]);
        }
        skip_field(wire_type, number, &mut rest, DecodeContext::default())?;
    }
}

/// Returns the bytes of a fixed-width value, whose length `skip_field` has checked.
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().unwrap_or([0; N])
}

/// Returns a message with every field as `edit` gives it: as it is, another one, or none.
pub(crate) fn rewrite<'a>(
    message: &'a [u8],
    mut edit: impl FnMut(&WireField<'a>) -> Result<Option<Cow<'a, [u8]>>, Error>,
) -> Result<Vec<u8>, Error> {
    let mut out = Vec::with_capacity(message.len());
    for field in fields(message) {
        let field = field.map_err(|error| {
            Error::new(Kind::MalformedProto, format!("a message cannot be read: {error}")).because(error)
        })?;
        if let Some(bytes) = edit(&field)? {
            out.extend_from_slice(&bytes);
        }
    }
    Ok(out)
}

/// Returns a message as a field of another one.
pub(crate) fn as_field(number: u32, message: Vec<u8>) -> Vec<u8> {
    let mut out = Vec::with_capacity(message.len() + 8);
    prost::encoding::bytes::encode(number, &message, &mut out);
    out
}

/// Returns the key of an entry of a map whose keys are strings.
pub(crate) fn map_key<'a>(entry: &WireValue<'a>) -> &'a [u8] {
    let WireValue::Bytes(entry) = entry else { return &[] };
    let keys = fields(entry).map_while(Result::ok).filter_map(|field| match (field.number, field.value) {
        (1, WireValue::Bytes(key)) => Some(key),
        _ => None,
    });
    keys.last().unwrap_or_default()
}
