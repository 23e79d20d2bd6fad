"""What is written: a column of each type of Arrow, with its smallest and largest values, the odd ones between them, and a null."""

from __future__ import annotations

import datetime as dt
import uuid
from decimal import Decimal
from typing import Any, NamedTuple

import pyarrow as pa

#: Rows of each column.
ROWS = 8
TEXTS = ["", "a", "é\U0001f600", 'say "no", or\nyes', "=1+1", " b\\", "NULL", None]
BYTES = [b"", b"\x00", b"\xff\xfe", b"abc", b"\n\r", b'"', b"\x80" * 40, None]


class Column(NamedTuple):
    """A column."""

    #: What the type is called in tables.
    name: str
    values: pa.Array
    #: What of it formats hold that have a smaller type, the most first, and what that is called.
    smaller: tuple[tuple[str, pa.Array], ...] = ()


def whole_numbers(type_: pa.DataType, low: int, high: int) -> pa.Array:
    """Returns both ends of a range, and what lies near its middle."""
    middle = [0, 1, -1] if low < 0 else [0, 1, 2]
    return pa.array([high, low, None, *middle, low + 1, high - 1], type_)


def numbers() -> list[Column]:
    """Returns columns of numbers."""
    found = [Column("null", pa.nulls(ROWS)), Column("bool", pa.array([True, None, False, True, True, False, None, False]))]
    for bits in (8, 16, 32, 64):
        high = 2 ** (bits - 1) - 1
        found.append(Column(f"int{bits}", whole_numbers(getattr(pa, f"int{bits}")(), -high - 1, high)))
    for bits in (8, 16, 32, 64):
        type_ = getattr(pa, f"uint{bits}")()
        below = (("uint64 below 2^63", whole_numbers(type_, 0, 2**63 - 1)),) if bits == 64 else ()
        found.append(Column(f"uint{bits}", whole_numbers(type_, 0, 2**bits - 1), below))
    for bits, high, least in ((16, 65504.0, 6e-8), (32, 3.4028234663852886e38, 1e-45), (64, 1.7976931348623157e308, 5e-324)):
        type_ = getattr(pa, f"float{bits}")()
        smaller = pa.array([1.5, -(2.0**127), 2.0**-126, -0.0, None, 0.0, 1.0, -1.0], type_) if bits == 64 else None
        found += [
            Column(
                f"float{bits}",
                pa.array([high, -high, least, -0.0, None, 0.0, 1.0, 0.1], type_),
                (("float64 within 32 bits", smaller),) if smaller else (),
            ),
            Column(f"float{bits} of NaN and infinities", pa.array([float("nan"), float("inf"), float("-inf"), None, *[0.5] * 4], type_)),
        ]
    for bits, digits, scale in ((32, 9, 2), (64, 18, 4), (128, 38, 9), (256, 76, 10)):
        # From texts: arithmetic would round to 28 digits.
        most, smallest = f"{'9' * (digits - scale)}.{'9' * scale}", f"0.{'1'.rjust(scale, '0')}"
        values = [Decimal(text) if text else None for text in (most, f"-{most}", None, "0", smallest, "-1", "1", None)]
        type_ = getattr(pa, f"decimal{bits}")(digits, scale)
        found.append(Column(f"decimal{bits}({digits},{scale})", pa.array(values, type_)))
    return found


