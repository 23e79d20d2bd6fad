//! Tensors refuse parts that contradict each other, and share what they are made of.

use std::sync::Arc;

use arrow_array::{Array, BinaryArray, BooleanArray, Float32Array, Int64Array, StringArray};
use arrow_buffer::{Buffer, ScalarBuffer};
use half::{bf16, f16};
use tensor_repr::{
    DenseTensor, Error, Kind, RaggedTensor, RowSplits, RowSplitsDType, SparseTensor, StructuredTensor,
    Tensor, TensorSpec, Values,
};
use tfxio_core::DType;

fn splits(splits: &[i64]) -> RowSplits {
    RowSplits::Int64(ScalarBuffer::from(splits.to_vec()))
}

fn ints(values: &[i64]) -> Values {
    Values::from_vec(values.to_vec())
}

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, Error>, kind: Kind, text: &str) {
    let error = result.unwrap_err();
    assert_eq!((*error.detail::<Kind>().unwrap(), error.to_string().as_str()), (kind, text));
}

#[test]
fn values_of_an_array_are_its_buffer() {
    let array = Float32Array::from(vec![0.0f32, 1.0, 2.0, 3.0]).slice(1, 2);
    let values = Values::from_array(&array).unwrap();
    assert_eq!(values.as_slice::<f32>().unwrap().as_ptr(), array.values().as_ptr());
    assert_eq!(values, Values::from_vec(vec![1.0f32, 2.0]));
    assert_eq!(values.to_array().unwrap().as_ref(), &array as &dyn Array);
}

#[test]
fn strings_of_an_array_are_its_bytes() {
    let array = StringArray::from(vec!["zero", "ä", "", "three"]).slice(1, 3);
    let values = Values::from_array(&array).unwrap();
    let strings = values.as_strings().unwrap();
    assert_eq!(strings.get(2).unwrap().as_ptr(), array.value(2).as_ptr());
    assert_eq!(strings.iter().collect::<Vec<_>>(), ["ä".as_bytes(), b"", b"three"]);
    assert_eq!(strings.iter().len(), 3);
    assert_eq!((strings.len(), strings.get(3)), (3, None));
    assert_eq!(values, Values::from_strings(["ä", "", "three"]), "64-bit offsets hold the same strings");
    assert_eq!(values.slice(2, 1).unwrap(), Values::from_strings(["three"]));
    assert_eq!(values.to_array().unwrap().as_ref(), &BinaryArray::from(array) as &dyn Array);
}

#[test]
fn bools_are_bytes() {
    let array = BooleanArray::from(vec![true, false, true]).slice(1, 2);
    let values = Values::from_array(&array).unwrap();
    assert_eq!(values.as_bools(), Some([0, 1].as_slice()));
    assert_eq!(values.as_slice::<u8>(), None);
    assert_eq!(values.to_array().unwrap().as_ref(), &array as &dyn Array);
    assert_eq!(format!("{values:?}"), "bool [false, true]");
}

#[test]
fn every_width_has_its_type() {
    assert_eq!(Values::from_vec(vec![f16::ONE]).as_slice::<f16>(), Some([f16::ONE].as_slice()));
    let values = Values::from_vec(vec![bf16::ONE]);
    assert_eq!((values.dtype(), values.as_slice::<f16>()), (DType::BFloat16, None));
    refused(values.to_array(), Kind::Unsupported, "Arrow has no bfloat16");
    for dtype in DType::ALL.into_iter().filter(|dtype| *dtype != DType::String) {
        let zeros = Values::try_new(dtype, Buffer::from_vec(vec![0u64; 4])).unwrap();
        assert_eq!(zeros.len(), 32 / dtype.width().unwrap());
        if dtype != DType::BFloat16 {
            assert_eq!(Values::from_array(&zeros.to_array().unwrap()).unwrap(), zeros);
            assert_eq!(Values::dtype_of(zeros.to_array().unwrap().data_type()), Some(dtype));
        }
    }
}

#[test]
fn equal_values_have_equal_bits() {
    assert_eq!(Values::from_vec(vec![f64::NAN]), Values::from_vec(vec![f64::NAN]));
    assert_ne!(Values::from_vec(vec![0.0f64]), Values::from_vec(vec![-0.0f64]));
    assert_ne!(Values::from_vec(vec![0i32]), Values::from_vec(vec![0u32]));
}

