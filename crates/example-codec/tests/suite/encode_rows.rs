//! Encoded records against the wire format, in batches of many rows.

use crate::model;
use crate::wire;

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, ListArray, RecordBatch};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field};
use example_codec::{EncodedExamples, EncoderOptions, Error, ExampleEncoder};
use model::{Cells, Lists, Model, Rows, Strings};
use proptest::prelude::*;
use tfxio_core::Limits;

/// Shape of the rows of a column.
#[derive(Clone, Copy, Debug)]
struct Shape {
    kind: u8,
    /// Number of null rows in eight.
    nulls: u8,
    /// Number of rows in eight that have another number of values than one.
    lists: u8,
    /// Number of long strings in 32.
    long: u8,
}

fn shape() -> impl Strategy<Value = Shape> {
    let share = |most: u8| prop_oneof![2 => Just(0), 1 => 0..=most];
    (0..4u8, share(8), share(8), share(2)).prop_map(|(kind, nulls, lists, long)| Shape {
        kind,
        nulls,
        lists,
        long,
    })
}

/// Numbers that a seed decides.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn int(&mut self) -> i64 {
        let bits = self.below(65) as u32;
        self.next().checked_shr(64 - bits).unwrap_or(0) as i64
    }

    fn string(&mut self, shape: Shape) -> Vec<u8> {
        let long = self.below(32) < u64::from(shape.long);
        let length = match if long { self.below(8) } else { 8 } {
            0 => 16_370 + self.below(30),
            1..4 => 90 + self.below(50),
            4..8 => self.below(300),
            _ => self.below(20),
        };
        (0..length).map(|at| (at ^ length) as u8).collect()
    }

    fn rows<T>(
        &mut self,
        count: usize,
        shape: Shape,
        lists: Lists,
        mut value: impl FnMut(&mut Self) -> T,
    ) -> Rows<T> {
        let mut row = || {
            if self.below(8) < u64::from(shape.nulls) {
                return None;
            }
            let values = match lists {
                Lists::Fixed(length) => length as u64,
                _ if self.below(8) >= u64::from(shape.lists) => 1,
                _ if self.below(64) == 0 => 250 + self.below(50),
                _ => self.below(6),
            };
            Some((0..values).map(|_| value(self)).collect())
        };
        (0..count).map(|_| row()).collect()
    }

    fn cells(&mut self, rows: usize, shape: Shape, lists: Lists) -> Cells {
        match shape.kind {
            0 => Cells::Ints(self.rows(rows, shape, lists, Self::int)),
            1 => Cells::Floats(self.rows(rows, shape, lists, |numbers| numbers.int() as f32)),
            2 => Cells::Bytes(self.rows(rows, shape, lists, |numbers| numbers.string(shape))),
            _ => Cells::Nothing,
        }
    }
}

/// Names around the lengths at which the fast ways end.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![6 => "[a-z]{1,9}", 1 => "[a-z]{18,26}", 1 => "[a-z]{50,60}", 1 => "[a-z]{110,140}"]
}

fn model(lists: Lists) -> impl Strategy<Value = Model> {
    let rows = prop_oneof![2 => 0..300usize, 1 => 60..100usize];
    let columns = prop::collection::btree_map(name(), shape(), 1..8);
    (rows, columns, any::<u64>()).prop_map(move |(rows, columns, seed)| {
        let mut numbers = Numbers(seed);
        let columns = columns.into_iter().map(|(name, shape)| (name, numbers.cells(rows, shape, lists)));
        Model { rows, columns: columns.collect() }
    })
}

/// Returns the records of a model, built on the wire.
fn expected(model: &Model) -> Vec<Vec<u8>> {
    fn feature<T>(row: Option<&Vec<T>>, build: impl Fn(&[T]) -> Vec<u8>) -> Vec<u8> {
        row.map(|values| build(values)).unwrap_or_default()
    }
    let record = |row: usize| {
        let features = model.columns.iter().map(|(name, cells)| {
            let value = match cells {
                Cells::Ints(rows) => feature(rows[row].as_ref(), wire::ints),
                Cells::Floats(rows) => feature(rows[row].as_ref(), wire::floats),
                Cells::Bytes(rows) => feature(rows[row].as_ref(), |values| {
                    wire::bytes(&values.iter().map(Vec::as_slice).collect::<Vec<_>>())
                }),
                Cells::Nothing => Vec::new(),
            };
            (name.as_str(), value)
        });
        wire::example(&features.collect::<Vec<_>>())
    };
    (0..model.rows).map(record).collect()
}

fn encode(batch: &RecordBatch, options: EncoderOptions) -> Result<Vec<Vec<u8>>, Error> {
    ExampleEncoder::builder(&batch.schema()).options(options).build()?.encode_to_vec(batch)
}

const ALL_STRINGS: [Strings; 3] = [Strings::Bits32, Strings::Bits64, Strings::Views];

