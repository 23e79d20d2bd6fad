//! Tensors of strings as messages that TensorFlow parses at once, instead of one object of Python a string.
//!
//! A `TensorProto` (tensorflow/core/framework/tensor.proto) with the fields `dtype`, `tensor_shape` and `tensor_content`, which for
//! strings is their lengths as varints of 32 bits, then their bytes.

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, GenericByteArray, types::ByteArrayType};

/// Bytes of strings above which a message may be larger than protobuf allows: 2 GiB.
const MOST_BYTES: usize = 1 << 30;
/// `DT_STRING` of tensorflow/core/framework/types.proto.
const DT_STRING: u64 = 7;
const DTYPE: u64 = 1 << 3;
const TENSOR_SHAPE: u64 = 2 << 3 | 2;
const TENSOR_CONTENT: u64 = 4 << 3 | 2;
/// The field `dim` of a `TensorShapeProto`, and the field `size` of a `Dim`.
const DIM: u64 = 2 << 3 | 2;
const SIZE: u64 = 1 << 3;

/// Returns strings of a shape as a serialized `TensorProto`; `None` if they are of another type or too large for one.
pub(super) fn of_strings(shape: &[usize], strings: &dyn Array) -> Option<Vec<u8>> {
    let content = strings
        .as_binary_opt::<i64>()
        .map(content)
        .or_else(|| strings.as_binary_opt::<i32>().map(content))
        .or_else(|| strings.as_string_opt::<i64>().map(content))
        .or_else(|| strings.as_string_opt::<i32>().map(content))??;
    let mut dims = Vec::new();
    for &size in shape {
        let mut dim = Vec::new();
        varint(&mut dim, SIZE);
        varint(&mut dim, size as u64);
        bytes(&mut dims, DIM, &dim);
    }
    let mut message = Vec::with_capacity(content.len().saturating_add(dims.len()).saturating_add(32));
    varint(&mut message, DTYPE);
    varint(&mut message, DT_STRING);
    bytes(&mut message, TENSOR_SHAPE, &dims);
    bytes(&mut message, TENSOR_CONTENT, &content);
    Some(message)
}

fn content<T: ByteArrayType>(strings: &GenericByteArray<T>) -> Option<Vec<u8>> {
    let offsets = strings.value_offsets();
    let at = |offset: Option<&T::Offset>| {
        offset.map_or(0, |&offset| arrow_buffer::ArrowNativeType::as_usize(offset))
    };
    let used = strings.value_data().get(at(offsets.first())..at(offsets.last()))?;
    if used.len() > MOST_BYTES || strings.len() > MOST_BYTES / 8 || strings.null_count() > 0 {
        return None;
    }
    let mut content = Vec::with_capacity(used.len().saturating_add(strings.len().saturating_mul(2)));
    for pair in offsets.windows(2) {
        varint(&mut content, at(pair.last()).saturating_sub(at(pair.first())) as u64);
    }
    content.extend_from_slice(used);
    Some(content)
}

fn bytes(out: &mut Vec<u8>, tag: u64, value: &[u8]) {
    varint(out, tag);
    varint(out, value.len() as u64);
    out.extend_from_slice(value);
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