#[test]
fn values_refuse_what_is_none() {
    let null = Int64Array::from(vec![Some(1), None]);
    refused(Values::from_array(&null), Kind::NullValue, "row 1: the value is null");
    let dates = arrow_array::Date32Array::from(vec![1]);
    let text = "values of the Arrow type Date32 have no dtype";
    refused(Values::from_array(&dates), Kind::TypeMismatch, text);
    let bad = |dtype, buffer| Values::try_new(dtype, buffer);
    let text = "a buffer alone holds no strings; build them with `Values::from_strings`";
    refused(bad(DType::String, Buffer::from_vec(vec![0u8])), Kind::InvalidTensor, text);
    let text = "7 bytes are no multiple of the 4 bytes of a int32";
    refused(bad(DType::Int32, Buffer::from_vec(vec![0u8; 7])), Kind::InvalidTensor, text);
    let text = "the buffer is not aligned to the 8 bytes of a int64";
    let odd = Buffer::from_vec(vec![0u64; 2]).slice_with_length(4, 8);
    refused(bad(DType::Int64, odd), Kind::InvalidTensor, text);
    refused(bad(DType::Bool, Buffer::from_vec(vec![2u8])), Kind::InvalidTensor, "a bool is neither 0 nor 1");
    assert_eq!(ints(&[1, 2]).slice(1, 2), None);
    assert_eq!(ints(&[1, 2]).slice(usize::MAX, 2), None);
}

#[test]
fn a_dense_tensor_has_a_value_for_each_cell() {
    assert_eq!(DenseTensor::try_new(vec![], ints(&[1])).unwrap().rows(), 1);
    assert_eq!(DenseTensor::try_new(vec![3, 0], ints(&[])).unwrap().rows(), 3);
    let text = "3 values do not fill the shape [2, 2]";
    refused(DenseTensor::try_new(vec![2, 2], ints(&[1, 2, 3])), Kind::InvalidTensor, text);
    let huge = DenseTensor::try_new(vec![usize::MAX, 2], ints(&[]));
    assert_eq!(huge.unwrap_err().detail(), Some(&Kind::InvalidTensor));
}

#[test]
fn a_sparse_tensor_has_an_index_inside_for_each_value() {
    let sparse = |indices: &[i64], values: &[i64], shape: &[usize]| {
        SparseTensor::try_new(ScalarBuffer::from(indices.to_vec()), ints(values), shape.to_vec())
    };
    let tensor = sparse(&[0, 1, 0, 1], &[5, 6], &[1, 2]).unwrap();
    assert_eq!((tensor.entries(), tensor.rank(), tensor.rows()), (2, 2, 1));
    let text = "3 indices do not locate 2 values in 2 dimensions";
    refused(sparse(&[0, 1, 0], &[5, 6], &[1, 2]), Kind::InvalidTensor, text);
    refused(sparse(&[], &[], &[]), Kind::InvalidTensor, "a sparse tensor needs at least one dimension");
    let text = "the index [0, 2] of entry 1 lies outside of the shape [1, 2]";
    refused(sparse(&[0, 1, 0, 2], &[5, 6], &[1, 2]), Kind::InvalidIndex, text);
    let text = "the index [0, -1] of entry 0 lies outside of the shape [1, 2]";
    refused(sparse(&[0, -1], &[5], &[1, 2]), Kind::InvalidIndex, text);
}

#[test]
fn a_ragged_tensor_has_splits_that_fit() {
    let ragged = |levels: &[&[i64]], inner: &[usize], values: &[i64]| {
        RaggedTensor::try_new(
            levels.iter().map(|level| splits(level)).collect(),
            inner.to_vec(),
            ints(values),
        )
    };
    assert_eq!(ragged(&[&[0, 2, 2], &[0, 1, 2]], &[2], &[1, 2, 3, 4]).unwrap().rows(), 2);
    let check = |levels: &[&[i64]], inner: &[usize], values: &[i64], text: &str| {
        refused(ragged(levels, inner, values), Kind::InvalidTensor, text);
    };
    check(&[], &[], &[], "a ragged tensor needs row splits");
    check(&[&[]], &[], &[], "row splits 0: there are no row splits");
    check(&[&[1, 2]], &[], &[1, 2], "row splits 0: the first row split is 1, not 0");
    check(&[&[0, 2, 1]], &[], &[1], "row splits 0: row 1 ends before it begins");
    check(&[&[0, 2], &[0, 1]], &[], &[1], "row splits 1: 1 row, the level above holds 2");
    check(&[&[0, 2]], &[], &[1], "the innermost rows hold 2 items, there is 1 value");
    check(&[&[0, 2]], &[2], &[1, 2, 3], "the innermost rows hold 2 items of shape [2], there are 3 values");
    let mixed = vec![splits(&[0, 1]), RowSplits::Int32(ScalarBuffer::from(vec![0, 1]))];
    let text = "row splits 1: 32-bit and 64-bit row splits in one tensor";
    refused(RaggedTensor::try_new(mixed, vec![], ints(&[1])), Kind::InvalidTensor, text);
}

fn structured(
    rows: usize,
    row_splits: Vec<RowSplits>,
    fields: &[(&str, Tensor)],
) -> Result<StructuredTensor, Error> {
    let fields = fields.iter().map(|(name, tensor)| (Arc::from(*name), tensor.clone()));
    StructuredTensor::try_new(rows, row_splits, fields.collect())
}

