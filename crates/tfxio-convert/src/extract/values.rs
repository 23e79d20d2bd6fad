//! Values of columns as bytes and as names.

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, ArrayRef, RecordBatch, downcast_dictionary_array, downcast_integer_array};
use arrow_schema::{DataType, Schema};
use tfxio_core::ColumnPath;

/// Returns the type of a column or field.
pub(super) fn type_of(schema: &Schema, path: &ColumnPath) -> Option<DataType> {
    let (first, rest) = path.steps().split_first()?;
    let mut found = schema.field_with_name(first).ok()?.data_type();
    for step in rest {
        let DataType::Struct(fields) = found else { return None };
        found = fields.find(step)?.1.data_type();
    }
    Some(found.clone())
}

/// Returns the type of single values.
fn single(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::FixedSizeList(item, _)
        | DataType::ListView(item)
        | DataType::LargeListView(item) => single(item.data_type()),
        DataType::Dictionary(_, values) => single(values),
        other => other,
    }
}

pub(super) fn holds_binary(data_type: &DataType) -> bool {
    matches!(
        single(data_type),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_)
    )
}

pub(super) fn holds_bytes(data_type: &DataType) -> bool {
    let is_text = matches!(single(data_type), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    is_text || holds_binary(data_type)
}

pub(super) fn holds_names(data_type: &DataType) -> bool {
    holds_bytes(data_type) || single(data_type).is_integer()
}

/// Returns the column of a batch that a path leads to.
pub(super) fn innermost(batch: &RecordBatch, path: &ColumnPath) -> Option<ArrayRef> {
    let (first, rest) = path.steps().split_first()?;
    let mut array = batch.column_by_name(first)?.clone();
    for step in rest {
        array = array.as_struct_opt()?.column_by_name(step)?.clone();
    }
    Some(array)
}

/// Calls a function with each value of a row.
pub(super) fn each(column: &dyn Array, row: usize, take: &mut dyn FnMut(&[u8])) {
    if row >= column.len() || column.is_null(row) {
        return;
    }
    let items = match column.data_type() {
        DataType::Utf8 => return take(column.as_string::<i32>().value(row).as_bytes()),
        DataType::LargeUtf8 => return take(column.as_string::<i64>().value(row).as_bytes()),
        DataType::Utf8View => return take(column.as_string_view().value(row).as_bytes()),
        DataType::Binary => return take(column.as_binary::<i32>().value(row)),
        DataType::LargeBinary => return take(column.as_binary::<i64>().value(row)),
        DataType::BinaryView => return take(column.as_binary_view().value(row)),
        DataType::FixedSizeBinary(_) => return take(column.as_fixed_size_binary().value(row)),
        DataType::Dictionary(..) => {
            return downcast_dictionary_array!(
                column => {
                    if let Some(key) = column.key(row) {
                        each(column.values(), key, take);
                    }
                },
                _ => {}
            );
        }
        DataType::List(_) => column.as_list::<i32>().value(row),
        DataType::LargeList(_) => column.as_list::<i64>().value(row),
        DataType::FixedSizeList(..) => column.as_fixed_size_list().value(row),
        DataType::ListView(_) => column.as_list_view::<i32>().value(row),
        DataType::LargeListView(_) => column.as_list_view::<i64>().value(row),
        _ => return,
    };
    (0..items.len()).for_each(|item| each(&items, item, take));
}

/// Returns the first value of a row as a name; `None` where there is none or it is empty.
pub(super) fn name(column: &dyn Array, row: usize) -> Option<String> {
    if let Some(number) = integer(column, row) {
        return Some(number);
    }
    let mut name = None;
    each(column, row, &mut |bytes| {
        name.get_or_insert_with(|| String::from_utf8_lossy(bytes).into_owned());
    });
    name.filter(|name| !name.is_empty())
}

fn integer(column: &dyn Array, row: usize) -> Option<String> {
    if row >= column.len() || column.is_null(row) {
        return None;
    }
    downcast_integer_array!(
        column => Some(column.value(row).to_string()),
        DataType::List(_) => integer(&column.as_list::<i32>().value(row), 0),
        DataType::LargeList(_) => integer(&column.as_list::<i64>().value(row), 0),
        DataType::FixedSizeList(..) => integer(&column.as_fixed_size_list().value(row), 0),
        _ => None
    )
}
