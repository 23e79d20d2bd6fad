"""Statistics of data sets, merged. The accumulator is native."""

from tfxio.compat.tfx_bsl_extension.statistics import DatasetListAccumulator

__all__ = ["DatasetListAccumulator"]
