//! Entry points of partitions.

use std::sync::Arc;

use tfxio_core::{Cancel, Limits, Partition, Result};

use super::data::Data;
use super::reader::{Part, RowReader};
use super::text::Text;
use super::{Blank, Syntax};

/// Key of [`Partition::extra`] for ranges that begin where a record does.
const EXACT: &str = "exact";

/// Returns a range that begins with a record.
pub(super) fn from_row(file: &Arc<str>, start: u64, end: u64) -> Partition {
    Partition::range(Arc::clone(file), start, end).extra(EXACT, "start")
}

/// Returns whether a record begins, or the file, where a partition does.
pub(super) fn is_exact(partition: &Partition) -> bool {
    partition.start == 0 || partition.extra.contains_key(EXACT)
}

impl Data {
    /// Returns a reader of a range of a file that is not compressed, at a row.
    fn reader_at(
        &self,
        file: &Arc<str>,
        (offset, record): (u64, u64),
        end: u64,
        records: u64,
        limits: &Limits,
        cancel: &Cancel,
    ) -> Result<RowReader> {
        if offset == 0 {
            return self.reader(file, end, records, limits, cancel);
        }
        let input = self.files.open_with(&Partition::range(Arc::clone(file), offset, end), cancel)?;
        let part = Part { file: Arc::clone(file), text: Text::plain(input), offset, record, end, records };
        Ok(RowReader::new(part, &self.syntax, limits, cancel))
    }

    /// Returns a partition of the same records that is marked to begin with one.
    pub(super) fn exact(&self, partition: &Partition, limits: &Limits, cancel: &Cancel) -> Result<Partition> {
        if is_exact(partition) {
            return Ok(partition.clone());
        }
        let file = &partition.file;
        let exact = |offset: u64, first: Option<u64>| {
            let mut exact = from_row(file, offset, partition.end.max(offset));
            (exact.skip, exact.records) = (partition.skip, partition.records);
            exact.first_record = partition.first_record.or(first);
            exact
        };
        if self.is_compressed(file, cancel)? {
            // All of it belongs to the range of its first byte.
            return Ok(exact(u64::MAX, None));
        }
        let (offset, record) = self.row_from(file, partition.start, None, limits, cancel)?;
        Ok(exact(offset, record))
    }

    /// Returns the first row that begins at an offset or after it, and its number where it is known, of a file that is not
    /// compressed. `known` is a row before it, whose number may not be known.
    pub(super) fn row_from(
        &self,
        file: &Arc<str>,
        offset: u64,
        known: Option<(u64, Option<u64>)>,
        limits: &Limits,
        cancel: &Cancel,
    ) -> Result<(u64, Option<u64>)> {
        let rows = match self.known_rows(file) {
            // Nothing else can say it.
            None if self.syntax.quotes.is_some() && known.is_none() => Some(self.rows(file, limits, cancel)?),
            rows => rows,
        };
        if let Some(rows) = rows {
            let before = rows.before_offset(offset);
            let Some(before) = before else {
                // Nothing is before the first record.
                let first = rows.marks().first().copied();
                return Ok(first.map_or((u64::MAX, None), |(offset, record)| (offset, Some(record))));
            };
            let mut reader = self.reader_at(file, before, u64::MAX, u64::MAX, limits, cancel)?;
            reader.pass_over(u64::MAX, |begins| begins < offset)?;
            return Ok((reader.begins(), Some(reader.record())));
        }
        if let (Some(_), Some((before, record))) = (self.syntax.quotes, known) {
            let at = (before, record.unwrap_or_default());
            let mut reader = self.reader_at(file, at, u64::MAX, u64::MAX, limits, cancel)?;
            reader.pass_over(u64::MAX, |begins| begins < offset)?;
            return Ok((reader.begins(), record.map(|_| reader.record())));
        }
        let header_end = self.header_end(file, limits, cancel)?;
        if offset <= header_end {
            return Ok((header_end, Some(0)));
        }
        // What begins before the offset ends with the next line feed.
        let input = self.files.open_with(&Partition::range(Arc::clone(file), offset - 1, offset), cancel)?;
        let (file, text) = (Arc::clone(file), Text::plain(input));
        let part = Part { file, text, offset: offset - 1, record: 0, end: u64::MAX, records: 1 };
        let lines = Syntax { quotes: None, blank: Blank::None, header: None };
        let mut reader = RowReader::new(part, &lines, limits, cancel);
        reader.pass_over(1, |_| true)?;
        Ok((reader.offset(), None))
    }

    /// Returns a reader of an exact partition.
    pub(super) fn open(
        &self,
        partition: &Partition,
        records: u64,
        limits: &Limits,
        cancel: &Cancel,
    ) -> Result<RowReader> {
        let Partition { file, start, end, first_record, .. } = partition;
        self.reader_at(file, (*start, first_record.unwrap_or_default()), *end, records, limits, cancel)
    }
}
