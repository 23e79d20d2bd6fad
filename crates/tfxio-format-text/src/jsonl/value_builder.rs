//! The values of columns, items and fields, as they are gathered.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, LargeListArray, ListArray, StructArray};
use arrow_buffer::{BufferBuilder, NullBufferBuilder, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Fields};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tfxio_core::{Error, ErrorKind, Position, Result, suggest};

use super::infer::{twice, word};
use super::parse::{First, Json, Key};
use crate::lines::{Integer, Unfit, Values, float, integer, narrow, take};

/// Buffers and limits while a row is decoded.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) unescaped: Vec<u8>,
    pub(super) key: Vec<u8>,
    bytes: Vec<u8>,
    /// Items of lists that the row may still have.
    pub(super) items: u64,
}

/// Values that are being gathered.
pub(super) enum ValueBuilder {
    Value {
        values: Values,
        nulls: NullBufferBuilder,
        data_type: DataType,
    },
    List {
        offsets: BufferBuilder<i64>,
        nulls: NullBufferBuilder,
        item: Box<Self>,
        wraps: bool,
        field: Arc<Field>,
        large: bool,
    },
    Object {
        members: Members,
        nulls: NullBufferBuilder,
    },
}

impl ValueBuilder {
    /// With `wraps`, a value is read as a list of one, and as lists of lists of one.
    ///
    /// # Errors
    /// `Unsupported` for a type that JSON is not read as.
    pub(super) fn new(data_type: &DataType, wraps: bool, name: &str, refuses: bool) -> Result<Self> {
        let nulls = NullBufferBuilder::new(0);
        let list = |item: &Arc<Field>, large| -> Result<Self> {
            let mut offsets = BufferBuilder::new(0);
            offsets.append(0);
            let (field, inner) = (Arc::clone(item), item.data_type());
            let item = Box::new(Self::new(inner, wraps, name, refuses)?);
            Ok(Self::List { offsets, nulls: NullBufferBuilder::new(0), item, wraps, field, large })
        };
        match data_type {
            DataType::List(item) => list(item, false),
            DataType::LargeList(item) => list(item, true),
            DataType::Struct(fields) => {
                let all = (0..fields.len()).collect::<Vec<_>>();
                Ok(Self::Object { members: Members::new(fields, &all, wraps, refuses)?, nulls })
            }
            data_type => match Values::new(data_type) {
                Some(values) => Ok(Self::Value { values, nulls, data_type: data_type.clone() }),
                None => {
                    let what = format!("JSON is not read as {data_type}");
                    Err(Error::new(ErrorKind::Unsupported, what)
                        .help("read it as text, integers or floats and cast it afterwards")
                        .at(Position::new().column(name)))
                }
            },
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Value { nulls, .. } | Self::List { nulls, .. } | Self::Object { nulls, .. } => nulls.len(),
        }
    }

    /// Reads the next value.
    fn push(&mut self, json: &mut Json<'_>, scratch: &mut Scratch) -> Result<()> {
        let first = json.first()?;
        if first == First::Null {
            json.null()?;
            self.push_missing(1);
            return Ok(());
        }
        match self {
            Self::Value { values, nulls, data_type } => {
                let at = json.at();
                push_value(values, first, json, scratch)?
                    .map_err(|unfit| misfit(unfit, first, data_type, at))?;
                nulls.append(true);
            }
            Self::List { offsets, nulls, item, wraps, .. } => {
                if first == First::List {
                    json.list(|json| {
                        scratch.items = scratch.items.checked_sub(1).ok_or_else(too_many)?;
                        item.push(json, scratch)
                    })?;
                } else if *wraps {
                    item.push(json, scratch)?;
                } else {
                    let list = DataType::LargeList(Arc::new(Field::new_list_field(DataType::Null, true)));
                    return Err(misfit(Unfit::Kind, first, &list, json.at()));
                }
                offsets.append(item.len() as i64);
                nulls.append(true);
            }
            Self::Object { members, nulls } => {
                if first != First::Object {
                    return Err(misfit(Unfit::Kind, first, &DataType::Struct(Fields::empty()), json.at()));
                }
                members.push(json, scratch)?;
                nulls.append(true);
            }
        }
        Ok(())
    }

    fn push_missing(&mut self, count: usize) {
        match self {
            Self::Value { values, nulls, .. } => {
                values.push_all_missing(count);
                nulls.append_n_nulls(count);
            }
            Self::List { offsets, nulls, item, .. } => {
                offsets.append_n(count, item.len() as i64);
                nulls.append_n_nulls(count);
            }
            Self::Object { members, nulls } => {
                members.pass(count);
                nulls.append_n_nulls(count);
            }
        }
    }

    /// Appends what is missing before a row. Returns whether something was.
    fn fill(&mut self, rows: usize) -> bool {
        let missing = rows.saturating_sub(self.len());
        if missing > 0 {
            self.push_missing(missing);
        }
        missing > 0
    }

