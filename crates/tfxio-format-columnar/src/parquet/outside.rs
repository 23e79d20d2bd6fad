//! The first value of a column that is outside of bounds, looked for in whole columns at once.

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, ArrowPrimitiveType, types};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, TimeUnit};

use tfxio_scan::filter::possible::Value;

/// Values that are looked at before it is asked which of them are null.
const AT_ONCE: usize = 64;

/// Returns the row of the first value that is below `min` or above `max`; nothing for types of which statistics have no values.
/// Null is outside of nothing, and neither is NaN.
pub(super) fn first(values: &dyn Array, min: &Value, max: &Value) -> Option<usize> {
    use DataType as T;
    let nulls = values.logical_nulls();
    let nulls = nulls.as_ref();
    match (values.data_type(), min, max) {
        (T::Boolean, Value::Boolean(min), Value::Boolean(max)) => {
            let values = values.as_boolean_opt()?;
            of_each(values.len(), nulls, |row| !(*min..=*max).contains(&values.value(row)))
        }
        (T::Float32, Value::Single(min), Value::Single(max)) => {
            of_numbers::<types::Float32Type>(values, nulls, |value| value < *min || value > *max)
        }
        (T::Float64, Value::Double(min), Value::Double(max)) => {
            of_numbers::<types::Float64Type>(values, nulls, |value| value < *min || value > *max)
        }
        (_, Value::Integer(min), Value::Integer(max)) => integers(values, nulls, *min, *max),
        (T::Dictionary(..), ..) => {
            let dictionary = values.as_any_dictionary_opt()?;
            let entries = dictionary.values();
            let outside = (0..entries.len()).map(|at| first(&*entries.slice(at, 1), min, max).is_some());
            let outside = outside.collect::<Vec<_>>();
            let keys = dictionary.normalized_keys();
            of_each(keys.len(), nulls, |row| {
                keys.get(row).and_then(|key| outside.get(*key)).is_some_and(|outside| *outside)
            })
        }
        (_, Value::Bytes(min), Value::Bytes(max)) => bytes(values, nulls, min, max),
        _ => None,
    }
}

fn integers(values: &dyn Array, nulls: Option<&NullBuffer>, min: i128, max: i128) -> Option<usize> {
    macro_rules! of {
        ($type:ident) => {{
            type Native = <types::$type as ArrowPrimitiveType>::Native;
            // Bounds beyond the type are those of the type, or leave out all of its values.
            let (lowest, highest) = (i128::from(Native::MIN), i128::from(Native::MAX));
            let is_empty = min > highest || max < lowest;
            let bounds = (min.clamp(lowest, highest) as Native)..=(max.clamp(lowest, highest) as Native);
            of_numbers::<types::$type>(values, nulls, |value| is_empty || !bounds.contains(&value))
        }};
    }
    match values.data_type() {
        DataType::Int8 => of!(Int8Type),
        DataType::Int16 => of!(Int16Type),
        DataType::Int32 => of!(Int32Type),
        DataType::Int64 => of!(Int64Type),
        DataType::UInt8 => of!(UInt8Type),
        DataType::UInt16 => of!(UInt16Type),
        DataType::UInt32 => of!(UInt32Type),
        DataType::UInt64 => of!(UInt64Type),
        DataType::Date32 => of!(Date32Type),
        DataType::Timestamp(TimeUnit::Second, _) => of!(TimestampSecondType),
        DataType::Timestamp(TimeUnit::Millisecond, _) => of!(TimestampMillisecondType),
        DataType::Timestamp(TimeUnit::Microsecond, _) => of!(TimestampMicrosecondType),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => of!(TimestampNanosecondType),
        _ => None,
    }
}

