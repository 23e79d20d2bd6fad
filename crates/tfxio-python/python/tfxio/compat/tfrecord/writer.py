"""Writes records of tf.Example and tf.SequenceExample."""

from __future__ import annotations

import io
import operator
import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np

from tfxio import _records

Datum: TypeAlias = Mapping[str, tuple[Any, str]]

LENGTH_DELIMITED = 2
HEADER_BYTES = 12


class TFRecordWriter:
    """Writes a TFRecord file of examples. It is complete when the writer is closed.

    Args:
        data_path: The file, which is written anew.
    """

    def __init__(self, data_path: str) -> None:
        self.file = open(data_path, "wb")
        self._native = _records.TFRecordWriter(self.file, compression="none")

    def close(self) -> None:
        """Completes the file."""
        if not self.file.closed:
            self._native.close()
            self.file.close()

    def __del__(self) -> None:
        if hasattr(self, "_native"):
            self.close()

    def write(self, datum: Datum, sequence_datum: Datum | None = None) -> None:
        """Appends an example; a sequence example, if there are features of a sequence.

        Args:
            datum: Values and their type, `"byte"`, `"float"` or `"int"`, by the names of features.
            sequence_datum: Lists of values and their type by the names of features.
        """
        if sequence_datum is None:
            self._native.write(self.serialize_tf_example(datum))
        else:
            self._native.write(self.serialize_tf_sequence_example(datum, sequence_datum))

    @staticmethod
    def masked_crc(data: bytes) -> bytes:
        """Returns the checksum of a record, as it stands after it in a file."""
        target = io.BytesIO()
        with _records.TFRecordWriter(target, compression="none") as writer:
            writer.write(bytes(data))
        return target.getvalue()[HEADER_BYTES + len(data) :]

    @staticmethod
    def serialize_tf_example(datum: Datum) -> bytes:
        """Returns the bytes of an example.

        >>> from tfxio.compat.tfrecord import TFRecordWriter
        >>> TFRecordWriter.serialize_tf_example({"age": (36, "int")}).hex()
        '0a0e0a0c0a0361676512051a030a0124'
        """
        return _member(1, _features(datum))

    @staticmethod
    def serialize_tf_sequence_example(context_datum: Datum, features_datum: Datum) -> bytes:
        """Returns the bytes of a sequence example."""
        lists = {
            name: b"".join(_member(1, _feature(value, dtype)) for value in values)
            for name, (values, dtype) in features_datum.items()
        }
        return _member(1, _features(context_datum)) + _member(2, _map(lists))


def _features(datum: Datum) -> bytes:
    return _map({name: _feature(value, dtype) for name, (value, dtype) in datum.items()})


def _map(entries: Mapping[str, bytes]) -> bytes:
    return b"".join(_member(1, _member(1, name.encode()) + _member(2, value)) for name, value in entries.items())


def _feature(value: Any, dtype: str) -> bytes:
    values = value if isinstance(value, (list, tuple, np.ndarray)) else [value]
    if dtype == "byte":
        return _member(1, b"".join(_member(1, _bytes(item)) for item in values))
    if dtype == "float":
        return _member(2, _packed(struct.pack(f"<{len(values)}f", *values)))
    if dtype == "int":
        return _member(3, _packed(b"".join(_varint(item) for item in _integers(values))))
    raise KeyError(dtype)


def _bytes(value: Any) -> bytes:
    if not isinstance(value, bytes):
        raise TypeError(f"a value of the type byte is bytes, not {type(value).__name__}")
    return value


def _integers(values: Iterable[Any]) -> Iterator[int]:
    for value in values:
        integer = operator.index(value)
        if not -(2**63) <= integer < 2**63:
            raise ValueError(f"{integer} does not fit 64 bits")
        yield integer % 2**64


def _varint(value: int) -> bytes:
    groups = bytearray()
    while value > 0x7F:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    groups.append(value)
    return bytes(groups)


def _packed(values: bytes) -> bytes:
    return _member(1, values) if values else b""


def _member(number: int, value: bytes) -> bytes:
    """Returns a field of a message: its number, its length, its bytes."""
    return _varint(number << 3 | LENGTH_DELIMITED) + _varint(len(value)) + value
