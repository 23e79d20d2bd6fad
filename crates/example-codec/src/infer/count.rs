//! Kind and number of values of each feature of a record.
//!
//! Reads what the decoder reads, by the same rules: the last entry of a name wins, the last kind
//! wins, occurrences of one kind add up, and everything is checked, also what does not count in the end.

use proto_wire::{Error as WireError, Reader, WireType};
use tfxio_core::Limits;

use super::names::Names;
use crate::decode::feature::{Count, Span, read_list};
use crate::error::{check_size, malformed, name_not_utf8, too_many_columns};
use crate::{Error, FeatureKind};

/// What a record is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Message {
    #[default]
    Example,
    SequenceExample,
}

impl Message {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Example => "tf.Example",
            Self::SequenceExample => "tf.SequenceExample",
        }
    }
}

/// The field of a record that holds its features, or those of its context.
pub(crate) const FEATURES: u32 = 1;
/// The field of a SequenceExample that holds its feature lists.
pub(crate) const FEATURE_LISTS: u32 = 2;

/// One entry of the map of a record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found<V> {
    pub(super) feature: usize,
    pub(super) value: V,
}

/// What is counted of the value of an entry.
pub(super) trait Value: Copy + Default {
    /// Reads a value, or a part of one: parts add up.
    fn read(&mut self, value: Part<'_>) -> Result<(), Error>;
}

/// A `Feature`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Feature {
    pub(super) kind: Option<FeatureKind>,
    pub(super) values: u64,
}

impl Value for Feature {
    fn read(&mut self, value: Part<'_>) -> Result<(), Error> {
        value.fields(|field, wire, reader| {
            let (Some(kind), WireType::Len) = (FeatureKind::from_field(field), wire) else {
                return Ok(false);
            };
            let values = value.part(reader)?.values(kind)?;
            if self.kind != Some(kind) {
                self.kind = Some(kind);
                self.values = 0;
            }
            self.values += values;
            Ok(true)
        })
    }
}

/// A `FeatureList`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FeatureList {
    /// That of the first step that has one.
    pub(super) kind: Option<FeatureKind>,
    /// The first step of another kind, and that kind.
    pub(super) other: Option<(u64, FeatureKind)>,
    pub(super) steps: u64,
    /// Steps without a kind.
    pub(super) unset: u64,
    pub(super) values: u64,
    /// The fewest and the most values of a step that has a kind.
    pub(super) min: u64,
    pub(super) max: u64,
}

impl Value for FeatureList {
    fn read(&mut self, value: Part<'_>) -> Result<(), Error> {
        value.fields(|field, wire, reader| {
            if (field, wire) != (1, WireType::Len) {
                return Ok(false);
            }
            let mut step = Feature::default();
            step.read(value.part(reader)?)?;
            self.add(step);
            Ok(true)
        })
    }
}

impl FeatureList {
    fn add(&mut self, step: Feature) {
        match (self.kind, step.kind) {
            (_, None) => self.unset += 1,
            (Some(kind), Some(found)) if kind != found => {
                self.other.get_or_insert((self.steps, found));
            }
            (known, Some(_)) => {
                self.min = if known.is_none() { step.values } else { self.min.min(step.values) };
                self.max = self.max.max(step.values);
                self.values += step.values;
                self.kind = step.kind;
            }
        }
        self.steps += 1;
    }
}

/// A message within the record.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    record: &'a [u8],
    span: Span,
    depth: u32,
    message: Message,
}

impl<'a> Part<'a> {
    /// Hands every field to `field`, which says whether it has read it.
    fn fields(
        self,
        mut field: impl FnMut(u32, WireType, &mut Reader<'a>) -> Result<bool, Error>,
    ) -> Result<(), Error> {
        let mut reader = Reader::at_depth(self.span.of(self.record), self.depth);
        while let Some(tag) = reader.tag().map_err(|error| self.malformed(error))? {
            if !field(tag.field, tag.wire, &mut reader)? {
                reader.skip(tag).map_err(|error| self.malformed(error))?;
            }
        }
        Ok(())
    }

    /// The message that comes next in one of its fields.
    fn part(self, reader: &mut Reader<'a>) -> Result<Part<'a>, Error> {
        let length = reader.bytes().map_err(|error| self.malformed(error))?.len();
        let end = self.span.start + reader.position();
        Ok(Part { span: Span { start: end - length, end }, depth: self.depth + 1, ..self })
    }

    /// Returns the number of values of a list message.
    fn values(self, kind: FeatureKind) -> Result<u64, Error> {
        let mut count = Count(0);
        let read = read_list(self.record, self.span, self.depth, kind, &mut count);
        read.map_err(|error| malformed(error, self.message.name()))?;
        Ok(count.0)
    }

    fn malformed(self, error: WireError) -> Error {
        malformed(error.shifted(self.span.start), self.message.name())
    }
}

/// Counts the values of the entries of a map in a record. On an error `names` may hold new names.
pub(super) fn record<V: Value>(
    bytes: &[u8],
    message: Message,
    map: u32,
    names: &mut Names,
    limits: &Limits,
    found: &mut Vec<Found<V>>,
) -> Result<(), Error> {
    found.clear();
    check_size(bytes, limits)?;
    let example = Part { record: bytes, span: Span { start: 0, end: bytes.len() }, depth: 0, message };
    let mut previous = None;
    names.start_record();
    example.fields(|field, wire, reader| {
        if (field, wire) != (map, WireType::Len) {
            return Ok(false);
        }
        let features = example.part(reader)?;
        features.fields(|field, wire, reader| {
            if (field, wire) != (1, WireType::Len) {
                return Ok(false);
            }
            entry(features.part(reader)?, names, limits.columns, &mut previous, found)?;
            Ok(true)
        })?;
        Ok(true)
    })
}

/// One entry of the map.
fn entry<V: Value>(
    entry: Part<'_>,
    names: &mut Names,
    most: usize,
    previous: &mut Option<usize>,
    found: &mut Vec<Found<V>>,
) -> Result<(), Error> {
    let mut key: &[u8] = &[];
    let mut value = V::default();
    entry.fields(|field, wire, reader| {
        match (field, wire) {
            (1, WireType::Len) => {
                key = reader.bytes().map_err(|error| entry.malformed(error))?;
                if names.find_after(*previous, key).is_none() {
                    utf8(key)?;
                }
            }
            (2, WireType::Len) => value.read(entry.part(reader)?)?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let feature = match names.find_after(*previous, key) {
        Some(number) => number,
        None if names.len() >= most => return Err(too_many_columns(most)),
        None => names.find_or_add(key, utf8(key)?),
    };
    *previous = Some(feature);
    let new = Found { feature, value };
    // Of entries with one name the last one counts.
    match names.meet(feature, found.len()).and_then(|at| found.get_mut(at)) {
        Some(before) => *before = new,
        None => found.push(new),
    }
    Ok(())
}

fn utf8(name: &[u8]) -> Result<&str, Error> {
    std::str::from_utf8(name).map_err(|_| name_not_utf8(name))
}
