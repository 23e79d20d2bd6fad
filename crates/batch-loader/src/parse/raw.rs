//! Tensors as raw bytes.

use arrow_buffer::Buffer;
use bytemuck::Pod;
use tensor_repr::{Strings, Values};
use tfxio_core::DType;

use super::levels::is_each;
use crate::Result;
use crate::cast::plain;
use crate::manifest::Endian;

/// The string that has another number of bytes than all should have: its number and its length.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct WrongSize {
    pub(super) at: usize,
    pub(super) bytes: usize,
}

/// The bytes of all strings, each of which has `each`; shared with the strings.
pub(super) fn bytes(strings: &Strings, each: usize) -> Result<Buffer, WrongSize> {
    let are_equal = match (strings.small_offsets(), strings.large_offsets()) {
        (Some(offsets), _) => is_each(offsets, each),
        (None, Some(offsets)) => is_each(offsets, each),
        (None, None) => strings.is_empty(),
    };
    if !are_equal
        && let Some((at, string)) = strings.iter().enumerate().find(|(_, string)| string.len() != each)
    {
        return Err(WrongSize { at, bytes: string.len() });
    }
    let first = match (strings.small_offsets(), strings.large_offsets()) {
        (Some(offsets), _) => offsets.first().and_then(|first| usize::try_from(*first).ok()),
        (None, offsets) => {
            offsets.and_then(|offsets| offsets.first()).and_then(|first| usize::try_from(*first).ok())
        }
    };
    Ok(strings.data().slice_with_length(first.unwrap_or(0), strings.len() * each))
}

/// The elements of a dtype that bytes of that order are. Shared where they are in native order and aligned.
pub(super) fn elements(dtype: DType, endian: Endian, bytes: Buffer) -> Result<Values> {
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
    plain(dtype, bytes)
}

fn swapped<T: Pod + arrow_buffer::ArrowNativeType>(bytes: &[u8], swap: impl Fn(T) -> T) -> Buffer {
    let elements = bytes.chunks_exact(size_of::<T>()).map(|bytes| swap(bytemuck::pod_read_unaligned(bytes)));
    Buffer::from_vec(elements.collect::<Vec<T>>())
}
