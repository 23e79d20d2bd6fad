//! Source records of the rows of a batch.

use std::sync::Arc;

use tfxio_base::Position;

/// Source record of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RowOrigin {
    /// Path or URL of the file.
    pub file: Arc<str>,
    /// Number of the record in its file, from 0; in a partition that does not know its first record, from the first of
    /// the partition.
    pub record: u64,
    /// Offset of the record in the uncompressed file, where it is known.
    pub byte: Option<u64>,
}

impl RowOrigin {
    /// Returns the position of the record.
    #[must_use]
    pub fn position(&self) -> Position {
        let mut position = Position::new().file(Arc::clone(&self.file)).record(self.record);
        position.byte = self.byte;
        position
    }
}

/// Consecutive records of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct OriginRun {
    /// Row of the batch that the first of them is.
    row: usize,
    file: Arc<str>,
    record: u64,
    rows: usize,
    /// Index in `bytes` of the first, if the bytes are known.
    byte: Option<usize>,
}

/// Source record of each row of a batch: runs of consecutive records, and the byte of each if it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origins {
    runs: Vec<OriginRun>,
    bytes: Arc<Vec<u64>>,
    rows: usize,
}

impl Origins {
    /// Appends the record of the next row.
    pub fn push(&mut self, file: Arc<str>, record: u64, byte: Option<u64>) {
        self.push_run(file, record, byte.as_slice(), 1);
    }

    /// Appends `rows` consecutive records, with a byte for each, or with none.
    pub fn push_run(&mut self, file: Arc<str>, record: u64, bytes: &[u64], rows: usize) {
        if rows == 0 {
            return;
        }
        let known = bytes.len() == rows;
        let at = self.bytes.len();
        if known {
            Arc::make_mut(&mut self.bytes).extend_from_slice(bytes);
        }
        let row = self.rows;
        self.rows = row.saturating_add(rows);
        if let Some(last) = self.runs.last_mut()
            && last.byte.is_some() == known
            && last.record.checked_add(last.rows as u64) == Some(record)
            && (Arc::ptr_eq(&last.file, &file) || last.file == file)
        {
            last.rows = last.rows.saturating_add(rows);
            return;
        }
        self.runs.push(OriginRun { row, file, record, rows, byte: known.then_some(at) });
    }

    /// Appends rows of which nothing is known.
    pub fn push_unknown(&mut self, rows: usize) {
        self.rows = self.rows.saturating_add(rows);
    }

    /// Appends the origins of other rows.
    pub fn append(&mut self, other: &Self) {
        let base = self.rows;
        for run in &other.runs {
            self.rows = base.saturating_add(run.row);
            let bytes = run.byte.and_then(|at| other.bytes.get(at..at.checked_add(run.rows)?));
            self.push_run(Arc::clone(&run.file), run.record, bytes.unwrap_or_default(), run.rows);
        }
        self.rows = base.saturating_add(other.rows);
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Returns whether there are zero rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Returns the source record of a row, if it is known.
    #[must_use]
    pub fn get(&self, row: usize) -> Option<RowOrigin> {
        let at = self.runs.partition_point(|run| run.row <= row).checked_sub(1)?;
        let run = self.runs.get(at)?;
        let offset = row - run.row;
        if offset >= run.rows {
            return None;
        }
        let byte = run.byte.and_then(|at| self.bytes.get(at.checked_add(offset)?).copied());
        Some(RowOrigin {
            file: Arc::clone(&run.file),
            record: run.record.saturating_add(offset as u64),
            byte,
        })
    }

    /// Returns the runs of consecutive records: their first row, and what that row was, and the number of rows.
    pub fn runs(&self) -> impl Iterator<Item = (usize, RowOrigin, usize)> + '_ {
        self.runs.iter().filter_map(|run| Some((run.row, self.get(run.row)?, run.rows)))
    }

    /// Returns the offsets of the records of each run of [`runs`](Self::runs), in the same order; none where they are not
    /// known.
    pub fn run_bytes(&self) -> impl Iterator<Item = &[u64]> + '_ {
        let bytes = |run: &OriginRun| self.bytes.get(run.byte?..run.byte?.checked_add(run.rows)?);
        self.runs.iter().map(move |run| bytes(run).unwrap_or_default())
    }

    /// Returns the origins of `len` rows from `offset` on.
    #[must_use]
    pub fn slice(&self, offset: usize, len: usize) -> Self {
        let offset = offset.min(self.rows);
        let len = len.min(self.rows - offset);
        let end = offset + len;
        let first = self.runs.partition_point(|run| run.row + run.rows <= offset);
        let within = self.runs.iter().skip(first).take_while(|run| run.row < end);
        let runs = within.map(|run| {
            let start = run.row.max(offset);
            let skipped = start - run.row;
            OriginRun {
                row: start - offset,
                file: Arc::clone(&run.file),
                record: run.record.saturating_add(skipped as u64),
                rows: (run.row + run.rows).min(end) - start,
                byte: run.byte.map(|at| at + skipped),
            }
        });
        Self { runs: runs.collect(), bytes: Arc::clone(&self.bytes), rows: len }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::Origins;

    fn origins() -> Origins {
        let (a, b): (Arc<str>, Arc<str>) = ("a".into(), "b".into());
        let mut origins = Origins::default();
        origins.push_run(Arc::clone(&a), 5, &[50, 60, 70], 3);
        origins.push(Arc::clone(&a), 8, Some(80));
        origins.push(a, 11, Some(110));
        origins.push_unknown(1);
        origins.push_run(b, 0, &[], 2);
        origins
    }

    fn text(origins: &Origins) -> Vec<String> {
        let text = |row| origins.get(row).map_or("-".to_owned(), |origin| origin.position().to_string());
        (0..origins.len()).map(text).collect()
    }

    #[test]
    fn every_row_has_its_record() {
        let expected = [
            "a, byte 50, record 5",
            "a, byte 60, record 6",
            "a, byte 70, record 7",
            "a, byte 80, record 8",
            "a, byte 110, record 11",
            "-",
            "b, record 0",
            "b, record 1",
        ];
        let origins = origins();
        assert_eq!(text(&origins), expected);
        assert_eq!(
            origins.runs().map(|(row, _, rows)| (row, rows)).collect::<Vec<_>>(),
            [(0, 4), (4, 1), (6, 2)]
        );
        let bytes: [&[u64]; 3] = [&[50, 60, 70, 80], &[110], &[]];
        assert!(origins.run_bytes().eq(bytes));
        for offset in 0..=expected.len() {
            for len in 0..=expected.len() - offset {
                assert_eq!(text(&origins.slice(offset, len)), expected[offset..offset + len]);
            }
        }
        assert_eq!(origins.slice(7, 9).len(), 1);
    }

    #[test]
    fn origins_are_appended() {
        let mut all = origins().slice(1, 3);
        all.append(&origins().slice(4, 4));
        all.append(&origins().slice(0, 1));
        assert_eq!(text(&all)[..3], text(&origins())[1..4]);
        assert_eq!(text(&all)[3..7], text(&origins())[4..]);
        assert_eq!(text(&all)[7], "a, byte 50, record 5");
    }
}
