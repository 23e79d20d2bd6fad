//! Comparing values with those of a predicate.

use std::cmp::Ordering;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Float16Type,
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};
use tfxio_base::{Error, ErrorKind, Result};

use super::path::{Truth, or};
use crate::predicate::number::{Floats, with_float};
use crate::predicate::time::Times;
use crate::{Comparison, Literal};

/// What is asked of a value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Test<'a> {
    Compare(Comparison, &'a Literal),
    In(&'a [Literal]),
    IsNull,
}

impl Test<'_> {
    /// Tests values that are neither lists nor structs.
    pub(super) fn values(&self, array: &ArrayRef) -> Result<Vec<Truth>> {
        match self {
            Self::Compare(comparison, literal) => compare(array, *comparison, literal),
            Self::In(literals) => {
                let mut joined: Vec<Truth> = match array.nulls() {
                    Some(nulls) => nulls.iter().map(|valid| valid.then_some(false)).collect(),
                    None => vec![Some(false); array.len()],
                };
                for literal in *literals {
                    for (truth, other) in joined.iter_mut().zip(compare(array, Comparison::Equal, literal)?) {
                        *truth = or(*truth, other);
                    }
                }
                Ok(joined)
            }
            // Answered for the column.
            Self::IsNull => Ok((0..array.len()).map(|row| Some(array.is_null(row))).collect()),
        }
    }
}

fn compare(array: &ArrayRef, comparison: Comparison, literal: &Literal) -> Result<Vec<Truth>> {
    use DataType as T;
    match (array.data_type(), literal) {
        (T::Boolean, Literal::Boolean(value)) => {
            Ok(each(array.as_boolean().iter(), comparison, |of| Some(of.cmp(value))))
        }
        (T::Int8, _) => integers::<Int8Type>(array, comparison, literal),
        (T::Int16, _) => integers::<Int16Type>(array, comparison, literal),
        (T::Int32, _) => integers::<Int32Type>(array, comparison, literal),
        (T::Int64, _) => integers::<Int64Type>(array, comparison, literal),
        (T::UInt8, _) => integers::<UInt8Type>(array, comparison, literal),
        (T::UInt16, _) => integers::<UInt16Type>(array, comparison, literal),
        (T::UInt32, _) => integers::<UInt32Type>(array, comparison, literal),
        (T::UInt64, _) => integers::<UInt64Type>(array, comparison, literal),
        (T::Float16, _) => floats::<Float16Type>(array, Floats::Half, comparison, literal),
        (T::Float32, _) => floats::<Float32Type>(array, Floats::Single, comparison, literal),
        (T::Float64, _) => floats::<Float64Type>(array, Floats::Double, comparison, literal),
        (T::Utf8, Literal::Text(text)) => Ok(bytes(array.as_string::<i32>().iter(), comparison, text)),
        (T::LargeUtf8, Literal::Text(text)) => Ok(bytes(array.as_string::<i64>().iter(), comparison, text)),
        (T::Utf8View, Literal::Text(text)) => Ok(bytes(array.as_string_view().iter(), comparison, text)),
        (T::Binary, Literal::Text(text)) => Ok(bytes(array.as_binary::<i32>().iter(), comparison, text)),
        (T::LargeBinary, Literal::Text(text)) => Ok(bytes(array.as_binary::<i64>().iter(), comparison, text)),
        (T::BinaryView, Literal::Text(text)) => Ok(bytes(array.as_binary_view().iter(), comparison, text)),
        (T::FixedSizeBinary(_), Literal::Text(text)) => {
            Ok(bytes(array.as_fixed_size_binary().iter(), comparison, text))
        }
        (T::Decimal32(_, scale), _) => decimals::<Decimal32Type>(array, *scale, comparison, literal),
        (T::Decimal64(_, scale), _) => decimals::<Decimal64Type>(array, *scale, comparison, literal),
        (T::Decimal128(_, scale), _) => decimals::<Decimal128Type>(array, *scale, comparison, literal),
        (T::Date32, Literal::Text(text)) => times::<Date32Type>(array, Times::Days, comparison, text),
        (T::Date64, Literal::Text(text)) => {
            times::<Date64Type>(array, Times::Units(TimeUnit::Millisecond), comparison, text)
        }
        (T::Timestamp(unit, _), Literal::Text(text)) => {
            let of = Times::Units(*unit);
            match unit {
                TimeUnit::Second => times::<TimestampSecondType>(array, of, comparison, text),
                TimeUnit::Millisecond => times::<TimestampMillisecondType>(array, of, comparison, text),
                TimeUnit::Microsecond => times::<TimestampMicrosecondType>(array, of, comparison, text),
                TimeUnit::Nanosecond => times::<TimestampNanosecondType>(array, of, comparison, text),
            }
        }
        _ => Err(wrong(array, literal)),
    }
}

