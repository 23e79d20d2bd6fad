//! Slices give the same tensors as copies, where a tensor is made of several columns.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int16Array, RecordBatch, UInt32Array, UInt64Array};
use arrow_select::take::take_record_batch;
use proptest::collection::vec;
use proptest::prelude::*;
use tensor_repr::{
    ColumnPath, RaggedPartition, Representation, RowSplitsDType, StructuredRepresentation, Tensor,
};

use crate::columns::*;

/// A row: whether its lists are there, and what is in them, also where they are not.
type Row<T> = (bool, Vec<T>);

fn rows<T: std::fmt::Debug>(entry: impl Strategy<Value = T>) -> impl Strategy<Value = Vec<Row<T>>> {
    vec((prop::bool::weighted(0.8), vec(entry, 0..4)), 0..9)
}

/// Returns a column of one list a row; where a row is not there the list is null and hides its values.
fn column<T>(rows: &[Row<T>], values: ArrayRef) -> ArrayRef {
    let lengths = rows.iter().map(|(_, entries)| entries.len()).collect::<Vec<_>>();
    hiding(&lengths, &rows.iter().map(|(valid, _)| *valid).collect::<Vec<_>>(), values)
}

/// Returns the tensor of a slice, which must be that of a copy of its rows; `None` if both are refused, in the same words.
fn of_slice(
    all: &RecordBatch,
    skip: usize,
    representation: impl Into<Representation>,
) -> Result<Option<Tensor>, TestCaseError> {
    let skip = skip.min(all.num_rows());
    let slice = all.slice(skip, all.num_rows() - skip);
    let every = UInt64Array::from_iter_values(0..slice.num_rows() as u64);
    let copy = take_record_batch(&slice, &every).unwrap();
    let representation = representation.into();
    match (tensor(&slice, representation.clone()), tensor(&copy, representation)) {
        (Ok(sliced), Ok(copied)) => {
            prop_assert_eq!(&sliced, &copied);
            prop_assert_eq!(sliced.rows(), slice.num_rows());
            Ok(Some(sliced))
        }
        (Err(sliced), Err(copied)) => {
            prop_assert_eq!(sliced.to_string(), copied.to_string());
            Ok(None)
        }
        (sliced, copied) => Err(TestCaseError::fail(format!("{sliced:?} and {copied:?}"))),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sparse_tensors_of_index_columns(
        rows in rows((0..5i16, 0..5u32, any::<i64>())),
        sizes in proptest::array::uniform2(prop_oneof![2 => Just(None), 4 => Just(Some(5u64)), 1 => Just(Some(4))]),
        sort in any::<bool>(),
        skip in 0..4usize,
    ) {
        let entries = || rows.iter().flat_map(|(_, entries)| entries);
        let (i, j, x) = (
            Arc::new(entries().map(|entry| entry.0).collect::<Int16Array>()),
            Arc::new(entries().map(|entry| entry.1).collect::<UInt32Array>()),
            ints(&entries().map(|entry| entry.2).collect::<Vec<_>>()),
        );
        let batch = batch(&[("i", column(&rows, i)), ("j", column(&rows, j)), ("x", column(&rows, x))]);
        let representation = sparse(&["i", "j"], &sizes).sort(sort);

        // The same by plain reading.
        let seen = rows.get(skip.min(rows.len())..).unwrap();
        let mut expected = Vec::new();
        for (row, (_, entries)) in seen.iter().enumerate().filter(|(_, (valid, _))| *valid) {
            let mut own = entries.iter().map(|(i, j, x)| ([row as i64, (*i).into(), (*j).into()], *x)).collect::<Vec<_>>();
            if sort {
                own.sort_by_key(|(index, _)| *index);
            }
            expected.extend(own);
        }
        let most = |at: usize| expected.iter().map(|(index, _)| index[at] as usize + 1).max().unwrap_or(0);
        let size = |at: usize| sizes[at - 1].map_or_else(|| most(at), |size| size as usize);
        let shape = [seen.len(), size(1), size(2)];
        let fits = most(1) <= shape[1] && most(2) <= shape[2];
        let expected = expected.iter().map(|(index, x)| (&index[..], *x)).collect::<Vec<_>>();
        prop_assert_eq!(
            of_slice(&batch, skip, representation)?,
            fits.then(|| sparse_tensor(&shape, &expected))
        );
    }

    #[test]
    fn ragged_tensors_of_row_lengths(
        rows in rows(0..3usize),
        wrong in prop::option::weighted(0.1, 0..9usize),
        pairs in any::<bool>(),
        skip in 0..4usize,
    ) {
        // Each entry is the length of a part: with `pairs` of pairs.
        let unit = if pairs { 2 } else { 1 };
        let values = rows.iter().enumerate().map(|(row, (valid, parts))| {
            let more = if wrong == Some(row) { unit } else { 0 };
            (*valid, vec![0; parts.iter().sum::<usize>() * unit + more])
        });
        let values = values.collect::<Vec<_>>();
        let total = values.iter().map(|(_, values)| values.len()).sum::<usize>();
        let numbers = (0..total as i64).collect::<Vec<_>>();
        let lengths = rows.iter().flat_map(|(_, parts)| parts.iter().map(|&part| part as i64)).collect::<Vec<_>>();
        let batch = batch(&[("n", column(&rows, ints(&lengths))), ("x", column(&values, ints(&numbers)))]);
        let mut partitions = vec![RaggedPartition::RowLengths("n".into())];
        if pairs {
            partitions.push(RaggedPartition::UniformRowLength(2));
        }
        let made = of_slice(&batch, skip, ragged(&["x"], &partitions))?;

        let seen = rows.get(skip.min(rows.len())..).unwrap();
        let is_wrong = wrong.is_some_and(|row| row >= skip && rows.get(row).is_some_and(|(valid, _)| *valid));
        let (mut outer, mut inner, mut items, mut item) = (vec![0], vec![0], Vec::new(), 0);
        let before = values.iter().take(skip).map(|(_, values)| values.len()).sum::<usize>();
        let mut first = before as i64;
        for ((valid, parts), (_, own)) in seen.iter().zip(values.iter().skip(skip)) {
            if *valid {
                for part in parts {
                    item += *part as i64;
                    inner.push(item);
                }
                items.extend(first..first + own.len() as i64);
            }
            outer.push(inner.len() as i64 - 1);
            first += own.len() as i64;
        }
        let inner_shape: &[usize] = if pairs { &[2] } else { &[] };
        prop_assert_eq!(made, (!is_wrong).then(|| ragged_tensor(&[&outer, &inner], inner_shape, &items)));
    }

    #[test]
    fn tensors_of_several_columns(
        rows in rows(any::<i64>()),
        numbers in vec(any::<i64>(), 9),
        small in any::<bool>(),
        skip in 0..4usize,
    ) {
        let entries = rows.iter().flat_map(|(_, entries)| entries.iter().copied()).collect::<Vec<_>>();
        let list = column(&rows, ints(&entries));
        let number = ints(&numbers).slice(0, rows.len());
        let pair = structs(&[("a", number.clone()), ("b", list.clone())], None);
        let batch = batch(&[("n", number), ("x", list), ("p", pair)]);
        let columns = ["n", "x", "p"].map(ColumnPath::from).to_vec();
        let made = of_slice(&batch, skip, StructuredRepresentation::default().columns(columns))?;
        let Some(Tensor::Structured(made)) = made else { return Err(TestCaseError::fail(format!("{made:?}"))) };

        let skip = skip.min(rows.len());
        let number = dense_tensor(&[rows.len() - skip], &numbers[skip..rows.len()]);
        let mut splits = vec![0];
        let mut items = Vec::new();
        for (valid, entries) in &rows[skip..] {
            items.extend(entries.iter().filter(|_| *valid));
            splits.push(items.len() as i64);
        }
        let list = ragged_tensor(&[&splits], &[], &items);
        let pair = structured_tensor(rows.len() - skip, &[], &[("a", number.clone()), ("b", list.clone())]);
        let expected = structured_tensor(rows.len() - skip, &[], &[("n", number), ("x", list.clone()), ("p", pair)]);
        prop_assert_eq!(Tensor::Structured(made), expected);

        // The same lists alone, with splits of either width.
        let row_splits = if small { RowSplitsDType::Int32 } else { RowSplitsDType::Int64 };
        let alone = of_slice(&batch, skip, ragged(&["p", "b"], &[]).row_splits(row_splits))?;
        let Some(Tensor::Ragged(alone)) = alone else { return Err(TestCaseError::fail(format!("{alone:?}"))) };
        prop_assert_eq!(alone.values().as_slice::<i64>(), Some(&items[..]));
        prop_assert_eq!(alone.row_splits()[0].iter().collect::<Vec<_>>(), splits);
    }
}
