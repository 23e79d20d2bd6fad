//! The rows that satisfy a predicate.

#[cfg(feature = "parquet")]
pub(crate) mod possible;

use arrow_array::BooleanArray;
use arrow_select::filter::filter_record_batch;
use tfxio_core::{Batch, Origins, Predicate, Result};

/// Returns the rows that satisfy a predicate.
pub(crate) fn rows(predicate: &Predicate, batch: Batch) -> Result<Batch> {
    let mask = predicate.evaluate(batch.columns())?;
    keep(&mask, batch)
}

/// Returns the rows of a mask.
pub(crate) fn keep(mask: &BooleanArray, batch: Batch) -> Result<Batch> {
    let kept = filter_record_batch(batch.columns(), mask)?;
    if kept.num_rows() == batch.num_rows() {
        return Ok(batch);
    }
    let mut origins = Origins::default();
    for row in mask.iter().enumerate().filter_map(|(row, holds)| (holds == Some(true)).then_some(row)) {
        match batch.origins().get(row) {
            Some(origin) => origins.push(origin.file, origin.record, origin.byte),
            None => origins.push_unknown(1),
        }
    }
    Ok(Batch::new(kept, origins))
}
