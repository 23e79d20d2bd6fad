"""What data sets of records that this package decodes have in common, by where the records are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import apache_beam as beam
import pyarrow as pa
import tensorflow as tf
from tensorflow_metadata.proto.v0 import schema_pb2

from tfxio.compat.tfx_bsl.tfxio import dataset_options, record_based_tfxio, tensor_adapter, tensor_representation_util
from tfxio.compat.tfx_bsl.tfxio._decoding import Decoder, ExampleDecoder
from tfxio.compat.tfx_bsl.tfxio._reading import raised_as_by_tensorflow, record_batches, require_files
from tfxio.compat.tfx_bsl.tfxio._tensorflow import adapted_dataset
from tfxio.compat.tfx_bsl.tfxio._transforms import decoded, given_records


def file_patterns(file_pattern: str | Sequence[str]) -> list[str]:
    """Returns paths or patterns as a list.

    Raises:
        AssertionError: There are none.
    """
    patterns = [file_pattern] if isinstance(file_pattern, str) else list(file_pattern)
    if not patterns:
        raise AssertionError("Must provide at least one file pattern.")
    return patterns


class DecodedRecords(record_based_tfxio.RecordBasedTFXIO):
    """Records that a decoder makes record batches of."""

    def SupportAttachingRawRecords(self) -> bool:
        return True

    def decoder(self, has_raw_records: bool) -> Decoder:
        """Returns the decoder, with or without the column of raw records."""
        raise NotImplementedError

    def _RawRecordToRecordBatchInternal(self, batch_size: int | None = None) -> beam.PTransform:
        return decoded(self.decoder(has_raw_records=True), batch_size, self._telemetry_descriptors)


class DecodedExamples(DecodedRecords):
    """Records of tf.Example or of tf.SequenceExample, with or without a schema of TensorFlow Metadata."""

    _schema: schema_pb2.Schema | None
    _is_sequence = False

    def decoder(self, has_raw_records: bool) -> ExampleDecoder:
        schema = None if self._schema is None else self._schema.SerializeToString()
        column = self._raw_record_column_name if has_raw_records else None
        return ExampleDecoder(schema, column, is_sequence=self._is_sequence)

    def _ArrowSchemaNoRawRecordColumn(self) -> pa.Schema:
        return self.decoder(has_raw_records=False).arrow_schema()

    def TensorRepresentations(self) -> tensor_adapter.TensorRepresentations:
        return tensor_representation_util.InferTensorRepresentationsFromMixedSchema(self._schema)


class GivenRecords(DecodedRecords):
    """Records that a pipeline has already."""

    def _RawRecordBeamSourceInternal(self) -> beam.PTransform:
        return given_records()

    def TensorFlowDataset(self, options: dataset_options.TensorFlowDatasetOptions) -> Any:
        name = type(self).__name__
        raise NotImplementedError(f"{name} is unable to provide a TensorFlowDataset because it does not do I/O: use BeamSource")


class RecordsOfFiles(DecodedRecords):
    """Records of TFRecord files."""

    _file_pattern: list[str]

    def _RawRecordBeamSourceInternal(self) -> beam.PTransform:
        return record_based_tfxio.ReadTfRecord(self._file_pattern)

    def RecordBatches(self, options: dataset_options.RecordBatchesOptions) -> Iterator[pa.RecordBatch]:
        if options.batch_size is not None and options.batch_size < 1:
            raise tf.errors.InvalidArgumentError(None, None, f"Batch size must be greater than zero, not {options.batch_size}.")
        require_files(self._file_pattern)
        yield from raised_as_by_tensorflow(record_batches(self._file_pattern, self.decoder(has_raw_records=True), options))


class ExamplesOfFiles(RecordsOfFiles, DecodedExamples):
    """Records of tf.Example or of tf.SequenceExample in TFRecord files."""

    def TensorFlowDataset(self, options: dataset_options.TensorFlowDatasetOptions) -> Any:
        """Returns batches of the tensors by name; pairs of the features and the label, if the options name one.

        The records are read, decoded and turned into tensors by this package, in a thread of `tf.data`.

        Raises:
            ValueError: There is no schema, a representation does not fit it, or the label is not a tensor.
            InvalidArgumentError: There are no files. It is the error of TensorFlow.
        """
        if self._schema is None:
            raise ValueError("Unable to create a parsing config because no schema is provided.")
        require_files(self._file_pattern)
        decoder = self.decoder(has_raw_records=False)
        config = tensor_adapter.TensorAdapterConfig(decoder.arrow_schema(), self.TensorRepresentations())
        adapter = tensor_adapter.TensorAdapter(config)
        dataset = adapted_dataset(lambda: record_batches(self._file_pattern, decoder, options), adapter)
        return dataset if options.label_key is None else self._PopLabelFeatureFromDataset(dataset, options.label_key)
