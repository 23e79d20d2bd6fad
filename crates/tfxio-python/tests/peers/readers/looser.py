"""Whether a value of another type stands for the same: a number for a time, a text for a number."""

from __future__ import annotations

import base64
import datetime as dt
import re
import struct
from decimal import Decimal
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.types as of

from .values import DAY, SCALES, of_python, same

#: Words of `values`, and the type that says them.
TIMES = ("date", "time", "local", "instant", "duration")
#: Durations of ISO 8601: with one sign, or one for each part.
DURATION = re.compile(r"-?P(?P<Y>(?!))?(?P<M>(?!))?(?:(?P<D>\d+)D)?(?:T(?:(?P<h>\d+)H)?(?:(?P<m>\d+)M)?(?:(?P<s>[\d.]+)S)?)?")
INTERVAL = re.compile(
    r"P(?:(?P<Y>-?\d+)Y)?(?:(?P<M>-?\d+)M)?(?:(?P<D>-?\d+)D)?(?:T(?:(?P<h>-?\d+)H)?(?:(?P<m>-?\d+)M)?(?:(?P<s>-?[\d.]+)S)?)?"
)
NUMBERS = (bool, int, float, Decimal)


class Measure(NamedTuple):
    """What the numbers of a type stand for."""

    #: Nanoseconds of the unit of a time that is a number.
    scale: int = 1
    #: How `struct` packs a float: one that was read of a text may have more digits than the type had.
    float: str = ""


def measure(type_: pa.DataType) -> Measure:
    """Returns what the numbers of a type stand for."""
    if of.is_date(type_):
        return Measure(DAY if of.is_date32(type_) else SCALES["ms"])
    while of.is_fixed_size_list(type_) or of.is_list(type_):
        type_ = type_.value_type
    return Measure(SCALES[type_.unit] if hasattr(type_, "unit") else 1, {pa.float16(): "e", pa.float32(): "f"}.get(type_, ""))


def stands_for(found: Any, wanted: Any, measure: Measure) -> bool:
    """Whether what was found is the wanted value."""
    if same(found, wanted):
        return True
    if found is None or wanted is None:
        return False
    if isinstance(wanted, tuple) and wanted[0] in TIMES:
        return _time(found, wanted, measure)
    if isinstance(wanted, tuple) and wanted[0] == "interval":
        return _interval(found, wanted)
    if isinstance(wanted, tuple) and wanted[0] == "map":
        return _map(found, wanted[1], measure)
    if isinstance(found, str) and isinstance(wanted, NUMBERS):
        return _number(found, wanted, measure)
    if isinstance(found, float) and isinstance(wanted, float) and measure.float:
        return same(_narrow(found, measure), wanted)
    if isinstance(found, NUMBERS) and isinstance(wanted, NUMBERS):
        both_floats = isinstance(found, float) and isinstance(wanted, float)
        return not both_floats and found == wanted
    if isinstance(wanted, bytes) and not isinstance(found, bytes):
        return _bytes(found, wanted)
    if isinstance(found, bytes) and isinstance(wanted, str):
        return found == wanted.encode()
    if isinstance(found, list) and isinstance(wanted, list):
        return len(found) == len(wanted) and all(stands_for(one, other, measure) for one, other in zip(found, wanted, strict=True))
    if isinstance(wanted, list) and len(wanted) == 1 and not isinstance(found, list):
        # A cell of CSV.
        return stands_for(found, wanted[0], measure)
    if isinstance(found, dict) and not isinstance(wanted, dict):
        # A union as a struct with a field for each of its types.
        return stands_for([value for value in found.values() if value is not None], [wanted], measure)
    if isinstance(found, dict) and isinstance(wanted, dict):
        return set(found) == set(wanted) and all(stands_for(found[key], wanted[key], measure) for key in wanted)
    return False


def _time(found: Any, wanted: Any, measure: Measure) -> bool:
    if isinstance(found, tuple) and len(found) == 2:
        return bool(found[1] == wanted[1])
    if isinstance(found, str):
        return bool(_of_text(found, wanted[0]) == wanted[1])
    is_number = isinstance(found, NUMBERS) and not isinstance(found, bool)
    return bool(is_number and found * measure.scale == wanted[1])


def _of_text(text: str, word: str) -> int | None:
    """Returns the nanoseconds that a text of ISO 8601 says, which may have nine digits of a second."""
    whole, fraction = text, 0
    if found := re.search(r"\.(\d+)", text):
        whole, fraction = text.replace(found.group(), ""), int(found.group(1).ljust(9, "0"))
    kinds: dict[str, Any] = {"date": dt.date, "time": dt.time, "local": dt.datetime, "instant": dt.datetime}
    if word == "duration":
        span = _span(text, DURATION)
        return span if isinstance(span, int) else None
    try:
        value = of_python(kinds[word].fromisoformat(whole))
    except ValueError:
        return None
    return int(value[1]) + fraction


def _span(text: str, form: re.Pattern[str]) -> Any:
    """Returns what a duration of ISO 8601 says: nanoseconds, or months, days and nanoseconds."""
    found = form.fullmatch(text)
    if found is None:
        return None
    months, days, hours, minutes, seconds = (Decimal(part or 0) for part in found.group("M", "D", "h", "m", "s"))
    nanoseconds = int((hours * 3600 + minutes * 60 + seconds) * 10**9)
    years = Decimal(found.group("Y") or 0)
    sign = -1 if text.startswith("-") else 1
    if form is DURATION:
        return sign * (int(days) * DAY + nanoseconds)
    return (int(years * 12 + months), int(days), nanoseconds)


def _interval(found: Any, wanted: Any) -> bool:
    _, months, days, nanoseconds = wanted
    if isinstance(found, str):
        return bool(_span(found, INTERVAL) == (months, days, nanoseconds))
    if isinstance(found, bytes) and len(found) == 12:
        return struct.unpack("<III", found) == (months, days, nanoseconds // 10**6)
    if isinstance(found, tuple) and found[0] == "duration":
        return months == 0 and bool(found[1] == days * 86_400 * 10**9 + nanoseconds)
    return False


def _map(found: Any, wanted: list[Any], measure: Measure) -> bool:
    if isinstance(found, tuple) and found[0] == "map":
        pairs = found[1]
    elif isinstance(found, dict):
        pairs = list(found.items())
    elif isinstance(found, list):
        pairs = [tuple(entry.values()) if isinstance(entry, dict) else entry for entry in found]
    else:
        return False
    return stands_for([list(pair) for pair in pairs], [list(pair) for pair in wanted], measure)


def _narrow(value: float, measure: Measure) -> float:
    try:
        return float(struct.unpack(measure.float, struct.pack(measure.float, value))[0])
    except OverflowError:
        return value


def _number(text: str, wanted: Any, measure: Measure) -> bool:
    if isinstance(wanted, bool):
        return text == str(wanted).lower()
    try:
        return stands_for(float(text), wanted, measure) if isinstance(wanted, float) else Decimal(text) == wanted
    except (ValueError, ArithmeticError):
        return False


def _bytes(found: Any, wanted: bytes) -> bool:
    if isinstance(found, dict) and list(found) == ["base64"]:
        return base64.b64decode(found["base64"]) == wanted
    if isinstance(found, str):
        return found.encode() == wanted or found.replace("-", "") == wanted.hex()
    return False
