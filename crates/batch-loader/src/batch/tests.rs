//! Batches of given columns, compared with the expected ones cell by cell.

mod errors;
mod laws;
mod normalized;

use std::sync::Arc;

use tensor_repr::{DenseTensor, Strings, TensorSpec, Values};
use tfxio_core::DType;

use super::{Batch, Batcher};
use crate::column::{Column, RowShape};
use crate::config::LoaderType;
use crate::item::{Chunk, Item, Span, Unit};
use crate::pipeline::{Cell, Pad, Pipeline};
use crate::shape::TensorInfo;

/// A tensor called `name`.
fn tensor(name: &str, dtype: DType, shape: &[Option<usize>]) -> TensorInfo {
    TensorInfo { name: name.into(), dtype, shape: shape.to_vec() }
}

/// A pad shape and value; 0 or the empty string for no bytes.
fn pad(dtype: DType, shape: &[Option<usize>], bytes: &[u8]) -> Pad {
    let bytes = match dtype.width() {
        Some(width) if bytes.is_empty() => vec![0; width],
        _ => bytes.to_vec(),
    };
    Pad { shape: shape.to_vec(), value: Cell { dtype, bytes: bytes.into() } }
}

/// A pipeline all of whose tensors are inputs.
fn pipeline(tensors: Vec<TensorInfo>, padding: Option<Vec<Pad>>) -> Pipeline {
    Pipeline {
        loader: LoaderType::Independent,
        primary: Vec::new(),
        secondary: Vec::new(),
        steps: Vec::new(),
        inputs: (0..tensors.len()).collect(),
        targets: Vec::new(),
        examples: tensors.clone(),
        tensors,
        window_steps: Vec::new(),
        padding,
        normalization: Vec::new(),
        pack: None,
        budget: Vec::new(),
    }
}

fn batcher(pipeline: Pipeline, unit: Unit) -> Batcher {
    Batcher::new(Arc::new(pipeline), unit, 1 << 30, true)
}

/// A column of sequences, each of as many steps as its values fill.
fn sequences(rows: &[&[i64]]) -> Column {
    let mut offsets = vec![0];
    offsets.extend(rows.iter().scan(0, |end, row| {
        *end += row.len();
        Some(*end)
    }));
    Column {
        rows: rows.len(),
        shape: RowShape::Leading { offsets, inner: Vec::new() },
        values: Values::from_vec(rows.concat()),
    }
}

fn fixed(shape: &[usize], values: Values) -> Column {
    let cells = shape.iter().product::<usize>().max(1);
    Column { rows: values.len() / cells, shape: RowShape::Fixed(shape.to_vec()), values }
}

/// A chunk of records from number `first` on, of 10 bytes each.
fn chunk(file: u32, first: u64, columns: Vec<Column>) -> Arc<Chunk> {
    let rows = columns.first().map_or(0, |column| column.rows) as u64;
    let steps = match &columns[0].shape {
        RowShape::Leading { offsets, .. } => Some(offsets.clone()),
        RowShape::Fixed(shape) => {
            shape.first().map(|first| (0..=rows as usize).map(|row| row * first).collect())
        }
    };
    let records = (first..first + rows).collect::<Vec<_>>();
    let bytes = records.iter().map(|record| record * 10).collect();
    Arc::new(Chunk { file, records, bytes, columns, steps, ..Chunk::default() })
}

/// An example of parts of chunks: start and length.
fn item(spans: &[(&Arc<Chunk>, u32, u32)]) -> Item {
    let mut spans = spans
        .iter()
        .map(|&(chunk, start, len)| Span { chunk: Arc::clone(chunk), start, len })
        .collect::<Vec<_>>();
    let first = spans.remove(0);
    Item { first, rest: (!spans.is_empty()).then(|| spans.into()) }
}

fn files() -> Vec<Arc<str>> {
    vec!["a.tfrecord".into(), "b.tfrecord".into()]
}

