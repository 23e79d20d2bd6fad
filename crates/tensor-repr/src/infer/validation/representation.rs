//! Validation of data against a tensor's representation.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, NullArray, RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, Field, Schema as ArrowSchema, SchemaRef};
use tfxio_core::DType;

use super::finding::{Finding, FindingKind, Tally};
use crate::spec::sizes;
use crate::{Adapter, ColumnPath, Error, Kind, Representation};

/// A tensor, and whether it could be made.
#[derive(Debug)]
pub(super) struct RepresentationCheck {
    name: String,
    representation: Representation,
    /// The dtype of a column that has no values.
    dtype: Option<DType>,
    /// Columns that the schema does not know.
    strangers: Vec<ColumnPath>,
    failed: Tally,
}

/// A batch, and its columns by their names.
pub(super) struct Named<'a> {
    batch: &'a RecordBatch,
    columns: HashMap<&'a str, usize>,
}

impl<'a> Named<'a> {
    pub(super) fn new(batch: &'a RecordBatch) -> Self {
        let names = batch.schema_ref().fields().iter().enumerate();
        // Of two of one name the first counts.
        let columns = names.rev().map(|(at, field)| (field.name().as_str(), at)).collect();
        Self { batch, columns }
    }
}

impl RepresentationCheck {
    /// Returns the check of a tensor. `strangers` are the columns that the schema does not know.
    pub(super) fn new(
        name: String,
        representation: Representation,
        dtype: Option<DType>,
        strangers: Vec<ColumnPath>,
    ) -> Self {
        Self { name, representation, dtype, strangers, failed: Tally::default() }
    }

    pub(super) fn push(&mut self, named: &Named<'_>, first_row: u64) {
        let rows = named.batch.num_rows() as u64;
        let batch = match self.own_columns(named) {
            Ok(batch) => batch,
            Err(error) => return self.fail(&error, rows, first_row),
        };
        // Made again for each batch: kept ones take more memory than all else where there are many tensors.
        match self.adapter_for(batch.schema()) {
            Ok(adapter) => self.convert(&adapter, &batch, first_row),
            // A field that is not in the struct is a finding of the feature, if it has to be there.
            Err(error) if error.detail() == Some(&Kind::MissingColumn) => {}
            Err(error) => self.fail(&error, rows, first_row),
        }
    }

    /// Returns the columns of the tensor, each that the batch lacks as a column of nulls: what a reader with the schema
    /// would make of it.
    fn own_columns(&self, named: &Named<'_>) -> Result<RecordBatch, Error> {
        let mut fields: Vec<Arc<Field>> = Vec::new();
        let mut columns: Vec<ArrayRef> = Vec::new();
        for path in self.representation.source_columns() {
            let name = path.initial_step()?;
            if fields.iter().any(|field| field.name() == name) {
                continue;
            }
            let found = named.columns.get(name);
            let field = found.and_then(|&at| named.batch.schema_ref().fields().get(at));
            if let (Some(&at), Some(field)) = (found, field) {
                fields.push(Arc::clone(field));
                columns.push(Arc::clone(named.batch.column(at)));
                continue;
            }
            if self.strangers.contains(&path) {
                let message = format!(
                    "the data has no column \"{path}\", and the schema no such feature; correct the column's name"
                );
                return Err(Error::new(Kind::MissingColumn, message));
            }
            fields.push(Arc::new(Field::new(name, DataType::Null, true)));
            columns.push(Arc::new(NullArray::new(named.batch.num_rows())));
        }
        let options = RecordBatchOptions::new().with_row_count(Some(named.batch.num_rows()));
        Ok(RecordBatch::try_new_with_options(Arc::new(ArrowSchema::new(fields)), columns, &options)?)
    }

    fn adapter_for(&self, schema: SchemaRef) -> Result<Adapter, Error> {
        let make =
            |representation| Adapter::builder(schema.clone(), [(self.name.as_str(), representation)]).build();
        let representation = self.representation.clone();
        match (make(representation.clone()), self.dtype) {
            // A column without values has no dtype but that of the feature.
            (Err(error), Some(dtype)) if error.detail() == Some(&Kind::TypeMismatch) => {
                make(representation.of_dtype(dtype)).map_err(|_| error)
            }
            (made, _) => made,
        }
    }

    fn convert(&mut self, adapter: &Adapter, batch: &RecordBatch, first_row: u64) {
        let Err(whole) = adapter.tensors(batch) else { return };
        let before = self.failed.count;
        for row in 0..batch.num_rows() {
            if let Err(error) = adapter.tensors(&batch.slice(row, 1)) {
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
        self.failed.find(|| match error.what() {
            "" => error.to_string(),
            what => what.to_owned(),
        });
    }

    pub(super) fn finding(&self) -> Option<Finding> {
        (self.failed.count > 0).then(|| {
            let expected = described(&self.representation);
            self.failed.finding(FindingKind::Representation, self.name.clone(), expected, "")
        })
    }
}

/// Returns a tensor in words: its kind, its shape if that is said, and its columns.
fn described(representation: &Representation) -> String {
    let (kind, shape) = match representation {
        Representation::Dense(dense) => ("dense", Some(sizes(&dense.shape))),
        Representation::Sparse(sparse) => ("sparse", Some(sizes(&sparse.dense_shape))),
        Representation::VarLenSparse(_) => ("sparse", None),
        Representation::Ragged(_) | Representation::VarLenRagged(_) => ("ragged", None),
        Representation::Structured(_) => ("structured", None),
        Representation::Lengths(_) => ("dense", Some("[]".to_owned())),
        Representation::Sequence(_) => ("ragged", None),
        Representation::Converted(converted) => return described(&converted.of),
    };
    let shape = shape.map(|shape| format!(" of shape {shape}")).unwrap_or_default();
    let columns = representation.source_columns();
    let of = if columns.len() == 1 { "column" } else { "columns" };
    let columns = columns.iter().map(|column| format!("\"{column}\"")).collect::<Vec<_>>().join(", ");
    format!("a {kind} tensor{shape} from {of} {columns}")
}
