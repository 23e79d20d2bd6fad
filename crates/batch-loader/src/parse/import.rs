//! Arrow columns into columns of tensors.

use std::collections::HashMap;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use tensor_repr::Values;
use tfxio_core::DType;

use super::levels::{self, Counts, NullAt, NullBelow};
use super::raw;
use crate::cast::cast;
use crate::column::{Column, RowError, RowShape};
use crate::error::Locate as _;
use crate::manifest::{Deserialize, Feature};
use crate::pipeline::Primary;
use crate::{Error, Kind, Result};
use tfxio_core::suggest::hint;

/// The column of each feature.
///
/// # Errors
/// `Record`, with the row if it is not all of them that do not fit.
pub(super) fn columns(primary: &[Primary], batch: &RecordBatch) -> Result<Vec<Column>, RowError> {
    let named = Named::of(batch);
    let mut columns: Vec<Column> = Vec::with_capacity(primary.len());
    let mut made = HashMap::with_capacity(primary.len());
    for (at, Primary { feature, .. }) in primary.iter().enumerate() {
        let before = *made.entry(&feature.name).or_insert(at);
        let column = match columns.get(before) {
            Some(column) => column.clone(),
            None => column(feature, batch, &named).map_err(|RowError { row, error }| RowError {
                row,
                error: error.of_tensor(feature.name.clone()),
            })?,
        };
        columns.push(column);
    }
    Ok(columns)
}

/// The columns of a batch by their names, the first of each.
struct Named<'a> {
    top: HashMap<&'a str, &'a ArrayRef>,
    /// The fields of structs of sequences, with their structs.
    sequences: HashMap<&'a str, (&'a ArrayRef, &'a ArrayRef)>,
}

impl<'a> Named<'a> {
    fn of(batch: &'a RecordBatch) -> Self {
        let mut named = Self { top: HashMap::new(), sequences: HashMap::new() };
        for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
            named.top.entry(field.name()).or_insert(column);
            if let Some(sequences) = column.as_struct_opt() {
                for (field, inner) in sequences.fields().iter().zip(sequences.columns()) {
                    named.sequences.entry(field.name()).or_insert((column, inner));
                }
            }
        }
        named
    }
}

/// The column of that name: at the top, or a field of a struct of sequences.
fn find(feature: &Feature, batch: &RecordBatch, named: &Named<'_>) -> Result<ArrayRef, RowError> {
    let is_struct = |column: &ArrayRef| matches!(column.data_type(), DataType::Struct(_));
    if let Some(column) = named.top.get(&*feature.name).filter(|column| !is_struct(column)) {
        return Ok(ArrayRef::clone(column));
    }
    if let Some((sequences, column)) = named.sequences.get(&*feature.name) {
        levels::no_nulls(sequences).map_err(|NullAt(row)| RowError::at(row, missing()))?;
        return Ok(ArrayRef::clone(column));
    }
    let schema = batch.schema_ref();
    let known = schema.fields().iter().map(|field| field.name().as_str());
    let what = format!("the source has no column {:?}", feature.name);
    Err(Error::new(Kind::Record, what).help(hint(&feature.name, known, "columns")).into())
}

fn column(feature: &Feature, batch: &RecordBatch, named: &Named<'_>) -> Result<Column, RowError> {
    let rows = batch.num_rows();
    let array = find(feature, batch, named)?;
    if array.data_type() == &DataType::Null {
        return if rows == 0 { Ok(empty(feature)?) } else { Err(RowError::at(0, missing())) };
    }
    // The steps of a sequence are a level of their own.
    let (steps, array) = match feature.var_len.then(|| levels::level(&array)) {
        None => (None, array),
        Some(Some(Ok((steps, array)))) => (Some(steps), array),
        Some(Some(Err(NullAt(row)))) => return Err(RowError::at(row, missing())),
        Some(None) if rows == 0 => (Some(Counts::Each(0)), array),
        Some(None) => return Err(other_type(feature, &array).into()),
    };
    let parents = if steps.is_some() { array.len() } else { rows };
    let row_of = |parent: usize| steps.as_ref().map_or(parent, |steps| steps.parent(parent));

    let (counts, array) =
        levels::all(array).map_err(|NullBelow { counts, at: NullAt(at), is_top, is_list }| {
            let error = match &steps {
                None if is_top => missing(),
                // A step in which none of the kinds is set.
                Some(_) if is_top && is_list => wrong_count(feature, 0),
                _ => Error::new(Kind::Record, "a value is null").help("fill it in, or leave the record out"),
            };
            RowError::at(row_of(counts.parent(at)), error)
        })?;
    if let Some((parent, found)) = counts.other_than(feature.values(), parents) {
        return Err(RowError::at(row_of(parent), wrong_count(feature, found)));
    }
    let values = values(feature, &array).map_err(|Fault { value, error }| RowError {
        row: value.map(|value| row_of(counts.parent(value))),
        error,
    })?;
    let offsets = steps.map(|steps| steps.into_offsets(rows));
    Ok(Column { rows, shape: row_shape(feature, offsets), values })
}

