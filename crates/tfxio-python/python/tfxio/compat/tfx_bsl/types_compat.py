"""The types of `typing` that Apache Beam has its own of."""

from typing import Any

from apache_beam.typehints import (
    Dict,
    Generator,
    Iterable,
    Iterator,
    List,
    Optional,
    Set,
    Tuple,
    TypeVariable,
    Union,
)

__all__ = [
    "Any",
    "Callable",
    "Dict",
    "FrozenSet",
    "Generator",
    "Iterable",
    "Iterator",
    "List",
    "Mapping",
    "Optional",
    "Pattern",
    "Sequence",
    "Set",
    "Text",
    "Tuple",
    "TypeVar",
    "Union",
]

# What Beam has no type for.
Callable = FrozenSet = Mapping = Pattern = Sequence = None
Text = Any
TypeVar = TypeVariable
