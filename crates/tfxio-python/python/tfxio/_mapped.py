"""Data sets with columns that a function of Python makes of others, and with the rows that one keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tfxio import _arguments, _lib
from tfxio._dataset import Dataset
from tfxio._lib import Schema
from tfxio._map_function import Function, Given, Predicate
from tfxio._views import Changed, View, selected

#: Rows from which the types of columns are found out.
LOOKED_AT = 64


class MappedDataset(View):
    """A data set with columns that a function makes. Made by `Dataset.map`."""

    def __init__(self, dataset: Dataset, function: Function, columns: Iterable[str] | None, schema: Any, workers: int = 0) -> None:
        super().__init__(dataset)
        names = dataset._native_dataset.schema.names if columns is None else _arguments.names("columns", columns)
        self._takes = list(dict.fromkeys(names))
        self._function = function
        self._workers = _arguments.integer("workers", workers)
        self._pickled = self._in_processes() if self._workers > 0 else None
        self._made = self._look() if schema is None else Schema.from_arrow(schema)
        # Columns that do not exist are an error now.
        _ = self._native_dataset

    def _in_processes(self) -> bytes:
        from tfxio import _processes

        function = self._function
        return _processes.pickled(function, function.function, f"{function.method}(workers={self._workers})")

    def _look(self) -> Schema:
        """Returns the columns that the function makes, by the first rows."""
        batch = next(self._dataset.read(columns=self._takes, limit=LOOKED_AT, batch_size=LOOKED_AT), None)
        if batch is None:
            raise ValueError("the data set has no rows to call the function with: give schema=, the columns that it makes")
        return self._function.made(batch, None).schema

    def _made_native(self, native: _lib.Dataset) -> _lib.Dataset:
        # What is native does not hold the data set itself: the garbage collector does not look into it.
        function, made, processes = self._function, self._made, None
        if self._pickled is not None:
            from tfxio import _processes

            processes = _processes.Processes(self._pickled, self._workers)
        return native.mapped(lambda batch: function.made(batch, made, processes), self._takes, made)

    def __reduce__(self) -> tuple[Any, ...]:
        return MappedDataset, (self._dataset, self._function, self._takes, self._made, self._workers)


def filtered(
    dataset: Dataset, function: Callable[..., Any], columns: Iterable[str] | None, given: Given, workers: int, seed: int | None
) -> Dataset:
    """Returns the rows that a function keeps: by a column that it makes, which the data set does not show."""
    from tfxio import _columns

    known = dataset._native_dataset.schema.names
    name = "kept"
    while name in known:
        name += "_"
    made = _columns.batch({name: [True]}).schema
    mapped = MappedDataset(dataset, Predicate(function, given, seed, name), columns, made, workers)
    return selected(Changed(mapped, "filter", (f'"{name}" = true',)), known)