proptest! {
    #![proptest_config(model::config(64))]

    #[test]
    fn lists(model in model(Lists::Bits64), cut in 0..200usize, keep in 0..300usize) {
        let expected = expected(&model);
        let start = cut.min(model.rows);
        let length = keep.min(model.rows - start);
        for lists in [Lists::Bits32, Lists::Bits64] {
            for strings in ALL_STRINGS {
                let batch = model.batch(lists, strings);
                prop_assert_eq!(&encode(&batch, EncoderOptions::default()).unwrap(), &expected);
                let slice = encode(&batch.slice(start, length), EncoderOptions::default()).unwrap();
                prop_assert_eq!(&slice[..], &expected[start..start + length]);
            }
        }
    }

    #[test]
    fn fixed_size_lists(
        (length, model) in (1..4i32).prop_flat_map(|n| (Just(n), model(Lists::Fixed(n)))),
        cut in 0..200usize,
    ) {
        let expected = expected(&model);
        let start = cut.min(model.rows);
        for strings in ALL_STRINGS {
            let batch = model.batch(Lists::Fixed(length), strings);
            prop_assert_eq!(&encode(&batch, EncoderOptions::default()).unwrap(), &expected);
            let slice = encode(&batch.slice(start, model.rows - start), EncoderOptions::default()).unwrap();
            prop_assert_eq!(&slice[..], &expected[start..]);
        }
    }

    #[test]
    fn an_output_that_is_used_again(
        batches in prop::collection::vec(model(Lists::Bits32), 1..4),
        before in 0..20usize,
        after in 0..20usize,
    ) {
        let mut output = EncodedExamples::new();
        for model in batches {
            let batch = model.batch(Lists::Bits32, Strings::Bits32);
            let options = EncoderOptions::default().room(before, after);
            ExampleEncoder::builder(&batch.schema()).options(options).build().unwrap().encode(&batch, &mut output).unwrap();
            let mut at = 0;
            for (row, record) in expected(&model).iter().enumerate() {
                prop_assert_eq!(output.range(row), Some(at + before..at + before + record.len()));
                prop_assert_eq!(output.get(row), Some(record.as_slice()));
                at += before + record.len() + after;
            }
            prop_assert_eq!(output.bytes().len(), at);
        }
    }

    /// The error is that of the last row that is too long, or with which the rows from the end on are.
    #[test]
    fn limits(model in model(Lists::Bits64), longest in 1..400usize, most in 1..100_000usize) {
        let batch = model.batch(Lists::Bits64, Strings::Bits64);
        let limits = Limits::default().record_bytes(longest as u64).batch_bytes(most as u64);
        let result = encode(&batch, EncoderOptions::default().limits(limits));
        let mut total = 0;
        let failed = expected(&model).iter().enumerate().rev().find_map(|(row, record)| {
            total += record.len();
            (record.len() > longest || total > most).then_some(row as u64)
        });
        prop_assert_eq!(result.err().map(|error| error.position().record), failed.map(Some));
    }
}

/// Rows too long to be written several at once, among many that are not.
#[test]
fn a_long_row_among_short_ones() {
    let strings =
        |row: usize| if row % 70 == 9 { vec![b'x'; 30_000 + 1_000 * row] } else { vec![b'y'; row % 20] };
    let columns = ["a", "b", "c"].map(|name| {
        let rows = (0..300).map(|row| Some(vec![strings(row)])).collect();
        (name.to_owned(), Cells::Bytes(rows))
    });
    let mut columns = columns.to_vec();
    columns
        .extend((0..80).map(|column| (format!("int {column}"), Cells::Ints(vec![Some(vec![column]); 300]))));
    let model = Model { rows: 300, columns };
    let batch = model.batch(Lists::Bits64, Strings::Bits64);
    assert!(encode(&batch, EncoderOptions::default()).unwrap() == expected(&model));
}

/// As many items as valid rows, but some belong to null rows, and as many valid rows have none.
#[test]
fn items_of_null_rows() {
    for nulls in [1, 63, 64, 100, 149] {
        let valid = (0..150).map(|row| row != nulls).collect::<Vec<_>>();
        let lengths = (0..150).map(|row| usize::from(row != 80));
        let items = Int64Array::from_iter_values(0..149);
        let item = Arc::new(Field::new_list_field(DataType::Int64, true));
        let offsets = OffsetBuffer::<i32>::from_lengths(lengths);
        let array = ListArray::new(item, offsets, Arc::new(items), Some(NullBuffer::from(valid)));
        let rows = (0..150).map(|row| match row {
            row if row == nulls => None,
            80 => Some(vec![]),
            row => Some(vec![row as i64 - i64::from(row > 80)]),
        });
        let columns = vec![("x".to_owned(), Cells::Ints(rows.collect()))];
        let batch = RecordBatch::try_from_iter([("x", Arc::new(array) as ArrayRef)]).unwrap();
        let records = encode(&batch, EncoderOptions::default()).unwrap();
        assert_eq!(records, expected(&Model { rows: 150, columns }), "{nulls}");
    }
}
