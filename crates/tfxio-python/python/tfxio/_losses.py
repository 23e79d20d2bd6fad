"""What is lost of columns where they become such as a format holds, and how callers hear of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tfxio._warning import LossWarning, warn

#: The most columns of a loss that a warning names.
NAMED = 8


@dataclass(frozen=True)
class Loss:
    """What is lost of a column.

    Attributes:
        column: The name of the column.
        what: What is lost of it.
    """

    column: str
    what: str


def warn_of(losses: Sequence[Loss]) -> None:
    """Warns of what is lost, of each loss once with its columns."""
    by_what: dict[str, list[str]] = {}
    for loss in losses:
        by_what.setdefault(loss.what, []).append(loss.column)
    for what, columns in by_what.items():
        named = ", ".join(map(repr, columns[:NAMED])) + (f" and {len(columns) - NAMED} more" if len(columns) > NAMED else "")
        warn(f"{what} (column{'' if len(columns) == 1 else 's'} {named}; lossless=True refuses that)", LossWarning)
