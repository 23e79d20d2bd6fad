//! Columns of a data set into the tensors of a pipeline.
//!
//! [`import`] has `tensor-repr` turn Arrow's columns into columns of tensors, [`steps`] compares the lengths of
//! continuous sequences. A buffer of Arrow that already has the right values is not copied.

mod import;
mod steps;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use arrow_array::RecordBatch;
use tfxio_core::{Count, Limits};

pub(crate) use self::import::Importer;
use crate::column::{Column, RowError};
use crate::config::LoaderType;
use crate::error::Locate as _;
use crate::item::Chunk;
use crate::pipeline::Pipeline;
use crate::process;
use crate::{Error, Kind, Result};

/// Result of parsing some records.
#[derive(Debug)]
pub(crate) struct Parsed {
    /// The records before the first one that is wrong, or all.
    pub(crate) chunk: Chunk,
    /// Number of records in the chunk that were truncated.
    pub(crate) truncated: u64,
    /// Error of the record after the chunk.
    pub(crate) error: Option<Error>,
}

/// Origin of some records.
#[derive(Debug)]
pub(crate) struct RecordSource<'a> {
    /// The number of the file in the data set.
    pub(crate) file: u32,
    /// Its path or URL.
    pub(crate) name: &'a Arc<str>,
    /// The number in the file of each record.
    pub(crate) records: Vec<u64>,
    /// The byte in the file at which each record begins; empty where there is none.
    pub(crate) bytes: Vec<u64>,
}

/// The chunk of the rows of a batch, whose columns are named as the features.
///
/// | feature | column |
/// | --- | --- |
/// | of a shape with one element | a primitive or a string, or any list of one |
/// | of any other shape | a list of any kind, nested or not, of as many elements in each row |
/// | with `var_len` | a list of such as above, at the top or in a struct of sequences |
/// | raw | the same, of binary values |
pub(crate) fn chunk_of(
    importer: &mut Importer,
    pipeline: &Pipeline,
    batch: &RecordBatch,
    source: RecordSource<'_>,
    limits: &Limits,
) -> Parsed {
    if batch.num_rows() != source.records.len() {
        let records = Count::of(source.records.len(), "record");
        let what = format!("{records} came as {}", Count::of(batch.num_rows(), "row"));
        return source.failed(Error::new(Kind::Source, what));
    }
    let mut first_error = None;
    let mut rows = batch.num_rows();
    // A record that is wrong ends the chunk. Among those before it there may be one that something else is
    // wrong with, hence the loop; each turn has fewer rows.
    loop {
        match columns_of(importer, pipeline, &batch.slice(0, rows), limits) {
            Ok((columns, steps, truncated)) => {
                let parsed = source.parsed(rows, columns, steps, first_error);
                return Parsed { truncated, ..parsed };
            }
            Err(RowError { row: Some(row), error }) if row < rows => {
                first_error = Some(source.locate(error, row));
                rows = row;
            }
            Err(RowError { error, .. }) => return source.failed(error),
        }
    }
}

/// Columns after processing, the steps of continuous sequences, and how many records were truncated.
type ProcessedColumns = (Vec<Column>, Option<Vec<usize>>, u64);

/// The columns after processing.
fn columns_of(
    importer: &mut Importer,
    pipeline: &Pipeline,
    batch: &RecordBatch,
    limits: &Limits,
) -> Result<ProcessedColumns, RowError> {
    let columns = importer.columns(&pipeline.primary, batch)?;
    let (columns, truncated) = process::apply_and_count(pipeline, columns, batch.num_rows(), limits)?;
    let steps = match pipeline.loader {
        LoaderType::ContinuousSequence { .. } => {
            Some(steps::of_records(&pipeline.tensors, &columns, batch.num_rows())?)
        }
        _ => None,
    };
    Ok((columns, steps, truncated))
}

impl RecordSource<'_> {
    #[cold]
    fn locate(&self, error: Error, row: usize) -> Error {
        let error = error.in_file(Arc::clone(self.name));
        match self.records.get(row) {
            Some(record) => error.in_record(*record, self.bytes.get(row).copied()),
            None => error,
        }
    }

    fn parsed(
        mut self,
        rows: usize,
        columns: Vec<Column>,
        steps: Option<Vec<usize>>,
        error: Option<Error>,
    ) -> Parsed {
        self.records.truncate(rows);
        self.bytes.truncate(rows);
        let Self { file, records, bytes, .. } = self;
        Parsed {
            chunk: Chunk { file, records, bytes, columns, steps, ..Chunk::default() },
            truncated: 0,
            error,
        }
    }

    /// No chunk at all. The columns that there are not have no rows either.
    #[cold]
    fn failed(self, error: Error) -> Parsed {
        let error = error.in_file(Arc::clone(self.name));
        self.parsed(0, Vec::new(), None, Some(error))
    }
}
