//! Batches of others in pieces of a size that several threads can work on.

use std::sync::Arc;

use arrow_array::Array as _;
use tfxio::{Batch, Cancel, Origins, Result};

use super::Next;

/// The most rows, and about the most bytes, of a piece.
const ROWS: usize = 8192;
const BYTES: usize = 16 << 20;
/// Name of the given rows in errors.
const DATA: &str = "data";

/// Batches that are given, in pieces, each row with its number.
pub(super) struct Slices {
    next: Next,
    cancel: Cancel,
    /// The rest of a batch, and the number of rows to take of it at a time.
    left: Option<(Batch, usize)>,
    file: Arc<str>,
    rows: u64,
}

impl Slices {
    pub(super) fn new(next: Next, cancel: Cancel) -> Self {
        Self { next, cancel, left: None, file: DATA.into(), rows: 0 }
    }

    pub(super) fn into_next(mut self) -> impl FnMut() -> Result<Option<Batch>> + Send + 'static {
        move || self.next()
    }

    fn next(&mut self) -> Result<Option<Batch>> {
        self.cancel.check()?;
        let (batch, most) = match self.left.take() {
            Some(left) => left,
            None => match (self.next)()? {
                Some(batch) => {
                    let most = rows_of_piece(&batch);
                    (batch, most)
                }
                None => return Ok(None),
            },
        };
        let rows = batch.num_rows();
        let kept = rows.min(most);
        let (columns, mut origins) = batch.into_parts();
        if kept < rows {
            let rest = columns.slice(kept, rows - kept);
            let of_rest =
                if origins.is_empty() { Origins::default() } else { origins.slice(kept, rows - kept) };
            self.left = Some((Batch::new(rest, of_rest), most));
        }
        // Those of a data set say more.
        origins = match origins.is_empty() {
            true => {
                let mut counted = Origins::default();
                counted.push_run(Arc::clone(&self.file), self.rows, &[], kept);
                counted
            }
            false => origins.slice(0, kept),
        };
        self.rows = self.rows.saturating_add(kept as u64);
        Ok(Some(Batch::new(columns.slice(0, kept), origins)))
    }
}

/// Returns how many rows of a batch are about as many bytes as a piece has.
fn rows_of_piece(batch: &Batch) -> usize {
    let rows = batch.num_rows();
    let size = |column: &arrow_array::ArrayRef| column.to_data().get_slice_memory_size().unwrap_or_default();
    let bytes = batch.columns().columns().iter().map(size).fold(0, usize::saturating_add);
    let pieces = bytes.div_ceil(BYTES).max(rows.div_ceil(ROWS)).max(1);
    rows.div_ceil(pieces).max(1)
}
