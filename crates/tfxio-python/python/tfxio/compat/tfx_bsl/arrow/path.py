"""Paths to columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tensorflow_metadata.proto.v0 import path_pb2

__all__ = ["ColumnPath"]


class ColumnPath:
    """The steps from a record batch to a column, which may be a field of structs. It cannot be changed.

    Args:
        steps: The name of the column, and those of the fields in it; or the name of the column alone.

    >>> from tfxio.compat.tfx_bsl.arrow.path import ColumnPath
    >>> ColumnPath(["order", "items"]).child("price")
    order.items.price
    """

    __slots__ = ("_steps",)

    def __init__(self, steps: Iterable[str] | str) -> None:
        self._steps = (steps,) if isinstance(steps, str) else tuple(steps)

    def to_proto(self) -> path_pb2.Path:
        """Returns the path as a message of TensorFlow Metadata."""
        from tensorflow_metadata.proto.v0 import path_pb2

        return path_pb2.Path(step=self._steps)

    @staticmethod
    def from_proto(path_proto: path_pb2.Path) -> ColumnPath:
        """Returns the path that a message of TensorFlow Metadata has."""
        return ColumnPath(path_proto.step)

    def steps(self) -> tuple[str, ...]:
        """Returns the steps."""
        return self._steps

    def parent(self) -> ColumnPath:
        """Returns the path without its last step.

        Raises:
            ValueError: The path is empty.
        """
        if not self._steps:
            raise ValueError("Root does not have parent: the path is empty")
        return ColumnPath(self._steps[:-1])

    def child(self, child_step: str) -> ColumnPath:
        """Returns the path with one more step."""
        return ColumnPath((*self._steps, child_step))

    def prefix(self, ending_index: int) -> ColumnPath:
        """Returns the steps before the one of that number."""
        return ColumnPath(self._steps[:ending_index])

    def suffix(self, starting_index: int) -> ColumnPath:
        """Returns the steps from the one of that number on."""
        return ColumnPath(self._steps[starting_index:])

    def initial_step(self) -> str:
        """Returns the first step.

        Raises:
            ValueError: The path is empty.
        """
        if not self._steps:
            raise ValueError("This ColumnPath does not have any steps.")
        return self._steps[0]

    def __str__(self) -> str:
        return ".".join(self._steps)

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return self._steps == other._steps if isinstance(other, ColumnPath) else NotImplemented

    def __lt__(self, other: ColumnPath) -> bool:
        return self._steps < other._steps

    def __hash__(self) -> int:
        return hash(self._steps)

    def __len__(self) -> int:
        return len(self._steps)
