"""Features of TensorFlow as feature specs of tfxio."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import tensorflow as tf

from tfxio._lib import avro_key_rank
from tfxio._representations import scalar


class VarLenFeatureWithRank(NamedTuple):
    """A sparse tensor of lists in lists.

    Args:
        dtype: The type of the values.
        rank: How many `[*]` and filters the key has.
    """

    dtype: tf.DType
    rank: int = 1


def feature_specs(features: Mapping[str, Any]) -> dict[str, str]:
    """Returns features as feature specs in JSON, by name.

    Raises:
        ValueError: A feature is of another kind, or contradicts itself.
        TypeError: A default is not of the dtype of its feature.
    """
    if not features:
        raise ValueError(f"Missing: features was {features}.")
    return {name: json.dumps(_spec(name, feature)) for name, feature in features.items()}


def _spec(name: str, feature: Any) -> dict[str, Any]:
    makers: dict[Any, Any] = {
        tf.io.FixedLenFeature: _fixed_len,
        tf.io.FixedLenSequenceFeature: _fixed_len_sequence,
        tf.io.RaggedFeature: _ragged,
        tf.io.SparseFeature: _sparse,
        tf.io.VarLenFeature: _var_len,
        VarLenFeatureWithRank: _var_len,
    }
    maker = makers.get(type(feature))
    if maker is None:
        raise ValueError(f"Invalid feature {name}:{feature}.")
    if not feature.dtype:
        raise ValueError(f"Missing type for feature {name}.")
    return {"dtype": tf.as_dtype(feature.dtype).name, **maker(name, feature)}


def _shape(name: str, feature: Any) -> list[int | None]:
    if feature.shape is None:
        raise ValueError(f"Missing shape for feature {name}.")
    shape: list[int | None] = tf.TensorShape(feature.shape).as_list()
    return shape


def _default(name: str, feature: Any) -> Any:
    """Returns the default as an array of numpy, `None` if there is none or it has no values."""
    default = feature.default_value
    if tf.is_tensor(default):
        default = tf.get_static_value(default)
        if default is None:
            raise ValueError(f"The default of feature {name} is not known before the graph runs.")
    if default is None:
        return None
    try:
        values = tf.make_ndarray(tf.make_tensor_proto(default, dtype=feature.dtype))
    except TypeError as error:
        raise TypeError(f"The default of feature {name}: {error}") from None
    return values if values.size else None


def _fixed_len(name: str, feature: Any) -> dict[str, Any]:
    shape, default = _shape(name, feature), _default(name, feature)
    members: dict[str, Any] = {"kind": "FixedLen", "shape": shape}
    if default is None:
        return members
    if default.size == 1:
        return {**members, "default": scalar(default.reshape(()).tolist())}
    # With more values it is the default that says the shape of a row.
    if shape and shape[0]:
        default = default.reshape([-1 if size is None else size for size in shape])
    return {**members, "shape": list(default.shape), "default": scalar(default.tolist())}


def _fixed_len_sequence(name: str, feature: Any) -> dict[str, Any]:
    default = _default(name, feature)
    members = {"kind": "FixedLenSequence", "shape": _shape(name, feature), "allow_missing": bool(feature.allow_missing)}
    return members if default is None else {**members, "default": scalar(default.reshape(()).tolist())}


def _var_len(name: str, feature: Any) -> dict[str, Any]:
    rank = getattr(feature, "rank", None)
    if isinstance(feature, VarLenFeatureWithRank) and not rank:
        raise ValueError(f"Missing rank for VarLenFeatureWithRank {name}.")
    return {"kind": "VarLen"} if rank is None else {"kind": "VarLen", "rank": rank}


def _sparse(name: str, feature: Any) -> dict[str, Any]:
    index_keys = [feature.index_key] if isinstance(feature.index_key, str) else list(feature.index_key or ())
    sizes = list(feature.size) if isinstance(feature.size, (list, tuple)) else [feature.size]
    if not index_keys:
        raise ValueError(f"Missing index_key for SparseFeature {feature}.")
    if not feature.value_key:
        raise ValueError(f"Missing value_key for SparseFeature {feature}.")
    if len(sizes) != len(index_keys):
        raise ValueError(f"SparseFeature {name}: {len(sizes)} sizes for {len(index_keys)} index keys; give one for each.")
    # The innermost array is the entries; those around it are dimensions, as long as the longest of the batch.
    if feature.value_key.startswith("@"):
        outer = max(avro_key_rank(feature.value_key) - 1, 0)
    else:
        outer = avro_key_rank(name) + avro_key_rank(feature.value_key)
    members = {"kind": "Sparse", "index_key": index_keys, "value_key": feature.value_key}
    size = [None] * outer + [int(size) for size in sizes]
    return {**members, "size": size, "already_sorted": bool(feature.already_sorted)}


def _ragged(name: str, feature: Any) -> dict[str, Any]:
    partitions: list[dict[str, Any]] = []
    for partition in feature.partitions or ():
        if isinstance(partition, tf.io.RaggedFeature.RowLengths):
            partitions.append({"row_lengths": partition.key})
        elif isinstance(partition, tf.io.RaggedFeature.UniformRowLength):
            partitions.append({"uniform_row_length": int(partition.length)})
        else:
            raise ValueError(f"Unsupported partition of RaggedFeature {name}: {partition}.")
    members = {"kind": "Ragged", "row_splits": tf.as_dtype(feature.row_splits_dtype).name, "partitions": partitions}
    return members if feature.value_key is None else {**members, "value_key": feature.value_key}
