//! Lists of one value each as these values.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{
    Array, ArrayRef, BooleanArray, GenericBinaryArray, GenericListArray, OffsetSizeTrait, UInt64Array,
};
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType};
use arrow_select::nullif::nullif;
use arrow_select::take::take;
use tfxio_core::Count;

/// A list that is there and has not exactly one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotOne {
    /// Index of the list.
    pub row: usize,
    /// Number of its values; 1 where the only one is null.
    len: usize,
}

impl NotOne {
    /// Returns what values the list has.
    pub fn values(self) -> String {
        match self.len {
            1 => "a value that is null".to_owned(),
            len => Count::of(len, "value").to_string(),
        }
    }
}

/// Returns the first list that is there and has not exactly one value. A null within a list is not a value: the absence of a list is
/// another thing.
pub fn first_not_one(array: &ArrayRef) -> Option<NotOne> {
    match array.data_type() {
        DataType::List(_) => first::<i32>(array),
        DataType::LargeList(_) => first::<i64>(array),
        DataType::FixedSizeList(_, size) => {
            let lists = array.as_fixed_size_list();
            let len = usize::try_from(*size).unwrap_or_default();
            if len != 1 {
                return first_valid(lists.nulls(), lists.len()).map(|row| NotOne { row, len });
            }
            let values = lists.values();
            let nulls = values.logical_nulls().filter(|nulls| nulls.null_count() > 0)?;
            (0..lists.len())
                .find(|row| lists.is_valid(*row) && nulls.is_null(*row))
                .map(|row| NotOne { row, len })
        }
        _ => None,
    }
}

fn first_valid(nulls: Option<&NullBuffer>, len: usize) -> Option<usize> {
    match nulls {
        Some(nulls) => nulls.iter().position(|valid| valid),
        None => (len > 0).then_some(0),
    }
}

fn first<O: OffsetSizeTrait>(array: &ArrayRef) -> Option<NotOne> {
    let lists = array.as_list::<O>();
    let lengths = || lists.offsets().windows(2).map(|pair| pair[1] - pair[0]);
    let other = match lists.nulls().filter(|nulls| nulls.null_count() > 0) {
        None => lengths().enumerate().find(|(_, len)| *len != O::one()),
        Some(nulls) => lengths().enumerate().find(|(row, len)| *len != O::one() && nulls.is_valid(*row)),
    };
    let other = other.map(|(row, len)| NotOne { row, len: len.as_usize() });
    let before = other.map_or(lists.len(), |other| other.row);
    let null = lists.values().logical_nulls().filter(|nulls| nulls.null_count() > 0).and_then(|nulls| {
        let is_null = |row: &usize| {
            let start = lists.offsets().get(*row).map(|start| start.as_usize());
            lists.is_valid(*row) && start.is_some_and(|start| nulls.is_null(start))
        };
        (0..before).find(is_null).map(|row| NotOne { row, len: 1 })
    });
    null.or(other)
}

/// Returns the value of each list that is there, and null for each that is not; the lists have [one each](first_not_one). Where all are
/// there, or they are lists of one size, the values are shared; otherwise only bytes are.
pub fn one_of_each(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    match array.data_type() {
        DataType::List(_) => of_lists(array.as_list::<i32>()),
        DataType::LargeList(_) => of_lists(array.as_list::<i64>()),
        DataType::FixedSizeList(..) => {
            let lists = array.as_fixed_size_list();
            match lists.nulls().filter(|nulls| nulls.null_count() > 0) {
                Some(nulls) if *lists.values().data_type() != DataType::Null => {
                    nullif(lists.values(), &BooleanArray::new(!nulls.inner(), None))
                }
                _ => Ok(Arc::clone(lists.values())),
            }
        }
        _ => Ok(Arc::clone(array)),
    }
}

fn of_lists<O: OffsetSizeTrait>(lists: &GenericListArray<O>) -> Result<ArrayRef, ArrowError> {
    let offsets = lists.offsets();
    let bounds = offsets.first().zip(offsets.last());
    let (start, end) = bounds.map_or((0, 0), |(start, end)| (start.as_usize(), end.as_usize()));
    let Some(nulls) = lists.nulls().filter(|nulls| nulls.null_count() > 0) else {
        return Ok(lists.values().slice(start, end.saturating_sub(start)));
    };
    // Lists that are null may refer to values.
    let is_dense = end.saturating_sub(start) == lists.len().saturating_sub(nulls.null_count());
    if is_dense && let Some(bytes) = lists.values().as_binary_opt::<i32>() {
        return spread(bytes, offsets, nulls);
    }
    if is_dense && let Some(bytes) = lists.values().as_binary_opt::<i64>() {
        return spread(bytes, offsets, nulls);
    }
    let rows = offsets.iter().zip(nulls.iter());
    let indices = rows.map(|(start, is_valid)| is_valid.then(|| start.as_usize() as u64));
    take(lists.values(), &indices.collect::<UInt64Array>(), None)
}

