//! Encoding of values as the bytes of fields.

use std::collections::HashSet;

use proto_wire::{Reader, Tag, WireType, varint_size};
use tfxio_base::{Count, Error, Result, suggest};

use super::bind::{Bound, Column, Lists, Values};
use super::other;
use crate::Kind;
use crate::descriptor::{Field, FieldKind, Presence, Scalar};

impl Bound<'_> {
    /// Appends the record of a row, of `most` bytes.
    pub(super) fn write_record(&self, row: usize, most: usize, out: &mut Vec<u8>) -> Result<()> {
        self.check_oneofs(row)?;
        for column in &self.columns {
            let written = column.write(row, false, out);
            let written = if out.len() > most { Err(too_long(out.len(), most)) } else { written };
            written.map_err(|error| error.within(column.name))?;
        }
        Ok(())
    }

    /// Appends the message of a row.
    fn write(&self, row: usize, out: &mut Vec<u8>) -> Result<()> {
        self.check_oneofs(row)?;
        for column in &self.columns {
            column.write(row, self.is_map_entry, out).map_err(|error| error.within(column.name))?;
        }
        Ok(())
    }

    /// Checks that at most one member of each oneof is set.
    fn check_oneofs(&self, row: usize) -> Result<()> {
        if !self.has_oneofs {
            return Ok(());
        }
        let mut set: Vec<(u32, &str)> = Vec::new();
        for column in &self.columns {
            let Some(oneof) = column.field.and_then(|field| field.oneof) else { continue };
            if column.is_null(row) {
                continue;
            }
            if let Some((_, other)) = set.iter().find(|(known, _)| *known == oneof) {
                let what =
                    format!("{other:?} and {:?} have values, and a oneof holds one of them", column.name);
                return Err(Error::new(Kind::BadValue, what));
            }
            set.push((oneof, column.name));
        }
        Ok(())
    }
}

impl Column<'_> {
    pub(super) fn is_null(&self, row: usize) -> bool {
        let is_nothing = matches!((&self.values, &self.lists), (Values::Nothing, Lists::None));
        is_nothing || self.nulls.is_some_and(|nulls| nulls.is_null(row))
    }

    /// Returns the values of a row.
    fn range(&self, row: usize) -> (usize, usize) {
        let size = |end: i64| usize::try_from(end).unwrap_or(0);
        match self.lists {
            Lists::None => (row, row + 1),
            Lists::Short(ends) => match (ends.get(row), ends.get(row + 1)) {
                (Some(start), Some(end)) => (size((*start).into()), size((*end).into())),
                _ => (0, 0),
            },
            Lists::Long(ends) => match (ends.get(row), ends.get(row + 1)) {
                (Some(start), Some(end)) => (size(*start), size(*end)),
                _ => (0, 0),
            },
        }
    }

    pub(super) fn write(&self, row: usize, is_of_entry: bool, out: &mut Vec<u8>) -> Result<()> {
        let presence = self.field.map_or(Presence::Explicit, |field| field.presence);
        if self.is_null(row) {
            return match presence {
                Presence::Explicit => Ok(()),
                Presence::Repeated => {
                    Err(bad("a null, which would be read as an empty list").help("fill it"))
                }
                Presence::Implicit => Err(bad("a null, which would be read as the default of its type")
                    .help("fill it, or write with a descriptor in which the field is optional")),
                Presence::Required => Err(bad("a null, and the field is required").help("fill it")),
            };
        }
        let (start, end) = self.range(row);
        let has_null = self.value_nulls.is_some_and(|nulls| (start..end).any(|at| nulls.is_null(at)));
        if has_null || matches!(self.values, Values::Nothing) && start < end {
            return Err(bad("a null in a list, which no message can hold").help("fill it or leave it out"));
        }
        let Some(field) = self.field else {
            for at in start..end {
                out.extend_from_slice(whole(self.values.bytes(at))?);
            }
            return Ok(());
        };
        if presence == Presence::Repeated {
            return self.write_list(field, start, end, out);
        }
        if end - start != 1 {
            let what = format!("a list of {}, and the field is singular", Count::of(end - start, "value"));
            return Err(bad(&what).help("give one value, or null"));
        }
        // An entry of a map has both, since an enum of proto2 may have another default than 0.
        if presence == Presence::Implicit && !is_of_entry && self.values.is_default(field, start) {
            return Ok(());
        }
        self.values.write(field, start, out)
    }

    fn write_list(&self, field: &Field, start: usize, end: usize, out: &mut Vec<u8>) -> Result<()> {
        if let Values::Keyed(entries) = &self.values {
            return entries.iter().try_for_each(|entry| entry.write(field, start, out));
        }
        if field.is_packed {
            if start == end {
                return Ok(());
            }
            tag(out, field.number, WireType::Len);
            return sized(out, |out| {
                (start..end).try_for_each(|at| self.values.number(field, at, out).map(drop))
            });
        }
        if let Values::Messages(entries) = &self.values
            && end - start > 1
        {
            entries.check_keys(start, end)?;
        }
        for at in start..end {
            let index = |error: Error| error.within(&format!("[{}]", at - start));
            self.values.write(field, at, out).map_err(index)?;
        }
        Ok(())
    }
}

