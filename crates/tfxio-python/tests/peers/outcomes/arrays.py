"""Functions over arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
from tfx_bsl.arrow import array_util

Case = tuple[str, Callable[[], Any]]

_INT = pa.int64()
_PAIR = pa.struct([("a", _INT), ("b", pa.list_(pa.binary()))])

#: The types of arrays: those that data has, and those that it does not.
TYPES: list[pa.DataType] = [
    pa.null(),
    pa.bool_(),
    pa.int8(),
    pa.uint64(),
    _INT,
    pa.float16(),
    pa.float32(),
    pa.float64(),
    pa.binary(),
    pa.string(),
    pa.large_binary(),
    pa.large_string(),
    pa.binary(2),
    pa.timestamp("us"),
    pa.date32(),
    pa.decimal128(9, 2),
    pa.dictionary(pa.int32(), pa.string()),
    pa.struct([]),
    _PAIR,
    pa.list_(pa.null()),
    pa.list_(_INT),
    pa.list_(pa.binary()),
    pa.large_list(pa.float32()),
    pa.large_list(pa.large_binary()),
    pa.list_(_INT, 2),
    pa.list_(pa.list_(_INT)),
    pa.large_list(pa.large_list(pa.large_binary())),
    pa.list_(_PAIR),
    pa.map_(pa.string(), _INT),
]


def nothings() -> Iterator[tuple[str, pa.Array]]:
    """Yields arrays without elements, without values, and with nulls, of all types."""
    for data_type in TYPES:
        yield f"no {data_type}", pa.array([], data_type)
        yield f"null {data_type}", pa.nulls(1, data_type)
        yield f"nulls {data_type}", pa.nulls(3, data_type)
        yield f"slice of {data_type}", pa.nulls(3, data_type).slice(1, 0)
    yield "an empty list", pa.array([[]], pa.list_(_INT))
    yield "empty lists and a null", pa.array([[], None, []], pa.list_(_INT))
    yield "a null in a list", pa.array([[None]], pa.list_(_INT))
    yield "large: empty lists and a null", pa.array([[], None, []], pa.large_list(pa.large_binary()))
    yield "nested: empty lists", pa.array([[], [[]], None, [None]], pa.list_(pa.list_(_INT)))
    yield "empty structs in lists", pa.array([[], [{}], None], pa.list_(pa.struct([])))
    yield "nulls in structs", pa.array([{"a": None, "b": None}, None], _PAIR)
    yield "an empty string", pa.array([b""], pa.binary())
    yield "an empty text", pa.array([""], pa.string())
    yield "sliced to nothing", pa.array([[1], [2]], pa.list_(_INT)).slice(2)
    yield "sliced to a null", pa.array([[1], None], pa.list_(_INT)).slice(1)


def cases() -> Iterator[Case]:
    """Yields the cases."""
    of_one = [
        "CountInvalidUTF8",
        "GetArrayNullBitmapAsByteArray",
        "GetBinaryArrayTotalByteSize",
        "GetByteSize",
        "GetElementLengths",
        "GetFlattenedArrayParentIndices",
        "ListLengthsFromListArray",
        "CooFromListArray",
        "ToSingletonListArray",
        "flatten_nested",
    ]
    for name in of_one:
        function = getattr(array_util, name)
        for about, array in nothings():
            yield f"{name}: {about}", lambda function=function, array=array: function(array)
        for about, value in (("None", None), ("a list", [1]), ("a chunked array", pa.chunked_array([[1]]))):
            yield f"{name}: {about}", lambda function=function, value=value: function(value)
    for about, array in nothings():
        yield f"flatten_nested with parents: {about}", lambda array=array: array_util.flatten_nested(array, True)
        yield f"IndexIn of none: {about}", lambda array=array: array_util.IndexIn(array, array.slice(0, 0))
        yield f"IndexIn of itself: {about}", lambda array=array: array_util.IndexIn(array, array)
    for data_type in TYPES:
        yield f"is_list_like: {data_type}", lambda data_type=data_type: array_util.is_list_like(data_type)
        yield (
            f"get_innermost_nested_type: {data_type}",
            lambda data_type=data_type: array_util.get_innermost_nested_type(data_type),
        )
    yield from _of_two()
    yield from _from_parents()
    yield from _fields()


def _of_two() -> Iterator[Case]:
    texts = pa.array(["a"])
    for about, values, known in (
        ("other types", texts, pa.array([1])),
        ("bytes in texts", pa.array([b"a"]), texts),
        ("texts in large texts", texts, pa.array(["a"], pa.large_string())),
        ("nulls in values", pa.array([None, "a"]), texts),
        ("null in nulls", pa.array([None, "a"]), pa.array([None, "a"])),
        ("null type in values", pa.nulls(1), texts),
        ("values in the null type", texts, pa.nulls(1)),
    ):
        yield f"IndexIn: {about}", lambda values=values, known=known: array_util.IndexIn(values, known)
    for about, lists in nothings():
        items = getattr(lists.type, "value_type", _INT)
        yield (
            f"FillNullLists with nothing: {about}",
            lambda lists=lists, items=items: array_util.FillNullLists(lists, pa.array([], items)),
        )
        yield (
            f"FillNullLists with a null: {about}",
            lambda lists=lists, items=items: array_util.FillNullLists(lists, pa.nulls(1, items)),
        )
    lists = pa.array([[1], None], pa.list_(_INT))
    yield "FillNullLists with another type", lambda: array_util.FillNullLists(lists, pa.array(["x"]))
    yield "FillNullLists with lists", lambda: array_util.FillNullLists(lists, lists)
    yield "FillNullLists with None", lambda: array_util.FillNullLists(lists, None)


def _from_parents() -> Iterator[Case]:
    make = array_util.MakeListArrayFromParentIndicesAndValues
    none, one = pa.array([], _INT), pa.array([0], _INT)
    for as_null in (True, False):
        for data_type in TYPES:
            yield (
                f"MakeListArray: no parents, no {data_type}, {as_null}",
                lambda data_type=data_type, as_null=as_null: make(0, none, pa.array([], data_type), as_null),
            )
            yield (
                f"MakeListArray: two parents, no {data_type}, {as_null}",
                lambda data_type=data_type, as_null=as_null: make(2, none, pa.array([], data_type), as_null),
            )
            yield (
                f"MakeListArray: a null of {data_type}, {as_null}",
                lambda data_type=data_type, as_null=as_null: make(2, one, pa.nulls(1, data_type), as_null),
            )
        for about, count, parents, values in (
            ("a negative count", -1, none, none),
            ("a negative count and a value", -1, one, one),
            ("too few parents", 1, pa.array([3], _INT), one),
            ("no parents", 0, one, one),
            ("parents that are not in order", 3, pa.array([1, 0], _INT), pa.array([5, 6])),
            ("parents that go back", 3, pa.array([0, 2, 1], _INT), pa.array([5, 6, 7])),
            ("a negative parent", 2, pa.array([-1], _INT), one),
            ("a null parent", 2, pa.array([None], _INT), one),
            ("a parent between nulls", 2, pa.array([0, None, 1], _INT), pa.array([5, 6, 7])),
            ("int32 parents", 2, pa.array([0], pa.int32()), one),
            ("text parents", 2, pa.array(["0"]), one),
            ("parents of the null type", 2, pa.nulls(1), one),
            ("fewer values", 2, pa.array([0, 1], _INT), one),
            ("more values", 2, one, pa.array([5, 6])),
            ("a count that is no integer", 1.5, one, one),
            ("a count that is None", None, one, one),
            ("values that are None", 1, one, None),
            ("a count of numpy", __import__("numpy").int64(1), one, one),
        ):
            yield (
                f"MakeListArray: {about}, {as_null}",
                lambda count=count, parents=parents, values=values, as_null=as_null: make(count, parents, values, as_null),
            )


def _fields() -> Iterator[Case]:
    for about, array in nothings():
        for field in ("a", "c", 0, 5, -1):
            yield f"get_field {field!r}: {about}", lambda array=array, field=field: array_util.get_field(array, field)
