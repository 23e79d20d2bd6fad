"""Data sets that stand on others: some columns or rows of one, casts of its columns, or several as one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from tfxio import _arguments, _lib
from tfxio._dataset import Dataset
from tfxio._lib import BatchReader, Partition, Request, Schema
from tfxio._literals import OnError
from tfxio._storage import Storage
from tfxio._tensors import partition_of, scanned


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
        return self._native_dataset.scan(partition_of(partition), scanned(request))

    @property
    def _on_error(self) -> OnError:  # type: ignore[override]
        return self._dataset._on_error

    def _reached_by(self) -> Storage:
        return self._dataset._reached_by()

    def __repr__(self) -> str:
        return super().__repr__().replace(type(self).__name__, Dataset.__name__, 1)


class Changed(View):
    """A data set that a method of the native one makes of another: `Dataset.select`, `filter`, `take`, `cast` and their like."""

    def __init__(self, dataset: Dataset, method: str, arguments: Sequence[Any]) -> None:
        super().__init__(dataset)
        self._method, self._arguments = method, tuple(arguments)
        # What does not fit the data set is an error now.
        _ = self._native_dataset

    def _made_native(self, native: _lib.Dataset) -> _lib.Dataset:
        made: _lib.Dataset = getattr(native, self._method)(*self._arguments)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Changed, (self._dataset, self._method, self._arguments)


class Together(View):
    """Several data sets as one: `Dataset.concat` and `Dataset.zip`."""

    def __init__(self, dataset: Dataset, others: Sequence[Dataset], *, zips: bool) -> None:
        super().__init__(dataset)
        self._others, self._zips = list(others), zips
        if any(other._on_error != dataset._on_error for other in self._others):
            raise ValueError("some of the data sets skip damaged records and others do not: open all with the same on_error")
        # Columns that do not fit are an error now.
        _ = self._native_dataset

    def _made_native(self, native: _lib.Dataset) -> _lib.Dataset:
        others = [other._native_dataset for other in self._others]
        return native.zip(others[0]) if self._zips else native.concat(others)

    def __reduce__(self) -> tuple[Any, ...]:
        return _together, (self._dataset, self._others, self._zips)


def _together(dataset: Dataset, others: Sequence[Dataset], zips: bool) -> Together:
    return Together(dataset, others, zips=zips)


def other(name: str, dataset: Any) -> Dataset:
    """Returns a data set that is put together with another."""
    if not isinstance(dataset, Dataset):
        raise _arguments.refused(name, "a data set, as tfxio.open returns it", dataset)
    return dataset


def casts(given: Any) -> list[tuple[str, str]]:
    """Returns pairs of the names of columns and of types."""
    types = _arguments.mapping("types", "a dict of the types of columns by their names", given)
    return [(_arguments.text("a column in types", name), _arguments.text(f"types[{name!r}]", to)) for name, to in types.items()]


def selected(dataset: Dataset, columns: Any) -> Changed:
    """Returns the columns of these names; of a dict, each under its key."""
    if isinstance(columns, Mapping):
        text = _arguments.text
        pairs = [(text("a name in columns", new), text(f"columns[{new!r}]", old)) for new, old in columns.items()]
    else:
        pairs = [(name, name) for name in _arguments.names("columns", columns)]
    return Changed(dataset, "select", (pairs,))


def renamed(dataset: Dataset, names: Any) -> Changed:
    """Returns all columns, some of them under other names."""
    given = _arguments.mapping("names", "a dict of new names by the names that columns have", names)
    new = {_arguments.text("a name in names", old): _arguments.text(f"names[{old!r}]", name) for old, name in given.items()}
    known = dataset._native_dataset.schema.names
    # One that does not exist is an error with the nearest name.
    pairs = [(new.get(name, name), name) for name in known] + [(new[name], name) for name in new if name not in known]
    return Changed(dataset, "select", (pairs,))
