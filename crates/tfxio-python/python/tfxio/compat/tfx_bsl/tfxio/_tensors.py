"""Tensors of this package as those of TensorFlow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import tensorflow as tf
from numpy.typing import NDArray

from tfxio import _lib
from tfxio._composite import shared


def converted(tensor: _lib.Tensor, is_eager: bool) -> Any:
    """Returns a tensor as TensorFlow has it: an eager tensor, or an array of numpy and what composes such arrays."""
    if isinstance(tensor, _lib.DenseTensor):
        return _dense(tensor, is_eager)
    if isinstance(tensor, _lib.SparseTensor):
        return sparse(tensor, np.array(tensor.dense_shape, np.int64), is_eager)
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


def sparse(tensor: _lib.SparseTensor, dense_shape: Sequence[int] | NDArray[np.int64], is_eager: bool) -> Any:
    """Returns a sparse tensor with the given shape. Where it has fewer dimensions, the indices of the last ones are left out."""
    values, rank = _dense(tensor.values, is_eager), len(dense_shape)
    if is_eager:
        return tf.SparseTensor(shared(tensor.indices)[:, :rank], values, np.array(dense_shape, np.int64))
    return tf.compat.v1.SparseTensorValue(tensor.indices.numpy()[:, :rank], values, dense_shape)


def _dense(tensor: _lib.DenseTensor, is_eager: bool) -> Any:
    return shared(tensor) if is_eager else _array(tensor)


def _array(tensor: _lib.DenseTensor) -> Any:
    if tensor.dtype != "string":
        return tensor.numpy()
    return pa.array(tensor.to_arrow()).to_numpy(zero_copy_only=False).reshape(tensor.shape)
