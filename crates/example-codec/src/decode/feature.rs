//! The wire form of one `tensorflow.Feature`.
//!
//! Writers put a feature into one of a few shapes, which the column recognises at a glance; here is the general reading,
//! which takes everything that protobuf takes: the last kind wins, occurrences of the same kind are merged, values are
//! packed or unpacked or both, unknown fields are passed over.

use proto_wire::{Error as WireError, ErrorKind as WireKind, Reader, WireType, count_varints};

use crate::FeatureKind;

/// Depth of a `Feature` in an `Example`: Features, a map entry, itself.
pub(crate) const FEATURE_DEPTH: u32 = 3;

/// Bytes `start..end` of the record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Span {
    pub(crate) fn of<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        bytes.get(self.start..self.end).unwrap_or_default()
    }
}

/// Reason why a feature cannot be appended.
#[derive(Debug)]
pub(crate) enum Fault {
    Wire(WireError),
    Kind { expected: Option<FeatureKind>, found: FeatureKind },
    Length { expected: u32, found: u64 },
    Missing,
    OffsetOverflow,
}

impl From<WireError> for Fault {
    fn from(error: WireError) -> Self {
        Self::Wire(error)
    }
}

/// Takes the values of a list message, in order. Positions count from the start of the record. Values of a kind that is
/// not expected are passed over.
pub(crate) trait Values {
    /// Reason why a value cannot be taken.
    type Fault: From<WireError>;
    /// Takes one unpacked integer.
    fn int(&mut self, _value: i64) -> Result<(), WireError> {
        Ok(())
    }
    /// Takes a packed run of integers.
    fn ints(&mut self, _record: &[u8], _run: Span) -> Result<(), WireError> {
        Ok(())
    }
    /// Takes floats, four bytes each.
    fn floats(&mut self, _record: &[u8], _run: Span) -> Result<(), WireError> {
        Ok(())
    }
    /// Takes one byte string.
    fn bytes(&mut self, _record: &[u8], _value: Span) -> Result<(), Self::Fault> {
        Ok(())
    }
}

/// The number of values, which are only checked.
pub(crate) struct Count(pub(crate) u64);

impl Values for Count {
    type Fault = WireError;

    fn int(&mut self, _: i64) -> Result<(), WireError> {
        self.0 += 1;
        Ok(())
    }

    fn ints(&mut self, record: &[u8], run: Span) -> Result<(), WireError> {
        if let Some(values) = count_short_varints(run.of(record)) {
            self.0 += values as u64;
            return Ok(());
        }
        let mut reader = Reader::new(run.of(record));
        while !reader.is_empty() {
            reader.varint().map_err(|error| error.shifted(run.start))?;
            self.0 += 1;
        }
        Ok(())
    }

    fn floats(&mut self, _: &[u8], run: Span) -> Result<(), WireError> {
        self.0 += (run.end - run.start) as u64 / 4;
        Ok(())
    }

    fn bytes(&mut self, _: &[u8], _: Span) -> Result<(), WireError> {
        self.0 += 1;
        Ok(())
    }
}

/// Checks that a `Feature` of an `Example` is well-formed.
pub(super) fn check(record: &[u8], feature: Span, lists: &mut Vec<Span>) -> Result<(), Fault> {
    parse(record, feature, FEATURE_DEPTH, lists).map(drop)
}

/// Reads a `Feature` that is `depth` messages deep: its kind, and the list messages that make up its value, into `lists`.
/// All lists are checked, also lists that a later kind replaces.
pub(super) fn parse(
    record: &[u8],
    feature: Span,
    depth: u32,
    lists: &mut Vec<Span>,
) -> Result<Option<FeatureKind>, Fault> {
    lists.clear();
    let mut kind = None;
    parse_part(record, feature, depth, &mut kind, lists)?;
    Ok(kind)
}

/// Reads a part of a `Feature`, which goes on with the kind and the lists of the parts before it.
pub(crate) fn parse_part(
    record: &[u8],
    part: Span,
    depth: u32,
    kind: &mut Option<FeatureKind>,
    lists: &mut Vec<Span>,
) -> Result<(), WireError> {
    let mut reader = Reader::at_depth(part.of(record), depth);
    let shift = |error: WireError| error.shifted(part.start);
    while let Some(tag) = reader.tag().map_err(shift)? {
        match (FeatureKind::from_field(tag.field), tag.wire) {
            (Some(found), WireType::Len) => {
                let length = reader.bytes().map_err(shift)?.len();
                let end = part.start + reader.position();
                let list = Span { start: end - length, end };
                read_list(record, list, depth + 1, found, &mut Count(0))?;
                if *kind != Some(found) {
                    *kind = Some(found);
                    lists.clear();
                }
                lists.push(list);
            }
            _ => reader.skip(tag).map_err(shift)?,
        }
    }
    Ok(())
}

/// Returns whether list messages of a kind, which are `depth` messages deep, hold no value.
pub(super) fn is_empty(
    record: &[u8],
    lists: &[Span],
    depth: u32,
    kind: FeatureKind,
) -> Result<bool, WireError> {
    let mut count = Count(0);
    lists.iter().try_for_each(|list| read_list(record, *list, depth, kind, &mut count))?;
    Ok(count.0 == 0)
}

