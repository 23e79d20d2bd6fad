//! Counts of the values of rows in each leaf column, in the sense of Parquet: nulls and empty lists count as well, one each.
//!
//! See [nested encoding](https://parquet.apache.org/docs/file-format/nestedencoding/).

use std::ops::Range;
use std::slice::IterMut;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, OffsetSizeTrait, RecordBatch};
use arrow_schema::{DataType, Field};

/// Returns the number of leaf columns of a column, where the values of its rows can be counted.
pub(super) fn leaves(field: &Field) -> Option<usize> {
    match field.data_type() {
        DataType::List(item) | DataType::LargeList(item) | DataType::Map(item, _) => leaves(item),
        DataType::Struct(fields) => fields.iter().map(|field| leaves(field)).sum(),
        // What stands in null rows of these is not in the file.
        DataType::FixedSizeList(..) | DataType::ListView(_) | DataType::LargeListView(_) => None,
        _ => Some(1),
    }
}

/// Adds the values of some rows to the count of each leaf column, in order.
pub(super) fn add(batch: &RecordBatch, rows: &Range<usize>, values: &mut [u64]) {
    let mut values = values.iter_mut();
    batch.columns().iter().for_each(|column| add_column(column, rows.clone(), 0, &mut values));
}

/// Adds the values of some rows of a column, and one for each of the `above` null or empty lists around it.
fn add_column(column: &dyn Array, rows: Range<usize>, above: u64, values: &mut IterMut<'_, u64>) {
    match column.data_type() {
        DataType::List(_) => {
            let lists = column.as_list::<i32>();
            add_lists(lists.value_offsets(), lists.values(), rows, above, values);
        }
        DataType::LargeList(_) => {
            let lists = column.as_list::<i64>();
            add_lists(lists.value_offsets(), lists.values(), rows, above, values);
        }
        DataType::Map(..) => {
            let maps = column.as_map();
            add_lists(maps.value_offsets(), maps.entries(), rows, above, values);
        }
        DataType::Struct(_) => {
            let columns = column.as_struct().columns().iter();
            columns.for_each(|column| add_column(column, rows.clone(), above, values));
        }
        _ => {
            if let Some(of_leaf) = values.next() {
                *of_leaf = of_leaf.saturating_add(above).saturating_add(rows.len() as u64);
            }
        }
    }
}

fn add_lists<O: OffsetSizeTrait>(
    offsets: &[O],
    items: &dyn Array,
    rows: Range<usize>,
    above: u64,
    values: &mut IterMut<'_, u64>,
) {
    let offsets = offsets.get(rows.start..=rows.end).unwrap_or_default();
    let (Some(first), Some(last)) = (offsets.first(), offsets.last()) else { return };
    let ends = offsets.get(1..).unwrap_or_default();
    let without_items = offsets.iter().zip(ends).map(|(start, end)| u64::from(start == end)).sum::<u64>();
    add_column(items, first.as_usize()..last.as_usize(), above.saturating_add(without_items), values);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::types::{Int32Type, Int64Type};
    use arrow_array::{ArrayRef, Int64Array, LargeListArray, ListArray, StructArray};
    use arrow_buffer::OffsetBuffer;

    use super::*;

    #[test]
    fn nulls_and_empty_lists_count() {
        let plain: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None, Some(2), Some(3)]));
        let lists = [Some(vec![Some(1), None, Some(3)]), None, Some(vec![]), Some(vec![Some(4)])];
        let inner = LargeListArray::from_iter_primitive::<Int64Type, _, _>(lists.clone());
        let lists: ArrayRef =
            Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists.map(|list| {
                list.map(|list| {
                    list.into_iter().map(|item| item.map(|item: i64| item as i32)).collect::<Vec<_>>()
                })
            })));
        // Lists of 2, 0, 1 and 1 of the lists.
        let item = Arc::new(Field::new("item", inner.data_type().clone(), true));
        let offsets = OffsetBuffer::from_lengths([2, 0, 1, 1]);
        let nested: ArrayRef = Arc::new(ListArray::new(item, offsets, Arc::new(inner), None));
        let both: ArrayRef = Arc::new(
            StructArray::try_from(vec![("lists", Arc::clone(&lists)), ("plain", Arc::clone(&plain))])
                .unwrap(),
        );
        let columns = [("plain", plain), ("lists", lists), ("nested", nested), ("both", both)];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let schema = batch.schema();
        assert_eq!(schema.fields().iter().map(|field| leaves(field)).sum::<Option<usize>>(), Some(5));
        for (rows, expected) in [
            (0..4, [4, 6, 7, 6, 4]),
            (0..1, [1, 3, 4, 3, 1]),
            (1..3, [2, 2, 2, 2, 2]),
            (3..4, [1, 1, 1, 1, 1]),
            (4..4, [0; 5]),
        ] {
            let mut values = [0; 5];
            add(&batch, &rows, &mut values);
            assert_eq!(values, expected, "{rows:?}");
        }
        let pairs = DataType::FixedSizeList(Arc::new(Field::new("item", DataType::Int8, true)), 2);
        let pairs = DataType::Struct(vec![Field::new("pairs", pairs, true)].into());
        assert_eq!(leaves(&Field::new("a", pairs, true)), None);
    }
}
