//! Numbers of columns: integers, times, decimals, intervals.

use arrow_array::Array;
use arrow_array::types::{ArrowPrimitiveType, Float16Type};
use arrow_buffer::{ArrowNativeType, IntervalDayTime, IntervalMonthDayNano, ScalarBuffer, i256};
use arrow_schema::{DataType, IntervalUnit, TimeUnit};
use tfxio_core::Count;

use crate::datum::write;
use crate::{Error, Kind, Result};

/// Returns the values of a column whose type stores them as `T`.
fn native<T: ArrowNativeType>(array: &dyn Array) -> Option<ScalarBuffer<T>> {
    let data = array.to_data();
    Some(ScalarBuffer::new(data.buffers().first()?.clone(), data.offset(), data.len()))
}

/// Integers of an Arrow column.
#[derive(Debug)]
pub(super) enum Integers {
    I8(ScalarBuffer<i8>),
    I16(ScalarBuffer<i16>),
    I32(ScalarBuffer<i32>),
    I64(ScalarBuffer<i64>),
    U8(ScalarBuffer<u8>),
    U16(ScalarBuffer<u16>),
    U32(ScalarBuffer<u32>),
    U64(ScalarBuffer<u64>),
}

impl Integers {
    /// Returns the values of integers, dates, times, timestamps and durations.
    pub(super) fn of(array: &dyn Array) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Int8 => Self::I8(native(array)?),
            DataType::Int16 => Self::I16(native(array)?),
            DataType::Int32 | DataType::Date32 | DataType::Time32(_) => Self::I32(native(array)?),
            DataType::UInt8 => Self::U8(native(array)?),
            DataType::UInt16 => Self::U16(native(array)?),
            DataType::UInt32 => Self::U32(native(array)?),
            DataType::UInt64 => Self::U64(native(array)?),
            DataType::Int64
            | DataType::Date64
            | DataType::Time64(_)
            | DataType::Timestamp(..)
            | DataType::Duration(_) => Self::I64(native(array)?),
            _ => return None,
        })
    }

    #[inline]
    pub(super) fn get(&self, row: usize) -> Result<i64> {
        Ok(match self {
            Self::I8(values) => i64::from(values[row]),
            Self::I16(values) => i64::from(values[row]),
            Self::I32(values) => i64::from(values[row]),
            Self::I64(values) => values[row],
            Self::U8(values) => i64::from(values[row]),
            Self::U16(values) => i64::from(values[row]),
            Self::U32(values) => i64::from(values[row]),
            Self::U64(values) => i64::try_from(values[row]).map_err(|_| {
                let what = format!("the value {} is more than a long of Avro can hold", values[row]);
                Error::new(Kind::ValueMismatch, what).help("cast the column to a decimal")
            })?,
        })
    }
}

/// From one unit of time to another.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scale {
    Times(i64),
    /// Only what leaves no rest.
    By(i64),
}

impl Scale {
    /// Returns the scale between `from` and `to` units a second, of which one is a multiple of the other.
    pub(super) fn between(from: i64, to: i64) -> Self {
        if to >= from { Self::Times(to / from) } else { Self::By(from / to) }
    }

    #[inline]
    pub(super) fn apply(self, value: i64) -> Result<i64> {
        match self {
            Self::Times(factor) => value.checked_mul(factor).ok_or_else(|| out_of_range(value)),
            Self::By(divisor) if value % divisor == 0 => Ok(value / divisor),
            Self::By(divisor) => {
                let what = format!(
                    "the time {value} is finer than the unit of Avro's logical type, which is {} as long",
                    Count::of(divisor, "time")
                );
                Err(Error::new(Kind::ValueMismatch, what).help("round the column, or use a finer type"))
            }
        }
    }
}

/// Returns a time of day as it is written in 32 bits.
///
/// # Errors
/// When it has more.
pub(super) fn short(value: i64, scale: Scale) -> Result<i64> {
    let scaled = scale.apply(value)?;
    i32::try_from(scaled).map(i64::from).map_err(|_| out_of_range(value))
}

#[cold]
fn out_of_range(value: i64) -> Error {
    let what = format!("the time {value} is out of the range of Avro's logical type");
    Error::new(Kind::ValueMismatch, what).help(OTHER_TYPE)
}

/// Help for a value that the Avro type cannot hold.
const OTHER_TYPE: &str = "cast the column, or leave it out";

/// Returns the number of units in a second.
pub(super) fn a_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

#[derive(Debug)]
pub(super) enum Floats {
    F16(ScalarBuffer<<Float16Type as ArrowPrimitiveType>::Native>),
    F32(ScalarBuffer<f32>),
    F64(ScalarBuffer<f64>),
}

impl Floats {
    pub(super) fn of(array: &dyn Array) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Float16 => Self::F16(native(array)?),
            DataType::Float32 => Self::F32(native(array)?),
            DataType::Float64 => Self::F64(native(array)?),
            _ => return None,
        })
    }

    #[inline]
    pub(super) fn write_float(&self, row: usize, out: &mut Vec<u8>) {
        write::float(
            out,
            match self {
                Self::F16(values) => values[row].to_f32(),
                Self::F32(values) => values[row],
                Self::F64(values) => values[row] as f32,
            },
        );
    }

    #[inline]
    pub(super) fn write_double(&self, row: usize, out: &mut Vec<u8>) {
        write::double(
            out,
            match self {
                Self::F16(values) => values[row].to_f64(),
                Self::F32(values) => f64::from(values[row]),
                Self::F64(values) => values[row],
            },
        );
    }
}

