"""Arguments as callers give them: what does not fit is refused by its name, in words of Python."""

from __future__ import annotations

import difflib
import functools
import inspect
import operator
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Returned = TypeVar("Returned")

MOST = 2**64 - 1

#: The most characters of a value that a message shows.
SHOWN = 40


def shown(value: object) -> str:
    """Returns the type of a value, and the value itself if it is short."""
    if value is None:
        return "None"
    kind = type(value).__name__
    if isinstance(value, (str, bytes, bool, int, float)) and len(text := repr(value)) <= SHOWN:
        return f"{kind} ({text})"
    return kind


def refused(name: str, wanted: str, value: object) -> TypeError:
    """Returns the error for an argument of another type than is wanted."""
    return TypeError(f"{name} is {wanted}, not {shown(value)}")


def integer(name: str, value: Any, *, least: int = 0, most: int = MOST) -> int:
    """Returns an integer; of any type that is one, such as those of numpy, but for truth values."""
    number = None
    if not isinstance(value, bool):
        try:
            number = operator.index(value)
        except TypeError:
            pass
    if number is None:
        raise refused(name, "an int", value)
    if number < least:
        raise ValueError(f"{name} is {number}: it is " + ("not negative" if least == 0 else f"at least {least}"))
    if number > most:
        raise ValueError(f"{name} is {number}: it is at most {most}")
    return number


def integer_or_none(name: str, value: Any, *, least: int = 0, most: int = MOST) -> int | None:
    """Returns an integer, or `None` as it is."""
    if value is None:
        return None
    try:
        return integer(name, value, least=least, most=most)
    except TypeError:
        raise refused(name, "an int or None", value) from None


def number_or_none(name: str, value: Any) -> float | None:
    """Returns a number, or `None` as it is."""
    return None if value is None else number(name, value)


def number(name: str, value: Any) -> float:
    """Returns a number."""
    if isinstance(value, (bool, str, bytes, bytearray)) or not (hasattr(value, "__float__") or hasattr(value, "__index__")):
        raise refused(name, "a number", value)
    return float(value)


def flag(name: str, value: Any, hint: str = "") -> bool:
    """Returns a truth value."""
    if isinstance(value, bool) or (type(value).__module__, type(value).__name__) in (("numpy", "bool"), ("numpy", "bool_")):
        return bool(value)
    raise TypeError(f"{name} is True or False, not {shown(value)}{hint}")


def text(name: str, value: Any) -> str:
    """Returns a text."""
    if not isinstance(value, str):
        raise refused(name, "a str", value)
    return value


def text_or_none(name: str, value: Any) -> str | None:
    """Returns a text, or `None` as it is."""
    if value is not None and not isinstance(value, str):
        raise refused(name, "a str or None", value)
    return value


def word(name: str, value: Any, words: Sequence[str]) -> str:
    """Returns a text that is one of a few words."""
    if text(name, value) in words:
        return str(value)
    near = difflib.get_close_matches(value, words, 1)
    *others, last = (f'"{one}"' for one in words)
    hint = f'did you mean "{near[0]}"?' if near else f"give {', '.join(others)} or {last}"
    raise ValueError(f'{name} is "{value}": {hint}')


def record(name: str, value: Any) -> bytes:
    """Returns the bytes of a record."""
    if not isinstance(value, bytes):
        raise refused(name, "bytes", value)
    return value


def records(name: str, value: Any) -> list[bytes]:
    """Returns records, of which one may not be given by itself."""
    if isinstance(value, bytes):
        raise TypeError(f"{name} is a list of bytes, not one record: {name}=[…]")
    found = listed(name, "a list of bytes", value)
    if wrong := [item for item in found if not isinstance(item, bytes)]:
        raise TypeError(f"{name} is a list of bytes, and has {shown(wrong[0])}")
    return found


def path(name: str, value: Any) -> str:
    """Returns a path as text."""
    if isinstance(value, (str, os.PathLike)) and isinstance(found := os.fspath(value), str):
        return found
    raise refused(name, "a path: a str or a pathlib.Path", value)