/// Reads a `BytesList`, `FloatList` or `Int64List` that is `depth` messages deep.
pub(crate) fn read_list<V: Values>(
    record: &[u8],
    list: Span,
    depth: u32,
    kind: FeatureKind,
    values: &mut V,
) -> Result<(), V::Fault> {
    let mut reader = Reader::at_depth(list.of(record), depth);
    let shift = |error: WireError| error.shifted(list.start);
    while let Some(tag) = reader.tag().map_err(shift)? {
        if tag.field != 1 {
            reader.skip(tag).map_err(shift)?;
            continue;
        }
        let value_at = list.start + reader.position();
        match (kind, tag.wire) {
            (FeatureKind::Int64, WireType::Varint) => {
                values.int(reader.varint().map_err(shift)? as i64)?;
            }
            (FeatureKind::Float, WireType::I32) => {
                reader.fixed32().map_err(shift)?;
                values.floats(record, Span { start: value_at, end: value_at + 4 })?;
            }
            (_, WireType::Len) => {
                let length = reader.bytes().map_err(shift)?.len();
                let end = list.start + reader.position();
                let run = Span { start: end - length, end };
                match kind {
                    FeatureKind::Bytes => values.bytes(record, run)?,
                    FeatureKind::Int64 => values.ints(record, run)?,
                    FeatureKind::Float if length % 4 == 0 => values.floats(record, run)?,
                    FeatureKind::Float => return Err(bad_packed_length(value_at).into()),
                }
            }
            // A value of another wire type is an unknown field.
            _ => reader.skip(tag).map_err(shift)?,
        }
    }
    Ok(())
}

#[cold]
pub(super) fn bad_packed_length(at: usize) -> WireError {
    WireError::new(WireKind::BadPackedLength, at)
}

/// Returns the offset of the values, if the feature is one list message with one field 1 in it that reaches to the end: the
/// form in which every current protobuf implementation writes packed values, and one byte string. `tag` is the tag byte of
/// the list.
#[inline(always)]
pub(crate) fn single_run(record: &[u8], feature: Span, tag: u8) -> Option<usize> {
    let length = feature.end.wrapping_sub(feature.start);
    if length.wrapping_sub(4) < 124 {
        let head = record.get(feature.start..feature.start + 4)?.first_chunk::<4>()?;
        // Four bytes at once: the tag, length - 2, the tag of the values, length - 4.
        let expected = u32::from(tag) + 0x0a_0000 + (length as u32 - 4) * 0x0100_0100 + 0x200;
        return (u32::from_le_bytes(*head) == expected).then_some(feature.start + 4);
    }
    single_long_run(record, feature, tag)
}

#[inline]
fn single_long_run(record: &[u8], feature: Span, tag: u8) -> Option<usize> {
    if *record.get(feature.start)? != tag {
        return None;
    }
    let list = reaching(record, feature.start + 1, feature.end)?;
    if *record.get(list)? != 0x0a || list >= feature.end {
        return None;
    }
    reaching(record, list + 1, feature.end)
}

/// Returns the byte after a length at `at`, if that length reaches exactly to `end`.
#[inline]
pub(crate) fn reaching(record: &[u8], at: usize, end: usize) -> Option<usize> {
    let mut length = 0usize;
    for index in 0..4 {
        let byte = *record.get(at + index)?;
        length |= usize::from(byte & 0x7f) << (7 * index);
        if byte < 0x80 {
            let begin = at + index + 1;
            return (begin <= end && end - begin == length).then_some(begin);
        }
    }
    None
}

/// Returns the content of a feature that is written as usual: one list of packed numbers, or of one byte string.
#[inline]
pub(crate) fn usual(record: &[u8], feature: Span) -> Option<(FeatureKind, Span)> {
    let (kind, run, _) = usual_count(record, feature)?;
    Some((kind, run))
}

/// Does the same, and returns the number of values.
#[inline(always)]
pub(crate) fn usual_count(record: &[u8], feature: Span) -> Option<(FeatureKind, Span, usize)> {
    let tag = *record.get(feature.start).filter(|_| feature.start < feature.end)?;
    let kind = FeatureKind::from_field(u32::from(tag >> 3)).filter(|_| tag & 7 == 2)?;
    let run = Span { start: single_run(record, feature, tag)?, end: feature.end };
    let values = match kind {
        FeatureKind::Bytes => 1,
        FeatureKind::Float => Some(run.end - run.start).filter(|length| length.is_multiple_of(4))? / 4,
        FeatureKind::Int64 => count_whole_varints(run.of(record))?,
    };
    Some((kind, run, values))
}

/// Returns how many varints a run holds, if it is whole ones.
#[inline]
fn count_whole_varints(run: &[u8]) -> Option<usize> {
    if let Some(values) = count_short_varints(run) {
        return Some(values);
    }
    let mut reader = Reader::new(run);
    let mut values = 0;
    while !reader.is_empty() {
        reader.varint().ok()?;
        values += 1;
    }
    Some(values)
}

/// Returns how many varints a run holds, if it is seen at a glance that they are whole and not too long: the last byte ends
/// one, and before it one ends in each four bytes, or there are fewer than ten.
#[inline]
fn count_short_varints(run: &[u8]) -> Option<usize> {
    let (last, before) = run.split_last()?;
    if *last >= 0x80 {
        return None;
    }
    let (words, _) = before.as_chunks::<4>();
    let has_end = |word: &[u8; 4]| u32::from_le_bytes(*word) & 0x8080_8080 != 0x8080_8080;
    (before.len() < 10 || words.iter().all(has_end)).then(|| count_varints(run))
}
