//! Columns that hold dictionaries, read as their values.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::array::AnyDictionaryArray;
use arrow_array::cast::AsArray as _;
use arrow_array::{
    Array as _, ArrayRef, FixedSizeListArray, GenericListArray, OffsetSizeTrait, RecordBatch, StructArray,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, FieldRef, Fields, Schema, SchemaRef};
use arrow_select::take::take;
use tfxio_core::Count;

use crate::kind::Locate as _;
use crate::{ColumnPath, Error, Kind};

/// The columns of a schema that hold dictionaries of which tensors are made.
pub(super) struct Dictionaries {
    columns: Vec<usize>,
    /// The schema with their values instead.
    schema: SchemaRef,
}

impl Dictionaries {
    /// Returns those on these paths; `None` where there are none.
    pub(super) fn new(schema: &SchemaRef, used: &[ColumnPath]) -> Option<Self> {
        let paths = Paths::new(used.iter().map(|path| path.steps()));
        let mut columns = Vec::new();
        let fields =
            schema.fields().iter().enumerate().map(|(at, field)| match paths.field_of_values(field) {
                Some(values) => {
                    columns.push(at);
                    values
                }
                None => Arc::clone(field),
            });
        let fields = fields.collect::<Vec<_>>();
        let schema = Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()));
        (!columns.is_empty()).then_some(Self { columns, schema })
    }

    pub(super) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Returns a batch with the values of the dictionaries, of which none may take more bytes than `limit`.
    pub(super) fn unpacked(&self, batch: &RecordBatch, limit: u64) -> Result<RecordBatch, Error> {
        let mut columns = batch.columns().to_vec();
        for at in &self.columns {
            let (Some(column), Some(field)) = (columns.get_mut(*at), self.schema.fields().get(*at)) else {
                continue;
            };
            *column = unpacked(column, field.data_type(), limit)
                .map_err(|error| error.in_column(ColumnPath::from(field.name().as_str())))?;
        }
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), columns)?)
    }
}

/// Paths from a struct, by the names that they begin with: each field has its own, however many there are.
struct Paths<'a> {
    further: HashMap<&'a str, Vec<&'a [Arc<str>]>>,
    /// Whether one has ended here, which leads to all fields.
    leads_to_all: bool,
}

impl<'a> Paths<'a> {
    fn new(paths: impl Iterator<Item = &'a [Arc<str>]>) -> Self {
        let mut all = Self { further: HashMap::new(), leads_to_all: false };
        for path in paths {
            match path.split_first() {
                Some((name, further)) => all.further.entry(&**name).or_default().push(further),
                None => all.leads_to_all = true,
            }
        }
        all
    }

    /// Returns a field with values where it has dictionaries, if paths lead to some.
    fn field_of_values(&self, field: &FieldRef) -> Option<FieldRef> {
        let further = self.further.get(field.name().as_str()).map_or(&[][..], Vec::as_slice);
        match (self.leads_to_all, further) {
            (true, _) => with_values(field, &[&[]]),
            (false, []) => None,
            (false, further) => with_values(field, further),
        }
    }
}

fn with_values(field: &FieldRef, paths: &[&[Arc<str>]]) -> Option<FieldRef> {
    let data_type = type_of_values(field.data_type(), paths)?;
    Some(Arc::new(field.as_ref().clone().with_data_type(data_type)))
}

/// Returns a type with values where it has dictionaries, unless it has none on these paths.
fn type_of_values(data_type: &DataType, paths: &[&[Arc<str>]]) -> Option<DataType> {
    Some(match data_type {
        DataType::Dictionary(_, values) => {
            type_of_values(values, paths).unwrap_or_else(|| values.as_ref().clone())
        }
        DataType::List(item) => DataType::List(with_values(item, paths)?),
        DataType::LargeList(item) => DataType::LargeList(with_values(item, paths)?),
        DataType::FixedSizeList(item, size) => DataType::FixedSizeList(with_values(item, paths)?, *size),
        DataType::Struct(fields) => {
            let paths = Paths::new(paths.iter().copied());
            let values = fields.iter().map(|field| paths.field_of_values(field)).collect::<Vec<_>>();
            if values.iter().all(Option::is_none) {
                return None;
            }
            let both = values.into_iter().zip(fields);
            DataType::Struct(
                both.map(|(values, field)| values.unwrap_or_else(|| Arc::clone(field))).collect(),
            )
        }
        _ => return None,
    })
}

