//! Growing Arrow buffers that are used again when nobody holds the batch that they were part of.

use std::marker::PhantomData;

use arrow_buffer::{ArrowNativeType, Buffer, MutableBuffer, ToByteSlice};

/// Bytes by which a buffer grows at least.
const BLOCK: usize = 64;

/// Plain values, 64-byte aligned.
#[derive(Debug)]
pub(crate) struct Buf<T> {
    /// The values, and room after them: writing to bytes that are there needs no call, unlike appending to a buffer.
    buffer: MutableBuffer,
    /// Bytes of the values.
    len: usize,
    /// Buffer that was handed out last.
    lent: Option<Buffer>,
    values: PhantomData<T>,
}

impl<T> Default for Buf<T> {
    fn default() -> Self {
        Self { buffer: MutableBuffer::default(), len: 0, lent: None, values: PhantomData }
    }
}

impl<T: ArrowNativeType + ToByteSlice> Buf<T> {
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len / size_of::<T>()
    }

    #[inline]
    pub(crate) fn values(&self) -> &[T] {
        self.buffer.typed_data().get(..self.len()).unwrap_or_default()
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, value: T) {
        self.extend_bytes(value.to_byte_slice());
    }

    #[inline]
    pub(crate) fn extend(&mut self, values: &[T]) {
        self.extend_bytes(values.to_byte_slice());
    }

    /// Appends values whose bytes are in the order of memory.
    #[inline(always)]
    pub(crate) fn extend_bytes(&mut self, bytes: &[u8]) {
        let (start, end) = (self.len, self.len + bytes.len());
        if end > self.buffer.len() {
            self.grow(end);
        }
        if let Some(room) = self.buffer.as_slice_mut().get_mut(start..end) {
            room.copy_from_slice(bytes);
            self.len = end;
        }
    }

    /// Appends what `convert` makes of values.
    #[inline(always)]
    pub(crate) fn extend_with<V: Copy>(&mut self, values: &[V], convert: impl Fn(V) -> T) {
        for (to, value) in self.room(values.len()).iter_mut().zip(values) {
            *to = convert(*value);
        }
        self.len += values.len() * size_of::<T>();
    }

    /// Appends a value several times.
    pub(crate) fn push_n(&mut self, value: T, count: usize) {
        self.room(count).fill(value);
        self.len += count * size_of::<T>();
    }

    /// Returns the room of the next `count` values.
    #[inline(always)]
    fn room(&mut self, count: usize) -> &mut [T] {
        let start = self.len();
        let end = start + count;
        if end * size_of::<T>() > self.buffer.len() {
            self.grow(end * size_of::<T>());
        }
        self.buffer.typed_data_mut().get_mut(start..end).unwrap_or_default()
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, bytes: usize) {
        let room = bytes.max(2 * self.buffer.len()).next_multiple_of(BLOCK);
        self.buffer.resize(room, 0);
    }

    /// Replaces the last value.
    #[inline(always)]
    pub(crate) fn set_last(&mut self, value: T) {
        let end = self.len;
        if let Some(start) = end.checked_sub(size_of::<T>()) {
            self.len = start;
            self.push(value);
        }
    }

    #[inline]
    pub(crate) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len.saturating_mul(size_of::<T>()));
    }

    /// Hands out the values; the next batch begins with the memory of the last one, or with as much.
    pub(crate) fn finish(&mut self) -> Buffer {
        let len = std::mem::take(&mut self.len);
        let next = match self.lent.take().map(Buffer::into_mutable) {
            Some(Ok(mut unused)) => {
                unused.resize(unused.capacity() / BLOCK * BLOCK, 0);
                unused
            }
            _ => MutableBuffer::from_len_zeroed(len.next_multiple_of(BLOCK)),
        };
        let mut buffer = std::mem::replace(&mut self.buffer, next);
        buffer.truncate(len);
        let buffer: Buffer = buffer.into();
        self.lent = Some(buffer.clone());
        buffer
    }
}

impl Buf<i64> {
    /// Returns the last value.
    #[inline(always)]
    pub(crate) fn last(&self) -> Option<i64> {
        let start = self.len.checked_sub(size_of::<i64>())?;
        self.buffer.as_slice().get(start..)?.first_chunk().map(|bytes| i64::from_ne_bytes(*bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::Buf;

    #[test]
    fn memory_comes_back_when_nobody_holds_it() {
        let mut buf = Buf::<u64>::default();
        buf.extend(&[1; 100]);
        let first = buf.finish();
        let at = first.as_ptr();
        assert_eq!(at.align_offset(64), 0);
        buf.extend(&[2; 100]);
        let second = buf.finish();
        assert_ne!(second.as_ptr(), at, "the first batch is still held");
        assert_eq!(first.typed_data::<u64>(), &[1; 100]);
        drop(second);
        buf.push_n(3, 2);
        buf.set_last(4);
        buf.finish();
        buf.push(5);
        assert_eq!(buf.values(), [5]);
    }
}
