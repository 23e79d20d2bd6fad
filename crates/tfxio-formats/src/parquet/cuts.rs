//! Where the row groups of a file that is written end.
//!
//! They end by what their columns take in memory, not by what that becomes: so it is known before anything is encoded, and is the
//! same whatever encodes them.

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, ArrayRef, OffsetSizeTrait, RecordBatch};
use arrow_schema::DataType;

/// Bytes of columns at which a row group ends, unless the options say another number.
pub(super) const ROW_GROUP_BYTES: u64 = 64 << 20;
/// Maximum number of bytes of a value that stands in its view.
const INLINE: u64 = 12;

/// Says of one batch after the other which row groups its rows belong to.
#[derive(Clone, Debug)]
pub(super) struct Cuts {
    most_rows: u64,
    most_bytes: u64,
    /// What the current row group has.
    rows: u64,
    bytes: u64,
}

impl Cuts {
    /// Returns the cuts of a file whose row groups have at most this many rows, and end with the batch that reaches this many
    /// bytes.
    pub(super) fn new(most_rows: Option<u64>, most_bytes: Option<u64>) -> Self {
        let most_rows = most_rows.unwrap_or(u64::MAX).max(1);
        Self { most_rows, most_bytes: most_bytes.unwrap_or(ROW_GROUP_BYTES), rows: 0, bytes: 0 }
    }

    /// Takes the first rows of a batch, those that belong to the current row group, and returns them and whether it ends with
    /// them. Nothing remains of a batch without rows.
    pub(super) fn take(&mut self, batch: &mut RecordBatch) -> Option<(RecordBatch, bool)> {
        if batch.num_rows() == 0 {
            return None;
        }
        let room = usize::try_from(self.most_rows.saturating_sub(self.rows)).unwrap_or(usize::MAX);
        let count = batch.num_rows().min(room);
        let first = batch.slice(0, count);
        *batch = batch.slice(count, batch.num_rows() - count);
        self.rows = self.rows.saturating_add(count as u64);
        let bytes = first.columns().iter().map(|column| bytes_of(column));
        self.bytes = bytes.fold(self.bytes, u64::saturating_add);
        let ends = self.rows >= self.most_rows || self.bytes > self.most_bytes;
        if ends {
            (self.rows, self.bytes) = (0, 0);
        }
        Some((first, ends))
    }
}

/// Returns the bytes that the values of a column take; others in the same buffers do not count, nor do dictionaries, which many
/// batches share.
pub(super) fn bytes_of(column: &dyn Array) -> u64 {
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
        DataType::FixedSizeList(..) => bytes_of(column.as_fixed_size_list().values()),
        DataType::Struct(_) => column.as_struct().columns().iter().map(|column| bytes_of(column)).sum(),
        DataType::Dictionary(..) => return bytes_of(column.as_any_dictionary().keys()),
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
    bytes_of(&items).saturating_add(size_of_val(offsets) as u64)
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
    use arrow_array::{FixedSizeListArray, Int64Array, ListArray, StringArray, StringViewArray, StructArray};

    use super::*;

    /// The rows of the row groups that batches of these sizes become.
    fn cut(mut cuts: Cuts, sizes: &[usize]) -> Vec<Vec<usize>> {
        let mut groups = vec![Vec::new()];
        for size in sizes {
            let column: ArrayRef = Arc::new(Int64Array::from(vec![0; *size]));
            let mut batch = RecordBatch::try_from_iter([("a", column)]).unwrap();
            while let Some((rows, ends)) = cuts.take(&mut batch) {
                groups.last_mut().unwrap().push(rows.num_rows());
                if ends {
                    groups.push(Vec::new());
                }
            }
        }
        groups
    }

    #[test]
    fn row_groups_end_by_rows_and_by_bytes() {
        let cuts = Cuts::new;
        assert_eq!(cut(cuts(None, None), &[3, 0, 4]), [vec![3, 4]]);
        assert_eq!(cut(cuts(Some(3), None), &[2, 2, 7]), [vec![2, 1], vec![1, 2], vec![3], vec![2]]);
        assert_eq!(cut(cuts(Some(0), None), &[2]), [vec![1], vec![1], vec![]]);
        assert_eq!(cut(cuts(None, Some(0)), &[2, 3]), [vec![2], vec![3], vec![]]);
        assert_eq!(cut(cuts(None, Some(40)), &[2, 3, 1, 6]), [vec![2, 3, 1], vec![6], vec![]]);
        assert_eq!(cut(cuts(Some(4), Some(30)), &[3, 3, 4]), [vec![3, 1], vec![2, 2], vec![2]]);
    }

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
            assert_eq!(bytes_of(&**column), all, "{column:?}");
            assert_eq!(bytes_of(&*column.slice(0, 2)), first_two, "{column:?}");
            assert_eq!(bytes_of(&*column.slice(2, 1)), last, "{column:?}");
        }
    }
}
