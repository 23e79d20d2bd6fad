//! Some records of a file.

/// Some records of a file, in memory that is used again.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    bytes: Vec<u8>,
    /// Offset of each in the uncompressed file, and where it ends in `bytes`.
    rows: Vec<(u64, usize)>,
    /// Number of the first.
    first: u64,
}

impl Chunk {
    pub(super) fn clear(&mut self, first: u64) {
        self.bytes.clear();
        self.rows.clear();
        self.first = first;
    }

    /// Appends a record.
    pub(super) fn push(&mut self, offset: u64, row: &[u8]) {
        self.bytes.extend_from_slice(row);
        self.rows.push((offset, self.bytes.len()));
    }

    /// Takes over a buffer whose bytes are a record, as the only one. Leaves memory that may be used again.
    pub(super) fn take(&mut self, offset: u64, buffer: &mut Vec<u8>) {
        self.rows.clear();
        std::mem::swap(&mut self.bytes, buffer);
        self.rows.push((offset, self.bytes.len()));
        buffer.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Returns the records: offset, number and bytes of each.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, u64, &[u8])> {
        let mut start = 0;
        self.rows.iter().enumerate().map(move |(index, (offset, end))| {
            let row = self.bytes.get(start..*end).unwrap_or_default();
            start = *end;
            (*offset, self.first.saturating_add(index as u64), row)
        })
    }
}
