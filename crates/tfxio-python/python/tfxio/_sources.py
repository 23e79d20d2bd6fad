"""What is written: tables, frames, dicts and iterables as batches."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any

from tfxio import _arguments, _columns, _lib
from tfxio._dataset import Dataset
from tfxio._lib import BatchReader, DenseTensor, LoadedBatch, RaggedTensor, RecordBatch, Schema
from tfxio._reading import needed
from tfxio._warning import LossWarning, warn

#: Rows from which the types of columns are found out, and those of the batches after them.
FIRST_ROWS = 8192
BATCH_ROWS = 1024

WANTED = (
    "a table or frame (of pyarrow, polars, pandas, or anything with __arrow_c_stream__), a data set or reader of tfxio, "
    "a dict of columns, or an iterable of rows (dicts) or of batches"
)


def source(data: Any, batched: bool | None, threads: int) -> tuple[Any, Schema | None]:
    """Returns what gives the batches, and their schema where it is an iterator of them."""
    if isinstance(data, type):
        raise _arguments.refused("data", WANTED, data)
    if _library(data) == "pandas" and hasattr(data, "columns"):
        data = _of_pandas(data)
    if _library(data) == "polars" and hasattr(data, "collect") and not _columns.is_of_arrow(data, "__arrow_c_stream__"):
        data = data.collect()
    if _library(data) in ("pandas", "polars") and hasattr(data, "to_frame"):
        raise TypeError("data is a series, which is one column: give a dict, as {NAME: series}")
    if _library(data) == "pyarrow" and not hasattr(data, "schema") and not str(getattr(data, "type", "struct")).startswith("struct"):
        raise TypeError("data is an array, whose column has no name: give a dict, as {NAME: array}")
    if isinstance(data, Dataset):
        return data.read(threads=threads), None
    if isinstance(data, BatchReader) or _columns.is_of_arrow(data, "__arrow_c_stream__"):
        return data, None
    if isinstance(data, (str, bytes, bytearray, os.PathLike)):
        raise TypeError(f"data is {WANTED}, not {_arguments.shown(data)}; files are converted by tfxio.convert")
    if (batch := _batch(data, None, 0)) is not None:
        return iter([batch]), batch.schema
    if not isinstance(data, Iterable):
        raise _arguments.refused("data", WANTED, data)
    if hasattr(data, "dtype") or hasattr(data, "ndim"):
        raise TypeError("data is an array, whose column has no name: give a dict, as {NAME: array}")
    return _of_iterable(data, batched)


def _library(value: Any) -> str:
    return type(value).__module__.partition(".")[0]


def _of_pandas(frame: Any) -> Any:
    """Returns a frame of pandas as a table of pyarrow. An index with a name is a column of it."""
    pyarrow, pandas = needed("pyarrow", "pandas"), needed("pandas", "pandas")
    index = frame.index
    is_named = any(name is not None for name in index.names)
    counts_rows = isinstance(index, pandas.RangeIndex) and (index.start, index.step) == (0, 1)
    if not is_named and not counts_rows:
        warn("the index of the frame has no name, and is not written: name it, or write frame.reset_index()", LossWarning)
    return pyarrow.Table.from_pandas(frame, preserve_index=is_named)


def _batch(item: Any, like: Schema | None, first: int, copies: bool = False) -> RecordBatch | None:
    """Returns what is a batch for certain, `None` for what is not."""
    if isinstance(item, RecordBatch):
        return item
    if isinstance(item, LoadedBatch):
        tensors = {**item.inputs(), **item.targets()}
        return _columns.batch(tensors, like=like, first=first)
    if isinstance(item, Mapping):
        is_one = like is None and first == 0 and not copies
        is_of_tensors = bool(item) and all(isinstance(value, (DenseTensor, RaggedTensor)) for value in item.values())
        return _columns.batch(item, like=like, first=first, copies=copies) if is_one or is_of_tensors else None
    if _columns.is_of_arrow(item, "__arrow_c_array__"):
        return RecordBatch.from_arrow(item)
    return None


def _of_iterable(data: Iterable[Any], batched: bool | None) -> tuple[Iterator[RecordBatch], Schema]:
    """Returns the batches of an iterable, and the schema of the first."""
    items = iter(data)
    try:
        first = next(items)
    except StopIteration:
        raise ValueError("data has no rows, and nothing says which columns it has: give a table, or a dict of columns") from None
    items = chain([first], items)
    if isinstance(first, Mapping) and not _is_of_tensors(first):
        is_batch = _is_batch(first, batched, data)
        batches = _of_columns(items) if is_batch else _of_rows(items)
    else:
        if _library(first) not in ("pandas",) and not _is_batch_of_others(first):
            raise TypeError(f"data gives {_arguments.shown(first)}, and may give {'dicts' if batched else 'rows or batches: dicts'}, or batches of Arrow")
        batches = _of_batches(items)
    begin = next(batches)
    return chain([begin], batches), begin.schema


def _is_of_tensors(item: Mapping[str, Any]) -> bool:
    return bool(item) and all(isinstance(value, (DenseTensor, RaggedTensor)) for value in item.values())


def _is_batch_of_others(item: Any) -> bool:
    return isinstance(item, (RecordBatch, LoadedBatch, Mapping)) or any(
        _columns.is_of_arrow(item, method) for method in ("__arrow_c_array__", "__arrow_c_stream__")
    )


def _is_batch(item: Mapping[str, Any], batched: bool | None, data: Any) -> bool:
    """Returns whether a dict is a batch of columns, and not a row."""
    if batched is not None:
        return batched
    if type(data).__name__ == "DataLoader" and _library(data) == "torch" and getattr(data, "batch_size", None) is not None:
        return True
    arrays = [_columns.as_numpy("", value) for value in item.values()]
    sized = [array if array is None or array.ndim else None for array in arrays]
    lengths = {
        len(array) if array is not None else len(value) if isinstance(value, (list, tuple)) else None
        for array, value in zip(sized, item.values())
    }
    # Lists alone are those of rows.
    if all(array is None for array in sized) or None in lengths or len(lengths) > 1:
        return False
    length = lengths.pop()
    raise TypeError(
        f"data gives dicts of arrays of {length:,} values, which may be a batch of {length:,} rows or one row: "
        "give batched=True or batched=False"
    )


def _of_columns(items: Iterable[Any]) -> Iterator[RecordBatch]:
    """Yields batches of dicts of columns."""
    like, rows = None, 0
    for item in items:
        if not isinstance(item, Mapping):
            raise TypeError(f"data gives {_arguments.shown(item)} after dicts of columns")
        batch = _columns.batch(item, like=like, first=rows, copies=True)
        like, rows = batch.schema, rows + batch.num_rows
        yield batch


def _of_batches(items: Iterable[Any]) -> Iterator[RecordBatch]:
    """Yields batches of batches, tables and frames."""
    like, rows = None, 0
    for item in items:
        if _library(item) == "pandas":
            item = _of_pandas(item)
        whole = _batch(item, like, rows, copies=True)
        if whole is None and not _columns.is_of_arrow(item, "__arrow_c_stream__"):
            raise TypeError(f"data gives {_arguments.shown(item)} after batches")
        reader = [whole] if whole is not None else BatchReader.from_arrow(item)
        for batch in reader:
            like, rows = batch.schema if like is None else like, rows + batch.num_rows
            yield batch


def _of_rows(items: Iterable[Any]) -> Iterator[RecordBatch]:
    """Yields batches of rows. The first rows say which columns there are, and of which types."""
    like, number = None, 0
    items = iter(items)
    while rows := list(islice(items, FIRST_ROWS if like is None else BATCH_ROWS)):
        for at, row in enumerate(rows, number):
            if not isinstance(row, Mapping):
                raise TypeError(f"row {at} of data is {_arguments.shown(row)}, and others are dicts")
        names = list(dict.fromkeys(chain.from_iterable(rows))) if like is None else like.names
        if like is not None:
            _known(rows, names, number)
        columns = {_arguments.text("the name of a column", name): [row.get(name) for row in rows] for name in names}
        if columns:
            batch = _columns.batch(columns, like=like, first=number)
        else:
            batch = _lib.batch_of_columns([], [], len(rows), like, number)
        like, number = batch.schema if like is None else like, number + len(rows)
        yield batch


def _known(rows: list[Mapping[str, Any]], names: list[str], number: int) -> None:
    known = set(names)
    for at, row in enumerate(rows, number):
        if not row.keys() <= known:
            further = next(name for name in row if name not in known)
            raise ValueError(
                f"row {at} of data has the column {further!r}, which the first {FIRST_ROWS:,} rows do not have: "
                "give one of these the column, with None for no value"
            )