    fn truncate(&mut self, len: usize) {
        match self {
            Self::Value { values, nulls, .. } => {
                values.truncate(len.min(values.len()));
                nulls.truncate(len.min(nulls.len()));
            }
            Self::List { offsets, nulls, item, .. } => {
                nulls.truncate(len.min(nulls.len()));
                let items = offsets.as_slice().get(len).copied();
                if let Some(items) = items.and_then(|items| usize::try_from(items).ok()) {
                    item.truncate(items);
                } else if let Some(items) =
                    offsets.as_slice().last().and_then(|items| usize::try_from(*items).ok())
                {
                    item.truncate(items);
                }
                offsets.truncate(len.saturating_add(1).min(offsets.len()));
            }
            Self::Object { members, nulls } => {
                nulls.truncate(len.min(nulls.len()));
                members.truncate(len);
            }
        }
    }

    /// Hands out the values, and leaves none.
    fn finish(&mut self) -> Result<ArrayRef> {
        let fresh = |nulls: &mut NullBufferBuilder| {
            let next = NullBufferBuilder::new(nulls.len());
            std::mem::replace(nulls, next).build()
        };
        Ok(match self {
            Self::Value { values, nulls, data_type } => {
                let nulls = fresh(nulls).filter(|_| *data_type != DataType::Null);
                values.finish(data_type, nulls)?
            }
            Self::List { offsets, nulls, item, field, large, .. } => {
                let values = item.finish()?;
                let taken = take(offsets);
                offsets.append(0);
                let (field, nulls) = (Arc::clone(field), fresh(nulls));
                let offsets = OffsetBuffer::new(ScalarBuffer::from(taken));
                match large {
                    true => Arc::new(LargeListArray::try_new(field, offsets, values, nulls)?),
                    false => Arc::new(ListArray::try_new(field, narrow(&offsets)?, values, nulls)?),
                }
            }
            Self::Object { members, nulls } => {
                let rows = nulls.len();
                let columns = members.finish()?;
                Arc::new(StructArray::try_new_with_length(
                    members.fields.clone(),
                    columns,
                    fresh(nulls),
                    rows,
                )?)
            }
        })
    }
}

/// Reads a value that is not null. The inner error is for a value that does not fit.
#[inline]
fn push_value(
    values: &mut Values,
    first: First,
    json: &mut Json<'_>,
    scratch: &mut Scratch,
) -> Result<Result<(), Unfit>> {
    Ok(match first {
        First::Number => {
            let (text, is_integer) = json.number()?;
            if let Some(pushed) = values.push_typed(text) {
                return Ok(pushed);
            }
            match (is_integer, values.is_float()) {
                (true, false) => match integer(text) {
                    Integer::Value(value) => values.push_int(value),
                    Integer::TooLarge | Integer::No => Err(Unfit::Range),
                },
                (true, true) => match (integer(text), float(text)) {
                    // As a float it would be another integer.
                    (Integer::Value(value), Some(float)) if i128::from(value) == float as i128 => {
                        values.push_float(float)
                    }
                    _ => Err(Unfit::Range),
                },
                (false, _) => match float(text) {
                    Some(value) if value.is_finite() => values.push_float(value),
                    _ => Err(Unfit::Range),
                },
            }
        }
        First::String => {
            let text = json.string(&mut scratch.unescaped)?;
            if let Some(pushed) = values.push_typed(text) {
                return Ok(pushed);
            }
            match word(text).filter(|_| values.is_float()) {
                Some(value) => values.push_float(value),
                None => values.push_bytes(text, text.is_ascii()),
            }
        }
        First::Bool => values.push_bool(json.bool()?),
        First::Object if values.is_bytes() => {
            let at = json.at();
            match json.base64()? {
                None => Err(Unfit::Kind),
                Some(text) => {
                    scratch.bytes.clear();
                    STANDARD.decode_vec(text, &mut scratch.bytes).map_err(|error| {
                        let what = format!("the text of \"base64\" is not base64: {error}");
                        Error::new(ErrorKind::Malformed, what).help("correct the line").at_record_byte(at)
                    })?;
                    values.push_bytes(&scratch.bytes, scratch.bytes.is_ascii())
                }
            }
        }
        First::Object | First::List | First::Null => Err(Unfit::Kind),
    })
}

#[cold]
fn too_many() -> Error {
    let what = "the lists of the line have more items than the limit allows";
    Error::new(ErrorKind::LimitExceeded, what).help("raise the limit `list_items` if this is meant to be")
}

#[cold]
fn misfit(unfit: Unfit, first: First, data_type: &DataType, at: usize) -> Error {
    let found = match first {
        First::Null => "null",
        First::Bool => "true or false",
        First::Number => "a number",
        First::String => "a string",
        First::List => "a list",
        First::Object => "an object",
    };
    let what = match (unfit, data_type) {
        (Unfit::Range, _) => format!("the number does not fit {data_type} without loss"),
        (_, DataType::Null) => format!("the value is {found}, and there was none when the type was inferred"),
        (_, DataType::LargeList(_)) => format!("the value is {found}, and not a list"),
        (_, DataType::Struct(_)) => format!("the value is {found}, and not an object"),
        _ => format!("the value is {found}, and not of type {data_type}"),
    };
    let help = match unfit {
        Unfit::Range => "write it as a string, or give the column another type",
        _ => {
            "correct the line, or infer the types from more records with the option infer_records, or give a schema"
        }
    };
    Error::new(ErrorKind::Malformed, what).help(help).at_record_byte(at)
}

