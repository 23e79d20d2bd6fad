//! Casts to a common type, for a column whose types differ between the files of a set.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, Float32Type, Float64Type, Int16Type,
    Int32Type, Int64Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, FixedSizeListArray, GenericListArray, LargeBinaryArray,
    LargeStringArray, MapArray, OffsetSizeTrait, PrimitiveArray, StructArray, UInt64Array, make_array,
    new_null_array,
};
use arrow_buffer::{OffsetBuffer, i256};
use arrow_schema::{DataType, FieldRef, Fields, TimeUnit};
use arrow_select::take::take;
use tfxio_core::{Error, ErrorKind};

use super::column_change::{Failed, unpack};
use super::leaf::{Unfit, each};
use super::{numbers, times};

/// Returns an array as one of a type that [`merged`](crate::merge) types of files to. Fields of structs are matched by their names;
/// one that the array lacks is null.
///
/// # Errors
/// `Unfit` for a value that the type does not hold: an integer that is not exactly a float, or a time beyond the range of a unit.
pub fn fit(array: &ArrayRef, to: &DataType) -> Result<ArrayRef, Failed> {
    if array.data_type() == to {
        return Ok(Arc::clone(array));
    }
    Ok(match (array.data_type(), to) {
        (DataType::Null, _) => new_null_array(to, array.len()),
        (
            DataType::Dictionary(..)
            | DataType::RunEndEncoded(..)
            | DataType::ListView(_)
            | DataType::LargeListView(_),
            _,
        ) => return fit(&unpack(array)?, to),
        (DataType::List(_), DataType::List(item)) => lists::<i32, i32>(array, item)?,
        (DataType::List(_), DataType::LargeList(item)) => lists::<i32, i64>(array, item)?,
        (DataType::LargeList(_), DataType::LargeList(item)) => lists::<i64, i64>(array, item)?,
        (DataType::FixedSizeList(_, size), DataType::FixedSizeList(item, same)) if size == same => {
            fixed_lists(array, item, *size)?
        }
        (DataType::FixedSizeList(_, size), DataType::LargeList(item)) => {
            let items = usize::try_from(*size).unwrap_or_default();
            let lists = fixed_lists(array, item, *size)?;
            let lists = lists.as_fixed_size_list();
            let offsets = OffsetBuffer::<i64>::from_repeated_length(items, lists.len());
            let (values, nulls) = (Arc::clone(lists.values()), lists.nulls().cloned());
            Arc::new(GenericListArray::try_new(Arc::clone(item), offsets, values, nulls)?)
        }
        (DataType::Struct(_), DataType::Struct(fields)) => {
            let found = array.as_struct();
            let by_name = found.fields().iter().zip(found.columns()).rev();
            let by_name = by_name.map(|(field, column)| (field.name().as_str(), column));
            let by_name = by_name.collect::<HashMap<_, _>>();
            Arc::new(structs(found, fields, |name| by_name.get(name).copied())?)
        }
        (DataType::Map(..), DataType::Map(entry, is_sorted)) => {
            let (maps, DataType::Struct(fields)) = (array.as_map(), entry.data_type()) else {
                return Err(unexpected(array.data_type(), to));
            };
            // Keys and values are known by where they stand, whatever they are called.
            let columns = maps.entries().columns().iter().zip(fields);
            let columns = columns.map(|(column, field)| fit(column, field.data_type()));
            let columns = columns.collect::<Result<Vec<_>, _>>()?;
            let entries = StructArray::try_new(fields.clone(), columns, maps.entries().nulls().cloned())?;
            let (offsets, nulls) = (maps.offsets().clone(), maps.nulls().cloned());
            Arc::new(MapArray::try_new(Arc::clone(entry), offsets, entries, nulls, *is_sorted)?)
        }
        _ => values(array, to)?,
    })
}

