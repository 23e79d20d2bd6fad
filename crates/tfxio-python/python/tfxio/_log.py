"""What is logged under `tfxio`."""

from __future__ import annotations

import logging

from tfxio import _lib

#: The logger of the package, and that of its loaders. What is logged is not printed where nobody has asked for it.
LOGGERS = [logging.getLogger(name) for name in ("tfxio", "tfxio.batch_loader")]
LOGGERS[0].addHandler(logging.NullHandler())


def begin() -> None:
    """Takes the level that the loggers have now."""
    _lib.take_events(max(1, min(255, *(logger.getEffectiveLevel() for logger in LOGGERS))))
