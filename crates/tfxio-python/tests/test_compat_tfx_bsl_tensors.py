"""The stand-in for tfx-bsl: representations of tensors, and batches as tensors and back. Its own tests are run by
`tests/peers/run_tfx_bsl.py`."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")
tf = pytest.importorskip("tensorflow")
schema_pb2 = pytest.importorskip("tensorflow_metadata.proto.v0.schema_pb2")
text_format = pytest.importorskip("google.protobuf.text_format")

from tfxio.compat.tfx_bsl.tfxio import (  # noqa: E402
    dataset_options,
    dataset_util,
    tensor_adapter,
    tensor_representation_util,
    tensor_to_arrow,
)

SCHEMA = """
feature { name: "age" type: INT presence { min_fraction: 1 } shape { } }
feature { name: "words" type: BYTES }
feature { name: "old" type: INT lifecycle_stage: DEPRECATED }
feature { name: "at" type: INT int_domain { min: 0 max: 9 } }
feature { name: "of" type: FLOAT }
sparse_feature { name: "sparse" index_feature { name: "at" } value_feature { name: "of" } }
"""


def schema(text: str = SCHEMA) -> Any:
    return text_format.Parse(text, schema_pb2.Schema())


def representation(text: str) -> Any:
    return text_format.Parse(text, schema_pb2.TensorRepresentation())


def test_features_suggest_tensors() -> None:
    inferred = tensor_representation_util.InferTensorRepresentationsFromMixedSchema(schema())
    kinds = {name: each.WhichOneof("kind") for name, each in inferred.items()}
    assert kinds == {"sparse": "sparse_tensor", "age": "dense_tensor", "words": "varlen_sparse_tensor"}
    assert [dimension.size for dimension in inferred["sparse"].sparse_tensor.dense_shape.dim] == [10]
    ragged = schema(SCHEMA + "represent_variable_length_as_ragged: true")
    inferred = tensor_representation_util.InferTensorRepresentationsFromSchema(ragged)
    assert inferred["words"].WhichOneof("kind") == "ragged_tensor"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('feature { name: "a" shape { } }', "Feature a had shape  set but min_fraction 0.0 != 1"),
        ('sparse_feature { name: "s" value_feature { name: "v" } }', "referred to value feature v which did not exist"),
    ],
)
def test_features_that_do_not_fit(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tensor_representation_util.InferTensorRepresentationsFromSchema(schema(text))


def test_a_projection_keeps_the_columns_of_its_tensors() -> None:
    projected = tensor_representation_util.ProjectTensorRepresentationsInSchema(schema(), ["sparse"])
    assert [feature.name for feature in projected.feature] == ["at", "of"]
    tensor_representation_util.ValidateTensorRepresentationsInSchema(projected)
    with pytest.raises(ValueError, match="Unable to project {'height'}"):
        tensor_representation_util.ProjectTensorRepresentationsInSchema(schema(), ["height"])
    del projected.feature[0]
    with pytest.raises(ValueError, match="not found in the schema: {at}"):
        tensor_representation_util.ValidateTensorRepresentationsInSchema(projected)


def test_specs_of_records() -> None:
    dense = representation('dense_tensor { column_name: "a" shape { dim { size: 2 } } default_value { int_value: 7 } }')
    spec = tensor_representation_util.CreateTfExampleParserConfig(dense, schema_pb2.INT)
    assert spec == tf.io.FixedLenFeature([2], tf.int64, [7, 7])
    with pytest.raises(ValueError, match="FeatureType: FLOAT is incompatible with default_value: 7"):
        tensor_representation_util.CreateTfExampleParserConfig(dense, schema_pb2.FLOAT)


def test_batches_become_tensors() -> None:
    batch = pa.record_batch(
        {
            "age": pa.array([[1], [2]], pa.large_list(pa.int64())),
            "words": pa.array([[b"a", b"b"], None], pa.large_list(pa.large_binary())),
        }
    )
    representations = {
        "age": representation('dense_tensor { column_name: "age" shape { } }'),
        "first": representation('sparse_tensor { value_column_name: "age" dense_shape { } }'),
        "ragged": representation('ragged_tensor { feature_path { step: "words" } }'),
        "words": representation('varlen_sparse_tensor { column_name: "words" }'),
    }
    config = pickle.loads(pickle.dumps(tensor_adapter.TensorAdapterConfig(batch.schema, representations)))
    adapter = tensor_adapter.TensorAdapter(config)
    tensors = adapter.ToBatchTensors(batch)
    assert list(tensors) == list(representations)
    assert all(adapter.TypeSpecs()[name].is_compatible_with(tensor) for name, tensor in tensors.items())
    assert tensors["age"].numpy().tolist() == [1, 2]
    assert tensors["first"].indices.numpy().tolist() == [[0], [1]]
    assert tensors["words"].indices.numpy().tolist() == [[0, 0], [0, 1]]
    assert tensors["ragged"].to_list() == [[b"a", b"b"], []]
    values = adapter.ToBatchTensors(batch, produce_eager_tensors=False)
    assert isinstance(values["ragged"], tf.compat.v1.ragged.RaggedTensorValue)
    assert values["words"].values.tolist() == [b"a", b"b"]


def test_a_tensor_that_does_not_fit_is_named() -> None:
    narrow = pa.record_batch({"age": pa.array([[1], [2, 3]], pa.list_(pa.int32()))})
    dense = {"age": representation('dense_tensor { column_name: "age" shape { } }')}
    adapter = tensor_adapter.TensorAdapter(tensor_adapter.TensorAdapterConfig(narrow.schema, dense))
    with pytest.raises(ValueError, match="Error raised when handling tensor 'age'"):
        adapter.ToBatchTensors(narrow)
    with pytest.raises(ValueError, match="Expected same schema"):
        adapter.ToBatchTensors(pa.record_batch({"age": pa.array([[1]])}))
    dense["age"].dense_tensor.default_value.int_value = 1 << 40
    with pytest.raises(ValueError, match="Integer default value out of range: 1099511627776 is set for a int32 column"):
        tensor_adapter.TensorAdapter(tensor_adapter.TensorAdapterConfig(narrow.schema, dense))


@pytest.mark.parametrize(
    "tensor",
    [
        tf.constant([[1, 2], [3, 4]], tf.int16),
        tf.zeros([2, 0]),
        tf.SparseTensor([[0, 0], [2, 0]], [b"a", b"b"], [3, 1]),
        tf.SparseTensor([[0, 4, 1], [2, 0, 0]], [1.0, 2.0], [3, 5, 2]),
        tf.ragged.constant([[[1], []], []], row_splits_dtype=tf.int32),
        tf.RaggedTensor.from_row_splits(tf.constant([[1.0, 2.0], [3.0, 4.0]]), [0, 0, 2]),
    ],
    ids=["dense", "without values", "varlen", "sparse", "ragged", "uniform within"],
)
def test_tensors_become_batches_and_tensors_again(tensor: Any) -> None:
    spec = tf.type_spec_from_value(tensor)
    spec = spec._unbatch()._batch(None) if isinstance(tensor, tf.Tensor) else spec
    if isinstance(spec, tf.SparseTensorSpec):
        spec = tf.SparseTensorSpec([None, *spec.shape[1:]] if spec.shape.rank == 3 else [None, None], spec.dtype)
    if isinstance(spec, tf.RaggedTensorSpec):
        spec = tf.RaggedTensorSpec([None, *spec.shape[1:]], spec.dtype, spec.ragged_rank, spec.row_splits_dtype)
    converter = tensor_to_arrow.TensorsToRecordBatchConverter({"x": spec})
    batch = converter.convert({"x": tensor})
    assert batch.schema.equals(converter.arrow_schema())
    config = tensor_adapter.TensorAdapterConfig(batch.schema, converter.tensor_representations(), {"x": spec})
    again = tensor_adapter.TensorAdapter(config).ToBatchTensors(batch)["x"]
    if isinstance(tensor, tf.SparseTensor):
        tensor, again = tf.sparse.to_dense(tensor), tf.sparse.to_dense(again)
    assert (again.to_list() if isinstance(again, tf.RaggedTensor) else again.numpy().tolist()) == (
        tensor.to_list() if isinstance(tensor, tf.RaggedTensor) else tensor.numpy().tolist()
    )


def test_tensors_that_no_columns_hold() -> None:
    for spec in (tf.TensorSpec([None], tf.bool), tf.TensorSpec([], tf.int64), tf.SparseTensorSpec([None], tf.int64)):
        with pytest.raises(ValueError, match="No handler found for tensor x"):
            tensor_to_arrow.TensorsToRecordBatchConverter({"x": spec})
    converter = tensor_to_arrow.TensorsToRecordBatchConverter({"x": tf.SparseTensorSpec([None, None], tf.int64)})
    with pytest.raises(TypeError, match="Expected SparseTensorSpec"):
        converter.convert({"x": tf.constant([1])})
    with pytest.raises(AssertionError, match="tensors .*, expected"):
        converter.convert({})
    with pytest.raises(KeyError, match="x"):
        converter.convert({"y": tf.constant([1])})


@pytest.mark.parametrize("rank", [2, 3])
@pytest.mark.parametrize("is_generic", [True, False])
def test_rows_out_of_order(rank: int, is_generic: bool) -> None:
    how = tensor_to_arrow.TensorsToRecordBatchConverter.Options(generic_sparse_tensor_names=frozenset("x" if is_generic else ""))
    converter = tensor_to_arrow.TensorsToRecordBatchConverter({"x": tf.SparseTensorSpec([None] * rank, tf.int64)}, how)
    places = np.array([[1] + [0] * (rank - 1), [0] * rank])
    value = tf.compat.v1.SparseTensorValue(places, np.array([1, 2]), np.array([2] * rank))
    for tensor in (value, tf.SparseTensor(*value)):
        with pytest.raises(AssertionError, match="tensor 'x'.*The sparse indices must be sorted"):
            converter.convert({"x": tensor})


def test_options_are_those_of_tensorflow() -> None:
    options = dataset_options.TensorFlowDatasetOptions(batch_size=4)
    assert options.prefetch_buffer_size == tf.data.AUTOTUNE
    assert options[:6] == tuple(dataset_options.RecordBatchesOptions(4)) == (4, False, None, True, 10000, None)


def test_compression_by_names(tmp_path: Any) -> None:
    for name in ("a.gz", "b.gz", "b"):
        (tmp_path / name).touch()
    found = [dataset_util.detect_compression_type(tf.constant([str(tmp_path / name)])).numpy() for name in ("*.gz", "b", "*", "c")]
    assert found == [b"GZIP", b"", b"INVALID_MIXED_COMPRESSION_TYPES", b""]
