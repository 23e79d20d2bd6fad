//! Comparisons of values with literals of a predicate.

use std::cmp::Ordering;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Float16Type,
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayAccessor, ArrayRef};
use arrow_buffer::BooleanBuffer;
use arrow_schema::{DataType, TimeUnit};
use tfxio_base::{Error, ErrorKind, Result};

use super::truths::Truths;
use crate::predicate::number::{Among, Floats, with_float};
use crate::predicate::time::Times;
use crate::{Comparison, Literal};

/// Whole numbers up to this one, 2^53, are 64-bit floats.
const EXACT: u128 = 1 << 53;

/// Test of a value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Test<'a> {
    Compare(Comparison, &'a Literal),
    In(&'a [Literal]),
    IsNull,
}

impl Test<'_> {
    /// Tests values that are neither lists nor structs.
    pub(super) fn values(&self, array: &ArrayRef) -> Result<Truths> {
        match self {
            Self::Compare(comparison, literal) => compare(array, *comparison, literal),
            Self::In(literals) => {
                let none = BooleanBuffer::new_unset(array.len());
                let none = Truths::new(none, array.nulls());
                literals.iter().try_fold(none, |joined, literal| {
                    Ok(joined.or(&compare(array, Comparison::Equal, literal)?))
                })
            }
            // Answered for the column.
            Self::IsNull => Ok(Truths::are_null(array.len(), array.nulls())),
        }
    }
}

fn compare(array: &ArrayRef, comparison: Comparison, literal: &Literal) -> Result<Truths> {
    use DataType as T;
    match (array.data_type(), literal) {
        (T::Boolean, Literal::Boolean(value)) => {
            let values = array.as_boolean();
            Ok(each(array, comparison, |row| Some(values.value(row).cmp(value))))
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
        (T::Utf8, Literal::Text(text)) => Ok(bytes(array, array.as_string::<i32>(), comparison, text)),
        (T::LargeUtf8, Literal::Text(text)) => Ok(bytes(array, array.as_string::<i64>(), comparison, text)),
        (T::Utf8View, Literal::Text(text)) => Ok(bytes(array, array.as_string_view(), comparison, text)),
        (T::Binary, Literal::Text(text)) => Ok(bytes(array, array.as_binary::<i32>(), comparison, text)),
        (T::LargeBinary, Literal::Text(text)) => Ok(bytes(array, array.as_binary::<i64>(), comparison, text)),
        (T::BinaryView, Literal::Text(text)) => Ok(bytes(array, array.as_binary_view(), comparison, text)),
        (T::FixedSizeBinary(_), Literal::Text(text)) => {
            Ok(bytes(array, array.as_fixed_size_binary(), comparison, text))
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

fn decimals<T>(array: &ArrayRef, scale: i8, comparison: Comparison, literal: &Literal) -> Result<Truths>
where
    T: ArrowPrimitiveType<Native: Into<i128>>,
{
    let number = literal.among_decimals(scale).ok_or_else(|| wrong(array, literal))?;
    Ok(numbers::<T>(array, comparison, |of| number.order(&of.into())))
}

fn times<T>(array: &ArrayRef, of: Times, comparison: Comparison, text: &str) -> Result<Truths>
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
    Ok(numbers::<T>(array, comparison, |value| time.order(&value.into())))
}

fn integers<T>(array: &ArrayRef, comparison: Comparison, literal: &Literal) -> Result<Truths>
where
    T: ArrowPrimitiveType<Native: Into<i128> + TryFrom<i128> + Ord>,
{
    let number = literal.among_integers().ok_or_else(|| wrong(array, literal))?;
    if let Among::At(number) = number
        && let Ok(number) = T::Native::try_from(number)
    {
        return Ok(numbers::<T>(array, comparison, |of| Some(of.cmp(&number))));
    }
    Ok(numbers::<T>(array, comparison, |of| number.order(&of.into())))
}

fn floats<T>(array: &ArrayRef, floats: Floats, comparison: Comparison, literal: &Literal) -> Result<Truths>
where
    T: ArrowPrimitiveType<Native: Into<f64>>,
{
    if let Literal::Integer(value) = literal {
        // Exact as a float.
        return Ok(if value.unsigned_abs() <= EXACT {
            let number = *value as f64;
            numbers::<T>(array, comparison, |of| of.into().partial_cmp(&number))
        } else {
            numbers::<T>(array, comparison, |of| with_float(*value, of.into()))
        });
    }
    // Compared in the type of the column: 0.1 is the float that it is there.
    let number = literal.among_floats(floats).ok_or_else(|| wrong(array, literal))?;
    Ok(numbers::<T>(array, comparison, |of| number.order(&of.into())))
}

fn bytes<A>(array: &ArrayRef, values: A, comparison: Comparison, text: &str) -> Truths
where
    A: ArrayAccessor<Item: AsRef<[u8]>>,
{
    each(array, comparison, |row| Some(values.value(row).as_ref().cmp(text.as_bytes())))
}

fn numbers<T: ArrowPrimitiveType>(
    array: &ArrayRef,
    comparison: Comparison,
    order: impl Fn(T::Native) -> Option<Ordering>,
) -> Truths {
    let values = array.as_primitive::<T>().values();
    each(array, comparison, |row| values.get(row).and_then(|value| order(*value)))
}

/// Compares the value of each row, null or not.
fn each(array: &ArrayRef, comparison: Comparison, order: impl Fn(usize) -> Option<Ordering>) -> Truths {
    // A bit for each order in which the comparison holds.
    let (less, equal, greater, none) = (1u8, 2, 4, 8);
    let holding = match comparison {
        Comparison::Equal => equal,
        Comparison::NotEqual => less | greater | none,
        Comparison::Less => less,
        Comparison::LessOrEqual => less | equal,
        Comparison::Greater => greater,
        Comparison::GreaterOrEqual => greater | equal,
    };
    let holds = |row| {
        let order = match order(row) {
            Some(Ordering::Less) => less,
            Some(Ordering::Equal) => equal,
            Some(Ordering::Greater) => greater,
            None => none,
        };
        holding & order != 0
    };
    Truths::new(BooleanBuffer::collect_bool(array.len(), holds), array.nulls())
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
