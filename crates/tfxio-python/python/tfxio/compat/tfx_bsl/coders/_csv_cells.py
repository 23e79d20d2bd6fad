"""Cells of lines of CSV: their types, and columns of them, for a batch of lines at a time.

What a number is, Python says: `int` and `float` of the bytes of a cell. Cells that Arrow reads in the same way, which is nearly all of
them, are found by their form and read by Arrow.
"""

from __future__ import annotations

import csv
import enum
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfxio.compat.tfx_bsl.arrow.array_util import ToSingletonListArray

_LEAST, _GREATEST = -(2**63), 2**63 - 1
#: Integers that Arrow and Python read alike, all of 64 bits; likewise numbers with a fraction or an exponent.
_INTEGER = "-?[0-9]{1,18}"
_FRACTION = r"-?[0-9]{1,18}(\.[0-9]{1,18}([eE][-+]?[0-9]{1,2})?|[eE][-+]?[0-9]{1,2})"
#: What makes a cell more than what is between its delimiters.
_QUOTING = '["\r\n]'


class ColumnType(enum.IntEnum):
    """The type of a column. Of two types, the greater one has the values of both."""

    #: The column is left out.
    IGNORE = -2
    #: All cells are empty.
    UNKNOWN = -1
    INT = 0
    FLOAT = 1
    STRING = 2


ARROW_TYPES = {
    ColumnType.UNKNOWN: pa.null(),
    ColumnType.INT: pa.large_list(pa.int64()),
    ColumnType.FLOAT: pa.large_list(pa.float32()),
    ColumnType.STRING: pa.large_list(pa.large_binary()),
}


class LineReader:
    """Reads the cells of one line after the other. It can be pickled."""

    def __init__(self, delimiter: str) -> None:
        self._delimiter = delimiter
        self._line: str | None = None
        self._last = ""
        self._reader = csv.reader(self, delimiter=delimiter)

    def read(self, line: str) -> list[str]:
        """Returns the cells of a line: none, if it is blank.

        Raises:
            ValueError: A quote is open at its end.
        """
        self._line = self._last = line
        return next(self._reader)

    def __iter__(self) -> LineReader:
        return self

    def __next__(self) -> str:
        # Asked for a second line, when the first one has not ended.
        if self._line is None:
            raise ValueError(f"a quote is open at the end of the line {self._last[:200]!r}: close it, or double quotes inside of quotes")
        line, self._line = self._line, None
        return line

    def __reduce__(self) -> tuple[type[LineReader], tuple[str]]:
        return type(self), (self._delimiter,)


class Multivalent:
    """The columns whose cells have several values.

    Args:
        columns: Their names.
        delimiter: What is between the values.
    """

    def __init__(self, columns: Iterable[str] | None, delimiter: str | None) -> None:
        self.columns = frozenset(columns or ())
        if self.columns and not delimiter:
            raise AssertionError("secondary_delimiter must be specified if there are multivalent columns")
        self._delimiter = delimiter or ","
        self._reader = LineReader(self._delimiter)

    def split(self, cell: bytes) -> list[bytes]:
        """Returns the values of a cell."""
        return [value.encode() for value in self._reader.read(cell.decode())]

    def split_all(self, cells: pa.Array) -> tuple[pa.Array, pa.Array]:
        """Returns how many values each cell has, null where it is, and all values one after the other."""
        if not pc.any(pc.match_substring_regex(cells, _QUOTING)).as_py():
            lists = pc.split_pattern(cells.cast(pa.large_string()), self._delimiter)
            return pc.list_value_length(lists), lists.flatten().cast(pa.large_binary())
        split = [None if cell is None else self.split(cell) for cell in cells.to_pylist()]
        lengths = pa.array([None if values is None else len(values) for values in split], pa.int64())
        return lengths, pa.array(chain.from_iterable(values or () for values in split), pa.large_binary())


def type_of_value(value: bytes) -> ColumnType:
    """Returns the type of the values of a cell. An integer of more than 64 bits is text."""
    if not value:
        return ColumnType.UNKNOWN
    try:
        return ColumnType.INT if _LEAST <= int(value) <= _GREATEST else ColumnType.STRING
    except ValueError:
        pass
    try:
        float(value)
    except ValueError:
        return ColumnType.STRING
    return ColumnType.FLOAT


