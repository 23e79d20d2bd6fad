//! Growing Arrow buffers that are used again when nobody holds the batch that they were part of.

use std::marker::PhantomData;

use arrow_buffer::{ArrowNativeType, Buffer, MutableBuffer, ToByteSlice};

/// Plain values, 64-byte aligned.
#[derive(Debug)]
pub(crate) struct Buf<T> {
    buffer: MutableBuffer,
    /// What was handed out last.
    lent: Option<Buffer>,
    values: PhantomData<T>,
}

impl<T> Default for Buf<T> {
    fn default() -> Self {
        Self { buffer: MutableBuffer::default(), lent: None, values: PhantomData }
    }
}

impl<T: ArrowNativeType + ToByteSlice> Buf<T> {
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.buffer.len() / size_of::<T>()
    }

    #[inline(always)]
    pub(crate) fn values(&self) -> &[T] {
        self.buffer.typed_data()
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, value: T) {
        self.buffer.push(value);
    }

    #[inline]
    pub(crate) fn extend(&mut self, values: &[T]) {
        self.buffer.extend_from_slice(values);
    }

    /// Appends values that stand in bytes as they do in memory.
    #[inline]
    pub(crate) fn extend_bytes(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// Appends a value several times.
    pub(crate) fn push_n(&mut self, value: T, count: usize) {
        self.buffer.reserve(count * size_of::<T>());
        (0..count).for_each(|_| self.buffer.push(value));
    }

    /// Replaces the last value.
    #[inline(always)]
    pub(crate) fn set_last(&mut self, value: T) {
        if let Some(last) = self.buffer.typed_data_mut::<T>().last_mut() {
            *last = value;
        }
    }

    #[inline]
    pub(crate) fn truncate(&mut self, len: usize) {
        self.buffer.truncate(len.saturating_mul(size_of::<T>()));
    }

    /// Hands out the values; the next batch begins with the memory of the last one, or with as much.
    pub(crate) fn finish(&mut self) -> Buffer {
        let bytes = self.buffer.len();
        let next = match self.lent.take().map(Buffer::into_mutable) {
            Some(Ok(mut unused)) => {
                unused.clear();
                unused
            }
            _ => MutableBuffer::with_capacity(bytes),
        };
        let buffer: Buffer = std::mem::replace(&mut self.buffer, next).into();
        self.lent = Some(buffer.clone());
        buffer
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
