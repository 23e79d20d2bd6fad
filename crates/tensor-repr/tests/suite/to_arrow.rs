//! Tensors to batches and back: the same tensors, for every representation and dtype, and the memory that they share.

use std::sync::Arc;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Int64Type};
use arrow_buffer::ScalarBuffer;
use half::f16;
use proptest::prelude::*;
use tensor_repr::{
    Adapter, DenseTensor, RaggedTensor, Representation, RowSplits, RowSplitsDType, SparseTensor, Strings,
    StructuredTensor, Tensor, TensorSpec, TensorsToArrow, Values, VarLenRaggedRepresentation,
};
use tfxio_core::DType;

/// Returns all dtypes that Arrow has.
fn dtypes() -> impl Strategy<Value = DType> {
    proptest::sample::select(
        DType::ALL.into_iter().filter(|dtype| *dtype != DType::BFloat16).collect::<Vec<_>>(),
    )
}

/// Returns `count` values, no two of them equal as far as the dtype goes.
fn values(dtype: DType, count: usize) -> Values {
    fn from<T: tensor_repr::Element>(count: usize, value: impl Fn(usize) -> T) -> Values {
        Values::from_vec((0..count).map(value).collect::<Vec<_>>())
    }
    match dtype {
        DType::Bool => Values::from_bools((0..count).map(|at| at % 3 == 0)),
        DType::Int8 => from(count, |at| (at as i8).wrapping_neg()),
        DType::Int16 => from(count, |at| -(at as i16)),
        DType::Int32 => from(count, |at| -(at as i32)),
        DType::Int64 => from(count, |at| i64::MIN + at as i64),
        DType::UInt8 => from(count, |at| at as u8),
        DType::UInt16 => from(count, |at| at as u16),
        DType::UInt32 => from(count, |at| u32::MAX - at as u32),
        DType::UInt64 => from(count, |at| u64::MAX - at as u64),
        DType::Float16 => from(count, |at| f16::from_f32(at as f32)),
        DType::Float32 => from(count, |at| if at == 1 { f32::NAN } else { -(at as f32) }),
        DType::Float64 => from(count, |at| if at == 1 { -0.0 } else { at as f64 / 3.0 }),
        DType::String => Values::from_strings((0..count).map(|at| vec![b'a' + at as u8 % 26; at % 4])),
        other => panic!("no values of {other}"),
    }
}

/// Returns `spec` with every size as in the tensor, except for the batch and `open`.
fn spec(tensor: &Tensor, open: bool) -> TensorSpec {
    let mut spec = tensor.spec();
    if let (TensorSpec::Dense { shape, .. } | TensorSpec::Sparse { shape, .. }, true) = (&mut spec, open) {
        shape.fill(None);
    }
    spec
}

fn back(name: &str, tensor: &Tensor, spec: TensorSpec, generic: bool) -> Result<(), TestCaseError> {
    let generic = generic.then_some(name);
    let converter =
        TensorsToArrow::builder([(name, spec.clone())]).generic_sparse_tensors(generic).build().unwrap();
    let tensors = [(Arc::from(name), tensor.clone())];
    let batch = converter.convert(&tensors).unwrap();
    prop_assert_eq!(batch.schema_ref(), converter.arrow_schema());
    prop_assert_eq!(batch.num_rows(), tensor.rows());
    for column in batch.columns() {
        column.to_data().validate_full().unwrap();
    }
    let representations = converter.tensor_representations().iter().cloned();
    let adapter = Adapter::builder(batch.schema(), representations).build().unwrap();
    prop_assert_eq!(&adapter.specs()[0].1, &spec);
    let again = adapter.tensors(&batch).unwrap();
    prop_assert_eq!(&again[..], &tensors[..]);
    Ok(())
}

/// Lengths of the rows of one level after the other, each with as many rows as the one before holds.
fn nested_lengths(rows: usize, levels: usize) -> BoxedStrategy<Vec<Vec<usize>>> {
    if levels == 0 {
        return Just(Vec::new()).boxed();
    }
    let level = proptest::collection::vec(0_usize..4, rows);
    level
        .prop_flat_map(move |lengths| {
            let inner = nested_lengths(lengths.iter().sum(), levels - 1);
            inner.prop_map(move |inner| [vec![lengths.clone()], inner].concat())
        })
        .boxed()
}

