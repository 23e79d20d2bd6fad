//! The type that holds the values of two types.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, FixedSizeListArray, GenericListArray, OffsetSizeTrait, StructArray, new_null_array,
};
use arrow_schema::{DataType, Field, FieldRef, Fields};

use crate::{Error, Kind};

/// Returns the type that holds the values of both, or `None` if they cannot be merged.
///
/// `Null` becomes any type, also inside of lists and structs; structs get the fields of both.
fn merged(one: &DataType, other: &DataType) -> Option<DataType> {
    use DataType::{FixedSizeList, LargeList, List, Null, Struct};
    Some(match (one, other) {
        (Null, known) | (known, Null) => known.clone(),
        (List(one), List(other)) => List(merged_field(one, other)?),
        (LargeList(one), LargeList(other)) => LargeList(merged_field(one, other)?),
        (FixedSizeList(one, size), FixedSizeList(other, same)) if size == same => {
            FixedSizeList(merged_field(one, other)?, *size)
        }
        (Struct(one), Struct(other)) => Struct(merged_fields(one, other)?),
        (one, other) if one == other => one.clone(),
        _ => return None,
    })
}

/// Returns the first field with a type for the values of both; `None` if they cannot be merged.
pub(super) fn merged_field(one: &FieldRef, other: &FieldRef) -> Option<FieldRef> {
    let data_type = merged(one.data_type(), other.data_type())?;
    // Arrays of type `Null` hold nulls whatever their fields say.
    let null = |field: &FieldRef| field.is_nullable() || field.data_type().is_null();
    let nullable = null(one) || null(other);
    Some(Arc::new(one.as_ref().clone().with_data_type(data_type).with_nullable(nullable)))
}

fn merged_fields(one: &Fields, other: &Fields) -> Option<Fields> {
    let mut fields: Vec<FieldRef> = Vec::with_capacity(one.len());
    for field in one {
        fields.push(match other.find(field.name()) {
            Some((_, same)) => merged_field(field, same)?,
            None => nullable(field),
        });
    }
    fields.extend(other.iter().filter(|field| one.find(field.name()).is_none()).map(nullable));
    Some(fields.into())
}

pub(super) fn nullable(field: &FieldRef) -> FieldRef {
    if field.is_nullable() {
        return Arc::clone(field);
    }
    Arc::new(Field::clone(field).with_nullable(true))
}

/// Returns the array with a type that [`merged_field`] made from its own: absent parts become null.
pub(super) fn widen(array: &ArrayRef, to: &DataType) -> Result<ArrayRef, Error> {
    if array.data_type() == to {
        return Ok(Arc::clone(array));
    }
    match (array.data_type(), to) {
        (DataType::Null, _) => Ok(new_null_array(to, array.len())),
        (DataType::List(_), DataType::List(field)) => widen_lists::<i32>(array, field),
        (DataType::LargeList(_), DataType::LargeList(field)) => widen_lists::<i64>(array, field),
        (DataType::FixedSizeList(..), DataType::FixedSizeList(field, size)) => {
            let lists = array.as_fixed_size_list();
            let values = widen(lists.values(), field.data_type())?;
            let (field, nulls) = (Arc::clone(field), lists.nulls().cloned());
            Ok(Arc::new(FixedSizeListArray::try_new_with_length(field, *size, values, nulls, lists.len())?))
        }
        (DataType::Struct(_), DataType::Struct(fields)) => {
            let structs = array.as_struct();
            let columns = fields.iter().map(|field| match structs.column_by_name(field.name()) {
                Some(column) => widen(column, field.data_type()),
                None => Ok(new_null_array(field.data_type(), structs.len())),
            });
            let columns = columns.collect::<Result<Vec<_>, Error>>()?;
            let (fields, nulls) = (fields.clone(), structs.nulls().cloned());
            Ok(Arc::new(StructArray::try_new_with_length(fields, columns, nulls, structs.len())?))
        }
        (from, to) => Err(Error::new(Kind::TypeMismatch, format!("{from} does not become {to}"))),
    }
}

fn widen_lists<O: OffsetSizeTrait>(array: &ArrayRef, field: &FieldRef) -> Result<ArrayRef, Error> {
    let lists = array.as_list::<O>();
    let values = widen(lists.values(), field.data_type())?;
    let (field, nulls) = (Arc::clone(field), lists.nulls().cloned());
    Ok(Arc::new(GenericListArray::try_new(field, lists.offsets().clone(), values, nulls)?))
}
