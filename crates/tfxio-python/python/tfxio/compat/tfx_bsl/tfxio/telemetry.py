"""Counters of what data sets read, in Apache Beam."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator
from typing import Any

import apache_beam as beam
import numpy as np
import pyarrow as pa
from apache_beam.metrics import Metrics

from tfxio.compat.tfx_bsl.arrow import array_util, table_util
from tfxio.compat.tfx_bsl.telemetry import util

__all__ = ["ProfileRawRecords", "ProfileRecordBatches"]


@beam.ptransform_fn
@beam.typehints.with_input_types(pa.RecordBatch)
@beam.typehints.with_output_types(pa.RecordBatch)
def ProfileRecordBatches(
    pcoll: Any,
    telemetry_descriptors: list[str] | None,
    logical_format: str,
    physical_format: str,
    distribution_update_probability: float = 0.1,
) -> Any:
    """Counts rows, bytes, columns and values of record batches, which go on as they are.

    Args:
        pcoll: The record batches.
        telemetry_descriptors: The component that reads; the namespace of its counters is of it, in `tfx`, and ends in `io`.
        logical_format: What records are, such as `"tf_example"`.
        physical_format: How they lie in files.
        distribution_update_probability: For which share of the batches the values of each row are counted, which takes a while.
    """
    if not 0 < distribution_update_probability <= 1:
        raise ValueError(f"a probability above 0, up to 1, not {distribution_update_probability}")
    metrics = _Metrics(telemetry_descriptors, logical_format, physical_format)
    return pcoll | "ProfileRecordBatches" >> beam.ParDo(_ProfileRecordBatch(metrics, distribution_update_probability))


@beam.ptransform_fn
@beam.typehints.with_input_types(bytes)
@beam.typehints.with_output_types(bytes)
def ProfileRawRecords(
    pcoll: Any, telemetry_descriptors: list[str] | None, logical_format: str, physical_format: str
) -> Any:
    """Counts records and their bytes. The records go on as they are, the arguments are those of `ProfileRecordBatches`."""
    metrics = _Metrics(telemetry_descriptors, logical_format, physical_format)
    return pcoll | "ProfileRawRecords" >> beam.ParDo(_ProfileRawRecord(metrics))


class _Metrics:
    """Makes counters and distributions by name."""

    def __init__(self, telemetry_descriptors: list[str] | None, logical_format: str, physical_format: str) -> None:
        for word in (logical_format, physical_format):
            if any(mark in word for mark in "[]-"):
                raise ValueError(f"the name of a format is without [, ] and -, not {word!r}")
        self.namespace = util.MakeTfxNamespace([*(telemetry_descriptors or ["UNKNOWN_COMPONENT"]), "io"])
        self.prefix = f"LogicalFormat[{logical_format}]-PhysicalFormat[{physical_format}]-"

    def counter(self, name: str) -> Any:
        return Metrics.counter(self.namespace, self.prefix + name)

    def distribution(self, name: str) -> Any:
        return Metrics.distribution(self.namespace, self.prefix + name)


class _ValueType(enum.Enum):
    """The types of values that are counted apart."""

    INT = enum.auto()
    FLOAT = enum.auto()
    STRING = enum.auto()
    NULL = enum.auto()
    OTHER = enum.auto()

    @classmethod
    def of(cls, data_type: pa.DataType) -> _ValueType:
        types = pa.types
        if types.is_integer(data_type):
            return cls.INT
        if types.is_floating(data_type):
            return cls.FLOAT
        if types.is_null(data_type):
            return cls.NULL
        strings = (types.is_string, types.is_binary, types.is_large_string, types.is_large_binary)
        return cls.STRING if any(is_one(data_type) for is_one in strings) else cls.OTHER


class _ProfileRawRecord(beam.DoFn):
    """Counts records and their bytes."""

    def __init__(self, metrics: _Metrics) -> None:
        self._records = metrics.counter("num_raw_records")
        self._bytes = metrics.distribution("raw_record_byte_size")

    def process(self, record: bytes) -> Iterator[bytes]:
        self._records.inc()
        self._bytes.update(len(record))
        yield record


class _ProfileRecordBatch(beam.DoFn):
    """Counts the rows and bytes of batches, and the cells of each type; of some batches the columns and values of each row too.

    A cell is the value of a row in a column. It has as many values as there are in the lists and structs of which it is made.
    """

    def __init__(self, metrics: _Metrics, probability: float) -> None:
        self._probability = probability
        self._rows = metrics.distribution("num_rows")
        self._bytes = metrics.distribution("record_batch_byte_size")
        self._columns = metrics.distribution("num_columns")
        self._values = metrics.distribution("num_feature_values")
        self._values_of = {type: metrics.distribution(f"num_feature_values[{type.name}]") for type in _ValueType}
        self._cells_of = {type: metrics.counter(f"num_cells[{type.name}]") for type in _ValueType}

    def process(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        self._rows.update(batch.num_rows)
        self._bytes.update(table_util.TotalByteSize(batch, ignore_unsupported=True))
        for column in batch:
            self._count_cells(column)
        if np.random.random() < self._probability:
            self._count_columns(batch)
            rows = np.arange(batch.num_rows)
            for column in batch:
                for type, rows_of_values in _leaves(column, rows):
                    self._count_values(type, np.bincount(rows_of_values, minlength=batch.num_rows).tolist())
        yield batch

    def _count_cells(self, column: pa.Array) -> None:
        type, there = column.type, len(column) - column.null_count
        if pa.types.is_null(type):
            self._cells_of[_ValueType.NULL].inc(len(column))
        elif array_util.is_list_like(type):
            self._cells_of[_ValueType.of(type.value_type)].inc(there)
        else:
            self._cells_of[_ValueType.OTHER].inc(there)

    def _count_columns(self, batch: pa.RecordBatch) -> None:
        there = np.full(batch.num_rows, batch.num_columns)
        for column in batch:
            there -= np.asarray(array_util.GetArrayNullBitmapAsByteArray(column))
        for columns in there.tolist():
            self._columns.update(columns)

    def _count_values(self, type: _ValueType, counts: Iterable[int]) -> None:
        for count in counts:
            self._values.update(count)
            self._values_of[type].update(count)


def _leaves(array: pa.Array, rows: Any) -> Iterator[tuple[_ValueType, Any]]:
    """Yields the type and the row of each value of the innermost arrays of a column, given the row of each slot."""
    if array_util.is_list_like(array.type):
        parents = np.asarray(array_util.GetFlattenedArrayParentIndices(array))
        yield from _leaves(array.flatten(), rows[parents])
    elif pa.types.is_struct(array.type):
        for child in array.flatten():
            yield from _leaves(child, rows)
    else:
        yield _ValueType.of(array.type), rows
