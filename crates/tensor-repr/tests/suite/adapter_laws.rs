//! Laws of the adapter, over random columns in odd layouts.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BooleanArray, Float32Array, Int32Array, RecordBatch, UInt64Array};
use arrow_array::{LargeBinaryArray, StringArray};
use arrow_select::take::take_record_batch;
use proptest::collection::vec;
use proptest::prelude::*;
use tensor_repr::{
    Adapter, ColumnPath, DefaultValue, Error, Fill, RaggedPartition, Representation, RowSplitsDType,
    ScalarValue, SparseRepresentation, StructuredRepresentation, Tensor, VarLenRaggedRepresentation,
};

use crate::columns::*;

/// Type around the values, from the outside in.
#[derive(Clone, Copy, Debug)]
enum Around {
    Lists,
    SmallLists,
    Fixed(i32),
    Struct,
}

fn around() -> impl Strategy<Value = Vec<Around>> {
    let one = prop_oneof![
        4 => Just(Around::Lists),
        2 => Just(Around::SmallLists),
        1 => (0..3i32).prop_map(Around::Fixed),
        1 => Just(Around::Struct),
    ];
    vec(one, 0..4)
}

/// A stream of small numbers that makes the layout: reproducible and shrinkable.
struct Choices {
    numbers: Vec<u8>,
    at: usize,
}

impl Choices {
    fn next(&mut self, below: usize) -> usize {
        self.at += 1;
        let number = self.numbers.get(self.at % self.numbers.len().max(1)).copied().unwrap_or(0);
        (usize::from(number) + self.at / self.numbers.len().max(1)) % below
    }

    fn valid(&mut self, len: usize) -> Option<Vec<bool>> {
        (self.next(3) == 0).then(|| (0..len).map(|_| self.next(4) > 0).collect())
    }
}

/// Returns a column of `len` slots: lists with and without hidden values, structs with nulls, slices of more.
fn column(around: &[Around], leaf: u8, len: usize, choices: &mut Choices) -> ArrayRef {
    // More than is needed, so that what comes out is a slice.
    let (before, after) = (choices.next(3), choices.next(3));
    let all = before + len + after;
    let Some((first, inner)) = around.split_first() else {
        return leaf_array(leaf, all, choices).slice(before, len);
    };
    let array = match first {
        Around::Struct => {
            let field = column(inner, leaf, all, choices);
            structs(&[("a", field)], choices.valid(all))
        }
        Around::Fixed(size) => {
            let valid = choices.valid(all);
            let values = column(inner, leaf, all * usize::try_from(*size).unwrap(), choices);
            fixed_lists(all, *size, valid, values)
        }
        Around::Lists | Around::SmallLists => {
            let lengths = (0..all).map(|_| choices.next(4)).collect::<Vec<_>>();
            let values = column(inner, leaf, lengths.iter().sum(), choices);
            match (first, choices.valid(all)) {
                (Around::Lists, Some(valid)) => hiding(&lengths, &valid, values),
                (Around::Lists, None) => lists(&lengths.into_iter().map(Some).collect::<Vec<_>>(), values),
                _ => small_lists(&lengths.into_iter().map(Some).collect::<Vec<_>>(), values),
            }
        }
    };
    array.slice(before, len)
}

fn leaf_array(leaf: u8, len: usize, choices: &mut Choices) -> ArrayRef {
    let numbers = (0..len).map(|_| choices.next(5)).collect::<Vec<_>>();
    let null = choices.next(8) == 0;
    let number = |&number: &usize| (!null || number > 0).then_some(number);
    let text = |number: usize| "abcd".get(..number).unwrap_or("");
    let of = numbers.iter().map(number);
    match leaf % 6 {
        0 => Arc::new(of.map(|n| n.map(|n| n as i32)).collect::<Int32Array>()),
        1 => Arc::new(of.map(|n| n.map(|n| n as f32)).collect::<Float32Array>()),
        2 => Arc::new(of.map(|n| n.map(|n| n > 2)).collect::<BooleanArray>()),
        3 => Arc::new(of.map(|n| n.map(text)).collect::<StringArray>()),
        4 => Arc::new(of.map(|n| n.map(|n| text(n).as_bytes())).collect::<LargeBinaryArray>()),
        _ => Arc::new(of.map(|n| n.map(|n| n as u64)).collect::<UInt64Array>()),
    }
}

