"""Transforms that count."""

from __future__ import annotations

import collections
from typing import Any

import apache_beam as beam
import pyarrow as pa
from apache_beam.metrics import Metrics

__all__ = ["TrackRecordBatchBytes", "TrackTensorRepresentations"]


@beam.ptransform_fn
def TrackRecordBatchBytes(dataset: Any, counter_namespace: str, counter_name: str) -> Any:
    """Counts the bytes of record batches.

    Args:
        dataset: The collection of record batches.
        counter_namespace: The namespace of the counter.
        counter_name: Its name.

    Returns:
        The bytes of each batch.
    """
    counter = Metrics.counter(counter_namespace, counter_name)

    def count(batch: pa.RecordBatch) -> int:
        counter.inc(batch.nbytes)
        return int(batch.nbytes)

    return dataset | "CountBytes" >> beam.Map(count)


@beam.ptransform_fn
def TrackTensorRepresentations(tensor_representations: Any, counter_namespace: str) -> Any:
    """Counts representations of tensors by their kind, each in a counter of the name of the kind, such as `dense_tensor`.

    Args:
        tensor_representations: The collection of dictionaries of messages `TensorRepresentation`.
        counter_namespace: The namespace of the counters.

    Returns:
        A `None` for each dictionary.
    """

    def count(representations: dict[str, Any]) -> None:
        kinds = collections.Counter(representation.WhichOneof("kind") for representation in representations.values())
        for kind, number in kinds.items():
            Metrics.counter(counter_namespace, kind).inc(number)

    return tensor_representations | "CountKinds" >> beam.Map(count)
