//! Column with the record of each row.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, DictionaryArray, Int32Array, RecordBatch, RecordBatchOptions, StringArray, StructArray,
    UInt64Array,
};
use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef};
use tfxio_core::{Batch, ChangedScan, Error, ErrorKind, Origins, Result, Scan};

fn fields() -> Fields {
    let file = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    let number = |name| Field::new(name, DataType::UInt64, true);
    vec![Field::new("file", file, true), number("offset"), number("record")].into()
}

fn field(name: &str) -> Field {
    Field::new(name, DataType::Struct(fields()), false)
}

/// Returns a schema without the column.
pub(super) fn without(schema: &SchemaRef, name: &str) -> SchemaRef {
    let fields = schema.fields().iter().filter(|field| field.name() != name).cloned().collect::<Fields>();
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

/// Returns a schema with the column at a position, at most after the others.
pub(super) fn insert(schema: &SchemaRef, name: &str, position: usize) -> SchemaRef {
    let mut fields = schema.fields().to_vec();
    fields.insert(position.min(fields.len()), Arc::new(field(name)));
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

/// Returns the column of rows of these origins.
fn column(origins: &Origins, rows: usize) -> Result<ArrayRef> {
    let mut files: Vec<Arc<str>> = Vec::new();
    let mut keys = HashMap::new();
    let (mut key, mut offset, mut record) =
        (Vec::with_capacity(rows), Vec::with_capacity(rows), Vec::with_capacity(rows));
    for row in 0..rows {
        let origin = origins.get(row);
        offset.push(origin.as_ref().and_then(|origin| origin.byte));
        record.push(origin.as_ref().map(|origin| origin.record));
        key.push(match origin {
            None => None,
            Some(origin) => {
                let next = i32::try_from(files.len()).map_err(|_| too_many())?;
                Some(*keys.entry(Arc::clone(&origin.file)).or_insert_with(|| {
                    files.push(origin.file);
                    next
                }))
            }
        });
    }
    let names = StringArray::from_iter_values(files.iter().map(|file| &**file));
    let file = DictionaryArray::<Int32Type>::try_new(Int32Array::from(key), Arc::new(names))?;
    let columns: Vec<ArrayRef> =
        vec![Arc::new(file), Arc::new(UInt64Array::from(offset)), Arc::new(UInt64Array::from(record))];
    Ok(Arc::new(StructArray::try_new(fields(), columns, None)?))
}

fn too_many() -> Error {
    Error::new(ErrorKind::LimitExceeded, "a batch has rows of too many files; read smaller batches")
}

/// Adds the column to the batches of a scan, at a position, at most after the others.
pub(super) fn add(scan: Box<dyn Scan>, name: &str, position: usize) -> Box<dyn Scan> {
    let schema = insert(scan.schema(), name, position);
    let with_column = Arc::clone(&schema);
    Box::new(ChangedScan::new(scan, schema, move |batch| {
        let rows = batch.num_rows();
        let (columns, origins) = batch.into_parts();
        let mut all = columns.columns().to_vec();
        all.insert(position.min(all.len()), column(&origins, rows)?);
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let columns = RecordBatch::try_new_with_options(Arc::clone(&with_column), all, &options)?;
        Ok(Batch::new(columns, origins))
    }))
}
