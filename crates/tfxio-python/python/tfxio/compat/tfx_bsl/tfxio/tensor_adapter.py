"""Record batches as tensors of TensorFlow."""

from __future__ import annotations

from typing import Any, TypeAlias

import pyarrow as pa
import tensorflow as tf
from tensorflow_metadata.proto.v0 import schema_pb2

from tfxio import _lib
from tfxio.compat.tfx_bsl.tfxio._native_adapter import native_adapter
from tfxio.compat.tfx_bsl.tfxio._tensors import converted, sparse
from tfxio.tensorflow import type_specs

TensorRepresentations: TypeAlias = dict[str, schema_pb2.TensorRepresentation]


class TensorAdapterConfig:
    """What a `TensorAdapter` is made of.

    Args:
        arrow_schema: The schema of the record batches.
        tensor_representations: What describes the tensors, by name.
        original_type_specs: The specs of the tensors before a projection; those of the tensors, if it is left out.
    """

    def __init__(
        self,
        arrow_schema: pa.Schema,
        tensor_representations: TensorRepresentations,
        original_type_specs: dict[str, tf.TypeSpec] | None = None,
    ) -> None:
        self.arrow_schema = arrow_schema
        self.tensor_representations = tensor_representations
        self.original_type_specs = original_type_specs

    def __reduce__(self) -> tuple[Any, ...]:
        # As bytes: what pickles by reference, as cloudpickle does, cannot pickle messages of all versions of protobuf.
        described = [(name, each.SerializeToString()) for name, each in self.tensor_representations.items()]
        return _unpickled_config, (self.arrow_schema, described, self.original_type_specs)


def _unpickled_config(
    arrow_schema: pa.Schema, described: list[tuple[str, bytes]], original_type_specs: dict[str, tf.TypeSpec] | None
) -> TensorAdapterConfig:
    representations = {name: schema_pb2.TensorRepresentation.FromString(each) for name, each in described}
    return TensorAdapterConfig(arrow_schema, representations, original_type_specs)


class TensorAdapter:
    """Turns record batches of one schema into tensors.

    Raises:
        ValueError: A representation does not fit the schema, or a tensor is not among the original ones with its spec.
    """

    def __init__(self, config: TensorAdapterConfig) -> None:
        self._config = config
        self._arrow_schema = config.arrow_schema
        self._ragged = _ragged_columns(config)
        self._sparse = {
            name: each.sparse_tensor
            for name, each in config.tensor_representations.items()
            if each.HasField("sparse_tensor")
        }
        self._native = native_adapter(config.arrow_schema, config.tensor_representations)
        self._type_specs = {
            name: tf.SparseTensorSpec([None], spec.dtype) if self._is_one_value_a_row(name) else spec
            for name, spec in type_specs(self._native.specs).items()
        }
        original = config.original_type_specs
        self._original_type_specs = self._type_specs if original is None else original
        for name, spec in self._type_specs.items():
            if self._original_type_specs.get(name) != spec:
                raise ValueError(
                    "original_type_specs must be a superset of type_specs derived from TensorRepresentations: "
                    f"tensor {name} is {spec}, originally {self._original_type_specs.get(name)}"
                )

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._config,)

    def OriginalTypeSpecs(self) -> dict[str, tf.TypeSpec]:
        """Returns the specs of all tensors that there were before a projection."""
        return self._original_type_specs

    def TypeSpecs(self) -> dict[str, tf.TypeSpec]:
        """Returns the spec of each tensor, by name."""
        return self._type_specs

    def ToBatchTensors(
        self, record_batch: pa.RecordBatch, produce_eager_tensors: bool | None = None
    ) -> dict[str, Any]:
        """Returns the tensors of a batch, by name.

        Args:
            record_batch: A batch of the schema.
            produce_eager_tensors: Whether they are tensors, or arrays of numpy and values of tensors. As TensorFlow executes, if it is
                left out.

        Raises:
            RuntimeError: Tensors are asked for where TensorFlow does not execute eagerly.
            ValueError: The batch is of another schema, or a tensor cannot be made of it.
        """
        executes_eagerly = tf.executing_eagerly()
        if produce_eager_tensors and not executes_eagerly:
            raise RuntimeError("Eager Tensors were requested but eager mode was not enabled.")
        is_eager = executes_eagerly if produce_eager_tensors is None else produce_eager_tensors
        tensors = self.native_tensors(record_batch)
        return {name: self._converted(name, tensors[name], is_eager) for name in self._type_specs}

    def _converted(self, name: str, tensor: _lib.Tensor, is_eager: bool) -> Any:
        if name not in self._sparse or not isinstance(tensor, _lib.SparseTensor):
            return converted(tensor, is_eager)
        stated = [dimension.size for dimension in self._sparse[name].dense_shape.dim]
        return sparse(tensor, [len(tensor), *stated], is_eager)

    def _is_one_value_a_row(self, name: str) -> bool:
        return name in self._sparse and not self._sparse[name].index_column_names

    def native_tensors(self, record_batch: pa.RecordBatch) -> dict[str, _lib.Tensor]:
        """Returns the tensors of a batch as this package has them. Raises what `ToBatchTensors` raises."""
        if not record_batch.schema.equals(self._arrow_schema):
            raise ValueError(f"Expected same schema: {self._arrow_schema}, found {record_batch.schema}")
        self._refuse_slices(record_batch)
        batch = _lib.RecordBatch.from_arrow(record_batch)
        try:
            return self._native.tensors(batch)
        except ValueError:
            return {name: self._tensor(self._without_nulls(record_batch, name), name) for name in self._type_specs}

    def _without_nulls(self, batch: pa.RecordBatch, name: str) -> _lib.RecordBatch:
        """Returns the batch with empty lists where the lists of a dense tensor without elements are null."""
        dense = self._config.tensor_representations[name].dense_tensor
        if not dense.HasField("default_value") and any(dimension.size == 0 for dimension in dense.shape.dim):
            at = batch.schema.get_field_index(dense.column_name)
            lists = batch.column(at)
            filled = _lib.FillNullLists(lists, pa.array([], lists.type.value_type))
            batch = batch.set_column(at, batch.schema.field(at), filled)
        return _lib.RecordBatch.from_arrow(batch)

    def _tensor(self, batch: _lib.RecordBatch, name: str) -> _lib.Tensor:
        try:
            tensor: _lib.Tensor = self._native.tensors(batch, [name])[name]
            return tensor
        except ValueError as error:
            raise ValueError(f"Error raised when handling tensor '{name}'") from error

    def _refuse_slices(self, batch: pa.RecordBatch) -> None:
        """Refuses what tfx-bsl refuses. The adapter of this package reads slices."""
        for name, column in self._ragged.items():
            if batch.column(column).offset:
                raise ValueError(f"Error raised when handling tensor '{name}': the batch is a slice of another")


def _ragged_columns(config: TensorAdapterConfig) -> dict[str, str]:
    """Returns the column of each ragged tensor."""
    return {
        name: each.ragged_tensor.feature_path.step[0]
        for name, each in config.tensor_representations.items()
        if each.ragged_tensor.feature_path.step
    }