def times() -> list[Column]:
    """Returns columns of dates, times, timestamps and spans of time."""
    dates = [dt.date(1, 1, 1), dt.date(9999, 12, 31), None, dt.date(1970, 1, 1), dt.date(1969, 12, 31), dt.date(1582, 10, 4)]
    dates += [dt.date(1582, 10, 15), dt.date(2024, 2, 29)]
    found = [Column("date32", pa.array(dates, pa.date32())), Column("date64", pa.array(dates, pa.date64()))]
    day = 24 * 60 * 60
    for unit, scale in (("s", 1), ("ms", 10**3), ("us", 10**6), ("ns", 10**9)):
        type_ = pa.time32(unit) if scale <= 1000 else pa.time64(unit)
        values = pa.array([0, day * scale - 1, None, 1, 3600 * scale, 12 * 3600 * scale, 60 * scale, None], type_)
        found.append(Column(str(type_).removesuffix("]").replace("[", " "), values))
    epoch = dt.datetime(1970, 1, 1)
    ends = (dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59))
    first, last = ((end - epoch) // dt.timedelta(seconds=1) for end in ends)
    for zone in (None, "UTC", "Europe/Berlin"):
        for unit, scale in (("s", 1), ("ms", 10**3), ("us", 10**6), ("ns", 10**9)):
            # Nanoseconds of 64 bits end in 1677 and 2262. A day after and before them other zones do so, too.
            low, high = (-(2**63) + 10**14, 2**63 - 10**14) if unit == "ns" else ((first + day) * scale, (last - day) * scale)
            summer = 1_720_000_000 * scale + (scale > 1)
            values = pa.array([low, high, None, 0, -1, 1, summer, -11_644_473_600 * (scale if unit != "ns" else 10**8)], pa.timestamp(unit, zone))
            found.append(Column(f"timestamp {unit}" + (f" {zone}" if zone else ""), values))
    for unit in ("s", "ms", "us", "ns"):
        most = 2**62 if unit == "ns" else 2**40
        found.append(Column(f"duration {unit}", pa.array([0, 1, None, -1, most, -most, 86400, 60], pa.duration(unit))))
    spans = [(0, 0, 0), (1, 2, 3_000_000), None, (0, 1, 0), (14, 0, 0), (0, 0, 10**12), (2**31 - 1, 2**31 - 1, 10**15), None]
    found.append(Column("interval", pa.array(spans, pa.month_day_nano_interval())))
    return found


def texts() -> list[Column]:
    """Returns columns of texts and bytes."""
    ids = [uuid.UUID(int=number).bytes for number in (0, 1, 2**128 - 1, 2**64)]
    stored = pa.array([*ids, None, *ids[:3]], pa.binary(16))
    names = pa.array(["x", None, "y", "x", "", "é", "x", "y"]).dictionary_encode()
    fixed = [b"abc", None, b"\x00\x00\x00", b"\xff\xff\xff", b"   ", b"a\nb", b"xyz", b"abc"]
    legible = [b"a,b", *fixed[4:], None, b"abc", b"xyz"]
    utf8 = [text if text is None else text.encode() for text in TEXTS]
    found = [
        *(Column(str(type_), pa.array(TEXTS, type_)) for type_ in (pa.string(), pa.large_string(), pa.string_view())),
        *(
            Column(str(type_), pa.array(BYTES, type_), ((f"{type_} of UTF-8", pa.array(utf8, type_)),))
            for type_ in (pa.binary(), pa.large_binary(), pa.binary_view())
        ),
        Column("fixed_size_binary", pa.array(fixed, pa.binary(3)), (("fixed_size_binary of UTF-8", pa.array(legible, pa.binary(3))),)),
        Column("uuid", pa.ExtensionArray.from_storage(pa.uuid(), stored)),
        Column("dictionary of string", names),
        Column("dictionary of int64", pa.array([5, None, -(2**63), 5, 2**63 - 1, 0, 0, 5]).dictionary_encode()),
        Column("run_end_encoded", pa.RunEndEncodedArray.from_arrays(pa.array([2, 3, 8], pa.int32()), pa.array(["a", None, "b"]))),
    ]
    return found


def nested() -> list[Column]:
    """Returns columns of lists, structs, maps and unions."""
    numbers_ = [[1, None, -(2**31)], [], None, [2**31 - 1], [0] * 20, [7], [8, 9], []]
    pairs = [[1.5, 2.5], None, [0.0, -1.0], [2.0**100, 1.0], [1.0, 2.0], [3.0, 4.0], [5.0, 6.0], None]
    words = [["a", "", None], [], None, ["é"], ["x" * 30], ["b"], ["c", "d"], [""]]
    people: list[Any] = [{"a": 1, "b": "x"}, {"a": None, "b": ""}, None, {"a": -1, "b": None}, *({"a": row, "b": "y"} for row in range(4))]
    struct = pa.struct([("a", pa.int64()), ("b", pa.string())])
    maps: list[Any] = [[("k", 1), ("l", None)], [], None, [("", 2)], *([("k", row)] for row in range(4))]
    by_number: list[Any] = [[(1, "x"), (-2, None)], [], None, [(0, "")], *([(row, "y")] for row in range(4))]
    deep: list[Any] = [[[1, 2], [], None], [], None, [[3]], [[4], [5, 6]], [[]], [None], [[7]]]
    types = pa.array([0, 1, 0, 1, 0, 0, 1, 1], pa.int8())
    offsets = pa.array([0, 0, 1, 1, 2, 3, 2, 3], pa.int32())
    union = pa.UnionArray.from_dense(types, offsets, [pa.array([1, None, 2, 3]), pa.array(["a", "b", None, "c"])], ["n", "t"])
    def of_lists(name: str, values: list[Any], type_: pa.DataType) -> Column:
        filled = [values_ if values_ is None else [value for value in values_ if value is not None] for values_ in values]
        single = [values_ if values_ is None else (values_ or values[0])[:1] for values_ in values]
        smaller = ((f"{name} without nulls", pa.array(filled, type_)), (f"{name} with one value", pa.array(single, type_)))
        return Column(name, pa.array(values, type_), smaller)

    return [
        of_lists("list of int32", numbers_, pa.list_(pa.int32())),
        of_lists("large_list of string", words, pa.large_list(pa.string())),
        Column("fixed_size_list of float32", pa.array(pairs, pa.list_(pa.float32(), 2))),
        of_lists("list_view of int32", numbers_, pa.list_view(pa.int32())),
        of_lists("large_list_view of string", words, pa.large_list_view(pa.string())),
        Column("list of lists", pa.array(deep, pa.list_(pa.list_(pa.int64())))),
        Column("struct", pa.array(people, struct)),
        Column("list of structs", pa.array([people[:2], [], None, [None], *([person] for person in people[4:])], pa.list_(struct))),
        Column("map of string", pa.array(maps, pa.map_(pa.string(), pa.int64()))),
        Column("map of int32", pa.array(by_number, pa.map_(pa.int32(), pa.string()))),
        Column("union", union),
    ]


def all_columns() -> list[Column]:
    """Returns every column, in the order in which tables have them."""
    return [*numbers(), *times(), *texts(), *nested()]
