"""Records that a saved graph of TensorFlow decodes: of TFRecord files, or such that a pipeline has already."""

from __future__ import annotations

import contextlib
import copy
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import apache_beam as beam
import pyarrow as pa
import tensorflow as tf
from apache_beam.metrics import Metrics
from apache_beam.utils.shared import Shared

from tfxio.compat.tfx_bsl.coders import batch_util, tf_graph_record_decoder
from tfxio.compat.tfx_bsl.telemetry import util
from tfxio.compat.tfx_bsl.tfxio import (
    dataset_options,
    dataset_util,
    record_based_tfxio,
    tensor_adapter,
    tensor_to_arrow,
    tfxio,
)
from tfxio.compat.tfx_bsl.tfxio._records import file_patterns
from tfxio.compat.tfx_bsl.tfxio._transforms import chained, given_records

__all__ = ["BeamRecordToTensorTFXIO", "RecordToTensorTFXIO", "TFRecordToTensorTFXIO"]


class RecordToTensorTFXIO(record_based_tfxio.RecordBasedTFXIO):
    """Records that a decoder makes tensors of, and these become record batches.

    Args:
        saved_decoder_path: The folder where `save_decoder` has saved the decoder.
        telemetry_descriptors: The component that reads, for its counters.
        physical_format: How the records lie in files.
        use_singleton_decoder: Whether all threads of a worker share a decoder.
        raw_record_column_name: The last column, which has the records as they are; without it there is none.

    Raises:
        ValueError: There is a column of the name of the raw one, or the record of each row is not in a ragged or sparse tensor.
    """

    def __init__(
        self,
        saved_decoder_path: str,
        telemetry_descriptors: list[str],
        physical_format: str,
        use_singleton_decoder: bool,
        raw_record_column_name: str | None,
    ) -> None:
        super().__init__(telemetry_descriptors, "tensor", physical_format, raw_record_column_name)
        self._saved_decoder_path = saved_decoder_path
        self._use_singleton_decoder = use_singleton_decoder
        decoder = tf_graph_record_decoder.load_decoder(saved_decoder_path)
        converter = tensor_to_arrow.TensorsToRecordBatchConverter(decoder.output_type_specs())
        self._schema = converter.arrow_schema()
        self._representations = converter.tensor_representations()
        if raw_record_column_name in self._schema.names:
            raise ValueError(f"raw record column name: {raw_record_column_name} collided with an existing column.")
        index = decoder.record_index_tensor_name
        self._record_index_column = None if index is None else _column(index, self._representations[index])

    def SupportAttachingRawRecords(self) -> bool:
        return True

    def TensorRepresentations(self) -> tensor_adapter.TensorRepresentations:
        return self._representations

    def DecodeFunction(self) -> Callable[[tf.Tensor], dict[str, Any]]:
        """Returns the function of TensorFlow that makes tensors, by name, of a tensor of records."""
        return tf_graph_record_decoder.load_decoder(self._saved_decoder_path).decode_record

    def _RawRecordToRecordBatchInternal(self, batch_size: int | None = None) -> beam.PTransform:
        decode = _RecordsToRecordBatch(
            self._saved_decoder_path,
            self._telemetry_descriptors,
            Shared() if self._use_singleton_decoder else None,
            self._raw_record_column_name,
            self._record_index_column,
        )
        batches = batch_util.BatchRecords(batch_size, self._telemetry_descriptors)
        return chained("DecodeTensors", {"Batch": batches, "Decode": beam.ParDo(decode)}, bytes, pa.RecordBatch)

    def _ArrowSchemaNoRawRecordColumn(self) -> pa.Schema:
        return self._schema

    def _ProjectImpl(self, tensor_names: list[str]) -> tfxio.TFXIO:
        """Returns the same records with some of the tensors. All columns are decoded: the graph makes all tensors."""
        projected = copy.copy(self)
        projected._representations = {
            name: each for name, each in self._representations.items() if name in tensor_names
        }
        return projected


class BeamRecordToTensorTFXIO(RecordToTensorTFXIO):
    """Records that a pipeline has already.

    Args:
        saved_decoder_path: The folder where `save_decoder` has saved the decoder, which all workers can read.
        telemetry_descriptors: The component that reads, for its counters.
        physical_format: How the records lay in files, for counters.
        raw_record_column_name: The last column, which has the records as they are; without it there is none.
        experimental_use_singleton_decoder: Whether all threads of a worker share a decoder.
    """

    def __init__(
        self,
        saved_decoder_path: str,
        telemetry_descriptors: list[str],
        physical_format: str,
        raw_record_column_name: str | None,
        experimental_use_singleton_decoder: bool = False,
    ) -> None:
        super().__init__(
            saved_decoder_path,
            telemetry_descriptors,
            physical_format,
            experimental_use_singleton_decoder,
            raw_record_column_name,
        )

    def _RawRecordBeamSourceInternal(self) -> beam.PTransform:
        return given_records()

    def TensorFlowDataset(self, options: dataset_options.TensorFlowDatasetOptions) -> tf.data.Dataset:
        raise NotImplementedError("BeamRecordToTensorTFXIO reads no files by itself: use BeamSource")


