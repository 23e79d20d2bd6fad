//! Columns of dictionaries, read as their values.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray as _;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrow_select::take::take;

use crate::Error;

/// The columns of a schema that are dictionaries and of which tensors are made.
pub(super) struct Dictionaries {
    columns: Vec<usize>,
    /// The schema with their values instead.
    schema: SchemaRef,
}

impl Dictionaries {
    /// Returns those of the columns of these names; `None` where there are none.
    pub(super) fn new(schema: &SchemaRef, used: &HashSet<Arc<str>>) -> Option<Self> {
        let mut columns = Vec::new();
        let fields = schema.fields().iter().enumerate().map(|(at, field)| match field.data_type() {
            DataType::Dictionary(_, values) if used.contains(field.name().as_str()) => {
                columns.push(at);
                let values = Field::new(field.name(), (**values).clone(), field.is_nullable());
                Arc::new(values.with_metadata(field.metadata().clone()))
            }
            _ => Arc::clone(field),
        });
        let fields = fields.collect::<Vec<_>>();
        let schema = Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()));
        (!columns.is_empty()).then_some(Self { columns, schema })
    }

    pub(super) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Returns a batch with the values of the dictionaries.
    pub(super) fn unpacked(&self, batch: &RecordBatch) -> Result<RecordBatch, Error> {
        let mut columns = batch.columns().to_vec();
        for at in &self.columns {
            let Some(column) = columns.get_mut(*at) else { continue };
            if let Some(words) = column.as_any_dictionary_opt() {
                *column = take(&**words.values(), words.keys(), None)?;
            }
        }
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), columns)?)
    }
}
