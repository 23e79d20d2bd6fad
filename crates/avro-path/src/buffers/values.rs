//! Growing Arrow buffers that are used again when nobody holds the batch that they were part of.

use arrow_buffer::{ArrowNativeType, Buffer, MutableBuffer, ToByteSlice};

use crate::datum::At;

/// Number of handed-out buffers that are remembered, however large they are.
const REMEMBERED: usize = 4;
/// Bytes of handed-out buffers that are remembered. Several threads have many small batches on their way to a consumer; a
/// buffer that is forgotten before it comes back is freed by the consumer's thread and has to be allocated, cleared and
/// brought into the cache anew.
const REMEMBERED_BYTES: usize = 1 << 20;

/// Bytes of numbers that are copied as one chunk, of which some may not count.
const SHORT: usize = 32;

/// Plain values, 64-byte aligned.
///
/// The buffer is longer than what is in it: a value is written into bytes that are there already, for which one
/// comparison is enough.
#[derive(Debug, Default)]
pub(crate) struct Values {
    buffer: MutableBuffer,
    /// Bytes that are in use.
    len: usize,
    /// Buffers that were handed out, the oldest first.
    lent: Vec<Buffer>,
    /// Bytes of `lent`.
    lent_bytes: usize,
}

impl Values {
    #[inline(always)]
    pub(crate) fn push<T: ToByteSlice>(&mut self, value: T) {
        self.extend_within::<T>(value.to_byte_slice(), size_of::<T>());
    }

    /// Appends the first `length` bytes of a chunk of 16, without a call for an unknown number of bytes.
    #[inline(always)]
    pub(crate) fn extend_short(&mut self, chunk: &[u8; 16], length: usize) {
        self.extend_within::<[u8; 16]>(chunk, length);
    }

    /// Writes bytes of a type's size, of which `length` count.
    #[inline(always)]
    fn extend_within<T>(&mut self, bytes: &[u8], length: usize) {
        let size = size_of::<T>();
        match self.buffer.as_slice_mut().get_mut(self.len..self.len + size) {
            Some(free) => free.copy_from_slice(bytes),
            None => self.extend_grown(bytes),
        }
        self.len += length;
    }

    /// Writes bytes after making room for them.
    #[cold]
    #[inline(never)]
    fn extend_grown(&mut self, bytes: &[u8]) {
        self.make_room(bytes.len());
        if let Some(free) =
            self.buffer.as_slice_mut().get_mut(self.len..).and_then(|free| free.get_mut(..bytes.len()))
        {
            free.copy_from_slice(bytes);
        }
    }

    /// Makes room for `bytes` more bytes, and for as many as there are already.
    #[cold]
    fn make_room(&mut self, bytes: usize) {
        let wanted = (self.len + bytes).max(2 * self.len).max(64);
        self.buffer.resize(wanted, 0);
        // What the allocator gave beyond is of use, too.
        self.buffer.resize(self.buffer.capacity(), 0);
    }

    #[inline]
    pub(crate) fn extend(&mut self, bytes: &[u8]) {
        match self.buffer.as_slice_mut().get_mut(self.len..).and_then(|free| free.get_mut(..bytes.len())) {
            Some(free) => free.copy_from_slice(bytes),
            None => self.extend_grown(bytes),
        }
        self.len += bytes.len();
    }

    /// Returns the room that there is after the values.
    #[inline(always)]
    pub(crate) fn free(&mut self) -> &mut [u8] {
        self.buffer.as_slice_mut().get_mut(self.len..).unwrap_or_default()
    }

    /// Appends the first bytes of [`free`](Self::free), as they are there.
    #[inline(always)]
    pub(crate) fn use_free(&mut self, bytes: usize) {
        self.len = self.buffer.len().min(self.len + bytes);
    }

