"""Data sets as sources of Apache Beam."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import apache_beam as beam
import pyarrow

from tfxio._dataset import Dataset
from tfxio._lib import Partition, Request


class ReadRecordBatches(beam.PTransform):  # type: ignore[misc, unused-ignore]
    """Reads a data set as record batches of pyarrow: the partitions are divided among the workers."""

    def __init__(self, dataset: Dataset, columns: list[str] | None, batch_size: int, partition_bytes: int) -> None:
        super().__init__()
        self._dataset = dataset
        # Beam says how many partitions are read at once.
        self._request = Request(columns=columns, batch_size=batch_size, threads=1)
        self._partition_bytes = partition_bytes

    def expand(self, begin: Any) -> Any:
        """Appends the source to the beginning of a pipeline."""
        partitions = self._dataset.partitions(self._partition_bytes)
        planned = begin | "Partitions" >> beam.Create(partitions, reshuffle=True)
        read = beam.FlatMap(_scan, self._dataset, self._request).with_output_types(pyarrow.RecordBatch)
        return planned | "Scan" >> read


def _scan(partition: Partition, dataset: Dataset, request: Request) -> Iterator[pyarrow.RecordBatch]:
    for batch in dataset.scan(partition, request):
        yield pyarrow.record_batch(batch)
