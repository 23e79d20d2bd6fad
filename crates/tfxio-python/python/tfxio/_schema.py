"""Schemas of TensorFlow Metadata as arguments: text, bytes, a path, or the proto."""

from __future__ import annotations

import os
from typing import TypeAlias

from tfxio import _lib
from tfxio._representations import Proto

SchemaLike: TypeAlias = str | bytes | os.PathLike[str] | Proto


def schema_option(schema: SchemaLike) -> str:
    """Returns a schema as the option `schema` takes it: a path, or text."""
    if isinstance(schema, bytes):
        return _lib.schema_text(schema)
    if isinstance(schema, (str, os.PathLike)):
        return os.fspath(schema)
    if isinstance(schema, Proto):
        return _lib.schema_text(schema.SerializeToString())
    what = "a schema is a path, the text or the bytes of a schema of TensorFlow Metadata, or its proto"
    raise TypeError(f"{what}, not {type(schema).__name__}")
