"""What reads the rows of a data set: batches, tables of other libraries, rows. All of it takes the same keywords, which a test compares."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from tfxio import _arguments, _expressions, _lib, _threads
from tfxio._expressions import Condition
from tfxio._lib import BatchReader, RecordBatch, Request
from tfxio._literals import OnError

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

Path: TypeAlias = str | Sequence[str]
#: All columns that can be, none, or those of these names.
Columns: TypeAlias = bool | Iterable[str]

#: Rows a batch, where nothing else is asked for.
BATCH_SIZE = 1024


class Reading:
    """The methods of a data set that read its rows."""

    @property
    def _native_dataset(self) -> _lib.Dataset:
        return _lib.wrap(self)

    def _valued(self, scalars: Columns, text: Columns) -> _lib.Dataset:
        """Returns the data set with further columns that are scalars and text."""
        chosen = _arguments.all_or_names("scalars", scalars), _arguments.all_or_names("text", text)
        return self._native_dataset.values(*chosen) if any(chosen) else self._native_dataset

    @_arguments.suggests
    def read(
        self,
        *,
        columns: Iterable[Path] | None = None,
        filter: Condition | None = None,
        batch_size: int | None = None,
        limit: int | None = None,
        threads: int = 0,
        on_error: OnError | None = None,
        scalars: Columns = False,
        text: Columns = False,
        batch_rows: int | None = None,
    ) -> BatchReader:
        """Reads the rows in order: an iterator of batches, and a stream of Arrow.

        >>> import tempfile, tfxio
        >>> written = tfxio.write({"label": [7, 1, 7]}, tempfile.mkdtemp() + "/labels.tfrecord")
        >>> ds = tfxio.open(written.files)
        >>> next(ds.read(columns=["label"], filter="label = 7")).to_pylist()
        [{'label': [7]}, {'label': [7]}]
        >>> next(ds.read(limit=2, scalars=True)).to_pydict()
        {'label': [7, 1]}
        """
        request = request_of(
            columns=columns, filter=filter, batch_size=batch_size, limit=limit, threads=threads, on_error=on_error,
            batch_rows=batch_rows,
        )
        return self._valued(scalars, text).read(request)

    @_arguments.suggests
    async def aread(
        self,
        *,
        columns: Iterable[Path] | None = None,
        filter: Condition | None = None,
        batch_size: int | None = None,
        limit: int | None = None,
        threads: int = 0,
        on_error: OnError | None = None,
        scalars: Columns = False,
        text: Columns = False,
        batch_rows: int | None = None,
    ) -> AsyncIterator[RecordBatch]:
        """Reads the rows in order without blocking the event loop. The arguments are those of `read`.

        >>> import asyncio, tempfile, tfxio
        >>> written = tfxio.write({"label": [7, 1, 7]}, tempfile.mkdtemp() + "/labels.tfrecord")
        >>> async def rows():
        ...     return sum([batch.num_rows async for batch in tfxio.open(written.files).aread()])
        >>> asyncio.run(rows())
        3
        """
        reader = await asyncio.to_thread(
            self.read,
            columns=columns, filter=filter, batch_size=batch_size, limit=limit, threads=threads, on_error=on_error,
            scalars=scalars, text=text, batch_rows=batch_rows,
        )
        try:
            while (batch := await asyncio.to_thread(next, reader, None)) is not None:
                yield batch
        finally:
            reader.close()

    @_arguments.suggests
    def to_arrow(
        self,
        *,
        columns: Iterable[Path] | None = None,
        filter: Condition | None = None,
        batch_size: int | None = None,
        limit: int | None = None,
        threads: int = 0,
        on_error: OnError | None = None,
        scalars: Columns = False,
        text: Columns = False,
        batch_rows: int | None = None,
    ) -> pyarrow.Table:
        """Reads all rows as a table of pyarrow. The arguments are those of `read`."""
        stream = needed("pyarrow", "pyarrow").RecordBatchReader.from_stream
        reader = self.read(
            columns=columns, filter=filter, batch_size=batch_size, limit=limit, threads=threads, on_error=on_error,
            scalars=scalars, text=text, batch_rows=batch_rows,
        )
        table: pyarrow.Table = _made(reader, lambda reader: stream(reader).read_all())
        return table

    @_arguments.suggests
    def to_pandas(
        self,
        *,
        columns: Iterable[Path] | None = None,
        filter: Condition | None = None,
        batch_size: int | None = None,
        limit: int | None = None,
        threads: int = 0,
        on_error: OnError | None = None,
        scalars: Columns = False,
        text: Columns = False,
        batch_rows: int | None = None,
    ) -> pandas.DataFrame:
        """Reads all rows as a frame of pandas, by way of pyarrow. The arguments are those of `read`."""
        for library in ("pyarrow", "pandas"):
            needed(library, "pandas")
        table = self.to_arrow(
            columns=columns, filter=filter, batch_size=batch_size, limit=limit, threads=threads, on_error=on_error,
            scalars=scalars, text=text, batch_rows=batch_rows,
        )
        return table.to_pandas()

    @_arguments.suggests
    def to_polars(
        self,
        *,
        columns: Iterable[Path] | None = None,
        filter: Condition | None = None,
        batch_size: int | None = None,
        limit: int | None = None,
        threads: int = 0,
        on_error: OnError | None = None,
        scalars: Columns = False,
        text: Columns = False,
        batch_rows: int | None = None,
    ) -> polars.DataFrame:
        """Reads all rows as a frame of polars. The arguments are those of `read`."""
        library = needed("polars", "polars")
        reader = self.read(
            columns=columns, filter=filter, batch_size=batch_size, limit=limit, threads=threads, on_error=on_error,
            scalars=scalars, text=text, batch_rows=batch_rows,
        )
        frame: polars.DataFrame = _made(reader, library.DataFrame)
        return frame

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.read().__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._native_dataset.schema.__arrow_c_schema__()

    @_arguments.suggests
    def head(
        self,
        rows: int = 10,
        *,
        columns: Iterable[Path] | None = None,
        filter: Condition | None = None,
        batch_size: int | None = None,
        threads: int = 0,
        on_error: OnError | None = None,
        scalars: Columns = False,
        text: Columns = False,
        batch_rows: int | None = None,
    ) -> list[dict[str, Any]]:
        """Returns the first rows as dictionaries.

        >>> import tempfile, tfxio
        >>> written = tfxio.write({"label": [7, 1, 7]}, tempfile.mkdtemp() + "/labels.tfrecord")
        >>> ds = tfxio.open(written.files, scalars=True)
        >>> ds.head(2, columns=["label"])
        [{'label': 7}, {'label': 1}]
        """
        reader = self.read(
            limit=_arguments.integer("rows", rows),
            columns=columns, filter=filter, batch_size=batch_size, threads=threads, on_error=on_error,
            scalars=scalars, text=text, batch_rows=batch_rows,
        )
        return rows_of(reader)

    @_arguments.suggests
    def tail(
        self,
        rows: int = 10,
        *,
        columns: Iterable[Path] | None = None,
        filter: Condition | None = None,
        batch_size: int | None = None,
        limit: int | None = None,
        threads: int = 0,
        on_error: OnError | None = None,
        scalars: Columns = False,
        text: Columns = False,
        batch_rows: int | None = None,
    ) -> list[dict[str, Any]]:
        """Returns the last rows as dictionaries."""
        request = request_of(
            columns=columns, filter=filter, batch_size=batch_size, limit=limit, threads=threads, on_error=on_error,
            batch_rows=batch_rows,
        )
        return rows_of(self._valued(scalars, text).tail(request, _arguments.integer("rows", rows)))

    @_arguments.suggests
    def sample(
        self,
        rows: int,
        *,
        seed: int = 0,
        columns: Iterable[Path] | None = None,
        filter: Condition | None = None,
        batch_size: int | None = None,
        limit: int | None = None,
        threads: int = 0,
        on_error: OnError | None = None,
        scalars: Columns = False,
        text: Columns = False,
        batch_rows: int | None = None,
    ) -> BatchReader:
        """Reads rows that are drawn at random, each with the same probability, in their order. A seed gives the same rows."""
        rows, seed = _arguments.integer("rows", rows), _arguments.integer("seed", seed)
        request = request_of(
            columns=columns, filter=filter, batch_size=batch_size, limit=limit, threads=threads, on_error=on_error,
            batch_rows=batch_rows,
        )
        return self._valued(scalars, text).sample(request, rows, seed)


def request_of(
    *,
    columns: Iterable[Path] | None = None,
    filter: Condition | None = None,
    batch_size: int | None = None,
    limit: int | None = None,
    threads: int = 0,
    on_error: OnError | None = None,
    batch_rows: int | None = None,
) -> Request:
    """Returns what is asked of a scan, each argument checked."""
    _arguments.text_or_none("on_error", on_error)
    return Request(
        columns=None if columns is None else _arguments.columns("columns", columns),
        filter=_expressions.text_or_none("filter", filter),
        batch_size=size_of(batch_size, batch_rows),
        limit=_arguments.integer_or_none("limit", limit),
        threads=_threads.asked(threads),
        on_error=on_error,
    )


def size_of(batch_size: Any, batch_rows: Any) -> int:
    """Returns the rows of a batch, by whichever name they are given."""
    if batch_rows is None:
        return BATCH_SIZE if batch_size is None else _arguments.integer("batch_size", batch_size, least=1)
    if batch_size is not None:
        raise TypeError("batch_size is given twice, once as batch_rows, its other name: give batch_size alone")
    return _arguments.integer("batch_rows", batch_rows, least=1)


def needed(library: str, extra: str) -> Any:
    """Imports what a method needs."""
    try:
        return importlib.import_module(library)
    except ModuleNotFoundError as error:
        if error.name != library:
            raise
        raise ModuleNotFoundError(f"this needs {library}: pip install 'tfxio[{extra}]'", name=library) from None


def _made(reader: BatchReader, library: Callable[[BatchReader], Any]) -> Any:
    """Returns what another library makes of a reader. Its errors are raised as those of the reader, which the library gives as a text."""
    try:
        return library(reader)
    except Exception:
        if (raised := reader._raised()) is not None:
            raise raised from None
        raise


def rows_of(reader: BatchReader) -> list[dict[str, Any]]:
    """Reads all rows as dictionaries."""
    with reader:
        return [row for batch in reader for row in batch.to_pylist()]
