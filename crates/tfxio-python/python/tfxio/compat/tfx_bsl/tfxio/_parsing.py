"""Feature specs of `tf.io` for the tensors of a schema."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import tensorflow as tf
from tensorflow_metadata.proto.v0 import schema_pb2

from tfxio.compat.tfx_bsl.tfxio._source_columns import (
    GetSourceColumnsFromTensorRepresentation,
    GetSourceValueColumnFromTensorRepresentation,
)

_DTYPES = {schema_pb2.BYTES: tf.string, schema_pb2.INT: tf.int64, schema_pb2.FLOAT: tf.float32}
#: How the names of specs begin that are made of several features.
_OF_SEVERAL = "_tfx_bsl_"
_DEFAULTS = {schema_pb2.BYTES: "bytes_value", schema_pb2.INT: "int_value", schema_pb2.FLOAT: "float_value"}


def CreateTfExampleParserConfig(
    tensor_representation: schema_pb2.TensorRepresentation, feature_type: schema_pb2.FeatureType
) -> Any:
    """Returns the spec by which `tf.io.parse_example` makes the tensor.

    Args:
        tensor_representation: What describes the tensor.
        feature_type: The type of the feature that has its values.

    Raises:
        ValueError: The type has no dtype, or the default value is not of the type.
        NotImplementedError: `tf.io` has no spec for such a tensor.
    """
    dtype = _DTYPES.get(feature_type)
    if dtype is None:
        raise ValueError(f"The feature_type: {feature_type} is not supported.")
    kind = tensor_representation.WhichOneof("kind")
    if kind == "dense_tensor":
        dense = tensor_representation.dense_tensor
        shape = _sizes(dense.shape)
        default = _default(dense.default_value, feature_type) if dense.HasField("default_value") else None
        return tf.io.FixedLenFeature(shape, dtype, None if default is None else [default] * math.prod(shape))
    if kind == "varlen_sparse_tensor":
        return tf.io.VarLenFeature(dtype)
    if kind == "sparse_tensor":
        sparse = tensor_representation.sparse_tensor
        sizes, names = _sizes(sparse.dense_shape), list(sparse.index_column_names)
        return tf.io.SparseFeature(names, sparse.value_column_name, dtype, sizes, sparse.already_sorted)
    if kind == "ragged_tensor":
        return _ragged(tensor_representation.ragged_tensor, dtype)
    raise NotImplementedError(f"TensorRepresentation: {kind} is not supported.")


def CreateTfSequenceExampleParserConfig(
    schema: schema_pb2.Schema,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns the specs by which `tf.io.parse_sequence_example` makes the tensors of the context, and those of the feature lists.

    The schema has representations for all tensors. The features of a struct are feature lists.

    Raises:
        ValueError: The schema has no representations, or one of a feature deeper than in a struct.
    """
    if "" not in schema.tensor_representation_group:
        raise ValueError("TensorRepresentations are required.")
    types = dict(_types(schema.feature, ()))
    context: dict[str, Any] = {}
    sequence: dict[str, Any] = {}
    for name, representation in schema.tensor_representation_group[""].tensor_representation.items():
        steps = GetSourceValueColumnFromTensorRepresentation(representation).steps()
        if len(steps) == 1:
            context[name] = CreateTfExampleParserConfig(representation, types[steps])
        elif len(steps) == 2:
            within = schema_pb2.TensorRepresentation()
            within.CopyFrom(representation)
            del within.ragged_tensor.feature_path.step[0]
            sequence[name] = CreateTfExampleParserConfig(within, types[steps])
        else:
            raise ValueError(f"The feature of the tensor {name} lies deeper than in a struct: {representation}")
    return context, sequence


