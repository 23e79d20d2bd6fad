"""The columns that hold the values of a tensor, by its kind."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

import numpy as np
import pyarrow as pa
import tensorflow as tf
from tensorflow_metadata.proto.v0 import schema_pb2

from tfxio._lib import MakeListArrayFromParentIndicesAndValues

Representation: TypeAlias = schema_pb2.TensorRepresentation


class Options(Protocol):
    """How sparse tensors become columns."""

    sparse_tensor_value_column_name_template: str
    sparse_tensor_index_column_name_template: str
    generic_sparse_tensor_names: frozenset[str]


class TensorColumns:
    """The columns of a tensor."""

    fields: list[pa.Field]

    def __init__(self, name: str, spec: Any) -> None:
        self.name = name
        self.spec = spec
        self.sizes: list[int | None] = [] if spec.shape.rank is None else spec.shape.as_list()[1:]
        self.value_type = _arrow_type(spec.dtype)
        self.fields = [pa.field(name, pa.large_list(self.value_type))]

    def representation(self) -> Representation:
        """Returns what makes the tensor of its columns again."""
        raise NotImplementedError

    def arrays(self, tensor: Any) -> list[pa.Array]:
        """Returns the values of the columns.

        Raises:
            TypeError: The tensor is not of the spec.
            AssertionError: The rows of a sparse tensor are not in order.
        """
        found = tf.type_spec_from_value(tensor)
        if not self.spec.is_compatible_with(found):
            raise TypeError(f"Expected {self.spec} but got {found}")
        return self._arrays(tensor)

    def _arrays(self, tensor: Any) -> list[pa.Array]:
        raise NotImplementedError

    def _values(self, values: Any) -> pa.Array:
        return pa.array(np.ravel(np.asarray(values)), self.value_type)


class DenseColumns(TensorColumns):
    """A column of the values of each row."""

    def representation(self) -> Representation:
        shape = _shape(self.sizes) if self.sizes else None
        dense = Representation.DenseTensor(column_name=self.name, shape=shape)
        return Representation(dense_tensor=dense)

    def _arrays(self, tensor: Any) -> list[pa.Array]:
        values = np.asarray(tensor)
        each = int(np.prod(values.shape[1:], dtype=np.int64))
        offsets = np.arange(len(values) + 1, dtype=np.int64) * each
        return [pa.LargeListArray.from_arrays(offsets, self._values(values))]


class VarLenColumns(TensorColumns):
    """A column of the values of each row, whose indices are their positions."""

    def representation(self) -> Representation:
        return Representation(varlen_sparse_tensor=Representation.VarLenSparseTensor(column_name=self.name))

    def _arrays(self, tensor: Any) -> list[pa.Array]:
        rows = _rows_of_values(tensor)
        return [_lists(tensor, rows, self._values(tensor.values))]


class SparseColumns(TensorColumns):
    """A column of values, and one of indices for each dimension but the batch."""

    def __init__(self, name: str, spec: Any, options: Options) -> None:
        super().__init__(name, spec)
        index = options.sparse_tensor_index_column_name_template
        names = [index.format(tensor_name=name, index=number) for number in range(len(self.sizes))]
        self.value_column = options.sparse_tensor_value_column_name_template.format(tensor_name=name)
        indices = [pa.field(column, pa.large_list(pa.int64())) for column in names]
        self.fields = [pa.field(self.value_column, pa.large_list(self.value_type)), *indices]

    def representation(self) -> Representation:
        sparse = Representation.SparseTensor(
            dense_shape=_shape([-1 if size is None else size for size in self.sizes]),
            value_column_name=self.value_column,
            index_column_names=[field.name for field in self.fields[1:]],
        )
        return Representation(sparse_tensor=sparse)

    def _arrays(self, tensor: Any) -> list[pa.Array]:
        rows = _rows_of_values(tensor)
        columns = np.ascontiguousarray(np.asarray(tensor.indices).T, np.int64)[1:]
        return [_lists(tensor, rows, values) for values in (self._values(tensor.values), *map(pa.array, columns))]


class RaggedColumns(TensorColumns):
    """A column of lists, as deep as there are ragged dimensions. The uniform ones within lie flat in the innermost lists."""

    def __init__(self, name: str, spec: Any) -> None:
        super().__init__(name, spec)
        nested = self.value_type
        for _ in range(spec.ragged_rank):
            nested = pa.large_list(nested)
        self.fields = [pa.field(name, nested)]

    def representation(self) -> Representation:
        is_narrow = self.spec.row_splits_dtype == tf.int32
        ragged = Representation.RaggedTensor(
            row_partition_dtype=Representation.INT32 if is_narrow else Representation.INT64,
            partition=[{"uniform_row_length": size} for size in self.sizes if size is not None],
        )
        ragged.feature_path.step.append(self.name)
        return Representation(ragged_tensor=ragged)

    def _arrays(self, tensor: Any) -> list[pa.Array]:
        levels = []
        while isinstance(tensor, (tf.RaggedTensor, tf.compat.v1.ragged.RaggedTensorValue)):
            levels.append(np.asarray(tensor.row_splits, np.int64))
            tensor = tensor.values
        values = np.asarray(tensor)
        levels[-1] = levels[-1] * int(np.prod(values.shape[1:], dtype=np.int64))
        nested = self._values(values)
        for splits in reversed(levels):
            nested = pa.LargeListArray.from_arrays(splits, nested)
        return [nested]


def columns_of(name: str, spec: tf.TypeSpec, options: Options) -> TensorColumns:
    """Returns the columns of tensors of a spec.

    Raises:
        ValueError: No columns hold such tensors.
    """
    if isinstance(spec, tf.SparseTensorSpec) and spec.dtype == tf.bool and _is_generic(name, spec, options):
        raise TypeError("Unable to handle bool tensors -- consider casting it to a tf.uint8")
    if isinstance(spec, (tf.TensorSpec, tf.SparseTensorSpec, tf.RaggedTensorSpec)) and spec.dtype != tf.bool:
        if isinstance(spec, tf.RaggedTensorSpec):
            if _is_uniform_within(spec):
                return RaggedColumns(name, spec)
        elif isinstance(spec, tf.SparseTensorSpec):
            if spec.shape.is_compatible_with([None, None]) and name not in options.generic_sparse_tensor_names:
                return VarLenColumns(name, spec)
            if _is_generic(name, spec, options):
                return SparseColumns(name, spec, options)
        elif spec.shape.rank and spec.shape[0] is None and spec.shape[1:].is_fully_defined():
            return DenseColumns(name, spec)
    raise ValueError(
        f"No handler found for tensor {name} of spec {spec}. Note that tensors with dtype == tf.bool cannot be handled in general -- "
        "consider casting them to tf.uint8. The first dimension is the batch, of any size."
    )


def _is_generic(name: str, spec: tf.SparseTensorSpec, options: Options) -> bool:
    """Returns whether a sparse tensor needs columns of indices."""
    rank = spec.shape.rank
    return rank is not None and (rank > 2 or (rank == 2 and name in options.generic_sparse_tensor_names))


def _is_uniform_within(spec: tf.RaggedTensorSpec) -> bool:
    """Returns whether there is a ragged dimension, and no uniform one but within the innermost."""
    rank, sizes = spec.ragged_rank, spec.shape.as_list()
    return rank > 0 and not any(sizes[1 : rank + 1]) and all(sizes[rank + 1 :])


def _shape(sizes: list[Any]) -> schema_pb2.FixedShape:
    return schema_pb2.FixedShape(dim=[schema_pb2.FixedShape.Dim(size=size) for size in sizes])


def _arrow_type(dtype: tf.DType) -> pa.DataType:
    return pa.large_binary() if dtype == tf.string else pa.from_numpy_dtype(dtype.as_numpy_dtype)


def _rows_of_values(tensor: Any) -> Any:
    """Returns the row of each value of a sparse tensor.

    Raises:
        AssertionError: The rows are not in order.
    """
    rows = np.ascontiguousarray(np.asarray(tensor.indices)[:, 0], np.int64)
    if np.any(rows[1:] < rows[:-1]):
        raise AssertionError("The sparse indices must be sorted: tf.sparse.reorder sorts them")
    return rows


def _lists(tensor: Any, rows: Any, values: pa.Array) -> pa.Array:
    """Returns the values of each row as a list, which is empty for a row without values."""
    count = int(np.asarray(tensor.dense_shape)[0])
    return MakeListArrayFromParentIndicesAndValues(count, pa.array(rows), values, empty_list_as_null=False)