fn ints(batch: &Batch, name: &str) -> (Vec<usize>, Vec<i64>) {
    let tensor = batch.get(name).unwrap();
    (tensor.shape().to_vec(), tensor.values().as_slice::<i64>().unwrap().to_vec())
}

fn strings(tensor: &DenseTensor) -> Vec<String> {
    let strings = tensor.values().as_strings().map(Strings::iter);
    strings.unwrap().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect()
}

#[test]
fn records_of_several_chunks() {
    let image = tensor("image", DType::UInt8, &[Some(2), Some(2)]);
    let label = tensor("label", DType::Int64, &[]);
    let mut pipeline = pipeline(vec![image, label], None);
    (pipeline.inputs, pipeline.targets) = (vec![0], vec![1]);
    let batcher = batcher(pipeline, Unit::Row);
    let images = |first: u8| fixed(&[2, 2], Values::from_vec((first..first + 8).collect::<Vec<u8>>()));
    let one = chunk(0, 0, vec![images(0), fixed(&[], Values::from_vec(vec![7i64, 8]))]);
    let two = chunk(1, 0, vec![images(100), fixed(&[], Values::from_vec(vec![-1i64, -2]))]);
    let items = [item(&[(&two, 1, 1)]), item(&[(&one, 0, 1)]), item(&[(&one, 0, 1)])];
    let batch = batcher.batch(&items, &files()).unwrap();

    assert_eq!((batch.len(), batch.is_empty()), (3, false));
    let (names, inputs): (Vec<_>, Vec<_>) = batch.inputs().unzip();
    assert_eq!(names, [&Arc::from("image")]);
    assert_eq!(inputs[0].shape(), [3, 2, 2]);
    let values = inputs[0].values().as_slice::<u8>();
    assert_eq!(values, Some([104, 105, 106, 107, 0, 1, 2, 3, 0, 1, 2, 3].as_slice()));
    assert_eq!(batch.targets().map(|(name, _)| &**name).collect::<Vec<_>>(), ["label"]);
    assert_eq!(ints(&batch, "label"), (vec![3], vec![-2, 7, 7]));
    assert_eq!(
        batch.get("imag").unwrap_err().to_string(),
        "the batch has no tensor \"imag\"; did you mean \"image\"?"
    );
    assert!(batch.row_lengths("image").is_none());
    let buffer = inputs[0].values().buffer().map(|buffer| buffer.as_ptr().align_offset(64));
    assert_eq!(buffer, Some(0));
}

#[test]
fn a_tensor_may_be_an_input_and_a_target() {
    let tensors = ["x", "y", "z"].map(|name| tensor(name, DType::Int64, &[]));
    let mut pipeline = pipeline(tensors.to_vec(), None);
    (pipeline.inputs, pipeline.targets) = (vec![2, 0], vec![0, 1, 2]);
    let column = |value: i64| fixed(&[], Values::from_vec(vec![value]));
    let chunk = chunk(0, 0, (0..3).map(column).collect());
    let batch = batcher(pipeline, Unit::Row).batch(&[item(&[(&chunk, 0, 1)])], &files()).unwrap();
    let names = |names: Vec<&Arc<str>>| names.iter().map(|name| name.to_string()).collect::<String>();
    assert_eq!(names(batch.inputs().map(|(name, _)| name).collect()), "zx");
    assert_eq!(names(batch.targets().map(|(name, _)| name).collect()), "xyz");
    let buffer = |tensor: &DenseTensor| tensor.values().buffer().unwrap().as_ptr();
    assert_eq!(
        batch.inputs().map(|(_, tensor)| buffer(tensor)).collect::<Vec<_>>(),
        batch
            .targets()
            .map(|(_, tensor)| buffer(tensor))
            .step_by(2)
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
            .collect::<Vec<_>>()
    );
}

