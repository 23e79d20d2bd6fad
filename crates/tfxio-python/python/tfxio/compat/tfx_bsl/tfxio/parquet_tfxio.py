"""Rows of Parquet files."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator, Sequence
from typing import Any

import apache_beam as beam
import pyarrow as pa
from tensorflow_metadata.proto.v0 import schema_pb2

from tfxio._dataset import open as open_dataset
from tfxio.compat.tfx_bsl.coders import batch_util, csv_decoder
from tfxio.compat.tfx_bsl.tfxio import (
    dataset_options,
    record_based_tfxio,
    telemetry,
    tensor_adapter,
    tensor_representation_util,
    tfxio,
)
from tfxio.compat.tfx_bsl.tfxio._transforms import chained

__all__ = ["ParquetTFXIO"]


class ParquetTFXIO(record_based_tfxio.RecordBasedTFXIO):
    """Rows of Parquet files.

    Args:
        file_pattern: Paths or patterns.
        column_names: The columns; all, if it is left out.
        min_bundle_size: How many bytes a worker of a pipeline reads at once, at least.
        schema: A schema of TensorFlow Metadata: the columns are of its types.
        validate: Whether it is an error, where the pipeline is made, if there is no such file.
        telemetry_descriptors: The component that reads, for its counters.
    """

    def __init__(
        self,
        file_pattern: str | Sequence[str],
        *,
        column_names: list[str] | None = None,
        min_bundle_size: int = 0,
        schema: schema_pb2.Schema | None = None,
        validate: bool = True,
        telemetry_descriptors: list[str] | None = None,
    ) -> None:
        super().__init__(telemetry_descriptors, "parquet", "parquet")
        self._file_pattern = [file_pattern] if isinstance(file_pattern, str) else list(file_pattern)
        self._column_names = column_names
        self._min_bundle_size = min_bundle_size
        self._schema = schema
        self._validate = validate

    def _read(self, read: Any) -> beam.PTransform:
        """Returns a transform of all patterns by a transform of Beam's."""
        transforms = [
            read(pattern, min_bundle_size=self._min_bundle_size, validate=self._validate, columns=self._column_names)
            for pattern in self._file_pattern
        ]
        return _ReadAll(transforms)

    def _RawRecordBeamSourceInternal(self) -> beam.PTransform:
        pickled = beam.Map(pickle.dumps).with_output_types(bytes)
        return chained("Rows", {"Read": self._read(beam.io.ReadFromParquet), "Encode": pickled}, Any, bytes)

    def _RawRecordToRecordBatchInternal(self, batch_size: int | None = None) -> beam.PTransform:
        steps = {
            "Decode": beam.Map(pickle.loads),
            "Batch": batch_util.BatchRecords(batch_size, self._telemetry_descriptors),
            "ToRecordBatch": beam.Map(_batch, self.ArrowSchema()),
        }
        return chained("RowsToRecordBatch", steps, bytes, pa.RecordBatch)

    def BeamSource(self, batch_size: int | None = None) -> beam.PTransform:
        """Returns a transform to record batches: tables as they are read, cut to the size, no row by itself."""
        counted = telemetry.ProfileRecordBatches(
            self._telemetry_descriptors, self._logical_format, self._physical_format
        )
        steps = {
            "Read": self._read(beam.io.ReadFromParquetBatched),
            "ToRecordBatch": beam.FlatMap(_batches, batch_size),
            "CollectRecordBatchTelemetry": counted,
        }
        return chained("BeamSource", steps, Any, pa.RecordBatch)

    def RecordBatches(self, options: dataset_options.RecordBatchesOptions) -> Iterator[pa.RecordBatch]:
        raise NotImplementedError("ParquetTFXIO has no record batches but those of BeamSource: use tfxio.ParquetTFXIO")

    def TensorFlowDataset(self, options: dataset_options.TensorFlowDatasetOptions) -> Any:
        raise NotImplementedError("ParquetTFXIO has no data set of tf.data: use tfxio.ParquetTFXIO")

    def _ArrowSchemaNoRawRecordColumn(self) -> pa.Schema:
        if self._schema is None:
            return pa.schema(open_dataset(self._file_pattern, format="parquet").schema)
        names = self._column_names or [feature.name for feature in self._schema.feature]
        return csv_decoder.GetArrowSchema(names, self._schema)

    def TensorRepresentations(self) -> tensor_adapter.TensorRepresentations:
        return tensor_representation_util.InferTensorRepresentationsFromMixedSchema(self._schema)

    def _ProjectImpl(self, tensor_names: list[str]) -> tfxio.TFXIO:
        projected = copy.copy(self)
        schema = tensor_representation_util.ProjectTensorRepresentationsInSchema(self._schema, tensor_names)
        projected._schema = schema
        projected._column_names = [feature.name for feature in schema.feature]
        return projected


def _batches(table: pa.Table, rows: int | None) -> list[pa.RecordBatch]:
    batches: list[pa.RecordBatch] = table.to_batches(rows)
    return batches


def _batch(rows: list[dict[str, Any]], schema: pa.Schema) -> pa.RecordBatch:
    columns = [pa.array([row[field.name] for row in rows], field.type) for field in schema]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


class _ReadAll(beam.PTransform):
    """What several transforms read."""

    def __init__(self, transforms: list[beam.PTransform]) -> None:
        super().__init__()
        self._transforms = transforms

    def expand(self, begin: Any) -> Any:
        read = [begin | f"Pattern[{number}]" >> each for number, each in enumerate(self._transforms)]
        return read | beam.Flatten()
