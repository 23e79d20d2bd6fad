//! Types that hold the values of two types.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields, TimeUnit};

/// Reason why two columns have no type in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unlike {
    /// Two types, with the path of the field that has them within the column.
    Types(Vec<String>, DataType, DataType),
    /// A field that the first lacks.
    NotInFirst(Vec<String>),
    /// A field that the second lacks.
    NotInSecond(Vec<String>),
    /// A name that several fields have.
    Twice(Vec<String>),
}

impl Unlike {
    /// Puts the name of what it is in before the path.
    fn within(mut self, name: &str) -> Self {
        let (Self::Types(path, ..) | Self::NotInFirst(path) | Self::NotInSecond(path) | Self::Twice(path)) =
            &mut self;
        path.insert(0, name.to_owned());
        self
    }
}

/// Returns a field for the values of both, with the name of the first. With `is_union` fields of structs that one of the two lacks
/// are nullable.
pub(super) fn field(first: &FieldRef, second: &FieldRef, is_union: bool) -> Result<FieldRef, Unlike> {
    if first == second {
        return Ok(Arc::clone(first));
    }
    let named = |unlike: Unlike| unlike.within(first.name());
    let data_type = merged(first.data_type(), second.data_type(), is_union).map_err(named)?;
    let is_nullable = first.is_nullable() || second.is_nullable();
    // What says more of the type than the type itself is said of both, or not at all.
    let metadata = match (first.data_type(), second.data_type()) {
        (DataType::Null, DataType::Null) => first.metadata().clone(),
        (DataType::Null, _) => second.metadata().clone(),
        (_, DataType::Null) => first.metadata().clone(),
        _ => {
            let both = |(key, value): &(&String, &String)| second.metadata().get(*key) == Some(*value);
            let kept = first.metadata().iter().filter(both);
            kept.map(|(key, value)| (key.clone(), value.clone())).collect()
        }
    };
    Ok(Arc::new(Field::new(first.name(), data_type, is_nullable).with_metadata(metadata)))
}

/// Returns the narrowest type that holds the values of both.
fn merged(first: &DataType, second: &DataType, is_union: bool) -> Result<DataType, Unlike> {
    use DataType as T;
    if first == second {
        return Ok(first.clone());
    }
    let none = || Unlike::Types(Vec::new(), first.clone(), second.clone());
    Ok(match (first, second) {
        (T::Null, other) | (other, T::Null) => other.clone(),
        (T::Dictionary(_, values), other) | (other, T::Dictionary(_, values)) => {
            let (values, other) = in_order(first, values, other);
            merged(values, other, is_union)?
        }
        (T::RunEndEncoded(_, values), other) | (other, T::RunEndEncoded(_, values)) => {
            let (values, other) = in_order(first, values.data_type(), other);
            merged(values, other, is_union)?
        }
        (T::Utf8 | T::LargeUtf8 | T::Utf8View, T::Utf8 | T::LargeUtf8 | T::Utf8View) => T::LargeUtf8,
        (first, second) if is_bytes(first) && is_bytes(second) => T::LargeBinary,
        (T::List(first), T::List(second)) => T::List(field(first, second, is_union)?),
        (T::FixedSizeList(first, size), T::FixedSizeList(second, same)) if size == same => {
            T::FixedSizeList(field(first, second, is_union)?, *size)
        }
        (T::Struct(first), T::Struct(second)) => T::Struct(fields(first, second, is_union)?),
        (T::Map(first, is_sorted), T::Map(second, also)) => {
            T::Map(entry(first, second, is_union)?, *is_sorted && *also)
        }
        (first, second) => match (item(first), item(second)) {
            (Some(first), Some(second)) => T::LargeList(field(first, second, is_union)?),
            _ => number(first, second).or_else(|| time(first, second)).ok_or_else(none)?,
        },
    })
}

/// Returns the values of what holds them, and the other type, in the order in which they were compared.
fn in_order<'a>(first: &DataType, values: &'a DataType, other: &'a DataType) -> (&'a DataType, &'a DataType) {
    if std::ptr::eq(first, other) { (other, values) } else { (values, other) }
}

fn is_bytes(data_type: &DataType) -> bool {
    use DataType as T;
    matches!(data_type, T::Binary | T::LargeBinary | T::BinaryView | T::FixedSizeBinary(_))
}

fn item(data_type: &DataType) -> Option<&FieldRef> {
    match data_type {
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _) => Some(item),
        _ => None,
    }
}

/// Returns the fields of structs: the fields of the first, then the ones that only the second has.
fn fields(first: &Fields, second: &Fields, is_union: bool) -> Result<Fields, Unlike> {
    let others = by_name(second)?;
    let known = by_name(first)?;
    let mut fields = Vec::with_capacity(first.len());
    for own in first {
        fields.push(match others.get(own.name().as_str()) {
            Some(other) => field(own, other, is_union)?,
            None if is_union => nullable(own),
            None => return Err(Unlike::NotInSecond(vec![own.name().clone()])),
        });
    }
    for other in second.iter().filter(|other| !known.contains_key(other.name().as_str())) {
        if !is_union {
            return Err(Unlike::NotInFirst(vec![other.name().clone()]));
        }
        fields.push(nullable(other));
    }
    Ok(fields.into())
}

