"""The experimental modules of tensorflow-io: `columnar` alone."""

from __future__ import annotations

from tfxio.compat.tensorflow_io.experimental import columnar

__all__ = ["columnar"]
