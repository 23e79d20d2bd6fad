"""What is lost of columns where they become such as a format holds, and how callers hear of it."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

#: The most columns of a loss that a warning names.
NAMED = 8
#: Files of this package, to which no warning points.
_HERE = os.path.dirname(__file__) + os.sep


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
        warn(f"{what} (column{'' if len(columns) == 1 else 's'} {named}; lossless=True refuses that)")


def warn(text: str) -> None:
    """Warns whoever called this package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HERE):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, UserWarning, stacklevel=level)