/// Representations of every kind for a column; most fit it.
fn representation(around: &[Around], leaf: u8) -> BoxedStrategy<Representation> {
    let structs = around.iter().filter(|around| matches!(around, Around::Struct)).count();
    let lists = around.len() - structs;
    let path = move |steps| ColumnPath::new(std::iter::once("x").chain(std::iter::repeat_n("a", steps)));
    let path = prop_oneof![9 => Just(path(structs)), 1 => Just(path(structs + 1))];
    let size = prop_oneof![3 => Just(None), 1 => (0..5usize).prop_map(Some)];
    let scalar = match leaf % 6 {
        1 => ScalarValue::Float(0.5),
        2 => ScalarValue::Bool(true),
        3 => ScalarValue::Bytes(vec![]),
        4 => ScalarValue::Bytes(b"zz".to_vec()),
        _ => ScalarValue::Int(1),
    };
    let scalars = prop_oneof![9 => Just(scalar.clone()), 1 => Just(ScalarValue::Int(-1))];
    let padding = prop_oneof![3 => Just(None), 1 => scalars.clone().prop_map(Some)];
    let default = prop_oneof![
        1 => Just(None),
        4 => scalars.prop_map(|scalar| Some(DefaultValue::Scalar(scalar))),
        1 => (1..6usize).prop_map(move |count| Some(DefaultValue::Full(vec![scalar.clone(); count]))),
    ];
    let rank = prop_oneof![4 => Just(lists), 1 => 0..3usize];
    let shape = rank.prop_flat_map({
        let size = size.clone();
        move |rank| vec(size.clone(), rank)
    });
    let dense_kind = (path.clone(), shape, default, padding, 0..4u8).prop_map(
        |(column, shape, default, padding, pads)| {
            let fill = if pads > 0 { Fill::Shortfall } else { Fill::AbsentRows };
            let default = default.filter(|_| padding.is_none());
            dense(&shape).column(column).default_value(default).fill(fill).padding(padding).into()
        },
    );
    let partition = prop_oneof![1 => Just(RaggedPartition::RowLengths("n".into())), 3 => (1..3u64).prop_map(RaggedPartition::UniformRowLength)];
    let ragged_kind =
        (path.clone(), vec(partition, 0..3), any::<bool>()).prop_map(|(column, partitions, small)| {
            let row_splits = if small { RowSplitsDType::Int32 } else { RowSplitsDType::Int64 };
            tensor_repr::RaggedRepresentation::default()
                .column(column)
                .partitions(partitions)
                .row_splits(row_splits)
                .dtype(None)
                .into()
        });
    let kept = 0..=lists;
    let sparse_kind =
        (path.clone(), kept, any::<bool>(), size).prop_map(|(column, kept_dims, sort, size)| {
            let mut sizes = vec![None; kept_dims];
            sizes.push(size.map(|size| size as u64));
            Representation::Sparse(
                SparseRepresentation::default()
                    .dense_shape(sizes)
                    .index_columns(vec![column.clone()])
                    .value_column(column)
                    .sort(sort)
                    .kept_dims(kept_dims),
            )
        });
    prop_oneof![
        6 => dense_kind,
        2 => ragged_kind,
        2 => sparse_kind,
        1 => path.clone().prop_map(|column| varlen().column(column).into()),
        1 => path.clone().prop_map(|column| VarLenRaggedRepresentation::default().column(column).dtype(None).into()),
        1 => Just(StructuredRepresentation::default().columns(vec!["x".into()]).into()),
    ]
    .boxed()
}

/// Returns a column and a representation of it.
fn shaped() -> impl Strategy<Value = (Vec<Around>, u8, Representation)> {
    (around(), 0..6u8).prop_flat_map(|(around, leaf)| {
        let representation = representation(&around, leaf);
        (Just(around), Just(leaf), representation)
    })
}

