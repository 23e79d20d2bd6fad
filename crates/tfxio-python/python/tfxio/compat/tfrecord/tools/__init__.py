"""Indexes of TFRecord files."""

from __future__ import annotations

from tfxio.compat.tfrecord.tools import tfrecord2idx
from tfxio.compat.tfrecord.tools.tfrecord2idx import create_index

__all__ = ["create_index", "tfrecord2idx"]
