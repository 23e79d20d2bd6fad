"""The adapter of this package for representations of tfx-bsl, and what it says of those that do not fit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import pyarrow as pa
from tensorflow_metadata.proto.v0 import schema_pb2

from tfxio import _lib
from tfxio.compat.tfx_bsl.arrow.array_util import get_innermost_nested_type, is_list_like

Representation: TypeAlias = schema_pb2.TensorRepresentation


def native_adapter(schema: pa.Schema, representations: Mapping[str, Representation]) -> _lib.TensorAdapter:
    """Returns an adapter for batches of the schema.

    Raises:
        KeyError: A column is not in the schema.
        ValueError: A representation does not fit the schema. It names the tensor.
    """
    for name, each in representations.items():
        if not _has_columns(each, schema):
            raise ValueError(_unfit(name, each, schema))
    own = _lib.Schema.from_arrow(schema)
    described: list[tuple[str, str | bytes]] = [(name, _described(each)) for name, each in representations.items()]
    try:
        return _lib.TensorAdapter(own, described)
    except (ValueError, KeyError) as error:
        for name, each in described:
            try:
                _lib.TensorAdapter(own, [(name, each)])
            except (ValueError, KeyError) as reason:
                raise ValueError(_unfit(name, representations[name], schema, reason)) from reason
        raise ValueError(f"Unable to handle tensors: {error}") from error


def _described(representation: Representation) -> bytes:
    """Returns the message as the engine reads it."""
    sparse = representation.sparse_tensor
    if representation.HasField("sparse_tensor") and not (sparse.index_column_names or sparse.dense_shape.dim):
        # One dimension, the batch: that of the rows of a tensor whose second dimension is the values of a row.
        one_more = Representation.VarLenSparseTensor(column_name=sparse.value_column_name)
        representation = Representation(varlen_sparse_tensor=one_more)
    return bytes(representation.SerializeToString())


def _has_columns(representation: Representation, schema: pa.Schema) -> bool:
    """Returns whether the columns of a tensor are such that tfx-bsl makes tensors of. Of ragged ones it only looks for them.

    Raises:
        KeyError: A column is not in the schema.
    """
    kind = representation.WhichOneof("kind")
    if kind == "dense_tensor":
        return _is_list_of_values(schema.field(representation.dense_tensor.column_name).type)
    if kind == "varlen_sparse_tensor":
        return _is_list_of_values(schema.field(representation.varlen_sparse_tensor.column_name).type)
    if kind == "sparse_tensor":
        sparse = representation.sparse_tensor
        indices = [schema.field(name).type for name in sparse.index_column_names]
        is_whole = len(sparse.dense_shape.dim) == len(indices)
        are_integers = all(is_list_like(each) and pa.types.is_integer(each.value_type) for each in indices)
        return is_whole and are_integers and _is_list_of_values(schema.field(sparse.value_column_name).type)
    if kind == "ragged_tensor" and representation.ragged_tensor.feature_path.step:
        values = schema.field(representation.ragged_tensor.feature_path.step[0]).type
        for partition in representation.ragged_tensor.partition:
            if partition.HasField("row_length") and is_list_like(values) and not pa.types.is_struct(get_innermost_nested_type(values)):
                schema.field(partition.row_length)
    return True


def _is_list_of_values(data_type: pa.DataType) -> bool:
    return is_list_like(data_type) and _is_value(data_type.value_type)


def _is_value(data_type: pa.DataType) -> bool:
    is_bytes = pa.types.is_binary(data_type) or pa.types.is_large_binary(data_type)
    is_text = pa.types.is_string(data_type) or pa.types.is_large_string(data_type)
    return bool(is_bytes or is_text or pa.types.is_integer(data_type) or pa.types.is_floating(data_type))


def _unfit(name: str, representation: Representation, schema: pa.Schema, reason: Exception | None = None) -> str:
    """Returns the message for a representation that does not fit, with the words of tfx-bsl."""
    dense = representation.dense_tensor
    if reason is None:
        return f"Unable to handle tensor {name} with rep {representation} against schema: {schema}"
    if dense.HasField("default_value") and schema.get_field_index(dense.column_name) >= 0:
        column = schema.field(dense.column_name).type
        values = getattr(column, "value_type", column)
        kind = dense.default_value.WhichOneof("kind")
        if kind in ("int_value", "uint_value") and pa.types.is_integer(values):
            value = getattr(dense.default_value, kind)
            return f"Integer default value out of range: {value} is set for a {values} column. {reason}"
        return f"Incompatible default value: {kind} is set for a {values} column. {reason}"
    return f"Unable to handle tensor {name} with rep {representation} against schema: {schema}: {reason}"
