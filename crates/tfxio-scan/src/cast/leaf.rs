//! Casts of single values.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float32Type, Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray, new_null_array};
use arrow_schema::{DataType, TimeUnit};

use super::{numbers, text, times};

/// Loss of 64-bit floats that become 32-bit floats.
pub const ROUNDED: &str = "64-bit floats are rounded to 32 bits";

/// A value that does not fit, by its index among the values that were converted.
#[derive(Debug)]
pub struct Unfit {
    pub index: usize,
    /// Reason in words.
    pub what: String,
}

/// Cast of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaf {
    /// The same type, as a plain array: no dictionary, no runs.
    Plain,
    Int64,
    Float32,
    Float64,
    Text,
    Bytes,
    /// Integers that count a unit of time.
    Ticks(TimeUnit),
    /// Times and dates in a unit that more readers know.
    Common,
    /// Always-empty lists, written as int64.
    Nothing,
}

impl Leaf {
    /// Returns the type that values of a type become; `None` where they do not.
    pub(super) fn of(self, from: &DataType) -> Option<DataType> {
        let is_number = from.is_numeric() || *from == DataType::Boolean;
        let is_text = text::is_text(from);
        match self {
            Self::Plain => Some(from.clone()),
            Self::Int64 if is_number || is_text || times::unit(from).is_some() => Some(DataType::Int64),
            Self::Float32 if is_number || is_text => Some(DataType::Float32),
            Self::Float64 if is_number || is_text => Some(DataType::Float64),
            Self::Text => text::becomes(from),
            Self::Bytes => text::bytes_of(from),
            Self::Ticks(_) if times::unit(from).is_some() => Some(DataType::Int64),
            Self::Common => times::common(from),
            Self::Nothing if *from == DataType::Null => Some(DataType::Int64),
            _ => None,
        }
    }

    /// Returns what is lost of values of a type, if anything is.
    pub(super) fn loss(self, from: &DataType) -> Option<String> {
        let rounds = |bits: u32| match from {
            DataType::Float64 if bits == 32 => Some(ROUNDED.to_owned()),
            _ if from.is_integer() && numbers::bits(from) > if bits == 32 { 24 } else { 53 } => {
                Some(format!("integers are rounded to {bits}-bit floats"))
            }
            _ if from.is_decimal() => Some(format!("decimals are rounded to {bits}-bit floats")),
            _ if text::is_text(from) => Some(format!("numbers in texts are rounded to {bits}-bit floats")),
            _ => None,
        };
        match self {
            Self::Float32 => rounds(32),
            Self::Float64 => rounds(64),
            Self::Int64 => times::meaning(from, None),
            Self::Ticks(unit) => times::meaning(from, Some(unit)),
            Self::Text => times::zone_loss(from),
            _ => None,
        }
    }

    /// Converts values. Where they must be exact, what would be rounded does not fit.
    pub(super) fn apply(self, values: &ArrayRef, is_exact: bool) -> Result<ArrayRef, Unfit> {
        match self {
            Self::Plain => Ok(Arc::clone(values)),
            Self::Int64 => numbers::integers(values),
            Self::Float32 => numbers::floats::<Float32Type>(values, is_exact),
            Self::Float64 => numbers::floats::<Float64Type>(values, is_exact),
            Self::Text => text::texts(values),
            Self::Bytes => Ok(text::bytes(values)),
            Self::Ticks(unit) => times::ticks(values, unit),
            Self::Common => times::commonly(values),
            Self::Nothing => Ok(new_null_array(&DataType::Int64, values.len())),
        }
    }
}

/// Converts each value that is not null; the first that does not fit ends it.
pub(super) fn each<From, To>(
    values: &ArrayRef,
    convert: impl Fn(From::Native) -> Option<To::Native>,
    wrong: impl Fn(From::Native) -> String,
) -> Result<ArrayRef, Unfit>
where
    From: ArrowPrimitiveType,
    To: ArrowPrimitiveType,
{
    let from = values.as_primitive::<From>();
    let mut unfit = None;
    let converted = from.values().iter().enumerate().map(|(index, value)| {
        convert(*value).unwrap_or_else(|| {
            // What is under a null has no meaning.
            if unfit.is_none() && from.is_valid(index) {
                unfit = Some((index, *value));
            }
            To::Native::default()
        })
    });
    let converted = converted.collect();
    match unfit {
        Some((index, value)) => Err(Unfit { index, what: wrong(value) }),
        None => Ok(Arc::new(PrimitiveArray::<To>::new(converted, from.nulls().cloned()))),
    }
}

/// Converts each value that is not null from a text.
pub(super) fn each_text<To: ArrowPrimitiveType>(
    values: &ArrayRef,
    convert: impl Fn(&str) -> Result<To::Native, String>,
) -> Result<ArrayRef, Unfit> {
    let mut converted = Vec::with_capacity(values.len());
    for index in 0..values.len() {
        let Some(bytes) = text::get(values, index) else {
            converted.push(To::Native::default());
            continue;
        };
        let unfit = |what| Unfit { index, what };
        let text = std::str::from_utf8(bytes).map_err(|_| unfit("the bytes are not UTF-8".to_owned()))?;
        converted.push(convert(text).map_err(unfit)?);
    }
    Ok(Arc::new(PrimitiveArray::<To>::new(converted.into(), values.logical_nulls())))
}

/// Returns the numbers of values that are stored as 64-bit integers.
pub(super) fn as_numbers<T: ArrowPrimitiveType<Native = i64>>(values: &ArrayRef) -> ArrayRef {
    Arc::new(values.as_primitive::<T>().reinterpret_cast::<Int64Type>())
}