/// Returns bytes with a null for each list that is null and has none: the offsets are others, the bytes the same.
fn spread<B: OffsetSizeTrait, O: OffsetSizeTrait>(
    bytes: &GenericBinaryArray<B>,
    lists: &OffsetBuffer<O>,
    nulls: &NullBuffer,
) -> Result<ArrayRef, ArrowError> {
    let of_bytes = bytes.offsets();
    let at = |index: &O| of_bytes.get(index.as_usize()).copied().unwrap_or_default();
    let offsets = OffsetBuffer::new(lists.iter().map(at).collect::<ScalarBuffer<B>>());
    let spread = GenericBinaryArray::try_new(offsets, bytes.values().clone(), Some(nulls.clone()))?;
    Ok(Arc::new(spread))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::builder::{BinaryBuilder, Int64Builder, LargeListBuilder, ListBuilder};
    use arrow_array::cast::AsArray as _;
    use arrow_array::types::Int64Type;
    use arrow_array::{Array, ArrayRef, FixedSizeListArray, LargeListArray};
    use arrow_buffer::{NullBuffer, OffsetBuffer};
    use arrow_schema::{DataType, Field};

    use super::{NotOne, first_not_one, one_of_each};

    fn numbers(rows: &[Option<&[Option<i64>]>]) -> ArrayRef {
        let mut lists = LargeListBuilder::new(Int64Builder::new());
        rows.iter().for_each(|row| lists.append_option(row.map(|row| row.iter().copied())));
        Arc::new(lists.finish())
    }

    #[test]
    fn values_are_shared_where_every_list_is_there() {
        let lists = numbers(&[Some(&[Some(1)]), Some(&[Some(2)]), Some(&[Some(3)])]);
        let part = lists.slice(1, 2);
        assert_eq!(first_not_one(&part), None);
        let values = one_of_each(&part).expect("values");
        assert_eq!(values.as_primitive::<Int64Type>().values(), &[2, 3]);
        let pointer = |array: &ArrayRef| array.as_primitive::<Int64Type>().values().as_ptr();
        assert_eq!(pointer(&values), pointer(&lists.as_list::<i64>().values().slice(1, 2)));
    }

    #[test]
    fn bytes_are_shared_where_lists_are_null_too() {
        let mut lists = ListBuilder::new(BinaryBuilder::new());
        [Some("skip"), Some("a"), None, Some("bc"), None].iter().for_each(|row| {
            if let Some(row) = row {
                lists.values().append_value(row);
            }
            lists.append(row.is_some());
        });
        let lists = Arc::new(lists.finish()) as ArrayRef;
        let part = lists.slice(1, 4);
        assert_eq!(first_not_one(&part), None);
        let values = one_of_each(&part).expect("values");
        let bytes = values.as_binary::<i32>();
        assert!(bytes.iter().eq([Some(&b"a"[..]), None, Some(b"bc"), None]));
        let all = lists.as_list::<i32>().values().as_binary::<i32>().value_data().as_ptr();
        assert_eq!(bytes.value_data().as_ptr(), all);
    }

    #[test]
    fn nulls_that_refer_to_values_are_null() {
        let offsets = OffsetBuffer::from_lengths([1, 2, 1]);
        let nulls = Some(NullBuffer::from(vec![true, false, true]));
        let item = Arc::new(Field::new_list_field(DataType::Binary, true));
        let values = Arc::new(arrow_array::BinaryArray::from(vec![&b"a"[..], b"x", b"y", b"b"]));
        let lists = Arc::new(LargeListArray::new(item, offsets, values, nulls)) as ArrayRef;
        assert_eq!(first_not_one(&lists), None);
        let values = one_of_each(&lists).expect("values");
        assert!(values.as_binary::<i32>().iter().eq([Some(&b"a"[..]), None, Some(b"b")]));
    }

    #[test]
    fn lists_of_one_size_are_shared_with_their_nulls() {
        let values = Arc::new(arrow_array::Int64Array::from(vec![Some(1), Some(7), Some(3)]));
        let item = Arc::new(Field::new_list_field(DataType::Int64, true));
        let nulls = Some(NullBuffer::from(vec![true, false, true]));
        let lists = Arc::new(FixedSizeListArray::new(item, 1, values, nulls)) as ArrayRef;
        assert_eq!(first_not_one(&lists), None);
        let values = one_of_each(&lists).expect("values");
        assert!(values.as_primitive::<Int64Type>().iter().eq([Some(1), None, Some(3)]));
        assert!(one_of_each(&lists.slice(1, 1)).expect("values").is_null(0));
    }

    #[test]
    fn the_first_list_of_another_number_of_values_is_found() {
        let one: Option<&[Option<i64>]> = Some(&[Some(1)]);
        let found = |rows: &[_]| first_not_one(&numbers(rows)).map(|found| (found.row, found.values()));
        assert_eq!(found(&[one, None, Some(&[])]), Some((2, "0 values".to_owned())));
        assert_eq!(found(&[one, Some(&[Some(1), None])]), Some((1, "2 values".to_owned())));
        let null: Option<&[Option<i64>]> = Some(&[None]);
        assert_eq!(found(&[one, null, Some(&[])]), Some((1, "a value that is null".to_owned())));
        assert_eq!(found(&[None, None]), None);
        assert_eq!(found(&[]), None);
        let two = Arc::new(Field::new_list_field(DataType::Int64, true));
        let values = Arc::new(arrow_array::Int64Array::from(vec![1, 2, 3, 4]));
        let nulls = Some(NullBuffer::from(vec![false, true]));
        let lists = Arc::new(FixedSizeListArray::new(two, 2, values, nulls)) as ArrayRef;
        assert_eq!(first_not_one(&lists), Some(NotOne { row: 1, len: 2 }));
    }
}
