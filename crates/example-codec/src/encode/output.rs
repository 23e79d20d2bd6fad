//! Encoded records, one after the other in one buffer.

use std::ops::Range;

use tfxio_core::{Count, Limits};

use super::back::Back;
use super::block::{Block, ROWS};
use super::cell::{Column, Full};
use crate::error::Locate;
use crate::{Error, Kind};

/// Encoded records in one buffer, which is used again for the next batch.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, NullArray, RecordBatch};
/// use example_codec::{EncodedExamples, EncoderOptions, ExampleEncoder};
///
/// let batch = RecordBatch::try_from_iter([("x", Arc::new(NullArray::new(2)) as ArrayRef)])?;
/// // Room for a TFRecord header and footer, so that a writer can complete the frames in place.
/// let options = EncoderOptions::default().room(12, 4);
/// let mut examples = EncodedExamples::new();
/// ExampleEncoder::builder(&batch.schema()).options(options).build()?.encode(&batch, &mut examples)?;
/// let record = examples.range(1).expect("two rows");
/// assert_eq!(examples.bytes().get(record.clone()), examples.get(1));
/// assert_eq!(examples.bytes().len(), record.end + 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct EncodedExamples {
    bytes: Back,
    /// Number of bytes from the start of each row (with the room before it) to the end of the buffer.
    tails: Vec<usize>,
    room: (usize, usize),
    block: Option<Box<Block>>,
    /// Whether the rows written last had small cells.
    small: bool,
}

/// Rows that are written one by one to learn how large their cells are.
const FEW: usize = 16;
/// Fewer rows than this are not worth a block.
const LEAST: usize = 12;
/// Rows whose cells have fewer bytes than this on average are written in blocks. To write larger cells is mostly
/// to copy them, which a block does once more.
const SMALL: usize = 128;

impl EncodedExamples {
    /// Returns an empty collection without a buffer.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the number of records.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tails.len()
    }

    /// Returns whether there are zero records.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tails.is_empty()
    }

    /// Returns all records, one after the other, each with the room around it that the options asked for.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.bytes.written()
    }

    /// Returns the same, to write into the room.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.bytes.written_mut()
    }

    /// Returns the range of a record in [`bytes`](Self::bytes), without the room around it.
    #[must_use]
    pub fn range(&self, row: usize) -> Option<Range<usize>> {
        let tail = *self.tails.get(row)?;
        let next = self.tails.get(row + 1).copied().unwrap_or(0);
        let all = self.bytes.len();
        Some(all.checked_sub(tail)? + self.room.0..all.checked_sub(next)?.checked_sub(self.room.1)?)
    }

    /// Returns a record.
    #[must_use]
    pub fn get(&self, row: usize) -> Option<&[u8]> {
        self.bytes().get(self.range(row)?)
    }

    /// Returns the records in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        (0..self.len()).map(|row| self.get(row).unwrap_or_default())
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.tails.clear();
    }

    /// Writes all rows, the last one first. A record is made of maps, each with its tag and its columns.
    pub(super) fn fill(
        &mut self,
        rows: usize,
        maps: &[(u8, &[Column<'_>])],
        limits: &Limits,
        room: (usize, usize),
    ) -> Result<(), Error> {
        self.room = room;
        self.tails.resize(rows, 0);
        let longest = usize::try_from(limits.record_bytes.min(i32::MAX as u64)).unwrap_or(usize::MAX);
        let most = usize::try_from(limits.batch_bytes).unwrap_or(usize::MAX);
        // What is reserved may be more than what is then written: by some bytes for each head.
        self.bytes.set_limit(most.saturating_add(1 << 16));
        let columns = maps.iter().map(|(_, columns)| columns.len()).sum::<usize>();
        let mut end = rows;
        while end > 0 {
            let before = self.bytes.len();
            let first = end.saturating_sub(if self.small { ROWS } else { FEW });
            if !(self.small && end - first >= LEAST && self.write_block(first..end, maps, (longest, most))) {
                for row in (first..end).rev() {
                    self.write_row(row, maps, (longest, most)).map_err(|error| error.in_row(row))?;
                }
            }
            let cells = (end - first).saturating_mul(columns);
            self.small = self.bytes.len() - before < cells.saturating_mul(SMALL);
            end = first;
        }
        Ok(())
    }

    /// Writes some rows column by column. False, and nothing is written, if they are long or if there is an error.
    fn write_block(
        &mut self,
        rows: Range<usize>,
        maps: &[(u8, &[Column<'_>])],
        (longest, most): (usize, usize),
    ) -> bool {
        let block = self.block.get_or_insert_default();
        let Some(block) = block.write(rows.clone(), maps) else { return false };
        let around = self.room.0.saturating_add(self.room.1);
        let lengths = block.iter().map(|row| row.written().len());
        let total =
            lengths.clone().fold(0, |sum: usize, length| sum.saturating_add(length.saturating_add(around)));
        let within = self.bytes.len().checked_add(total).is_some_and(|bytes| bytes <= most);
        if !within || lengths.max() > Some(longest) || !self.bytes.reserve(total) {
            return false;
        }
        for (row, tail) in block.iter().zip(self.tails.get_mut(rows).unwrap_or_default()).rev() {
            self.bytes.skip(self.room.1);
            self.bytes.put(row.written());
            self.bytes.skip(self.room.0);
            *tail = self.bytes.len();
        }
        true
    }

    /// Writes a row.
    fn write_row(
        &mut self,
        row: usize,
        maps: &[(u8, &[Column<'_>])],
        (longest, most): (usize, usize),
    ) -> Result<(), Error> {
        let around = self.room.0.saturating_add(self.room.1).saturating_add(32);
        let end = self.bytes.len();
        if !self.bytes.reserve(around) {
            return Err(no_room(most));
        }
        self.bytes.skip(self.room.1);
        let begin = self.bytes.len();
        for (tag, columns) in maps.iter().rev() {
            let begin = self.bytes.len();
            for column in columns.iter().rev() {
                column.write(row, &mut self.bytes).map_err(|Full| no_room(most))?;
            }
            if !self.bytes.reserve(around) {
                return Err(no_room(most));
            }
            self.bytes.varint((self.bytes.len() - begin) as u64);
            self.bytes.byte(*tag);
        }
        let length = self.bytes.len() - begin;
        if length > longest {
            return Err(too_long("record", length, longest, "record_bytes"));
        }
        self.bytes.skip(self.room.0);
        let tail = self.bytes.len();
        if let Some(to) = self.tails.get_mut(row) {
            *to = tail;
        }
        if tail > most {
            return Err(too_long("batch, so far,", tail, most, "batch_bytes"));
        }
        debug_assert!(tail > end, "every row takes bytes");
        Ok(())
    }
}

fn too_long(what: &str, length: usize, most: usize, limit: &str) -> Error {
    Error::new(
        Kind::LimitExceeded,
        format!("the {what} is {} long, more than the limit of {most}", Count::of(length, "byte")),
    )
    .help(format!("raise {limit} or encode less at once"))
}

fn no_room(most: usize) -> Error {
    Error::new(
        Kind::LimitExceeded,
        format!("the encoded batch does not fit in memory or in the limit of {}", Count::of(most, "byte")),
    )
    .help("encode less at once")
}
