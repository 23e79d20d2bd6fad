"""`parse_avro`: serialized records to tensors."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import tensorflow as tf

from tfxio._lib import AvroFeatures, DenseTensor, SparseTensor
from tfxio._composite import assembled, component_specs
from tfxio.compat.tensorflow_io._features import feature_specs
from tfxio.exceptions import TfxioError
from tfxio.tensorflow import to_tensorflow, type_specs


def parse_avro(
    serialized: Any,
    reader_schema: str | bytes,
    features: Mapping[str, Any],
    avro_names: Any = None,
    name: str | None = None,
) -> dict[str, Any]:
    """Returns the tensors of a batch of serialized Avro records, by name.

    A feature's name is its key expression. In a function that TensorFlow traces, as in `Dataset.map`, the records are decoded when it
    runs, in this process.

    Args:
        serialized: The records: a vector of strings.
        reader_schema: The schema with which they were written, as JSON.
        features: What each tensor is: a `tf.io.FixedLenFeature`, `VarLenFeatureWithRank`, `tf.io.SparseFeature`,
            `tf.io.VarLenFeature`, `tf.io.FixedLenSequenceFeature` or `tf.io.RaggedFeature`.
        avro_names: Names of the records, which have no effect.
        name: The name of the operation.

    Raises:
        ValueError: A feature is of another kind, or contradicts itself.
        TypeError: A default is not of the dtype of its feature.
        tf.errors.InvalidArgumentError: The schema or a key is not valid, a feature does not fit the schema, or a record is damaged, does
            not fit a shape, or lacks a value that has no default: with the number of the record and the name of the tensor.
    """
    with tf.name_scope(name or "ParseAvro"), _as_invalid_argument():
        parser = _parser(_text(reader_schema), tuple(sorted(feature_specs(features).items())))
        records = tf.convert_to_tensor(serialized, dtype=tf.string, name="serialized")
        records.shape.with_rank(1)
        if tf.executing_eagerly():
            return {tensor: to_tensorflow(value) for tensor, value in parser.tensors(records.numpy().tolist()).items()}
        return _in_graph(parser, records)


@contextmanager
def _as_invalid_argument() -> Iterator[None]:
    try:
        yield
    except TfxioError as error:
        raise tf.errors.InvalidArgumentError(None, None, str(error)) from error


def _text(schema: Any) -> str:
    if tf.is_tensor(schema):
        schema = tf.get_static_value(schema)
    if isinstance(schema, bytes):
        schema = schema.decode()
    if not isinstance(schema, str):
        raise ValueError("The reader schema is JSON that is known before the graph runs.")
    return schema


@functools.lru_cache(maxsize=64)
def _parser(schema: str, specs: tuple[tuple[str, str], ...]) -> AvroFeatures:
    return AvroFeatures(schema, dict(specs))


def _in_graph(parser: AvroFeatures, records: Any) -> dict[str, Any]:
    specs = type_specs(parser.specs)
    parts = {name: component_specs(spec) for name, spec in specs.items()}

    def run(serialized: Any) -> list[Any]:
        try:
            tensors = parser.tensors(serialized.tolist())
        except TfxioError as error:
            # TensorFlow makes an InvalidArgumentError of it.
            raise ValueError(str(error)) from None
        return [array for name in specs for array in _arrays(tensors[name])]

    dtypes = [part.dtype for name in specs for part in parts[name]]
    outputs = iter(tf.numpy_function(run, [records], dtypes, stateful=False))
    tensors: dict[str, Any] = {}
    for name, spec in specs.items():
        flat = []
        for part, output in zip(parts[name], outputs):
            if part.dtype == tf.string:
                output = tf.io.parse_tensor(output, tf.string)
            output.set_shape(part.shape)
            flat.append(output)
        tensors[name] = assembled(spec, flat)
        if isinstance(spec, tf.TensorSpec):
            tensors[name].set_shape([records.shape[0], *spec.shape[1:]])
    return tensors


def _arrays(tensor: Any) -> list[Any]:
    """Returns the arrays that a tensor is made of. Strings are a message each, which the graph parses."""
    if isinstance(tensor, DenseTensor):
        return [_dense(tensor)]
    if isinstance(tensor, SparseTensor):
        return [tensor.indices.numpy(), _dense(tensor.values), np.array(tensor.dense_shape, "int64")]
    return [_dense(tensor.values), *(level.numpy() for level in tensor.row_splits)]


def _dense(tensor: DenseTensor) -> Any:
    if tensor.dtype != "string":
        return tensor.numpy()
    message = tensor.to_tensor_proto()
    if message is None:
        raise ValueError("a batch with strings of more than 1 GiB in a tensor: make smaller batches")
    return np.array(message, dtype=object)
