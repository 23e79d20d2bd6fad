//! Record batches of 1,024 and of 32,768 rows to tensors. Bytes are counted of the tensors: values, offsets of strings,
//! indices and row splits, whether written or shared. The tensors are dropped before the next batch, so their memory is
//! used again.
#![allow(missing_docs, reason = "criterion_group! makes a public function without a comment")]
#![allow(clippy::unwrap_used, reason = "a benchmark that fails may say so by a panic")]

use std::hint::black_box;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, FixedSizeListArray, Int64Array, LargeListArray, RecordBatch, StructArray};
use arrow_buffer::OffsetBuffer;
use arrow_schema::Field;
use bench_sets::inference;
use bench_sets::sets::{self, Set};
use bench_sets::tensors::bytes;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use example_codec::ExampleDecoder;
use tensor_repr::{
    Adapter, ColumnPath, DefaultValue, DenseRepresentation, Fill, RaggedRepresentation, Representation,
    RowSplitsDType, ScalarValue, SparseRepresentation, StructuredRepresentation, VarLenSparseRepresentation,
};
use tfxio_core::Origin;

fn adapter(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("adapter");
    for rows in [1024, 32768] {
        let image = decoded(&sets::dense(rows));
        let clicks = decoded(&sets::univalent(rows));
        let many = decoded(&sets::ragged(rows));
        let cases = [
            ("dense fixed", fixed(&image), vec![dense("x", &[Some(784)], None, Fill::AbsentRows)]),
            ("dense lists", image, vec![dense("x", &[Some(784)], None, Fill::AbsentRows)]),
            (
                "dense default",
                clicks.clone(),
                each(&clicks, "I", |name| dense(name, &[], Some(ScalarValue::Int(0)), Fill::AbsentRows)),
            ),
            (
                "dense strings",
                clicks.clone(),
                each(&clicks, "C", |name| dense(name, &[], Some(text("x")), Fill::AbsentRows)),
            ),
            (
                "dense strings, empty default",
                clicks.clone(),
                each(&clicks, "C", |name| dense(name, &[], Some(text("")), Fill::AbsentRows)),
            ),
            (
                "dense padded",
                many.clone(),
                each(&many, "mi", |name| dense(name, &[None], Some(ScalarValue::Int(0)), Fill::Shortfall)),
            ),
            (
                "dense padded, nested",
                nested(&many),
                each(&many, "mf", |name| {
                    dense(name, &[None, None], Some(ScalarValue::Int(0)), Fill::Shortfall)
                }),
            ),
            ("varlen sparse", many.clone(), each(&many, "m", varlen)),
            ("varlen sparse, nested", nested(&many), each(&many, "m", varlen)),
            ("sparse", indexed(&many), each(&many, "m", |name| sparse(name, false))),
            ("sparse, sorted", indexed(&many), each(&many, "m", |name| sparse(name, true))),
            ("ragged", many.clone(), each(&many, "m", ragged)),
            ("ragged, nested", nested(&many), each(&many, "m", ragged)),
            ("structured", structs(&many), vec![structured("s")]),
        ];
        for (name, batch, representations) in cases {
            let named = representations.into_iter().enumerate().map(|(at, one)| (format!("t{at}"), one));
            let adapter = Adapter::builder(batch.schema(), named).build().unwrap();
            let made = adapter.tensors(&batch).unwrap();
            let tensors = made.len();
            group.throughput(Throughput::Bytes(made.iter().map(|(_, tensor)| bytes(tensor)).sum()));
            drop(made);
            group.bench_function(format!("{name}, {tensors} of {rows} rows"), |bencher| {
                bencher.iter(|| black_box(adapter.tensors(black_box(&batch)).unwrap().len()));
            });
        }
    }
    group.finish();
}

fn decoded(set: &Set) -> RecordBatch {
    let schema = inference::schema(set.records()).unwrap();
    let mut decoder = ExampleDecoder::builder().schema(schema).build().unwrap();
    for (index, record) in set.records().enumerate() {
        decoder.push(record, Origin::record(index as u64)).unwrap();
    }
    decoder.flush().unwrap()
}

