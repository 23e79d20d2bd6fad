"""Conditions on columns: as text, as expressions of this package, and as expressions of polars and pyarrow."""

from __future__ import annotations

import datetime
import decimal
import math
import re
import sys
from collections.abc import Iterable
from typing import Any, Protocol, TypeAlias

from tfxio import _arguments

WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
#: Words of the language of predicates, which are names of columns in quotes only.
KEYWORDS = frozenset(["and", "or", "not", "in", "is", "null", "true", "false", "inf", "infinity", "nan"])
HOW = 'a text such as "label = 7", tfxio.col("label") == 7, or an expression of polars or pyarrow'


class Expression:
    """A condition on columns, made of `tfxio.col`. `str` of it is the text of the same condition.

    Conditions are joined by `&`, `|` and `~`.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    def __and__(self, other: Any) -> Expression:
        return Expression(f"({self._text}) and ({_other(other)})")

    def __or__(self, other: Any) -> Expression:
        return Expression(f"({self._text}) or ({_other(other)})")

    def __invert__(self) -> Expression:
        return Expression(f"not ({self._text})")

    def __bool__(self) -> bool:
        raise TypeError("a condition is not true or false by itself: join conditions by &, | and ~, each in parentheses")

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<tfxio condition: {self._text}>"


class Column:
    """A column, or a field within one, of which a comparison makes a condition. Made by `tfxio.col`."""

    def __init__(self, path: str) -> None:
        self._path = path

    def _compared(self, comparison: str, value: object) -> Expression:
        return Expression(f"{self._path} {comparison} {literal(value)}")

    def __eq__(self, value: object) -> Expression:  # type: ignore[override]
        return self._compared("=", value)

    def __ne__(self, value: object) -> Expression:  # type: ignore[override]
        return self._compared("!=", value)

    def __lt__(self, value: Any) -> Expression:
        return self._compared("<", value)

    def __le__(self, value: Any) -> Expression:
        return self._compared("<=", value)

    def __gt__(self, value: Any) -> Expression:
        return self._compared(">", value)

    def __ge__(self, value: Any) -> Expression:
        return self._compared(">=", value)

    __hash__ = None  # type: ignore[assignment]

    def is_in(self, values: Iterable[Any]) -> Expression:
        """Returns the condition that the value is one of some."""
        return Expression(f"{self._path} in ({', '.join(literal(value) for value in _arguments.listed('values', 'a list of values', values))})")

    def is_null(self) -> Expression:
        """Returns the condition that there is no value."""
        return Expression(f"{self._path} is null")

    def is_not_null(self) -> Expression:
        """Returns the condition that there is a value."""
        return Expression(f"{self._path} is not null")

    def __bool__(self) -> bool:
        raise TypeError(f"a column is not a condition by itself: compare it, as {self._path} == True")

    def __repr__(self) -> str:
        return f"<tfxio column: {self._path}>"


class OfPolars(Protocol):
    """An expression of polars."""

    @property
    def meta(self) -> Any: ...


class OfArrow(Protocol):
    """An expression of pyarrow."""

    def is_valid(self) -> Any: ...
    def isin(self, values: Any) -> Any: ...


#: What `filter=` takes.
Condition: TypeAlias = str | Expression | OfPolars | OfArrow


def col(name: str, *fields: str) -> Column:
    """Returns a column, of which a comparison is a condition that `filter=` takes; with further names, a field within it.

    >>> import tempfile, tfxio
    >>> written = tfxio.write({"label": [9, 1, 7]}, tempfile.mkdtemp() + "/labels.tfrecord")
    >>> ds = tfxio.open(written.files, scalars=True)
    >>> ds.head(filter=(tfxio.col("label") > 6) & ~tfxio.col("label").is_in([8, 9]))
    [{'label': 7}]
    """
    steps = [_arguments.text("name", name), *(_arguments.text("a field", field) for field in fields)]
    return Column(".".join(quoted(step) for step in steps))


def quoted(step: str) -> str:
    """Returns a name as predicates have it."""
    if WORD.match(step) and step.lower() not in KEYWORDS:
        return step
    return '"' + step.replace('"', '""') + '"'


def literal(value: Any) -> str:
    """Returns a value as predicates have it."""
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        value = value.item()
    if value is None:
        raise TypeError("a comparison with None holds for no row: use is_null() or is_not_null()")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, decimal.Decimal)):
        return str(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else str(value).replace("nan", "NaN")
    if isinstance(value, (datetime.date, datetime.datetime)):
        return f"'{value.isoformat()}'"
    if isinstance(value, (bytes, bytearray)):
        try:
            value = bytes(value).decode()
        except UnicodeDecodeError:
            raise ValueError("bytes that are not UTF-8 are not compared with: filter them by a function") from None
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    raise _arguments.refused("a value that is compared", "a number, a bool, a text, bytes, a date or a time", value)


def _other(value: Any) -> str:
    text = text_of("the other condition", value)
    assert text is not None
    return text


def text_of(name: str, condition: Any) -> str:
    """Returns a condition as text."""
    if isinstance(condition, (str, Expression)):
        return str(condition)
    module = type(condition).__module__.partition(".")[0]
    if module == "polars" and isinstance(condition, sys.modules["polars"].Expr):
        from tfxio._polars_expressions import text

        return text(condition)
    if module == "pyarrow" and isinstance(condition, sys.modules["pyarrow.compute"].Expression):
        from tfxio._arrow_expressions import text

        return text(condition)
    if callable(condition):
        raise TypeError(f"{name} is {HOW}; rows are chosen by a function with Dataset.filter(function)")
    raise _arguments.refused(name, HOW, condition)


def text_or_none(name: str, condition: Any) -> str | None:
    """Returns a condition as text; None for none."""
    return None if condition is None else text_of(name, condition)
