"""The types of tensors and of their features, by TensorFlow."""

from typing import TypeAlias, Union

import numpy as np
import tensorflow as tf

__all__ = ["FeatureSpecType", "TensorAlike", "TensorType", "TensorValueType"]

FeatureSpecType: TypeAlias = Union[tf.io.FixedLenFeature, tf.io.VarLenFeature, tf.io.SparseFeature, tf.io.RaggedFeature]
#: Tensors, eager or of a graph.
TensorType: TypeAlias = Union[tf.Tensor, tf.SparseTensor, tf.RaggedTensor]
#: The values that a session of a graph returns for them.
TensorValueType: TypeAlias = Union[np.ndarray, tf.compat.v1.SparseTensorValue, tf.compat.v1.ragged.RaggedTensorValue]
TensorAlike: TypeAlias = Union[TensorType, TensorValueType]
