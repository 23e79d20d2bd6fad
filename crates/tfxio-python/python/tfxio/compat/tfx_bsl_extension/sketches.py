"""Mergeable sketches."""

from tfxio._lib import (
    KmvSketch,
    MisraGriesSketch,
    OrderOnTie,
    QuantilesSketch,
)

__all__ = [
    "KmvSketch",
    "MisraGriesSketch",
    "OrderOnTie",
    "QuantilesSketch",
]