/// Returns fields by their names.
pub(super) fn by_name(fields: &Fields) -> Result<HashMap<&str, &FieldRef>, Unlike> {
    let mut named = HashMap::with_capacity(fields.len());
    for field in fields {
        if named.insert(field.name().as_str(), field).is_some() {
            return Err(Unlike::Twice(vec![field.name().clone()]));
        }
    }
    Ok(named)
}

/// Returns the field as one whose values may be null.
pub(super) fn nullable(field: &FieldRef) -> FieldRef {
    if field.is_nullable() { Arc::clone(field) } else { Arc::new(field.as_ref().clone().with_nullable(true)) }
}

/// Returns the entries of maps, whose keys and values are matched by position.
fn entry(first: &FieldRef, second: &FieldRef, is_union: bool) -> Result<FieldRef, Unlike> {
    let none = || Unlike::Types(Vec::new(), first.data_type().clone(), second.data_type().clone());
    let (DataType::Struct(own), DataType::Struct(other)) = (first.data_type(), second.data_type()) else {
        return Err(none());
    };
    if own.len() != other.len() {
        return Err(none());
    }
    let fields = own.iter().zip(other).map(|(own, other)| field(own, other, is_union));
    let fields = fields.collect::<Result<Fields, _>>()?;
    Ok(Arc::new(first.as_ref().clone().with_data_type(DataType::Struct(fields))))
}

/// Returns the narrowest number that holds two others.
fn number(first: &DataType, second: &DataType) -> Option<DataType> {
    use DataType as T;
    let is_float = |data_type: &DataType| matches!(data_type, T::Float16 | T::Float32 | T::Float64);
    Some(match (first, second) {
        _ if first.is_integer() && second.is_integer() => integer(first, second)?,
        _ if is_float(first) && is_float(second) => {
            if *first == T::Float64 || *second == T::Float64 {
                T::Float64
            } else {
                T::Float32
            }
        }
        (integer, float) | (float, integer) if integer.is_integer() && is_float(float) => {
            match integer.primitive_width()? {
                1 | 2 if *float != T::Float64 => T::Float32,
                _ => T::Float64,
            }
        }
        _ => decimal(first, second)?,
    })
}

fn integer(first: &DataType, second: &DataType) -> Option<DataType> {
    use DataType as T;
    let bits = |data_type: &DataType| data_type.primitive_width().map(|bytes| 8 * bytes);
    let (own, other) = (bits(first)?, bits(second)?);
    let is_signed = first.is_signed_integer() || second.is_signed_integer();
    let needed = |data_type: &DataType, bits: usize| {
        if is_signed && data_type.is_unsigned_integer() { bits.saturating_add(1) } else { bits }
    };
    let needed = needed(first, own).max(needed(second, other));
    Some(match (is_signed, needed) {
        (true, ..=16) => T::Int16,
        (true, ..=32) => T::Int32,
        (true, ..=64) => T::Int64,
        (false, ..=16) => T::UInt16,
        (false, ..=32) => T::UInt32,
        (false, ..=64) => T::UInt64,
        _ => return None,
    })
}

fn decimal(first: &DataType, second: &DataType) -> Option<DataType> {
    use DataType as T;
    let digits = |data_type: &DataType| match data_type {
        T::Decimal32(precision, scale)
        | T::Decimal64(precision, scale)
        | T::Decimal128(precision, scale)
        | T::Decimal256(precision, scale) => Some((i16::from(*precision), i16::from(*scale))),
        _ => None,
    };
    let ((own, own_scale), (other, other_scale)) = digits(first).zip(digits(second))?;
    let scale = own_scale.max(other_scale);
    let whole = (own - own_scale).max(other - other_scale);
    let precision = u8::try_from((whole + scale).max(1)).ok()?;
    let scale = i8::try_from(scale).ok()?;
    match precision {
        ..=38 if !matches!((first, second), (T::Decimal256(..), _) | (_, T::Decimal256(..))) => {
            Some(T::Decimal128(precision, scale))
        }
        ..=76 => Some(T::Decimal256(precision, scale)),
        _ => None,
    }
}

/// Returns the finer of two times.
fn time(first: &DataType, second: &DataType) -> Option<DataType> {
    use DataType as T;
    Some(match (first, second) {
        (T::Timestamp(own, zone), T::Timestamp(other, other_zone)) => {
            let zone = match (zone, other_zone) {
                (Some(zone), Some(other)) if zone == other => Some(Arc::clone(zone)),
                (Some(_), Some(_)) => Some("UTC".into()),
                (None, None) => None,
                _ => return None,
            };
            T::Timestamp(finer(*own, *other), zone)
        }
        (T::Duration(own), T::Duration(other)) => T::Duration(finer(*own, *other)),
        (T::Time32(own) | T::Time64(own), T::Time32(other) | T::Time64(other)) => match finer(*own, *other) {
            unit @ (TimeUnit::Second | TimeUnit::Millisecond) => T::Time32(unit),
            unit => T::Time64(unit),
        },
        (T::Date32 | T::Date64, T::Date32 | T::Date64) => T::Date64,
        _ => return None,
    })
}

fn finer(own: TimeUnit, other: TimeUnit) -> TimeUnit {
    let rank = |unit| match unit {
        TimeUnit::Second => 0,
        TimeUnit::Millisecond => 1,
        TimeUnit::Microsecond => 2,
        TimeUnit::Nanosecond => 3,
    };
    if rank(own) >= rank(other) { own } else { other }
}

#[cfg(test)]
mod tests;
