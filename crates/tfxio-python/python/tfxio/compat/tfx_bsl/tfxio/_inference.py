"""Tensors of a schema that says nothing of tensors: which the features suggest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from absl import logging
from tensorflow_metadata.proto.v0 import path_pb2, schema_pb2

from tfxio.compat.tfx_bsl.arrow.path import ColumnPath
from tfxio.compat.tfx_bsl.tfxio._source_columns import GetSourceColumnsFromTensorRepresentation

Representation: TypeAlias = schema_pb2.TensorRepresentation

#: The stages of features that no tensor is made of.
_DISQUALIFYING_LIFECYCLE_STAGES = (
    schema_pb2.DEPRECATED,
    schema_pb2.DISABLED,
    schema_pb2.PLANNED,
    schema_pb2.ALPHA,
    schema_pb2.DEBUG_ONLY,
    schema_pb2.VALIDATION_DERIVED,
)


def InferTensorRepresentationsFromSchema(schema: schema_pb2.Schema) -> dict[str, Representation]:
    """Returns a representation for each feature of the schema, by its name.

    A sparse feature becomes a sparse tensor, and the features that it is made of none. A feature with a shape becomes a dense tensor,
    one within a struct a ragged tensor. All others vary in length: sparse, or ragged where the schema says so.

    Raises:
        ValueError: A feature has a shape and may be absent, or the parts of a sparse feature do not fit.
        NotImplementedError: A struct has structs or sparse features in it.
    """
    remaining = {feature.name: feature for feature in schema.feature}
    inferred = {
        feature.name: _sparse(feature, remaining) for feature in schema.sparse_feature if _qualifies(feature)
    }
    for feature in filter(_qualifies, remaining.values()):
        if feature.type == schema_pb2.STRUCT:
            inferred |= _of_struct(feature)
        elif feature.HasField("shape"):
            inferred[feature.name] = _dense(feature)
        elif schema.represent_variable_length_as_ragged:
            inferred[feature.name] = _ragged(path_pb2.Path(step=[feature.name]))
        else:
            varying = Representation.VarLenSparseTensor(column_name=feature.name)
            inferred[feature.name] = Representation(varlen_sparse_tensor=varying)
    return inferred


def representations_in_addition(
    stated: Mapping[str, Representation], inferred: Mapping[str, Representation]
) -> dict[str, Representation]:
    """Returns the inferred representations of features that no stated one uses. What is stated keeps its name."""
    used = {str(path) for each in stated.values() for path in GetSourceColumnsFromTensorRepresentation(each)}
    unused = {name: each for name, each in inferred.items() if name not in used}
    for name in unused.keys() & stated.keys():
        logging.warning("The tensor %s of the schema is made of other columns: the feature %s has no tensor.", name, name)
    return {name: each for name, each in unused.items() if name not in stated}


def _qualifies(feature: schema_pb2.Feature | schema_pb2.SparseFeature) -> bool:
    return not feature.deprecated and feature.lifecycle_stage not in _DISQUALIFYING_LIFECYCLE_STAGES


def _dense(feature: schema_pb2.Feature) -> Representation:
    if feature.presence.min_fraction != 1:
        raise ValueError(
            f"Feature {feature.name} had shape {feature.shape} set but min_fraction {feature.presence.min_fraction} != 1.  "
            "Use value_count not shape field when min_fraction != 1."
        )
    return Representation(dense_tensor=Representation.DenseTensor(column_name=feature.name, shape=feature.shape))


def _ragged(path: path_pb2.Path) -> Representation:
    return Representation(ragged_tensor=Representation.RaggedTensor(feature_path=path))


def _of_struct(feature: schema_pb2.Feature) -> dict[str, Representation]:
    """Returns the representations of the features within a struct, by their paths."""
    if feature.struct_domain.sparse_feature:
        raise NotImplementedError(
            f"Got sparse features in struct domain of {feature.name}. Struct features with sparse domains are not supported."
        )
    ragged = {}
    for child in feature.struct_domain.feature:
        if child.type == schema_pb2.STRUCT:
            raise NotImplementedError(
                f"Got STRUCT feature {child.name} in struct domain of {feature.name}. "
                "STRUCT features with multiple levels of nestedness are not supported."
            )
        path = ColumnPath((feature.name, child.name))
        ragged[str(path)] = _ragged(path.to_proto())
    return ragged


def _sparse(sparse: schema_pb2.SparseFeature, remaining: dict[str, schema_pb2.Feature]) -> Representation:
    """Returns the representation of a sparse feature, and takes the features that it is made of out of `remaining`."""

    def part(role: str, name: str) -> schema_pb2.Feature:
        feature = remaining.pop(name, None)
        if feature is None:
            again = " or was referred to as an index or value multiple times." if role == "value" else ""
            raise ValueError(f"sparse_feature {sparse.name} referred to {role} feature {name} which did not exist in the schema{again}")
        return feature

    names = [index.name for index in sparse.index_feature]
    sizes = [_size(sparse.name, feature) for feature in [part("index", name) for name in names]]
    part("value", sparse.value_feature.name)
    tensor = Representation.SparseTensor(
        dense_shape=schema_pb2.FixedShape(dim=[schema_pb2.FixedShape.Dim(size=size) for size in sizes]),
        index_column_names=names,
        value_column_name=sparse.value_feature.name,
        # Stated only where it is so: a field that is set to false differs from one that is not set.
        already_sorted=sparse.is_sorted or None,
    )
    return Representation(sparse_tensor=tensor)


def _size(sparse: str, index: schema_pb2.Feature) -> int:
    """Returns the size of a dimension by the domain of its indices, -1 for any size."""
    if not index.HasField("int_domain"):
        return -1
    domain = index.int_domain
    for end, word in (("min", "minimum"), ("max", "maximum")):
        if not domain.HasField(end):
            raise ValueError(
                f"Cannot determine dense shape of sparse feature {sparse}. "
                f"The {word} domain value of index feature {index.name} is not set."
            )
        if end == "min" and domain.min != 0:
            raise ValueError(
                f"Only 0-based index features are supported. Sparse feature {sparse} has index feature {index.name} "
                f"whose minimum domain value is {domain.min}."
            )
    return int(domain.max) + 1
