//! Binding of columns to Avro types without nested types.

use std::collections::HashMap;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_schema::{DataType, TimeUnit};

use super::bytes::Bytes;
use super::column::Values;
use super::number::{Decimals, Floats, Integers, Intervals, Scale, a_second};
use crate::schema::{AvroSchema, Logical, Type, TypeId};

/// Returns the values as they are written, if the column fits the type.
pub(super) fn values<'a>(schema: &'a AvroSchema, id: TypeId, array: &'a dyn Array) -> Option<Values<'a>> {
    let data_type = array.data_type();
    let logical = schema.logical(id);
    match (schema.get(id), logical) {
        (Type::Null, _) => (*data_type == DataType::Null).then_some(Values::Nothing),
        (Type::Boolean, _) => array.as_boolean_opt().map(Values::Boolean),
        (Type::Int, _) => match (logical, data_type) {
            (_, DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::UInt8 | DataType::UInt16)
            | (None, DataType::Date32 | DataType::Time32(_))
            | (Some(Logical::Date), DataType::Date32) => Integers::of(array).map(Values::Long),
            (Some(Logical::TimeMillis), DataType::Time32(_) | DataType::Time64(_)) => scaled(array, 1000)
                .map(|values| match values {
                    Values::Time(values, scale) => Values::ShortTime(values, scale),
                    values => values,
                }),
            _ => None,
        },
        (Type::Long, _) => long(logical, array),
        (Type::Float, _) if *data_type == DataType::Float64 => None,
        (Type::Float, _) => Floats::of(array).map(Values::Float),
        (Type::Double, _) => Floats::of(array).map(Values::Double),
        (Type::String, Some(Logical::Uuid)) if *data_type == DataType::FixedSizeBinary(16) => {
            Bytes::of(array).map(Values::Uuid)
        }
        (Type::String, _) => Bytes::strings(array).map(Values::Sized),
        (Type::Bytes, Some(Logical::Decimal { precision, scale })) if fits(precision, scale, data_type) => {
            Decimals::of(array, precision).map(Values::Decimal)
        }
        (Type::Bytes, _) => Bytes::of(array).map(Values::Sized),
        (Type::Fixed(fixed), Some(Logical::Decimal { precision, scale }))
            if fits(precision, scale, data_type) =>
        {
            Decimals::of(array, precision).map(|values| Values::FixedDecimal(values, fixed.size()))
        }
        (Type::Fixed(_), Some(Logical::Duration)) if matches!(data_type, DataType::Interval(_)) => {
            Intervals::of(array).map(Values::Interval)
        }
        (Type::Fixed(fixed), _) => match data_type {
            DataType::FixedSizeBinary(size) if usize::try_from(*size) == Ok(fixed.size()) => {
                Bytes::of(array).map(Values::Raw)
            }
            _ => None,
        },
        (Type::Enum(symbols), _) => {
            let numbers = (0..).zip(symbols.symbols()).map(|(number, symbol)| (symbol.as_bytes(), number));
            let numbers = numbers.collect::<HashMap<_, _>>();
            Bytes::strings(array).map(|values| Values::Symbol(values, numbers))
        }
        _ => None,
    }
}

fn long<'a>(logical: Option<Logical>, array: &'a dyn Array) -> Option<Values<'a>> {
    let (a_second, is_local) = match (logical, array.data_type()) {
        (
            _,
            DataType::Int8
            | DataType::Int16
            | DataType::Int32
            | DataType::Int64
            | DataType::UInt8
            | DataType::UInt16
            | DataType::UInt32
            | DataType::UInt64,
        )
        | (None, _) => return Integers::of(array).map(Values::Long),
        (Some(Logical::TimeMicros), DataType::Time32(_) | DataType::Time64(_)) => {
            return scaled(array, 1_000_000);
        }
        (Some(Logical::TimestampMillis), _) => (1000, false),
        (Some(Logical::TimestampMicros), _) => (1_000_000, false),
        (Some(Logical::TimestampNanos), _) => (1_000_000_000, false),
        (Some(Logical::LocalTimestampMillis), _) => (1000, true),
        (Some(Logical::LocalTimestampMicros), _) => (1_000_000, true),
        (Some(Logical::LocalTimestampNanos), _) => (1_000_000_000, true),
        _ => return None,
    };
    match array.data_type() {
        DataType::Timestamp(_, zone) if zone.is_none() == is_local => scaled(array, a_second),
        DataType::Date64 if is_local => scaled(array, a_second),
        _ => None,
    }
}

/// Returns times in the unit of which `to` are a second.
fn scaled(array: &dyn Array, to: i64) -> Option<Values<'_>> {
    let from = match array.data_type() {
        DataType::Date64 => a_second(TimeUnit::Millisecond),
        DataType::Time32(unit) | DataType::Time64(unit) | DataType::Timestamp(unit, _) => a_second(*unit),
        _ => return None,
    };
    let values = Integers::of(array)?;
    Some(if from == to { Values::Long(values) } else { Values::Time(values, Scale::between(from, to)) })
}

fn fits(precision: u32, scale: u32, data_type: &DataType) -> bool {
    match *data_type {
        DataType::Decimal32(digits, behind)
        | DataType::Decimal64(digits, behind)
        | DataType::Decimal128(digits, behind)
        | DataType::Decimal256(digits, behind) => {
            u32::from(digits) <= precision && u32::try_from(behind) == Ok(scale)
        }
        _ => false,
    }
}
