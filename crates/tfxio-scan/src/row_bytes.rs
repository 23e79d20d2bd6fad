//! Memory size of rows. A slice counts its own rows only, so that the sizes of parts add up to the size of the whole.

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, ArrayRef, OffsetSizeTrait, RecordBatch};
use arrow_schema::DataType;

/// Maximum number of bytes of a value that is stored in its view.
const INLINE: u64 = 12;

/// Returns the bytes that the values of a batch take, as [`of_column`] counts them.
pub fn of_batch(batch: &RecordBatch) -> u64 {
    batch.columns().iter().map(|column| of_column(column)).fold(0, u64::saturating_add)
}

/// Returns the bytes that the values of a column take. Does not count other values in the same buffers, dictionaries, which many batches
/// share, and validity bitmaps, which some decoders leave out.
pub fn of_column(column: &dyn Array) -> u64 {
    let rows = column.len() as u64;
    let each = |bytes: u64| rows.saturating_mul(bytes);
    match column.data_type() {
        DataType::Boolean => rows,
        DataType::Utf8 => of_bytes(column.as_string::<i32>().value_offsets()),
        DataType::LargeUtf8 => of_bytes(column.as_string::<i64>().value_offsets()),
        DataType::Binary => of_bytes(column.as_binary::<i32>().value_offsets()),
        DataType::LargeBinary => of_bytes(column.as_binary::<i64>().value_offsets()),
        DataType::Utf8View => of_views(column.as_string_view().views()),
        DataType::BinaryView => of_views(column.as_binary_view().views()),
        DataType::FixedSizeBinary(size) => each(u64::try_from(*size).unwrap_or_default()),
        DataType::List(_) => {
            of_lists(column.as_list::<i32>().value_offsets(), column.as_list::<i32>().values())
        }
        DataType::LargeList(_) => {
            of_lists(column.as_list::<i64>().value_offsets(), column.as_list::<i64>().values())
        }
        DataType::Map(..) => {
            let maps = column.as_map();
            let entries = maps.entries().columns().iter();
            entries.map(|entries| of_lists(maps.value_offsets(), entries)).fold(0, u64::saturating_add)
        }
        DataType::FixedSizeList(..) => of_column(column.as_fixed_size_list().values()),
        DataType::Struct(_) => {
            let fields = column.as_struct().columns().iter();
            fields.map(|column| of_column(column)).fold(0, u64::saturating_add)
        }
        DataType::Dictionary(..) => of_column(column.as_any_dictionary().keys()),
        other => match other.primitive_width() {
            Some(width) => each(width as u64),
            None => column.to_data().get_slice_memory_size().map_or(0, |bytes| bytes as u64),
        },
    }
}

/// Returns the bytes of offsets, an offset a value, and of the values between them.
fn of_bytes<O: OffsetSizeTrait>(offsets: &[O]) -> u64 {
    let (start, end) = ends(offsets);
    let values = offsets.len().saturating_sub(1).saturating_mul(size_of::<O>());
    (end.saturating_sub(start) as u64).saturating_add(values as u64)
}

/// Returns the bytes of offsets, an offset a list, and of the items between them.
fn of_lists<O: OffsetSizeTrait>(offsets: &[O], items: &ArrayRef) -> u64 {
    let (start, end) = ends(offsets);
    let items = items.slice(start, end.saturating_sub(start));
    let lists = offsets.len().saturating_sub(1).saturating_mul(size_of::<O>());
    of_column(&items).saturating_add(lists as u64)
}

fn ends<O: OffsetSizeTrait>(offsets: &[O]) -> (usize, usize) {
    (
        offsets.first().map_or(0, |offset| offset.as_usize()),
        offsets.last().map_or(0, |offset| offset.as_usize()),
    )
}

/// Returns the bytes of views, and of the values that are not stored in them.
fn of_views(views: &[u128]) -> u64 {
    let lengths = views.iter().map(|view| u64::from(*view as u32));
    let apart = lengths.filter(|length| *length > INLINE).fold(0, u64::saturating_add);
    apart.saturating_add(size_of_val(views) as u64)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::types::Int32Type;
    use arrow_array::{FixedSizeListArray, ListArray, StringArray, StringViewArray, StructArray};

    use super::*;

    #[test]
    fn only_the_rows_of_a_slice_count() {
        let lists = [Some(vec![Some(1), Some(2)]), None, Some(vec![Some(3)])];
        let lists: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists));
        let words: ArrayRef = Arc::new(StringArray::from(vec!["a", "four", "words here"]));
        let views: ArrayRef =
            Arc::new(StringViewArray::from(vec!["a", "four", "what does not stand in a view"]));
        let pairs = [Some([Some(1), Some(2)]), Some([Some(1), None]), None];
        let pairs: ArrayRef = Arc::new(FixedSizeListArray::from_iter_primitive::<Int32Type, _, _>(pairs, 2));
        let structs: ArrayRef = Arc::new(StructArray::try_from(vec![("words", Arc::clone(&words))]).unwrap());
        for (column, all, first_two, last) in [
            (&lists, 12 + 12, 8 + 8, 4 + 4),
            (&words, 12 + 15, 8 + 5, 4 + 10),
            (&structs, 12 + 15, 8 + 5, 4 + 10),
            (&views, 48 + 29, 32, 16 + 29),
            (&pairs, 24, 16, 8),
        ] {
            assert_eq!(of_column(&**column), all, "{column:?}");
            assert_eq!(of_column(&*column.slice(0, 2)), first_two, "{column:?}");
            assert_eq!(of_column(&*column.slice(2, 1)), last, "{column:?}");
        }
    }
}