impl Values<'_> {
    /// Returns bytes of a column of bytes or texts.
    fn bytes(&self, at: usize) -> &[u8] {
        match self {
            Self::Text(values) => values.value(at).as_bytes(),
            Self::LargeText(values) => values.value(at).as_bytes(),
            Self::Binary(values) => values.value(at),
            Self::LargeBinary(values) => values.value(at),
            _ => &[],
        }
    }

    /// Appends a field.
    fn write(&self, field: &Field, at: usize, out: &mut Vec<u8>) -> Result<()> {
        let number = field.number;
        match (self, field.kind) {
            (Self::Messages(message), _) if field.is_group => {
                tag(out, number, WireType::StartGroup);
                message.write(at, out)?;
                tag(out, number, WireType::EndGroup);
            }
            (Self::Messages(message), _) => {
                tag(out, number, WireType::Len);
                sized(out, |out| message.write(at, out))?;
            }
            (_, FieldKind::Message(_)) if field.is_group => {
                tag(out, number, WireType::StartGroup);
                out.extend_from_slice(whole(self.bytes(at))?);
                tag(out, number, WireType::EndGroup);
            }
            (Self::Text(_) | Self::LargeText(_) | Self::Binary(_) | Self::LargeBinary(_), _) => {
                let bytes = self.bytes(at);
                tag(out, number, WireType::Len);
                varint(out, bytes.len() as u64);
                out.extend_from_slice(bytes);
            }
            _ => {
                tag(out, number, wire(field.kind));
                self.number(field, at, out)?;
            }
        }
        Ok(())
    }

    /// Appends a number without its tag.
    fn number(&self, field: &Field, at: usize, out: &mut Vec<u8>) -> Result<()> {
        let is_fixed = !matches!(wire(field.kind), WireType::Varint);
        let zigzag = matches!(field.kind, FieldKind::Scalar(Scalar::Sint32 | Scalar::Sint64));
        match self {
            Self::Bool(values) => varint(out, values.value(at).into()),
            Self::Int32(values) => match values.value(at) {
                value if is_fixed => out.extend_from_slice(&value.to_le_bytes()),
                value if zigzag => varint(out, u64::from(((value << 1) ^ (value >> 31)).cast_unsigned())),
                // Negative numbers take ten bytes, as those of 64 bits.
                value => varint(out, i64::from(value).cast_unsigned()),
            },
            Self::Int64(values) => match values.value(at) {
                value if is_fixed => out.extend_from_slice(&value.to_le_bytes()),
                value if zigzag => varint(out, ((value << 1) ^ (value >> 63)).cast_unsigned()),
                value => varint(out, value.cast_unsigned()),
            },
            Self::Uint32(values) if is_fixed => out.extend_from_slice(&values.value(at).to_le_bytes()),
            Self::Uint32(values) => varint(out, values.value(at).into()),
            Self::Uint64(values) if is_fixed => out.extend_from_slice(&values.value(at).to_le_bytes()),
            Self::Uint64(values) => varint(out, values.value(at)),
            Self::Float32(values) => out.extend_from_slice(&values.value(at).to_le_bytes()),
            Self::Float64(values) => out.extend_from_slice(&values.value(at).to_le_bytes()),
            Self::Other(values) => other::number(values, field, at, out)?,
            Self::Names(of, names) => {
                let name = std::str::from_utf8(names.bytes(at)).unwrap_or_default();
                let number = match of.values.iter().find(|(known, _)| **known == *name) {
                    Some((_, number)) => *number,
                    // What the descriptor has no name for is read as its number.
                    None => name.parse().map_err(|_| {
                        let what = format!("{name:?}, which is not a value of {}", of.full_name);
                        let names = of.values.iter().map(|(name, _)| &**name);
                        bad(&what).help(suggest::hint(name, names, "values"))
                    })?,
                };
                varint(out, i64::from(number).cast_unsigned());
            }
            Self::Text(_)
            | Self::LargeText(_)
            | Self::Binary(_)
            | Self::LargeBinary(_)
            | Self::Nothing
            | Self::Messages(_)
            | Self::Keyed(_) => {}
        }
        Ok(())
    }

    /// Returns whether a value is what a field without presence has when it is not written.
    fn is_default(&self, field: &Field, at: usize) -> bool {
        match self {
            Self::Bool(values) => !values.value(at),
            Self::Int32(values) => values.value(at) == 0,
            Self::Int64(values) => values.value(at) == 0,
            Self::Uint32(values) => values.value(at) == 0,
            Self::Uint64(values) => values.value(at) == 0,
            // -0.0 is not the default.
            Self::Float32(values) => values.value(at).to_bits() == 0,
            Self::Float64(values) => values.value(at).to_bits() == 0,
            Self::Names(of, names) => {
                let zero = of.by_number.get(&0).and_then(|index| of.values.get(*index));
                zero.is_some_and(|(name, _)| name.as_bytes() == names.bytes(at))
            }
            Self::Other(values) => values.is_default(field, at),
            Self::Messages(_) | Self::Keyed(_) | Self::Nothing => false,
            _ => !matches!(field.kind, FieldKind::Message(_)) && self.bytes(at).is_empty(),
        }
    }
}

