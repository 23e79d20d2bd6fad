//! Number of rows that are decoded at once.

/// Bytes of decoded rows.
const BYTES: u64 = 2 << 20;
/// Batches whose rows are decoded at once, at most.
const BATCHES: u64 = 64;

/// Rows that are decoded at once: several batches, which are slices of them.
///
/// Batches do not end where row groups do. One that begins in one unit and ends in the next is joined by copying, which is done the less
/// the larger units are; small batches also cost less as slices than decoded one by one. The size of rows is known once some were decoded:
/// encoded ones may expand to many times their bytes.
#[derive(Debug)]
pub(super) struct Unit {
    batch_rows: usize,
    rows: u64,
    bytes: u64,
}

impl Unit {
    pub(super) fn new(batch_rows: usize) -> Self {
        Self { batch_rows, rows: 0, bytes: 0 }
    }

    /// Adds rows that were decoded.
    pub(super) fn add(&mut self, rows: usize, bytes: usize) {
        self.rows = self.rows.saturating_add(rows as u64);
        self.bytes = self.bytes.saturating_add(bytes as u64);
    }

    /// Returns the rows of the next unit: whole batches, one before any rows were decoded.
    pub(super) fn rows(&self) -> usize {
        let per_batch = u128::from(self.bytes) * self.batch_rows as u128;
        let batches = (u128::from(BYTES) * u128::from(self.rows)).checked_div(per_batch).unwrap_or(1);
        let batches = usize::try_from(batches.clamp(1, u128::from(BATCHES))).unwrap_or(1);
        self.batch_rows.saturating_mul(batches)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_whole_batches() {
        for (batch_rows, decoded, rows) in [
            (1000, &[][..], 1000),
            (1000, &[(0, 0)], 1000),
            (1000, &[(1000, 100_000)], 20_000),
            (1000, &[(1000, 100_000), (1000, 300_000)], 10_000),
            (1, &[(10, 1)], 64),
            (1000, &[(1000, 0)], 1000),
            (1000, &[(1, 3 << 20)], 1000),
            (usize::MAX, &[(1, 1)], usize::MAX),
            (1000, &[(usize::MAX, usize::MAX), (1, 1)], 64_000),
        ] {
            let mut unit = Unit::new(batch_rows);
            decoded.iter().for_each(|(rows, bytes)| unit.add(*rows, *bytes));
            assert_eq!(unit.rows(), rows, "batches of {batch_rows} after {decoded:?}");
        }
    }
}