fn splits(lengths: &[usize], dtype: RowSplitsDType) -> RowSplits {
    let mut splits = vec![0_i64];
    for length in lengths {
        splits.push(splits.last().unwrap() + *length as i64);
    }
    match dtype {
        RowSplitsDType::Int64 => RowSplits::Int64(splits.into()),
        RowSplitsDType::Int32 => RowSplits::Int32(splits.into_iter().map(|split| split as i32).collect()),
    }
}

fn ragged(
    lengths: &[Vec<usize>],
    inner: Vec<usize>,
    dtype: DType,
    row_splits: RowSplitsDType,
) -> RaggedTensor {
    let items: usize = lengths.last().unwrap().iter().sum();
    let cells = inner.iter().product::<usize>() * items;
    let row_splits = lengths.iter().map(|lengths| splits(lengths, row_splits)).collect();
    RaggedTensor::try_new(row_splits, inner, values(dtype, cells)).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn dense_tensors_come_back(
        rows in 0_usize..5,
        inner in proptest::collection::vec(0_usize..4, 0..4),
        dtype in dtypes(),
    ) {
        let shape = [vec![rows], inner].concat();
        let values = values(dtype, shape.iter().product());
        let tensor = Tensor::Dense(DenseTensor::try_new(shape, values).unwrap());
        back("x", &tensor, tensor.spec(), false)?;
    }

    #[test]
    fn dense_tensors_of_open_shape_come_back(
        rows in 1_usize..5,
        inner in proptest::collection::vec(1_usize..4, 1..4),
        last in 0_usize..4,
        known in proptest::collection::vec(any::<bool>(), 4),
        dtype in dtypes(),
    ) {
        let shape = [vec![rows], inner, vec![last]].concat();
        let values = values(dtype, shape.iter().product());
        let spec = shape.iter().zip([false].iter().chain(&known)).map(|(&size, &known)| known.then_some(size));
        let spec = TensorSpec::Dense { dtype, shape: spec.collect() };
        back("x", &Tensor::Dense(DenseTensor::try_new(shape, values).unwrap()), spec, false)?;
    }

    #[test]
    fn lists_come_back_as_sparse_tensors(lengths in proptest::collection::vec(0_usize..4, 0..6), dtype in dtypes()) {
        let indices = lengths.iter().enumerate().flat_map(|(row, &length)| {
            (0..length).flat_map(move |place| [row as i64, place as i64])
        });
        let shape = vec![lengths.len(), lengths.iter().copied().max().unwrap_or(0)];
        let values = values(dtype, lengths.iter().sum());
        let tensor = Tensor::Sparse(SparseTensor::try_new(indices.collect(), values, shape).unwrap());
        back("x", &tensor, spec(&tensor, true), false)?;
        back("x", &tensor, spec(&tensor, true), true)?;
    }

    #[test]
    fn sparse_tensors_come_back(
        // In the order of the rows; within a row in any order, and more than once in one place.
        rows in proptest::collection::vec(proptest::collection::vec(proptest::collection::vec(0_i64..5, 3), 0..4), 0..5),
        rank in 1_usize..4,
        dtype in dtypes(),
    ) {
        let entries = rows.iter().enumerate().flat_map(|(row, entries)| {
            entries.iter().flat_map(move |entry| [row as i64].into_iter().chain(entry[..rank].iter().copied()))
        });
        let indices: ScalarBuffer<i64> = entries.collect();
        let values = values(dtype, rows.iter().map(Vec::len).sum());
        let shape = [vec![rows.len()], vec![5; rank]].concat();
        let tensor = SparseTensor::try_new(indices.clone(), values.clone(), shape).unwrap();
        let tensor = Tensor::Sparse(tensor);
        back("x", &tensor, tensor.spec(), true)?;

        // Of open shape: as large as the indices say.
        let size = |at: usize| indices.iter().skip(at).step_by(rank + 1).max().map_or(0, |&index| index as usize + 1);
        let shape = [rows.len()].into_iter().chain((1..=rank).map(size)).collect();
        let tensor = Tensor::Sparse(SparseTensor::try_new(indices, values, shape).unwrap());
        back("x", &tensor, spec(&tensor, true), true)?;
    }

    #[test]
    fn ragged_tensors_come_back(
        lengths in (0_usize..4, 1_usize..4).prop_flat_map(|(rows, levels)| nested_lengths(rows, levels)),
        inner in proptest::collection::vec(1_usize..4, 0..3),
        dtype in dtypes(),
        narrow in any::<bool>(),
    ) {
        let row_splits = if narrow { RowSplitsDType::Int32 } else { RowSplitsDType::Int64 };
        let tensor = Tensor::Ragged(ragged(&lengths, inner, dtype, row_splits));
        back("x", &tensor, tensor.spec(), false)?;
    }

    /// The representation that the published proto lacks reads the same columns.
    #[test]
    fn ragged_tensors_come_back_without_partitions(
        lengths in (0_usize..4, 1_usize..4).prop_flat_map(|(rows, levels)| nested_lengths(rows, levels)),
        dtype in dtypes(),
    ) {
        let tensor = Tensor::Ragged(ragged(&lengths, vec![], dtype, RowSplitsDType::Int64));
        let batch = convert(&[("x".into(), tensor.clone())]);
        let lists = VarLenRaggedRepresentation::default().column("x").dtype(None);
        let adapter = Adapter::builder(batch.schema(), [("x", lists.into())]).build().unwrap();
        prop_assert_eq!(&adapter.tensors(&batch).unwrap()[0].1, &tensor);
    }

    #[test]
    fn structured_tensors_come_back(
        users in nested_lengths(3, 2),
        tags in nested_lengths(3, 1),
        dtypes in (dtypes(), dtypes(), dtypes()),
    ) {
        let structs: usize = users[0].iter().sum();
        let dense = |dtype, rows| Tensor::Dense(DenseTensor::try_new(vec![rows], values(dtype, rows)).unwrap());
        let wide = RowSplitsDType::Int64;
        let place = StructuredTensor::try_new(structs, vec![], vec![("zip".into(), dense(dtypes.0, structs))]);
        let user = StructuredTensor::try_new(3, vec![splits(&users[0], wide)], vec![
            ("id".into(), dense(dtypes.1, structs)),
            ("clicks".into(), Tensor::Ragged(ragged(&users[1..], vec![], dtypes.2, wide))),
            ("place".into(), Tensor::Structured(place.unwrap())),
        ]);
        let tensor = StructuredTensor::try_new(3, vec![], vec![
            ("label".into(), dense(dtypes.0, 3)),
            ("user".into(), Tensor::Structured(user.unwrap())),
            ("tags".into(), Tensor::Ragged(ragged(&tags, vec![], dtypes.1, wide))),
        ]);
        let tensor = Tensor::Structured(tensor.unwrap());
        back("x", &tensor, tensor.spec(), false)?;
    }
}

