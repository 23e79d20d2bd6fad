"""Lines of CSV: of files, or such that a pipeline has already."""

from __future__ import annotations

import copy
from typing import Any

import apache_beam as beam
import pyarrow as pa
from tensorflow_metadata.proto.v0 import schema_pb2

from tfxio.compat.tfx_bsl.coders import csv_decoder
from tfxio.compat.tfx_bsl.tfxio import (
    dataset_options,
    record_based_tfxio,
    tensor_adapter,
    tensor_representation_util,
    tfxio,
)
from tfxio.compat.tfx_bsl.tfxio._transforms import chained, given_records

__all__ = ["BeamRecordCsvTFXIO", "CsvTFXIO"]


class _CsvTFXIOBase(record_based_tfxio.RecordBasedTFXIO):
    """Lines of CSV.

    Args:
        physical_format: How they lie in files, for counters.
        column_names: The names of the columns, in the order of the cells.
        delimiter: What separates cells.
        skip_blank_lines: Whether blank lines are left out; otherwise all columns are null there.
        multivalent_columns: The columns whose cells have several values.
        secondary_delimiter: What separates these.
        schema: A schema of TensorFlow Metadata: its features are the columns, and they are of its types.
        raw_record_column_name: The last column, which has the lines as they are; without it there is none.
        telemetry_descriptors: The component that reads, for its counters.

    Raises:
        ValueError: The schema has a feature that is not a column.
    """

    def __init__(
        self,
        physical_format: str,
        column_names: list[str],
        delimiter: str | None = ",",
        skip_blank_lines: bool = True,
        multivalent_columns: list[str] | None = None,
        secondary_delimiter: str | None = None,
        schema: schema_pb2.Schema | None = None,
        raw_record_column_name: str | None = None,
        telemetry_descriptors: list[str] | None = None,
    ) -> None:
        super().__init__(telemetry_descriptors, "csv", physical_format, raw_record_column_name)
        features = [] if schema is None else [feature.name for feature in schema.feature]
        if not set(features) <= set(column_names):
            raise ValueError(f"Schema features are not a subset of column names: {column_names} vs {features}")
        self._schema = schema
        self._column_names = column_names
        self._decode: dict[str, Any] = {
            "column_names": column_names,
            "delimiter": delimiter,
            "skip_blank_lines": skip_blank_lines,
            "multivalent_columns": multivalent_columns,
            "secondary_delimiter": secondary_delimiter,
            "raw_record_column_name": raw_record_column_name,
        }
        self._is_projected = False

    def SupportAttachingRawRecords(self) -> bool:
        return True

    def _RawRecordToRecordBatchInternal(self, batch_size: int | None = None) -> beam.PTransform:
        decode = csv_decoder.CSVToRecordBatch(desired_batch_size=batch_size, schema=self._schema, **self._decode)
        text = beam.Map(bytes.decode).with_input_types(bytes).with_output_types(str)
        return chained("DecodeCSV", {"BytesToStr": text, "CSVToRecordBatch": decode}, bytes, pa.RecordBatch)

    def _ArrowSchemaNoRawRecordColumn(self) -> pa.Schema:
        if self._schema is None:
            raise ValueError("TFMD schema not provided. Unable to derive an Arrow schema")
        return csv_decoder.GetArrowSchema(self._column_names, self._schema)

    def TensorRepresentations(self) -> tensor_adapter.TensorRepresentations:
        if self._is_projected:
            return self._stated_or_inferred()
        return tensor_representation_util.InferTensorRepresentationsFromMixedSchema(self._schema)

    def _stated_or_inferred(self) -> tensor_adapter.TensorRepresentations:
        stated = tensor_representation_util.GetTensorRepresentationsFromSchema(self._schema)
        if stated is not None:
            return stated
        return tensor_representation_util.InferTensorRepresentationsFromSchema(self._schema)

    def _ProjectImpl(self, tensor_names: list[str]) -> tfxio.TFXIO:
        """Returns the same lines with some of the tensors. All columns are decoded: a line has all cells."""
        chosen = {name: each for name, each in self._stated_or_inferred().items() if name in tensor_names}
        projected = copy.copy(self)
        projected._schema = schema_pb2.Schema()
        projected._schema.CopyFrom(self._schema)
        tensor_representation_util.SetTensorRepresentationsInSchema(projected._schema, chosen)
        projected._is_projected = True
        return projected

    def TensorFlowDataset(self, options: dataset_options.TensorFlowDatasetOptions) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no data set of tf.data: use BeamSource")


class BeamRecordCsvTFXIO(_CsvTFXIOBase):
    """Lines of CSV that a pipeline has already, as bytes. The arguments are those of all data sets of CSV."""

    def _RawRecordBeamSourceInternal(self) -> beam.PTransform:
        return given_records()


class CsvTFXIO(_CsvTFXIOBase):
    """Lines of CSV files. The arguments are those of all data sets of CSV, and these.

    Args:
        file_pattern: The pattern of the files.
        validate: Whether it is an error, where the pipeline is made, if there is no such file.
        skip_header_lines: How many first lines of each file are left out.
    """

    def __init__(
        self,
        file_pattern: str,
        column_names: list[str],
        telemetry_descriptors: list[str] | None = None,
        validate: bool = True,
        delimiter: str | None = ",",
        skip_blank_lines: bool = True,
        multivalent_columns: list[str] | None = None,
        secondary_delimiter: str | None = None,
        schema: schema_pb2.Schema | None = None,
        raw_record_column_name: str | None = None,
        skip_header_lines: int = 0,
    ) -> None:
        super().__init__(
            "text",
            column_names,
            delimiter,
            skip_blank_lines,
            multivalent_columns,
            secondary_delimiter,
            schema,
            raw_record_column_name,
            telemetry_descriptors,
        )
        self._file_pattern = file_pattern
        self._validate = validate
        self._skip_header_lines = skip_header_lines

    def _RawRecordBeamSourceInternal(self) -> beam.PTransform:
        return beam.io.ReadFromText(
            self._file_pattern,
            coder=beam.coders.BytesCoder(),
            validate=self._validate,
            skip_header_lines=self._skip_header_lines,
        )
