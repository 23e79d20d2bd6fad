//! Shapes of columns.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{Field, FieldRef, Schema, SchemaRef};
use tfxio_core::{Batch, ColumnPath, Error, ErrorKind, Position, Result};
use tfxio_scan::cast::{ColumnChange, Failed, first_not_one, item, may_be_single, one_of_each, texts_within};

use super::choose::Chosen;
use super::steps::Steps;

/// Shapes of the columns of a data set.
#[derive(Debug)]
pub(super) struct Shapes {
    chosen: Chosen,
    schema: SchemaRef,
}

impl Shapes {
    pub(super) fn new(schema: &SchemaRef, chosen: Chosen) -> Self {
        let whole = ShapePlan::new(&chosen, schema, schema.fields().len());
        Self { chosen, schema: whole.schema }
    }

    /// Returns all columns.
    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Returns the columns that become scalars, and the bytes that become text.
    pub(super) fn chosen(&self) -> &Chosen {
        &self.chosen
    }

    /// Returns whether lists of one value become the value.
    pub(super) fn is_scalar(&self, name: &str) -> bool {
        self.chosen.scalars.contains(name)
    }

    /// Returns whether something becomes of a column.
    pub(super) fn is_changed(&self, name: &str) -> bool {
        let within = |path: &ColumnPath| path.initial_step().is_ok_and(|step| step == name);
        self.is_scalar(name) || self.chosen.texts.iter().chain(&self.chosen.steps).any(within)
    }

    /// Returns what becomes of the columns of a scan, of which the first ones are kept.
    pub(super) fn plan(&self, schema: &SchemaRef, kept: usize) -> ShapePlan {
        ShapePlan::new(&self.chosen, schema, kept)
    }
}

/// Shapes of the columns of a scan.
#[derive(Debug)]
pub(super) struct ShapePlan {
    schema: SchemaRef,
    columns: Vec<Shape>,
    is_same: bool,
}

/// Shape of a column.
#[derive(Debug)]
struct Shape {
    name: String,
    is_scalar: bool,
    steps: Option<Steps>,
    text: Option<ColumnChange>,
}

impl ShapePlan {
    fn new(chosen: &Chosen, schema: &SchemaRef, kept: usize) -> Self {
        let shaped = schema.fields().iter().map(|field| Shape::of(field, chosen));
        let (columns, fields): (Vec<_>, Vec<_>) = shaped.unzip();
        let is_same = kept == columns.len() && columns.iter().all(Shape::is_same);
        let schema = match is_same {
            true => Arc::clone(schema),
            false => {
                let fields = fields.into_iter().take(kept).collect::<Vec<FieldRef>>();
                Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
            }
        };
        Self { schema, columns, is_same }
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Changes a batch of the scan. What is not kept is looked at, too.
    pub(super) fn apply(&self, batch: Batch) -> Result<Batch> {
        if self.is_same {
            return Ok(batch);
        }
        let columns = self.columns.iter().zip(batch.columns().columns());
        let columns = columns.map(|(shape, column)| shape.apply(column).map_err(|error| batch.locate(error)));
        let mut columns = columns.collect::<Result<Vec<_>>>()?;
        columns.truncate(self.schema.fields().len());
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let columns = RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)?;
        Ok(Batch::new(columns, batch.into_parts().1))
    }
}

impl Shape {
    fn of(field: &FieldRef, chosen: &Chosen) -> (Self, FieldRef) {
        let name = field.name();
        let values =
            item(field.data_type()).filter(|_| chosen.scalars.contains(name) && may_be_single(field));
        let is_scalar = values.is_some();
        let (steps, of_steps) = Steps::of(field, &chosen.steps).unzip();
        let data_type = values.map_or_else(|| field.data_type(), |item| item.data_type());
        let data_type = of_steps.as_ref().unwrap_or(data_type);
        let path = ColumnPath::from(name.as_str());
        let text = texts_within(data_type, &path, &|path| chosen.texts.contains(path));
        let is_same = !is_scalar && steps.is_none();
        let shape = |text| Self { name: name.clone(), is_scalar, steps, text };
        match text {
            None if is_same => (shape(None), Arc::clone(field)),
            text => {
                let (change, to) = match text {
                    Some((change, to)) => (Some(change), to),
                    None => (None, data_type.clone()),
                };
                // What was said of the type beside it was said of another.
                (shape(change), Arc::new(Field::new(name, to, field.is_nullable() || is_scalar)))
            }
        }
    }

    fn is_same(&self) -> bool {
        !self.is_scalar && self.steps.is_none() && self.text.is_none()
    }

    fn apply(&self, column: &ArrayRef) -> Result<ArrayRef> {
        let position = |row: usize| Position::new().column(self.name.as_str()).row(row as u64);
        let mut column = Arc::clone(column);
        if self.is_scalar {
            if let Some(found) = first_not_one(&column) {
                let what = format!("the feature has {}, and the column is one of scalars", found.values());
                let error = Error::new(ErrorKind::SchemaMismatch, what).at(position(found.row));
                let help = "open it with the option scalars off, which makes lists, or name in it the columns of one value";
                return Err(error.help(help));
            }
            column = one_of_each(&column)?;
        }
        if let Some(steps) = &self.steps {
            column = steps.apply(&column)?;
        }
        let Some(change) = &self.text else { return Ok(column) };
        change.apply(&column, false).map_err(|failed| match failed {
            Failed::Unfit(unfit) => {
                let what = format!("{}, and the column is one of text", unfit.what);
                let error = Error::new(ErrorKind::SchemaMismatch, what).at(position(unfit.index));
                error.help(
                    "open it with the option text off, which makes bytes, or name in it the columns of text",
                )
            }
            Failed::Other(error) => error,
        })
    }
}
