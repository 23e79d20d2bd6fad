"""What all data sets of tfx-bsl have in common."""

from __future__ import annotations

import abc
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tfxio.compat.tfx_bsl.tfxio import dataset_options, tensor_adapter

if TYPE_CHECKING:
    import apache_beam as beam
    import tensorflow as tf


class TFXIO(abc.ABC):
    """A data set that is read as record batches of one schema and as tensors."""

    @abc.abstractmethod
    def BeamSource(self, batch_size: int | None = None) -> beam.PTransform:
        """Returns a transform of Apache Beam to record batches.

        Args:
            batch_size: Rows a batch; as Beam finds best, if it is left out.
        """

    @abc.abstractmethod
    def RecordBatches(self, options: dataset_options.RecordBatchesOptions) -> Iterator[pa.RecordBatch]:
        """Returns the record batches."""

    @abc.abstractmethod
    def ArrowSchema(self) -> pa.Schema:
        """Returns the schema of the record batches."""

    @abc.abstractmethod
    def TensorRepresentations(self) -> tensor_adapter.TensorRepresentations:
        """Returns what describes the tensors, by name."""

    @abc.abstractmethod
    def TensorFlowDataset(self, options: dataset_options.TensorFlowDatasetOptions) -> tf.data.Dataset:
        """Returns batches of the tensors by name; pairs of the features and the label, if the options name one."""

    @abc.abstractmethod
    def _ProjectImpl(self, tensor_names: list[str]) -> TFXIO:
        """Returns the same data set with some of the tensors."""

    def Project(self, tensor_names: Sequence[str]) -> TFXIO:
        """Returns the same data set with some of the tensors, and the columns that these need."""
        return _ProjectedTFXIO(self, self._ProjectImpl(list(tensor_names)))

    def TensorAdapterConfig(self) -> tensor_adapter.TensorAdapterConfig:
        """Returns what the adapter of the data set is made of."""
        return tensor_adapter.TensorAdapterConfig(self.ArrowSchema(), self.TensorRepresentations())

    def TensorAdapter(self) -> tensor_adapter.TensorAdapter:
        """Returns what turns the record batches into tensors."""
        return tensor_adapter.TensorAdapter(self.TensorAdapterConfig())


class _ProjectedTFXIO(TFXIO):
    """A data set with some of the tensors of another, which it remembers: its adapter knows the specs of all of them."""

    def __init__(self, origin: TFXIO, projected: TFXIO) -> None:
        self.origin = origin
        self.projected = projected

    def BeamSource(self, batch_size: int | None = None) -> beam.PTransform:
        return self.projected.BeamSource(batch_size)

    def RecordBatches(self, options: dataset_options.RecordBatchesOptions) -> Iterator[pa.RecordBatch]:
        return self.projected.RecordBatches(options)

    def ArrowSchema(self) -> pa.Schema:
        return self.projected.ArrowSchema()

    def TensorRepresentations(self) -> tensor_adapter.TensorRepresentations:
        return self.projected.TensorRepresentations()

    def TensorFlowDataset(self, options: dataset_options.TensorFlowDatasetOptions) -> tf.data.Dataset:
        return self.projected.TensorFlowDataset(options)

    def Project(self, tensor_names: Sequence[str]) -> TFXIO:
        return _ProjectedTFXIO(self.origin, self.projected._ProjectImpl(list(tensor_names)))

    def _ProjectImpl(self, tensor_names: list[str]) -> TFXIO:
        return self.projected._ProjectImpl(tensor_names)

    def TensorAdapterConfig(self) -> tensor_adapter.TensorAdapterConfig:
        config = self.projected.TensorAdapterConfig()
        specs: dict[str, Any] = self.origin.TensorAdapter().TypeSpecs()
        return tensor_adapter.TensorAdapterConfig(config.arrow_schema, config.tensor_representations, specs)
