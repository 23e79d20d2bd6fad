//! The values of a column, as they are gathered.

use std::sync::Arc;

use arrow_array::types::{
    ArrowPrimitiveType, Int8Type, Int16Type, Int32Type, UInt8Type, UInt16Type, UInt32Type,
};
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Float32Array, Float64Array, Int64Array, LargeBinaryArray,
    LargeListArray, LargeStringArray, ListArray, NullArray, StringArray,
};
use arrow_buffer::{
    BooleanBufferBuilder, Buffer, BufferBuilder, NullBuffer, NullBufferBuilder, OffsetBuffer, ScalarBuffer,
};
use arrow_schema::{DataType, Field, FieldRef};
use memchr::memchr;
use tfxio_core::{Error, ErrorKind, Result};

use super::numbers::{Integer, float, integer};
use super::types::not_read;

/// Values, with something where one is missing.
enum Values {
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
}

/// Why a cell does not fit a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unfit {
    /// It is of another kind.
    Kind,
    /// A number that is beyond those of the type.
    Range,
    /// Not UTF-8.
    Utf8,
}

impl Values {
    fn new(data_type: &DataType) -> Option<Self> {
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
            _ => None,
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Null(count) => *count,
            Self::Bool(values) => values.len(),
            Self::Int { values, .. } => values.len(),
            Self::Float32(values) => values.len(),
            Self::Float64(values) => values.len(),
            Self::Bytes { offsets, .. } => offsets.len().saturating_sub(1),
        }
    }

    #[inline]
    fn push(&mut self, cell: &[u8]) -> Result<(), Unfit> {
        match self {
            Self::Null(_) => return Err(Unfit::Kind),
            Self::Bool(values) => match cell {
                b"true" | b"True" | b"TRUE" => values.append(true),
                b"false" | b"False" | b"FALSE" => values.append(false),
                _ => return Err(Unfit::Kind),
            },
            Self::Int { values, min, max } => match integer(cell) {
                Integer::Value(value) if (*min..=*max).contains(&value) => values.append(value),
                Integer::Value(_) | Integer::TooLarge => return Err(Unfit::Range),
                Integer::No => return Err(Unfit::Kind),
            },
            Self::Float32(values) => values.append(float(cell).ok_or(Unfit::Kind)? as f32),
            Self::Float64(values) => values.append(float(cell).ok_or(Unfit::Kind)?),
            Self::Bytes { offsets, bytes, is_text } => {
                if *is_text && !cell.is_ascii() && std::str::from_utf8(cell).is_err() {
                    return Err(Unfit::Utf8);
                }
                bytes.append_slice(cell);
                // A buffer has at most isize::MAX bytes.
                offsets.append(bytes.len() as i64);
            }
        }
        Ok(())
    }

    /// Appends what stands where a value is missing.
    fn push_missing(&mut self) {
        match self {
            Self::Null(count) => *count += 1,
            Self::Bool(values) => values.append(false),
            Self::Int { values, .. } => values.append(0),
            Self::Float32(values) => values.append(0.0),
            Self::Float64(values) => values.append(0.0),
            Self::Bytes { offsets, bytes, .. } => offsets.append(bytes.len() as i64),
        }
    }

    fn truncate(&mut self, len: usize) {
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
        }
    }

    /// Hands out the values, and leaves none.
    fn finish(&mut self, data_type: &DataType, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
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
        };
        Ok(array)
    }
}

