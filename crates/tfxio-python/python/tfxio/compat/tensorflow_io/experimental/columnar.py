"""Avro records as tensors and data sets of TensorFlow."""

from __future__ import annotations

from tfxio.compat.tensorflow_io._features import VarLenFeatureWithRank
from tfxio.compat.tensorflow_io._parse import parse_avro
from tfxio.compat.tensorflow_io._records import AvroRecordDataset, make_avro_record_dataset

__all__ = ["AvroRecordDataset", "VarLenFeatureWithRank", "make_avro_record_dataset", "parse_avro"]