/// Returns an array as one of a type that has values where it has dictionaries.
fn unpacked(array: &ArrayRef, to: &DataType, limit: u64) -> Result<ArrayRef, Error> {
    if array.data_type() == to {
        return Ok(Arc::clone(array));
    }
    if let Some(words) = array.as_any_dictionary_opt() {
        check_bytes(words, limit)?;
        return unpacked(&take(&**words.values(), words.keys(), None)?, to, limit);
    }
    Ok(match to {
        DataType::List(item) => list(array.as_list::<i32>(), item, limit)?,
        DataType::LargeList(item) => list(array.as_list::<i64>(), item, limit)?,
        DataType::FixedSizeList(item, size) => {
            let lists = array.as_fixed_size_list();
            let values = unpacked(lists.values(), item.data_type(), limit)?;
            let (item, nulls) = (Arc::clone(item), lists.nulls().cloned());
            Arc::new(FixedSizeListArray::try_new_with_length(item, *size, values, nulls, lists.len())?)
        }
        DataType::Struct(fields) => structs(array.as_struct(), fields, limit)?,
        _ => Arc::clone(array),
    })
}

/// Refuses a dictionary whose values would take more bytes in all rows than the limit: every row may repeat one long value.
fn check_bytes(words: &dyn AnyDictionaryArray, limit: u64) -> Result<(), Error> {
    let values = words.values();
    let bytes = match values.data_type() {
        DataType::Utf8 => bytes_of(words, values.as_string::<i32>().offsets(), limit),
        DataType::LargeUtf8 => bytes_of(words, values.as_string::<i64>().offsets(), limit),
        DataType::Binary => bytes_of(words, values.as_binary::<i32>().offsets(), limit),
        DataType::LargeBinary => bytes_of(words, values.as_binary::<i64>().offsets(), limit),
        DataType::FixedSizeBinary(size) => {
            u64::try_from(*size).unwrap_or(0).saturating_mul(words.keys().len() as u64)
        }
        _ => 0,
    };
    if bytes <= limit {
        return Ok(());
    }
    let (bytes, limit) = (Count::of(bytes, "byte"), Count::of(limit, "byte"));
    let what = format!("the words of the dictionary take {bytes} in all rows, the limit is {limit}");
    Err(Error::new(Kind::Overflow, what).help("take smaller batches or raise the limit"))
}

/// Returns the bytes that words take in all rows; of no more than `enough` an estimate that is not too low.
fn bytes_of<O: OffsetSizeTrait>(
    words: &dyn AnyDictionaryArray,
    offsets: &OffsetBuffer<O>,
    enough: u64,
) -> u64 {
    let longest = offsets.lengths().max().unwrap_or(0) as u64;
    let most = longest.saturating_mul(words.keys().len() as u64);
    if most <= enough {
        return most;
    }
    let lengths = offsets.lengths().collect::<Vec<_>>();
    let rows = words.normalized_keys().into_iter().enumerate().filter(|(row, _)| words.keys().is_valid(*row));
    let rows = rows.map(|(_, word)| lengths.get(word).copied().unwrap_or(0) as u64);
    rows.fold(0, u64::saturating_add)
}

/// Returns lists of which no other items than theirs are unpacked.
fn list<O: OffsetSizeTrait>(
    lists: &GenericListArray<O>,
    item: &FieldRef,
    limit: u64,
) -> Result<ArrayRef, Error> {
    let offsets = lists.offsets();
    let (first, last) =
        (offsets.first().copied().unwrap_or_default(), offsets.last().copied().unwrap_or_default());
    let values = lists.values().slice(first.as_usize(), (last - first).as_usize());
    let values = unpacked(&values, item.data_type(), limit)?;
    let offsets = match first.as_usize() {
        0 => offsets.clone(),
        _ => OffsetBuffer::new(offsets.iter().map(|offset| *offset - first).collect()),
    };
    let lists = GenericListArray::try_new(Arc::clone(item), offsets, values, lists.nulls().cloned())?;
    Ok(Arc::new(lists))
}

fn structs(structs: &StructArray, fields: &Fields, limit: u64) -> Result<ArrayRef, Error> {
    let columns = structs.columns().iter().zip(fields);
    let columns = columns
        .map(|(column, field)| unpacked(column, field.data_type(), limit))
        .collect::<Result<_, _>>()?;
    let nulls = structs.nulls().cloned();
    Ok(Arc::new(StructArray::try_new_with_length(fields.clone(), columns, nulls, structs.len())?))
}
