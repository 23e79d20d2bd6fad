//! Bytes that rows of columns take in memory, of slices those of their rows only.

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, ArrayRef, OffsetSizeTrait, RecordBatch};
use arrow_schema::DataType;

/// Maximum number of bytes of a value that stands in its view.
const INLINE: u64 = 12;

/// Returns the bytes that the values of a batch take, as [`of_column`] counts them.
pub(crate) fn of_batch(batch: &RecordBatch) -> u64 {
    batch.columns().iter().map(|column| of_column(column)).fold(0, u64::saturating_add)
}

/// Returns the bytes that the values of a column take; others in the same buffers do not count, nor do dictionaries, which many
/// batches share.
pub(crate) fn of_column(column: &dyn Array) -> u64 {
    let rows = column.len() as u64;
    let nulls = if column.nulls().is_some() { rows.div_ceil(8) } else { 0 };
    let values = match column.data_type() {
        DataType::List(_) => {
            of_lists(column.as_list::<i32>().value_offsets(), column.as_list::<i32>().values())
        }
        DataType::LargeList(_) => {
            of_lists(column.as_list::<i64>().value_offsets(), column.as_list::<i64>().values())
        }
        DataType::Map(..) => {
            let maps = column.as_map();
            maps.entries().columns().iter().map(|entries| of_lists(maps.value_offsets(), entries)).sum()
        }
        DataType::FixedSizeList(..) => of_column(column.as_fixed_size_list().values()),
        DataType::Struct(_) => column.as_struct().columns().iter().map(|column| of_column(column)).sum(),
        DataType::Dictionary(..) => return of_column(column.as_any_dictionary().keys()),
        DataType::Utf8View => return slice(column).saturating_add(of_views(column.as_string_view().views())),
        DataType::BinaryView => {
            return slice(column).saturating_add(of_views(column.as_binary_view().views()));
        }
        _ => return slice(column),
    };
    values.saturating_add(nulls)
}

/// Returns the bytes of offsets, and of the items between them.
fn of_lists<O: OffsetSizeTrait>(offsets: &[O], items: &ArrayRef) -> u64 {
    let start = offsets.first().map_or(0, |offset| offset.as_usize());
    let end = offsets.last().map_or(0, |offset| offset.as_usize());
    let items = items.slice(start, end.saturating_sub(start));
    of_column(&items).saturating_add(size_of_val(offsets) as u64)
}

/// Returns the bytes of values that do not stand in their views.
fn of_views(views: &[u128]) -> u64 {
    let lengths = views.iter().map(|view| u64::from(*view as u32));
    lengths.filter(|length| *length > INLINE).sum()
}

/// Returns the bytes of the values of a column that is not nested.
fn slice(column: &dyn Array) -> u64 {
    column.to_data().get_slice_memory_size().map_or(0, |bytes| bytes as u64)
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
            (&lists, 1 + 16 + 12, 1 + 12 + 8, 1 + 8 + 4),
            (&words, 16 + 15, 12 + 5, 8 + 10),
            (&structs, 16 + 15, 12 + 5, 8 + 10),
            (&views, 48 + 29, 32, 16 + 29),
            (&pairs, 1 + 24 + 1, 1 + 16 + 1, 1 + 8 + 1),
        ] {
            assert_eq!(of_column(&**column), all, "{column:?}");
            assert_eq!(of_column(&*column.slice(0, 2)), first_two, "{column:?}");
            assert_eq!(of_column(&*column.slice(2, 1)), last, "{column:?}");
        }
    }
}
