"""How columns become tensors, in the words of `tf.io`."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias, get_args, runtime_checkable

from tfxio._arguments import column, integer, listed, refused, text
from tfxio._literals import DType

Scalar: TypeAlias = bool | int | float | str | bytes
Key: TypeAlias = str | Sequence[str]


@runtime_checkable
class Proto(Protocol):
    """A message of protobuf."""

    def SerializeToString(self) -> bytes: ...


def scalar(value: Any) -> Any:
    """Returns a scalar, or lists of them, as JSON has them."""
    if isinstance(value, bytes):
        return {"hex": value.hex()}
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return {"float": "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"}
    if isinstance(value, (list, tuple)):
        return [scalar(item) for item in value]
    return value


def _key(name: str, key: Key | None) -> Any:
    return None if key is None else column(name, key)


def _shape(shape: Sequence[int | None]) -> list[int | None]:
    sizes = listed("shape", "a list of sizes", shape)
    return [None if size is None else integer("a size in shape", size, least=-1) for size in sizes]


#: The types of values of tensors.
DTYPES: tuple[DType, ...] = get_args(DType)


def _dtype(name: str) -> str:
    """Returns the name of a type of values, which has to be one."""
    if text("dtype", name) not in DTYPES:
        near = difflib.get_close_matches(name, DTYPES, 1)
        meant = f'; did you mean "{near[0]}"? One' if near else "; one"
        raise ValueError(f'"{name}" is not a dtype{meant} of {", ".join(DTYPES)}')
    return name


class Representation:
    """What describes a tensor. `to_json` is what the engine reads."""

    def to_json(self) -> dict[str, Any]:
        """Returns the description as JSON."""
        raise NotImplementedError


def _without_none(members: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}


@dataclass(frozen=True)
class FixedLen(Representation):
    """A dense tensor of one shape a row, as `tf.io.FixedLenFeature`.

    Args:
        shape: The shape of a row.
        dtype: The type of the values: `"int64"`, `"float32"`, `"string"`, ….
        key: The column; the name of the tensor, if it is left out.
        default: What rows without the feature have. Without it such a row is an error.
    """

    shape: Sequence[int | None] = ()
    dtype: DType = "float32"
    key: Key | None = None
    default: Any = None

    def to_json(self) -> dict[str, Any]:
        members = {"kind": "FixedLen", "shape": _shape(self.shape), "dtype": _dtype(self.dtype)}
        default = None if self.default is None else scalar(self.default)
        return _without_none({**members, "key": _key("key", self.key), "default": default})


@dataclass(frozen=True)
class VarLen(Representation):
    """A sparse tensor of the values of a column by their positions, as `tf.io.VarLenFeature`."""

    dtype: DType = "int64"
    key: Key | None = None
    rank: int | None = None

    def to_json(self) -> dict[str, Any]:
        return _without_none({"kind": "VarLen", "dtype": _dtype(self.dtype), "key": _key("key", self.key), "rank": self.rank})


@dataclass(frozen=True)
class Sparse(Representation):
    """A sparse tensor whose indices are in other columns, as `tf.io.SparseFeature`."""

    index_key: Key
    value_key: Key
    dtype: DType
    size: int | Sequence[int]
    already_sorted: bool = False

    def to_json(self) -> dict[str, Any]:
        size = self.size if isinstance(self.size, int) else list(self.size)
        members = {"kind": "Sparse", "index_key": _key("index_key", self.index_key), "value_key": _key("value_key", self.value_key)}
        return {**members, "dtype": _dtype(self.dtype), "size": size, "already_sorted": self.already_sorted}


@dataclass(frozen=True)
class Ragged(Representation):
    """A ragged tensor, as `tf.io.RaggedFeature`.

    Args:
        dtype: The type of the values.
        key: The column; the name of the tensor, if it is left out.
        partitions: Inner dimensions: `{"row_lengths": column}` or `{"uniform_row_length": size}` each.
        row_splits: `"int32"` or `"int64"`.
    """

    dtype: DType = "int64"
    key: Key | None = None
    partitions: Sequence[Mapping[str, Any]] = field(default_factory=tuple)
    row_splits: Literal["int32", "int64"] = "int64"

    def to_json(self) -> dict[str, Any]:
        members = {"kind": "Ragged", "dtype": _dtype(self.dtype), "value_key": _key("key", self.key)}
        partitions = [dict(partition) for partition in self.partitions] or None
        return _without_none({**members, "partitions": partitions, "row_splits": self.row_splits})


@dataclass(frozen=True)
class Dense(Representation):
    """A dense tensor of a column of any type, which `FixedLen` has to name.

    Args:
        column: The column, or the steps to a nested one.
        shape: The shape of a row. `None` is the longest list of the batch; shorter ones are padded.
        default: What rows without a value have.
    """

    column: Key
    shape: Sequence[int | None] = ()
    default: Any = None

    def to_json(self) -> dict[str, Any]:
        default = None if self.default is None else scalar(self.default)
        members = {"kind": "dense", "column": _key("column", self.column), "shape": _shape(self.shape), "default": default}
        return _without_none(members)


Description: TypeAlias = Representation | Mapping[str, Any] | Proto


def described(description: Description, name: str) -> str | bytes:
    """Returns the description of a tensor as the engine reads it."""
    if isinstance(description, Proto) and not isinstance(description, type):
        return description.SerializeToString()
    if not isinstance(description, (Representation, Mapping)):
        what = "a representation of tfxio, a dict or a TensorRepresentation of TensorFlow Metadata"
        raise refused(f"the description of tensor {name!r}", what, description)
    try:
        return json.dumps(description.to_json() if isinstance(description, Representation) else dict(description))
    except (TypeError, ValueError) as error:
        raise type(error)(f"tensor {name!r}: {error}") from None
