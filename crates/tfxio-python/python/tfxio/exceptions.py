"""The exceptions of tfxio.

Each says what is wrong, where, and what to do, and derives from the exception of Python that callers catch:

>>> import tfxio
>>> try:
...     tfxio.open("no-such-file.tfrecord")
... except FileNotFoundError as error:
...     print(error.path)
no-such-file.tfrecord
"""

from __future__ import annotations

from typing import Any

from tfxio import _hints

__all__ = [
    "CancelledError",
    "DirectoryError",
    "ExistsError",
    "InvalidArgumentError",
    "LimitExceededError",
    "MalformedError",
    "NotFoundError",
    "PermissionDeniedError",
    "ReadWriteError",
    "SchemaMismatchError",
    "SchemaRequiredError",
    "TfxioError",
    "UnsupportedError",
]


class TfxioError(Exception):
    """What all exceptions of tfxio are.

    Attributes:
        path: The file, or `None`.
        byte_offset: The byte in the uncompressed file, counted from 0, or `None`.
        record: The number of the record in the file, counted from 0, or `None`.
        column: The column, feature or tensor, or `None`.
        hint: What to do about it, or `None`.
    """

    path: str | None
    byte_offset: int | None
    record: int | None
    column: str | None
    hint: str | None

    def __init__(
        self,
        message: str,
        *,
        path: str | None = None,
        byte_offset: int | None = None,
        record: int | None = None,
        column: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(_hints.in_python(message))
        self.path = path
        self.byte_offset = byte_offset
        self.record = record
        self.column = column
        self.hint = None if hint is None else _hints.in_python(hint)

    def __str__(self) -> str:
        # `KeyError` and `OSError` write their arguments in ways of their own.
        return str(self.args[0])

    def __reduce__(self) -> tuple[Any, ...]:
        fields = {name: getattr(self, name) for name in ("path", "byte_offset", "record", "column", "hint")}
        return _rebuild, (type(self), self.args[0], fields)


def _rebuild(cls: type[TfxioError], message: str, fields: dict[str, Any]) -> TfxioError:
    return cls(message, **fields)


class ReadWriteError(TfxioError, OSError):
    """The operating system or an object store failed or refused."""


class NotFoundError(ReadWriteError, FileNotFoundError):
    """A file, an object or a folder does not exist."""


class PermissionDeniedError(ReadWriteError, PermissionError):
    """A file may not be read or written."""


class DirectoryError(ReadWriteError, IsADirectoryError):
    """A path names a directory where a file is required."""


class ExistsError(ReadWriteError, FileExistsError):
    """The output exists, and overwriting was not requested."""


class MalformedError(TfxioError, ValueError):
    """Bytes do not follow their format."""


class SchemaMismatchError(TfxioError, ValueError):
    """Data do not follow their schema, or the data before them."""


class SchemaRequiredError(TfxioError, ValueError):
    """A schema is needed, and none is known."""


class LimitExceededError(TfxioError, ValueError):
    """A bound on what data may claim was reached."""


class InvalidArgumentError(TfxioError, ValueError, KeyError):
    """A request cannot be met: an unknown column, an option out of range."""


class UnsupportedError(TfxioError, NotImplementedError):
    """This version, or this build, does not do it."""


class CancelledError(TfxioError):
    """The operation was cancelled, by `close` in another thread."""