impl Bound<'_> {
    /// Checks that no key comes twice in a map. The columns of other messages than entries are not checked.
    fn check_keys(&self, start: usize, end: usize) -> Result<()> {
        if !self.is_map_entry {
            return Ok(());
        }
        let is_key = |column: &&Column<'_>| column.field.is_some_and(|field| field.number == 1);
        let Some(key) = self.columns.iter().find(is_key) else {
            let what = format!("a map of {} without a column of their keys", Count::of(end - start, "entry"));
            return Err(bad(&what).help("give the entries a column \"key\""));
        };
        let mut seen = HashSet::with_capacity(end - start);
        for entry in start..end {
            let mut bytes = Vec::new();
            key.write(entry, true, &mut bytes).map_err(|error| error.within("key"))?;
            if !seen.insert(bytes) {
                let what = "a map with a key that comes twice, of which the last would be read";
                return Err(bad(what).help("leave one of the entries out"));
            }
        }
        Ok(())
    }
}

pub(super) fn wire(kind: FieldKind) -> WireType {
    match kind {
        FieldKind::Scalar(Scalar::Double | Scalar::Fixed64 | Scalar::Sfixed64) => WireType::I64,
        FieldKind::Scalar(Scalar::Float | Scalar::Fixed32 | Scalar::Sfixed32) => WireType::I32,
        FieldKind::Scalar(Scalar::String | Scalar::Bytes) | FieldKind::Message(_) => WireType::Len,
        FieldKind::Scalar(_) | FieldKind::Enum(_) => WireType::Varint,
    }
}

pub(super) fn bad(what: &str) -> Error {
    Error::new(Kind::BadValue, format!("the row has {what}"))
}

#[cold]
fn too_long(bytes: usize, most: usize) -> Error {
    let what = format!(
        "the record has {} with this field, {most} {} allowed",
        Count::of(bytes, "byte"),
        Count::of(most, "byte").verb("is", "are")
    );
    Error::new(Kind::LimitExceeded, what)
        .help("raise `Limits::record_bytes`; a protobuf message has at most 2147483647")
}

/// Returns bytes that go into a message as they are, if they are whole fields: others would change the fields after
/// them.
fn whole(bytes: &[u8]) -> Result<&[u8]> {
    let mut reader = Reader::new(bytes);
    let mut next = || match reader.tag()? {
        Some(tag) => reader.skip(tag).map(|()| true),
        None => Ok(false),
    };
    loop {
        match next() {
            Ok(true) => {}
            Ok(false) => return Ok(bytes),
            Err(error) => {
                let what =
                    format!("bytes that are not the fields of a message: {}", error.kind().description());
                return Err(bad(&what));
            }
        }
    }
}

pub(super) fn tag(out: &mut Vec<u8>, number: u32, wire: WireType) {
    varint(out, Tag::new(number, wire).bits().into());
}

pub(super) fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a length and what `write` appends. Most lengths take the one byte that is left for them.
pub(super) fn sized(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>) -> Result<()>) -> Result<()> {
    let start = out.len();
    out.push(0);
    write(out)?;
    let length = out.len() - start - 1;
    let more = varint_size(length as u64) - 1;
    if more > 0 {
        let end = out.len();
        out.resize(end + more, 0);
        out.copy_within(start + 1..end, start + 1 + more);
    }
    let mut rest = length;
    for at in start..=start + more {
        if let Some(byte) = out.get_mut(at) {
            *byte = (rest & 0x7f) as u8 | if at == start + more { 0 } else { 0x80 };
        }
        rest >>= 7;
    }
    Ok(())
}
