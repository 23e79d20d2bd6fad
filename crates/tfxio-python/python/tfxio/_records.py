"""Records of TFRecord files, and records of tf.Example in memory."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, TypeAlias

from tfxio import _arguments, _hints, _lib, _losses
from tfxio._lib import RecordBatch, RecordIndex, Request
from tfxio._literals import Compression
from tfxio._schema import SchemaLike, schema_option
from tfxio.exceptions import TfxioError

File: TypeAlias = str | os.PathLike[str] | BinaryIO
Value: TypeAlias = int | float | str | bytes
Values: TypeAlias = Value | Sequence[Value]


class TFRecordReader:
    """The records of a TFRecord file, one after the other, as `bytes`. Their checksums are compared.

    Args:
        file: A path, or an object with `read`.
        compression: `"none"`, `"gzip"` or `"zlib"`. Left out, it is detected.

    >>> import tempfile, tfxio
    >>> written = tfxio.write({"label": [7, 1, 7]}, tempfile.mkdtemp() + "/labels.tfrecord")
    >>> with tfxio.TFRecordReader(written.files[0]) as records:
    ...     print(len(next(records)), records.position)
    18 (0, 0)
    """

    def __init__(self, file: File, *, compression: Compression | None = None) -> None:
        path, target = _arguments.of_file("file", file, "read")
        self._native = _lib.TFRecordReader(path, target, _arguments.text_or_none("compression", compression))

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        return next(self._native)

    def read(self, count: int) -> list[bytes]:
        """Returns the next records, at most `count`; an empty list at the end."""
        return self._native.read(_arguments.integer("count", count))

    @property
    def position(self) -> tuple[int, int] | None:
        """The number of the record that came out last, counted from 0, and the byte at which it begins."""
        return self._native.position

    def close(self) -> None:
        """Ends the reader."""
        self._native.close()

    def __enter__(self) -> TFRecordReader:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class TFRecordWriter:
    """Writes records to a TFRecord file.

    A path appears whole when the writer is closed, and not at all after an exception in its `with` block.

    Args:
        file: A path, or an object with `write`.
        compression: `"none"`, `"gzip"` or `"zlib"`. Left out, it follows from the ending of the path.
        level: The level of the compression, from 0 to 9.
        overwrite: Whether a file that exists is replaced.

    >>> import io, tfxio
    >>> target = io.BytesIO()
    >>> with tfxio.TFRecordWriter(target) as writer:
    ...     writer.write(b"a record")
    >>> list(tfxio.TFRecordReader(io.BytesIO(target.getvalue())))
    [b'a record']
    """

    def __init__(
        self, file: File, *, compression: Compression | None = None, level: int | None = None, overwrite: bool = True
    ) -> None:
        level = _arguments.integer_or_none("level", level, most=9)
        path, target = _arguments.of_file("file", file, "write")
        _arguments.text_or_none("compression", compression)
        self._native = _lib.TFRecordWriter(path, target, compression, level, _arguments.flag("overwrite", overwrite))

    def write(self, record: bytes) -> None:
        """Appends a record."""
        if type(record) is not bytes:
            _arguments.record("record", record)
        self._native.write(record)

    @property
    def records_written(self) -> int:
        """The number of records that were written."""
        return self._native.records_written

    def close(self) -> None:
        """Completes the file, which appears under its name now."""
        self._native.close()

    def __enter__(self) -> TFRecordWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        if kind is None:
            self.close()
        else:
            self._native.discard()


def open_index(path: str | os.PathLike[str], *, build: bool | None = None, save: bool = False) -> RecordIndex:
    """Returns the records of a TFRecord file by number.

    Args:
        path: The file. It is not compressed, or gzip in members, as tfxio writes it.
        build: Whether the file is read to find its records. Left out, it is, unless there is an index beside it.
        save: Whether an index that was built is written beside the file.

    >>> import tempfile, tfxio
    >>> written = tfxio.write({"label": [7, 1, 7]}, tempfile.mkdtemp() + "/labels.tfrecord")
    >>> records = tfxio.open_index(written.files[0])
    >>> len(records), len(records[-1])
    (3, 18)
    """
    build = None if build is None else _arguments.flag("build", build)
    return RecordIndex(_arguments.path("path", path), build, _arguments.flag("save", save))


def decode_examples(
    records: Iterable[bytes],
    *,
    schema: SchemaLike | None = None,
    columns: Iterable[str] | None = None,
    sequence: bool = False,
) -> RecordBatch:
    """Decodes records of tf.Example, or of tf.SequenceExample, to a batch.

    Args:
        records: The records.
        schema: A schema of TensorFlow Metadata. Without one the columns are what these records have.
        columns: The features to decode; all, if it is left out.
        sequence: Whether these are records of tf.SequenceExample.

    >>> import tfxio
    >>> tfxio.decode_examples([tfxio.Example({"age": 36}).to_bytes()]).to_pylist()
    [{'age': [36]}]
    """
    options = {} if schema is None else {"schema": schema_option(schema)}
    request = Request(columns=None if columns is None else _arguments.names("columns", columns))
    decoder = _lib.RecordDecoder(_kind(sequence), options, request)
    return decoder.decode(_arguments.records("records", records))


def encode_examples(batch: Any, *, sequence: bool = False, lossless: bool = False) -> list[bytes]:
    """Encodes the rows of a batch as records of tf.Example, or of tf.SequenceExample.

    Columns become the nearest that these hold, as `tfxio.write` has it: a value a list of one, a 64-bit float one of 32 bits. What is
    lost is a `UserWarning`.

    Args:
        batch: A batch of tfxio, or any object with `__arrow_c_array__`: a record batch of pyarrow, a struct series of polars; or a dict of
            columns.
        sequence: Whether to make records of tf.SequenceExample.
        lossless: Whether it is an error if something is lost.

    >>> import tfxio
    >>> records = [tfxio.Example({"age": age}).to_bytes() for age in (36, 41)]
    >>> tfxio.encode_examples(tfxio.decode_examples(records)) == records
    True
    """
    if isinstance(batch, Mapping):
        from tfxio import _columns

        batch = _columns.batch(batch)
    if not isinstance(batch, RecordBatch):
        if isinstance(batch, type) or not hasattr(batch, "__arrow_c_array__"):
            raise _arguments.refused("batch", "a batch of tfxio, or an object with __arrow_c_array__", batch)
        batch = RecordBatch.from_arrow(batch)
    _arguments.flag("lossless", lossless)
    try:
        records, losses = _lib.encode_records(batch, _kind(sequence), {}, lossless)
    except TfxioError as error:
        _hints.translate(error, _hints.OF_ENCODING)
        raise
    _losses.warn_of([_losses.Loss(column, _hints.in_python(what)) for column, what in losses])
    return records


def _kind(sequence: bool) -> str:
    return "sequence_example" if _arguments.flag("sequence", sequence) else "example"


class Example(Mapping[str, list[Any]]):
    """A record of tf.Example: lists of int, float or bytes by the names of features.

    >>> import tfxio
    >>> example = tfxio.Example({"name": "Ada", "scores": [0.5, 1.5]})
    >>> tfxio.Example.from_bytes(example.to_bytes())["scores"]
    [0.5, 1.5]
    """

    def __init__(self, features: Mapping[str, Values] | None = None) -> None:
        given = {} if features is None else _arguments.mapping("features", "a dict of values by the names of features", features)
        self._features = {_arguments.text("a name in features", name): _feature(name, values) for name, values in given.items()}

    @classmethod
    def from_bytes(cls, record: bytes) -> Example:
        """Parses a record."""
        example = cls()
        example._features = _lib.parse_example(_arguments.record("record", record))
        return example

    def to_bytes(self) -> bytes:
        """Returns the record. Features are in the order of their names."""
        return _lib.serialize_example(self._features)

    def __getitem__(self, name: str) -> list[Any]:
        return self._features[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._features)

    def __len__(self) -> int:
        return len(self._features)

    def __repr__(self) -> str:
        return f"Example({self._features!r})"


def _feature(name: str, values: Any) -> list[Any]:
    if isinstance(values, str):
        return [values.encode()]
    if isinstance(values, bytes):
        return [values]
    if isinstance(values, (bool, int, float)):
        return [values]
    if hasattr(values, "tolist"):
        flat = values.reshape(-1) if hasattr(values, "reshape") else values
        return _feature(name, flat.tolist())
    if not isinstance(values, Iterable):
        raise TypeError(f"feature {name!r}: int, float, str, bytes or a list of one of these, not {type(values).__name__}")
    return [value.encode() if isinstance(value, str) else value for value in values]