def _types(
    features: Iterable[schema_pb2.Feature], parents: tuple[str, ...]
) -> Iterable[tuple[tuple[str, ...], schema_pb2.FeatureType]]:
    """Yields the path and the type of each feature that is not a struct."""
    for feature in features:
        steps = (*parents, feature.name)
        if feature.type != schema_pb2.STRUCT:
            yield steps, feature.type
            continue
        if feature.struct_domain.sparse_feature:
            raise ValueError(f"Struct features with sparse domains are not supported: {feature.name}")
        yield from _types(feature.struct_domain.feature, steps)


def _sizes(shape: schema_pb2.FixedShape) -> list[int]:
    return [dimension.size for dimension in shape.dim]


def _default(value: schema_pb2.TensorRepresentation.DefaultValue, feature_type: schema_pb2.FeatureType) -> Any:
    kind = value.WhichOneof("kind")
    default = None if kind is None else getattr(value, kind)
    if kind != _DEFAULTS[feature_type]:
        name = schema_pb2.FeatureType.Name(feature_type)
        raise ValueError(f"FeatureType: {name} is incompatible with default_value: {default}")
    return default


def _ragged(ragged: schema_pb2.TensorRepresentation.RaggedTensor, dtype: tf.DType) -> tf.io.RaggedFeature:
    steps = ragged.feature_path.step
    if not steps:
        raise ValueError("RaggedTensor representation with empty feature_path.")
    if len(steps) > 1:
        raise ValueError("Parsing spec from a RaggedTensor with multiple steps in feature_path is not implemented.")
    is_narrow = ragged.row_partition_dtype == schema_pb2.TensorRepresentation.RowPartitionDType.INT32
    return tf.io.RaggedFeature(
        dtype,
        value_key=steps[0],
        partitions=[_partition(partition) for partition in ragged.partition],
        row_splits_dtype=tf.int32 if is_narrow else tf.int64,
    )


def _partition(partition: schema_pb2.TensorRepresentation.RaggedTensor.Partition) -> Any:
    kind = partition.WhichOneof("kind")
    if kind == "uniform_row_length":
        return tf.io.RaggedFeature.UniformRowLength(partition.uniform_row_length)
    if kind == "row_length":
        return tf.io.RaggedFeature.RowLengths(partition.row_length)
    raise NotImplementedError(f"RaggedTensor partition type not implemented: {kind}.")


def parser_config(
    schema: schema_pb2.Schema, representations: Mapping[str, schema_pb2.TensorRepresentation]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Returns the specs by which `tf.io.parse_example` makes the tensors, and the name of the tensor of each.

    The spec of one feature has its name; one of several features has a name that no feature has.

    Raises:
        ValueError: Two tensors need the same feature in different ways, or the specs do not fit each other.
    """
    types = {feature.name: feature.type for feature in schema.feature}
    specs: dict[str, Any] = {}
    tensors: dict[str, str] = {}
    for tensor, representation in representations.items():
        column = GetSourceValueColumnFromTensorRepresentation(representation).initial_step()
        spec = CreateTfExampleParserConfig(representation, types[column])
        name = column
        if isinstance(spec, (tf.io.SparseFeature, tf.io.RaggedFeature)):
            several = len(GetSourceColumnsFromTensorRepresentation(representation)) > 1
            name = f"{_OF_SEVERAL}{tensor}_{tensor if several else column}"
        if name in specs:
            raise ValueError(
                f"Unable to create a valid parsing config: the tensors {tensors[name]} and {tensor} are both made of the feature {name}"
            )
        specs[name], tensors[name] = spec, tensor
    _check_together(specs)
    return specs, tensors


def _check_together(specs: dict[str, Any]) -> None:
    """Raises the error of a graph that parses examples by the specs, if there is one."""
    signature = [tf.TensorSpec([None], tf.string)]
    try:
        tf.function(lambda records: tf.io.parse_example(records, specs), input_signature=signature).get_concrete_function()
    except (TypeError, ValueError) as error:
        raise ValueError(f"Unable to create a valid parsing config from the tensors of the schema: {error}") from error
