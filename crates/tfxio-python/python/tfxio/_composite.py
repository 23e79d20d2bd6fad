"""Tensors of TensorFlow that are made of several: taken apart where they leave Python, and put together in the graph.

As wholes they would be serialized on the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from tfxio import _lib

#: What TensorFlow takes by DLPack.
_SHARED = frozenset(
    ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64")
)
#: The bytes to which TensorFlow, made for any processor, wants memory aligned. It ends the process where that is not so.
_ALIGNMENT = 64


def shared(tensor: _lib.DenseTensor) -> tf.Tensor:
    """Returns a dense tensor as an eager one that has its memory, where TensorFlow can read it there: numbers that are aligned.

    TensorFlow does not write to memory that is not its own.
    """
    if tensor.dtype in _SHARED and tensor.__array_interface__["data"][0] % _ALIGNMENT == 0 and all(tensor.shape):
        return tf.experimental.dlpack.from_dlpack(tensor._dlpack_unversioned())
    message = tensor.to_tensor_proto()
    return tf.convert_to_tensor(tensor.numpy()) if message is None else tf.io.parse_tensor(message, tf.string)


def components(tensor: _lib.Tensor) -> tuple[tf.Tensor, ...]:
    """Returns the eager tensors that a tensor is made of: indices, values and shape of a sparse one, values and row splits of a
    ragged one, the outermost first.

    Raises:
        TypeError: It is a tensor of structs.
    """
    if isinstance(tensor, _lib.SparseTensor):
        return shared(tensor.indices), shared(tensor.values), tf.constant(tensor.dense_shape, tf.int64)
    if isinstance(tensor, _lib.RaggedTensor):
        return shared(tensor.values), *map(shared, tensor.row_splits)
    if isinstance(tensor, _lib.DenseTensor):
        return (shared(tensor),)
    raise TypeError("tf.data has no tensors of structs: describe the fields as tensors of their own")


def component_specs(spec: tf.TypeSpec) -> tuple[tf.TensorSpec, ...]:
    """Returns the specs of `components`."""
    if isinstance(spec, tf.SparseTensorSpec):
        rank = spec.shape.rank
        indices, shape = tf.TensorSpec([None, rank], tf.int64), tf.TensorSpec([rank], tf.int64)
        return indices, tf.TensorSpec([None], spec.dtype), shape
    if isinstance(spec, tf.RaggedTensorSpec):
        values = tf.TensorSpec([None, *spec.shape[spec.ragged_rank + 1 :]], spec.dtype)
        return values, *[tf.TensorSpec([None], spec.row_splits_dtype)] * spec.ragged_rank
    return (spec,)


def assembled(spec: tf.TypeSpec, parts: Sequence[Any]) -> Any:
    """Returns the tensor of its components."""
    first, *others = parts
    if isinstance(spec, tf.SparseTensorSpec):
        sparse = tf.SparseTensor(first, *others)
        sparse.set_shape(spec.shape)
        return sparse
    if isinstance(spec, tf.RaggedTensorSpec):
        return tf.RaggedTensor.from_nested_row_splits(first, others, validate=False)
    return first
