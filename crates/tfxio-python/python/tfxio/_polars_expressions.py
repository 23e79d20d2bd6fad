"""Conditions that are expressions of polars, as text."""

from __future__ import annotations

import io
import json
import warnings
from typing import TYPE_CHECKING, Any

from tfxio._expressions import literal, quoted

if TYPE_CHECKING:
    import polars

COMPARISONS = {"Eq": "=", "NotEq": "!=", "Lt": "<", "LtEq": "<=", "Gt": ">", "GtEq": ">="}
JOINED = {"And": "and", "LogicalAnd": "and", "Or": "or", "LogicalOr": "or"}
BETWEEN = {"Both": (">=", "<="), "Left": (">=", "<"), "Right": (">", "<="), "None": (">", "<")}


def text(expression: polars.Expr) -> str:
    """Returns the text of the same condition.

    Raises:
        ValueError: The expression has a part that conditions do not have.
    """
    with warnings.catch_warnings():
        # The format may change from one version of polars to the next: what is not known of it is refused.
        warnings.simplefilter("ignore")
        tree = json.loads(expression.meta.serialize(format="json"))
    return _condition(tree, expression)


def _refused(expression: polars.Expr) -> ValueError:
    what = "comparisons of a column with a value, is_in, is_between, is_null, is_not_null, &, | and ~ are"
    return ValueError(f"filter: the expression of polars, {str(expression)!r}, is not a condition on columns: {what}; or give a text")


def _only(tree: Any, expression: polars.Expr) -> tuple[str, Any]:
    if isinstance(tree, dict) and len(tree) == 1:
        return next(iter(tree.items()))
    raise _refused(expression)


def _condition(tree: Any, expression: polars.Expr) -> str:
    kind, parts = _only(tree, expression)
    if kind == "BinaryExpr" and parts["op"] in JOINED:
        return f"({_condition(parts['left'], expression)}) {JOINED[parts['op']]} ({_condition(parts['right'], expression)})"
    if kind == "BinaryExpr" and parts["op"] in COMPARISONS:
        return f"{_path(parts['left'], expression)} {COMPARISONS[parts['op']]} {_value(parts['right'], expression)}"
    if kind != "Function" or not isinstance(parts.get("function"), dict) or "Boolean" not in parts["function"]:
        raise _refused(expression)
    function, inputs = parts["function"]["Boolean"], parts["input"]
    if function == "Not":
        return f"not ({_condition(inputs[0], expression)})"
    if function in ("IsNull", "IsNotNull"):
        return f"{_path(inputs[0], expression)} is {'not ' if function == 'IsNotNull' else ''}null"
    name, how = _only(function, expression)
    path = _path(inputs[0], expression)
    if name == "IsIn" and how == {"nulls_equal": False}:
        values = _evaluated(inputs[1], expression)
        return f"{path} in ({', '.join(literal(value) for value in values if value is not None)})"
    if name == "IsBetween" and how.get("closed") in BETWEEN:
        least, most = BETWEEN[how["closed"]]
        return f"({path} {least} {_value(inputs[1], expression)}) and ({path} {most} {_value(inputs[2], expression)})"
    raise _refused(expression)


def _path(tree: Any, expression: polars.Expr) -> str:
    kind, parts = _only(tree, expression)
    if kind == "Column" and isinstance(parts, str):
        return quoted(parts)
    if kind == "Function" and isinstance(parts.get("function"), dict):
        field = parts["function"].get("StructExpr")
        if isinstance(field, dict) and isinstance(field.get("FieldByName"), str):
            return f"{_path(parts['input'][0], expression)}.{quoted(field['FieldByName'])}"
    raise _refused(expression)


def _value(tree: Any, expression: polars.Expr) -> str:
    value = _evaluated(tree, expression)
    if isinstance(value, (list, dict)) or value is None:
        raise _refused(expression)
    return literal(value)


def _evaluated(tree: Any, expression: polars.Expr) -> Any:
    """Returns the value of a literal."""
    import polars

    if _only(tree, expression)[0] != "Literal":
        raise _refused(expression)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = polars.Expr.deserialize(io.StringIO(json.dumps(tree)), format="json")
    return polars.select(value).to_series().to_list()[0]