#[derive(Debug)]
enum Unscaled {
    I32(ScalarBuffer<i32>),
    I64(ScalarBuffer<i64>),
    I128(ScalarBuffer<i128>),
    I256(ScalarBuffer<i256>),
}

#[derive(Debug)]
pub(super) struct Decimals {
    values: Unscaled,
    /// The first number with more digits than the precision; none if every number fits.
    limit: Option<i256>,
}

impl Decimals {
    /// Returns the values of decimals that are written with a precision.
    pub(super) fn of(array: &dyn Array, precision: u32) -> Option<Self> {
        let values = match array.data_type() {
            DataType::Decimal32(..) => Unscaled::I32(native(array)?),
            DataType::Decimal64(..) => Unscaled::I64(native(array)?),
            DataType::Decimal128(..) => Unscaled::I128(native(array)?),
            DataType::Decimal256(..) => Unscaled::I256(native(array)?),
            _ => return None,
        };
        Some(Self { values, limit: i256::from_i128(10).checked_pow(precision) })
    }

    /// Returns the unscaled value, big-endian. Fails if it has more digits than its type allows, which Arrow does not
    /// check.
    #[inline]
    fn get(&self, row: usize) -> Result<[u8; 32]> {
        let value = match &self.values {
            Unscaled::I32(values) => i256::from_i128(i128::from(values[row])),
            Unscaled::I64(values) => i256::from_i128(i128::from(values[row])),
            Unscaled::I128(values) => i256::from_i128(values[row]),
            Unscaled::I256(values) => values[row],
        };
        match self.limit {
            Some(limit) if value >= limit || value <= limit.wrapping_neg() => {
                let what = format!("the unscaled decimal {value} has more digits than the precision");
                Err(Error::new(Kind::ValueMismatch, what).help(OTHER_TYPE))
            }
            _ => Ok(value.to_be_bytes()),
        }
    }

    /// Appends the unscaled value, big-endian, in as few bytes as it can have.
    #[inline]
    pub(super) fn write_bytes(&self, row: usize, out: &mut Vec<u8>) -> Result<()> {
        write::bytes(out, needed(&self.get(row)?));
        Ok(())
    }

    /// Appends the same in a known number of bytes.
    pub(super) fn write_fixed(&self, row: usize, size: usize, out: &mut Vec<u8>) -> Result<()> {
        let value = self.get(row)?;
        let needed = needed(&value);
        let Some(before) = size.checked_sub(needed.len()) else {
            let what = format!("the decimal needs {}, the fixed has {size}", Count::of(needed.len(), "byte"));
            return Err(
                Error::new(Kind::ValueMismatch, what).help("give a schema with a larger fixed, or bytes")
            );
        };
        out.extend(std::iter::repeat_n(sign(&value), before));
        out.extend_from_slice(needed);
        Ok(())
    }
}

/// Returns the byte that extends the sign to the left.
fn sign(value: &[u8; 32]) -> u8 {
    if value[0] & 0x80 == 0 { 0 } else { 0xff }
}

fn needed(value: &[u8; 32]) -> &[u8] {
    let sign = sign(value);
    let start = value.iter().take(31).take_while(|byte| **byte == sign).count();
    // One more where the first bit would say another sign.
    let start = start - usize::from(start > 0 && (value[start] ^ sign) & 0x80 != 0);
    &value[start..]
}

#[derive(Debug)]
pub(super) enum Intervals {
    YearMonth(ScalarBuffer<i32>),
    DayTime(ScalarBuffer<IntervalDayTime>),
    MonthDayNano(ScalarBuffer<IntervalMonthDayNano>),
}

impl Intervals {
    pub(super) fn of(array: &dyn Array) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Interval(IntervalUnit::YearMonth) => Self::YearMonth(native(array)?),
            DataType::Interval(IntervalUnit::DayTime) => Self::DayTime(native(array)?),
            DataType::Interval(IntervalUnit::MonthDayNano) => Self::MonthDayNano(native(array)?),
            _ => return None,
        })
    }

    /// Appends months, days and milliseconds, unsigned and little-endian.
    pub(super) fn write(&self, row: usize, out: &mut Vec<u8>) -> Result<()> {
        let (months, days, nanoseconds) = match self {
            Self::YearMonth(values) => (values[row], 0, 0),
            Self::DayTime(values) => (0, values[row].days, i64::from(values[row].milliseconds) * 1_000_000),
            Self::MonthDayNano(values) => (values[row].months, values[row].days, values[row].nanoseconds),
        };
        let milliseconds = (nanoseconds % 1_000_000 == 0).then_some(nanoseconds / 1_000_000);
        let parts = (u32::try_from(months), u32::try_from(days), milliseconds.map(u32::try_from));
        let (Ok(months), Ok(days), Some(Ok(milliseconds))) = parts else {
            let what = format!(
                "the interval of {}, {} and {} is not a duration of Avro, which has whole milliseconds and \
                 nothing negative",
                Count::of(months, "month"),
                Count::of(days, "day"),
                Count::of(nanoseconds, "nanosecond")
            );
            return Err(
                Error::new(Kind::ValueMismatch, what).help("leave the column out, or write another format")
            );
        };
        for part in [months, days, milliseconds] {
            out.extend_from_slice(&part.to_le_bytes());
        }
        Ok(())
    }
}
