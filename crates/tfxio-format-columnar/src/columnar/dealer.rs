//! Rows that are dealt out to the files of a set in turn.

use std::mem;

use arrow_array::{RecordBatch, UInt64Array};
use arrow_select::concat::concat_batches;
use arrow_select::take::take_record_batch;
use tfxio_core::{Error, Result};

/// Rows of a file that are written at once.
const ROWS: usize = 1024;
/// Bytes of them at which they are written, if they are fewer.
const BYTES: usize = 1 << 20;

/// Deals rows out to files in turn, and gathers the rows of each file.
#[derive(Debug)]
pub(super) struct Dealer {
    /// The name of the set, for errors.
    output: String,
    files: Vec<Gathered>,
    /// The file whose turn it is.
    next: usize,
}

/// Rows of a file that are not written yet.
#[derive(Debug, Default)]
struct Gathered {
    batches: Vec<RecordBatch>,
    rows: usize,
    bytes: usize,
}

impl Dealer {
    /// Deals out to this many files.
    pub(super) fn new(output: &str, files: usize) -> Self {
        let files = (0..files).map(|_| Gathered::default()).collect();
        Self { output: output.to_owned(), files, next: 0 }
    }

    /// Deals out rows. Returns the rows that are to be written now, each with the index of its file.
    ///
    /// # Errors
    /// When rows of a type cannot be taken from a batch.
    pub(super) fn deal(&mut self, batch: &RecordBatch) -> Result<Vec<(usize, RecordBatch)>> {
        let count = self.files.len();
        let mut full = Vec::new();
        for turn in 0..count.min(batch.num_rows()) {
            let index = (self.next + turn) % count;
            let rows = (turn..batch.num_rows()).step_by(count).map(|row| row as u64);
            let rows = take_record_batch(batch, &UInt64Array::from_iter_values(rows));
            let rows = rows.map_err(|error| Error::from(error).in_file(self.output.as_str()))?;
            let Some(file) = self.files.get_mut(index) else { continue };
            file.rows += rows.num_rows();
            file.bytes = file.bytes.saturating_add(rows.get_array_memory_size());
            file.batches.push(rows);
            if file.rows >= ROWS || file.bytes >= BYTES {
                full.extend(mem::take(file).joined().into_iter().map(|rows| (index, rows)));
            }
        }
        self.next = (self.next + batch.num_rows()) % count.max(1);
        Ok(full)
    }

    /// Returns the rows that are not written yet.
    pub(super) fn rest(&mut self) -> Vec<(usize, RecordBatch)> {
        let files = self.files.iter_mut().map(mem::take).enumerate();
        files.flat_map(|(index, file)| file.joined().into_iter().map(move |rows| (index, rows))).collect()
    }
}

impl Gathered {
    /// Returns the rows as one batch, where their columns can be joined: dictionaries of many values cannot.
    fn joined(self) -> Vec<RecordBatch> {
        let Some(first) = self.batches.first().filter(|_| self.batches.len() > 1) else {
            return self.batches;
        };
        match concat_batches(&first.schema(), &self.batches) {
            Ok(joined) => vec![joined],
            Err(_) => self.batches,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::cast::AsArray as _;
    use arrow_array::types::Int32Type;
    use arrow_array::{ArrayRef, DictionaryArray, Int8Array, Int32Array, StringArray};

    use super::*;

    fn numbers(range: std::ops::Range<i32>) -> RecordBatch {
        let numbers: ArrayRef = Arc::new(Int32Array::from_iter_values(range));
        RecordBatch::try_from_iter([("n", numbers)]).expect("a batch")
    }

    #[test]
    fn every_row_comes_once_and_in_turn() {
        for (files, batch, rows) in
            [(1, 7, 20), (3, 1, 10), (3, 4, 10), (7, 5, 5), (7, 3, 5_000), (2, 5_000, 10_000)]
        {
            let mut dealer = Dealer::new("a", files);
            let mut written = Vec::new();
            for start in (0..rows).step_by(batch) {
                written.extend(dealer.deal(&numbers(start..(start + batch as i32).min(rows))).expect("rows"));
            }
            written.extend(dealer.rest());
            for file in 0..files {
                let of_file = written.iter().filter(|(index, _)| *index == file);
                let found = of_file
                    .flat_map(|(_, rows)| rows.column(0).as_primitive::<Int32Type>().values().to_vec())
                    .collect::<Vec<_>>();
                let expected = (0..rows).skip(file).step_by(files).collect::<Vec<_>>();
                assert_eq!(found, expected, "{files} files, {batch} rows a batch, {rows} rows");
            }
            let least = written.iter().map(|(_, rows)| rows.num_rows()).filter(|rows| *rows < ROWS).count();
            assert!(least <= files, "only the last batch of a file has few rows");
        }
    }

    #[test]
    fn dictionaries_that_cannot_be_joined_are_written_one_by_one() {
        let mut dealer = Dealer::new("a", 1);
        for start in [0, 100] {
            let values = StringArray::from_iter_values((start..start + 100).map(|value| value.to_string()));
            let keys = Int8Array::from_iter_values(0..100);
            let words: ArrayRef = Arc::new(DictionaryArray::new(keys, Arc::new(values)));
            let batch = RecordBatch::try_from_iter([("word", words)]).expect("a batch");
            assert!(dealer.deal(&batch).expect("rows").is_empty());
        }
        assert_eq!(dealer.rest().iter().map(|(_, rows)| rows.num_rows()).collect::<Vec<_>>(), [100, 100]);
    }
}