#[test]
fn sequences_are_padded_to_the_longest_or_to_a_shape() {
    let rows = chunk(0, 0, vec![sequences(&[&[1, 2, 3], &[], &[4]])]);
    let items = (0..3).map(|row| item(&[(&rows, row, 1)])).collect::<Vec<_>>();
    let padded = |pad: Pad| {
        let tensor = tensor("v", DType::Int64, &[None]);
        let batcher = batcher(pipeline(vec![tensor], Some(vec![pad])), Unit::Row);
        ints(&batcher.batch(&items, &files()).unwrap(), "v")
    };
    let longest = padded(pad(DType::Int64, &[None], &[]));
    assert_eq!(longest, (vec![3, 3], vec![1, 2, 3, 0, 0, 0, 4, 0, 0]));
    let five = padded(pad(DType::Int64, &[Some(5)], &(-1i64).to_ne_bytes()));
    assert_eq!(five, (vec![3, 5], vec![1, 2, 3, -1, -1, -1, -1, -1, -1, -1, 4, -1, -1, -1, -1]));
}

#[test]
fn inner_dimensions_are_padded_too() {
    // Two steps of [2, 1], then one.
    let shape = RowShape::Leading { offsets: vec![0, 2, 3], inner: vec![2, 1] };
    let rows =
        chunk(0, 0, vec![Column { rows: 2, shape, values: Values::from_vec(vec![1i64, 2, 3, 4, 5, 6]) }]);
    let items = [item(&[(&rows, 0, 1)]), item(&[(&rows, 1, 1)])];
    let padded = |shape: &[Option<usize>]| {
        let tensor = tensor("v", DType::Int64, &[None, Some(2), Some(1)]);
        let pad = pad(DType::Int64, shape, &9i64.to_ne_bytes());
        let batcher = batcher(pipeline(vec![tensor], Some(vec![pad])), Unit::Row);
        ints(&batcher.batch(&items, &files()).unwrap(), "v")
    };
    assert_eq!(padded(&[None, Some(3), None]), (vec![2, 2, 3, 1], vec![1, 2, 9, 3, 4, 9, 5, 6, 9, 9, 9, 9]));
    assert_eq!(
        padded(&[None, None, Some(2)]),
        (vec![2, 2, 2, 2], vec![1, 9, 2, 9, 3, 9, 4, 9, 5, 9, 6, 9, 9, 9, 9, 9])
    );
    assert_eq!(
        padded(&[Some(2), Some(3), Some(2)]).1,
        [1, 9, 2, 9, 9, 9, 3, 9, 4, 9, 9, 9, 5, 9, 6, 9, 9, 9, 9, 9, 9, 9, 9, 9]
    );
}

#[test]
fn windows_of_records_and_the_lengths_of_these() {
    let one = chunk(0, 0, vec![sequences(&[&[1, 2], &[3], &[], &[4, 5, 6]])]);
    let two = chunk(0, 4, vec![sequences(&[&[7], &[8, 9]])]);
    let items = [item(&[(&one, 0, 2)]), item(&[(&one, 2, 2), (&two, 0, 1)])];
    let tensor = tensor("v", DType::Int64, &[None]);
    let pad = pad(DType::Int64, &[None], &[]);
    let batcher = batcher(pipeline(vec![tensor], Some(vec![pad])), Unit::Rows);
    let batch = batcher.batch(&items, &files()).unwrap();
    assert_eq!(ints(&batch, "v"), (vec![2, 4], vec![1, 2, 3, 0, 4, 5, 6, 7]));
    let lengths = batch.row_lengths("v").unwrap();
    assert_eq!(lengths.row_splits()[0].iter().collect::<Vec<_>>(), [0, 2, 5]);
    assert_eq!(lengths.values().as_slice::<i64>(), Some([2, 1, 0, 3, 1].as_slice()));
}

