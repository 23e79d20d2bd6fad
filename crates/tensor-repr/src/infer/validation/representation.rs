//! Whether a tensor can be made of the data.

use std::sync::Arc;

use arrow_array::{ArrayRef, NullArray, RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, Field, Schema as ArrowSchema, SchemaRef};
use tfxio_core::DType;

use super::finding::{Finding, FindingKind, Tally};
use crate::spec::sizes;
use crate::{DefaultTensorAdapter, Error, ErrorKind, Representation};

/// A tensor, and whether it could be made.
#[derive(Debug)]
pub(super) struct RepresentationCheck {
    name: String,
    representation: Representation,
    /// The dtype of a column that has no values.
    dtype: Option<DType>,
    /// The adapter for the batches of a schema, or why there is none.
    adapter: Option<(SchemaRef, Result<DefaultTensorAdapter, Error>)>,
    failed: Tally,
}

impl RepresentationCheck {
    pub(super) fn new(name: String, representation: Representation, dtype: Option<DType>) -> Self {
        Self { name, representation, dtype, adapter: None, failed: Tally::default() }
    }

    pub(super) fn push(&mut self, batch: &RecordBatch, first_row: u64) {
        let batch = match self.with_all_columns(batch) {
            Ok(batch) => batch,
            Err(error) => return self.fail(&error, batch.num_rows() as u64, first_row),
        };
        let is_fresh = self.adapter.as_ref().is_some_and(|(schema, _)| *schema == batch.schema());
        if !is_fresh {
            self.adapter = Some((batch.schema(), self.adapter_for(batch.schema())));
        }
        match self.adapter.take() {
            Some((schema, Ok(adapter))) => {
                self.convert(&adapter, &batch, first_row);
                self.adapter = Some((schema, Ok(adapter)));
            }
            Some((schema, Err(error))) => {
                // A field that is not in the struct is a finding of the feature, if it has to be there.
                if error.kind() != ErrorKind::MissingColumn {
                    self.fail(&error, batch.num_rows() as u64, first_row);
                }
                self.adapter = Some((schema, Err(error)));
            }
            None => {}
        }
    }

    /// The batch with a column of nulls for each that it lacks: what a reader with the schema would make of it.
    fn with_all_columns(&self, batch: &RecordBatch) -> Result<RecordBatch, Error> {
        let schema = batch.schema_ref();
        let mut missing: Vec<String> = Vec::new();
        for column in self.representation.source_columns() {
            let name = column.initial_step()?;
            if schema.column_with_name(name).is_none() && !missing.iter().any(|known| known == name) {
                missing.push(name.to_owned());
            }
        }
        if missing.is_empty() {
            return Ok(batch.clone());
        }
        let mut fields: Vec<Arc<Field>> = schema.fields().to_vec();
        let mut columns = batch.columns().to_vec();
        for name in missing {
            fields.push(Arc::new(Field::new(name, DataType::Null, true)));
            columns.push(Arc::new(NullArray::new(batch.num_rows())) as ArrayRef);
        }
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        Ok(RecordBatch::try_new_with_options(Arc::new(ArrowSchema::new(fields)), columns, &options)?)
    }

    fn adapter_for(&self, schema: SchemaRef) -> Result<DefaultTensorAdapter, Error> {
        let make = |representation| {
            DefaultTensorAdapter::try_new(schema.clone(), [(self.name.as_str(), representation)])
        };
        let representation = self.representation.clone();
        match (make(representation.clone()), self.dtype) {
            // A column without values has no dtype but that of the feature.
            (Err(error), Some(dtype)) if error.kind() == ErrorKind::TypeMismatch => {
                make(representation.with_dtype(dtype)).map_err(|_| error)
            }
            (made, _) => made,
        }
    }

    fn convert(&mut self, adapter: &DefaultTensorAdapter, batch: &RecordBatch, first_row: u64) {
        let Err(whole) = adapter.to_tensors(batch, None) else { return };
        let before = self.failed.count;
        for row in 0..batch.num_rows() {
            if let Err(error) = adapter.to_tensors(&batch.slice(row, 1), None) {
                self.fail(&error, 1, first_row + row as u64);
            }
        }
        if self.failed.count == before {
            // Each row for itself is fine: all of them together are too much.
            self.fail(&whole, batch.num_rows() as u64, first_row);
        }
    }

    fn fail(&mut self, error: &Error, rows: u64, first_row: u64) {
        self.failed.add_all(rows, first_row);
        self.failed.find(|| error.message().to_owned());
    }

    pub(super) fn finding(&self) -> Option<Finding> {
        (self.failed.count > 0).then(|| {
            let expected = described(&self.representation);
            self.failed.finding(FindingKind::Representation, self.name.clone(), expected, "")
        })
    }
}

/// A tensor in words: its kind, its shape if that is said, and its columns.
fn described(representation: &Representation) -> String {
    let (kind, shape) = match representation {
        Representation::Dense(dense) => ("dense", Some(sizes(&dense.shape))),
        Representation::Sparse(sparse) => ("sparse", Some(sizes(&sparse.dense_shape))),
        Representation::VarLenSparse(_) => ("sparse", None),
        Representation::Ragged(_) | Representation::VarLenRagged(_) => ("ragged", None),
        Representation::Structured(_) => ("structured", None),
        Representation::Lengths(_) => ("dense", Some("[]".to_owned())),
    };
    let shape = shape.map(|shape| format!(" of shape {shape}")).unwrap_or_default();
    let columns = representation.source_columns();
    let of = if columns.len() == 1 { "column" } else { "columns" };
    let columns = columns.iter().map(|column| format!("\"{column}\"")).collect::<Vec<_>>().join(", ");
    format!("a {kind} tensor{shape} from {of} {columns}")
}
