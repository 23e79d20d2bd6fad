//! The columns of a plan: what they are made of, and what a scan is asked for.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use arrow_array::builder::{Int64Builder, StringBuilder};
use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, ArrayRef, BooleanArray, RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use datafusion::arrow::compute;
use tfxio_core::{Batch, Column, ColumnPath, Error, ErrorKind, Result};

use crate::sql_column::SqlColumn;

/// Something that every row knows of its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Virtual {
    File,
    Record,
    Offset,
}

impl Virtual {
    pub(crate) const ALL: [Self; 3] = [Self::File, Self::Record, Self::Offset];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::File => "_file",
            Self::Record => "_record",
            Self::Offset => "_offset",
        }
    }

    fn field(self) -> FieldRef {
        let data_type = if self == Self::File { DataType::Utf8 } else { DataType::Int64 };
        Arc::new(Field::new(self.name(), data_type, true))
    }
}

/// Source of a column of a plan.
#[derive(Clone, Debug)]
pub(crate) enum ColumnSource {
    /// A column of the data set.
    Whole(SqlColumn),
    /// A field within a struct: the column of the data set, and the names below it.
    Nested(FieldRef, Vec<String>),
    Virtual(Virtual),
}

/// A column of a plan.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    pub(crate) field: FieldRef,
    pub(crate) source: ColumnSource,
}

impl Output {
    pub(crate) fn whole(column: SqlColumn) -> Self {
        Self { field: Arc::clone(&column.field), source: ColumnSource::Whole(column) }
    }

    pub(crate) fn virtual_column(column: Virtual) -> Self {
        Self { field: column.field(), source: ColumnSource::Virtual(column) }
    }

    /// Returns the column by another name.
    pub(crate) fn named(&self, name: &str) -> Self {
        let field = Arc::new(Field::clone(&self.field).with_name(name));
        Self { field, source: self.source.clone() }
    }

    /// Returns a field within the column; `None` where it has none of that name that can be read by itself.
    pub(crate) fn within(&self, names: &[String], name: &str) -> Option<Self> {
        let (root, before) = match &self.source {
            ColumnSource::Whole(column) if column.is_as_is() => (&column.source, [].as_slice()),
            ColumnSource::Nested(root, names) => (root, names.as_slice()),
            ColumnSource::Whole(_) | ColumnSource::Virtual(_) => return None,
        };
        let mut nullable = self.field.is_nullable();
        let mut field = &self.field;
        for step in names {
            let DataType::Struct(fields) = field.data_type() else { return None };
            (_, field) = fields.find(step)?;
            nullable |= field.is_nullable();
        }
        let made = Arc::new(Field::new(name, field.data_type().clone(), nullable));
        let path = before.iter().chain(names).cloned().collect();
        Some(Self { field: made, source: ColumnSource::Nested(Arc::clone(root), path) })
    }

    /// Returns the path of the column in the data set.
    pub(crate) fn path(&self) -> Option<ColumnPath> {
        match &self.source {
            ColumnSource::Whole(column) => Some(ColumnPath::from(column.source.name().as_str())),
            ColumnSource::Nested(root, names) => {
                let steps = std::iter::once(root.name().as_str()).chain(names.iter().map(String::as_str));
                Some(ColumnPath::new(steps))
            }
            ColumnSource::Virtual(_) => None,
        }
    }
}

/// Returns the schema of columns.
pub(crate) fn schema(outputs: &[Output]) -> SchemaRef {
    Arc::new(Schema::new(outputs.iter().map(|output| Arc::clone(&output.field)).collect::<Vec<_>>()))
}

/// Returns what a scan is asked for, so that these columns can be made: each path once, and none that is within another.
pub(crate) fn columns(outputs: &[Output]) -> Vec<Column> {
    let paths = outputs.iter().filter_map(Output::path).collect::<Vec<_>>();
    let all = paths.iter().map(ColumnPath::steps).collect::<HashSet<_>>();
    let mut known = HashSet::with_capacity(paths.len());
    let mut columns = Vec::with_capacity(paths.len());
    for path in &paths {
        let steps = path.steps();
        let is_within = (1..steps.len()).filter_map(|len| steps.get(..len)).any(|above| all.contains(above));
        if known.insert(steps) && !is_within {
            columns.push(Column::new(path.clone()));
        }
    }
    columns
}

/// Returns the columns of a plan, of a batch of a scan. An error names the record.
pub(crate) fn make(batch: &Batch, outputs: &[Output], schema: &SchemaRef) -> Result<RecordBatch> {
    let of_batch = batch.columns().schema_ref().fields().iter().zip(batch.columns().columns()).rev();
    let by_name = of_batch.map(|(field, column)| (field.name().as_str(), column)).collect::<HashMap<_, _>>();
    let columns = outputs.iter().map(|output| column(batch, &by_name, &output.source));
    let columns = columns.collect::<Result<Vec<_>>>().map_err(|error| batch.locate(error))?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    Ok(RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)?)
}

fn column(batch: &Batch, by_name: &HashMap<&str, &ArrayRef>, source: &ColumnSource) -> Result<ArrayRef> {
    let named = |name: &str| {
        by_name.get(name).copied().ok_or_else(|| {
            Error::new(ErrorKind::Other, format!("the reader has left out the column {name:?}"))
        })
    };
    match source {
        ColumnSource::Whole(column) => column.apply(named(column.source.name())?),
        ColumnSource::Nested(root, names) => {
            names.iter().try_fold(Arc::clone(named(root.name())?), |column, name| field_of(&column, name))
        }
        ColumnSource::Virtual(column) => Ok(origins(batch, *column)),
    }
}

/// Returns a field of structs, null where they are.
fn field_of(column: &ArrayRef, name: &str) -> Result<ArrayRef> {
    let field =
        column.as_struct_opt().and_then(|structs| Some((structs.column_by_name(name)?, structs.nulls())));
    match field {
        None => Err(Error::new(ErrorKind::Other, format!("the reader has left out the field {name:?}"))),
        Some((field, Some(nulls))) if nulls.null_count() > 0 => {
            Ok(compute::nullif(field, &BooleanArray::new(!nulls.inner(), None))?)
        }
        Some((field, _)) => Ok(Arc::clone(field)),
    }
}

/// Returns which records the rows of a batch were.
fn origins(batch: &Batch, column: Virtual) -> ArrayRef {
    let rows = batch.num_rows();
    match column {
        Virtual::File => {
            let mut files = StringBuilder::with_capacity(rows, 0);
            for row in 0..rows {
                files.append_option(batch.origins().get(row).map(|origin| origin.file));
            }
            Arc::new(files.finish())
        }
        Virtual::Record | Virtual::Offset => {
            let mut numbers = Int64Builder::with_capacity(rows);
            for row in 0..rows {
                let number = batch.origins().get(row).and_then(|origin| match column {
                    Virtual::Offset => origin.byte,
                    _ => Some(origin.record),
                });
                numbers.append_option(number.and_then(|number| i64::try_from(number).ok()));
            }
            Arc::new(numbers.finish())
        }
    }
}
