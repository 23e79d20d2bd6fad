"""Parts of TFRecord files: their records, and batches of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tfxio import _lib
from tfxio.exceptions import MalformedError

CHUNK_RECORDS = 1024


class Part:
    """Records of a file: each `step`-th one from the `first`-th on.

    Args:
        reader: The reader of the file.
        first: The number of the first record, counted from where the reader is.
        step: The distance from one record to the next.
        end: The number after the last record, or `None` for all.
    """

    def __init__(self, reader: _lib.TFRecordReader, first: int = 0, step: int = 1, end: int | None = None) -> None:
        self._reader = reader
        self._first = first
        self._step = step
        self._left = end

    def records(self) -> Iterator[list[bytes]]:
        """Yields the records, many at a time."""
        while records := self._read():
            if own := records[self._first :: self._step]:
                yield own
            self._pass(len(records))

    def batches(self, message: str) -> Iterator[_lib.RecordBatch]:
        """Yields batches of the records as columns. All values of a feature in a batch have the same type."""
        decoder = _decoder(message)
        while self._first >= CHUNK_RECORDS and (passed := self._read()):
            self._pass(len(passed))
        while True:
            try:
                found = self._reader.decode(decoder, self._count(), self._first, self._step)
            except ValueError:
                # What cannot be read is an error again. Features that records before do not have need other columns.
                records = self._read()
                yield from _decoded(message, records[self._first :: self._step])
                self._pass(len(records))
                decoder = _decoder(message)
                continue
            if found is None:
                return
            batch, passed_records = found
            yield batch
            self._pass(passed_records)

    def _count(self) -> int:
        return CHUNK_RECORDS if self._left is None else min(self._left, CHUNK_RECORDS)

    def _read(self) -> list[bytes]:
        try:
            return self._reader.read(self._count())
        except MalformedError as error:
            raise RuntimeError(f"Failed to read the record: {error}") from error

    def _pass(self, records: int) -> None:
        left = self._first - records
        self._first = left if left >= 0 else left % self._step
        self._left = None if self._left is None else self._left - records


def _decoder(message: str) -> _lib.RecordDecoder:
    return _lib.RecordDecoder(message, {}, _lib.Request())


def _decoded(message: str, records: Sequence[bytes]) -> Iterator[_lib.RecordBatch]:
    """Yields the records as batches: one, if all values of a feature have the same type."""
    try:
        batch = _decoder(message).decode(list(records))
    except ValueError:
        if len(records) == 1:
            raise
        # The records before the one that does not fit come out.
        half = len(records) // 2
        yield from _decoded(message, records[:half])
        yield from _decoded(message, records[half:])
        return
    yield batch
