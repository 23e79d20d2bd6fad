"""The columns that a tensor is made of."""

from __future__ import annotations

from tensorflow_metadata.proto.v0 import schema_pb2

from tfxio.compat.tfx_bsl.arrow.path import ColumnPath


def GetSourceColumnsFromTensorRepresentation(
    tensor_representation: schema_pb2.TensorRepresentation,
) -> list[ColumnPath]:
    """Returns the paths of all columns that the tensor needs, those of indices and row lengths too."""
    kind = tensor_representation.WhichOneof("kind")
    if kind is None:
        return []
    if kind == "sparse_tensor":
        sparse = tensor_representation.sparse_tensor
        indices = [ColumnPath(name) for name in sparse.index_column_names]
        return [*indices, ColumnPath(sparse.value_column_name)] if sparse.HasField("value_column_name") else indices
    values = GetSourceValueColumnFromTensorRepresentation(tensor_representation)
    if kind != "ragged_tensor":
        return [values]
    partitions = tensor_representation.ragged_tensor.partition
    lengths = [partition.row_length for partition in partitions if partition.HasField("row_length")]
    return [values, *(values.parent().child(name) for name in lengths)]


def GetSourceValueColumnFromTensorRepresentation(
    tensor_representation: schema_pb2.TensorRepresentation,
) -> ColumnPath:
    """Returns the path of the column that has the values of the tensor.

    Raises:
        KeyError: The representation is of no kind, or of one that is not known.
    """
    kind = tensor_representation.WhichOneof("kind")
    if kind == "ragged_tensor":
        return ColumnPath.from_proto(tensor_representation.ragged_tensor.feature_path)
    if kind == "sparse_tensor":
        return ColumnPath(tensor_representation.sparse_tensor.value_column_name)
    if kind in ("dense_tensor", "varlen_sparse_tensor"):
        return ColumnPath(getattr(tensor_representation, kind).column_name)
    raise KeyError(kind)
