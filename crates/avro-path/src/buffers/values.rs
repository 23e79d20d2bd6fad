//! Growing Arrow buffers that are used again when nobody holds the batch that they were part of.

use arrow_buffer::{ArrowNativeType, Buffer, MutableBuffer, ToByteSlice};

/// How many handed-out buffers are remembered.
const REMEMBERED: usize = 4;

/// Plain values, 64-byte aligned.
///
/// The buffer is longer than what is in it: a value is written into bytes that are there already, for which one
/// comparison is enough.
#[derive(Debug, Default)]
pub(crate) struct Values {
    buffer: MutableBuffer,
    /// Bytes that are in use.
    len: usize,
    lent: Vec<Buffer>,
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

    /// Writes bytes for which there was no room.
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

    /// Makes room for so many bytes, and for as many as there are already.
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

    /// The buffer so far; the next batch begins empty, where it can in memory of an earlier one.
    pub(crate) fn finish(&mut self) -> Buffer {
        let used = std::mem::take(&mut self.len);
        let whole = Buffer::from(std::mem::take(&mut self.buffer));
        let finished = whole.slice_with_length(0, used);
        if let Some(free) = self.lent.iter().position(|lent| lent.strong_count() == 1)
            && let Ok(again) = self.lent.swap_remove(free).into_mutable()
        {
            self.buffer = again;
        }
        if used > 0 {
            if self.lent.len() >= REMEMBERED {
                self.lent.remove(0);
            }
            self.lent.push(whole);
        }
        if self.buffer.len() < used {
            self.buffer = MutableBuffer::from_len_zeroed((used + used / 8).next_multiple_of(64));
        }
        finished
    }
}
