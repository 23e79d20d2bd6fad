//! Fields by their numbers.

/// Numbers of fields up to which they are found by an index; four more for each field.
const DENSE: u32 = 256;
/// The index of a number that no field has.
const NO_FIELD: u32 = u32::MAX;
/// Entries of a table that are looked at for a number.
const PROBES: usize = 8;
/// Entries that a table may have for each field.
const MOST_ENTRIES: usize = 64;

/// Indices of fields by number.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    /// The index of each number, where these are small.
    dense: Vec<u32>,
    /// Numbers and indices, each at most `PROBES` entries after the one that its hash names; 0 is not a number. Empty
    /// where the numbers are dense, or collide: these are searched for among the sorted ones.
    table: Vec<(u32, u32)>,
    /// Bits of the hash that are left out.
    shift: u32,
    sorted: Vec<u32>,
}

impl Numbers {
    /// Returns the indices of sorted numbers.
    pub(super) fn new(sorted: Vec<u32>) -> Self {
        let most = DENSE.saturating_add(u32::try_from(sorted.len()).unwrap_or(u32::MAX).saturating_mul(4));
        if sorted.last().is_none_or(|last| *last < most) {
            let mut dense = Vec::new();
            for (index, &number) in (0..).zip(&sorted) {
                dense.resize(number as usize, NO_FIELD);
                dense.push(index);
            }
            return Self { dense, sorted, ..Self::default() };
        }
        let mut entries = (2 * sorted.len()).next_power_of_two();
        while entries <= MOST_ENTRIES * sorted.len() {
            let shift = 32 - entries.trailing_zeros();
            if let Some(table) = table(&sorted, entries, shift) {
                return Self { table, shift, sorted, ..Self::default() };
            }
            entries *= 2;
        }
        Self { sorted, ..Self::default() }
    }

    /// Returns the index of a number.
    #[inline(always)]
    pub(crate) fn find(&self, number: u32) -> Option<usize> {
        if let Some(&index) = self.dense.get(number as usize) {
            return if index == NO_FIELD { None } else { Some(index as usize) };
        }
        if self.dense.is_empty() { self.find_sparse(number) } else { None }
    }

    #[inline(always)]
    fn find_sparse(&self, number: u32) -> Option<usize> {
        if self.table.is_empty() {
            return self.sorted.binary_search(&number).ok();
        }
        for at in probes(number, self.table.len(), self.shift) {
            match self.table.get(at) {
                Some((found, index)) if *found == number => return Some(*index as usize),
                Some((0, _)) | None => return None,
                Some(_) => {}
            }
        }
        None
    }
}

/// Returns a table, if each number is near the entry of its hash.
fn table(sorted: &[u32], entries: usize, shift: u32) -> Option<Vec<(u32, u32)>> {
    let mut table = vec![(0, 0); entries];
    for (index, &number) in (0..).zip(sorted) {
        let at =
            probes(number, entries, shift).find(|&at| table.get(at).is_some_and(|(found, _)| *found == 0))?;
        *table.get_mut(at)? = (number, index);
    }
    Some(table)
}

/// Returns the entries, of a power of two, in which a number may be.
#[inline(always)]
fn probes(number: u32, entries: usize, shift: u32) -> impl Iterator<Item = usize> {
    // The golden ratio spreads numbers that follow each other.
    let first = (number.wrapping_mul(0x9e37_79b9) >> shift) as usize;
    (0..PROBES).map(move |more| (first + more) & (entries - 1))
}

#[cfg(test)]
mod tests {
    use super::{MOST_ENTRIES, Numbers};

    #[test]
    fn every_number_is_found_and_no_other() {
        let inverse = 0x144c_bc89_u32; // Of the factor of the hash: these numbers all have the same one.
        let mut colliding = (1..40).map(|hash: u32| hash.wrapping_mul(inverse)).collect::<Vec<_>>();
        colliding.sort_unstable();
        for sorted in [
            vec![],
            vec![1],
            vec![1, 3, 255],
            vec![536_870_911],
            (0..120).map(|at| 1000 + 37 * at).collect::<Vec<_>>(),
            (0..5000).map(|at| 1 + 65_536 * at).collect(),
            colliding,
        ] {
            let numbers = Numbers::new(sorted.clone());
            assert!(numbers.table.len() <= MOST_ENTRIES * sorted.len().max(1));
            for (index, number) in sorted.iter().enumerate() {
                assert_eq!(numbers.find(*number), Some(index), "{number} of {sorted:?}");
            }
            for number in (1..2000).chain([536_870_910, u32::MAX]) {
                assert_eq!(numbers.find(number), sorted.binary_search(&number).ok(), "{number}");
            }
        }
    }
}
