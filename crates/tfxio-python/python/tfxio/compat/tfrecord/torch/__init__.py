"""Data sets of torch."""

from __future__ import annotations

from tfxio.compat.tfrecord.torch import dataset
from tfxio.compat.tfrecord.torch.dataset import MultiTFRecordDataset, TFRecordDataset

__all__ = ["MultiTFRecordDataset", "TFRecordDataset", "dataset"]