def type_of_values(values: pa.Array) -> ColumnType:
    """Returns the greatest type of values, as `type_of_value` has them."""
    values = values.filter(pc.greater(pc.binary_length(values), 0))
    # Texts seldom begin with numbers.
    if len(values) == 0 or type_of_value(values[0].as_py()) is ColumnType.STRING:
        return ColumnType.STRING if len(values) else ColumnType.UNKNOWN
    integers = _have_form(values, _INTEGER)
    if pc.all(integers).as_py():
        return ColumnType.INT
    fractions = _have_form(values, _FRACTION)
    found = ColumnType.FLOAT if pc.any(fractions).as_py() else ColumnType.INT
    for value in values.filter(pc.invert(pc.or_(integers, fractions))).unique().to_pylist():
        found = max(found, type_of_value(value))
        if found is ColumnType.STRING:
            break
    return found


def transposed(rows: Sequence[Sequence[Any]], names: Sequence[str]) -> list[pa.Array]:
    """Returns the cells of each column: bytes, null where they are empty.

    Args:
        rows: The cells of each line: bytes or text; none, where it is blank.
        names: The names of the columns.

    Raises:
        ValueError: A line has too few cells, or too many.
    """
    blank = (None,) * len(names)
    for row in rows:
        if row and len(row) != len(names):
            raise ValueError(
                f"Columns do not match specified csv headers: {list(names)} -> {list(row)}. "
                f"Encountered a row of unexpected number of columns: {len(row)} vs. {len(names)}"
            )
    columns = zip(*[row or blank for row in rows], strict=True) if rows else [()] * len(names)
    return [_nonempty(pa.array(column, pa.large_binary())) for column in columns]


def column(name: str, cells: pa.Array, kind: ColumnType, multivalent: Multivalent) -> pa.Array:
    """Returns the cells of a column as lists of their values.

    Args:
        name: The name of the column, for messages of errors.
        cells: Its cells, as `transposed` has them.
        kind: Its type, which is not `IGNORE`.
        multivalent: The columns of several values.

    Raises:
        ValueError: A cell does not have the type.
    """
    if name not in multivalent.columns:
        return _nothing(name, cells) if kind is ColumnType.UNKNOWN else ToSingletonListArray(_values(name, cells, kind))
    lengths, values = multivalent.split_all(cells)
    if kind is ColumnType.UNKNOWN:
        _nothing(name, _nonempty(values))
        return pa.nulls(len(cells))
    offsets = np.zeros(len(cells) + 1, np.int64)
    np.cumsum(lengths.fill_null(0), out=offsets[1:])
    return pa.LargeListArray.from_arrays(offsets, _values(name, values, kind), mask=lengths.is_null())


def _nothing(name: str, cells: pa.Array) -> pa.Array:
    if cells.null_count < len(cells):
        value = cells.drop_null()[0].as_py()
        raise ValueError(f"column {name!r}: {value[:200]!r} is a value, and the column is of type UNKNOWN: its type was inferred from other lines")
    return pa.nulls(len(cells))


def _values(name: str, cells: pa.Array, kind: ColumnType) -> pa.Array:
    if kind is ColumnType.STRING:
        return cells
    if kind is ColumnType.INT:
        if _all_have_form(cells, _INTEGER):
            return cells.cast(pa.large_string()).cast(pa.int64())
        return _read_by_python(name, cells, int, pa.int64())
    if _all_have_form(cells, f"{_INTEGER}|{_FRACTION}"):
        # By way of double precision, as Python does.
        return cells.cast(pa.large_string()).cast(pa.float64()).cast(pa.float32())
    return _read_by_python(name, cells, float, pa.float32())


def _read_by_python(name: str, cells: pa.Array, read: Callable[[bytes], Any], data_type: pa.DataType) -> pa.Array:
    values = []
    for cell in cells.to_pylist():
        try:
            values.append(None if cell is None else read(cell))
            if data_type == pa.int64() and values[-1] is not None and not _LEAST <= values[-1] <= _GREATEST:
                raise ValueError
        except ValueError:
            wanted = "an integer of 64 bits" if read is int else "a number"
            raise ValueError(f"column {name!r}: {cell[:200]!r} is not {wanted}: declare the column as bytes, or mend the line") from None
    return pa.array(values, data_type)


def _nonempty(cells: pa.Array) -> pa.Array:
    return pc.if_else(pc.equal(pc.binary_length(cells), 0), pa.scalar(None, cells.type), cells)


def _have_form(cells: pa.Array, form: str) -> pa.Array:
    return pc.match_substring_regex(cells, f"^({form})$")


def _all_have_form(cells: pa.Array, form: str) -> bool:
    return bool(pc.all(_have_form(cells, form), min_count=0).as_py())
