"""Records of tf.Example: of TFRecord files, or such that a pipeline has already."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import apache_beam as beam
import pyarrow as pa
from tensorflow_metadata.proto.v0 import schema_pb2

from tfxio.compat.tfx_bsl.tfxio import (
    dataset_options,
    record_based_tfxio,
    tensor_adapter,
    tensor_representation_util,
    tfxio,
)
from tfxio.compat.tfx_bsl.tfxio._decoding import ExampleDecoder
from tfxio.compat.tfx_bsl.tfxio._parsing import parser_config
from tfxio.compat.tfx_bsl.tfxio._reading import record_batches
from tfxio.compat.tfx_bsl.tfxio._tensorflow import adapted_dataset
from tfxio.compat.tfx_bsl.tfxio._transforms import decoded, given_records

__all__ = ["TFExampleBeamRecord", "TFExampleRecord"]


class _TFExampleRecordBase(record_based_tfxio.RecordBasedTFXIO):
    """Records of tf.Example, with or without a schema of TensorFlow Metadata."""

    def __init__(
        self,
        schema: schema_pb2.Schema | None = None,
        raw_record_column_name: str | None = None,
        telemetry_descriptors: list[str] | None = None,
        physical_format: str | None = None,
    ) -> None:
        super().__init__(telemetry_descriptors, "tf_example", physical_format or "unknown", raw_record_column_name)
        self._schema = schema

    def SupportAttachingRawRecords(self) -> bool:
        return True

    def _decoder(self, raw_record_column: str | None = None) -> ExampleDecoder:
        schema = None if self._schema is None else self._schema.SerializeToString()
        return ExampleDecoder(schema, raw_record_column)

    def _RawRecordToRecordBatchInternal(self, batch_size: int | None = None) -> beam.PTransform:
        return decoded(self._decoder(self._raw_record_column_name), batch_size, self._telemetry_descriptors)

    def _ArrowSchemaNoRawRecordColumn(self) -> pa.Schema:
        return self._decoder().arrow_schema()

    def TensorRepresentations(self) -> tensor_adapter.TensorRepresentations:
        return tensor_representation_util.InferTensorRepresentationsFromMixedSchema(self._schema)

    def _GetTfExampleParserConfig(self) -> tuple[dict[str, Any], dict[str, str]]:
        """Returns the specs by which `tf.io.parse_example` makes the tensors, and the name of the tensor of each.

        Raises:
            ValueError: There is no schema, or two tensors need the same feature in different ways, which `tf.io` has not.
        """
        if self._schema is None:
            raise ValueError("Unable to create a parsing config because no schema is provided.")
        return parser_config(self._schema, self.TensorRepresentations())


class TFExampleBeamRecord(_TFExampleRecordBase):
    """Records of tf.Example that a pipeline has already.

    Args:
        physical_format: How they lay in files, for counters.
        telemetry_descriptors: The component that reads, for its counters.
        schema: A schema of TensorFlow Metadata.
        raw_record_column_name: The last column, which has the records as they are; without it there is none.
    """

    def __init__(
        self,
        physical_format: str,
        telemetry_descriptors: list[str] | None = None,
        schema: schema_pb2.Schema | None = None,
        raw_record_column_name: str | None = None,
    ) -> None:
        super().__init__(schema, raw_record_column_name, telemetry_descriptors, physical_format)

    def _RawRecordBeamSourceInternal(self) -> beam.PTransform:
        return given_records()

    def _ProjectImpl(self, tensor_names: list[str]) -> tfxio.TFXIO:
        schema = tensor_representation_util.ProjectTensorRepresentationsInSchema(self._schema, tensor_names)
        return TFExampleBeamRecord(
            self._physical_format, self._telemetry_descriptors, schema, self._raw_record_column_name
        )

    def TensorFlowDataset(self, options: dataset_options.TensorFlowDatasetOptions) -> Any:
        raise NotImplementedError("TFExampleBeamRecord reads no files by itself: use BeamSource")


class TFExampleRecord(_TFExampleRecordBase):
    """Records of tf.Example in TFRecord files.

    Args:
        file_pattern: Paths or patterns.
        validate: Has no meaning.
        schema: A schema of TensorFlow Metadata.
        raw_record_column_name: The last column, which has the records as they are; without it there is none.
        telemetry_descriptors: The component that reads, for its counters.
    """

    def __init__(
        self,
        file_pattern: str | Sequence[str],
        validate: bool = True,
        schema: schema_pb2.Schema | None = None,
        raw_record_column_name: str | None = None,
        telemetry_descriptors: list[str] | None = None,
    ) -> None:
        super().__init__(schema, raw_record_column_name, telemetry_descriptors, "tfrecords_gzip")
        self._file_pattern = [file_pattern] if isinstance(file_pattern, str) else list(file_pattern)
        if not self._file_pattern:
            raise AssertionError("Must provide at least one file pattern.")

    def _RawRecordBeamSourceInternal(self) -> beam.PTransform:
        return record_based_tfxio.ReadTfRecord(self._file_pattern)

    def _ProjectImpl(self, tensor_names: list[str]) -> tfxio.TFXIO:
        return TFExampleRecord(
            self._file_pattern,
            schema=tensor_representation_util.ProjectTensorRepresentationsInSchema(self._schema, tensor_names),
            raw_record_column_name=self._raw_record_column_name,
            telemetry_descriptors=self._telemetry_descriptors,
        )

    def RecordBatches(self, options: dataset_options.RecordBatchesOptions) -> Iterator[pa.RecordBatch]:
        return record_batches(self._file_pattern, self._decoder(self._raw_record_column_name), options)

    def TensorFlowDataset(self, options: dataset_options.TensorFlowDatasetOptions) -> Any:
        """Returns batches of the tensors by name; pairs of the features and the label, if the options name one.

        The records are read, decoded and turned into tensors by this package, in a thread of `tf.data`.

        Raises:
            ValueError: There is no schema, a representation does not fit it, or the label is not a tensor.
        """
        decoder = self._decoder()
        config = tensor_adapter.TensorAdapterConfig(decoder.arrow_schema(), self.TensorRepresentations())
        adapter = tensor_adapter.TensorAdapter(config)
        dataset = adapted_dataset(lambda: record_batches(self._file_pattern, decoder, options), adapter)
        return dataset if options.label_key is None else self._PopLabelFeatureFromDataset(dataset, options.label_key)
