"""Mergeable sketches: distinct values, heavy hitters, quantiles. They are native."""

from tfxio.compat.tfx_bsl_extension.sketches import KmvSketch, MisraGriesSketch, QuantilesSketch

__all__ = ["KmvSketch", "MisraGriesSketch", "QuantilesSketch"]
