"""Which tensors a schema of TensorFlow Metadata has, and which columns they need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tensorflow_metadata.proto.v0 import schema_pb2

from tfxio.compat.tfx_bsl.arrow.path import ColumnPath
from tfxio.compat.tfx_bsl.tfxio._inference import (
    _DISQUALIFYING_LIFECYCLE_STAGES,
    InferTensorRepresentationsFromSchema,
    representations_in_addition,
)
from tfxio.compat.tfx_bsl.tfxio._parsing import CreateTfExampleParserConfig, CreateTfSequenceExampleParserConfig
from tfxio.compat.tfx_bsl.tfxio._source_columns import (
    GetSourceColumnsFromTensorRepresentation,
    GetSourceValueColumnFromTensorRepresentation,
)

__all__ = [
    "_DISQUALIFYING_LIFECYCLE_STAGES",
    "CreateTfExampleParserConfig",
    "CreateTfSequenceExampleParserConfig",
    "GetSourceColumnsFromTensorRepresentation",
    "GetSourceValueColumnFromTensorRepresentation",
    "GetTensorRepresentationsFromSchema",
    "InferTensorRepresentationsFromMixedSchema",
    "InferTensorRepresentationsFromSchema",
    "ProjectTensorRepresentationsInSchema",
    "SetTensorRepresentationsInSchema",
    "ValidateTensorRepresentationsInSchema",
]

_DEFAULT_TENSOR_REPRESENTATION_GROUP = ""


def SetTensorRepresentationsInSchema(
    schema: schema_pb2.Schema,
    tensor_representations: Mapping[str, schema_pb2.TensorRepresentation],
    tensor_representation_group_name: str = _DEFAULT_TENSOR_REPRESENTATION_GROUP,
) -> None:
    """Replaces the representations of a group of the schema."""
    group = schema.tensor_representation_group[tensor_representation_group_name].tensor_representation
    group.clear()
    for name, representation in tensor_representations.items():
        group[name].CopyFrom(representation)


def GetTensorRepresentationsFromSchema(
    schema: schema_pb2.Schema,
    tensor_representation_group_name: str = _DEFAULT_TENSOR_REPRESENTATION_GROUP,
) -> dict[str, schema_pb2.TensorRepresentation] | None:
    """Returns the representations of a group by the names of the tensors, `None` if the schema has no such group."""
    if tensor_representation_group_name not in schema.tensor_representation_group:
        return None
    return dict(schema.tensor_representation_group[tensor_representation_group_name].tensor_representation)


def InferTensorRepresentationsFromMixedSchema(
    schema: schema_pb2.Schema,
) -> dict[str, schema_pb2.TensorRepresentation]:
    """Returns the representations that the schema states, and inferred ones for the features that these do not use."""
    inferred = InferTensorRepresentationsFromSchema(schema)
    stated = GetTensorRepresentationsFromSchema(schema)
    return inferred if stated is None else stated | representations_in_addition(stated, inferred)


def ProjectTensorRepresentationsInSchema(schema: schema_pb2.Schema, tensor_names: Iterable[str]) -> schema_pb2.Schema:
    """Returns a schema of some tensors: their representations and the features that are their columns.

    Raises:
        ValueError: The schema has no such tensor, or a tensor needs a column that is not a feature of the schema.
    """
    every = GetTensorRepresentationsFromSchema(schema)
    if every is None:
        every = InferTensorRepresentationsFromSchema(schema)
    wanted = set(tensor_names)
    missing = wanted - every.keys()
    if missing:
        raise ValueError(
            f"Unable to project {missing} because they were not in the original or inferred TensorRepresentations."
        )
    chosen = {name: representation for name, representation in every.items() if name in wanted}
    columns = _source_columns(chosen)
    projected = schema_pb2.Schema(feature=[feature for feature in schema.feature if ColumnPath(feature.name) in columns])
    absent = columns - {ColumnPath(feature.name) for feature in projected.feature}
    if absent:
        raise ValueError(f"TensorRepresentations source columns {absent} are not present in the schema.")
    SetTensorRepresentationsInSchema(projected, chosen)
    return projected


def ValidateTensorRepresentationsInSchema(
    schema: schema_pb2.Schema,
    tensor_representation_group_name: str = _DEFAULT_TENSOR_REPRESENTATION_GROUP,
) -> None:
    """Checks that the representations of a group use features of the schema, and all of them.

    Raises:
        ValueError: There is no such group, a representation uses what is not a feature, or a feature is not used.
    """
    stated = GetTensorRepresentationsFromSchema(schema, tensor_representation_group_name)
    if stated is None:
        raise ValueError(
            "TensorRepresentations are not found in the schema. Did you specify correct group name? "
            f"It has no group {tensor_representation_group_name!r}: {sorted(schema.tensor_representation_group)}"
        )
    used = _source_columns(stated)
    leaves = {path for feature in schema.feature for path in _leaves(feature, ())}
    if used - leaves:
        raise ValueError(f"Features referred in TensorRepresentations but not found in the schema: {used - leaves}")
    if leaves - used:
        raise ValueError(f"Features present in the schema but not referred in any TensorRepresentation: {leaves - used}")


def _source_columns(representations: Mapping[str, schema_pb2.TensorRepresentation]) -> set[ColumnPath]:
    return {path for each in representations.values() for path in GetSourceColumnsFromTensorRepresentation(each)}


def _leaves(feature: schema_pb2.Feature, parents: tuple[str, ...]) -> Iterable[ColumnPath]:
    """Yields the paths of a feature that is not a struct, or of those within a struct."""
    steps = (*parents, feature.name)
    if feature.type != schema_pb2.STRUCT:
        yield ColumnPath(steps)
        return
    for child in feature.struct_domain.feature:
        yield from _leaves(child, steps)
