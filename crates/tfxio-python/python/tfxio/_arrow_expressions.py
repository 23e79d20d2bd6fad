"""Conditions that are expressions of pyarrow, as text.

pyarrow lets nobody look into an expression but by its text, which does not say all of it. So the text is read, the same expression is made of
what was read, and where that is another one, it is refused.
"""

from __future__ import annotations

import datetime
import json
import re
from typing import TYPE_CHECKING, Any

from tfxio._expressions import literal, quoted

if TYPE_CHECKING:
    import pyarrow.compute

TOKEN = re.compile(
    r'\s*(?:(?P<text>"(?:[^"\\]|\\.)*")|(?P<time>\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d(?:\.\d+)?)?)'
    r"|(?P<number>-?\d+\.?\d*(?:[eE][+-]?\d+)?|-inf|-nan)|(?P<word>[A-Za-z_][A-Za-z0-9_.]*)|(?P<sign>==|!=|<=|>=|[()<>,\[\]{}=:]))"
)
COMPARISONS = {"==": "=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


class _Unknown(Exception):
    """A text that is not one of a condition."""


def text(expression: pyarrow.compute.Expression) -> str:
    """Returns the text of the same condition.

    Raises:
        ValueError: The expression has a part that conditions do not have, or that its text does not say.
    """
    try:
        reader = _Reader(str(expression))
        made, condition = reader.condition()
        is_same = not reader.left() and made.equals(expression)
    except (_Unknown, IndexError, ValueError):
        is_same, condition = False, ""
    if not is_same:
        what = "comparisons of a column with a number, a text, a bool or a date, isin, is_null, is_valid, &, | and ~ are"
        raise ValueError(f"filter: the expression of pyarrow, {str(expression)!r}, is not a condition that its text says: {what}; or give a text")
    return condition


class _Reader:
    """The text of an expression, read from its beginning."""

    def __init__(self, text: str) -> None:
        self._tokens: list[tuple[str, str]] = []
        at = 0
        while text[at:].strip():
            token = TOKEN.match(text, at)
            if token is None or token.lastgroup is None:
                raise _Unknown
            self._tokens.append((token.lastgroup, token[token.lastgroup]))
            at = token.end()

    def left(self) -> bool:
        """Returns whether something was not read."""
        return bool(self._tokens)

    def _next(self) -> tuple[str, str]:
        return self._tokens.pop(0)

    def _expect(self, *texts: str) -> None:
        for text in texts:
            if self._next()[1] != text:
                raise _Unknown

    def condition(self) -> tuple[Any, str]:
        """Reads a condition: as pyarrow has it, and its text."""
        kind, word = self._tokens[0]
        if kind == "sign" and word == "(":
            return self._joined()
        self._next()
        if word == "invert":
            self._expect("(")
            made, text = self.condition()
            self._expect(")")
            return ~made, f"not ({text})"
        if word in ("is_null", "is_valid"):
            self._expect("(")
            column, path = self._column()
            if word == "is_null":
                self._expect(",", "{", "nan_is_null", "=", "false", "}", ")")
                return column.is_null(), f"{path} is null"
            self._expect(")")
            return column.is_valid(), f"{path} is not null"
        if word == "is_in":
            return self._is_in()
        raise _Unknown

    def _joined(self) -> tuple[Any, str]:
        self._expect("(")
        is_condition = self._tokens[0][1] in ("(", "invert", "is_null", "is_valid", "is_in")
        if is_condition and self._tokens[1][1] != "==":
            left, text = self.condition()
            word = self._next()[1]
            right, other = self.condition()
            self._expect(")")
            if word == "and":
                return left & right, f"({text}) and ({other})"
            if word == "or":
                return left | right, f"({text}) or ({other})"
            raise _Unknown
        column, path = self._column()
        sign = self._next()[1]
        value = self._value()
        self._expect(")")
        made = {
            "==": column == value, "!=": column != value, "<": column < value, "<=": column <= value, ">": column > value, ">=": column >= value,
        }  # fmt: skip
        if sign not in made:
            raise _Unknown
        return made[sign], f"{path} {COMPARISONS[sign]} {literal(value)}"

    def _is_in(self) -> tuple[Any, str]:
        self._expect("(")
        column, path = self._column()
        self._expect(",", "{", "value_set", "=")
        self._next()
        self._expect(":", "[")
        values = []
        while self._tokens[0][1] != "]":
            values.append(self._value())
            if self._tokens[0][1] == ",":
                self._next()
        self._expect("]", ",", "null_matching_behavior", "=", "MATCH", "}", ")")
        return column.isin(values), f"{path} in ({', '.join(literal(value) for value in values)})"

    def _column(self) -> tuple[Any, str]:
        import pyarrow.compute

        kind, word = self._next()
        if kind != "word":
            raise _Unknown
        if word != "FieldRef.Nested":
            return pyarrow.compute.field(word), quoted(word)
        self._expect("(")
        steps = []
        while self._tokens[0][1] != ")":
            self._expect("FieldRef.Name", "(")
            steps.append(self._next()[1])
            self._expect(")")
        self._expect(")")
        return pyarrow.compute.field(*steps), ".".join(quoted(step) for step in steps)

    def _value(self) -> Any:
        kind, text = self._next()
        if kind == "text":
            return json.loads(text)
        if kind == "number":
            return int(text) if re.fullmatch(r"-?\d+", text) else float(text)
        if kind == "time":
            return datetime.date.fromisoformat(text) if len(text) == 10 else datetime.datetime.fromisoformat(text)
        if text in ("true", "false"):
            return text == "true"
        if text in ("inf", "nan"):
            return float(text)
        raise _Unknown
