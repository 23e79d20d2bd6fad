"""Schemas of TensorFlow Metadata as arguments: text, bytes, a path, or the proto."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from tfxio import _arguments, _lib, _threads
from tfxio._lib import Request
from tfxio._representations import Proto

if TYPE_CHECKING:
    from tfxio._dataset import Dataset

SchemaLike: TypeAlias = str | bytes | os.PathLike[str] | Proto


def schema_option(schema: SchemaLike, name: str = "schema") -> str:
    """Returns a schema, an argument of some name, as the option `schema` takes it: a path, or text."""
    if isinstance(schema, bytes):
        return _text_option(schema)
    if isinstance(schema, (str, os.PathLike)):
        return _arguments.path(name, schema)
    if isinstance(schema, Proto) and not isinstance(schema, type):
        return _text_option(schema.SerializeToString())
    raise _arguments.refused(name, "a path, the text or the bytes of a schema of TensorFlow Metadata, or its proto", schema)


def _text_option(schema: bytes) -> str:
    # A text of one line without braces, such as that of an empty schema, would be taken for a path.
    return _lib.schema_text(schema) + "\n"


def schema_text(schema: SchemaLike, name: str = "schema") -> str:
    """Returns the text of a schema, an argument of some name, of which a path is read."""
    option = schema_option(schema, name)
    is_text = isinstance(schema, (bytes, Proto)) or "{" in option
    return _lib.schema_text(option.encode() if is_text else Path(option).read_bytes())


def infer_schema(dataset: Dataset, *, limit: int | None = None, threads: int = 0) -> str:
    """Returns a schema of TensorFlow Metadata, as text, that the rows satisfy, with a proposal of tensors.

    Args:
        dataset: The data set.
        limit: The most rows that are looked at; all, if it is left out.
        threads: Threads that read; 0 for all processors.

    >>> import tempfile, tfxio
    >>> written = tfxio.write({"label": [7, 1, 7]}, tempfile.mkdtemp() + "/labels.tfrecord")
    >>> ds = tfxio.open(written.files)
    >>> tfxio.infer_schema(ds).split("\\n")[1].strip()
    'name: "label"'
    """
    return _lib.infer_schema(_native(dataset), _looked_at(limit, threads))


def _native(dataset: Dataset) -> _lib.Dataset:
    native: _lib.Dataset | None = getattr(dataset, "_native_dataset", None)
    if native is None:
        raise _arguments.refused("dataset", "a data set, as tfxio.open returns one", dataset)
    return native


def _looked_at(limit: int | None, threads: int) -> Request:
    limit = _arguments.integer_or_none("limit", limit)
    return Request(limit=limit, threads=_threads.asked(threads))


def validate(
    dataset: Dataset,
    schema: SchemaLike,
    *,
    environment: str | None = None,
    limit: int | None = None,
    threads: int = 0,
) -> list[str]:
    """Returns what the rows do not satisfy of a schema: one sentence a finding, none if all is well.

    Args:
        dataset: The data set.
        schema: A schema of TensorFlow Metadata: a path, text, bytes or the proto.
        environment: The environment of the schema, such as `"SERVING"`.
        limit: The most rows that are looked at; all, if it is left out.
        threads: Threads that read; 0 for all processors.

    >>> import tempfile, tfxio
    >>> written = tfxio.write({"label": [7, 1, 7]}, tempfile.mkdtemp() + "/labels.tfrecord")
    >>> ds = tfxio.open(written.files)
    >>> tfxio.validate(ds, tfxio.infer_schema(ds))
    []
    """
    _arguments.text_or_none("environment", environment)
    return _lib.validate(_native(dataset), _looked_at(limit, threads), schema_text(schema), environment)
