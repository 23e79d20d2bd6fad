//! Memory for computed tensors, used again when nobody holds them any more.
//!
//! The first touch of fresh memory costs several times what writing it costs, so the buffers of a tensor
//! that its consumer has dropped serve for the next batch.

use std::sync::{Arc, Mutex};

use arrow_buffer::Buffer;
use bytemuck::{Pod, Zeroable};
use bytes::Bytes;
use tfxio_core::Count;

use crate::{Error, Kind};

/// The unit of allocation: what Arrow recommends buffers to be aligned to.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Block([u8; 64]);

/// Blocks that an Arrow buffer looks at.
struct Lent(Vec<Block>);

struct Loan(Arc<Lent>);

impl AsRef<[u8]> for Loan {
    fn as_ref(&self) -> &[u8] {
        bytemuck::cast_slice(&self.0.0)
    }
}

/// Maximum number of handed-out buffers that are remembered for one tensor.
const REMEMBERED: usize = 8;

/// Remembers the buffers of one tensor that are out.
#[derive(Default)]
pub(super) struct Recycler(Mutex<Vec<Arc<Lent>>>);

impl std::fmt::Debug for Recycler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Recycler")
    }
}

/// Memory to be written. What is in it before is arbitrary.
pub(super) struct Room {
    blocks: Vec<Block>,
    bytes: usize,
}

/// Returns the bytes of `count` values of a type, if they are at most `limit`.
pub(super) fn bytes<T>(count: usize, limit: u64) -> Result<usize, Error> {
    let bytes = count.checked_mul(size_of::<T>());
    bytes.filter(|&bytes| u64::try_from(bytes).is_ok_and(|bytes| bytes <= limit)).ok_or_else(|| {
        let (elements, size, limit) =
            (Count::of(count, "element"), Count::of(size_of::<T>(), "byte"), Count::of(limit, "byte"));
        let message = format!(
            "the tensor needs room for {elements} of {size}, the limit is {limit}; take smaller batches or raise the limit"
        );
        Error::new(Kind::Overflow, message)
    })
}

pub(super) fn no_memory(bytes: usize) -> Error {
    Error::new(Kind::Overflow, format!("no memory for {}", Count::of(bytes, "byte")))
}

impl Recycler {
    /// Returns room for `count` values of a type, of at most `limit` bytes.
    pub(super) fn room<T: Pod>(&self, count: usize, limit: u64) -> Result<Room, Error> {
        let bytes = bytes::<T>(count, limit)?;
        let needed = bytes.div_ceil(64);
        let blocks = match self.take(needed) {
            Some(blocks) => blocks,
            // A little more, so that the next batch fits too.
            None => bytemuck::allocation::try_zeroed_vec::<Block>(needed.saturating_add(needed / 8))
                .map_err(|()| no_memory(bytes))?,
        };
        Ok(Room { blocks, bytes })
    }

    /// Blocks that nobody holds, enough and not many times too many.
    fn take(&self, needed: usize) -> Option<Vec<Block>> {
        // Another thread at work with the same tensor: fresh memory is cheaper than waiting.
        let mut lent = self.0.try_lock().ok()?;
        let fits = |blocks: usize| blocks >= needed && blocks / 4 <= needed;
        let free = |lent: &Arc<Lent>| Arc::strong_count(lent) == 1 && fits(lent.0.len());
        let at = lent.iter().position(free)?;
        match Arc::try_unwrap(lent.swap_remove(at)) {
            Ok(lent) => Some(lent.0),
            Err(held) => {
                lent.push(held);
                None
            }
        }
    }

    /// Returns the room as an Arrow buffer, remembered for reuse.
    pub(super) fn finish(&self, room: Room) -> Buffer {
        let lent = Arc::new(Lent(room.blocks));
        if room.bytes > 0
            && let Ok(mut remembered) = self.0.try_lock()
        {
            if remembered.len() >= REMEMBERED {
                remembered.remove(0);
            }
            remembered.push(Arc::clone(&lent));
        }
        Buffer::from(Bytes::from_owner(Loan(lent))).slice_with_length(0, room.bytes)
    }
}

impl Room {
    /// Returns the memory as values of a type.
    pub(super) fn values<T: Pod>(&mut self) -> &mut [T] {
        let all: &mut [T] = bytemuck::cast_slice_mut(&mut self.blocks);
        let count = self.bytes / size_of::<T>();
        all.get_mut(..count).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::Recycler;
    use crate::Kind;

    #[test]
    fn a_dropped_buffer_comes_back_and_a_held_one_does_not() {
        let recycler = Recycler::default();
        let buffer = |value: i64| {
            let mut room = recycler.room::<i64>(100, 1 << 20).unwrap();
            room.values::<i64>().fill(value);
            recycler.finish(room)
        };
        let first = buffer(1);
        let at = first.as_ptr();
        assert_eq!((first.len(), at.align_offset(64)), (800, 0));
        let second = buffer(2);
        assert_ne!(second.as_ptr(), at, "the first buffer is still held");
        assert_eq!(first.typed_data::<i64>(), &[1; 100]);
        drop(first);
        assert_eq!(buffer(3).as_ptr(), at);
        assert_eq!(second.typed_data::<i64>(), &[2; 100]);
    }

    #[test]
    fn a_much_larger_buffer_is_not_used() {
        let recycler = Recycler::default();
        let large = recycler.finish(recycler.room::<u8>(1 << 20, 1 << 20).unwrap());
        let at = large.as_ptr();
        drop(large);
        let small = recycler.finish(recycler.room::<u8>(64, 1 << 20).unwrap());
        assert_ne!(small.as_ptr(), at);
    }

    #[test]
    fn the_limit_holds() {
        let error = Recycler::default().room::<i64>(10, 79).map(|_| ()).unwrap_err();
        assert_eq!(error.detail(), Some(&Kind::Overflow));
        assert_eq!(
            error.to_string(),
            "the tensor needs room for 10 elements of 8 bytes, the limit is 79 bytes; take smaller batches or raise the limit"
        );
        assert!(Recycler::default().room::<i64>(usize::MAX, u64::MAX).is_err());
    }
}