fn dense(shape: &[usize], values: Values) -> Tensor {
    Tensor::Dense(DenseTensor::try_new(shape.to_vec(), values).unwrap())
}

fn sparse(indices: &[i64], values: Values, shape: &[usize]) -> Tensor {
    Tensor::Sparse(SparseTensor::try_new(indices.to_vec().into(), values, shape.to_vec()).unwrap())
}

fn convert(tensors: &[(Arc<str>, Tensor)]) -> arrow_array::RecordBatch {
    let specs = tensors.iter().map(|(name, tensor)| (name.clone(), tensor.spec()));
    TensorsToArrow::builder(specs).build().unwrap().convert(tensors).unwrap()
}

#[test]
fn values_and_wide_row_splits_are_shared() {
    let (values, indices) = (Values::from_vec(vec![1.0_f32, 2.0, 3.0, 4.0]), [0, 0, 0, 1, 2, 0, 2, 1]);
    let pointer = values.as_slice::<f32>().unwrap().as_ptr();
    let offsets = ScalarBuffer::from(vec![0_i64, 3, 4]);
    let split = offsets.as_ptr();
    let ragged = RaggedTensor::try_new(vec![RowSplits::Int64(offsets)], vec![], values.clone()).unwrap();
    let batch = convert(&[
        ("dense".into(), dense(&[2, 2], values.clone())),
        ("ragged".into(), Tensor::Ragged(ragged)),
    ]);
    let sparse = convert(&[("sparse".into(), sparse(&indices, values, &[3, 2]))]);
    for column in batch.columns().iter().chain(sparse.columns().first()) {
        let values = column.as_list::<i64>().values().as_primitive::<Float32Type>();
        assert_eq!(values.values().as_ptr(), pointer);
    }
    assert_eq!(batch.column(1).as_list::<i64>().offsets().as_ptr(), split);

    // And shared again on the way back.
    let shape = TensorSpec::Dense { dtype: DType::Float32, shape: vec![None, Some(2)] };
    let converter = TensorsToArrow::builder([("dense", shape)]).build().unwrap();
    let representations = converter.tensor_representations().iter().cloned();
    let adapter = Adapter::builder(batch.schema(), representations).build().unwrap();
    let tensors = adapter.tensors(&batch).unwrap();
    let Tensor::Dense(back) = &tensors[0].1 else { panic!() };
    assert_eq!(back.values().as_slice::<f32>().unwrap().as_ptr(), pointer);
    assert_eq!(tensors.copied_bytes(), 0);

    // Strings keep their bytes, whatever the width of their offsets.
    let narrow = arrow_array::BinaryArray::from_iter_values(["ab", "", "c"]);
    let data = narrow.values().as_ptr();
    let batch = convert(&[("text".into(), dense(&[3, 1], Values::from_array(&narrow).unwrap()))]);
    let strings = batch.column(0).as_list::<i64>().values().as_binary::<i64>().clone();
    assert_eq!(strings.values().as_ptr(), data);
    assert_eq!(strings.iter().flatten().collect::<Vec<_>>(), [&b"ab"[..], b"", b"c"]);
    assert_eq!(
        Values::from_array(&strings).unwrap(),
        Values::from(["ab", "", "c"].iter().collect::<Strings>())
    );
}

