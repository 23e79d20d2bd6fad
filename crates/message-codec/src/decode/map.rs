//! Entries of maps: of several with one key in a row, the last one counts.

use std::collections::HashMap;
use std::hash::Hash;

use arrow_array::UInt64Array;
use arrow_buffer::Buffer;

use super::slot::Slot;
use crate::plan::Store;

/// Maximum number of entries whose keys are compared pairwise.
const FEW: usize = 8;

/// Entries that remain after removing duplicate keys.
pub(super) struct Kept {
    /// Offsets of the rows.
    pub(super) ends: Buffer,
    /// Numbers of the entries.
    pub(super) entries: UInt64Array,
}

/// Returns the entries that remain; `None` if these are all.
pub(super) fn kept(keys: &Slot, store: Store, ends: &[i64]) -> Option<Kept> {
    match store {
        Store::Bool => kept_of(ends, |at| keys.bools.values().get(at).copied()),
        Store::Bits32 => kept_of(ends, |at| keys.bits32.values().get(at).copied()),
        Store::Bits64 => kept_of(ends, |at| keys.bits64.values().get(at).copied()),
        Store::Bytes => kept_of(ends, |at| {
            let ends = keys.byte_ends.values();
            let (start, end) =
                (usize::try_from(*ends.get(at)?).ok()?, usize::try_from(*ends.get(at + 1)?).ok()?);
            keys.bytes.values().get(start..end)
        }),
        Store::Rows(_) => None,
    }
}

fn kept_of<K: Eq + Hash + Copy>(ends: &[i64], key: impl Fn(usize) -> K) -> Option<Kept> {
    let rows = ends.windows(2).map(|row| match *row {
        [start, end] => (usize::try_from(start).unwrap_or(0), usize::try_from(end).unwrap_or(0)),
        _ => (0, 0),
    });
    if !rows.clone().any(|(start, end)| has_repeated(start, end, &key)) {
        return None;
    }
    let mut entries = Vec::new();
    let mut new_ends = vec![0i64];
    for (start, end) in rows {
        if end - start <= FEW {
            let is_last = |at: &usize| (at + 1..end).all(|after| key(after) != key(*at));
            entries.extend((start..end).filter(is_last).map(|at| at as u64));
        } else {
            let last: HashMap<K, usize> = (start..end).map(|at| (key(at), at)).collect();
            let is_last = |at: &usize| last.get(&key(*at)) == Some(at);
            entries.extend((start..end).filter(is_last).map(|at| at as u64));
        }
        new_ends.push(entries.len() as i64);
    }
    Some(Kept { ends: Buffer::from_slice_ref(&new_ends), entries: entries.into() })
}

fn has_repeated<K: Eq + Hash>(start: usize, end: usize, key: &impl Fn(usize) -> K) -> bool {
    if end - start <= FEW {
        return (start..end).any(|at| (start..at).any(|before| key(before) == key(at)));
    }
    let mut seen = std::collections::HashSet::with_capacity(end - start);
    (start..end).any(|at| !seen.insert(key(at)))
}
