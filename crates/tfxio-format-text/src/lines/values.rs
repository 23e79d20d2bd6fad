//! Values of one type, as they are gathered.

use std::sync::Arc;

use arrow_array::types::{
    ArrowPrimitiveType, Int8Type, Int16Type, Int32Type, UInt8Type, UInt16Type, UInt32Type,
};
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Float32Array, Float64Array, Int64Array, LargeBinaryArray,
    LargeStringArray, NullArray, StringArray,
};
use arrow_buffer::{BooleanBufferBuilder, Buffer, BufferBuilder, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::DataType;
use tfxio_core::{Error, ErrorKind, Result};

use super::typed::Typed;

/// Values, with something where one is missing.
pub(crate) enum Values {
    Null(usize),
    Bool(BooleanBufferBuilder),
    /// Integers from a least to a greatest one.
    Int {
        values: BufferBuilder<i64>,
        min: i64,
        max: i64,
    },
    Float32(BufferBuilder<f32>),
    Float64(BufferBuilder<f64>),
    Bytes {
        offsets: BufferBuilder<i64>,
        bytes: BufferBuilder<u8>,
        is_text: bool,
    },
    /// Values of a type that is not inferred.
    Typed(Box<Typed>),
}

/// Reason that a cell does not fit a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unfit {
    /// It is of another kind.
    Kind,
    /// A number beyond the range of the type.
    Range,
    /// Not UTF-8.
    Utf8,
}

impl Values {
    pub(crate) fn new(data_type: &DataType) -> Option<Self> {
        let int = |min, max| Some(Self::Int { values: BufferBuilder::new(0), min, max });
        let bytes = |is_text| {
            let mut offsets = BufferBuilder::new(0);
            offsets.append(0);
            Some(Self::Bytes { offsets, bytes: BufferBuilder::new(0), is_text })
        };
        match data_type {
            DataType::Null => Some(Self::Null(0)),
            DataType::Boolean => Some(Self::Bool(BooleanBufferBuilder::new(0))),
            DataType::Int8 => int(i64::from(i8::MIN), i64::from(i8::MAX)),
            DataType::Int16 => int(i64::from(i16::MIN), i64::from(i16::MAX)),
            DataType::Int32 => int(i64::from(i32::MIN), i64::from(i32::MAX)),
            DataType::Int64 => int(i64::MIN, i64::MAX),
            DataType::UInt8 => int(0, i64::from(u8::MAX)),
            DataType::UInt16 => int(0, i64::from(u16::MAX)),
            DataType::UInt32 => int(0, i64::from(u32::MAX)),
            DataType::Float32 => Some(Self::Float32(BufferBuilder::new(0))),
            DataType::Float64 => Some(Self::Float64(BufferBuilder::new(0))),
            DataType::Utf8 | DataType::LargeUtf8 => bytes(true),
            DataType::Binary | DataType::LargeBinary => bytes(false),
            other => Typed::new(other).map(|typed| Self::Typed(Box::new(typed))),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Null(count) => *count,
            Self::Bool(values) => values.len(),
            Self::Int { values, .. } => values.len(),
            Self::Float32(values) => values.len(),
            Self::Float64(values) => values.len(),
            Self::Bytes { offsets, .. } => offsets.len().saturating_sub(1),
            Self::Typed(values) => values.len(),
        }
    }