/// Returns values that hold no others.
fn values(array: &ArrayRef, to: &DataType) -> Result<ArrayRef, Failed> {
    let from = array.data_type();
    Ok(match to {
        DataType::LargeUtf8 => match from {
            DataType::Utf8 => {
                let texts = array.as_string::<i32>();
                let (values, nulls) = (texts.values().clone(), texts.nulls().cloned());
                Arc::new(LargeStringArray::try_new(wide(texts.offsets()), values, nulls)?)
            }
            DataType::Utf8View => Arc::new(array.as_string_view().iter().collect::<LargeStringArray>()),
            _ => return Err(unexpected(from, to)),
        },
        DataType::LargeBinary => match from {
            DataType::Binary => {
                let bytes = array.as_binary::<i32>();
                let (values, nulls) = (bytes.values().clone(), bytes.nulls().cloned());
                Arc::new(LargeBinaryArray::try_new(wide(bytes.offsets()), values, nulls)?)
            }
            DataType::BinaryView => Arc::new(array.as_binary_view().iter().collect::<LargeBinaryArray>()),
            DataType::FixedSizeBinary(_) => {
                Arc::new(array.as_fixed_size_binary().iter().collect::<LargeBinaryArray>())
            }
            _ => return Err(unexpected(from, to)),
        },
        DataType::Float32 => numbers::floats::<Float32Type>(array, true)?,
        DataType::Float64 => numbers::floats::<Float64Type>(array, true)?,
        DataType::Int16 => integers::<Int16Type>(array)?,
        DataType::Int32 => integers::<Int32Type>(array)?,
        DataType::Int64 => numbers::integers(array)?,
        DataType::UInt16 => integers::<UInt16Type>(array)?,
        DataType::UInt32 => integers::<UInt32Type>(array)?,
        DataType::UInt64 => integers::<UInt64Type>(array)?,
        DataType::Decimal128(..) | DataType::Decimal256(..) => decimals(array, to)?,
        DataType::Date64 => typed(times::ticks(array, TimeUnit::Millisecond)?, to)?,
        DataType::Timestamp(unit, _) | DataType::Duration(unit) | DataType::Time64(unit) => {
            typed(times::ticks(array, *unit)?, to)?
        }
        DataType::Time32(unit) => {
            let ticks = times::ticks(array, *unit)?;
            let narrow = |value| i32::try_from(value).ok();
            typed(each::<Int64Type, Int32Type>(&ticks, narrow, |value| beyond(value, to))?, to)?
        }
        _ => return Err(unexpected(from, to)),
    })
}

/// Returns numbers as values of a type that is stored like them.
fn typed(stored: ArrayRef, to: &DataType) -> Result<ArrayRef, Failed> {
    Ok(make_array(stored.to_data().into_builder().data_type(to.clone()).build()?))
}

fn integers<To: ArrowPrimitiveType<Native: TryFrom<i64>>>(array: &ArrayRef) -> Result<ArrayRef, Unfit> {
    let wide = numbers::integers(array)?;
    each::<Int64Type, To>(
        &wide,
        |value| To::Native::try_from(value).ok(),
        |value| beyond(value, &To::DATA_TYPE),
    )
}

fn beyond(value: i64, to: &DataType) -> String {
    format!("{value} is beyond the range of {to}, the type that the column has in other files")
}

/// Returns decimals of more digits.
fn decimals(array: &ArrayRef, to: &DataType) -> Result<ArrayRef, Failed> {
    let scale = |data_type: &DataType| match data_type {
        DataType::Decimal32(_, scale)
        | DataType::Decimal64(_, scale)
        | DataType::Decimal128(_, scale)
        | DataType::Decimal256(_, scale) => Some(i32::from(*scale)),
        _ => None,
    };
    let Some((before, after)) = scale(array.data_type()).zip(scale(to)) else {
        return Err(unexpected(array.data_type(), to));
    };
    let more = u32::try_from(after.saturating_sub(before)).unwrap_or_default();
    let factor = i256::from_i128(10).checked_pow(more);
    let wide: PrimitiveArray<Decimal256Type> = match array.data_type() {
        DataType::Decimal32(..) => {
            array.as_primitive::<Decimal32Type>().unary(|value| i256::from_i128(value.into()))
        }
        DataType::Decimal64(..) => {
            array.as_primitive::<Decimal64Type>().unary(|value| i256::from_i128(value.into()))
        }
        DataType::Decimal128(..) => array.as_primitive::<Decimal128Type>().unary(i256::from_i128),
        _ => array.as_primitive::<Decimal256Type>().clone(),
    };
    let wide: ArrayRef = Arc::new(wide);
    let scaled = |value: i256| factor.and_then(|factor| value.checked_mul(factor));
    let wrong = |value: i256| format!("the decimal of the digits {value} is beyond the range of {to}");
    Ok(match to {
        DataType::Decimal128(precision, scale) => {
            let narrow = |value| scaled(value).and_then(i256::to_i128);
            let narrow = each::<Decimal256Type, Decimal128Type>(&wide, narrow, wrong)?;
            let narrow = narrow.as_primitive::<Decimal128Type>().clone();
            Arc::new(narrow.with_precision_and_scale(*precision, *scale)?)
        }
        DataType::Decimal256(precision, scale) => {
            let scaled = each::<Decimal256Type, Decimal256Type>(&wide, scaled, wrong)?;
            let scaled = scaled.as_primitive::<Decimal256Type>().clone();
            Arc::new(scaled.with_precision_and_scale(*precision, *scale)?)
        }
        _ => return Err(unexpected(array.data_type(), to)),
    })
}

