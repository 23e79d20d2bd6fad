"""Tensors of this package as those of TensorFlow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import tensorflow as tf

from tfxio import _lib


def converted(tensor: _lib.Tensor, is_eager: bool) -> Any:
    """Returns a tensor as TensorFlow has it: an eager tensor, or an array of numpy and what composes such arrays."""
    if isinstance(tensor, _lib.DenseTensor):
        return _dense(tensor, is_eager)
    if isinstance(tensor, _lib.SparseTensor):
        return sparse(tensor, tensor.dense_shape, is_eager)
    if isinstance(tensor, _lib.RaggedTensor):
        ragged = _dense(tensor.values, is_eager)
        for level in reversed(tensor.row_splits):
            splits = _dense(level, is_eager)
            if is_eager:
                ragged = tf.RaggedTensor.from_row_splits(ragged, splits, validate=False)
            else:
                ragged = tf.compat.v1.ragged.RaggedTensorValue(ragged, splits)
        return ragged
    raise ValueError(f"TensorFlow has no tensors of structs: {tensor!r}")


def sparse(tensor: _lib.SparseTensor, dense_shape: Sequence[int], is_eager: bool) -> Any:
    """Returns a sparse tensor with the given shape. Where it has fewer dimensions, the indices of the last ones are left out."""
    indices = tensor.indices.numpy()[:, : len(dense_shape)]
    values, shape = _dense(tensor.values, is_eager), np.array(dense_shape, np.int64)
    if is_eager:
        return tf.SparseTensor(tf.convert_to_tensor(indices), values, shape)
    return tf.compat.v1.SparseTensorValue(indices, values, shape)


def components(tensor: _lib.Tensor) -> tuple[Any, ...]:
    """Returns the arrays of numpy that a tensor is made of: indices, values and shape of a sparse one, values and row splits of a
    ragged one, the outermost first."""
    if isinstance(tensor, _lib.SparseTensor):
        return tensor.indices.numpy(), _array(tensor.values), np.array(tensor.dense_shape, np.int64)
    if isinstance(tensor, _lib.RaggedTensor):
        return _array(tensor.values), *(level.numpy() for level in tensor.row_splits)
    if isinstance(tensor, _lib.DenseTensor):
        return (_array(tensor),)
    raise ValueError(f"TensorFlow has no tensors of structs: {tensor!r}")


def _dense(tensor: _lib.DenseTensor, is_eager: bool) -> Any:
    array = _array(tensor)
    return tf.convert_to_tensor(array) if is_eager else array


def _array(tensor: _lib.DenseTensor) -> Any:
    if tensor.dtype != "string":
        return tensor.numpy()
    return pa.array(tensor.to_arrow()).to_numpy(zero_copy_only=False).reshape(tensor.shape)