fn bytes(values: &dyn Array, nulls: Option<&NullBuffer>, min: &[u8], max: &[u8]) -> Option<usize> {
    let is_outside = |value: &[u8]| value < min || value > max;
    let rows = values.len();
    match values.data_type() {
        DataType::Utf8 => {
            let values = values.as_string_opt::<i32>()?;
            of_each(rows, nulls, |row| is_outside(values.value(row).as_bytes()))
        }
        DataType::LargeUtf8 => {
            let values = values.as_string_opt::<i64>()?;
            of_each(rows, nulls, |row| is_outside(values.value(row).as_bytes()))
        }
        DataType::Utf8View => {
            let values = values.as_string_view_opt()?;
            of_each(rows, nulls, |row| is_outside(values.value(row).as_bytes()))
        }
        DataType::Binary => {
            let values = values.as_binary_opt::<i32>()?;
            of_each(rows, nulls, |row| is_outside(values.value(row)))
        }
        DataType::LargeBinary => {
            let values = values.as_binary_opt::<i64>()?;
            of_each(rows, nulls, |row| is_outside(values.value(row)))
        }
        DataType::BinaryView => {
            let values = values.as_binary_view_opt()?;
            of_each(rows, nulls, |row| is_outside(values.value(row)))
        }
        DataType::FixedSizeBinary(_) => {
            let values = values.as_fixed_size_binary_opt()?;
            of_each(rows, nulls, |row| is_outside(values.value(row)))
        }
        _ => None,
    }
}

/// Checks the values one by one, without nulls, and returns the first row outside.
fn of_each(rows: usize, nulls: Option<&NullBuffer>, is_outside: impl Fn(usize) -> bool) -> Option<usize> {
    (0..rows).find(|row| nulls.is_none_or(|nulls| nulls.is_valid(*row)) && is_outside(*row))
}

/// Looks at many values at once, whatever is there where they are null.
fn of_numbers<T: ArrowPrimitiveType>(
    values: &dyn Array,
    nulls: Option<&NullBuffer>,
    is_outside: impl Fn(T::Native) -> bool,
) -> Option<usize> {
    let values = values.as_primitive_opt::<T>()?.values();
    values.chunks(AT_ONCE).enumerate().find_map(|(number, chunk)| {
        if !chunk.iter().fold(false, |any, value| any | is_outside(*value)) {
            return None;
        }
        let start = number * AT_ONCE;
        let is_valid = |row: usize| nulls.is_none_or(|nulls| nulls.is_valid(row));
        let mut rows = chunk.iter().zip(start..);
        rows.find(|(value, row)| is_outside(**value) && is_valid(*row)).map(|(_, row)| row)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, DictionaryArray, Float32Array, Int8Array, StringArray, UInt64Array};

    use super::*;

    fn integer(number: i128) -> Value {
        Value::Integer(number)
    }

    #[test]
    fn the_first_that_is_outside_and_there_is_found() {
        let mut numbers = vec![Some(5u64); 200];
        numbers[70] = None;
        numbers[150] = Some(u64::MAX);
        let numbers = UInt64Array::from(numbers);
        assert_eq!(first(&numbers, &integer(5), &integer(5)), Some(150));
        assert_eq!(first(&numbers, &integer(-1), &integer(u64::MAX.into())), None);
        assert_eq!(first(&numbers, &integer(i128::from(u64::MAX) + 1), &integer(i128::MAX)), Some(0));
        assert_eq!(first(&numbers.slice(1, 149), &integer(5), &integer(5)), None);
        assert_eq!(first(&Int8Array::from(vec![-128, 127]), &integer(-129), &integer(126)), Some(1));
        assert_eq!(first(&Int8Array::from(vec![0]), &integer(-400), &integer(-300)), Some(0));

        let floats = Float32Array::from(vec![f32::NAN, 1.0, -0.0, 2.5]);
        assert_eq!(first(&floats, &Value::Single(0.0), &Value::Single(2.0)), Some(3));

        let words = StringArray::from(vec![None, Some("b"), Some("c"), Some("d")]);
        let (min, max) = (Value::Bytes(b"b".to_vec()), Value::Bytes(b"c".to_vec()));
        assert_eq!(first(&words, &min, &max), Some(3));
        let keys = Int8Array::from(vec![Some(0), None, Some(1), Some(2), Some(3)]);
        let entries: ArrayRef = Arc::new(StringArray::from(vec![Some("b"), Some("c"), None, Some("a")]));
        assert_eq!(first(&DictionaryArray::new(keys, entries), &min, &max), Some(4));
    }
}
