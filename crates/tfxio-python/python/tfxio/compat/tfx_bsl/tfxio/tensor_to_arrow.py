"""Tensors of TensorFlow as record batches, and how to turn these into the tensors again."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import tensorflow as tf
from tensorflow_metadata.proto.v0 import schema_pb2

from tfxio.compat.tfx_bsl.tfxio._columns_of_tensors import TensorColumns, columns_of


class TensorsToRecordBatchConverter:
    """Turns tensors of known specs into record batches.

    Args:
        type_specs: The spec of each tensor, by name.
        options: How columns are named, and which tensors are generic sparse ones.

    Raises:
        ValueError: No columns hold tensors of a spec, or two tensors want columns of one name.
    """

    class Options:
        """How sparse tensors become columns.

        Args:
            sparse_tensor_value_column_name_template: The name of the column of values, by the name of the tensor.
            sparse_tensor_index_column_name_template: The name of each column of indices, by the name of the tensor and the number.
            generic_sparse_tensor_names: Tensors of two dimensions whose values do not lie at 0, 1, 2, … of each row, so that
                they need a column of indices.
        """

        def __init__(
            self,
            sparse_tensor_value_column_name_template: str = "{tensor_name}$values",
            sparse_tensor_index_column_name_template: str = "{tensor_name}$index{index}",
            generic_sparse_tensor_names: frozenset[str] = frozenset(),
        ) -> None:
            self.sparse_tensor_value_column_name_template = sparse_tensor_value_column_name_template
            self.sparse_tensor_index_column_name_template = sparse_tensor_index_column_name_template
            self.generic_sparse_tensor_names = generic_sparse_tensor_names

    def __init__(self, type_specs: dict[str, tf.TypeSpec], options: Options | None = None) -> None:
        options = options or self.Options()
        self._tensors: dict[str, TensorColumns] = {}
        owners: dict[str, str] = {}
        fields: list[pa.Field] = []
        for name, spec in sorted(type_specs.items()):
            self._tensors[name] = columns_of(name, spec, options)
            for field in self._tensors[name].fields:
                if field.name in owners:
                    raise ValueError(
                        f"Handler for tensor {name} produces a column of a conflicting name: {field.name}, "
                        f"which is a column of {owners[field.name]}"
                    )
                owners[field.name] = name
                fields.append(field)
        self._arrow_schema = pa.schema(fields)

    def arrow_schema(self) -> pa.Schema:
        """Returns the schema of the batches. The columns are in the order of the names of the tensors."""
        return self._arrow_schema

    def tensor_representations(self) -> dict[str, schema_pb2.TensorRepresentation]:
        """Returns what makes the tensors of the batches again, by name."""
        return {name: columns.representation() for name, columns in self._tensors.items()}

    def convert(self, tensors: dict[str, Any]) -> pa.RecordBatch:
        """Returns the tensors as a batch.

        Args:
            tensors: Tensors, or values of tensors, by name: all those that have specs.

        Raises:
            AssertionError: There are more or fewer tensors than specs, or the rows of a sparse tensor are not in order.
            KeyError: A tensor that has a spec is not there.
            TypeError: A tensor is not of its spec.
            ValueError: The tensors have different numbers of rows.
        """
        if len(tensors) != len(self._tensors):
            raise AssertionError(f"tensors {sorted(tensors)}, expected {sorted(self._tensors)}")
        arrays: list[pa.Array] = []
        for name, columns in self._tensors.items():
            tensor = tensors[name]
            try:
                arrays.extend(columns.arrays(tensor))
            except Exception as error:
                error.args = (f"tensor '{name}': {tensor}\na type_spec of {columns.spec}", *error.args)
                raise
        return pa.record_batch(arrays, schema=self._arrow_schema)
