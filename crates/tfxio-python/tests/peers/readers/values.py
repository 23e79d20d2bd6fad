"""Values of columns in one form, whoever read them: what is the same to Python is the same."""

from __future__ import annotations

import datetime as dt
import math
import uuid
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.types as of

SCALES = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
DAY = 86_400 * 10**9
EPOCH = dt.datetime(1970, 1, 1)


def of_arrow(column: Any) -> list[Any]:
    """Returns the values of a column of Arrow. Times are a word and whole nanoseconds."""
    if isinstance(column, pa.ChunkedArray):
        return [value for chunk in column.chunks for value in of_arrow(chunk)]
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        return of_arrow(column.storage)
    if of.is_null(kind):
        return [None] * len(column)
    if of.is_dictionary(kind):
        return of_arrow(column.dictionary_decode())
    if of.is_run_end_encoded(kind):
        values = of_arrow(column.values)
        ends = column.run_ends.to_pylist()
        return [values[sum(end <= column.offset + row for end in ends)] for row in range(len(column))]
    if of.is_date(kind):
        scale = DAY if of.is_date32(kind) else SCALES["ms"]
        return _words("date", _stored(column), scale)
    if of.is_time(kind):
        return _words("time", _stored(column), SCALES[kind.unit])
    if of.is_timestamp(kind):
        return _words("local" if kind.tz is None else "instant", _stored(column), SCALES[kind.unit])
    if of.is_duration(kind):
        return _words("duration", _stored(column), SCALES[kind.unit])
    if of.is_interval(kind):
        return [value if value is None else ("interval", *value) for value in column.to_pylist()]
    if of.is_struct(kind):
        fields = [of_arrow(column.field(index)) for index in range(kind.num_fields)]
        rows = zip(*fields, strict=True) if fields else ((),) * len(column)
        names = [field.name for field in kind]
        return [dict(zip(names, row, strict=True)) if column[at].is_valid else None for at, row in enumerate(rows)]
    if of.is_map(kind):
        return [_pairs(item) if item.is_valid else None for item in column]
    if any(is_list(kind) for is_list in (of.is_list, of.is_large_list, of.is_fixed_size_list, of.is_list_view, of.is_large_list_view)):
        return [of_arrow(item.values) if item.is_valid else None for item in column]
    return list(column.to_pylist())


def _pairs(item: Any) -> tuple[str, list[Any]]:
    entries = item.values
    return ("map", list(zip(of_arrow(entries.field(0)), of_arrow(entries.field(1)), strict=True)))


def _stored(column: Any) -> list[int | None]:
    bits = pa.int32() if column.type.bit_width == 32 else pa.int64()
    return list(column.view(bits).to_pylist())


def _words(word: str, numbers: list[int | None], scale: int) -> list[Any]:
    return [number if number is None else (word, number * scale) for number in numbers]


def of_python(value: Any) -> Any:
    """Returns a value of Python in the same form."""
    if value is None or isinstance(value, (bool, int, float, str, bytes, Decimal)):
        return value
    if type(value).__name__ in ("NaTType", "NAType"):
        return None
    if isinstance(value, uuid.UUID):
        return value.bytes
    if type(value).__name__ == "Timestamp":
        return ("local" if value.tzinfo is None else "instant", int(value.as_unit("ns").value))
    if type(value).__name__ == "Timedelta":
        return ("duration", int(value.as_unit("ns").value))
    if isinstance(value, dt.datetime):
        word = "local" if value.tzinfo is None else "instant"
        naive = value if value.tzinfo is None else value.astimezone(dt.timezone.utc).replace(tzinfo=None)
        return (word, (naive - EPOCH) // dt.timedelta(microseconds=1) * 1000)
    if isinstance(value, dt.date):
        return ("date", (value - EPOCH.date()).days * DAY)
    if isinstance(value, dt.time):
        return ("time", ((value.hour * 60 + value.minute) * 60 + value.second) * 10**9 + value.microsecond * 1000)
    if isinstance(value, dt.timedelta):
        return ("duration", value // dt.timedelta(microseconds=1) * 1000)
    if hasattr(value, "tolist") and hasattr(value, "dtype"):
        return of_python(value.tolist())
    if isinstance(value, (list, tuple)):
        return [of_python(item) for item in value]
    if isinstance(value, dict):
        return {key: of_python(item) for key, item in value.items()}
    return value


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same: NaN is NaN, and the zeros differ."""
    if isinstance(one, float) and isinstance(other, float):
        if math.isnan(one) or math.isnan(other):
            return math.isnan(one) and math.isnan(other)
        return one == other and math.copysign(1, one) == math.copysign(1, other)
    if isinstance(one, bool) != isinstance(other, bool):
        return False
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    return bool(one == other)