#[test]
fn windows_of_steps_cross_chunks() {
    let one = chunk(0, 0, vec![sequences(&[&[1, 2], &[3, 4, 5]])]);
    let two = chunk(0, 2, vec![sequences(&[&[6], &[7, 8]])]);
    let items = [item(&[(&one, 1, 3)]), item(&[(&one, 4, 1), (&two, 0, 2)])];
    let tensor = tensor("v", DType::Int64, &[None]);
    let batch = batcher(pipeline(vec![tensor], None), Unit::Steps).batch(&items, &files()).unwrap();
    assert_eq!(ints(&batch, "v"), (vec![2, 3], vec![2, 3, 4, 5, 6, 7]));
    assert!(batch.row_lengths("v").is_none());
}

#[test]
fn strings_with_offsets_of_either_width() {
    let small = arrow_array::BinaryArray::from_iter_values([b"aa", b"bb", b"cc"]);
    let small = Values::from_array(&small).unwrap().slice(1, 2).unwrap();
    let shape = RowShape::Leading { offsets: vec![0, 2], inner: Vec::new() };
    let one = chunk(0, 0, vec![Column { rows: 1, shape, values: small }]);
    let shape = RowShape::Leading { offsets: vec![0, 1], inner: Vec::new() };
    let two = chunk(1, 0, vec![Column { rows: 1, shape, values: Values::from_strings(["ddd"]) }]);
    let items = [item(&[(&two, 0, 1)]), item(&[(&one, 0, 1)])];
    for (value, expected) in [("", ["ddd", "", "bb", "cc"]), ("<pad>", ["ddd", "<pad>", "bb", "cc"])] {
        let pad = pad(DType::String, &[None], value.as_bytes());
        let pipeline = pipeline(vec![tensor("s", DType::String, &[None])], Some(vec![pad]));
        let batch = batcher(pipeline, Unit::Row).batch(&items, &files()).unwrap();
        let tensor = batch.get("s").unwrap();
        assert_eq!((tensor.shape(), strings(tensor)), (&[2, 2][..], expected.map(String::from).to_vec()));
    }
}

#[test]
fn memory_of_dropped_batches_is_used_again() {
    let rows = chunk(0, 0, vec![fixed(&[4], Values::from_vec((0..40i64).collect()))]);
    let batcher = batcher(pipeline(vec![tensor("v", DType::Int64, &[Some(4)])], None), Unit::Row);
    let items = (0..10).map(|row| item(&[(&rows, row, 1)])).collect::<Vec<_>>();
    let buffer = |batch: &Batch| batch.get("v").unwrap().values().buffer().unwrap().as_ptr();
    let first = batcher.batch(&items, &files()).unwrap();
    let at = buffer(&first);
    let second = batcher.batch(&items[..9], &files()).unwrap();
    assert_ne!(buffer(&second), at);
    drop(first);
    let third = batcher.batch(&items[..9], &files()).unwrap();
    assert_eq!((buffer(&third), &third), (at, &second));
}

#[test]
fn specs_say_what_is_known_before_there_is_data() {
    let tensors = vec![
        tensor("image", DType::Float32, &[Some(28), Some(28)]),
        tensor("words", DType::String, &[None]),
        tensor("label", DType::Int64, &[]),
    ];
    let show = |padding: Option<Vec<Pad>>, unit: Unit| {
        let specs = batcher(pipeline(tensors.clone(), padding), unit).specs();
        specs
            .iter()
            .map(|(name, spec): &(Arc<str>, TensorSpec)| format!("{name}: {spec}"))
            .collect::<Vec<_>>()
    };
    let plain = ["image: dense float32 [?, 28, 28]", "words: dense string [?, ?]", "label: dense int64 [?]"];
    assert_eq!(show(None, Unit::Row), plain);
    let padding = vec![
        pad(DType::Float32, &[None, Some(30)], &[]),
        pad(DType::String, &[Some(5)], &[]),
        pad(DType::Int64, &[], &[]),
    ];
    let padded = ["image: dense float32 [?, 28, 30]", "words: dense string [?, 5]", "label: dense int64 [?]"];
    assert_eq!(show(Some(padding), Unit::Row), padded);
    assert_eq!(show(None, Unit::Rows)[0], "image: dense float32 [?, ?, 28]");
}