class TFRecordToTensorTFXIO(RecordToTensorTFXIO):
    """Records of TFRecord files.

    Args:
        file_pattern: Paths or patterns.
        saved_decoder_path: The folder where `save_decoder` has saved the decoder, which all workers can read.
        telemetry_descriptors: The component that reads, for its counters.
        raw_record_column_name: The last column, which has the records as they are; without it there is none.
    """

    def __init__(
        self,
        file_pattern: str | Sequence[str],
        saved_decoder_path: str,
        telemetry_descriptors: list[str],
        raw_record_column_name: str | None = None,
    ) -> None:
        super().__init__(saved_decoder_path, telemetry_descriptors, "tfrecords_gzip", False, raw_record_column_name)
        self._file_pattern = file_patterns(file_pattern)

    def _RawRecordBeamSourceInternal(self) -> beam.PTransform:
        return record_based_tfxio.ReadTfRecord(self._file_pattern)

    def TensorFlowDataset(self, options: dataset_options.TensorFlowDatasetOptions) -> tf.data.Dataset:
        """Returns batches of the tensors by name; pairs of the features and the label, if the options name one.

        Read and decoded by TensorFlow, as the graph is TensorFlow's. Where the graph does not make one row of each record, batches have
        other sizes than the options say.

        Raises:
            ValueError: The label is not a tensor.
        """
        records = dataset_util.make_tf_record_dataset(
            self._file_pattern,
            options.batch_size,
            options.drop_final_batch,
            options.num_epochs,
            options.shuffle,
            options.shuffle_buffer_size,
            options.shuffle_seed,
            options.reader_num_threads,
            options.sloppy_ordering,
        )
        decode, names = self.DecodeFunction(), set(self._representations)
        dataset = records.map(lambda record: {name: each for name, each in decode(record).items() if name in names})
        if options.label_key is not None:
            dataset = self._PopLabelFeatureFromDataset(dataset, options.label_key)
        return dataset.prefetch(options.prefetch_buffer_size)


def _column(tensor: str, representation: Any) -> str:
    """Returns the column of the tensor that has the record of each row."""
    if representation.HasField("ragged_tensor"):
        return str(representation.ragged_tensor.feature_path.step[0])
    if representation.HasField("varlen_sparse_tensor"):
        return str(representation.varlen_sparse_tensor.column_name)
    raise ValueError(f"the record of each row is in a ragged or sparse tensor of two dimensions, and {tensor} is {representation}")


class _Decoder:
    """A decoder that is loaded, and warm. Threads may share it."""

    def __init__(self, path: str) -> None:
        # Graphs may have the operations of struct2tensor, which are there once it is imported.
        with contextlib.suppress(ImportError, tf.errors.NotFoundError):
            __import__("struct2tensor")
        decoder = tf_graph_record_decoder.load_decoder(path)
        self.decode = decoder.decode_record
        self.converter = tensor_to_arrow.TensorsToRecordBatchConverter(decoder.output_type_specs())
        # The first call makes the graph ready; whether it can decode no records is of no account.
        with contextlib.suppress(tf.errors.OpError):
            self.decode(tf.constant([], tf.string))


class _RecordsToRecordBatch(beam.DoFn):
    """Decodes lists of records."""

    def __init__(
        self,
        path: str,
        telemetry_descriptors: list[str] | None,
        shared: Shared | None,
        raw_record_column: str | None,
        record_index_column: str | None,
    ) -> None:
        super().__init__()
        self._path = path
        self._shared = shared
        self._raw_record_column = raw_record_column
        self._record_index_column = record_index_column
        namespace = util.MakeTfxNamespace(telemetry_descriptors or ["Unknown"])
        self._load_seconds = Metrics.distribution(namespace, "record_to_tensor_tfxio_decoder_load_seconds")
        self._seconds: int | None = None
        self._decoder: Any = None

    def setup(self) -> None:
        start = time.monotonic()
        self._decoder = _Decoder(self._path) if self._shared is None else self._shared.acquire(lambda: _Decoder(self._path))
        self._seconds = int(time.monotonic() - start)

    def finish_bundle(self) -> None:
        if self._seconds is not None:
            self._load_seconds.update(self._seconds)
            self._seconds = None

    def process(self, records: list[bytes]) -> Iterator[pa.RecordBatch]:
        batch = self._decoder.converter.convert(self._decoder.decode(tf.constant(records, tf.string)))
        if self._raw_record_column is not None:
            batch = record_based_tfxio.AppendRawRecordColumn(
                batch, self._raw_record_column, records, self._record_index_column
            )
        yield batch
