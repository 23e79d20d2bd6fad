"""What data sets of records have in common: the records may be read by themselves, and decoded afterwards."""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import apache_beam as beam
import pyarrow as pa

from tfxio.compat.tfx_bsl.tfxio import dataset_options, telemetry, tfxio
from tfxio.compat.tfx_bsl.tfxio._raw_records import RAW_RECORDS, AppendRawRecordColumn, CreateRawRecordColumn
from tfxio.compat.tfx_bsl.tfxio._transforms import chained

__all__ = [
    "AppendRawRecordColumn",
    "CreateRawRecordColumn",
    "OverridableRecordBasedTFXIO",
    "ReadTfRecord",
    "RecordBasedTFXIO",
]


class RecordBasedTFXIO(tfxio.TFXIO):
    """A data set of records.

    Args:
        telemetry_descriptors: The component that reads, for its counters.
        logical_format: What records are.
        physical_format: How they lie in files.
        raw_record_column_name: The last column of the record batches, which has the records as they are; without it there is none.
    """

    def __init__(
        self,
        telemetry_descriptors: list[str] | None,
        logical_format: str,
        physical_format: str,
        raw_record_column_name: str | None = None,
    ) -> None:
        super().__init__()
        if raw_record_column_name is not None and not self.SupportAttachingRawRecords():
            raise AssertionError(f"{type(self).__name__} has no column of raw records")
        self._telemetry_descriptors = telemetry_descriptors
        self._logical_format = logical_format
        self._physical_format = physical_format
        self._raw_record_column_name = raw_record_column_name

    @property
    def raw_record_column_name(self) -> str | None:
        """The column that has the records as they are."""
        return self._raw_record_column_name

    @property
    def telemetry_descriptors(self) -> list[str] | None:
        """The component that reads."""
        return self._telemetry_descriptors

    def SupportAttachingRawRecords(self) -> bool:
        """Returns whether there can be a column of raw records."""
        return False

    def RawRecordBeamSource(self) -> beam.PTransform:
        """Returns a transform to the records. `BeamSource` is it and `RawRecordToRecordBatch`."""
        counted = telemetry.ProfileRawRecords(
            self._telemetry_descriptors, self._logical_format, self._physical_format
        )
        steps = {"ReadRawRecords": self._RawRecordBeamSourceInternal(), "CollectRawRecordTelemetry": counted}
        return chained("RawRecordBeamSource", steps, Any, bytes)

    def RawRecordToRecordBatch(self, batch_size: int | None = None) -> beam.PTransform:
        """Returns a transform from records to record batches.

        Args:
            batch_size: Rows a batch; as Beam finds best, if it is left out.
        """
        counted = telemetry.ProfileRecordBatches(
            self._telemetry_descriptors, self._logical_format, self._physical_format
        )
        decoded = self._RawRecordToRecordBatchInternal(batch_size)
        steps = {"RawRecordToRecordBatch": decoded, "CollectRecordBatchTelemetry": counted}
        return chained("RawRecordToRecordBatch", steps, bytes, pa.RecordBatch)

    def BeamSource(self, batch_size: int | None = None) -> beam.PTransform:
        steps = {
            "RawRecordBeamSource": self.RawRecordBeamSource(),
            "RawRecordToRecordBatch": self.RawRecordToRecordBatch(batch_size),
        }
        return chained("BeamSource", steps, Any, pa.RecordBatch)

    @abc.abstractmethod
    def _RawRecordBeamSourceInternal(self) -> beam.PTransform:
        """Returns a transform to the records."""

    @abc.abstractmethod
    def _RawRecordToRecordBatchInternal(self, batch_size: int | None = None) -> beam.PTransform:
        """Returns a transform from records to record batches."""

    @abc.abstractmethod
    def _ArrowSchemaNoRawRecordColumn(self) -> pa.Schema:
        """Returns the schema of the record batches, but for the column of raw records."""

    def ArrowSchema(self) -> pa.Schema:
        schema, name = self._ArrowSchemaNoRawRecordColumn(), self._raw_record_column_name
        if name is None:
            return schema
        if schema.get_field_index(name) != -1:
            raise ValueError(f"Raw record column name {name} collided with a column in the schema: {schema.names}")
        return schema.append(pa.field(name, RAW_RECORDS))

    def RecordBatches(self, options: dataset_options.RecordBatchesOptions) -> Iterator[pa.RecordBatch]:
        raise NotImplementedError(f"{type(self).__name__} reads no files by itself: use BeamSource")

    def RawRecordTensorFlowDataset(self, options: dataset_options.TensorFlowDatasetOptions) -> Any:
        """Returns a data set of `tf.data` for each group of files, in a data set."""
        raise NotImplementedError(f"{type(self).__name__} has no groups of files")

    def _PopLabelFeatureFromDataset(self, dataset: Any, label_key: str) -> Any:
        """Returns pairs of the other tensors by name, and the label.

        Raises:
            ValueError: There is no such tensor.
        """
        if label_key not in self.TensorRepresentations():
            names = ", ".join(sorted(self.TensorRepresentations()))
            raise ValueError(f"The `label_key` provided ({label_key}) is not a tensor: there are {names}.")
        return dataset.map(
            lambda tensors: ({name: each for name, each in tensors.items() if name != label_key}, tensors[label_key])
        )


@beam.ptransform_fn
@beam.typehints.with_input_types(beam.Pipeline)
@beam.typehints.with_output_types(bytes)
def ReadTfRecord(pipeline: Any, file_pattern: Sequence[str]) -> Any:
    """Reads the records of all TFRecord files of some patterns, of which there is one at least."""
    if not file_pattern:
        raise AssertionError("Must provide at least one file pattern.")
    read = [
        pipeline | f"ReadFromTFRecord[{number}]" >> beam.io.ReadFromTFRecord(pattern, coder=beam.coders.BytesCoder())
        for number, pattern in enumerate(file_pattern)
    ]
    return read | "Flatten" >> beam.Flatten()


class OverridableRecordBasedTFXIO(RecordBasedTFXIO):
    """A data set of records whose transforms are given.

    Args:
        telemetry_descriptors: The component that reads.
        logical_format: What records are.
        physical_format: How they lie in files.
        raw_record_beam_source: Returns a transform to the records.
        raw_record_to_record_batch: Returns, by the rows of a batch, a transform from records to record batches.
    """

    def __init__(
        self,
        telemetry_descriptors: list[str] | None,
        logical_format: str,
        physical_format: str,
        raw_record_beam_source: Callable[[], beam.PTransform],
        raw_record_to_record_batch: Callable[[int | None], beam.PTransform],
    ) -> None:
        super().__init__(telemetry_descriptors, logical_format, physical_format)
        self._raw_record_beam_source = raw_record_beam_source
        self._raw_record_to_record_batch = raw_record_to_record_batch

    def _RawRecordBeamSourceInternal(self) -> beam.PTransform:
        return self._raw_record_beam_source()

    def _RawRecordToRecordBatchInternal(self, batch_size: int | None = None) -> beam.PTransform:
        return self._raw_record_to_record_batch(batch_size)

    def _ArrowSchemaNoRawRecordColumn(self) -> pa.Schema:
        raise NotImplementedError

    def TensorRepresentations(self) -> Any:
        raise NotImplementedError

    def TensorFlowDataset(self, options: dataset_options.TensorFlowDatasetOptions) -> Any:
        raise NotImplementedError

    def _ProjectImpl(self, tensor_names: list[str]) -> tfxio.TFXIO:
        raise NotImplementedError