fn wide(offsets: &OffsetBuffer<i32>) -> OffsetBuffer<i64> {
    OffsetBuffer::new(offsets.iter().map(|offset| i64::from(*offset)).collect())
}

/// Returns structs with these fields, each of the column of its name.
fn structs<'a>(
    array: &StructArray,
    fields: &Fields,
    column: impl Fn(&str) -> Option<&'a ArrayRef>,
) -> Result<StructArray, Failed> {
    let columns = fields.iter().map(|field| match column(field.name()) {
        Some(column) => fit(column, field.data_type()),
        None => Ok(new_null_array(field.data_type(), array.len())),
    });
    let columns = columns.collect::<Result<Vec<_>, _>>()?;
    Ok(StructArray::try_new_with_length(fields.clone(), columns, array.nulls().cloned(), array.len())?)
}

fn lists<From: OffsetSizeTrait, To: OffsetSizeTrait>(
    array: &ArrayRef,
    item: &FieldRef,
) -> Result<ArrayRef, Failed> {
    match lists_of::<From, To>(array, item) {
        // Values that no list refers to do not count: without them it may go well.
        Err(Failed::Unfit(_)) if array.null_count() > 0 => lists_of::<From, To>(&compact(array)?, item),
        fitted => fitted,
    }
}

fn lists_of<From: OffsetSizeTrait, To: OffsetSizeTrait>(
    array: &ArrayRef,
    item: &FieldRef,
) -> Result<ArrayRef, Failed> {
    let lists = array.as_list::<From>();
    let offsets = lists.offsets();
    let (first, last) = match (offsets.first(), offsets.last()) {
        (Some(first), Some(last)) => (first.as_usize(), last.as_usize()),
        _ => (0, 0),
    };
    // A slice of a longer array refers to some of its values only.
    let values = lists.values().slice(first, last.saturating_sub(first));
    let values = fit(&values, item.data_type()).map_err(|failed| {
        failed.located(|index| {
            let item = index.saturating_add(first);
            offsets.partition_point(|offset| offset.as_usize() <= item).saturating_sub(1)
        })
    })?;
    let lengths = offsets.windows(2).map(|pair| match pair {
        [start, end] => end.as_usize().saturating_sub(start.as_usize()),
        _ => 0,
    });
    let (offsets, nulls) = (OffsetBuffer::<To>::from_lengths(lengths), lists.nulls().cloned());
    Ok(Arc::new(GenericListArray::try_new(Arc::clone(item), offsets, values, nulls)?))
}

fn fixed_lists(array: &ArrayRef, item: &FieldRef, size: i32) -> Result<ArrayRef, Failed> {
    let fitted = |array: &ArrayRef| {
        let lists = array.as_fixed_size_list();
        let values = fit(lists.values(), item.data_type());
        let items = usize::try_from(size).unwrap_or_default().max(1);
        let values = values.map_err(|failed| failed.located(|index| index / items))?;
        let (item, nulls) = (Arc::clone(item), lists.nulls().cloned());
        let lists = FixedSizeListArray::try_new_with_length(item, size, values, nulls, lists.len())?;
        Ok(Arc::new(lists) as ArrayRef)
    };
    match fitted(array) {
        Err(Failed::Unfit(_)) if array.null_count() > 0 => fitted(&compact(array)?),
        fitted => fitted,
    }
}

/// Returns lists without the values of null lists.
fn compact(array: &ArrayRef) -> Result<ArrayRef, Failed> {
    Ok(take(array, &UInt64Array::from_iter_values(0..array.len() as u64), None)?)
}

/// Returns the error of types that are not merged to this one.
fn unexpected(from: &DataType, to: &DataType) -> Failed {
    Failed::Other(Error::new(ErrorKind::SchemaMismatch, format!("values of {from} are not such of {to}")))
}
