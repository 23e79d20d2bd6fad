//! Memory for batches that comes back when nobody holds it any more.
//!
//! The first touch of fresh memory costs several times what filling it costs. Here a buffer comes back when its
//! last holder drops it, however many batches wait for their consumer meanwhile.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use arrow_buffer::Buffer;
use bytemuck::{Pod, Zeroable};
use bytes::Bytes;
use tfxio_core::Count;

use crate::{Error, Kind};

/// The unit of allocation: what Arrow recommends buffers to be aligned to.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Block([u8; 64]);

type Blocks = Vec<Block>;

/// Maximum number of unused buffers in a pool. At most one is unused per working thread.
const KEPT: usize = 4;

/// The unused buffers of one tensor, the latest last.
#[derive(Default)]
pub(super) struct Pool(Arc<Mutex<Vec<Blocks>>>);

/// Memory to be written. What is in it before is arbitrary.
pub(super) struct Room {
    blocks: Blocks,
    bytes: usize,
    home: Weak<Mutex<Vec<Blocks>>>,
}

/// Blocks that an Arrow buffer looks at.
struct Loan {
    blocks: Blocks,
    home: Weak<Mutex<Vec<Blocks>>>,
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

impl Pool {
    /// Returns room for `bytes` bytes.
    pub(super) fn room(&self, bytes: usize) -> Result<Room, Error> {
        let needed = bytes.div_ceil(64);
        let blocks = match self.take(needed) {
            Some(blocks) => blocks,
            // A little more, so that the next batch fits too.
            None => bytemuck::allocation::try_zeroed_vec::<Block>(needed.saturating_add(needed / 8))
                .map_err(|()| {
                    Error::new(
                        Kind::LimitExceeded,
                        format!("no memory for {} of a batch", Count::of(bytes, "byte")),
                    )
                })?,
        };
        Ok(Room { blocks, bytes, home: Arc::downgrade(&self.0) })
    }

    /// The latest unused blocks that are enough and not many times too many.
    fn take(&self, needed: usize) -> Option<Blocks> {
        let mut unused = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = unused.iter().rposition(|blocks| blocks.len() >= needed && blocks.len() / 4 <= needed)?;
        Some(unused.remove(at))
    }
}

impl Room {
    /// The memory as values of a type.
    pub(super) fn values<T: Pod>(&mut self) -> &mut [T] {
        let all: &mut [T] = bytemuck::cast_slice_mut(&mut self.blocks);
        let count = self.bytes / size_of::<T>();
        all.get_mut(..count).unwrap_or_default()
    }

    /// The room as an Arrow buffer, aligned to 64 bytes.
    pub(super) fn finish(self) -> Buffer {
        let Self { blocks, bytes, home } = self;
        Buffer::from(Bytes::from_owner(Loan { blocks, home })).slice_with_length(0, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::{KEPT, Pool};

    fn buffer(pool: &Pool, count: usize, value: i64) -> arrow_buffer::Buffer {
        let mut room = pool.room(count * 8).unwrap();
        room.values::<i64>().fill(value);
        room.finish()
    }

    #[test]
    fn a_dropped_buffer_comes_back_and_a_held_one_does_not() {
        let pool = Pool::default();
        let first = buffer(&pool, 100, 1);
        let at = first.as_ptr();
        assert_eq!((first.len(), at.align_offset(64)), (800, 0));
        let second = buffer(&pool, 100, 2);
        assert_ne!(second.as_ptr(), at, "the first buffer is still held");
        let part = first.slice(8);
        drop(first);
        assert_ne!(buffer(&pool, 100, 3).as_ptr(), at, "a part of it is still held");
        assert_eq!(part.typed_data::<i64>(), &[1; 99]);
        drop(part);
        assert_eq!(buffer(&pool, 100, 4).as_ptr(), at);
        assert_eq!(second.typed_data::<i64>(), &[2; 100]);
    }

    #[test]
    fn buffers_of_any_number_of_batches_come_back() {
        let pool = Pool::default();
        let held = (0..50).map(|value| buffer(&pool, 10, value)).collect::<Vec<_>>();
        let last = held.last().map(|buffer| buffer.as_ptr());
        drop(held);
        assert_eq!(pool.0.lock().unwrap().len(), KEPT);
        assert_eq!(Some(buffer(&pool, 10, 0).as_ptr()), last);
    }

    #[test]
    fn a_much_larger_buffer_is_not_used() {
        let pool = Pool::default();
        let large = buffer(&pool, 1 << 17, 0);
        let at = large.as_ptr();
        drop(large);
        assert_ne!(buffer(&pool, 8, 0).as_ptr(), at);
        assert_eq!(buffer(&pool, 1 << 16, 0).as_ptr(), at);
    }

    #[test]
    fn buffers_outlive_their_pool() {
        let pool = Pool::default();
        let one = buffer(&pool, 3, 7);
        drop(pool);
        assert_eq!(one.typed_data::<i64>(), &[7; 3]);
    }

    #[test]
    fn too_much_memory_is_an_error() {
        let error = Pool::default().room(usize::MAX).map(|_| ()).unwrap_err();
        assert_eq!(error.to_string(), format!("no memory for {} bytes of a batch", usize::MAX));
    }
}
