"""Records as they are: of TFRecord files, or such that a pipeline has already."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from tensorflow_metadata.proto.v0 import schema_pb2

from tfxio.compat.tfx_bsl.tfxio import dataset_options, tensor_adapter, tfxio
from tfxio.compat.tfx_bsl.tfxio._decoding import RawDecoder
from tfxio.compat.tfx_bsl.tfxio._reading import record_batches, require_files
from tfxio.compat.tfx_bsl.tfxio._records import DecodedRecords, GivenRecords, RecordsOfFiles, file_patterns
from tfxio.compat.tfx_bsl.tfxio._tensorflow import adapted_dataset

__all__ = ["RawBeamRecordTFXIO", "RawTfRecordTFXIO"]


class _RawRecordTFXIO(DecodedRecords):
    """Records in one column of lists of one, and one tensor of strings."""

    def __init__(
        self, raw_record_column_name: str, telemetry_descriptors: list[str], physical_format: str
    ) -> None:
        super().__init__(telemetry_descriptors, "bytes", physical_format, raw_record_column_name)
        self._column = raw_record_column_name

    def decoder(self, has_raw_records: bool) -> RawDecoder:
        return RawDecoder(self._column)

    def _ArrowSchemaNoRawRecordColumn(self) -> pa.Schema:
        return pa.schema([])

    def TensorRepresentations(self) -> tensor_adapter.TensorRepresentations:
        dense = schema_pb2.TensorRepresentation.DenseTensor(column_name=self._column, shape=schema_pb2.FixedShape())
        return {self._column: schema_pb2.TensorRepresentation(dense_tensor=dense)}

    def _ProjectImpl(self, tensor_names: list[str]) -> tfxio.TFXIO:
        if any(name != self._column for name in tensor_names):
            raise AssertionError(f"the one tensor is {self._column}, not {tensor_names}")
        return self


class RawBeamRecordTFXIO(GivenRecords, _RawRecordTFXIO):
    """Records that a pipeline has already.

    Args:
        physical_format: How they lay in files, for counters.
        raw_record_column_name: The name of the column and of the tensor.
        telemetry_descriptors: The component that reads, for its counters.
    """

    def __init__(self, physical_format: str, raw_record_column_name: str, telemetry_descriptors: list[str]) -> None:
        super().__init__(raw_record_column_name, telemetry_descriptors, physical_format)


class RawTfRecordTFXIO(RecordsOfFiles, _RawRecordTFXIO):
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
        self._file_pattern = file_patterns(file_pattern)

    def TensorFlowDataset(self, options: dataset_options.TensorFlowDatasetOptions) -> Any:
        require_files(self._file_pattern)
        decoder, adapter = self.decoder(has_raw_records=True), self.TensorAdapter()
        return adapted_dataset(lambda: record_batches(self._file_pattern, decoder, options), adapter)