/// Hands out a buffer, and leaves one of the same capacity.
fn take<T: arrow_buffer::ArrowNativeType>(values: &mut BufferBuilder<T>) -> Buffer {
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
fn narrow(offsets: &OffsetBuffer<i64>) -> Result<OffsetBuffer<i32>> {
    let narrowed = offsets.iter().map(|offset| i32::try_from(*offset)).collect::<Result<Vec<_>, _>>();
    let narrowed = narrowed.map_err(|_| {
        let what = "a column of a batch has more than 2 GiB, which its 32-bit offsets cannot reach";
        Error::new(ErrorKind::LimitExceeded, what).help("read smaller batches")
    })?;
    Ok(OffsetBuffer::new(narrowed.into()))
}

/// A column that is being gathered.
pub(super) struct Column {
    /// Index of its cell.
    pub(super) cell: usize,
    pub(super) field: FieldRef,
    values: Values,
    /// Offsets of the lists that hold the values, and the field of those.
    lists: Option<(BufferBuilder<i64>, FieldRef)>,
    /// What stands between the values of a cell.
    separator: Option<u8>,
    nulls: NullBufferBuilder,
}

impl Column {
    /// # Errors
    /// `Unsupported` for a type that cells are not read as.
    pub(super) fn new(cell: usize, field: &FieldRef, separator: Option<u8>) -> Result<Self> {
        let (value, item) = match field.data_type() {
            DataType::List(item) | DataType::LargeList(item) => (item.data_type(), Some(item)),
            value => (value, None),
        };
        let values = Values::new(value).ok_or_else(|| not_read(field))?;
        let lists = item.map(|item: &Arc<Field>| {
            let mut offsets = BufferBuilder::new(0);
            offsets.append(0);
            (offsets, Arc::clone(item))
        });
        let separator = separator.filter(|_| lists.is_some() || matches!(values, Values::Null(_)));
        let field = Arc::clone(field);
        Ok(Self { cell, field, values, lists, separator, nulls: NullBufferBuilder::new(0) })
    }

    /// Appends a cell. An empty one is missing, but for a quoted one of a column of texts.
    #[inline]
    pub(super) fn push(&mut self, cell: &[u8], is_quoted: bool) -> Result<(), Unfit> {
        let is_missing = match self.values {
            // Nothing but separators is a list of no known type.
            Values::Null(_) => cell.iter().all(|byte| Some(*byte) == self.separator),
            Values::Bytes { .. } => cell.is_empty() && !is_quoted,
            _ => cell.is_empty(),
        };
        match (&mut self.lists, is_missing) {
            (None, true) => self.values.push_missing(),
            (Some(_), true) => {}
            (None, false) => self.values.push(cell)?,
            (Some(_), false) => match self.separator {
                None => self.values.push(cell)?,
                Some(separator) => {
                    let mut rest = cell;
                    while let Some(end) = memchr(separator, rest) {
                        let (value, after) = rest.split_at(end);
                        self.values.push(value)?;
                        rest = after.get(1..).unwrap_or_default();
                    }
                    self.values.push(rest)?;
                }
            },
        }
        if let Some((offsets, _)) = &mut self.lists {
            offsets.append(self.values.len() as i64);
        }
        self.nulls.append(!is_missing);
        Ok(())
    }

    /// Drops what was appended after this many rows.
    #[cold]
    pub(super) fn truncate(&mut self, rows: usize) {
        self.nulls.truncate(rows);
        let values = match &mut self.lists {
            None => rows,
            Some((offsets, _)) => {
                let values = offsets.as_slice().get(rows).copied().unwrap_or_default();
                offsets.truncate(rows.saturating_add(1));
                usize::try_from(values).unwrap_or_default()
            }
        };
        self.values.truncate(values);
    }

    /// Hands out the rows, and leaves none.
    pub(super) fn finish(&mut self) -> Result<ArrayRef> {
        let next = NullBufferBuilder::new(self.nulls.len());
        let nulls = std::mem::replace(&mut self.nulls, next).build();
        let Some((offsets, item)) = &mut self.lists else {
            return self.values.finish(self.field.data_type(), nulls);
        };
        let values = self.values.finish(item.data_type(), None)?;
        let taken = take(offsets);
        offsets.append(0);
        let offsets = OffsetBuffer::new(ScalarBuffer::from(taken));
        Ok(match self.field.data_type() {
            DataType::List(_) => {
                Arc::new(ListArray::try_new(Arc::clone(item), narrow(&offsets)?, values, nulls)?)
            }
            _ => Arc::new(LargeListArray::try_new(Arc::clone(item), offsets, values, nulls)?),
        })
    }
}