    /// Appends consecutive varints: up to `count`, as long as there is room for them and they take the fast path.
    /// Returns their number, and the end of the last one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn push_longs(&mut self, count: u64, bytes: At<'_>, at: usize) -> (u64, usize) {
        self.push_varints(count, at, |at| bytes.plain_long(at))
    }

    /// As [`push_longs`](Self::push_longs), of 32 bits each.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn push_ints(&mut self, count: u64, bytes: At<'_>, at: usize) -> (u64, usize) {
        self.push_varints(count, at, |at| {
            let (value, end) = bytes.plain_long(at)?;
            Some((i32::try_from(value).ok()?, end))
        })
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn push_varints<T: ToByteSlice>(
        &mut self,
        count: u64,
        mut at: usize,
        read: impl Fn(usize) -> Option<(T, usize)>,
    ) -> (u64, usize) {
        let wanted = usize::try_from(count).unwrap_or(usize::MAX);
        let mut appended = 0;
        for entry in self.free().chunks_exact_mut(size_of::<T>()).take(wanted) {
            let Some((value, end)) = read(at) else { break };
            entry.copy_from_slice(value.to_byte_slice());
            at = end;
            appended += 1;
        }
        self.use_free(appended * size_of::<T>());
        (appended as u64, at)
    }

    /// Appends `count` consecutive numbers of `N` bytes each, or none if their bytes are not as in memory. Returns
    /// their number, and the end of the last one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn push_fixed<const N: usize>(
        &mut self,
        count: u64,
        bytes: At<'_>,
        at: usize,
    ) -> (u64, usize) {
        let size = usize::try_from(count).ok().and_then(|count| count.checked_mul(N));
        let rest = bytes.0.get(at..).unwrap_or_default();
        let Some(found) = size.and_then(|size| rest.get(..size)) else { return (0, at) };
        if cfg!(target_endian = "big") {
            return (0, at);
        }
        match (rest.first_chunk::<SHORT>(), self.free().first_chunk_mut::<SHORT>()) {
            // Without a call for an unknown number of bytes.
            (Some(chunk), Some(room)) if found.len() <= SHORT => {
                *room = *chunk;
                self.use_free(found.len());
            }
            _ => self.extend(found),
        }
        (count, at + found.len())
    }

    #[inline]
    pub(crate) fn extend_zeros(&mut self, bytes: usize) {
        if self.buffer.len() - self.len < bytes {
            self.make_room(bytes);
        }
        if let Some(free) = self.buffer.as_slice_mut().get_mut(self.len..self.len + bytes) {
            free.fill(0);
        }
        self.len += bytes;
    }

    #[inline]
    pub(crate) fn bytes(&self) -> usize {
        self.len
    }

    #[inline]
    pub(crate) fn truncate(&mut self, bytes: usize) {
        self.len = self.len.min(bytes);
    }

    #[inline]
    pub(crate) fn typed<T: ArrowNativeType>(&self) -> &[T] {
        self.buffer.typed_data().get(..self.len / size_of::<T>()).unwrap_or_default()
    }

    /// Takes a handed-out buffer that there is.
    fn forget(&mut self, at: usize) -> Buffer {
        let buffer = self.lent.remove(at);
        self.lent_bytes -= buffer.len();
        buffer
    }

    /// Returns the buffer so far; the next batch begins empty, in memory of an earlier one if possible.
    pub(crate) fn finish(&mut self) -> Buffer {
        let used = std::mem::take(&mut self.len);
        let whole = Buffer::from(std::mem::take(&mut self.buffer));
        let finished = whole.slice_with_length(0, used);
        // The one that came back last is the most likely to be in the cache.
        if let Some(free) = self.lent.iter().rposition(|lent| lent.strong_count() == 1)
            && let Ok(again) = self.forget(free).into_mutable()
        {
            self.buffer = again;
        }
        if used > 0 {
            self.lent_bytes += whole.len();
            self.lent.push(whole);
            while self.lent.len() > REMEMBERED && self.lent_bytes > REMEMBERED_BYTES {
                self.forget(0);
            }
        }
        if self.buffer.len() < used {
            self.buffer = MutableBuffer::from_len_zeroed((used + used / 8).next_multiple_of(64));
        }
        finished
    }
}

#[cfg(test)]
mod tests {
    use super::{REMEMBERED_BYTES, Values};

    #[test]
    fn memory_comes_back_however_many_small_batches_were_held() {
        let mut values = Values::default();
        let mut batch = |length: usize| {
            values.extend(&vec![1; length]);
            values.finish()
        };
        let held: Vec<_> = (0..20).map(|_| batch(1000)).collect();
        let known: Vec<_> = held.iter().map(|buffer| buffer.as_ptr()).collect();
        drop(held);
        // The memory of the first is that of none before.
        batch(1000);
        let held: Vec<_> = (0..20).map(|_| batch(1000)).collect();
        let again = held.iter().filter(|buffer| known.contains(&buffer.as_ptr())).count();
        assert_eq!(again, 19);
        // Of large ones a few are remembered.
        let held: Vec<_> = (0..20).map(|_| batch(REMEMBERED_BYTES)).collect();
        drop(held);
        batch(1);
        assert!(values.lent.len() <= 4 && values.lent_bytes <= 5 * REMEMBERED_BYTES, "{}", values.lent.len());
    }
}
