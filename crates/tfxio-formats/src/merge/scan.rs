//! Scans of files whose columns are made those of their set.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef, RecordBatch, RecordBatchOptions, new_null_array};
use arrow_schema::{FieldRef, SchemaRef};
use tfxio_core::{Batch, Error, ErrorKind, Partition, Position, Result, Scan, ScanCounts, Seek};

use crate::cast::{Failed, fit};

/// A scan of a file with the columns of the set that it is of.
pub(crate) struct FittedScan {
    scan: Box<dyn Scan>,
    schema: SchemaRef,
    /// Index of each column among those of the file.
    columns: Vec<Option<usize>>,
    has_failed: bool,
}

impl FittedScan {
    /// Returns a scan with columns of this schema, each of the column of the file that has its name.
    pub(crate) fn new(scan: Box<dyn Scan>, schema: SchemaRef) -> Self {
        // A request may name a column several times.
        let mut named: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, field) in scan.schema().fields().iter().enumerate().rev() {
            named.entry(field.name().as_str()).or_default().push(index);
        }
        let columns = schema.fields().iter();
        let columns = columns.map(|field| named.get_mut(field.name().as_str()).and_then(Vec::pop)).collect();
        Self { scan, schema, columns, has_failed: false }
    }

    fn fitted(&self, batch: Batch) -> Result<Batch> {
        let rows = batch.num_rows();
        let columns = self.schema.fields().iter().zip(&self.columns).map(|(field, index)| {
            match index.and_then(|index| batch.columns().columns().get(index)) {
                Some(column) => fitted(column, field).map_err(|error| batch.locate(error)),
                None => Ok(new_null_array(field.data_type(), rows)),
            }
        });
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let columns = RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)?;
        Ok(Batch::new(columns, batch.into_parts().1))
    }
}

fn fitted(column: &ArrayRef, field: &FieldRef) -> Result<ArrayRef> {
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

impl Scan for FittedScan {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn next_batch(&mut self) -> Result<Option<Batch>> {
        if self.has_failed {
            return Ok(None);
        }
        let next = match self.scan.next_batch() {
            Ok(Some(batch)) => self.fitted(batch).map(Some),
            other => other,
        };
        self.has_failed = next.is_err();
        next
    }

    fn try_split(&mut self, fraction: f64) -> Result<Option<Partition>> {
        self.scan.try_split(fraction)
    }

    fn remaining(&self) -> Option<Partition> {
        self.scan.remaining()
    }

    fn seek(&mut self, record: u64) -> Result<Seek> {
        self.scan.seek(record)
    }

    fn seek_to_byte(&mut self, record: u64, byte: u64) -> Result<Seek> {
        self.scan.seek_to_byte(record, byte)
    }

    fn counts(&self) -> ScanCounts {
        self.scan.counts()
    }
}
