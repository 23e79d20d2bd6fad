"""Records as they are: of TFRecord files, or such that a pipeline has already."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import apache_beam as beam
import pyarrow as pa
from tensorflow_metadata.proto.v0 import schema_pb2

from tfxio.compat.tfx_bsl.tfxio import dataset_options, record_based_tfxio, tensor_adapter, tfxio
from tfxio.compat.tfx_bsl.tfxio._decoding import RawDecoder
from tfxio.compat.tfx_bsl.tfxio._reading import record_batches
from tfxio.compat.tfx_bsl.tfxio._tensorflow import adapted_dataset
from tfxio.compat.tfx_bsl.tfxio._transforms import decoded, given_records

__all__ = ["RawBeamRecordTFXIO", "RawTfRecordTFXIO"]


class _RawRecordTFXIO(record_based_tfxio.RecordBasedTFXIO):
    """Records in one column of lists of one, and one tensor of strings."""

    def __init__(
        self, raw_record_column_name: str, telemetry_descriptors: list[str], physical_format: str
    ) -> None:
        super().__init__(telemetry_descriptors, "bytes", physical_format, raw_record_column_name)
        self._column = raw_record_column_name

    def SupportAttachingRawRecords(self) -> bool:
        return True

    def _RawRecordToRecordBatchInternal(self, batch_size: int | None = None) -> beam.PTransform:
        return decoded(RawDecoder(self._column), batch_size, self._telemetry_descriptors)

    def _ArrowSchemaNoRawRecordColumn(self) -> pa.Schema:
        return pa.schema([])

    def TensorRepresentations(self) -> tensor_adapter.TensorRepresentations:
        dense = schema_pb2.TensorRepresentation.DenseTensor(column_name=self._column, shape=schema_pb2.FixedShape())
        return {self._column: schema_pb2.TensorRepresentation(dense_tensor=dense)}

    def _ProjectImpl(self, tensor_names: list[str]) -> tfxio.TFXIO:
        if any(name != self._column for name in tensor_names):
            raise AssertionError(f"the one tensor is {self._column}, not {tensor_names}")
        return self


class RawBeamRecordTFXIO(_RawRecordTFXIO):
    """Records that a pipeline has already.

    Args:
        physical_format: How they lay in files, for counters.
        raw_record_column_name: The name of the column and of the tensor.
        telemetry_descriptors: The component that reads, for its counters.
    """

    def __init__(self, physical_format: str, raw_record_column_name: str, telemetry_descriptors: list[str]) -> None:
        super().__init__(raw_record_column_name, telemetry_descriptors, physical_format)

    def _RawRecordBeamSourceInternal(self) -> beam.PTransform:
        return given_records()

    def TensorFlowDataset(self, options: dataset_options.TensorFlowDatasetOptions) -> Any:
        raise NotImplementedError("RawBeamRecordTFXIO reads no files by itself: use BeamSource")


class RawTfRecordTFXIO(_RawRecordTFXIO):
    """Records of TFRecord files.

    Args:
        file_pattern: Paths or patterns.
        raw_record_column_name: The name of the column and of the tensor.
        telemetry_descriptors: The component that reads, for its counters.
    """

    def __init__(
        self, file_pattern: str | Sequence[str], raw_record_column_name: str, telemetry_descriptors: list[str]
    ) -> None:
        super().__init__(raw_record_column_name, telemetry_descriptors, "tfrecords_gzip")
        self._file_pattern = [file_pattern] if isinstance(file_pattern, str) else list(file_pattern)
        if not self._file_pattern:
            raise AssertionError("Must provide at least one file pattern.")

    def _RawRecordBeamSourceInternal(self) -> beam.PTransform:
        return record_based_tfxio.ReadTfRecord(self._file_pattern)

    def RecordBatches(self, options: dataset_options.RecordBatchesOptions) -> Iterator[pa.RecordBatch]:
        return record_batches(self._file_pattern, RawDecoder(self._column), options)

    def TensorFlowDataset(self, options: dataset_options.TensorFlowDatasetOptions) -> Any:
        decoder, adapter = RawDecoder(self._column), self.TensorAdapter()
        return adapted_dataset(lambda: record_batches(self._file_pattern, decoder, options), adapter)
