//! Growing buffers that become Arrow buffers without a copy and come back when nobody holds them.
//!
//! Fresh memory costs more than decoding (its first touch runs at about a fifth of the speed of a
//! copy), so the blocks of a batch that the consumer has dropped are used again for the next one.

use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use arrow_buffer::Buffer;
use bytemuck::{Pod, Zeroable};
use bytes::Bytes;

/// The unit of allocation: what Arrow recommends buffers to be aligned to.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Block([u8; 64]);

/// Blocks that nobody uses, the latest last.
type Home = Arc<Mutex<Vec<Vec<Block>>>>;

/// Blocks that an Arrow buffer looks at. They come home when its last holder drops it, however many batches are held
/// meanwhile.
struct Loan {
    blocks: Vec<Block>,
    home: Weak<Mutex<Vec<Vec<Block>>>>,
}

impl AsRef<[u8]> for Loan {
    fn as_ref(&self) -> &[u8] {
        bytemuck::cast_slice(&self.blocks)
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        let Some(home) = self.home.upgrade() else { return };
        let blocks = std::mem::take(&mut self.blocks);
        let mut unused = home.lock().unwrap_or_else(PoisonError::into_inner);
        // Dropped after the lock.
        let _oldest = (unused.len() >= KEPT).then(|| unused.remove(0));
        unused.push(blocks);
        drop(unused);
    }
}

/// Maximum number of unused buffers that are kept.
const KEPT: usize = 4;

/// A growing buffer of plain values, 64-byte aligned.
pub(crate) struct Buf<T> {
    blocks: Vec<Block>,
    len: usize,
    past: Box<Past>,
    values: PhantomData<T>,
}

/// Memory of earlier batches.
#[derive(Default)]
struct Past {
    home: Home,
    /// Blocks to begin the next batch with.
    expected: usize,
}

impl<T> Default for Buf<T> {
    fn default() -> Self {
        Self { blocks: Vec::new(), len: 0, past: Box::default(), values: PhantomData }
    }
}

impl<T: Pod> Buf<T> {
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    fn all_mut(&mut self) -> &mut [T] {
        bytemuck::cast_slice_mut(&mut self.blocks)
    }

    pub(crate) fn values(&self) -> &[T] {
        let all = bytemuck::cast_slice::<Block, T>(&self.blocks);
        all.get(..self.len).unwrap_or_default()
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, value: T) {
        let len = self.len;
        if len >= self.blocks.len() * (64 / size_of::<T>()) {
            self.grow(1);
        }
        if let Some(slot) = self.all_mut().get_mut(len) {
            *slot = value;
            self.len = len + 1;
        }
    }

    /// Adds the first `count` of these values; the others may be written too, after the end.
    #[inline(always)]
    pub(crate) fn push_some<const N: usize>(&mut self, values: &[T; N], count: usize) {
        let len = self.len;
        if let Some(to) = self.all_mut().get_mut(len..len + N).and_then(|to| to.first_chunk_mut()) {
            *to = *values;
            self.len = len + count.min(N);
        } else {
            self.extend_from_slice(values.get(..count).unwrap_or(values));
        }
    }

    /// Returns room for `count` more values, and up to `slack` beyond that may be overwritten. What is written there counts
    /// after [`advance`](Self::advance).
    #[inline(always)]
    pub(crate) fn spare(&mut self, count: usize) -> &mut [T] {
        let len = self.len;
        if self.blocks.len() * (64 / size_of::<T>()) - len < count {
            self.grow(count);
        }
        self.all_mut().get_mut(len..).unwrap_or_default()
    }

    /// Counts `count` values that have been written to [`spare`](Self::spare).
    #[inline(always)]
    pub(crate) fn advance(&mut self, count: usize) {
        let room = self.blocks.len() * (64 / size_of::<T>()) - self.len;
        self.len += count.min(room);
    }

    pub(crate) fn extend_from_slice(&mut self, values: &[T]) {
        if let Some(to) = self.spare(values.len()).get_mut(..values.len()) {
            to.copy_from_slice(values);
        }
        self.advance(values.len());
    }

    pub(crate) fn push_n(&mut self, value: T, count: usize) {
        if let Some(to) = self.spare(count).get_mut(..count) {
            to.fill(value);
        }
        self.advance(count);
    }

    #[inline]
    pub(crate) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, more: usize) {
        let needed = (self.len.saturating_add(more)).saturating_mul(size_of::<T>()).div_ceil(64);
        if self.blocks.is_empty() {
            self.reclaim();
            if self.blocks.len() >= needed {
                return;
            }
        }
        let target = needed.max(self.past.expected).max(self.blocks.len().saturating_mul(2)).max(1);
        let mut larger = bytemuck::zeroed_vec::<Block>(target);
        if let Some(front) = larger.get_mut(..self.blocks.len()) {
            front.copy_from_slice(&self.blocks);
        }
        self.blocks = larger;
    }

    /// Takes the largest buffer that nobody uses.
    fn reclaim(&mut self) {
        let mut unused = self.past.home.lock().unwrap_or_else(PoisonError::into_inner);
        let largest = (0..unused.len()).max_by_key(|&index| unused.get(index).map_or(0, Vec::len));
        if let Some(index) = largest {
            self.blocks = unused.swap_remove(index);
        }
    }

    /// Returns the bytes so far as an Arrow buffer; the next batch starts empty.
    pub(crate) fn finish(&mut self) -> Buffer {
        let bytes = self.len * size_of::<T>();
        self.len = 0;
        if bytes == 0 {
            return Buffer::from(Bytes::from_owner(Loan { blocks: Vec::new(), home: Weak::new() }));
        }
        let used = bytes.div_ceil(64);
        self.past.expected = used + used / 8 + 1;
        let blocks = std::mem::take(&mut self.blocks);
        let loan = Loan { blocks, home: Arc::downgrade(&self.past.home) };
        Buffer::from(Bytes::from_owner(loan)).slice_with_length(0, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::Buf;

    #[test]
    fn a_dropped_buffer_comes_back_and_a_held_one_does_not() {
        let mut buf = Buf::<i64>::default();
        buf.extend_from_slice(&[1; 100]);
        let first = buf.finish();
        let first_at = first.as_ptr();
        assert_eq!(first.len(), 800);
        assert_eq!(first_at.align_offset(64), 0);

        buf.extend_from_slice(&[2; 100]);
        let second = buf.finish();
        assert_ne!(second.as_ptr(), first_at, "the first batch is still held");
        assert_eq!(first.typed_data::<i64>(), &[1; 100]);

        drop(first);
        buf.push(3);
        assert_eq!(buf.finish().as_ptr(), first_at);
        assert_eq!(second.typed_data::<i64>(), &[2; 100]);
    }

    #[test]
    fn an_empty_buffer_is_aligned_too() {
        let empty = Buf::<i64>::default().finish();
        assert_eq!((empty.len(), empty.as_ptr().align_offset(64)), (0, 0));
    }

    #[test]
    fn growth_keeps_what_is_there() {
        let mut buf = Buf::<u8>::default();
        for value in 0..1000 {
            buf.push(value as u8);
        }
        buf.truncate(999);
        buf.push_n(7, 2);
        assert_eq!(buf.len(), 1001);
        assert!(buf.values().iter().take(999).enumerate().all(|(index, &value)| value == index as u8));
        assert_eq!(buf.values()[999..], [7, 7]);
    }
}
