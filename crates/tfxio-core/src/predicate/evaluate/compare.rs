//! Comparing values with those of a predicate.

use std::cmp::Ordering;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    ArrowPrimitiveType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use tfxio_base::{Error, ErrorKind, Result};

use super::path::{Truth, or};
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
        (T::Float16, _) => floats::<Float16Type>(array, comparison, literal),
        (T::Float32, _) => floats::<Float32Type>(array, comparison, literal),
        (T::Float64, _) => floats::<Float64Type>(array, comparison, literal),
        (T::Utf8, Literal::Text(text)) => Ok(bytes(array.as_string::<i32>().iter(), comparison, text)),
        (T::LargeUtf8, Literal::Text(text)) => Ok(bytes(array.as_string::<i64>().iter(), comparison, text)),
        (T::Utf8View, Literal::Text(text)) => Ok(bytes(array.as_string_view().iter(), comparison, text)),
        (T::Binary, Literal::Text(text)) => Ok(bytes(array.as_binary::<i32>().iter(), comparison, text)),
        (T::LargeBinary, Literal::Text(text)) => Ok(bytes(array.as_binary::<i64>().iter(), comparison, text)),
        (T::BinaryView, Literal::Text(text)) => Ok(bytes(array.as_binary_view().iter(), comparison, text)),
        (T::FixedSizeBinary(_), Literal::Text(text)) => {
            Ok(bytes(array.as_fixed_size_binary().iter(), comparison, text))
        }
        _ => Err(wrong(array, literal)),
    }
}

fn integers<T>(array: &ArrayRef, comparison: Comparison, literal: &Literal) -> Result<Vec<Truth>>
where
    T: ArrowPrimitiveType<Native: Into<i128>>,
{
    let values = array.as_primitive::<T>().iter();
    match literal {
        Literal::Integer(value) => Ok(each(values, comparison, |of| Some(of.into().cmp(value)))),
        Literal::Float(value) => Ok(each(values, comparison, |of| with_float(of.into(), *value))),
        _ => Err(wrong(array, literal)),
    }
}

fn floats<T>(array: &ArrayRef, comparison: Comparison, literal: &Literal) -> Result<Vec<Truth>>
where
    T: ArrowPrimitiveType<Native: Into<f64>>,
{
    let values = array.as_primitive::<T>().iter();
    match literal {
        Literal::Integer(value) => {
            Ok(each(values, comparison, |of| with_float(*value, of.into()).map(Ordering::reverse)))
        }
        // Compared in the type of the column: 0.1 is the float that it is there.
        Literal::Float(value) if *array.data_type() == DataType::Float32 => {
            let value = f64::from(*value as f32);
            Ok(each(values, comparison, |of| of.into().partial_cmp(&value)))
        }
        Literal::Float(value) => Ok(each(values, comparison, |of| of.into().partial_cmp(value))),
        _ => Err(wrong(array, literal)),
    }
}

fn bytes<B: AsRef<[u8]>>(
    values: impl Iterator<Item = Option<B>>,
    comparison: Comparison,
    text: &str,
) -> Vec<Truth> {
    each(values, comparison, |of| Some(of.as_ref().cmp(text.as_bytes())))
}

/// Compares a whole number with another, exactly.
fn with_float(integer: i128, float: f64) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    let whole = float.trunc();
    // A cast saturates: what is larger than all whole numbers is larger than each.
    let order = integer.cmp(&(whole as i128));
    Some(order.then(0.0.partial_cmp(&(float - whole)).unwrap_or(Ordering::Equal)))
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
    Error::new(ErrorKind::SchemaMismatch, what).help("compare numbers with numbers and text with 'text'")
}
