//! Kind and number of values of each feature of a record.
//!
//! Reads what the decoder reads, by the same rules: the last kind wins, occurrences of one kind add up, and everything is
//! checked, also what does not count in the end.

use proto_wire::{Error as WireError, Reader, WireType};

use crate::FeatureKind;
use crate::decode::feature::{Count, FEATURE_DEPTH, Fault, Span, read_list, usual_count};

/// Message type of a record.
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

/// Field of a record that holds its features, or the features of its context.
pub(crate) const FEATURES: u32 = 1;
/// The field of a SequenceExample that holds its feature lists.
pub(crate) const FEATURE_LISTS: u32 = 2;

/// Counts of the value of an entry.
pub(super) trait Value: Copy + Default {
    /// Reads a value.
    fn read(value: Part<'_>) -> Result<Self, WireError>;
}

/// Checks the value of an entry that does not count.
pub(super) fn check<V: Value>(bytes: &[u8], value: Span, _: &mut Vec<Span>) -> Result<(), Fault> {
    V::read(Part::value(bytes, value)).map(drop).map_err(Fault::Wire)
}

/// A `Feature`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Feature {
    pub(super) kind: Option<FeatureKind>,
    pub(super) values: u64,
}

impl Value for Feature {
    #[inline(always)]
    fn read(value: Part<'_>) -> Result<Self, WireError> {
        match usual_count(value.bytes, value.span) {
            Some((kind, _, values)) => Ok(Self { kind: Some(kind), values: values as u64 }),
            None => Self::read_any(value),
        }
    }
}

impl Feature {
    /// Reads a feature in any form.
    #[inline(never)]
    fn read_any(value: Part<'_>) -> Result<Self, WireError> {
        let mut feature = Self::default();
        value.fields(|field, wire, reader| {
            let (Some(kind), WireType::Len) = (FeatureKind::from_field(field), wire) else {
                return Ok(false);
            };
            let values = value.part(reader)?.values(kind)?;
            if feature.kind != Some(kind) {
                feature = Self { kind: Some(kind), values: 0 };
            }
            feature.values += values;
            Ok(true)
        })?;
        Ok(feature)
    }
}

/// A `FeatureList`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FeatureList {
    /// The kind of the first step that has values.
    pub(super) kind: Option<FeatureKind>,
    /// The kind of the first step that has an empty list.
    pub(super) empty: Option<FeatureKind>,
    /// The first step that has values of another kind, and that kind.
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
    fn read(value: Part<'_>) -> Result<Self, WireError> {
        let mut list = Self::default();
        value.fields(|field, wire, reader| {
            if (field, wire) != (1, WireType::Len) {
                return Ok(false);
            }
            list.add(Feature::read(value.part(reader)?)?);
            Ok(true)
        })?;
        Ok(list)
    }
}

impl FeatureList {
    fn add(&mut self, step: Feature) {
        match (self.kind, step.kind) {
            (_, None) => self.unset += 1,
            (Some(kind), Some(found)) if kind != found && step.values > 0 => {
                self.other.get_or_insert((self.steps, found));
            }
            (_, Some(found)) => {
                self.min = if self.has_lists() { self.min.min(step.values) } else { step.values };
                self.max = self.max.max(step.values);
                self.values += step.values;
                if step.values == 0 {
                    self.empty.get_or_insert(found);
                } else {
                    self.kind = Some(found);
                }
            }
        }
        self.steps += 1;
    }

    /// Returns whether a step has a list, empty or not.
    pub(super) fn has_lists(&self) -> bool {
        self.kind.or(self.empty).is_some()
    }
}

/// A message within some bytes.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    bytes: &'a [u8],
    span: Span,
    depth: u32,
}

impl<'a> Part<'a> {
    /// Returns the value of an entry of a map.
    #[inline(always)]
    pub(super) fn value(bytes: &'a [u8], span: Span) -> Self {
        Self { bytes, span, depth: FEATURE_DEPTH }
    }

    /// Passes every field to `field`, which returns whether it has read it.
    fn fields(
        self,
        mut field: impl FnMut(u32, WireType, &mut Reader<'a>) -> Result<bool, WireError>,
    ) -> Result<(), WireError> {
        let mut reader = Reader::at_depth(self.span.of(self.bytes), self.depth);
        while let Some(tag) = reader.tag().map_err(|error| self.shifted(error))? {
            if !field(tag.field, tag.wire, &mut reader)? {
                reader.skip(tag).map_err(|error| self.shifted(error))?;
            }
        }
        Ok(())
    }

    /// Returns the message that comes next in one of its fields.
    fn part(self, reader: &mut Reader<'a>) -> Result<Self, WireError> {
        let length = reader.bytes().map_err(|error| self.shifted(error))?.len();
        let end = self.span.start + reader.position();
        Ok(Self { span: Span { start: end - length, end }, depth: self.depth + 1, ..self })
    }

    /// Returns the number of values of a list message.
    fn values(self, kind: FeatureKind) -> Result<u64, WireError> {
        let mut count = Count(0);
        read_list(self.bytes, self.span, self.depth, kind, &mut count)?;
        Ok(count.0)
    }

    fn shifted(self, error: WireError) -> WireError {
        error.shifted(self.span.start)
    }
}
