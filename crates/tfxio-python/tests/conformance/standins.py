"""Kinds that the names of tfx-bsl answer, which need TensorFlow or its metadata: representations of schemas, and tensors as columns."""

from __future__ import annotations

import importlib
import tempfile
from pathlib import Path
from typing import Any

import tfxio

from columns import batch, same_batch, same_schema, schema
from golden import Case, Unreachable, check, decoded, equal, phase

#: What tfx-bsl raises beside ValueError.
ALSO = (AssertionError, AttributeError, IndexError, KeyError, NotImplementedError)


def _module(name: str) -> Any:
    """Returns a module of the stand-in."""
    try:
        return importlib.import_module(f"tfxio.compat.tfx_bsl.tfxio.{name}")
    except ImportError as missing:
        raise Unreachable(f"tfxio.compat.tfx_bsl.tfxio.{name} needs what is not installed: {missing}") from missing


def _schema(inputs: dict[str, Any]) -> Any:
    from tensorflow_metadata.proto.v0 import schema_pb2

    return inputs["schema"] and schema_pb2.Schema.FromString(decoded(inputs["schema"]["b64"]))


def _message(value: dict[str, Any]) -> Any:
    from tensorflow_metadata.proto.v0 import schema_pb2

    return schema_pb2.TensorRepresentation.FromString(decoded(value["b64"]))


def representations(case: Case, expected: dict[str, Any]) -> None:
    """Judges `tensor_representation_util`."""
    inputs = case.inputs
    name = inputs["function"]
    module = _module("tf_example_record" if name.startswith("TFExampleRecord.") else "tensor_representation_util")

    def ours() -> dict[str, Any]:
        from tensorflow_metadata.proto.v0 import schema_pb2

        if name.startswith("TFExampleRecord."):
            return _parser_config(module, inputs)
        function = getattr(module, name, None)
        if function is None:
            raise Unreachable(f"{name} is private in tfx-bsl")
        with phase("call", also=ALSO):
            match name:
                case "GetTensorRepresentationsFromSchema":
                    return {"tensor_representations": function(_schema(inputs), inputs["group_name"])}
                case "InferTensorRepresentationsFromSchema" | "InferTensorRepresentationsFromMixedSchema":
                    return {"tensor_representations": function(_schema(inputs))}
                case "ValidateTensorRepresentationsInSchema":
                    function(_schema(inputs), inputs["group_name"])
                    return {"valid": True}
                case "ProjectTensorRepresentationsInSchema":
                    return {"schema": function(_schema(inputs), inputs["tensor_names"])}
                case "GetSourceColumnsFromTensorRepresentation":
                    return {"paths": [list(path.steps()) for path in function(_message(inputs["tensor_representation"]))]}
                case "GetSourceValueColumnFromTensorRepresentation":
                    return {"path": list(function(_message(inputs["tensor_representation"])).steps())}
                case "CreateTfExampleParserConfig":
                    kind = schema_pb2.FeatureType.Value(inputs["feature_type"])
                    return {"feature": _parser(function(_message(inputs["tensor_representation"]), kind))}
                case "CreateTfSequenceExampleParserConfig":
                    context, sequence = function(_schema(inputs))
                    return {"context_features": _parsers(context), "sequence_features": _parsers(sequence)}
        raise AssertionError(f"the harness does not know the function {name}")

    def same(ours: dict[str, Any], ok: dict[str, Any]) -> None:
        equal(sorted(ours), sorted(ok), "the members")
        for member, found in ours.items():
            recorded = ok[member]
            if member == "tensor_representations":
                wanted = recorded and {name: str(_message(of)) for name, of in sorted(recorded.items())}
                equal(found and {name: str(of) for name, of in sorted(found.items())}, wanted)
            elif member == "schema":
                equal(str(found), str(_schema({"schema": recorded})))
            elif member == "feature":
                equal(found, recorded)
            elif isinstance(recorded, dict):
                equal(dict(sorted(found.items())), dict(sorted(recorded.items())), member)
            else:
                equal(found, recorded, member)

    check(ours, expected, same)