#[test]
fn columns_are_called_as_the_templates_say() {
    let tensor = sparse(&[0, 1, 2], Values::from_vec(vec![7_i64]), &[1, 3, 4]);
    let converter = TensorsToArrow::builder([("x", tensor.spec())])
        .sparse_value_column("{{{tensor_name}}}")
        .sparse_index_column("{index}: {tensor_name}")
        .build()
        .unwrap();
    let names: Vec<_> = converter.arrow_schema().fields().iter().map(|field| field.name().as_str()).collect();
    assert_eq!(names, ["{x}", "0: x", "1: x"]);
    let Representation::Sparse(sparse) = &converter.tensor_representations()[0].1 else { panic!() };
    assert_eq!(sparse.value_column.to_string(), "{x}");
    let batch = converter.convert(&[("x".into(), tensor)]).unwrap();
    let index = |at: usize| batch.column(at).as_list::<i64>().value(0).as_primitive::<Int64Type>().value(0);
    assert_eq!((index(1), index(2)), (1, 2));
}

#[test]
fn a_known_size_of_a_sparse_tensor_is_kept() {
    // As lists it would come back with the size of the longest.
    let tensor = sparse(&[0, 0, 1, 0], Values::from_vec(vec![7_i64, 8]), &[2, 5]);
    back("x", &tensor, tensor.spec(), false).unwrap();
}

#[test]
fn no_tensors_give_a_batch_without_columns() {
    let converter = TensorsToArrow::builder::<&str>([]).build().unwrap();
    let batch = converter.convert(&[]).unwrap();
    assert_eq!((batch.num_columns(), batch.num_rows()), (0, 0));
}
