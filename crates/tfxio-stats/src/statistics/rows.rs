//! Weights of rows, and values to slice them by.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use tfxio_base::{Error, ErrorKind, Position, Result, suggest};
use tfxio_core::ColumnPath;

use super::byte_strings::is_text;
use super::column_tree::plain;
use super::errors;
use super::lists::Lists;
use super::numbers::{for_each_valid, kind_of};
use crate::value_text;

/// Returns the array at a path, of whose structs none is in a list.
fn array_at(batch: &RecordBatch, path: &ColumnPath) -> Result<ArrayRef> {
    let not_found = |name: &str, known: Vec<&str>| {
        Error::new(ErrorKind::InvalidArgument, format!("there is no column {name:?}"))
            .help(suggest::hint(name, known, "columns"))
    };
    let first = path.initial_step()?;
    let schema = batch.schema_ref();
    let names = || schema.fields().iter().map(|field| field.name().as_str()).collect();
    let mut array = Arc::clone(batch.column_by_name(first).ok_or_else(|| not_found(first, names()))?);
    for step in path.steps().iter().skip(1) {
        let Some(structs) = array.as_struct_opt() else { return Err(not_found(step, Vec::new())) };
        let field = structs.column_by_name(step);
        array = Arc::clone(field.ok_or_else(|| not_found(step, structs.column_names()))?);
    }
    Ok(array)
}

/// Returns the weight of each row.
pub(super) fn weights(batch: &RecordBatch, path: &ColumnPath) -> Result<Vec<f64>> {
    let array = array_at(batch, path)?;
    let rows = array.len();
    let mut lengths = vec![1; rows];
    let values = match Lists::of(&array)? {
        None => array,
        Some(lists) => {
            lengths.fill(0);
            lists.for_each(|row, length| {
                if let Some(at) = lengths.get_mut(row) {
                    *at = length;
                }
            });
            lists.values
        }
    };
    if let Some(row) = lengths.iter().position(|length| *length != 1) {
        let what =
            format!("that is {}", if lengths[row] == 0 { "missing" } else { "a list of several values" });
        return Err(errors::weight(path, row as u64, &what));
    }
    if kind_of(values.data_type()).is_none() {
        let what = format!("of the type {}", values.data_type());
        return Err(errors::weight(path, 0, &what));
    }
    let mut weights = Vec::with_capacity(rows);
    let mut wrong = None;
    for_each_valid(&values, |row, weight| {
        if row != weights.len() || !(weight.is_finite() && weight >= 0.0) {
            wrong = wrong.or(Some(weights.len()));
        }
        weights.push(weight);
    });
    match wrong {
        Some(row) => Err(errors::weight(path, row as u64, "that is null, negative or not finite")),
        None if weights.len() != rows => Err(errors::weight(path, weights.len() as u64, "that is null")),
        None => Ok(weights),
    }
}

/// Calls a function with each row and the text of each value to slice by.
pub(super) fn slice_values(
    batch: &RecordBatch,
    path: &ColumnPath,
    mut each: impl FnMut(usize, &[u8]),
) -> Result<()> {
    let mut values = array_at(batch, path)?;
    let mut rows: Vec<usize> = (0..values.len()).collect();
    while let Some(lists) = Lists::of(&values)? {
        let mut of_values = Vec::with_capacity(lists.values.len());
        lists.for_each(|row, length| {
            let length = usize::try_from(length).unwrap_or(0);
            of_values.extend(std::iter::repeat_n(rows.get(row).copied().unwrap_or(0), length));
        });
        rows = of_values;
        values = lists.values;
    }
    let values = plain(&values)?;
    let mut each = |at: usize, text: &[u8]| {
        if let Some(row) = rows.get(at) {
            each(*row, text);
        }
    };
    match values.data_type() {
        DataType::Null => {}
        DataType::Boolean => {
            for (at, value) in values.as_boolean().iter().enumerate() {
                if let Some(value) = value {
                    each(at, if value { b"true" } else { b"false" });
                }
            }
        }
        DataType::Utf8View => values.as_string_view().iter().enumerate().for_each(|(at, text)| {
            if let Some(text) = text {
                each(at, text.as_bytes());
            }
        }),
        DataType::BinaryView => values.as_binary_view().iter().enumerate().for_each(|(at, bytes)| {
            if let Some(bytes) = bytes {
                each(at, bytes);
            }
        }),
        known if known.is_integer() || is_text(known) => value_text::for_each(&values, each),
        other => {
            let what = format!("rows cannot be sliced by values of the type {other}");
            return Err(Error::new(ErrorKind::InvalidArgument, what)
                .help("slice by integers or strings")
                .at(Position::new().column(path.to_string())));
        }
    }
    Ok(())
}