def listed(name: str, wanted: str, value: Any) -> list[Any]:
    """Returns a list of what an argument has, whatever holds it."""
    if isinstance(value, (str, bytes, bytearray)) or not isinstance(value, Iterable):
        raise refused(name, wanted, value)
    return list(value)


def names(name: str, value: Any) -> list[str]:
    """Returns names, of which one may not be given by itself."""
    if isinstance(value, str):
        raise TypeError(f"{name} is a list of names, not one: {name}=[{value!r}]")
    found = listed(name, "a list of names", value)
    if wrong := [item for item in found if not isinstance(item, str)]:
        raise TypeError(f"{name} is a list of names, and has {shown(wrong[0])}")
    return found


def all_or_names(name: str, value: Any) -> bool | list[str]:
    """Returns whether all columns are meant that can be, or the names of those that are."""
    if isinstance(value, str):
        raise TypeError(f"{name} is True, False or a list of names, not one name: {name}=[{value!r}]")
    if isinstance(value, Iterable) and not isinstance(value, (bytes, bytearray, Mapping)):
        return names(name, value)
    try:
        return flag(name, value)
    except TypeError:
        raise refused(name, "True, False or a list of names", value) from None


def column(name: str, value: Any) -> str | list[str]:
    """Returns the name of a column, or the steps to a nested one."""
    if isinstance(value, str):
        return value
    wanted = "the name of a column, or a tuple of the steps to it"
    steps = [] if isinstance(value, Mapping) else listed(name, wanted, value)
    if not steps or not all(isinstance(step, str) for step in steps):
        raise refused(name, wanted, value)
    return steps


def columns(name: str, value: Any) -> list[str | list[str]]:
    """Returns columns, of which one may not be given by itself."""
    if isinstance(value, str):
        raise TypeError(f"{name} is a list of names, not one: {name}=[{value!r}]")
    wanted = "a list of names of columns"
    found = listed(name, wanted, value)
    for item in found:
        if not isinstance(item, (str, tuple, list)) or not all(isinstance(step, str) for step in item):
            raise TypeError(f"{name} is {wanted}, or of tuples of the steps to nested ones, and has {shown(item)}")
    return [item if isinstance(item, str) else list(item) for item in found]


def mapping(name: str, wanted: str, value: Any) -> Mapping[Any, Any]:
    """Returns a mapping."""
    if not isinstance(value, Mapping):
        raise refused(name, wanted, value)
    return value


def pair(name: str, value: Any) -> tuple[int, int]:
    """Returns which part of how many is meant."""
    wanted = "a pair of int, as (rank, world_size)"
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise refused(name, wanted, value)
    try:
        first, second = (integer(name, part, most=2**32 - 1) for part in value)
    except TypeError:
        raise TypeError(f"{name} is {wanted}, not ({', '.join(map(shown, value))})") from None
    return first, second


def known(given: Iterable[str], expected: Iterable[str]) -> None:
    """Refuses keywords that a function does not have."""
    expected = list(expected)
    for name in given:
        if name not in expected:
            near = difflib.get_close_matches(name, expected, 1, 0.5)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(expected)}"
            raise TypeError(f"there is no argument {name!r}: {hint}")


def suggests(method: Callable[Arguments, Returned]) -> Callable[Arguments, Returned]:
    """Returns a method that names the nearest of its keywords where one is misspelt, which Python does from 3.13 on."""
    _, *expected = inspect.signature(method).parameters

    @functools.wraps(method)
    def called(*args: Arguments.args, **how: Arguments.kwargs) -> Returned:
        known(how, expected)
        return method(*args, **how)

    return called


def of_file(name: str, value: Any, method: str) -> tuple[str | None, Any]:
    """Returns the path of a file, or the object that a file is."""
    if isinstance(value, (str, os.PathLike)):
        return path(name, value), None
    called: Callable[..., Any] | None = getattr(value, method, None)
    if isinstance(value, type) or not callable(called):
        raise refused(name, f"a path or an object with {method}()", value)
    return None, value
