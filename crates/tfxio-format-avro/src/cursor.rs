//! Positions of scans in files.

use std::sync::Arc;

use avro_path::container::BlockPosition;
use tfxio_core::{Origins, Partition};

/// Name under which a partition carries the number of its first block.
const BLOCK: &str = "block";

/// The position of a record: the block that is entered, and the number of records after its first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cursor {
    /// Offset at which the block begins, or from which on it is searched.
    pub(super) offset: u64,
    /// Whether a block, or the end of the file, is known to be there.
    pub(super) is_exact: bool,
    /// Number of the block in the file, or in the partition.
    pub(super) block: u64,
    /// Number of the first record of the block: in the file if `is_numbered`, otherwise in the partition.
    pub(super) first: u64,
    pub(super) is_numbered: bool,
    /// Number of records from the first of the block to this one.
    pub(super) skip: u64,
}

impl Cursor {
    /// Returns the position of the first record of a partition.
    pub(super) fn start(partition: &Partition) -> Self {
        let block = partition.extra.get(BLOCK).and_then(|text| text.parse().ok());
        Self {
            offset: partition.start,
            is_exact: block.is_some(),
            block: block.unwrap_or_default(),
            first: partition.first_record.unwrap_or_default(),
            is_numbered: partition.first_record.is_some() || partition.start == 0,
            skip: partition.skip,
        }
    }

    /// Returns the position of the first record of a block whose number is known.
    pub(super) fn block(position: &BlockPosition) -> Self {
        Self {
            offset: position.offset,
            is_exact: true,
            block: position.number,
            first: position.first_record,
            is_numbered: true,
            skip: 0,
        }
    }

    /// Returns the number of the record.
    pub(super) fn record(&self) -> u64 {
        self.first.saturating_add(self.skip)
    }

    /// Returns the records from here to an offset, of which there are `records` if that is known.
    pub(super) fn rest(&self, file: &Arc<str>, end: u64, records: Option<u64>) -> Partition {
        let mut partition =
            Partition::range(Arc::clone(file), self.offset, end.max(self.offset)).skip(self.skip);
        if self.is_numbered {
            partition = partition.first_record(self.first);
        }
        if self.is_exact && self.offset > 0 {
            partition = partition.extra(BLOCK, self.block.to_string());
        }
        match records {
            Some(records) => partition.records(records),
            None => partition,
        }
    }
}

/// Consecutive rows that were consecutive records of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    /// Position of the first of them.
    pub(super) at: Cursor,
    /// Offset of the block that they are in.
    pub(super) offset: u64,
    pub(super) rows: u64,
}

/// Origins of rows, as spans of records.
#[derive(Debug, Default)]
pub(super) struct Spans(Vec<Span>);

impl Spans {
    pub(super) fn push(&mut self, span: Span) {
        if let Some(last) = self.0.last_mut()
            && last.offset == span.offset
            && last.at.record().checked_add(last.rows) == Some(span.at.record())
        {
            last.rows = last.rows.saturating_add(span.rows);
        } else if span.rows > 0 {
            self.0.push(span);
        }
    }

    pub(super) fn append(&mut self, other: Self) {
        other.0.into_iter().for_each(|span| self.push(span));
    }

    /// Removes the first `rows` rows and returns them.
    pub(super) fn take(&mut self, rows: usize) -> Self {
        let mut left = rows as u64;
        let mut taken = Self::default();
        let mut rest = Self::default();
        for span in self.0.drain(..) {
            let count = span.rows.min(left);
            left -= count;
            taken.push(Span { rows: count, ..span });
            let mut at = span.at;
            at.skip = at.skip.saturating_add(count);
            rest.push(Span { at, rows: span.rows - count, ..span });
        }
        *self = rest;
        taken
    }

    /// Returns the position of the record after the last.
    pub(super) fn end(&self) -> Option<Cursor> {
        let last = self.0.last()?;
        let mut at = last.at;
        at.skip = at.skip.saturating_add(last.rows);
        Some(at)
    }

    /// Returns the origins of the rows.
    pub(super) fn origins(&self, file: &Arc<str>) -> Origins {
        let mut origins = Origins::default();
        let mut bytes = Vec::new();
        for span in &self.0 {
            let rows = usize::try_from(span.rows).unwrap_or(usize::MAX);
            bytes.clear();
            bytes.resize(rows, span.offset);
            origins.push_run(Arc::clone(file), span.at.record(), &bytes, rows);
        }
        origins
    }
}
