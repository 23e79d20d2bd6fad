//! The values of a column under construction, and how a run of values is appended.

use std::sync::Arc;

use arrow_array::types::{Float32Type, Int64Type};
use arrow_array::{ArrayRef, GenericBinaryArray, GenericListArray, PrimitiveArray};
use arrow_buffer::{ArrowNativeType, NullBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, Field};
use bytemuck::Pod;
use proto_wire::{Error as WireError, count_varints, decode_varints, single_varint};

use super::buffer::Buf;
use super::feature::{Fault, Span, Values, bad_packed_length};
pub(super) use super::offset::{Offset, offset_buffer};
#[cfg(target_arch = "x86_64")]
use super::processor::has_avx2;
use crate::FeatureKind;

/// The values of a column, all rows together.
///
/// The tag is a byte of its own, because it is looked at for each feature: told by what a vector cannot
/// hold, it would be half a dozen instructions.
#[repr(u8)]
pub(super) enum Store<O> {
    /// No row had a value yet.
    None,
    Ints(Buf<i64>),
    Floats(Buf<f32>),
    /// Offsets of the byte strings, beginning with 0 as soon as a batch has begun, and their bytes.
    Bytes(Buf<O>, Buf<u8>),
}

impl<O: Offset> Store<O> {
    pub(super) fn new(kind: FeatureKind) -> Self {
        match kind {
            FeatureKind::Bytes => Self::Bytes(Buf::default(), Buf::default()),
            FeatureKind::Float => Self::Floats(Buf::default()),
            FeatureKind::Int64 => Self::Ints(Buf::default()),
        }
    }

    pub(super) fn kind(&self) -> Option<FeatureKind> {
        match self {
            Self::None => None,
            Self::Ints(_) => Some(FeatureKind::Int64),
            Self::Floats(_) => Some(FeatureKind::Float),
            Self::Bytes(..) => Some(FeatureKind::Bytes),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Ints(values) => values.len(),
            Self::Floats(values) => values.len(),
            Self::Bytes(ends, _) => ends.len().saturating_sub(1),
        }
    }

    /// Readies the buffers for a batch.
    pub(super) fn begin(&mut self) {
        if let Self::Bytes(ends, _) = self
            && ends.len() == 0
        {
            ends.push(O::usize_as(0));
        }
    }

    pub(super) fn truncate(&mut self, len: usize) {
        match self {
            Self::None => {}
            Self::Ints(values) => values.truncate(len),
            Self::Floats(values) => values.truncate(len),
            Self::Bytes(ends, data) => {
                ends.truncate(len + 1);
                data.truncate(ends.values().last().map_or(0, |end| end.as_usize()));
            }
        }
    }

    /// Forgets everything; the batch is to begin again.
    pub(super) fn clear(&mut self) {
        match self {
            Self::None => {}
            Self::Ints(values) => values.truncate(0),
            Self::Floats(values) => values.truncate(0),
            Self::Bytes(ends, data) => {
                ends.truncate(0);
                data.truncate(0);
            }
        }
    }

    /// Returns the values as an array, if they have a kind; the batch is to begin again.
    pub(super) fn finish(&mut self) -> Result<Option<ArrayRef>, ArrowError> {
        self.begin();
        Ok(Some(match self {
            Self::None => return Ok(None),
            Self::Ints(values) => Arc::new(PrimitiveArray::<Int64Type>::new(scalars(values), None)),
            Self::Floats(values) => Arc::new(PrimitiveArray::<Float32Type>::new(scalars(values), None)),
            Self::Bytes(ends, data) => {
                let ends = offset_buffer(scalars(ends));
                Arc::new(GenericBinaryArray::<O>::try_new(ends, data.finish(), None)?)
            }
        }))
    }

    pub(super) fn push_zeros(&mut self, count: usize) {
        match self {
            Self::None => {}
            Self::Ints(values) => values.push_n(0, count),
            Self::Floats(values) => values.push_n(0.0, count),
            Self::Bytes(ends, _) => {
                let last = ends.values().last().copied().unwrap_or_default();
                ends.push_n(last, count);
            }
        }
    }
}

impl<O: Offset> Values for Store<O> {
    type Fault = Fault;

    fn int(&mut self, value: i64) -> Result<(), WireError> {
        if let Self::Ints(values) = self {
            values.push(value);
        }
        Ok(())
    }

