"""Named tuples whose subclasses stay what they are when PySpark pickles them.

PySpark replaces how classes of `collections.namedtuple` are pickled, and what it unpickles is the named tuple, not the subclass. It
leaves a class alone that says itself how it is pickled.
"""

from __future__ import annotations

import collections
import sys
import typing
from collections.abc import Iterable, Sequence
from typing import Any

__all__ = ["TypedNamedTuple", "namedtuple"]


def namedtuple(typename: str, field_names: str | Iterable[str], *, rename: bool = False) -> type[Any]:
    """Returns a class as `collections.namedtuple` does."""
    return _pickled_by_class(typing.cast(Any, collections.namedtuple)(typename, field_names, rename=rename), _caller())


def TypedNamedTuple(typename: str, fields: Sequence[tuple[str, Any]] | None = None) -> type[Any]:
    """Returns a class as `typing.NamedTuple` does when it is called."""
    return _pickled_by_class(typing.cast(Any, typing.NamedTuple)(typename, fields or ()), _caller())


def _caller() -> str:
    """Returns the name of the module that calls the caller of this function: where pickle looks for the class."""
    return str(sys._getframe(2).f_globals.get("__name__", "__main__"))


def _pickled_by_class(named: Any, module: str) -> type[Any]:
    named.__module__ = module
    named.__reduce__ = lambda self: (type(self), tuple(self))
    return typing.cast("type[Any]", named)
