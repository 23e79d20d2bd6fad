//! Memory for batches that comes back when nobody holds it any more.
//!
//! The first touch of fresh memory costs several times what filling it costs. Here a buffer comes back when its
//! last holder drops it, however many batches wait for their consumer meanwhile. A consumer that makes vectors of tensors gets memory of
//! its own instead, which a vector of their type can free.

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
pub(super) struct Pool {
    unused: Arc<Mutex<Vec<Blocks>>>,
    /// Width of the values in bytes, if each buffer is memory of its own.
    own_width: Option<usize>,
}

/// Memory to be written. What is in it before is arbitrary.
pub(super) struct Room {
    memory: Memory,
    bytes: usize,
    home: Weak<Mutex<Vec<Blocks>>>,
}

enum Memory {
    Blocks(Blocks),
    One(Vec<u8>),
    Two(Vec<u16>),
    Four(Vec<u32>),
    Eight(Vec<u64>),
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
    /// A pool for values of a width in bytes, of which each buffer is memory of its own: a vector of such values.
    pub(super) fn of_own_memory(width: usize) -> Self {
        Self { own_width: Some(width), ..Self::default() }
    }

    /// Returns room for `bytes` bytes.
    pub(super) fn room(&self, bytes: usize) -> Result<Room, Error> {
        let memory = match self.own_width {
            Some(1) => zeroed(bytes).map(Memory::One),
            Some(2) => zeroed(bytes / 2).map(Memory::Two),
            Some(4) => zeroed(bytes / 4).map(Memory::Four),
            Some(8) => zeroed(bytes / 8).map(Memory::Eight),
            _ => self.blocks(bytes).map(Memory::Blocks),
        };
        let memory = memory.ok_or_else(|| {
            Error::new(Kind::LimitExceeded, format!("no memory for {} of a batch", Count::of(bytes, "byte")))
        })?;
        Ok(Room { memory, bytes, home: Arc::downgrade(&self.unused) })
    }

    fn blocks(&self, bytes: usize) -> Option<Blocks> {
        let needed = bytes.div_ceil(64);
        // A little more, so that the next batch fits too.
        self.take(needed).or_else(|| zeroed(needed.saturating_add(needed / 8)))
    }

    /// The latest unused blocks that are enough and not many times too many.
    fn take(&self, needed: usize) -> Option<Blocks> {
        let mut unused = self.unused.lock().unwrap_or_else(PoisonError::into_inner);
        let at = unused.iter().rposition(|blocks| blocks.len() >= needed && blocks.len() / 4 <= needed)?;
        Some(unused.remove(at))
    }
}

impl Room {
    /// The memory as values of a type; of none if its width is not that of the memory.
    pub(super) fn values<T: Pod>(&mut self) -> &mut [T] {
        let all = match &mut self.memory {
            Memory::Blocks(blocks) => bytemuck::try_cast_slice_mut(blocks),
            Memory::One(values) => bytemuck::try_cast_slice_mut(values),
            Memory::Two(values) => bytemuck::try_cast_slice_mut(values),
            Memory::Four(values) => bytemuck::try_cast_slice_mut(values),
            Memory::Eight(values) => bytemuck::try_cast_slice_mut(values),
        };
        let count = self.bytes / size_of::<T>();
        all.ok().and_then(|all: &mut [T]| all.get_mut(..count)).unwrap_or_default()
    }

    /// The room as an Arrow buffer. Memory that comes back is aligned to 64 bytes.
    pub(super) fn finish(self) -> Buffer {
        let Self { memory, bytes, home } = self;
        match memory {
            Memory::Blocks(blocks) => {
                Buffer::from(Bytes::from_owner(Loan { blocks, home })).slice_with_length(0, bytes)
            }
            Memory::One(values) => values.into(),
            Memory::Two(values) => values.into(),
            Memory::Four(values) => values.into(),
            Memory::Eight(values) => values.into(),
        }
    }
}

/// Returns a vector of zeros; nothing where there is no memory.
fn zeroed<T: Zeroable>(count: usize) -> Option<Vec<T>> {
    bytemuck::allocation::try_zeroed_vec(count).ok()
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
        assert_eq!(pool.unused.lock().unwrap().len(), KEPT);
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
