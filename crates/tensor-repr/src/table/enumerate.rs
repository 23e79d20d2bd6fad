//! Columns, and the fields of the structs in them.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray, Int64Array, RecordBatch, StructArray};
use arrow_schema::DataType;
use arrow_select::nullif::nullif;

use crate::array::{flatten_nested, flatten_nested_with_parents, innermost_type, singleton_lists};
use crate::kind::Locate as _;
use crate::setters::setters;
use crate::{ColumnPath, Error, Kind};

/// Form in which a struct column outside of lists is returned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FlatStructs {
    /// As a `LargeList` of one struct a row, like any other column.
    #[default]
    InLists,
    /// As it is.
    AsTheyAre,
}

/// Options of [`enumerate_columns`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct EnumerateOptions {
    /// Whether the structs themselves are left out, and only what they are made of is returned. Default: no.
    pub leaves_only: bool,
    /// The form of structs outside of lists.
    pub flat_structs: FlatStructs,
}

setters! {
    EnumerateOptions {
        /// Sets whether the structs themselves are left out.
        leaves_only: bool => leaves_only,
        /// Sets the form of structs outside of lists.
        flat_structs: FlatStructs => flat_structs,
    }
}

/// Returns every column of a batch, and below each column of structs the fields of these, with their paths.
///
/// The lists around structs are flattened: a field has one element for each struct, and null where the
/// struct is null. A struct comes before its fields.
///
/// # Errors
///
/// [`Kind::Unsupported`] if a struct is null and a field is a union or run-end encoded.
///
/// # Example
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Int64Array, RecordBatch, StructArray};
/// use arrow_schema::{DataType, Field};
/// use tensor_repr::table::{EnumerateOptions, enumerate_columns};
///
/// let ids: ArrayRef = Arc::new(Int64Array::from(vec![7, 8]));
/// let users = StructArray::from(vec![(Arc::new(Field::new("id", DataType::Int64, true)), ids)]);
/// let batch = RecordBatch::try_from_iter([("user", Arc::new(users) as ArrayRef)])?;
///
/// let columns = enumerate_columns(&batch, EnumerateOptions::default())?;
/// let paths: Vec<_> = columns.iter().map(|(path, _)| path.to_string()).collect();
/// assert_eq!(paths, ["user", "user.id"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn enumerate_columns(
    batch: &RecordBatch,
    options: EnumerateOptions,
) -> Result<Vec<(ColumnPath, ArrayRef)>, Error> {
    let mut found = Vec::new();
    let mut steps: Vec<Arc<str>> = Vec::new();
    for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
        steps.push(field.name().as_str().into());
        enumerate_below(&mut steps, column, options, &mut found)
            .map_err(|error| error.in_column(field.name()))?;
        steps.clear();
    }
    Ok(found)
}

fn enumerate_below(
    steps: &mut Vec<Arc<str>>,
    array: &ArrayRef,
    options: EnumerateOptions,
    found: &mut Vec<(ColumnPath, ArrayRef)>,
) -> Result<(), Error> {
    let DataType::Struct(fields) = innermost_type(array.data_type()) else {
        found.push((ColumnPath::new(steps.iter().cloned()), Arc::clone(array)));
        return Ok(());
    };
    if !options.leaves_only {
        found.push((ColumnPath::new(steps.iter().cloned()), handed_out(array, options.flat_structs)?));
    }
    let flat = flatten_nested(array)?;
    for (at, field) in fields.iter().enumerate() {
        steps.push(field.name().as_str().into());
        enumerate_below(steps, &child(flat.as_struct(), at)?, options, found)?;
        steps.pop();
    }
    Ok(())
}

/// Returns the array at a path: a column, or a field of the structs below it, one element for each struct.
///
/// # Errors
///
/// - [`Kind::InvalidArgument`] if the path is empty.
/// - [`Kind::MissingColumn`] if a step is not there.
/// - [`Kind::TypeMismatch`] if a step leads below what is not a struct.
/// - [`Kind::Unsupported`] as for [`enumerate_columns`].
///
/// # Example
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Int64Array, RecordBatch, StructArray, cast::AsArray, types::Int64Type};
/// use arrow_schema::{DataType, Field};
/// use tensor_repr::ColumnPath;
/// use tensor_repr::table::{FlatStructs, column_at};
///
/// let ids: ArrayRef = Arc::new(Int64Array::from(vec![7, 8]));
/// let users = StructArray::from(vec![(Arc::new(Field::new("id", DataType::Int64, true)), ids)]);
/// let batch = RecordBatch::try_from_iter([("user", Arc::new(users) as ArrayRef)])?;
///
/// let found = column_at(&batch, &ColumnPath::new(["user", "id"]), FlatStructs::InLists)?;
/// assert_eq!(found.as_primitive::<Int64Type>(), &Int64Array::from(vec![7, 8]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn column_at(
    batch: &RecordBatch,
    path: &ColumnPath,
    flat_structs: FlatStructs,
) -> Result<ArrayRef, Error> {
    let below = |array: &ArrayRef, rows: ()| Ok((flatten_nested(array)?, rows));
    Ok(walk(batch, path, flat_structs, (), below)?.0)
}

