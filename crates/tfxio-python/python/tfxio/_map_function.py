"""Functions of rows: what they are given of a batch, and what they make of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from tfxio import _arguments, _columns, _given, _random
from tfxio._lib import RecordBatch, Schema

if TYPE_CHECKING:
    from tfxio._processes import Processes

#: What a function is given.
Given: TypeAlias = Literal["numpy", "torch", "arrow", "rows"]
GIVEN = ("numpy", "torch", "arrow", "rows")
#: A batch as a process gets it, the columns that are made of it, if they are known, and the records from which random numbers follow.
Asked: TypeAlias = "tuple[RecordBatch, Schema | None, list[tuple[int, int]] | None]"


class OfRow(Exception):
    """An error of one of several rows."""

    def __init__(self, row: int, error: BaseException) -> None:
        super().__init__(row)
        self.row, self.error = row, error


class Function:
    """A function of rows, what it is given of them, and the method that it is an argument of.

    One that has an argument `rng` gets random numbers for each row, which follow from a seed and the record. Those of a batch would depend
    on where batches are cut, which threads and orders decide.
    """

    def __init__(self, function: Callable[..., Any], given: Given, seed: int | None = None, method: str = "map") -> None:
        if not callable(function):
            raise _arguments.refused(method, "a function of rows", function)
        self.function, self.given, self.method = function, _given.known(given, GIVEN), method
        self._draws = _random.takes_rng(function)
        if self._draws and given != "rows":
            what = f'{method} gives random numbers (rng) to functions of rows: give given="rows"'
            raise ValueError(f"{what}, since those of a batch would depend on where batches are cut; loader.map gives each batch its own")
        if seed is not None and not self._draws:
            raise ValueError(f"seed is that of random numbers, and the function that {method} is given has no argument rng")
        self._seed = _arguments.integer("seed", 0 if seed is None else seed)

    def made(self, batch: RecordBatch, like: Schema | None, processes: Processes | None = None) -> RecordBatch:
        """Returns what the function makes of a batch: the columns of a schema, where that is known."""
        found: BaseException
        try:
            asked: Asked = batch, like, _records(batch) if self._draws else None
            # A process that is just being made does not know yet that it may have none.
            if processes is None or not processes.can_start():
                return self(asked)
            made: RecordBatch = processes.call(asked).value
            return made
        except OfRow as error:
            found, where = error.error, _origin(batch, error.row)
        except BaseException as error:
            found, where = error, f"{_origin(batch, 0)} to {_origin(batch, batch.num_rows - 1)}"
        found.add_note(f"in {self.method}, of {where}{_unknown(found, batch)}")
        raise found

    def __call__(self, asked: Asked) -> RecordBatch:
        """Returns what the function makes of a batch, in whatever process.

        Raises:
            OfRow: It failed at a row.
        """
        batch, like, records = asked
        if self.given == "rows":
            made = self._of_rows(batch, like, records)
        else:
            made = self.function(_given.of_columns(batch, self.given))
        return self._columns(made, like, batch.num_rows)

    def _of_rows(self, batch: RecordBatch, like: Schema | None, records: list[tuple[int, int]] | None) -> Any:
        """Returns what the function makes of all rows, each given by itself."""
        names = None if like is None else like.names
        rows: list[Any] = []
        for at, row in enumerate(batch.to_pylist()):
            try:
                made = self.function(row) if records is None else self.function(row, rng=_random.generator((self._seed, *records[at])))
                names = self._checked(made, names)
            except BaseException as error:
                raise OfRow(at, error) from None
            rows.append(made)
        return self._together(rows, names)

    def _checked(self, made: Any, names: list[str] | None) -> list[str] | None:
        """Returns the columns that the function makes of each row, by one of them."""
        if not isinstance(made, Mapping):
            raise _arguments.refused(f"what {self.method} returns of a row", "a dict of columns", made)
        names = list(made) if names is None else names
        if set(made) != set(names):
            raise ValueError(f"{self.method} returned the columns {list(made)}, and of other rows {names}")
        return names

    def _together(self, rows: list[Any], names: list[str] | None) -> Any:
        return {name: [row[name] for row in rows] for name in names or ()}

    def _columns(self, made: Any, like: Schema | None, rows: int) -> RecordBatch:
        """Returns what the function has returned as a batch."""
        if isinstance(made, RecordBatch):
            return made
        if isinstance(made, Mapping):
            return _columns.batch(made, like=like, copies=True)
        if _columns.is_of_arrow(made, "__arrow_c_array__"):
            return RecordBatch.from_arrow(made)
        raise _arguments.refused(f"what {self.method} returns", "a dict of columns, or a batch of Arrow", made)


class Predicate(Function):
    """A function that says of each row whether it is kept, as a column of that."""

    def __init__(self, function: Callable[..., Any], given: Given, seed: int | None, name: str) -> None:
        super().__init__(function, given, seed, "filter")
        self._name = name

    def _checked(self, made: Any, names: list[str] | None) -> list[str] | None:
        if not isinstance(made, bool) and type(made).__name__ not in ("bool", "bool_"):
            raise _arguments.refused("what filter returns of a row", "a bool", made)
        return names

    def _together(self, rows: list[Any], names: list[str] | None) -> Any:
        return [bool(row) for row in rows]

    def _columns(self, made: Any, like: Schema | None, rows: int) -> RecordBatch:
        wanted = "a bool for each row, as a list, an array or a column of Arrow"
        if isinstance(made, (str, bytes, Mapping, RecordBatch)) or not hasattr(made, "__len__"):
            raise _arguments.refused("what filter returns", wanted, made)
        if len(made) != rows:
            raise ValueError(f"filter returned {len(made)} values for {rows} rows: return {wanted}")
        kept = _columns.column(self._name, made, copies=True)
        if kept.type != "Boolean" and rows > 0:
            raise TypeError(f"what filter returns is {wanted}, not of the type {kept.type}")
        return _columns.batch({self._name: kept if rows > 0 else []}, like=like)


def _records(batch: RecordBatch) -> list[tuple[int, int]]:
    """Returns the file of each row, as a number, and its number there."""
    files: dict[str, int] = {}
    records: list[tuple[int, int]] = []
    for row in range(batch.num_rows):
        origin = batch.origin(row)
        if origin is None or origin[1] is None:
            raise ValueError("random numbers (rng) follow from the number of a record in its file, and those of this data set have none")
        file = files.get(origin[0])
        if file is None:
            file = files[origin[0]] = _random.of_file(origin[0])
        records.append((file, origin[1]))
    return records


def _unknown(error: BaseException, batch: RecordBatch) -> str:
    """Returns which columns a function is given, where it may have asked for another one."""
    is_unknown = isinstance(error, KeyError) and error.args[:1] not in [(name,) for name in batch.schema.names]
    return f"; the columns that it is given are {', '.join(batch.schema.names)}" if is_unknown else ""


def _origin(batch: RecordBatch, row: int) -> str:
    """Returns how a row is named."""
    origin = batch.origin(row) if 0 <= row < batch.num_rows else None
    return f"row {row} of a batch" if origin is None else f"record {origin[1]} of {origin[0]}"