#[test]
fn a_structured_tensor_has_fields_of_as_many_rows() {
    let field = Tensor::Dense(DenseTensor::try_new(vec![3], ints(&[1, 2, 3])).unwrap());
    let tensor = structured(2, vec![splits(&[0, 1, 3])], &[("a", field.clone())]).unwrap();
    assert_eq!((tensor.rows(), tensor.structs()), (2, 3));
    assert_eq!((tensor.field("a"), tensor.field("b")), (Some(&field), None));
    let check = |rows, row_splits, fields: &[_], text: &str| {
        refused(structured(rows, row_splits, fields), Kind::InvalidTensor, text);
    };
    check(2, vec![], &[("a", field.clone())], "field \"a\" has 3 rows, there are 2 structs");
    check(3, vec![], &[("a", field.clone()), ("a", field.clone())], "two fields are called \"a\"");
    check(1, vec![splits(&[0, 1, 3])], &[("a", field)], "row splits 0: 2 rows, the level above holds 1");
}

/// Returns each kind of tensor, and its spec as text.
fn one_of_each() -> Vec<(Tensor, &'static str)> {
    let dense = Tensor::Dense(DenseTensor::try_new(vec![3, 1], ints(&[1, 2, 3])).unwrap());
    let sparse =
        SparseTensor::try_new(ScalarBuffer::from(vec![0i64, 1]), Values::from_strings(["a"]), vec![1, 2]);
    let ragged = RaggedTensor::try_new(vec![splits(&[0, 1, 3])], vec![2], Values::from_vec(vec![0f32; 6]));
    let fields = structured(2, vec![splits(&[0, 1, 3])], &[("a", dense.clone())]);
    vec![
        (dense, "dense int64 [?, 1]"),
        (Tensor::Sparse(sparse.unwrap()), "sparse string [?, 2]"),
        (Tensor::Ragged(ragged.unwrap()), "ragged float32 [?, ?, 2] (int64 splits)"),
        (Tensor::Structured(fields.unwrap()), "structured [?, ?] {a: dense int64 [?, 1]}"),
    ]
}

#[test]
fn a_tensor_conforms_to_its_own_spec_alone() {
    let all = one_of_each();
    for (at, (tensor, text)) in all.iter().enumerate() {
        assert_eq!(tensor.spec().to_string(), *text);
        for (other, (candidate, _)) in all.iter().enumerate() {
            assert_eq!(tensor.spec().accepts(candidate), at == other, "{text} and {}", candidate.spec());
        }
    }
}

#[test]
fn a_known_size_must_be_met() {
    let (ragged, _) = one_of_each().swap_remove(2);
    let spec = |rows, length, inner, row_splits| TensorSpec::Ragged {
        dtype: DType::Float32,
        shape: vec![rows, length, inner],
        ragged_rank: 1,
        row_splits,
    };
    assert!(spec(Some(2), None, Some(2), RowSplitsDType::Int64).accepts(&ragged));
    assert!(spec(None, None, None, RowSplitsDType::Int64).accepts(&ragged));
    assert!(!spec(Some(3), None, Some(2), RowSplitsDType::Int64).accepts(&ragged));
    assert!(!spec(None, Some(1), Some(2), RowSplitsDType::Int64).accepts(&ragged), "rows of 1 and 2 items");
    assert!(!spec(None, None, Some(3), RowSplitsDType::Int64).accepts(&ragged));
    assert!(!spec(None, None, Some(2), RowSplitsDType::Int32).accepts(&ragged));
}

#[test]
fn values_are_handed_over_without_a_copy_where_nobody_else_has_them() {
    let values = Values::from_vec(vec![1_i32, 2, 3]);
    let memory = values.as_slice::<i32>().unwrap().as_ptr();
    let shared = values.clone();
    // Another holds them.
    let copy = values.try_into_vec::<i32>().unwrap();
    assert_eq!((copy.as_slice(), copy.as_ptr() == memory), (&[1, 2, 3][..], false));
    let own = shared.try_into_vec::<i32>().unwrap();
    assert_eq!((own.as_slice(), own.as_ptr() == memory), (&[1, 2, 3][..], true));
    // Another dtype comes back as it was, and halves are those of the crate.
    let back = Values::from_vec(vec![1.5_f32]).try_into_vec::<f64>().unwrap_err();
    assert_eq!(back.as_slice::<f32>(), Some(&[1.5][..]));
    let halves = vec![f16::ONE; 3];
    assert_eq!(Values::from_vec(halves.clone()).try_into_vec::<f16>().unwrap(), halves);
    let (shape, values) =
        DenseTensor::try_new(vec![1, 2], Values::from_vec(vec![7_i64, 8])).unwrap().into_parts();
    assert_eq!((shape, values.try_into_vec::<i64>().unwrap()), (vec![1, 2], vec![7, 8]));
}
