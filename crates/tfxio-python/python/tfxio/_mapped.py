"""Data sets with columns that a function of Python makes of others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, TypeAlias

from tfxio import _arguments, _columns, _lib
from tfxio._dataset import Dataset
from tfxio._lib import RecordBatch, Schema
from tfxio._views import View

#: What a function is given.
Given: TypeAlias = Literal["numpy", "arrow", "rows"]
GIVEN = ("numpy", "arrow", "rows")

#: Rows from which the types of columns are found out.
LOOKED_AT = 64


class MappedDataset(View):
    """A data set with columns that a function makes. Made by `Dataset.map`."""

    def __init__(self, dataset: Dataset, function: Callable[..., Any], columns: Iterable[str] | None, given: Given, schema: Any) -> None:
        super().__init__(dataset)
        if not callable(function):
            raise _arguments.refused("map", "a function of rows", function)
        if given not in GIVEN:
            raise ValueError(f'given is "numpy", "arrow" or "rows", not {given!r}')
        names = dataset._native_dataset.schema.names if columns is None else _arguments.names("columns", columns)
        self._takes = list(dict.fromkeys(names))
        self._function = _Function(function, given)
        self._made = self._look() if schema is None else Schema.from_arrow(schema)
        # Columns that do not exist are an error now.
        _ = self._native_dataset

    def _look(self) -> Schema:
        """Returns the columns that the function makes, by the first rows."""
        batch = next(self._dataset.read(columns=self._takes, limit=LOOKED_AT, batch_rows=LOOKED_AT), None)
        if batch is None:
            raise ValueError("the data set has no rows to call the function with: give schema=, the columns that it makes")
        return self._function.made(batch, None).schema

    def _made_native(self, native: _lib.Dataset) -> _lib.Dataset:
        # What is native does not hold the data set itself: the garbage collector does not look into it.
        function, made = self._function, self._made
        return native.mapped(lambda batch: function.made(batch, made), self._takes, made)

    def __reduce__(self) -> tuple[Any, ...]:
        return MappedDataset, (self._dataset, self._function.function, self._takes, self._function.given, self._made)


class _Function:
    """A function of rows, and what it is given of them."""

    def __init__(self, function: Callable[..., Any], given: Given) -> None:
        self.function, self.given = function, given

    def made(self, batch: RecordBatch, like: Schema | None) -> RecordBatch:
        """Returns what the function makes of a batch: the columns of a schema, where that is known."""
        if self.given == "rows":
            return self._of_rows(batch, like)
        try:
            given: Any = batch
            if self.given == "numpy":
                given = {name: batch[name].to_numpy() for name in batch.schema.names}
            return _made(self.function(given), like)
        except BaseException as error:
            error.add_note(f"in map, of {_origin(batch, 0)} to {_origin(batch, batch.num_rows - 1)}{_unknown(error, batch)}")
            raise

    def _of_rows(self, batch: RecordBatch, like: Schema | None) -> RecordBatch:
        names = None if like is None else like.names
        rows: list[Mapping[str, Any]] = []
        for at, row in enumerate(batch.to_pylist()):
            try:
                made = self.function(row)
                if not isinstance(made, Mapping):
                    raise _arguments.refused("what map returns of a row", "a dict of columns", made)
                names = list(made) if names is None else names
                if set(made) != set(names):
                    raise ValueError(f"map returned the columns {list(made)}, and of other rows {names}")
            except BaseException as error:
                error.add_note(f"in map, of {_origin(batch, at)}{_unknown(error, batch)}")
                raise
            rows.append(made)
        return _made({name: [row[name] for row in rows] for name in names or ()}, like)


def _made(made: Any, like: Schema | None) -> RecordBatch:
    """Returns what a function has returned as a batch."""
    if isinstance(made, RecordBatch):
        return made
    if isinstance(made, Mapping):
        return _columns.batch(made, like=like, copies=True)
    if _columns.is_of_arrow(made, "__arrow_c_array__"):
        return RecordBatch.from_arrow(made)
    raise _arguments.refused("what map returns", "a dict of columns, or a batch of Arrow", made)


def _unknown(error: BaseException, batch: RecordBatch) -> str:
    """Returns which columns a function is given, where it may have asked for another one."""
    is_unknown = isinstance(error, KeyError) and error.args[:1] not in [(name,) for name in batch.schema.names]
    return f"; the columns that it is given are {', '.join(batch.schema.names)}" if is_unknown else ""


def _origin(batch: RecordBatch, row: int) -> str:
    """Returns how a row is named."""
    origin = batch.origin(row) if 0 <= row < batch.num_rows else None
    return f"row {row} of a batch" if origin is None else f"record {origin[1]} of {origin[0]}"
