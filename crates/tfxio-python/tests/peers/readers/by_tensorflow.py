"""TensorFlow: `tf.data.TFRecordDataset` and `tf.io.parse_example`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pyarrow as pa

from .found import Found, Reader
from .written import Variant

TYPES = {"int64_list": ("int64", pa.int64()), "float_list": ("float32", pa.float32()), "bytes_list": ("string", pa.binary())}


def _tfrecord(path: Path, variant: Variant, types: pa.Schema | None) -> dict[str, Found]:
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
    import tensorflow as tf

    compression = {".gz": "GZIP", ".zlib": "ZLIB"}.get(path.suffix, "")
    records = [record.numpy() for record in tf.data.TFRecordDataset(str(path), compression)]
    features = [tf.train.Example.FromString(record).features.feature for record in records]
    # Which type a feature has is said by each record that has a value of it.
    kinds: dict[str, str] = {
        name: feature.WhichOneof("kind") for row in features for name, feature in row.items() if feature.WhichOneof("kind")
    }
    specs = {name: tf.io.RaggedFeature(getattr(tf, TYPES[kind][0])) for name, kind in kinds.items()}
    parsed: dict[str, Any] = tf.io.parse_example(tf.constant(records), specs)
    found = {}
    for name, kind in kinds.items():
        lists = parsed[name].to_list()
        values = [value if name in row and row[name].WhichOneof("kind") else None for row, value in zip(features, lists, strict=True)]
        found[name] = Found(TYPES[kind][0], TYPES[kind][1], values)
    return found


TENSORFLOW = Reader("tensorflow", {"TFRecord": _tfrecord}, "TensorFlow")
