"""The package `tfrecord` 1.14.6, by the same names and signatures.

>>> import tempfile, tfxio
>>> from tfxio.compat import tfrecord
>>> written = tfxio.write({"size": [2, 3], "label": [7, 1]}, tempfile.mkdtemp() + "/train.tfrecord")
>>> next(iter(tfrecord.tfrecord_loader(written.files[0], None, {"size": "int", "label": "int"})))["label"]
array([7])
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

from tfxio.compat.tfrecord import iterator_utils, reader, tools, writer
from tfxio.compat.tfrecord.iterator_utils import cycle, sample_iterators, shuffle_iterator
from tfxio.compat.tfrecord.reader import (
    example_loader,
    extract_feature_dict,
    multi_tfrecord_loader,
    process_feature,
    sequence_loader,
    tfrecord_iterator,
    tfrecord_loader,
)
from tfxio.compat.tfrecord.writer import TFRecordWriter

__all__ = [
    "TFRecordWriter",
    "cycle",
    "example_loader",
    "extract_feature_dict",
    "iterator_utils",
    "multi_tfrecord_loader",
    "process_feature",
    "reader",
    "sample_iterators",
    "sequence_loader",
    "shuffle_iterator",
    "tfrecord_iterator",
    "tfrecord_loader",
    "tools",
    "writer",
]


def __getattr__(name: str) -> ModuleType:
    # Only those who ask for them need torch or protobuf.
    if name in ("torch", "example_pb2"):
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[Any]:
    return [*__all__, "example_pb2", "torch"]
