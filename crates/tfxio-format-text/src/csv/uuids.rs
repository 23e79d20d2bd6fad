//! UUIDs as text, as they are written everywhere: cells are text, and sixteen bytes seldom are.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, ArrayRef, FixedSizeListArray, GenericListArray, OffsetSizeTrait, StringArray};
use arrow_schema::{DataType, Field};
use tfxio_core::Result;

use crate::json::value::{is_uuid, item, uuid_text};

/// Returns a column of UUIDs, or of lists of them, as one of text; `None` for all others.
pub(super) fn as_text(field: &Field, column: &ArrayRef) -> Result<Option<ArrayRef>> {
    if is_one(field) {
        return Ok(Some(texts(column)));
    }
    if !item(field.data_type()).is_some_and(|item| is_one(item)) {
        return Ok(None);
    }
    Ok(match column.data_type() {
        DataType::List(_) => Some(list::<i32>(column)?),
        DataType::LargeList(_) => Some(list::<i64>(column)?),
        DataType::FixedSizeList(_, size) => {
            let lists = column.as_fixed_size_list();
            let (items, nulls) = (texts(lists.values()), lists.nulls().cloned());
            Some(Arc::new(FixedSizeListArray::try_new(text_field(), *size, items, nulls)?))
        }
        _ => None,
    })
}

fn is_one(field: &Field) -> bool {
    *field.data_type() == DataType::FixedSizeBinary(16) && is_uuid(field)
}

fn text_field() -> Arc<Field> {
    Arc::new(Field::new("item", DataType::Utf8, true))
}

fn texts(column: &ArrayRef) -> ArrayRef {
    Arc::new(column.as_fixed_size_binary().iter().map(|uuid| uuid.map(uuid_text)).collect::<StringArray>())
}

fn list<O: OffsetSizeTrait>(column: &ArrayRef) -> Result<ArrayRef> {
    let lists = column.as_list::<O>();
    let (offsets, nulls) = (lists.offsets().clone(), lists.nulls().cloned());
    Ok(Arc::new(GenericListArray::<O>::try_new(text_field(), offsets, texts(lists.values()), nulls)?))
}
