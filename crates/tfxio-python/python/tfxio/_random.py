"""Random numbers of functions, which follow from seeds and records."""

from __future__ import annotations

import inspect
import zlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np


def takes_rng(function: Callable[..., Any]) -> bool:
    """Returns whether a function has an argument `rng`."""
    try:
        return "rng" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        # One of C does not tell.
        return False


def of_file(path: str) -> int:
    """Returns the number of a file, by its name without folders: data may move."""
    return zlib.crc32(path.rpartition("/")[2].encode())


def generator(entropy: Sequence[int]) -> np.random.Generator:
    """Returns random numbers that follow from integers."""
    import numpy as np

    return np.random.Generator(np.random.Philox(np.random.SeedSequence(entropy)))
