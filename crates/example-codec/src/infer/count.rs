//! Kind and number of values of each feature of a record.
//!
//! Reads what the decoder reads, by the same rules: the last entry of a name wins, the last kind
//! wins, occurrences of one kind add up, and everything is checked, also what does not count in the end.

use proto_wire::{Error as WireError, ErrorKind as WireKind, Reader, WireType};

use super::names::Names;
use crate::{Error, ErrorKind, FeatureKind};

/// One feature of a record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) feature: usize,
    pub(super) kind: Option<FeatureKind>,
    pub(super) values: u64,
}

/// A message within the record: its bytes, and where they begin.
#[derive(Clone, Copy)]
struct Part<'a> {
    bytes: &'a [u8],
    start: usize,
    depth: u32,
}

impl<'a> Part<'a> {
    /// Hands every field to `field`, which says whether it has read it.
    fn fields(
        self,
        mut field: impl FnMut(u32, WireType, &mut Reader<'a>, usize) -> Result<bool, Error>,
    ) -> Result<(), Error> {
        let mut reader = Reader::at_depth(self.bytes, self.depth);
        while let Some(tag) = reader.tag().map_err(|error| malformed(error, self.start))? {
            if !field(tag.field, tag.wire, &mut reader, self.start)? {
                reader.skip(tag).map_err(|error| malformed(error, self.start))?;
            }
        }
        Ok(())
    }

    /// The message that comes next in one of its fields.
    fn part(self, reader: &mut Reader<'a>) -> Result<Part<'a>, Error> {
        let bytes = reader.bytes().map_err(|error| malformed(error, self.start))?;
        let start = self.start + reader.position() - bytes.len();
        Ok(Part { bytes, start, depth: self.depth + 1 })
    }
}

/// Counts the values of a record. On an error `names` may hold new names.
pub(super) fn record(
    record: &[u8],
    names: &mut Names,
    most: usize,
    found: &mut Vec<Found>,
) -> Result<(), Error> {
    let example = Part { bytes: record, start: 0, depth: 0 };
    let mut previous = None;
    names.start_record();
    example.fields(|field, wire, reader, _| {
        if (field, wire) != (1, WireType::Len) {
            return Ok(false);
        }
        let features = example.part(reader)?;
        features.fields(|field, wire, reader, _| {
            if (field, wire) != (1, WireType::Len) {
                return Ok(false);
            }
            entry(features.part(reader)?, names, most, &mut previous, found)?;
            Ok(true)
        })?;
        Ok(true)
    })
}

/// One entry of the map.
fn entry(
    entry: Part<'_>,
    names: &mut Names,
    most: usize,
    previous: &mut Option<usize>,
    found: &mut Vec<Found>,
) -> Result<(), Error> {
    let mut key: &[u8] = &[];
    let mut feature = Found { feature: 0, kind: None, values: 0 };
    entry.fields(|field, wire, reader, start| {
        match (field, wire) {
            (1, WireType::Len) => {
                key = reader.bytes().map_err(|error| malformed(error, start))?;
                if names.find_after(*previous, key).is_none() {
                    utf8(key)?;
                }
            }
            (2, WireType::Len) => value(entry.part(reader)?, &mut feature)?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    feature.feature = match names.find_after(*previous, key) {
        Some(number) => number,
        None if names.len() >= most => return Err(too_many(most)),
        None => names.find_or_add(key, utf8(key)?),
    };
    *previous = Some(feature.feature);
    // Of entries with one name the last one counts.
    match names.meet(feature.feature, found.len()).and_then(|at| found.get_mut(at)) {
        Some(before) => *before = feature,
        None => found.push(feature),
    }
    Ok(())
}

/// A `Feature`, or a piece of one: pieces add up.
fn value(feature: Part<'_>, found: &mut Found) -> Result<(), Error> {
    feature.fields(|field, wire, reader, _| {
        let (Some(kind), WireType::Len) = (FeatureKind::from_field(field), wire) else { return Ok(false) };
        let values = list(feature.part(reader)?, kind)?;
        if found.kind != Some(kind) {
            found.kind = Some(kind);
            found.values = 0;
        }
        found.values += values;
        Ok(true)
    })
}

/// The number of values of a list.
fn list(list: Part<'_>, kind: FeatureKind) -> Result<u64, Error> {
    let mut values = 0;
    list.fields(|field, wire, reader, start| {
        if field != 1 {
            return Ok(false);
        }
        match (kind, wire) {
            (FeatureKind::Int64, WireType::Varint) => {
                reader.varint().map_err(|error| malformed(error, start))?;
                values += 1;
            }
            (FeatureKind::Float, WireType::I32) => {
                reader.fixed32().map_err(|error| malformed(error, start))?;
                values += 1;
            }
            (FeatureKind::Bytes, WireType::Len) => {
                list.part(reader)?;
                values += 1;
            }
            (FeatureKind::Int64, WireType::Len) => values += varints(list.part(reader)?)?,
            (FeatureKind::Float, WireType::Len) => {
                let at = reader.position();
                let run = list.part(reader)?;
                if run.bytes.len() % 4 != 0 {
                    return Err(malformed(WireError::new(WireKind::BadPackedLength, at), start));
                }
                values += run.bytes.len() as u64 / 4;
            }
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(values)
}

fn varints(run: Part<'_>) -> Result<u64, Error> {
    let mut reader = Reader::new(run.bytes);
    let mut values = 0;
    while !reader.is_empty() {
        reader.varint().map_err(|error| malformed(error, run.start))?;
        values += 1;
    }
    Ok(values)
}

fn utf8(name: &[u8]) -> Result<&str, Error> {
    std::str::from_utf8(name).map_err(|_| {
        let name = String::from_utf8_lossy(name);
        Error::new(ErrorKind::NameNotUtf8, format!("the feature name {name:?} is not UTF-8"))
    })
}

fn malformed(error: WireError, start: usize) -> Error {
    let error = error.shifted(start);
    Error::new(
        ErrorKind::Malformed(error.kind()),
        format!(
            "the record is not a tf.Example: at its byte {}, {}",
            error.byte(),
            error.kind().description()
        ),
    )
    .because(error)
}

pub(super) fn too_many(most: usize) -> Error {
    Error::new(
        ErrorKind::LimitExceeded,
        format!("the data have more than {most} features; raise `Limits::columns` or choose some"),
    )
}
