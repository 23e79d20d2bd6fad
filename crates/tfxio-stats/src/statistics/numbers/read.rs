//! The numbers of arrays of all types.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type,
    DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType, DurationSecondType,
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, Time32MillisecondType,
    Time32SecondType, Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, PrimitiveArray};
use arrow_schema::{DataType, TimeUnit};

use super::CHUNK;
use crate::statistics::keys::{NumberKind, signed_key};

/// Returns the kind of the numbers of a type; nothing where it has none. Times are integers of their unit, booleans 0 and 1.
pub(in crate::statistics) fn kind_of(data_type: &DataType) -> Option<NumberKind> {
    Some(match data_type {
        DataType::UInt64 => NumberKind::Unsigned,
        DataType::Boolean
        | DataType::Date32
        | DataType::Date64
        | DataType::Time32(_)
        | DataType::Time64(_)
        | DataType::Timestamp(..)
        | DataType::Duration(_) => NumberKind::Signed,
        integer if integer.is_integer() => NumberKind::Signed,
        DataType::Decimal32(..) | DataType::Decimal64(..) | DataType::Decimal128(..) => NumberKind::Float,
        float if float.is_floating() => NumberKind::Float,
        _ => return None,
    })
}

/// A function of numbers and, where their kind is not float, of their keys.
type Each<'a> = &'a mut dyn FnMut(&mut Vec<f64>, Option<&[u64]>);

/// Numbers as floats, and their keys.
#[derive(Default)]
struct Chunk {
    numbers: Vec<f64>,
    keys: Vec<u64>,
}

/// Calls a function with chunks of the values that are not null, as floats, and with keys where the kind is not float.
pub(super) fn for_each_chunk(array: &dyn Array, mut each: impl FnMut(&mut Vec<f64>, Option<&[u64]>)) {
    let each: Each<'_> = &mut each;
    let chunk = &mut Chunk::default();
    match array.data_type() {
        DataType::UInt64 => {
            let values = valid_values(array.as_primitive::<UInt64Type>());
            for part in values.chunks(CHUNK) {
                chunk.numbers.clear();
                chunk.numbers.extend(part.iter().map(|value| *value as f64));
                each(&mut chunk.numbers, Some(part));
            }
        }
        DataType::Boolean => {
            let values: Vec<i64> = array.as_boolean().iter().flatten().map(i64::from).collect();
            integers(&values, |value| value, chunk, each);
        }
        _ => by_type(array, ByType { chunk, each }),
    }
}

struct ByType<'a, 'b> {
    chunk: &'a mut Chunk,
    each: Each<'b>,
}

impl ByType<'_, '_> {
    fn integers<T: ArrowPrimitiveType>(self, array: &dyn Array)
    where
        T::Native: Into<i64>,
    {
        let values = valid_values(array.as_primitive::<T>());
        integers(&values, |value: T::Native| value.into(), self.chunk, self.each);
    }

    fn floats<T: ArrowPrimitiveType>(self, array: &dyn Array, to_float: impl Fn(T::Native) -> f64) {
        let values = valid_values(array.as_primitive::<T>());
        for part in values.chunks(CHUNK) {
            self.chunk.numbers.clear();
            self.chunk.numbers.extend(part.iter().map(|value| to_float(*value)));
            (self.each)(&mut self.chunk.numbers, None);
        }
    }
}

fn integers<N: Copy>(values: &[N], to_integer: impl Fn(N) -> i64, chunk: &mut Chunk, each: Each<'_>) {
    for part in values.chunks(CHUNK) {
        chunk.numbers.clear();
        chunk.numbers.extend(part.iter().map(|value| to_integer(*value) as f64));
        chunk.keys.clear();
        chunk.keys.extend(part.iter().map(|value| signed_key(to_integer(*value))));
        each(&mut chunk.numbers, Some(&chunk.keys));
    }
}

/// Returns the values that are not null: the buffer itself if none is null.
fn valid_values<T: ArrowPrimitiveType>(array: &PrimitiveArray<T>) -> std::borrow::Cow<'_, [T::Native]> {
    if array.null_count() == 0 {
        return std::borrow::Cow::Borrowed(array.values());
    }
    std::borrow::Cow::Owned(array.iter().flatten().collect())
}

fn by_type(array: &dyn Array, to: ByType<'_, '_>) {
    match array.data_type() {
        DataType::Int8 => to.integers::<Int8Type>(array),
        DataType::Int16 => to.integers::<Int16Type>(array),
        DataType::Int32 => to.integers::<Int32Type>(array),
        DataType::Int64 => to.integers::<Int64Type>(array),
        DataType::UInt8 => to.integers::<UInt8Type>(array),
        DataType::UInt16 => to.integers::<UInt16Type>(array),
        DataType::UInt32 => to.integers::<UInt32Type>(array),
        DataType::Date32 => to.integers::<Date32Type>(array),
        DataType::Date64 => to.integers::<Date64Type>(array),
        DataType::Time32(TimeUnit::Second) => to.integers::<Time32SecondType>(array),
        DataType::Time32(_) => to.integers::<Time32MillisecondType>(array),
        DataType::Time64(TimeUnit::Microsecond) => to.integers::<Time64MicrosecondType>(array),
        DataType::Time64(_) => to.integers::<Time64NanosecondType>(array),
        DataType::Timestamp(TimeUnit::Second, _) => to.integers::<TimestampSecondType>(array),
        DataType::Timestamp(TimeUnit::Millisecond, _) => to.integers::<TimestampMillisecondType>(array),
        DataType::Timestamp(TimeUnit::Microsecond, _) => to.integers::<TimestampMicrosecondType>(array),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => to.integers::<TimestampNanosecondType>(array),
        DataType::Duration(TimeUnit::Second) => to.integers::<DurationSecondType>(array),
        DataType::Duration(TimeUnit::Millisecond) => to.integers::<DurationMillisecondType>(array),
        DataType::Duration(TimeUnit::Microsecond) => to.integers::<DurationMicrosecondType>(array),
        DataType::Duration(TimeUnit::Nanosecond) => to.integers::<DurationNanosecondType>(array),
        DataType::Float16 => to.floats::<Float16Type>(array, f64::from),
        DataType::Float32 => to.floats::<Float32Type>(array, f64::from),
        DataType::Float64 => to.floats::<Float64Type>(array, |value| value),
        DataType::Decimal32(_, scale) => {
            to.floats::<Decimal32Type>(array, scaled(*scale, |value: i32| f64::from(value)));
        }
        DataType::Decimal64(_, scale) => {
            to.floats::<Decimal64Type>(array, scaled(*scale, |value: i64| value as f64))
        }
        DataType::Decimal128(_, scale) => {
            to.floats::<Decimal128Type>(array, scaled(*scale, |value: i128| value as f64));
        }
        _ => {}
    }
}

fn scaled<N>(scale: i8, to_float: impl Fn(N) -> f64) -> impl Fn(N) -> f64 {
    let factor = 10f64.powi(i32::from(scale));
    move |value| to_float(value) / factor
}

/// Calls a function with the row of each value that is not null, and the value.
pub(in crate::statistics) fn for_each_valid(array: &dyn Array, mut each: impl FnMut(usize, f64)) {
    let nulls = array.logical_nulls();
    let mut rows = (0..array.len()).filter(|row| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(*row)));
    for_each_chunk(array, |numbers, _| {
        for number in numbers.iter() {
            if let Some(row) = rows.next() {
                each(row, *number);
            }
        }
    });
}