def _parser_config(module: Any, inputs: dict[str, Any]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder, phase("call", also=ALSO):
        opened = module.TFExampleRecord(str(Path(folder) / "none"), schema=_schema(inputs), telemetry_descriptors=["test"])
        config, names = opened._GetTfExampleParserConfig()
        return {"parser_config": _parsers(config), "feature_name_to_tensor_name": names}


def _parsers(features: dict[str, Any]) -> dict[str, Any]:
    return {name: _parser(feature) for name, feature in features.items()}


def _parser(feature: Any) -> dict[str, Any]:
    """Returns a feature of `tf.io` as a PARSER."""
    import tensorflow as tf

    kind = type(feature).__name__
    members: dict[str, Any] = {"kind": kind}
    if kind == "FixedLenFeature":
        default = feature.default_value
        values = None if default is None else [of.decode("latin-1") if isinstance(of, bytes) else of for of in _flat(default)]
        return {**members, "shape": list(feature.shape), "dtype": feature.dtype.name, "default_value": values}
    if kind == "VarLenFeature":
        return {**members, "dtype": feature.dtype.name}
    if kind == "SparseFeature":
        index = feature.index_key if isinstance(feature.index_key, list) else [feature.index_key]
        size = [int(of) for of in (feature.size if isinstance(feature.size, (list, tuple)) else [feature.size])]
        keys = {"index_key": index, "value_key": feature.value_key, "dtype": feature.dtype.name, "size": size}
        return {**members, **keys, "already_sorted": feature.already_sorted}
    partitions = [
        {"kind": "RowLengths", "key": of.key}
        if isinstance(of, tf.io.RaggedFeature.RowLengths)
        else {"kind": "UniformRowLength", "length": int(of.length)}
        for of in feature.partitions
    ]
    ragged = {"dtype": feature.dtype.name, "value_key": feature.value_key, "partitions": partitions}
    return {**members, **ragged, "row_splits_dtype": feature.row_splits_dtype.name}


def _flat(values: Any) -> list[Any]:
    return [of for value in values for of in _flat(value)] if isinstance(values, (list, tuple)) else [values]


def _spec(value: dict[str, Any]) -> Any:
    import tensorflow as tf

    dtype = tf.as_dtype(value["dtype"])
    if value["kind"] == "dense":
        return tf.TensorSpec(value["shape"], dtype)
    if value["kind"] == "sparse":
        return tf.SparseTensorSpec(value["shape"], dtype)
    splits = tf.as_dtype(value["row_splits_dtype"])
    return tf.RaggedTensorSpec(value["shape"], dtype, ragged_rank=value["ragged_rank"], row_splits_dtype=splits)


def _tensor(value: dict[str, Any]) -> Any:
    import numpy as np
    import tensorflow as tf

    def array(values: list[Any], shape: Any) -> Any:
        if value["dtype"] == "string":
            return np.array([text.encode("latin-1") for text in values], object).reshape(shape)
        if "float" in value["dtype"]:
            values = [float(number) for number in values]
        return np.array(values, value["dtype"]).reshape(shape)

    dtype = tf.as_dtype(value["dtype"])
    if value["kind"] == "dense":
        return tf.constant(array(value["values"], value["shape"]), dtype)
    if value["kind"] == "sparse":
        rank = len(value["dense_shape"])
        indices = np.array(value["indices"], "int64").reshape(-1, rank)
        return tf.SparseTensor(indices, tf.constant(array(value["values"], -1), dtype), value["dense_shape"])
    flat = tf.constant(array(value["flat_values"]["values"], value["flat_values"]["shape"]), dtype)
    splits = [np.array(of, value["row_splits_dtype"]) for of in value["row_splits"]]
    return tf.RaggedTensor.from_nested_row_splits(flat, splits, validate=False)


def tensors_to_record_batch(case: Case, expected: dict[str, Any]) -> None:
    """Judges `tensors_to_record_batch`: tensors of TensorFlow as columns."""
    module = _module("tensor_to_arrow")
    inputs, options = case.inputs, case.inputs["options"]

    def ours() -> Any:
        given = {name: options[name] for name in options if name != "generic_sparse_tensor_names"}
        with phase("construct", "call", also=ALSO):
            chosen = module.TensorsToRecordBatchConverter.Options(
                **given, generic_sparse_tensor_names=frozenset(options["generic_sparse_tensor_names"])
            )
            converter = module.TensorsToRecordBatchConverter({name: _spec(of) for name, of in inputs["type_specs"].items()}, chosen)
        with phase("call", also=ALSO):
            tensors = inputs["tensors"]
            return converter, tensors and converter.convert({name: _tensor(of) for name, of in tensors.items()})

    def same(made: Any, ok: dict[str, Any]) -> None:
        converter, columns = made
        same_schema(converter.arrow_schema(), schema(ok["arrow_schema"]))
        recorded = {name: str(_message(of)) for name, of in sorted(ok["tensor_representations"].items())}
        equal({name: str(of) for name, of in sorted(converter.tensor_representations().items())}, recorded)
        if ok["record_batch"] is not None:
            same_batch(columns, batch(ok["record_batch"]))

    check(ours, expected, same)


def append_raw_record_column(case: Case, expected: dict[str, Any]) -> None:
    """Judges `append_raw_record_column`: the records of a batch as one of its columns."""
    module = _module("record_based_tfxio")
    inputs = case.inputs

    def ours() -> Any:
        records = [decoded(record) for record in inputs["raw_records_b64"]]
        with phase("call", also=ALSO):
            names = inputs["column_name"], inputs["record_index_column_name"]
            return module.AppendRawRecordColumn(batch(inputs["record_batch"]), names[0], records, names[1])

    check(ours, expected, lambda ours, ok: same_batch(ours, batch(ok)))
