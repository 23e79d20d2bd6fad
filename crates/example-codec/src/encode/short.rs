//! Heads of short runs, with which most rows of one value begin.
//!
//! A run is short if all lengths in front of it, its own included, have one byte. Each of these is a constant
//! and the length of the run. So such a head is one block of bytes to which one number is added here and there.

use super::back::Back;
use super::block::Buffers;
use super::row_set::RowSet;

/// The head of a short run, right-aligned in a block of `N` bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShortHead<const N: usize> {
    /// The head of a run of no bytes.
    block: [u8; N],
    /// All bits of the bytes that are lengths.
    lengths: [u8; N],
    /// Bytes of the head.
    length: usize,
    /// Runs of this number of bytes are not short.
    end: usize,
}

/// A value of one run as the last bytes of a block, and their number.
pub(super) type ShortValue<const V: usize> = ([u8; V], usize);

/// Room for the longest block and a value in front of it.
const ROOM: usize = 64 + 16;

impl<const N: usize> ShortHead<N> {
    /// Returns the head of one run of values of a feature. `key` is tag, length and bytes of the name, and the tag of the
    /// value.
    pub(super) fn of_run(key: &[u8], list_tag: u8) -> Option<Self> {
        let feature = [4, list_tag, 2, 0x0a, 0];
        let entry = u8::try_from(key.len() + feature.len()).ok().filter(|entry| *entry < 128)?;
        let head = [&[0x0a, entry], key, &feature].concat();
        let mut lengths = vec![0; head.len()];
        // Those of the entry, the feature, the list and the run.
        for at in [1, head.len() - 5, head.len() - 3, head.len() - 1] {
            *lengths.get_mut(at)? = u8::MAX;
        }
        let (block, lengths) = (right_aligned(&head)?, right_aligned(&lengths)?);
        Some(Self { block, lengths, length: head.len(), end: 128 - usize::from(entry) })
    }

    /// Returns a head that nothing follows.
    pub(super) fn of_nothing(head: &[u8]) -> Option<Self> {
        Some(Self { block: right_aligned(head)?, lengths: [0; N], length: head.len(), end: 1 })
    }

    /// Returns the same head in a block that is not longer.
    pub(super) fn shortened<const M: usize>(&self) -> Option<ShortHead<M>> {
        let (block, lengths) = (*self.block.last_chunk()?, *self.lengths.last_chunk()?);
        let Self { length, end, .. } = *self;
        (length <= M).then_some(ShortHead { block, lengths, length, end })
    }

    /// Runs of this number of bytes and of more are not short.
    #[inline(always)]
    pub(super) fn end(&self) -> usize {
        self.end
    }

    /// Returns the block in front of a short run.
    #[inline(always)]
    fn block(&self, run: usize) -> [u8; N] {
        let mut block = self.block;
        for (byte, length) in block.iter_mut().zip(&self.lengths) {
            *byte = byte.wrapping_add(run as u8 & length);
        }
        block
    }

    /// Puts the head of a short run in front of it. Needs `N` bytes.
    #[inline(always)]
    pub(super) fn put(&self, run: usize, out: &mut Back) {
        match self.shortened::<32>() {
            Some(head) => out.put_block(&head.block(run), head.length),
            None => out.put_block(&self.block(run), self.length),
        }
    }

    /// Puts the last bytes of `values`, one run, and its head in front. False, and nothing is put, if the run is
    /// not short or if there is not enough room.
    #[inline(always)]
    fn put_with<const V: usize>(&self, values: &[u8; V], run: usize, out: &mut Back) -> bool {
        const { assert!(N + V <= ROOM) };
        let Some(window) = out.window::<ROOM>() else { return false };
        if run >= self.end || run > V {
            return false;
        }
        // Where both begin lies in the window, which the compiler sees.
        window[ROOM - V..].copy_from_slice(values);
        let end = ROOM - run;
        window[end - N..end].copy_from_slice(&self.block(run));
        out.skip(run + self.length);
        true
    }

    /// Puts the head of no run in front of some rows' buffers. Returns the rows without room for it.
    pub(super) fn write_empty(&self, rows: RowSet, out: &mut Buffers) -> RowSet {
        self.write_each(rows, std::iter::repeat(()), |()| Some(([], 0)), out)
    }

    /// Puts the value of an item each and its head in front of some rows' buffers. Returns the rows whose item is not
    /// a short value, and those without room for it, which are left as they were.
    #[inline(always)]
    pub(super) fn write_each<T, const V: usize>(
        &self,
        rows: RowSet,
        items: impl IntoIterator<Item = T>,
        value: impl Fn(T) -> Option<ShortValue<V>>,
        out: &mut Buffers,
    ) -> RowSet {
        let mut rest = RowSet::EMPTY;
        for (row, item) in rows.zip(items) {
            let written = value(item).is_some_and(|(bytes, run)| self.put_with(&bytes, run, &mut out[row]));
            if !written {
                rest.insert(row);
            }
        }
        rest
    }
}

/// Bytes at the end of a block, if they fit in.
fn right_aligned<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
    let mut block = [0; N];
    block.get_mut(N.checked_sub(bytes.len())?..)?.copy_from_slice(bytes);
    Some(block)
}
