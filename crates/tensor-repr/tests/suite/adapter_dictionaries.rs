//! Tensors of dictionaries, anywhere in a column: equal to the tensors of their values.

use std::sync::Arc;

use arrow_array::types::{Int8Type, UInt16Type};
use arrow_array::{
    Array as _, ArrayRef, DictionaryArray, FixedSizeListArray, Int8Array, Int64Array, LargeListArray,
    ListArray, RecordBatch, StringArray, StructArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::Field;
use tensor_repr::{
    Adapter, ColumnPath, DefaultValue, DenseRepresentation, Error, Kind, Representation, ScalarValue,
    TensorBatch,
};
use tfxio_core::{Limits, Position};

/// Returns twelve texts, and the same as a dictionary.
fn leaves(is_null: impl Fn(usize) -> bool) -> [ArrayRef; 2] {
    let texts = ["b", "a", "", "b", "long", "a", "b", "c", "", "long", "c", "a"];
    let texts =
        texts.iter().enumerate().map(|(at, text)| (!is_null(at)).then_some(*text)).collect::<Vec<_>>();
    let words = texts.iter().copied().collect::<DictionaryArray<Int8Type>>();
    [Arc::new(StringArray::from(texts)), Arc::new(words)]
}

fn item(array: &ArrayRef) -> Arc<Field> {
    let metadata = [("of".to_owned(), "words".to_owned())];
    Arc::new(Field::new("item", array.data_type().clone(), true).with_metadata(metadata.into()))
}

fn list(lengths: &[usize], nulls: &[bool], values: ArrayRef) -> ArrayRef {
    let nulls = Some(NullBuffer::from(nulls.to_vec()));
    Arc::new(ListArray::new(item(&values), OffsetBuffer::from_lengths(lengths.to_vec()), values, nulls))
}

fn large_list(lengths: &[usize], values: ArrayRef) -> ArrayRef {
    Arc::new(LargeListArray::new(item(&values), OffsetBuffer::from_lengths(lengths.to_vec()), values, None))
}

fn pairs(values: ArrayRef) -> ArrayRef {
    Arc::new(FixedSizeListArray::new(item(&values), 2, values, None))
}

fn structs(fields: Vec<(&str, ArrayRef)>) -> ArrayRef {
    let fields = fields
        .into_iter()
        .map(|(name, array)| (Arc::new(Field::new(name, array.data_type().clone(), true)), array));
    Arc::new(StructArray::from(fields.collect::<Vec<_>>()))
}

fn tensors(
    column: ArrayRef,
    representation: &Representation,
    rows: (usize, usize),
) -> Result<TensorBatch, Error> {
    let batch = RecordBatch::try_from_iter_with_nullable([("x", column, true)]).unwrap();
    let adapter = Adapter::builder(batch.schema(), [("t", representation.clone())]).build().unwrap();
    adapter.tensors(&batch.slice(rows.0, rows.1))
}

/// Asserts that a column of dictionaries has the tensors of the column of their values, whatever rows are taken.
fn check(make: impl Fn(ArrayRef) -> ArrayRef, representation: impl Into<Representation>) {
    let representation = representation.into();
    for null in [None, Some(4)] {
        let [plain, words] = leaves(|at| Some(at) == null).map(&make);
        assert_ne!(plain.data_type(), words.data_type());
        for start in 0..=plain.len() {
            for rows in 0..=plain.len() - start {
                let expected = tensors(Arc::clone(&plain), &representation, (start, rows));
                let found = tensors(Arc::clone(&words), &representation, (start, rows));
                let text = |result: Result<TensorBatch, Error>| match result {
                    Ok(tensors) => Ok(tensors.into_tensors()),
                    Err(error) => Err(error.to_string()),
                };
                assert_eq!(text(found), text(expected), "{rows} rows from {start}, {null:?}");
            }
        }
    }
}

fn column(path: &[&str]) -> ColumnPath {
    ColumnPath::new(path.iter().copied())
}

#[test]
fn in_lists() {
    let filled = DefaultValue::from("-");
    check(|leaf| leaf, DenseRepresentation::default().column("x").default_value(filled.clone()));
    let lists = |leaf| list(&[2, 0, 3, 1, 0, 6], &[true, true, false, true, false, true], leaf);
    check(lists, Representation::varlen_sparse().column("x"));
    check(lists, Representation::varlen_ragged().column("x"));
    let padded = DenseRepresentation::default().shape(vec![Some(6)]).default_value(filled);
    check(lists, padded.column("x"));
    check(
        |leaf| large_list(&[4, 4, 4], leaf),
        DenseRepresentation::default().shape(vec![Some(4)]).column("x"),
    );
    check(pairs, DenseRepresentation::default().shape(vec![Some(2)]).column("x"));
    check(|leaf| large_list(&[1, 2, 0, 3], pairs(leaf)), Representation::sequence([2]).column("x"));
}

#[test]
fn in_structs() {
    let made = |leaf: ArrayRef| {
        let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..12));
        // The other field stays as it is: no tensor is made of it.
        let other: ArrayRef = Arc::new(DictionaryArray::<UInt16Type>::from_iter([Some("z"); 12]));
        structs(vec![("n", numbers), ("word", leaf), ("other", other)])
    };
    let filled = DefaultValue::Scalar(ScalarValue::Bytes(Vec::new()));
    check(made, DenseRepresentation::default().column(column(&["x", "word"])).default_value(filled));
    let lists = |leaf| list(&[2, 0, 4, 1, 0, 5], &[true, true, false, true, true, true], made(leaf));
    check(lists, Representation::varlen_sparse().column(column(&["x", "word"])));
    check(lists, Representation::structured([column(&["x", "word"]), column(&["x", "n"])]));
    let nested = |leaf| structs(vec![("in", large_list(&[3, 9], structs(vec![("word", leaf)])))]);
    check(nested, Representation::varlen_ragged().column(column(&["x", "in", "word"])));
}

