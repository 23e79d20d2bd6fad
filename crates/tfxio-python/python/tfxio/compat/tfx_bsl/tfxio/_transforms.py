"""Transforms of Apache Beam that data sets are made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import apache_beam as beam
import pyarrow as pa

from tfxio.compat.tfx_bsl.coders import batch_util
from tfxio.compat.tfx_bsl.tfxio._decoding import Decoder


class _Chain(beam.PTransform):
    """Transforms one after the other, by their labels."""

    def __init__(self, label: str, steps: Mapping[str, beam.PTransform]) -> None:
        super().__init__(label)
        self._steps = dict(steps)

    def expand(self, begin: Any) -> Any:
        for label, step in self._steps.items():
            begin = begin | label >> step
        return begin


def chained(label: str, steps: Mapping[str, beam.PTransform], taken: Any, given: Any) -> beam.PTransform:
    """Returns a transform of all steps, by their labels.

    Args:
        label: The label of the transform.
        steps: What it does.
        taken: The type of the elements that it takes.
        given: The type of those that it gives.
    """
    return _Chain(label, steps).with_input_types(taken).with_output_types(given)


def given_records() -> beam.PTransform:
    """Returns a transform of the records that a pipeline has already."""
    return chained("GivenRecords", {}, bytes, bytes)


def decoded(decoder: Decoder, batch_size: int | None, telemetry_descriptors: list[str] | None) -> beam.PTransform:
    """Returns a transform from records to record batches."""
    batches = batch_util.BatchRecords(batch_size, telemetry_descriptors)
    decode = beam.Map(decoder.decode).with_output_types(pa.RecordBatch)
    return chained("Decoded", {"Batch": batches, "Decode": decode}, bytes, pa.RecordBatch)
