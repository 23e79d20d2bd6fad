"""Tensors of batches, and batches of tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import tensorflow as tf
from google.protobuf import text_format
from tensorflow_metadata.proto.v0 import schema_pb2
from tfx_bsl.tfxio import tensor_adapter, tensor_representation_util, tensor_to_arrow

from outcomes.coders import SCHEMAS, schema

Case = tuple[str, Callable[[], Any]]

_SparseValue = tf.compat.v1.SparseTensorValue
_RaggedValue = tf.compat.v1.ragged.RaggedTensorValue

#: Representations of tensors, by what they are.
_REPRESENTATIONS = {
    "nothing": "",
    "dense": 'dense_tensor { column_name: "a" shape { dim { size: 1 } } }',
    "dense, a scalar": 'dense_tensor { column_name: "a" shape { } }',
    "dense, of no elements": 'dense_tensor { column_name: "a" shape { dim { size: 0 } } }',
    "dense, two": 'dense_tensor { column_name: "a" shape { dim { size: 2 } } }',
    "dense, without a shape": 'dense_tensor { column_name: "a" }',
    "dense, a size below 0": 'dense_tensor { column_name: "a" shape { dim { size: -1 } } }',
    "dense, an integer by default": 'dense_tensor { column_name: "a" shape { dim { size: 1 } } default_value { int_value: 7 } }',
    "dense, a float by default": 'dense_tensor { column_name: "a" shape { dim { size: 1 } } default_value { float_value: 7 } }',
    "dense, bytes by default": 'dense_tensor { column_name: "a" shape { dim { size: 1 } } default_value { bytes_value: "x" } }',
    "dense, no default": 'dense_tensor { column_name: "a" shape { dim { size: 1 } } default_value { } }',
    "dense, of no column": "dense_tensor { shape { dim { size: 1 } } }",
    "dense, of another column": 'dense_tensor { column_name: "z" shape { dim { size: 1 } } }',
    "varlen": 'varlen_sparse_tensor { column_name: "a" }',
    "varlen, of no column": "varlen_sparse_tensor { }",
    "varlen, of another column": 'varlen_sparse_tensor { column_name: "z" }',
    "sparse": 'sparse_tensor { dense_shape { dim { size: 3 } } index_column_names: "i" value_column_name: "a" }',
    "sparse, of any size": 'sparse_tensor { dense_shape { dim { size: -1 } } index_column_names: "i" value_column_name: "a" }',
    "sparse, of no index": 'sparse_tensor { dense_shape { } value_column_name: "a" }',
    "sparse, fewer sizes": 'sparse_tensor { index_column_names: "i" value_column_name: "a" }',
    "sparse, of another index": 'sparse_tensor { dense_shape { dim { size: 3 } } index_column_names: "z" value_column_name: "a" }',
    "ragged": 'ragged_tensor { feature_path { step: "a" } }',
    "ragged, of no path": "ragged_tensor { }",
    "ragged, of another column": 'ragged_tensor { feature_path { step: "z" } }',
    "ragged, deeper": 'ragged_tensor { feature_path { step: "a" step: "b" } }',
    "ragged, lengths": 'ragged_tensor { feature_path { step: "a" } partition { row_length: "i" } }',
    "ragged, of other lengths": 'ragged_tensor { feature_path { step: "a" } partition { row_length: "z" } }',
    "ragged, uniform": 'ragged_tensor { feature_path { step: "a" } partition { uniform_row_length: 2 } }',
    "ragged, uniform of no elements": 'ragged_tensor { feature_path { step: "a" } partition { uniform_row_length: 0 } }',
    "ragged, a partition of nothing": 'ragged_tensor { feature_path { step: "a" } partition { } }',
    "ragged, narrow": 'ragged_tensor { feature_path { step: "a" } row_partition_dtype: INT32 }',
}

_LIST = pa.large_list(pa.int64())
_TEXTS = pa.large_list(pa.large_binary())

_COLUMNS: dict[str, dict[str, pa.Array]] = {
    "no rows": {"a": pa.array([], _LIST), "i": pa.array([], _LIST)},
    "no rows of bytes": {"a": pa.array([], _TEXTS), "i": pa.array([], _LIST)},
    "a null": {"a": pa.nulls(1, _LIST), "i": pa.nulls(1, _LIST)},
    "a null of bytes": {"a": pa.nulls(1, _TEXTS), "i": pa.nulls(1, _LIST)},
    "empty lists": {"a": pa.array([[], []], _LIST), "i": pa.array([[], []], _LIST)},
    "an empty list and a value": {"a": pa.array([[], [5]], _LIST), "i": pa.array([[], [1]], _LIST)},
    "a null and a value": {"a": pa.array([None, [5]], _LIST), "i": pa.array([None, [1]], _LIST)},
    "values": {"a": pa.array([[4], [5]], _LIST), "i": pa.array([[0], [2]], _LIST)},
    "two values": {"a": pa.array([[4, 5]], _LIST), "i": pa.array([[0, 2]], _LIST)},
    "fewer indices": {"a": pa.array([[4, 5]], _LIST), "i": pa.array([[0]], _LIST)},
    "indices beyond": {"a": pa.array([[4]], _LIST), "i": pa.array([[9]], _LIST)},
    "nulls in lists": {"a": pa.array([[None]], _LIST), "i": pa.array([[0]], _LIST)},
    "the null type": {"a": pa.nulls(1), "i": pa.nulls(1)},
    "integers without lists": {"a": pa.array([1]), "i": pa.array([1])},
    "lists of lists": {"a": pa.array([[[1]], []], pa.large_list(_LIST)), "i": pa.array([[1], []], _LIST)},
    "no lists of lists": {"a": pa.array([], pa.large_list(_LIST)), "i": pa.array([], _LIST)},
    "structs": {"a": pa.array([[{"b": [1]}], []], pa.large_list(pa.struct([("b", _LIST)]))), "i": pa.array([[1], []], _LIST)},
    "no structs": {"a": pa.array([], pa.large_list(pa.struct([("b", _LIST)]))), "i": pa.array([], _LIST)},
}


def representation(text: str) -> Any:
    """Returns a representation of a tensor."""
    return text_format.Parse(text, schema_pb2.TensorRepresentation())


def cases() -> Iterator[Case]:
    """Yields the cases."""
    yield from _to_tensors()
    yield from _to_batches()
    yield from _representations()


def _to_tensors() -> Iterator[Case]:
    def adapter(columns: dict[str, pa.Array], text: str) -> Any:
        config = tensor_adapter.TensorAdapterConfig(pa.record_batch(columns).schema, {"t": representation(text)})
        return tensor_adapter.TensorAdapter(config)

    for about, text in _REPRESENTATIONS.items():
        for columns_about, columns in _COLUMNS.items():
            for eager in (True, False):
                yield (
                    f"tensor {about}: {columns_about}, {eager}",
                    lambda columns=columns, text=text, eager=eager: adapter(columns, text).ToBatchTensors(pa.record_batch(columns), eager),
                )
            yield f"specs {about}: {columns_about}", lambda columns=columns, text=text: adapter(columns, text).TypeSpecs()
    batch = pa.record_batch({"a": pa.array([[4]], _LIST)})
    yield "no tensors", lambda: tensor_adapter.TensorAdapter(tensor_adapter.TensorAdapterConfig(batch.schema, {})).ToBatchTensors(batch)
    yield "no tensors of no columns", lambda: tensor_adapter.TensorAdapter(tensor_adapter.TensorAdapterConfig(pa.schema([]), {})).TypeSpecs()
    for about, other in (
        ("no columns", pa.RecordBatch.from_arrays([], names=[])),
        ("another column", pa.record_batch({"b": [[1]]})),
        ("another type", pa.record_batch({"a": [[1]]})),
        ("a slice", pa.record_batch({"a": pa.array([[4], [5]], _LIST)}).slice(1)),
        ("None", None),
    ):
        for kind in ("dense", "varlen", "ragged"):
            yield (
                f"tensor {kind} of {about}",
                lambda other=other, kind=kind: adapter({"a": batch.column(0)}, _REPRESENTATIONS[kind]).ToBatchTensors(other),
            )
    yield (
        "other original specs",
        lambda: tensor_adapter.TensorAdapter(
            tensor_adapter.TensorAdapterConfig(batch.schema, {"t": representation(_REPRESENTATIONS["varlen"])}, {"u": tf.TensorSpec([None])})
        ),
    )

    def in_graph() -> Any:
        with tf.Graph().as_default():
            return adapter({"a": batch.column(0)}, _REPRESENTATIONS["varlen"]).ToBatchTensors(batch, True)

    yield "eager tensors in a graph", in_graph


def _to_batches() -> Iterator[Case]:
    options = tensor_to_arrow.TensorsToRecordBatchConverter.Options

    def converted(spec: Any, tensor: Any, **how: Any) -> Any:
        converter = tensor_to_arrow.TensorsToRecordBatchConverter({"t": spec}, **how)
        return converter.arrow_schema(), converter.tensor_representations(), converter.convert({"t": tensor})

    for dtype in (tf.int64, tf.float32, tf.string, tf.uint8):
        name = dtype.name
        numpy = object if dtype == tf.string else dtype.as_numpy_dtype
        for shape in ((0,), (0, 2), (0, 0), (2, 0), (2, 0, 3), (0, 2, 3)):
            spec = tf.TensorSpec([None, *shape[1:]], dtype)
            yield f"dense {name}{shape} to a batch", lambda spec=spec, shape=shape, numpy=numpy: converted(spec, np.zeros(shape, numpy))
        none = np.zeros(0, numpy)
        for rank, rows in ((2, 0), (2, 2), (3, 0), (3, 2)):
            spec = tf.SparseTensorSpec([None] * rank, dtype)
            value = _SparseValue(np.zeros((0, rank), np.int64), none, [rows] * rank)
            yield f"sparse {name}, rank {rank}, {rows} rows to a batch", lambda spec=spec, value=value: converted(spec, value)
            generic = options(generic_sparse_tensor_names=frozenset(["t"]))
            yield (
                f"generic sparse {name}, rank {rank}, {rows} rows to a batch",
                lambda spec=spec, value=value, generic=generic: converted(spec, value, options=generic),
            )
        for rows in (0, 2):
            spec = tf.RaggedTensorSpec([None, None], dtype)
            value = _RaggedValue(none, np.zeros(rows + 1, np.int64))
            yield f"ragged {name}, {rows} rows to a batch", lambda spec=spec, value=value: converted(spec, value)
            deep = _RaggedValue(value, np.zeros(1, np.int64))
            spec = tf.RaggedTensorSpec([None, None, None], dtype)
            yield f"ragged twice {name}, {rows} rows within to a batch", lambda spec=spec, deep=deep: converted(spec, deep)
    yield "no tensors to a batch", lambda: tensor_to_arrow.TensorsToRecordBatchConverter({}).convert({})
    yield "no specs, a tensor", lambda: tensor_to_arrow.TensorsToRecordBatchConverter({}).convert({"t": np.zeros(1)})
    yield from _sparse_out_of_order(converted, options)
    yield from _not_of_spec(converted, options)


def _sparse_out_of_order(converted: Callable[..., Any], options: Any) -> Iterator[Case]:
    orders = {
        "rows out of order": [[0, 2], [2, 4], [1, 1]],
        "rows backwards": [[2, 0], [1, 0], [0, 0]],
        "values out of order": [[0, 2], [0, 1], [0, 0]],
        "one place twice": [[0, 1], [0, 1], [1, 0]],
        "a row beyond": [[0, 0], [1, 0], [9, 0]],
        "a row below 0": [[-1, 0], [0, 0], [1, 0]],
        "a column beyond": [[0, 9], [1, 9], [2, 9]],
    }
    for about, indices in orders.items():
        for rank in (2, 3):
            places = np.array([place + [0] * (rank - 2) for place in indices], np.int64)
            value = _SparseValue(places, np.array([1, 2, 3], np.int64), [3] + [5] * (rank - 1))
            spec = tf.SparseTensorSpec([None] * rank, tf.int64)
            for generic in (True, False):
                how = options(generic_sparse_tensor_names=frozenset(["t"] if generic else []))
                yield (
                    f"sparse of rank {rank}, {about}, {generic}",
                    lambda spec=spec, value=value, how=how: converted(spec, value, options=how),
                )
                yield (
                    f"sparse of rank {rank}, {about}, {generic}, a tensor",
                    lambda spec=spec, value=value, how=how: converted(spec, tf.SparseTensor(*value), options=how),
                )


def _not_of_spec(converted: Callable[..., Any], options: Any) -> Iterator[Case]:
    flat = tf.TensorSpec([None], tf.int64)
    sparse = tf.SparseTensorSpec([None, None], tf.int64)
    for about, spec, tensor in (
        ("another dtype", flat, np.zeros(2, np.float32)),
        ("another rank", flat, np.zeros((2, 2), np.int64)),
        ("a sparse one", flat, _SparseValue(np.zeros((0, 2), np.int64), np.zeros(0, np.int64), [0, 0])),
        ("a list", flat, [1, 2]),
        ("None", flat, None),
        ("a dense one", sparse, np.zeros((2, 2), np.int64)),
        ("a sparse one of another rank", sparse, _SparseValue(np.zeros((0, 3), np.int64), np.zeros(0, np.int64), [0, 0, 0])),
        ("fewer values", sparse, _SparseValue(np.zeros((2, 2), np.int64), np.zeros(1, np.int64), [2, 2])),
    ):
        yield f"not of the spec: {about}", lambda spec=spec, tensor=tensor: converted(spec, tensor)
    for spec in (
        tf.TensorSpec([], tf.int64),
        tf.TensorSpec(None, tf.int64),
        tf.TensorSpec([2], tf.int64),
        tf.TensorSpec([None, None], tf.int64),
        tf.TensorSpec([None], tf.bool),
        tf.TensorSpec([None], tf.complex64),
        tf.SparseTensorSpec([None], tf.int64),
        tf.SparseTensorSpec(None, tf.int64),
        tf.SparseTensorSpec([None, None], tf.bool),
        tf.SparseTensorSpec([None, None, None], tf.bool),
        tf.RaggedTensorSpec([None, None], tf.bool),
        tf.RaggedTensorSpec([None, 2, None], tf.int64),
        tf.RaggedTensorSpec([None, 2], tf.int64, ragged_rank=0),
        "spec",
        None,
    ):
        yield f"no columns for {spec}", lambda spec=spec: tensor_to_arrow.TensorsToRecordBatchConverter({"t": spec})
    one_name = options(sparse_tensor_value_column_name_template="v", sparse_tensor_index_column_name_template="v")
    cube = tf.SparseTensorSpec([None, None, None], tf.int64)
    yield "columns of one name", lambda: tensor_to_arrow.TensorsToRecordBatchConverter({"t": cube}, one_name)
    both = {"a": flat, "b": flat}
    for about, tensors in (
        ("one too few", {"a": np.zeros(1, np.int64)}),
        ("one too many", {name: np.zeros(1, np.int64) for name in "abc"}),
        ("another name", {name: np.zeros(1, np.int64) for name in "ac"}),
        ("other rows", {"a": np.zeros(1, np.int64), "b": np.zeros(2, np.int64)}),
    ):
        yield f"tensors: {about}", lambda tensors=tensors: tensor_to_arrow.TensorsToRecordBatchConverter(both).convert(tensors)


def _representations() -> Iterator[Case]:
    util = tensor_representation_util
    schemas = {**SCHEMAS, **_SCHEMAS_OF_TENSORS}
    for about, text in schemas.items():
        for name in (
            "GetTensorRepresentationsFromSchema",
            "InferTensorRepresentationsFromSchema",
            "InferTensorRepresentationsFromMixedSchema",
            "CreateTfSequenceExampleParserConfig",
            "ValidateTensorRepresentationsInSchema",
        ):
            yield f"{name}: {about}", lambda name=name, text=text: getattr(util, name)(schema(text))
        for names in ([], ["a"], ["z"]):
            yield (
                f"ProjectTensorRepresentationsInSchema {names}: {about}",
                lambda names=names, text=text: util.ProjectTensorRepresentationsInSchema(schema(text), names),
            )
        yield f"ValidateTensorRepresentationsInSchema of a group: {about}", lambda text=text: util.ValidateTensorRepresentationsInSchema(schema(text), "g")

        def set_nothing(text: str = text) -> Any:
            changed = schema(text)
            util.SetTensorRepresentationsInSchema(changed, {})
            return changed

        yield f"SetTensorRepresentationsInSchema of nothing: {about}", set_nothing
    for about, text in _REPRESENTATIONS.items():
        each = representation(text)
        yield f"GetSourceColumns: {about}", lambda each=each: [str(path) for path in util.GetSourceColumnsFromTensorRepresentation(each)]
        yield f"GetSourceValueColumn: {about}", lambda each=each: str(util.GetSourceValueColumnFromTensorRepresentation(each))
        for kind in ("INT", "FLOAT", "BYTES", "STRUCT", "TYPE_UNKNOWN"):
            yield (
                f"CreateTfExampleParserConfig {kind}: {about}",
                lambda each=each, kind=kind: util.CreateTfExampleParserConfig(each, schema_pb2.FeatureType.Value(kind)),
            )


_SCHEMAS_OF_TENSORS = {
    "a fixed shape": 'feature { name: "a" type: INT shape { dim { size: 1 } } presence { min_fraction: 1 } }',
    "a fixed shape that may be absent": 'feature { name: "a" type: INT shape { dim { size: 1 } } presence { min_fraction: 0.5 } }',
    "a shape of nothing": 'feature { name: "a" type: INT shape { } presence { min_fraction: 1 } }',
    "a count below 0": 'feature { name: "a" type: INT value_count { min: -1 max: 1 } }',
    "a most below 0": 'feature { name: "a" type: INT value_count { min: 0 max: -1 } }',
    "legacy": 'generate_legacy_feature_spec: true feature { name: "a" type: INT value_count { min: 1 max: 1 } presence { min_fraction: 1 } }',
    "legacy, below 0": 'generate_legacy_feature_spec: true feature { name: "a" type: INT value_count { min: -1 max: 1 } }',
    "legacy, no count": 'generate_legacy_feature_spec: true feature { name: "a" type: INT }',
    "legacy, may be absent": 'generate_legacy_feature_spec: true feature { name: "a" type: STRUCT value_count { min: 1 max: 1 } presence { min_fraction: 0 } }',
    "deprecated": 'feature { name: "a" type: INT lifecycle_stage: DEPRECATED }',
    "sparse, no index": 'feature { name: "v" type: INT } sparse_feature { name: "a" value_feature { name: "v" } index_feature { name: "i" } }',
    "sparse, no value": 'feature { name: "i" type: INT int_domain { min: 0 max: 2 } } sparse_feature { name: "a" value_feature { name: "v" } index_feature { name: "i" } }',
    "sparse, no domain": 'feature { name: "i" type: INT } feature { name: "v" type: INT } sparse_feature { name: "a" value_feature { name: "v" } index_feature { name: "i" } }',
    "sparse, no least": 'feature { name: "i" type: INT int_domain { max: 2 } } feature { name: "v" type: INT } sparse_feature { name: "a" value_feature { name: "v" } index_feature { name: "i" } }',
    "sparse, from 1": 'feature { name: "i" type: INT int_domain { min: 1 max: 2 } } feature { name: "v" type: INT } sparse_feature { name: "a" value_feature { name: "v" } index_feature { name: "i" } }',
    "sparse, no most": 'feature { name: "i" type: INT int_domain { min: 0 } } feature { name: "v" type: INT } sparse_feature { name: "a" value_feature { name: "v" } index_feature { name: "i" } }',
    "struct in a struct": 'feature { name: "s" type: STRUCT struct_domain { feature { name: "a" type: STRUCT struct_domain { feature { name: "b" type: INT } } } } }',
    "sparse in a struct": 'feature { name: "s" type: STRUCT struct_domain { sparse_feature { name: "a" } } }',
    "represented": 'feature { name: "a" type: INT } tensor_representation_group { key: "" value { tensor_representation { key: "a" value { varlen_sparse_tensor { column_name: "a" } } } } }',
    "represented, another column": 'feature { name: "a" type: INT } tensor_representation_group { key: "" value { tensor_representation { key: "a" value { varlen_sparse_tensor { column_name: "z" } } } } }',
    "represented, not all": 'feature { name: "a" type: INT } feature { name: "b" type: INT } tensor_representation_group { key: "" value { tensor_representation { key: "a" value { varlen_sparse_tensor { column_name: "a" } } } } }',
    "represented, of no kind": 'feature { name: "a" type: INT } tensor_representation_group { key: "" value { tensor_representation { key: "a" value { } } } }',
    "represented, no tensors": 'feature { name: "a" type: INT } tensor_representation_group { key: "" value { } }',
    "represented, a sequence that is dense": 'feature { name: "seq" type: STRUCT struct_domain { feature { name: "a" type: INT } } } tensor_representation_group { key: "" value { tensor_representation { key: "a" value { dense_tensor { column_name: "seq" } } } } }',
    "represented, deep": 'feature { name: "seq" type: STRUCT struct_domain { feature { name: "a" type: INT } } } tensor_representation_group { key: "" value { tensor_representation { key: "a" value { ragged_tensor { feature_path { step: "seq" step: "a" step: "b" } } } } } }',
}
