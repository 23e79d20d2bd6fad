//! Values from the bytes in which programs keep them.

use arrow_buffer::{ArrowNativeType, Buffer};
use bytemuck::Pod;
use serde::{Deserialize, Serialize};
use tfxio_core::{Count, DType};

use super::{Strings, Values};
use crate::{Error, Kind};

/// The order of the bytes of a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Endian {
    /// The lowest byte first.
    #[default]
    Little,
    /// The highest byte first.
    Big,
}

impl Values {
    /// Returns the elements that raw bytes are. They are shared where they are in native order and aligned; bools are
    /// false for 0 and true for any other byte.
    ///
    /// ```
    /// use arrow_buffer::Buffer;
    /// use tensor_repr::{DType, Endian, Values};
    ///
    /// let values = Values::from_raw(DType::UInt16, Endian::Big, Buffer::from_slice_ref([1u8, 2, 0, 3]))?;
    /// assert_eq!(values.as_slice::<u16>(), Some(&[258, 3][..]));
    /// # Ok::<(), tensor_repr::Error>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidTensor` for strings, and for a length that is not a multiple of the element.
    pub fn from_raw(dtype: DType, endian: Endian, bytes: Buffer) -> Result<Self, Error> {
        let is_native = (endian == Endian::Little) == cfg!(target_endian = "little");
        let width = dtype.width().unwrap_or(1);
        let bytes = match width {
            1 if dtype == DType::Bool && bytes.iter().any(|byte| *byte > 1) => {
                Buffer::from_vec(bytes.iter().map(|byte| u8::from(*byte != 0)).collect::<Vec<_>>())
            }
            1 => bytes,
            2 if !is_native => swapped(&bytes, u16::swap_bytes),
            4 if !is_native => swapped(&bytes, u32::swap_bytes),
            8 if !is_native => swapped(&bytes, u64::swap_bytes),
            _ if bytes.as_ptr().align_offset(width) != 0 => Buffer::from_slice_ref(bytes.as_slice()),
            _ => bytes,
        };
        Self::try_new(dtype, bytes)
    }
}

/// Returns the elements, or the bytes unchanged where they are not whole ones.
fn swapped<T: Pod + ArrowNativeType>(bytes: &Buffer, swap: impl Fn(T) -> T) -> Buffer {
    let chunks = bytes.chunks_exact(size_of::<T>());
    if !chunks.remainder().is_empty() {
        return bytes.clone();
    }
    Buffer::from_vec(chunks.map(|chunk| swap(bytemuck::pod_read_unaligned(chunk))).collect::<Vec<T>>())
}

/// The string that has another number of bytes than all should have.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct WrongSize {
    /// Its number.
    pub(crate) at: usize,
    /// Its length.
    pub(crate) bytes: usize,
}

/// Returns the bytes of all strings, each of which has `each`; shared with the strings.
pub(crate) fn bytes(strings: &Strings, each: usize) -> Result<Buffer, WrongSize> {
    let first = match (strings.small_offsets(), strings.large_offsets()) {
        (Some(offsets), _) => is_each(offsets, each).then(|| offsets.first().map(|first| i64::from(*first))),
        (None, Some(offsets)) => is_each(offsets, each).then(|| offsets.first().copied()),
        (None, None) => Some(None),
    };
    let Some(first) = first else {
        let wrong = strings.iter().enumerate().find(|(_, string)| string.len() != each);
        let (at, bytes) = wrong.map_or((0, 0), |(at, string)| (at, string.len()));
        return Err(WrongSize { at, bytes });
    };
    let start = first.and_then(|first| usize::try_from(first).ok()).unwrap_or(0);
    // The offsets lie inside of the data, so that the product does not overflow.
    Ok(strings.data().slice_with_length(start, strings.len() * each))
}

/// Returns whether all offsets are that far apart.
fn is_each<O: arrow_array::OffsetSizeTrait>(offsets: &[O], count: usize) -> bool {
    let (Some(count), Some(rest)) = (O::from_usize(count), offsets.get(1..)) else { return false };
    // Without a branch, so that many are compared at once.
    offsets.iter().zip(rest).fold(true, |all, (start, end)| all & (*end - *start == count))
}

/// Returns the error about a raw string of another size than its tensor.
pub(crate) fn wrong_size(dtype: DType, shape: &[usize], found: usize, expected: usize) -> Error {
    let width = dtype.width().unwrap_or(1);
    let what = if found.is_multiple_of(width) {
        format!(
            "a raw string has {}, a tensor of dtype \"{dtype}\" and shape {shape:?} has {expected}",
            Count::of(found, "byte")
        )
    } else {
        format!(
            "a raw string has {}, which is not a multiple of the {width} of dtype \"{dtype}\"",
            Count::of(found, "byte")
        )
    };
    Error::new(Kind::ShapeMismatch, what)
}
