//! Scans that cast the columns of files to the columns of their set.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef, RecordBatch, RecordBatchOptions, new_null_array};
use arrow_schema::{FieldRef, SchemaRef};
use tfxio_core::{Batch, ChangedScan, Error, ErrorKind, Position, Result, Scan};

use crate::cast::{Failed, fit};

/// Returns a scan of a file with columns of this schema, which is that of the set that it is of: each is the column of the file that has
/// its name.
pub fn fitted(scan: Box<dyn Scan>, schema: SchemaRef) -> Box<dyn Scan> {
    // A request may name a column several times.
    let mut named: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, field) in scan.schema().fields().iter().enumerate().rev() {
        named.entry(field.name().as_str()).or_default().push(index);
    }
    let columns = schema.fields().iter();
    let columns = columns.map(|field| named.get_mut(field.name().as_str()).and_then(Vec::pop));
    let columns = columns.collect::<Vec<_>>();
    let of_set = Arc::clone(&schema);
    Box::new(ChangedScan::new(scan, schema, move |batch| fit_batch(batch, &of_set, &columns)))
}

/// Returns a batch with the columns of a set, given the index of each among the columns of the file.
fn fit_batch(batch: Batch, schema: &SchemaRef, columns: &[Option<usize>]) -> Result<Batch> {
    let rows = batch.num_rows();
    let columns = schema.fields().iter().zip(columns).map(|(field, index)| {
        match index.and_then(|index| batch.columns().columns().get(index)) {
            Some(column) => fit_column(column, field).map_err(|error| batch.locate(error)),
            None => Ok(new_null_array(field.data_type(), rows)),
        }
    });
    let columns = columns.collect::<Result<Vec<_>>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    let columns = RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)?;
    Ok(Batch::new(columns, batch.into_parts().1))
}

fn fit_column(column: &ArrayRef, field: &FieldRef) -> Result<ArrayRef> {
    let of_row = |row: usize, what: String, help: &str| {
        let position = Position::new().column(field.name().as_str()).row(row as u64);
        Error::new(ErrorKind::SchemaMismatch, what).help(help.to_owned()).at(position)
    };
    let column = fit(column, field.data_type()).map_err(|failed| match failed {
        Failed::Unfit(unfit) => of_row(
            unfit.index,
            unfit.what,
            "read the files that have other types apart, or leave the column out",
        ),
        Failed::Other(error) => error,
    })?;
    if !field.is_nullable()
        && let Some(nulls) = column.logical_nulls()
        && let Some(row) = (0..column.len()).find(|row| nulls.is_null(*row))
    {
        let what = "the value is null, and the column has no nulls in the files that were looked at";
        return Err(of_row(row, what.to_owned(), "name this file first, or leave the column out"));
    }
    Ok(column)
}
