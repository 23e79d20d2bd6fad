"""Record batches as data sets of `tf.data`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import tensorflow as tf

from tfxio.compat.tfx_bsl.tfxio._tensors import components
from tfxio.compat.tfx_bsl.tfxio.tensor_adapter import TensorAdapter


def adapted_dataset(begin: Callable[[], Iterator[pa.RecordBatch]], adapter: TensorAdapter) -> tf.data.Dataset:
    """Returns the tensors of record batches by name.

    Args:
        begin: Returns the record batches, each time that the data set is iterated.
        adapter: What makes tensors of them.
    """
    specs = adapter.TypeSpecs()
    signature = {name: _component_specs(spec) for name, spec in specs.items()}

    def batches() -> Iterator[Any]:
        for batch in begin():
            tensors = adapter.native_tensors(batch)
            yield {name: components(tensors[name]) for name in specs}

    def assembled(parts: Any) -> dict[str, Any]:
        return {name: _assembled(spec, parts[name]) for name, spec in specs.items()}

    # Sparse and ragged tensors come out of the generator in parts: as wholes each of them would be serialised.
    return tf.data.Dataset.from_generator(batches, output_signature=signature).map(assembled).prefetch(tf.data.AUTOTUNE)


def _component_specs(spec: Any) -> tuple[tf.TensorSpec, ...]:
    if isinstance(spec, tf.SparseTensorSpec):
        rank = spec.shape.rank
        indices, shape = tf.TensorSpec([None, rank], tf.int64), tf.TensorSpec([rank], tf.int64)
        return indices, tf.TensorSpec([None], spec.dtype), shape
    if isinstance(spec, tf.RaggedTensorSpec):
        values = tf.TensorSpec([None, *spec.shape[spec.ragged_rank + 1 :]], spec.dtype)
        return values, *[tf.TensorSpec([None], spec.row_splits_dtype)] * spec.ragged_rank
    return (spec,)


def _assembled(spec: Any, parts: Any) -> Any:
    first, *others = parts
    if isinstance(spec, tf.SparseTensorSpec):
        sparse = tf.SparseTensor(first, *others)
        sparse.set_shape(spec.shape)
        return sparse
    if isinstance(spec, tf.RaggedTensorSpec):
        return tf.RaggedTensor.from_nested_row_splits(first, others, validate=False)
    return first
