"""Merged statistics."""

from tfxio._lib import (
    DatasetListAccumulator,
)

__all__ = [
    "DatasetListAccumulator",
]