/// Returns the array at a path, and for each of its elements the row of the batch that it comes from.
///
/// # Errors
///
/// The errors of [`column_at`].
///
/// # Example
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Int64Array, ListArray, RecordBatch, StructArray};
/// use arrow_buffer::OffsetBuffer;
/// use arrow_schema::{DataType, Field, Fields};
/// use tensor_repr::ColumnPath;
/// use tensor_repr::table::{FlatStructs, column_at_with_rows};
///
/// let fields = Fields::from(vec![Field::new("id", DataType::Int64, true)]);
/// let ids: ArrayRef = Arc::new(Int64Array::from(vec![7, 8, 9]));
/// let users = StructArray::try_new(fields.clone(), vec![ids], None)?;
/// let item = Arc::new(Field::new_list_field(DataType::Struct(fields), true));
/// // The first row has two users, the second has one.
/// let lists = ListArray::try_new(item, OffsetBuffer::new(vec![0, 2, 3].into()), Arc::new(users), None)?;
/// let batch = RecordBatch::try_from_iter([("users", Arc::new(lists) as ArrayRef)])?;
///
/// let path = ColumnPath::new(["users", "id"]);
/// let (ids, rows) = column_at_with_rows(&batch, &path, FlatStructs::InLists)?;
/// assert_eq!(ids.len(), 3);
/// assert_eq!(rows, Int64Array::from(vec![0, 0, 1]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn column_at_with_rows(
    batch: &RecordBatch,
    path: &ColumnPath,
    flat_structs: FlatStructs,
) -> Result<(ArrayRef, Int64Array), Error> {
    let all: Int64Array = (0_i64..).take(batch.num_rows()).collect::<Vec<_>>().into();
    walk(batch, path, flat_structs, all, |array, rows: Int64Array| {
        let (flat, parents) = flatten_nested_with_parents(array)?;
        // A parent is an element of the array, which has a row for each.
        let row = |parent: i64| usize::try_from(parent).ok().and_then(|at| rows.values().get(at)).copied();
        let rows = parents.values().iter().map(|&parent| row(parent).unwrap_or(parent)).collect::<Vec<_>>();
        Ok((flat, rows.into()))
    })
}

/// Follows a path. `below` flattens the lists around structs, and carries along what is known of their
/// elements.
fn walk<R>(
    batch: &RecordBatch,
    path: &ColumnPath,
    flat_structs: FlatStructs,
    rows: R,
    below: impl Fn(&ArrayRef, R) -> Result<(ArrayRef, R), Error>,
) -> Result<(ArrayRef, R), Error> {
    let Some((first, rest)) = path.steps().split_first() else {
        return Err(Error::new(Kind::InvalidArgument, "the path has no steps; name a column"));
    };
    let Some(column) = batch.column_by_name(first) else {
        return Err(Error::new(Kind::MissingColumn, "the batch has no such column").in_column(first));
    };
    let (mut array, mut rows) = (Arc::clone(column), rows);
    for step in rest {
        let DataType::Struct(fields) = innermost_type(array.data_type()) else {
            let text = format!("step {step:?} leads into {}, which holds no structs", array.data_type());
            return Err(Error::new(Kind::TypeMismatch, text).in_column(path));
        };
        let Some((at, _)) = fields.find(step) else {
            let text = format!("the structs have no field {step:?}");
            return Err(Error::new(Kind::MissingColumn, text).in_column(path));
        };
        let flat;
        (flat, rows) = below(&array, rows).map_err(|error| error.in_column(path))?;
        array = child(flat.as_struct(), at).map_err(|error| error.in_column(path))?;
    }
    Ok((handed_out(&array, flat_structs)?, rows))
}

fn handed_out(array: &ArrayRef, flat_structs: FlatStructs) -> Result<ArrayRef, Error> {
    let flat = matches!(array.data_type(), DataType::Struct(_));
    match flat_structs {
        FlatStructs::InLists if flat => Ok(Arc::new(singleton_lists(array)?)),
        _ => Ok(Arc::clone(array)),
    }
}

/// Returns a field of structs, null where the struct is.
fn child(structs: &StructArray, at: usize) -> Result<ArrayRef, Error> {
    let column = structs.column(at);
    let Some(nulls) = structs.nulls().filter(|nulls| nulls.null_count() > 0) else {
        return Ok(Arc::clone(column));
    };
    if matches!(column.data_type(), DataType::Union(..) | DataType::RunEndEncoded(..)) {
        let text =
            format!("{} has no nulls of its own, and the struct around it is null", column.data_type());
        return Err(Error::new(Kind::Unsupported, text));
    }
    Ok(nullif(column, &BooleanArray::new(!nulls.inner(), None))?)
}