/// The members of an object, of which some may be passed over.
pub(super) struct Members {
    /// Members that are read.
    fields: Fields,
    names: HashMap<String, usize>,
    members: Vec<Member>,
    objects: u64,
    /// Objects that are gathered. What has fewer values lacks the last ones: a row costs what it has, and not what there is.
    rows: usize,
    /// Number of times that missing values were appended.
    fills: u64,
    /// Whether a key that is not a member is an error.
    refuses: bool,
}

/// A member of objects.
struct Member {
    key: Key,
    /// Number of the object in which it was met last.
    met: u64,
    /// Node of its values, if it is read.
    values: Option<ValueBuilder>,
    name: String,
}

impl Members {
    /// `read` are the indices of the fields that are read, in order.
    pub(super) fn new(fields: &Fields, read: &[usize], wraps: bool, refuses: bool) -> Result<Self> {
        let mut members = Vec::with_capacity(fields.len());
        for (index, field) in fields.iter().enumerate() {
            let is_read = read.binary_search(&index).is_ok();
            let values = is_read
                .then(|| ValueBuilder::new(field.data_type(), wraps, field.name(), refuses))
                .transpose()?;
            members.push(Member { key: Key::new(field.name()), met: 0, values, name: field.name().clone() });
        }
        let names = members.iter().enumerate().map(|(index, member)| (member.name.clone(), index)).collect();
        let fields = read.iter().filter_map(|index| fields.get(*index).cloned()).collect();
        Ok(Self { fields, names, members, objects: 0, rows: 0, fills: 0, refuses })
    }

    /// Reads the next object.
    pub(super) fn push(&mut self, json: &mut Json<'_>, scratch: &mut Scratch) -> Result<()> {
        self.objects += 1;
        let mut next = 0;
        let mut keys = std::mem::take(&mut scratch.key);
        let result = json.object(|json| {
            let at = json.at();
            let index = match self.members.get(next) {
                Some(member) if json.pass_key(&member.key) => next,
                _ => {
                    let name = std::str::from_utf8(json.key(&mut keys)?).unwrap_or_default();
                    match self.index(name, next) {
                        Some(index) => index,
                        None if self.refuses => return Err(self.unknown(name, at)),
                        None => return json.pass(&mut scratch.unescaped),
                    }
                }
            };
            let Some(member) = self.members.get_mut(index) else { return json.pass(&mut scratch.unescaped) };
            let before = std::mem::replace(&mut member.met, self.objects);
            if before == self.objects {
                return Err(twice(&member.name, at));
            }
            next = index + 1;
            let Some(values) = &mut member.values else { return json.pass(&mut scratch.unescaped) };
            // What the object before has is whole.
            if before + 1 != self.objects {
                self.fills += u64::from(values.fill(self.rows));
            }
            values.push(json, scratch).map_err(|error| error.within(&member.name))
        });
        scratch.key = keys;
        result?;
        self.rows += 1;
        Ok(())
    }

    /// Returns which member a name is, if it is one.
    fn index(&self, name: &str, expected: usize) -> Option<usize> {
        let is_expected = self.members.get(expected).is_some_and(|member| member.name == name);
        if is_expected { Some(expected) } else { self.names.get(name).copied() }
    }

    #[cold]
    fn unknown(&self, name: &str, at: usize) -> Error {
        let hint = suggest::hint(name, self.members.iter().map(|member| member.name.as_str()), "keys");
        let what = format!("the key {name:?} was not there when the columns were inferred ({hint})");
        Error::new(ErrorKind::Malformed, what)
            .help("infer them from more records with the option infer_records, or give a schema")
            .at_record_byte(at)
    }

    /// Passes over objects that are missing.
    fn pass(&mut self, count: usize) {
        self.rows = self.rows.saturating_add(count);
        // So that none before it is the last one.
        self.objects += 1;
    }

    /// Drops what was appended after this many objects.
    pub(super) fn truncate(&mut self, len: usize) {
        self.rows = self.rows.min(len);
        self.members
            .iter_mut()
            .filter_map(|member| member.values.as_mut())
            .for_each(|values| values.truncate(len));
    }

    /// Hands out the columns that are read, and leaves none.
    pub(super) fn finish(&mut self) -> Result<Vec<ArrayRef>> {
        let rows = std::mem::take(&mut self.rows);
        let all_values = self.members.iter_mut().filter_map(|member| member.values.as_mut());
        let finished = all_values.map(|values| {
            values.fill(rows);
            values.finish()
        });
        finished.collect()
    }
}

#[cfg(test)]
mod tests;
