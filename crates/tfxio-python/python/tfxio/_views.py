"""Data sets that stand on another: some of its columns, or columns that are made of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from tfxio import _arguments, _lib
from tfxio._dataset import Dataset, _partition, _scanned
from tfxio._lib import BatchReader, Partition, Request, Schema
from tfxio._storage import Storage


class View(Dataset):
    """A data set that stands on another, with its rows and partitions."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._of_process: tuple[int, _lib.Dataset] | None = None

    def _made_native(self, native: _lib.Dataset) -> _lib.Dataset:
        """Returns the native data set, given that below."""
        raise NotImplementedError

    @property
    def _native_dataset(self) -> _lib.Dataset:
        process = os.getpid()
        if self._of_process is None or self._of_process[0] != process:
            self._of_process = process, self._made_native(self._dataset._native_dataset)
        return self._of_process[1]

    @property
    def schema(self) -> Schema:
        """The names and types of the columns."""
        return self._native_dataset.schema

    def partitions(self, target_bytes: int = 64 << 20) -> list[Partition]:
        """Plans parts of about `target_bytes` bytes: those of the data set below."""
        return self._native_dataset.partitions(_arguments.integer("target_bytes", target_bytes))

    def scan(self, partition: Partition, request: Request | None = None) -> BatchReader:
        """Reads a partition."""
        return self._native_dataset.scan(_partition(partition), _scanned(request))

    @property
    def _on_error(self) -> str:  # type: ignore[override]
        return self._dataset._on_error

    def _reached_by(self) -> Storage:
        return self._dataset._reached_by()

    def __repr__(self) -> str:
        return super().__repr__().replace(type(self).__name__, Dataset.__name__, 1)


class Selection(View):
    """Some columns of a data set, under the same names or others. Made by `Dataset.select` and `Dataset.rename`."""

    def __init__(self, dataset: Dataset, columns: Iterable[tuple[str, str]]) -> None:
        super().__init__(dataset)
        self._columns = list(columns)
        # Columns that do not exist are an error now.
        _ = self._native_dataset

    def _made_native(self, native: _lib.Dataset) -> _lib.Dataset:
        return native.select(self._columns)

    def __reduce__(self) -> tuple[Any, ...]:
        return Selection, (self._dataset, self._columns)


def selected(dataset: Dataset, columns: Any) -> Selection:
    """Returns the columns of these names; of a dict, each under its key."""
    if isinstance(columns, Mapping):
        text = _arguments.text
        pairs = [(text("a name in columns", new), text(f"columns[{new!r}]", old)) for new, old in columns.items()]
    else:
        pairs = [(name, name) for name in _arguments.names("columns", columns)]
    return Selection(dataset, pairs)


def renamed(dataset: Dataset, names: Any) -> Selection:
    """Returns all columns, some of them under other names."""
    given = _arguments.mapping("names", "a dict of new names by the names that columns have", names)
    new = {_arguments.text("a name in names", old): _arguments.text(f"names[{old!r}]", name) for old, name in given.items()}
    known = dataset._native_dataset.schema.names
    # One that does not exist is an error with the nearest name.
    return Selection(dataset, [(new.get(name, name), name) for name in known] + [(new[name], name) for name in new if name not in known])