#[test]
fn of_lists_of_dictionaries() {
    let lists = |leaf| -> ArrayRef {
        let keys = Int8Array::from(vec![Some(3), Some(0), None, Some(3), Some(2)]);
        Arc::new(DictionaryArray::new(keys, large_list(&[3, 0, 4, 5], leaf)))
    };
    let plain = |leaf| {
        let lists = large_list(&[3, 0, 4, 5], leaf);
        let rows = arrow_array::UInt64Array::from(vec![Some(3), Some(0), None, Some(3), Some(2)]);
        arrow_select::take::take(&lists, &rows, None).unwrap()
    };
    let [texts, words] = leaves(|_| false);
    let of = Representation::varlen_sparse().column("x");
    let expected = tensors(plain(texts), &of, (0, 5)).unwrap().into_tensors();
    assert_eq!(tensors(lists(words), &of, (0, 5)).unwrap().into_tensors(), expected);
}

#[test]
fn words_take_no_more_than_the_limit() {
    let long = "x".repeat(1000);
    let words = [Some(long.as_str()), Some("y"), None].into_iter().cycle().take(300);
    let words: ArrayRef = Arc::new(words.collect::<DictionaryArray<Int8Type>>());
    let lists = large_list(&[150, 150], words);
    let batch = RecordBatch::try_from_iter([("x", lists)]).unwrap();
    let tensors = |bytes: u64| {
        let of = Representation::lengths().column("x");
        let limits = Limits::default().batch_bytes(bytes);
        let adapter = Adapter::builder(batch.schema(), [("t", of)]).limits(limits).build().unwrap();
        adapter.tensors(&batch)
    };
    assert!(tensors(100_100).is_ok());
    let error = tensors(100_099).unwrap_err();
    assert!(error.is(Kind::Overflow) && error.position() == &Position::new().column("x"));
    assert_eq!(
        error.to_string(),
        "column \"x\": the words of the dictionary take 100100 bytes in all rows, the limit is 100099 bytes; take smaller \
         batches or raise the limit"
    );
}
