//! Tensors of a batch by name.

use tensor_repr::{Adapter, DenseTensor, Kind, Representation, Tensor, TensorBatch, Values};

use crate::columns::{batch, ints, lists};

fn dense(values: &[i64]) -> Tensor {
    Tensor::Dense(DenseTensor::try_new(vec![values.len()], Values::from_vec(values.to_vec())).unwrap())
}

#[test]
fn tensors_are_found_by_name_and_kind() {
    let tensors = TensorBatch::try_new(2, [("one", dense(&[1, 2])), ("two", dense(&[3, 4]))]).unwrap();
    assert_eq!((tensors.num_rows(), tensors.len(), tensors.copied_bytes()), (2, 2, 0));
    assert_eq!(tensors.dense("two").unwrap().values().as_slice::<i64>(), Some(&[3, 4][..]));
    assert_eq!(tensors.iter().map(|(name, _)| &**name).collect::<Vec<_>>(), ["one", "two"]);
    let cases = [
        (
            tensors.get("ones").map(drop),
            Kind::UnknownTensor,
            "tensor \"ones\": there is no such tensor; did you mean \"one\"?",
        ),
        (
            tensors.dense("x").map(drop),
            Kind::UnknownTensor,
            "tensor \"x\": there is no such tensor; the tensors are \"one\", \"two\"",
        ),
        (
            tensors.sparse("one").map(drop),
            Kind::TypeMismatch,
            "tensor \"one\": the tensor is dense int64 [?], not sparse",
        ),
        (
            tensors.ragged("one").map(drop),
            Kind::TypeMismatch,
            "tensor \"one\": the tensor is dense int64 [?], not ragged",
        ),
        (
            tensors.structured("one").map(drop),
            Kind::TypeMismatch,
            "tensor \"one\": the tensor is dense int64 [?], not structured",
        ),
        (
            TensorBatch::try_new(2, [("one", dense(&[1]))]).map(drop),
            Kind::ShapeMismatch,
            "tensor \"one\": the tensor has 1 row, the batch 2",
        ),
        (
            TensorBatch::try_new(1, [("a", dense(&[1])), ("a", dense(&[1]))]).map(drop),
            Kind::InvalidArgument,
            "tensor \"a\": two tensors have this name",
        ),
    ];
    for (result, kind, text) in cases {
        let error = result.unwrap_err();
        assert_eq!((error.detail(), error.to_string().as_str()), (Some(&kind), text));
    }
    assert_eq!(TensorBatch::try_new(3, Vec::<(&str, Tensor)>::new()).unwrap().num_rows(), 3);
}

#[test]
fn an_adapter_names_columns_by_tensors_and_counts_copies() {
    let batch = batch(&[
        ("image", lists(&[Some(4), Some(4)], ints(&[1; 8]))),
        ("label", lists(&[Some(1), None], ints(&[7]))),
    ]);
    let representations =
        [("image", Representation::dense([2, 2])), ("label", Representation::varlen_sparse())];
    let adapter = Adapter::builder(batch.schema(), representations).build().unwrap();
    let tensors = adapter.tensors(&batch).unwrap();
    assert_eq!(tensors.dense("image").unwrap().shape(), [2, 2, 2]);
    assert_eq!(tensors.sparse("label").unwrap().entries(), 1);
    assert_eq!(tensors.copied_bytes(), 16, "two indices");
    assert_eq!(tensors, adapter.tensors_of(&batch, &["image", "label"]).unwrap());
    let chosen = adapter.tensors_of(&batch, &["label", "image", "label"]).unwrap();
    assert_eq!((chosen.len(), chosen.dense("image").unwrap().rows()), (3, 2));
    assert!(chosen.sparse("label").is_ok());
    let named =
        Adapter::builder(batch.schema(), [("l", Representation::lengths().column("label"))]).build().unwrap();
    assert_eq!(
        named.tensors(&batch).unwrap().dense("l").unwrap().values().as_slice::<i64>(),
        Some(&[1, 0][..])
    );
}
