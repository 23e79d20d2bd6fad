"""The adapter of this package for representations of tfx-bsl, and what it says of those that do not fit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import pyarrow as pa
from tensorflow_metadata.proto.v0 import schema_pb2

from tfxio import _lib

Representation: TypeAlias = schema_pb2.TensorRepresentation


def native_adapter(schema: pa.Schema, representations: Mapping[str, Representation]) -> _lib.TensorAdapter:
    """Returns an adapter for batches of the schema.

    Raises:
        ValueError: A representation does not fit the schema. It names the tensor.
    """
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


def _unfit(name: str, representation: Representation, schema: pa.Schema, reason: Exception) -> str:
    """Returns the message for a representation that does not fit, with the words of tfx-bsl."""
    dense = representation.dense_tensor
    if dense.HasField("default_value") and schema.get_field_index(dense.column_name) >= 0:
        column = schema.field(dense.column_name).type
        values = getattr(column, "value_type", column)
        kind = dense.default_value.WhichOneof("kind")
        if kind in ("int_value", "uint_value") and pa.types.is_integer(values):
            value = getattr(dense.default_value, kind)
            return f"Integer default value out of range: {value} is set for a {values} column. {reason}"
        return f"Incompatible default value: {kind} is set for a {values} column. {reason}"
    return f"Unable to handle tensor {name} with rep {representation} against schema: {schema}: {reason}"