    fn ints(&mut self, record: &[u8], run: Span) -> Result<(), WireError> {
        match self {
            Self::Ints(values) => append_ints(values, record, run).map(drop),
            _ => Ok(()),
        }
    }

    fn floats(&mut self, record: &[u8], run: Span) -> Result<(), WireError> {
        match self {
            Self::Floats(values) => append_floats(values, record, run).map(drop),
            _ => Ok(()),
        }
    }

    fn bytes(&mut self, record: &[u8], value: Span) -> Result<(), Fault> {
        match self {
            Self::Bytes(ends, data) => append_bytes(ends, data, record, value),
            _ => Ok(()),
        }
    }
}

#[inline(always)]
pub(super) fn append_ints(values: &mut Buf<i64>, record: &[u8], run: Span) -> Result<usize, WireError> {
    if let Some(value) = single_varint(record, run.start, run.end) {
        values.push(value as i64);
        return Ok(1);
    }
    append_run(values, record, run)
}

/// Spare capacity after the values of a run, so that it is decoded by whole blocks.
const BLOCK: usize = 64;

/// Appends a run of any length, with what the processor has.
#[inline(never)]
fn append_run(values: &mut Buf<i64>, record: &[u8], run: Span) -> Result<usize, WireError> {
    // A value has at least one byte. Only for long runs is it worth counting them first.
    let most = match run.end - run.start {
        bytes @ ..=4096 => bytes,
        _ => count_varints(run.of(record)),
    };
    let out = values.spare(most + BLOCK);
    #[cfg(target_arch = "x86_64")]
    let written = if has_avx2() {
        // SAFETY: the processor has the features that the function is compiled for.
        unsafe { proto_wire::decode_varints_avx2(record, run.start, run.end, out) }
    } else {
        decode_varints(record, run.start, run.end, out)
    }?;
    #[cfg(not(target_arch = "x86_64"))]
    let written = decode_varints(record, run.start, run.end, out)?;
    values.advance(written);
    Ok(written)
}

#[inline(always)]
pub(super) fn append_floats(values: &mut Buf<f32>, record: &[u8], run: Span) -> Result<usize, WireError> {
    let bytes = run.of(record);
    if let Ok(one) = <[u8; 4]>::try_from(bytes) {
        values.push(f32::from_le_bytes(one));
        return Ok(1);
    }
    let (chunks, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(bad_packed_length(run.start));
    }
    if let Some(to) = values.spare(chunks.len()).get_mut(..chunks.len()) {
        if cfg!(target_endian = "little") {
            bytemuck::cast_slice_mut::<f32, u8>(to).copy_from_slice(bytes);
        } else {
            for (to, from) in to.iter_mut().zip(chunks) {
                *to = f32::from_le_bytes(*from);
            }
        }
    }
    values.advance(chunks.len());
    Ok(chunks.len())
}

/// Appends a byte string. A short one is copied as sixteen bytes at once if both sides have them, which is cheaper than a
/// call that copies exactly its bytes.
#[inline(always)]
pub(super) fn append_bytes<O: Offset>(
    ends: &mut Buf<O>,
    data: &mut Buf<u8>,
    record: &[u8],
    value: Span,
) -> Result<(), Fault> {
    const SHORT: usize = 16;
    let length = value.end - value.start;
    match record.get(value.start..value.start + SHORT).and_then(|from| from.first_chunk::<SHORT>()) {
        Some(from) if length <= SHORT => data.push_some(from, length),
        _ => data.extend_from_slice(value.of(record)),
    }
    ends.push(O::from_usize(data.len()).ok_or(Fault::OffsetOverflow)?);
    Ok(())
}

/// Finishes a buffer as the buffer of an Arrow array.
pub(super) fn scalars<T: Pod + ArrowNativeType>(values: &mut Buf<T>) -> ScalarBuffer<T> {
    ScalarBuffer::from(values.finish())
}

pub(super) fn list_array<O: Offset>(
    offsets: ScalarBuffer<O>,
    values: ArrayRef,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef, ArrowError> {
    let item = Arc::new(Field::new_list_field(values.data_type().clone(), true));
    Ok(Arc::new(GenericListArray::<O>::try_new(item, offset_buffer(offsets), values, nulls)?))
}