    #[inline]
    pub(crate) fn push_int(&mut self, value: i64) -> Result<(), Unfit> {
        match self {
            Self::Int { values, min, max } if (*min..=*max).contains(&value) => values.append(value),
            Self::Int { .. } => return Err(Unfit::Range),
            _ => return Err(Unfit::Kind),
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn push_float(&mut self, value: f64) -> Result<(), Unfit> {
        match self {
            // A finite value never becomes an infinite one.
            Self::Float32(_) if value.is_finite() && (value as f32).is_infinite() => {
                return Err(Unfit::Range);
            }
            Self::Float32(values) => values.append(value as f32),
            Self::Float64(values) => values.append(value),
            _ => return Err(Unfit::Kind),
        }
        Ok(())
    }

    pub(crate) fn push_bool(&mut self, value: bool) -> Result<(), Unfit> {
        let Self::Bool(values) = self else { return Err(Unfit::Kind) };
        values.append(value);
        Ok(())
    }

    /// Appends bytes, which a column of texts takes if they are UTF-8; they are looked at unless that is known.
    #[inline]
    pub(crate) fn push_bytes(&mut self, value: &[u8], is_utf8: bool) -> Result<(), Unfit> {
        let Self::Bytes { offsets, bytes, is_text } = self else { return Err(Unfit::Kind) };
        if *is_text && !is_utf8 && std::str::from_utf8(value).is_err() {
            return Err(Unfit::Utf8);
        }
        bytes.append_slice(value);
        // A buffer has at most isize::MAX bytes.
        offsets.append(bytes.len() as i64);
        Ok(())
    }

    /// Appends the value of a text, of a type that is not inferred; `None` of other types.
    #[inline]
    pub(crate) fn push_typed(&mut self, text: &[u8]) -> Option<Result<(), Unfit>> {
        match self {
            Self::Typed(values) => Some(values.push(text)),
            _ => None,
        }
    }

    pub(crate) fn is_float(&self) -> bool {
        matches!(self, Self::Float32(_) | Self::Float64(_))
    }

    pub(crate) fn is_bytes(&self) -> bool {
        matches!(self, Self::Bytes { .. })
    }

    /// Appends a placeholder for a missing value.
    pub(crate) fn push_missing(&mut self) {
        match self {
            Self::Null(count) => *count += 1,
            Self::Bool(values) => values.append(false),
            Self::Int { values, .. } => values.append(0),
            Self::Float32(values) => values.append(0.0),
            Self::Float64(values) => values.append(0.0),
            Self::Bytes { offsets, bytes, .. } => offsets.append(bytes.len() as i64),
            Self::Typed(values) => values.push_missing(1),
        }
    }

    /// Appends placeholders for a number of missing values.
    pub(crate) fn push_all_missing(&mut self, missing: usize) {
        match self {
            Self::Null(count) => *count += missing,
            Self::Bool(values) => values.append_n(missing, false),
            Self::Int { values, .. } => values.append_n_zeroed(missing),
            Self::Float32(values) => values.append_n_zeroed(missing),
            Self::Float64(values) => values.append_n_zeroed(missing),
            Self::Bytes { offsets, bytes, .. } => offsets.append_n(missing, bytes.len() as i64),
            Self::Typed(values) => values.push_missing(missing),
        }
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        match self {
            Self::Null(count) => *count = len,
            Self::Bool(values) => values.truncate(len),
            Self::Int { values, .. } => values.truncate(len),
            Self::Float32(values) => values.truncate(len),
            Self::Float64(values) => values.truncate(len),
            Self::Bytes { offsets, bytes, .. } => {
                let end = offsets.as_slice().get(len).copied().unwrap_or_default();
                offsets.truncate(len.saturating_add(1));
                bytes.truncate(usize::try_from(end).unwrap_or_default());
            }
            Self::Typed(values) => values.truncate(len),
        }
    }

    /// Hands out the values, and leaves none.
    pub(crate) fn finish(&mut self, data_type: &DataType, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        let array: ArrayRef = match self {
            Self::Null(count) => Arc::new(NullArray::new(std::mem::take(count))),
            Self::Bool(values) => Arc::new(BooleanArray::new(take_bits(values), nulls)),
            Self::Int { values, .. } => integers(take(values), nulls, data_type)?,
            Self::Float32(values) => Arc::new(Float32Array::try_new(take(values).into(), nulls)?),
            Self::Float64(values) => Arc::new(Float64Array::try_new(take(values).into(), nulls)?),
            Self::Bytes { offsets, bytes, .. } => {
                let taken = take(offsets);
                offsets.append(0);
                let (offsets, bytes) = (OffsetBuffer::new(ScalarBuffer::from(taken)), take(bytes));
                match data_type {
                    DataType::Utf8 => Arc::new(StringArray::try_new(narrow(&offsets)?, bytes, nulls)?),
                    DataType::LargeUtf8 => Arc::new(LargeStringArray::try_new(offsets, bytes, nulls)?),
                    DataType::Binary => Arc::new(BinaryArray::try_new(narrow(&offsets)?, bytes, nulls)?),
                    _ => Arc::new(LargeBinaryArray::try_new(offsets, bytes, nulls)?),
                }
            }
            Self::Typed(values) => values.finish(data_type, nulls)?,
        };
        Ok(array)
    }
}

/// Hands out a buffer, and leaves one of the same capacity.
pub(crate) fn take<T: arrow_buffer::ArrowNativeType>(values: &mut BufferBuilder<T>) -> Buffer {
    let next = BufferBuilder::new(values.len());
    std::mem::replace(values, next).build()
}

fn take_bits(values: &mut BooleanBufferBuilder) -> arrow_buffer::BooleanBuffer {
    let next = BooleanBufferBuilder::new(values.len());
    std::mem::replace(values, next).build()
}

/// Returns integers, which were checked to fit, in the width of their type.
fn integers(values: Buffer, nulls: Option<NullBuffer>, data_type: &DataType) -> Result<ArrayRef> {
    fn narrowed<T: ArrowPrimitiveType<Native: TryFrom<i64> + Default>>(wide: &Int64Array) -> ArrayRef {
        Arc::new(wide.unary::<_, T>(|value| value.try_into().unwrap_or_default()))
    }

    let wide = Int64Array::try_new(values.into(), nulls)?;
    Ok(match data_type {
        DataType::Int8 => narrowed::<Int8Type>(&wide),
        DataType::Int16 => narrowed::<Int16Type>(&wide),
        DataType::Int32 => narrowed::<Int32Type>(&wide),
        DataType::UInt8 => narrowed::<UInt8Type>(&wide),
        DataType::UInt16 => narrowed::<UInt16Type>(&wide),
        DataType::UInt32 => narrowed::<UInt32Type>(&wide),
        _ => Arc::new(wide),
    })
}

/// Returns offsets in 32 bits.
pub(crate) fn narrow(offsets: &OffsetBuffer<i64>) -> Result<OffsetBuffer<i32>> {
    let narrowed = offsets.iter().map(|offset| i32::try_from(*offset)).collect::<Result<Vec<_>, _>>();
    let narrowed = narrowed.map_err(|_| {
        let what = "a column of a batch has more than 2 GiB, which its 32-bit offsets cannot reach";
        Error::new(ErrorKind::LimitExceeded, what).help("read smaller batches")
    })?;
    Ok(OffsetBuffer::new(narrowed.into()))
}
