//! Columns that only the filter reads, which do not go on.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, ArrayRef, RecordBatch, RecordBatchOptions, StructArray};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef};
use tfxio_core::{Batch, Column, ColumnPath, Error, ErrorKind, Predicate, Result};

/// The columns of a request without those that only the filter reads.
#[derive(Debug)]
pub(super) struct Projection {
    /// For each column its name and, where not the whole column was asked for, the fields.
    columns: Vec<(Arc<str>, Vec<Arc<str>>)>,
}

impl Projection {
    /// Appends the columns that a filter reads to those of a request; nothing where it has them all.
    pub(super) fn with_filter(columns: &mut Vec<Column>, filter: &Predicate) -> Option<Self> {
        let mut asked: Vec<(Arc<str>, Vec<Arc<str>>)> = Vec::new();
        for column in columns.iter() {
            let [first, rest @ ..] = column.path.steps() else { continue };
            let field = rest.first();
            match (asked.iter_mut().find(|(name, _)| name == first), field) {
                (Some((_, fields)), Some(field)) => fields.push(Arc::clone(field)),
                (Some((_, fields)), None) => fields.clear(),
                (None, field) => asked.push((Arc::clone(first), field.cloned().into_iter().collect())),
            }
        }
        let mut read: Vec<&ColumnPath> = Vec::new();
        filter.columns(&mut read);
        let missing = |path: &&&ColumnPath| !columns.iter().any(|column| path.starts_with(&column.path));
        let missing =
            read.iter().filter(missing).map(|path| Column::new((*path).clone())).collect::<Vec<_>>();
        if missing.is_empty() {
            return None;
        }
        columns.extend(missing);
        Some(Self { columns: asked })
    }

    /// Returns the schema that is left of one.
    pub(super) fn schema(&self, schema: &SchemaRef) -> Result<SchemaRef> {
        let field = |(name, fields): &(Arc<str>, Vec<Arc<str>>)| {
            let field = schema.field_with_name(name)?;
            Ok(narrowed(field, fields).unwrap_or_else(|| Arc::new(field.clone())))
        };
        let fields = self.columns.iter().map(field).collect::<Result<Vec<FieldRef>>>()?;
        Ok(Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone())))
    }

    /// Returns a batch with the columns that are left, of this schema.
    pub(super) fn batch(&self, batch: Batch, schema: &SchemaRef) -> Result<Batch> {
        let rows = batch.num_rows();
        let (columns, origins) = batch.into_parts();
        let column = |((name, _), field): (&(Arc<str>, Vec<Arc<str>>), &FieldRef)| {
            let column = columns.column_by_name(name).ok_or_else(|| {
                Error::new(ErrorKind::Other, format!("the scan has left out the column {name:?}"))
            })?;
            match field.data_type() {
                DataType::Struct(fields) if fields.len() < column.as_struct().num_columns() => {
                    select(column.as_struct(), fields)
                }
                _ => Ok(Arc::clone(column)),
            }
        };
        let all = self.columns.iter().zip(schema.fields()).map(column).collect::<Result<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        Ok(Batch::new(RecordBatch::try_new_with_options(Arc::clone(schema), all, &options)?, origins))
    }
}

/// Returns a struct with only these fields; nothing where all are wanted.
fn narrowed(field: &Field, names: &[Arc<str>]) -> Option<FieldRef> {
    let DataType::Struct(fields) = field.data_type() else { return None };
    if names.is_empty() {
        return None;
    }
    let kept = fields.iter().filter(|field| names.iter().any(|name| **name == **field.name())).cloned();
    Some(Arc::new(field.clone().with_data_type(DataType::Struct(kept.collect::<Fields>()))))
}

fn select(column: &StructArray, fields: &Fields) -> Result<ArrayRef> {
    let array = |field: &FieldRef| {
        column.column_by_name(field.name()).cloned().ok_or_else(|| {
            Error::new(ErrorKind::Other, format!("the scan has left out the field {:?}", field.name()))
        })
    };
    let arrays = fields.iter().map(array).collect::<Result<Vec<_>>>()?;
    let nulls = column.nulls().cloned();
    Ok(Arc::new(StructArray::try_new_with_length(fields.clone(), arrays, nulls, column.len())?))
}
