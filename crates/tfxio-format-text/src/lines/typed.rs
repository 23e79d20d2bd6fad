//! Values of types that texts are read as only where a schema asks for it.

use std::sync::Arc;

use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, DecimalType,
    Time32MillisecondType, Time32SecondType, Time64MicrosecondType, Time64NanosecondType,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
};
use arrow_array::{ArrayRef, PrimitiveArray, UInt64Array};
use arrow_buffer::{NullBuffer, ScalarBuffer};
use arrow_schema::{DataType, TimeUnit};
use tfxio_core::Result;

use super::Unfit;
use super::numbers::unsigned;
use super::times::Temporal;

/// Values of types that are not inferred.
pub(crate) enum Typed {
    Unsigned(Vec<u64>),
    /// Dates and times, as they are stored.
    Temporal {
        values: Vec<i64>,
        of: Temporal,
        per_second: i64,
    },
    /// Decimals, with the number of their digits, and of the digits in the fraction.
    Decimal {
        values: Vec<i128>,
        precision: u8,
        scale: i8,
    },
}

impl Typed {
    pub(super) fn new(data_type: &DataType) -> Option<Self> {
        match data_type {
            DataType::UInt64 => Some(Self::Unsigned(Vec::new())),
            DataType::Decimal32(precision, scale)
            | DataType::Decimal64(precision, scale)
            | DataType::Decimal128(precision, scale)
                if *scale >= 0 =>
            {
                Some(Self::Decimal { values: Vec::new(), precision: *precision, scale: *scale })
            }
            other => {
                let (of, per_second) = Temporal::of(other)?;
                Some(Self::Temporal { values: Vec::new(), of, per_second })
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Unsigned(values) => values.len(),
            Self::Temporal { values, .. } => values.len(),
            Self::Decimal { values, .. } => values.len(),
        }
    }

    /// Appends the value of a text.
    pub(super) fn push(&mut self, text: &[u8]) -> Result<(), Unfit> {
        match self {
            Self::Unsigned(values) => values.push(unsigned(text)?),
            Self::Temporal { values, of, per_second } => values.push(of.read(text, *per_second)?),
            Self::Decimal { values, precision, scale } => values.push(decimal(text, *precision, *scale)?),
        }
        Ok(())
    }

    pub(super) fn push_missing(&mut self, count: usize) {
        match self {
            Self::Unsigned(values) => values.resize(values.len().saturating_add(count), 0),
            Self::Temporal { values, .. } => values.resize(values.len().saturating_add(count), 0),
            Self::Decimal { values, .. } => values.resize(values.len().saturating_add(count), 0),
        }
    }

    pub(super) fn truncate(&mut self, len: usize) {
        match self {
            Self::Unsigned(values) => values.truncate(len),
            Self::Temporal { values, .. } => values.truncate(len),
            Self::Decimal { values, .. } => values.truncate(len),
        }
    }

    /// Hands out the values, and leaves none.
    pub(super) fn finish(&mut self, data_type: &DataType, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        Ok(match self {
            Self::Unsigned(values) => Arc::new(UInt64Array::try_new(taken(values).into(), nulls)?),
            Self::Temporal { values, .. } => temporal(taken(values), data_type, nulls)?,
            Self::Decimal { values, precision, scale } => {
                let values = taken(values);
                match data_type {
                    DataType::Decimal32(..) => decimals::<Decimal32Type>(&values, nulls, *precision, *scale)?,
                    DataType::Decimal64(..) => decimals::<Decimal64Type>(&values, nulls, *precision, *scale)?,
                    _ => decimals::<Decimal128Type>(&values, nulls, *precision, *scale)?,
                }
            }
        })
    }
}

/// Hands out values, and leaves room for as many.
fn taken<T>(values: &mut Vec<T>) -> Vec<T> {
    let next = Vec::with_capacity(values.len());
    std::mem::replace(values, next)
}

/// Reads a number of at most `precision` digits, of which `scale` are in the fraction.
fn decimal(text: &[u8], precision: u8, scale: i8) -> Result<i128, Unfit> {
    let (is_negative, digits) = match text.split_first() {
        Some((b'-', digits)) => (true, digits),
        Some((b'+', digits)) => (false, digits),
        _ => (false, text),
    };
    let (mut value, mut fraction, mut count) = (0i128, None, 0u32);
    for byte in digits {
        match (byte, fraction) {
            (b'.', None) => fraction = Some(0i8),
            (b'0'..=b'9', _) => {
                count = count.saturating_add(1);
                let digits_after = fraction.unwrap_or_default();
                if fraction.is_some() && digits_after == scale {
                    // What follows the last digit that there is room for must be zero.
                    if *byte != b'0' {
                        return Err(Unfit::Range);
                    }
                    continue;
                }
                fraction = fraction.map(|digits_after| digits_after.saturating_add(1));
                value = value
                    .checked_mul(10)
                    .and_then(|value| value.checked_add(i128::from(byte - b'0')))
                    .ok_or(Unfit::Range)?;
            }
            _ => return Err(Unfit::Kind),
        }
    }
    if count == 0 {
        return Err(Unfit::Kind);
    }
    let missing = u32::try_from(scale.saturating_sub(fraction.unwrap_or_default())).unwrap_or_default();
    let value = 10i128.checked_pow(missing).and_then(|factor| value.checked_mul(factor));
    let most = 10i128.checked_pow(precision.into()).unwrap_or(i128::MAX);
    let value = value.filter(|value| *value < most).ok_or(Unfit::Range)?;
    Ok(if is_negative { -value } else { value })
}

/// Returns decimals, which were checked to fit, in the width of their type.
fn decimals<T: DecimalType + ArrowPrimitiveType<Native: TryFrom<i128> + Default>>(
    values: &[i128],
    nulls: Option<NullBuffer>,
    precision: u8,
    scale: i8,
) -> Result<ArrayRef> {
    let values = values.iter().map(|value| T::Native::try_from(*value).unwrap_or_default());
    let values = values.collect::<ScalarBuffer<_>>();
    let array = PrimitiveArray::<T>::try_new(values, nulls)?;
    Ok(Arc::new(array.with_precision_and_scale(precision, scale)?))
}

/// Returns dates and times, which were checked to fit 64 bits.
fn temporal(values: Vec<i64>, data_type: &DataType, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
    fn wide<T: ArrowPrimitiveType<Native = i64>>(
        values: Vec<i64>,
        data_type: &DataType,
        nulls: Option<NullBuffer>,
    ) -> Result<ArrayRef> {
        let array = PrimitiveArray::<T>::try_new(values.into(), nulls)?;
        Ok(Arc::new(array.with_data_type(data_type.clone())))
    }
    fn narrow<T: ArrowPrimitiveType<Native = i32>>(
        values: &[i64],
        nulls: Option<NullBuffer>,
    ) -> Result<ArrayRef> {
        // Of days, the last was checked to fit; times of a day do.
        let values = values.iter().map(|value| i32::try_from(*value).unwrap_or_default());
        Ok(Arc::new(PrimitiveArray::<T>::try_new(values.collect(), nulls)?))
    }
    match data_type {
        DataType::Date32 => narrow::<Date32Type>(&values, nulls),
        DataType::Time32(TimeUnit::Second) => narrow::<Time32SecondType>(&values, nulls),
        DataType::Time32(_) => narrow::<Time32MillisecondType>(&values, nulls),
        DataType::Date64 => wide::<Date64Type>(values, data_type, nulls),
        DataType::Time64(TimeUnit::Microsecond) => wide::<Time64MicrosecondType>(values, data_type, nulls),
        DataType::Time64(_) => wide::<Time64NanosecondType>(values, data_type, nulls),
        DataType::Timestamp(TimeUnit::Second, _) => wide::<TimestampSecondType>(values, data_type, nulls),
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            wide::<TimestampMillisecondType>(values, data_type, nulls)
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            wide::<TimestampMicrosecondType>(values, data_type, nulls)
        }
        _ => wide::<TimestampNanosecondType>(values, data_type, nulls),
    }
}

#[cfg(test)]
mod tests {
    use super::{Unfit, decimal};

    #[test]
    fn decimals_keep_their_digits() {
        for (text, value) in [
            ("1.5", 150),
            ("-1.50", -150),
            ("+2", 200),
            (".25", 25),
            ("3.", 300),
            ("99999999.99", 9_999_999_999),
            ("1.5000", 150),
        ] {
            assert_eq!(decimal(text.as_bytes(), 10, 2), Ok(value), "{text}");
        }
        for text in ["", "-", ".", "1e3", "1,5", "abc", "1.2.3"] {
            assert_eq!(decimal(text.as_bytes(), 10, 2), Err(Unfit::Kind), "{text}");
        }
        for text in ["1.505", "100000000", "99999999999999999999999999999999999999999"] {
            assert_eq!(decimal(text.as_bytes(), 10, 2), Err(Unfit::Range), "{text}");
        }
        assert_eq!(decimal(&[b'9'; 38], 38, 0), Ok(10i128.pow(38) - 1));
    }
}