/// A representation for each column whose name begins so.
fn each(batch: &RecordBatch, prefix: &str, of: impl Fn(&str) -> Representation) -> Vec<Representation> {
    let schema = batch.schema();
    schema
        .fields()
        .iter()
        .filter(|field| field.name().starts_with(prefix))
        .map(|field| of(field.name()))
        .collect()
}

fn dense(column: &str, shape: &[Option<usize>], default: Option<ScalarValue>, fill: Fill) -> Representation {
    let default = default.map(|default| match default {
        // The float columns take 0.0.
        ScalarValue::Int(0) if column.starts_with("mf") => ScalarValue::Float(0.0),
        other => other,
    });
    let default = default.map(DefaultValue::Scalar);
    DenseRepresentation::default()
        .column(column)
        .shape(shape.to_vec())
        .default_value(default)
        .fill(fill)
        .into()
}

fn text(text: &str) -> ScalarValue {
    ScalarValue::Bytes(text.into())
}

fn varlen(column: &str) -> Representation {
    VarLenSparseRepresentation::default().column(column).into()
}

fn ragged(column: &str) -> Representation {
    let row_splits = RowSplitsDType::Int64;
    RaggedRepresentation::default().column(column).row_splits(row_splits).into()
}

fn sparse(column: &str, sort: bool) -> Representation {
    SparseRepresentation::default()
        .dense_shape(vec![Some(51)])
        .index_columns(vec![format!("{column} at").into()])
        .value_column(column)
        .sort(sort)
        .into()
}

fn structured(column: &str) -> Representation {
    StructuredRepresentation::default().columns(vec![ColumnPath::from(column)]).into()
}

fn with(batch: &RecordBatch, of: impl Fn(&str, &ArrayRef) -> Vec<(String, ArrayRef)>) -> RecordBatch {
    let schema = batch.schema();
    let columns = schema.fields().iter().zip(batch.columns());
    let columns = columns.flat_map(|(field, column)| of(field.name(), column));
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true))).unwrap()
}

/// The floats as lists of a fixed size.
fn fixed(batch: &RecordBatch) -> RecordBatch {
    let values = batch.column_by_name("x").unwrap().as_list::<i64>().values().clone();
    let item = Arc::new(Field::new("item", values.data_type().clone(), true));
    let lists: ArrayRef = Arc::new(FixedSizeListArray::new(item, 784, values, None));
    RecordBatch::try_from_iter([("x", lists)]).unwrap()
}

fn list_of(offsets: OffsetBuffer<i64>, values: ArrayRef) -> ArrayRef {
    let item = Arc::new(Field::new("item", values.data_type().clone(), true));
    Arc::new(LargeListArray::new(item, offsets, values, None))
}

/// Each list cut into lists of up to 5.
fn nested(batch: &RecordBatch) -> RecordBatch {
    with(batch, |name, column| {
        let list = column.as_list::<i64>();
        let lengths = list.offsets().windows(2).map(|pair| (pair[1] - pair[0]) as usize).collect::<Vec<_>>();
        let inner =
            lengths.iter().flat_map(|length| (0..*length).step_by(5).map(move |at| (length - at).min(5)));
        let inner = list_of(OffsetBuffer::from_lengths(inner), list.values().clone());
        vec![(
            name.to_owned(),
            list_of(OffsetBuffer::from_lengths(lengths.iter().map(|length| length.div_ceil(5))), inner),
        )]
    })
}

/// Beside each column one of indices: descending, so that sorting has something to do.
fn indexed(batch: &RecordBatch) -> RecordBatch {
    with(batch, |name, column| {
        let list = column.as_list::<i64>();
        let descending = list.offsets().windows(2).flat_map(|pair| (0..pair[1] - pair[0]).rev());
        let indices: ArrayRef = Arc::new(Int64Array::from_iter_values(descending));
        let indices = list_of(list.offsets().clone(), indices);
        vec![(format!("{name} at"), indices), (name.to_owned(), column.clone())]
    })
}

/// All columns as the fields of one list of structs.
fn structs(batch: &RecordBatch) -> RecordBatch {
    let rows = StructArray::from(batch.clone());
    let lists = list_of(OffsetBuffer::from_repeated_length(2, batch.num_rows() / 2), Arc::new(rows));
    RecordBatch::try_from_iter([("s", lists)]).unwrap()
}

criterion_group! { name = benches; config = bench_sets::criterion(); targets = adapter }
criterion_main!(benches);
