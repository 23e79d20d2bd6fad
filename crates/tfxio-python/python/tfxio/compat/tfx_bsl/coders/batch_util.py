"""Records into batches, in Apache Beam."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import apache_beam as beam
from absl import flags
from apache_beam.metrics import Metrics

from tfxio.compat.tfx_bsl.telemetry import util

__all__ = ["BatchRecords", "GetBatchElementsKwargs"]

#: The most records of a batch whose size Beam finds by trial.
_BATCH_SIZE_CAP = 1000
#: The bytes of the records of a batch, and the most records of it, where bytes are counted.
_TARGET_BATCH_BYTES_SIZE = 20 << 20
_BATCH_SIZE_CAP_WITH_BYTE_TARGET = 8192
_BY_BYTES = "tfxio_use_byte_size_batching"

# The flag is there already if tfx-bsl itself was imported.
if _BY_BYTES not in flags.FLAGS:
    flags.DEFINE_bool(
        _BY_BYTES, False, "Batches of records have a number of bytes; otherwise Beam finds how many records suit by trial."
    )


def _by_bytes() -> bool:
    return bool(flags.FLAGS[_BY_BYTES].value) if flags.FLAGS.is_parsed() else False


def GetBatchElementsKwargs(batch_size: int | None, element_size_fn: Callable[[Any], int] = len) -> dict[str, Any]:
    """Returns the arguments of `beam.BatchElements`.

    Args:
        batch_size: How many records a batch has. If it is `None`, Beam finds it by trial, up to 1,000; or, with the flag
            `tfxio_use_byte_size_batching`, batches have 20 MiB and at most 8,192 records.
        element_size_fn: Returns the bytes of a record.
    """
    if batch_size is not None:
        return {"min_batch_size": batch_size, "max_batch_size": batch_size}
    if _by_bytes():
        least = -(-_TARGET_BATCH_BYTES_SIZE // _BATCH_SIZE_CAP_WITH_BYTE_TARGET)
        return {
            "min_batch_size": _TARGET_BATCH_BYTES_SIZE,
            "max_batch_size": _TARGET_BATCH_BYTES_SIZE,
            "element_size_fn": lambda element: max(element_size_fn(element), least),
        }
    # Beam's defaults change from version to version.
    tuning = {
        "min_batch_size": 1,
        "max_batch_size": _BATCH_SIZE_CAP,
        "target_batch_overhead": 0.05,
        "target_batch_duration_secs": 1,
        "variance": 0.25,
    }
    if "target_batch_duration_secs_including_fixed_cost" in inspect.signature(beam.BatchElements).parameters:
        tuning["target_batch_duration_secs_including_fixed_cost"] = 1
    return tuning


T = beam.typehints.TypeVariable("T")


@beam.ptransform_fn
@beam.typehints.with_input_types(T)
@beam.typehints.with_output_types(beam.typehints.List[T])
def BatchRecords(
    records: Any,
    batch_size: int | None,
    telemetry_descriptors: Sequence[str] | None,
    record_size_fn: Callable[[Any], int] = len,
) -> Any:
    """Makes lists of records.

    Args:
        records: The collection of records.
        batch_size: How many records a list has, or `None`: see `GetBatchElementsKwargs`.
        telemetry_descriptors: The namespace of the counters `desired_batch_size` and `tfxio_use_byte_size_batching`, in `tfx`.
        record_size_fn: Returns the bytes of a record.
    """
    namespace = util.MakeTfxNamespace(telemetry_descriptors or ["Unknown"])

    def count(_: None) -> None:
        Metrics.counter(namespace, _BY_BYTES).inc(int(_by_bytes()))
        Metrics.counter(namespace, "desired_batch_size").inc(batch_size or 0)

    _ = records.pipeline | "Once" >> beam.Create([None]) | "Count" >> beam.Map(count)
    return records | "BatchElements" >> beam.BatchElements(**GetBatchElementsKwargs(batch_size, record_size_fn))
