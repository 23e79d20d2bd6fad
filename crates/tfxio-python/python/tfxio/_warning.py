"""The warnings of this package, and whom they point to."""

from __future__ import annotations

import os
import sys
import warnings

#: Files of this package, to which no warning points.
_HERE = os.path.dirname(__file__) + os.sep


class TfxioWarning(UserWarning):
    """What may not be meant, though nothing is wrong. Each kind of it has a class, by which `warnings.filterwarnings` tells them apart."""


class LossWarning(TfxioWarning):
    """Something of a column is lost where it becomes such as a format holds."""


class SkippedWarning(TfxioWarning):
    """Damaged records were left out (`on_error="skip"`)."""


class SlowWarning(TfxioWarning):
    """What was asked for costs far more than another way to it."""


class RebatchedWarning(TfxioWarning):
    """Batches are put together to batches once more."""


class CredentialsWarning(TfxioWarning):
    """Credentials were not pickled."""


def warn(text: str, category: type[TfxioWarning] = TfxioWarning) -> None:
    """Warns whoever called this package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HERE):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)