fn decimals<T>(array: &ArrayRef, scale: i8, comparison: Comparison, literal: &Literal) -> Result<Vec<Truth>>
where
    T: ArrowPrimitiveType<Native: Into<i128>>,
{
    let number = literal.among_decimals(scale).ok_or_else(|| wrong(array, literal))?;
    Ok(each(array.as_primitive::<T>().iter(), comparison, |of| number.order(&of.into())))
}

fn times<T>(array: &ArrayRef, of: Times, comparison: Comparison, text: &str) -> Result<Vec<Truth>>
where
    T: ArrowPrimitiveType<Native: Into<i128>>,
{
    let has_zone = matches!(array.data_type(), DataType::Timestamp(_, Some(_)));
    let time = of.among(text, has_zone).ok_or_else(|| {
        let what = format!(
            "the column has Arrow type {}, and {:?} is not such a date or timestamp",
            array.data_type(),
            text
        );
        let help = match has_zone {
            true => "write '2026-11-24T12:30:00Z', with any offset from UTC",
            false => "write '2026-11-24' or '2026-11-24T12:30:00.5', without an offset from UTC",
        };
        Error::new(ErrorKind::SchemaMismatch, what).help(help)
    })?;
    Ok(each(array.as_primitive::<T>().iter(), comparison, |value| time.order(&value.into())))
}

fn integers<T>(array: &ArrayRef, comparison: Comparison, literal: &Literal) -> Result<Vec<Truth>>
where
    T: ArrowPrimitiveType<Native: Into<i128>>,
{
    let number = literal.among_integers().ok_or_else(|| wrong(array, literal))?;
    Ok(each(array.as_primitive::<T>().iter(), comparison, |of| number.order(&of.into())))
}

fn floats<T>(
    array: &ArrayRef,
    floats: Floats,
    comparison: Comparison,
    literal: &Literal,
) -> Result<Vec<Truth>>
where
    T: ArrowPrimitiveType<Native: Into<f64>>,
{
    let values = array.as_primitive::<T>().iter();
    if let Literal::Integer(value) = literal {
        return Ok(each(values, comparison, |of| with_float(*value, of.into())));
    }
    // Compared in the type of the column: 0.1 is the float that it is there.
    let number = literal.among_floats(floats).ok_or_else(|| wrong(array, literal))?;
    Ok(each(values, comparison, |of| number.order(&of.into())))
}

fn bytes<B: AsRef<[u8]>>(
    values: impl Iterator<Item = Option<B>>,
    comparison: Comparison,
    text: &str,
) -> Vec<Truth> {
    each(values, comparison, |of| Some(of.as_ref().cmp(text.as_bytes())))
}

fn each<V>(
    values: impl Iterator<Item = Option<V>>,
    comparison: Comparison,
    order: impl Fn(V) -> Option<Ordering>,
) -> Vec<Truth> {
    let holds = |order: Option<Ordering>| match (comparison, order) {
        (Comparison::Equal, order) => order == Some(Ordering::Equal),
        (Comparison::NotEqual, order) => order != Some(Ordering::Equal),
        (_, None) => false,
        (Comparison::Less, Some(order)) => order.is_lt(),
        (Comparison::LessOrEqual, Some(order)) => order.is_le(),
        (Comparison::Greater, Some(order)) => order.is_gt(),
        (Comparison::GreaterOrEqual, Some(order)) => order.is_ge(),
    };
    values.map(|value| value.map(|value| holds(order(value)))).collect()
}

fn wrong(array: &ArrayRef, literal: &Literal) -> Error {
    let what =
        format!("the column has Arrow type {}, which cannot be compared with {literal}", array.data_type());
    let help = match array.data_type() {
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => {
            "compare dates and timestamps with texts such as '2026-11-24' and '2026-11-24T12:30:00'"
        }
        DataType::Decimal256(..) | DataType::Time32(_) | DataType::Time64(_) | DataType::Duration(_) => {
            "convert the column with --cast before, and compare numbers with numbers"
        }
        _ => "compare numbers with numbers and text with 'text'",
    };
    Error::new(ErrorKind::InvalidArgument, what).help(help)
}
