//! Growing Arrow buffers that are used again when nobody holds the batch that they were part of.

use arrow_buffer::{
    ArrowNativeType, BooleanBufferBuilder, Buffer, MutableBuffer, NullBufferBuilder, ToByteSlice,
};

/// How many handed-out buffers are remembered.
const REMEMBERED: usize = 4;

/// Plain values, 64-byte aligned.
#[derive(Debug, Default)]
pub(crate) struct Values {
    buffer: MutableBuffer,
    lent: Vec<Buffer>,
    /// Bytes to begin the next batch with.
    expected: usize,
}

impl Values {
    #[inline]
    pub(crate) fn push<T: ToByteSlice>(&mut self, value: T) {
        self.buffer.push(value);
    }

    #[inline]
    pub(crate) fn extend(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// Appends the first `length` bytes of a chunk of 16; without a call, unlike [`extend`](Self::extend).
    #[inline]
    pub(crate) fn extend_short(&mut self, chunk: u128, length: usize) {
        let end = self.buffer.len() + length;
        self.buffer.push(i128::from_le_bytes(chunk.to_le_bytes()));
        self.buffer.truncate(end);
    }

    #[inline]
    pub(crate) fn extend_zeros(&mut self, bytes: usize) {
        self.buffer.extend_zeros(bytes);
    }

    #[inline]
    pub(crate) fn bytes(&self) -> usize {
        self.buffer.len()
    }

    #[inline]
    pub(crate) fn truncate(&mut self, bytes: usize) {
        self.buffer.truncate(bytes);
    }

    #[inline]
    pub(crate) fn typed<T: ArrowNativeType>(&self) -> &[T] {
        self.buffer.typed_data()
    }

    /// The buffer so far; the next batch begins empty, where it can in memory of an earlier one.
    pub(crate) fn finish(&mut self) -> Buffer {
        let used = self.buffer.len();
        let finished = Buffer::from(std::mem::take(&mut self.buffer));
        self.expected = used + used / 8;
        if let Some(free) = self.lent.iter().position(|lent| lent.strong_count() == 1)
            && let Ok(mut again) = self.lent.swap_remove(free).into_mutable()
        {
            again.clear();
            self.buffer = again;
        }
        if used > 0 {
            if self.lent.len() >= REMEMBERED {
                self.lent.remove(0);
            }
            self.lent.push(finished.clone());
        }
        self.buffer.reserve(self.expected);
        finished
    }
}

/// Booleans, one bit each.
#[derive(Debug)]
pub(super) struct Bits(pub(super) BooleanBufferBuilder);

impl Default for Bits {
    fn default() -> Self {
        Self(BooleanBufferBuilder::new(0))
    }
}

/// Which entries are not null; takes memory from the first null on.
#[derive(Debug)]
pub(super) struct Validity(pub(super) NullBufferBuilder);

impl Default for Validity {
    fn default() -> Self {
        Self(NullBufferBuilder::new(0))
    }
}
