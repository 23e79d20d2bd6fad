//! Errors of batches, and their texts.

use std::sync::Arc;

use tensor_repr::Values;
use tfxio_core::DType;

use super::{batcher, chunk, files, fixed, item, pad, pipeline, sequences, tensor};
use crate::Kind;
use crate::batch::Batcher;
use crate::column::{Column, RowShape};
use crate::item::{Item, Unit};
use crate::pipeline::Pad;

/// The error of examples of a sequence of int64.
fn error(unit: Unit, padding: Option<Pad>, items: &[Item]) -> (Option<Kind>, String) {
    let pipeline = pipeline(vec![tensor("v", DType::Int64, &[None])], padding.map(|pad| vec![pad]));
    let error = batcher(pipeline, unit).batch(items, &files()).unwrap_err();
    (error.detail().copied(), error.to_string())
}

#[test]
fn shapes_that_differ() {
    let one = chunk(0, 0, vec![sequences(&[&[1], &[2, 3]])]);
    let two = chunk(1, 5, vec![sequences(&[&[1, 2], &[3]])]);
    let records = [item(&[(&one, 0, 1)]), item(&[(&two, 1, 1)]), item(&[(&two, 0, 1)])];
    let expected = "b.tfrecord, byte 50, record 5, tensor \"v\": the shape is [2], that of record 0 of a.tfrecord in \
                    the same batch is [1]; set `padding` to bring the tensors of a batch to one shape, or \
                    `target_batch_size` to 1";
    assert_eq!(error(Unit::Row, None, &records), (Some(Kind::Record), expected.to_owned()));
    let expected = "b.tfrecord, byte 50, record 5, tensor \"v\": the shape of the window that begins here is [3], that \
                    of the window that begins with record 0 of a.tfrecord, in the same batch, is [1]; set `padding` \
                    to bring the tensors of a batch to one shape, or `target_batch_size` to 1";
    assert_eq!(error(Unit::Rows, None, &[item(&[(&one, 0, 1)]), item(&[(&two, 0, 2)])]).1, expected);
    // The second step lies in the second record.
    let windows = [item(&[(&one, 0, 2)]), item(&[(&one, 1, 1)])];
    assert!(
        error(Unit::Steps, None, &windows).1.starts_with("a.tfrecord, byte 10, record 1, tensor \"v\": ")
    );
}

#[test]
fn larger_than_its_padding() {
    let one = chunk(0, 0, vec![sequences(&[&[1], &[2, 3]])]);
    let items = [item(&[(&one, 0, 1)]), item(&[(&one, 1, 1)])];
    let expected = "a.tfrecord, byte 10, record 1, tensor \"v\": the shape is [2], larger than the shape [1] of its \
                    padding; give `padding` a larger shape, or -1 for the largest of the batch";
    let short = pad(DType::Int64, &[Some(1)], &[]);
    assert_eq!(error(Unit::Row, Some(short), &items), (Some(Kind::Record), expected.to_owned()));
    let expected = "a.tfrecord, byte 0, record 0, tensor \"v\": the shape of the window that begins here is [3], larger \
                    than the shape [0] of its padding; give `padding` a larger shape, or -1 for the largest of the batch";
    let none = pad(DType::Int64, &[Some(0)], &[]);
    assert_eq!(error(Unit::Rows, Some(none), &[item(&[(&one, 0, 2)])]).1, expected);
    let shape = RowShape::Leading { offsets: vec![0, 1], inner: vec![3] };
    let wide = chunk(0, 0, vec![Column { rows: 1, shape, values: Values::from_vec(vec![1i64, 2, 3]) }]);
    let pad = pad(DType::Int64, &[None, Some(2)], &[]);
    let pipeline = pipeline(vec![tensor("v", DType::Int64, &[None, Some(3)])], Some(vec![pad]));
    let error = batcher(pipeline, Unit::Row).batch(&[item(&[(&wide, 0, 1)])], &files()).unwrap_err();
    assert_eq!(error.what(), "the shape is [1, 3], larger than the shape [-1, 2] of its padding");
}

#[test]
fn windows_of_scalars() {
    let scalars = chunk(0, 0, vec![fixed(&[], Values::from_vec(vec![1i64, 2]))]);
    let pipeline = pipeline(vec![tensor("x", DType::Int64, &[])], None);
    let error = batcher(pipeline, Unit::Rows).batch(&[item(&[(&scalars, 0, 2)])], &files()).unwrap_err();
    let expected =
        "a.tfrecord, byte 0, record 0, tensor \"x\": a window needs a first dimension, the tensor has none";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn the_limit_of_a_batch() {
    let numbers = fixed(&[2], Values::from_vec(vec![1i64, 2, 3, 4]));
    let rows = chunk(0, 0, vec![numbers, fixed(&[], Values::from_strings(["ab", "cde"]))]);
    let items = [item(&[(&rows, 0, 1)]), item(&[(&rows, 1, 1)])];
    let tensors = vec![tensor("x", DType::Int64, &[Some(2)]), tensor("s", DType::String, &[])];
    let batch = |limit: u64| {
        Batcher::new(Arc::new(pipeline(tensors.clone(), None)), Unit::Row, limit, true)
            .batch(&items, &files())
    };
    // 32 bytes of integers, three offsets of 8, and 5 bytes of strings.
    assert!(batch(61).is_ok());
    let strings = batch(60).unwrap_err();
    assert_eq!(strings.detail(), Some(&Kind::LimitExceeded));
    let expected = "tensor \"s\": the tensor of shape [2] takes 29 bytes, those before it 32; the limit for a batch is \
                    60 bytes; take smaller batches, shorter windows or a smaller pad shape, or raise the limit";
    assert_eq!(strings.to_string(), expected);
    let expected = "the tensor of shape [2, 2] takes 32 bytes; the limit for a batch is 31 bytes";
    assert_eq!(batch(31).unwrap_err().what(), expected);
    let huge = pad(DType::Int64, &[Some(usize::MAX)], &[]);
    let pipeline = pipeline(tensors, Some(vec![huge, pad(DType::String, &[], &[])]));
    let error = batcher(pipeline, Unit::Row).batch(&items, &files()).unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::LimitExceeded));
    assert!(error.what().contains("takes more bytes than can be counted"), "{error}");
}

#[test]
fn spans_that_lie_outside_of_their_chunk() {
    let rows = chunk(0, 0, vec![sequences(&[&[1], &[2, 3]])]);
    let outside = "tensor \"v\": an example lies outside of the records it was cut from";
    for (unit, start, len) in
        [(Unit::Row, 2, 1), (Unit::Rows, 1, 2), (Unit::Steps, 1, 3), (Unit::Steps, u32::MAX, u32::MAX)]
    {
        let error = error(unit, None, &[item(&[(&rows, start, len)])]);
        assert_eq!(error, (Some(Kind::Record), outside.to_owned()));
    }
    // A column of another dtype than the pipeline says.
    let strings = chunk(0, 0, vec![fixed(&[1], Values::from_strings(["a"]))]);
    assert_eq!(error(Unit::Row, None, &[item(&[(&strings, 0, 1)])]).1, outside);
}
