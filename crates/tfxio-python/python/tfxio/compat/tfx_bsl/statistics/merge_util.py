"""Statistics of parts of a data set into those of the whole."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from tensorflow_metadata.proto.v0 import statistics_pb2

from tfxio.compat.tfx_bsl.statistics import DatasetListAccumulator

__all__ = ["merge_dataset_feature_statistics", "merge_dataset_feature_statistics_list"]


def merge_dataset_feature_statistics(
    stats_protos: Iterable[statistics_pb2.DatasetFeatureStatistics],
) -> statistics_pb2.DatasetFeatureStatisticsList:
    """Returns the statistics of all parts as one list: those of one name are merged.

    Args:
        stats_protos: The statistics of each part.
    """
    merged = DatasetListAccumulator()
    for part in stats_protos:
        merged.MergeDatasetFeatureStatistics(part.SerializeToString())
    return statistics_pb2.DatasetFeatureStatisticsList.FromString(merged.Get())


def merge_dataset_feature_statistics_list(
    stats_protos: Iterable[statistics_pb2.DatasetFeatureStatisticsList],
) -> statistics_pb2.DatasetFeatureStatisticsList:
    """Returns the statistics of all lists as one list: those of one name are merged.

    Args:
        stats_protos: Lists of the statistics of each part.
    """
    return merge_dataset_feature_statistics(chain.from_iterable(part.datasets for part in stats_protos))