/// The column of no rows.
fn empty(feature: &Feature) -> Result<Column> {
    let values = match feature.dtype {
        DType::String => Values::from_strings::<[&str; 0]>([]),
        dtype => cast(Values::from_vec(Vec::<i64>::new()), dtype)?,
    };
    let offsets = feature.var_len.then(|| vec![0]);
    Ok(Column { rows: 0, shape: row_shape(feature, offsets), values })
}

/// The shape of the rows of a feature's column.
fn row_shape(feature: &Feature, offsets: Option<Vec<usize>>) -> RowShape {
    let shape = feature.shape.iter().copied();
    match (offsets, feature.deserialize) {
        (Some(offsets), _) => RowShape::Leading { offsets, inner: shape.collect() },
        (None, Deserialize::Raw { len, .. }) if len > 1 => {
            RowShape::Fixed(std::iter::once(len).chain(shape).collect())
        }
        (None, _) => RowShape::Fixed(shape.collect()),
    }
}

/// What is wrong, and the number of the value that it is wrong with.
struct Fault {
    value: Option<usize>,
    error: Error,
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self { value: None, error }
    }
}

/// The elements of the tensors.
fn values(feature: &Feature, array: &ArrayRef) -> Result<Values, Fault> {
    let read = |array: &ArrayRef| {
        Values::from_array(array).map_err(|error| other_type(feature, array).because(error))
    };
    let stored = Values::dtype_of(array.data_type());
    match (feature.deserialize, stored) {
        (Deserialize::Int | Deserialize::Float, Some(dtype)) if dtype != DType::String => {
            Ok(cast(read(array)?, feature.dtype)?)
        }
        (Deserialize::String, Some(DType::String)) => Ok(read(array)?),
        (Deserialize::Raw { endian, .. }, stored) => {
            // Its size was checked when the pipeline was compiled.
            let each = feature.shape.iter().product::<usize>() * feature.dtype.width().unwrap_or(1);
            let wrong_size = |raw::WrongSize { at, bytes }| Fault {
                value: Some(at),
                error: wrong_raw(feature, bytes, each),
            };
            let bytes = match array.data_type() {
                DataType::FixedSizeBinary(size) => {
                    let size = usize::try_from(*size).unwrap_or(0);
                    if size != each && !array.is_empty() {
                        return Err(wrong_size(raw::WrongSize { at: 0, bytes: size }));
                    }
                    array.as_fixed_size_binary().values().clone()
                }
                _ if stored == Some(DType::String) => match read(array)?.as_strings() {
                    Some(strings) => raw::bytes(strings, each).map_err(wrong_size)?,
                    None => return Err(other_type(feature, array).into()),
                },
                _ => return Err(other_type(feature, array).into()),
            };
            Ok(raw::elements(feature.dtype, endian, bytes)?)
        }
        _ => Err(other_type(feature, array).into()),
    }
}

#[cold]
fn wrong_raw(feature: &Feature, found: usize, expected: usize) -> Error {
    let Feature { dtype, shape, .. } = feature;
    let width = dtype.width().unwrap_or(1);
    let what = if found.is_multiple_of(width) {
        format!(
            "a raw string has {found} bytes, a tensor of dtype \"{dtype}\" and shape {shape:?} has {expected}"
        )
    } else {
        format!("a raw string has {found} bytes, no multiple of the {width} of dtype \"{dtype}\"")
    };
    Error::new(Kind::Record, what).help("correct the record, or what the manifest says of the feature")
}

#[cold]
fn other_type(feature: &Feature, array: &dyn Array) -> Error {
    let allowed = match feature.deserialize {
        Deserialize::Int | Deserialize::Float => "numbers",
        Deserialize::String => "strings",
        Deserialize::Raw { .. } => "binary values",
    };
    let list = if feature.var_len { "lists of " } else { "" };
    Error::new(
        Kind::Record,
        format!("a column of Arrow type {} is no feature as the manifest says", array.data_type()),
    )
    .help(format!("it takes {list}{allowed}, in lists where the shape has several"))
}

#[cold]
fn missing() -> Error {
    Error::new(Kind::Record, "the record lacks the feature")
        .help("every record needs each feature that is read")
}

/// Another number of values than the shape has, or of raw strings than `len` says.
#[cold]
fn wrong_count(feature: &Feature, found: usize) -> Error {
    let expected = feature.values();
    let (noun, why) = match feature.deserialize {
        Deserialize::Raw { .. } if feature.var_len => ("raw strings in a step", "a step has".to_owned()),
        Deserialize::Raw { .. } => ("raw strings", "its len is".to_owned()),
        _ if feature.var_len => ("values in a step", format!("the shape {:?} has", feature.shape)),
        _ => ("values", format!("the shape {:?} has", feature.shape)),
    };
    Error::new(Kind::Record, format!("the feature has {found} {noun}, {why} {expected}"))
        .help("correct the record, or what the manifest says of the feature")
}