fn of_batch(batch: &RecordBatch, representation: &Representation) -> Result<(Tensor, Adapter), Error> {
    let adapter = adapter(batch, representation.clone())?;
    let tensor = adapter.tensors(batch)?[0].1.clone();
    Ok((tensor, adapter))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    /// A slice gives what a copy of the same rows gives, which has no slack, no offsets and hides nothing else;
    /// every tensor conforms to its spec; nothing panics.
    #[test]
    fn slices_give_the_same_tensors_as_copies(
        (around, leaf, representation) in shaped(),
        numbers in vec(any::<u8>(), 1..40),
        rows in 0..6usize,
        skip in 0..3usize,
    ) {
        let mut choices = Choices { numbers, at: 0 };
        let x = column(&around, leaf, rows + skip, &mut choices);
        let n = column(&[Around::Lists], 0, rows + skip, &mut choices);
        let slice = batch(&[("x", x), ("n", n)]).slice(skip, rows);
        let every = UInt64Array::from_iter_values(0..rows as u64);
        // Arrow's kernel forgets how many lists of no items there are.
        let lengthless = around.iter().any(|around| matches!(around, Around::Fixed(0)));
        let copy = if lengthless { slice.clone() } else { take_record_batch(&slice, &every).unwrap() };
        match (of_batch(&slice, &representation), of_batch(&copy, &representation)) {
            (Ok((sliced, adapter)), Ok((copied, _))) => {
                prop_assert_eq!(&sliced, &copied);
                let spec = &adapter.specs()[0].1;
                prop_assert!(spec.accepts(&sliced), "{} does not conform to {}", sliced.spec(), spec);
                prop_assert_eq!(sliced.rows(), rows);
                // In used memory as in fresh memory.
                let again = adapter.tensors(&slice).unwrap()[0].clone().1;
                drop(sliced);
                let third = adapter.tensors(&slice).unwrap()[0].clone().1;
                prop_assert_eq!(&again, &copied);
                prop_assert_eq!(&third, &copied);
            }
            (Err(sliced), Err(copied)) => prop_assert_eq!(sliced.to_string(), copied.to_string()),
            (sliced, copied) => prop_assert!(false, "{:?} and {:?}", sliced.map(|(t, _)| t), copied.map(|(t, _)| t)),
        }
    }

    /// Columns of about one value a row, which have a way of their own, against plain reading.
    #[test]
    fn about_one_value_a_row(
        rows in vec((any::<bool>(), prop_oneof![1 => Just(0usize), 8 => Just(1), 1 => Just(2)]), 0..200),
        only_ones in any::<bool>(),
        no_nulls in any::<bool>(),
        hides in any::<bool>(),
        skip in 0..70usize,
        pads in any::<bool>(),
        default in prop_oneof![Just(""), Just("zz")],
    ) {
        let skip = skip.min(rows.len());
        let rows = rows.into_iter().map(|(valid, length)| {
            let valid = valid || no_nulls;
            let length = if only_ones { 1 } else { length };
            (valid, if valid || hides { length } else { 0 })
        }).collect::<Vec<_>>();
        let lengths = rows.iter().map(|(_, length)| *length).collect::<Vec<_>>();
        let valid = rows.iter().map(|(valid, _)| *valid).collect::<Vec<_>>();
        let words = (0..lengths.iter().sum::<usize>()).map(|at| "abcdefgh"[..at % 5].to_owned()).collect::<Vec<_>>();
        let numbers = (0..words.len() as i64).collect::<Vec<_>>();
        let mut element = 0;
        // What each row should have: an error, or an element or none.
        let wanted = rows.iter().map(|(valid, length)| {
            let first = element;
            element += length;
            match (valid, length) {
                (false, _) => Ok(None),
                (true, 1) => Ok(Some(first)),
                (true, 0) if pads => Ok(None),
                (true, _) => Err(()),
            }
        }).skip(skip).collect::<Result<Vec<_>, _>>();
        let fill = if pads { Fill::Shortfall } else { Fill::AbsentRows };
        let made = |values: ArrayRef, default| {
            let column = hiding(&lengths, &valid, values).slice(skip, rows.len() - skip);
            let default = Some(DefaultValue::Scalar(default));
            of_column(column, dense(&[]).default_value(default).fill(fill)).ok()
        };
        let made_words = made(strings(&words.iter().map(String::as_str).collect::<Vec<_>>()), ScalarValue::Bytes(default.into()));
        let made_numbers = made(ints(&numbers), ScalarValue::Int(-1));
        let expected = wanted.ok().map(|wanted| {
            let count = wanted.len();
            let text = wanted.iter().map(|at| at.map_or(default, |at| words[at].as_str())).collect::<Vec<_>>();
            let number = wanted.iter().map(|at| at.map_or(-1, |at| numbers[at])).collect::<Vec<_>>();
            (string_tensor(&[count], &text), dense_tensor(&[count], &number))
        });
        prop_assert_eq!(made_words.zip(made_numbers), expected);
    }
}
