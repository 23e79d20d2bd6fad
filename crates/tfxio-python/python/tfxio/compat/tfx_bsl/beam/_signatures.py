"""The signatures of a SavedModel that models are applied by: what each takes, and what it gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import tensorflow as tf
from tensorflow.python.saved_model import loader_impl

CLASSIFY = tf.saved_model.CLASSIFY_METHOD_NAME
REGRESS = tf.saved_model.REGRESS_METHOD_NAME
PREDICT = tf.saved_model.PREDICT_METHOD_NAME

#: What a model is applied for, by the method of its one signature.
_OPERATIONS = {CLASSIFY: "CLASSIFICATION", REGRESS: "REGRESSION", PREDICT: "PREDICTION"}
#: What it is applied for where there are several.
MULTI_INFERENCE = "MULTI_INFERENCE"


class Signature(NamedTuple):
    """A function of a model of records as strings."""

    name: str
    method: str
    input_alias: str
    input_tensor: str
    #: The names of the tensors it gives, by their aliases.
    outputs: dict[str, str]


def signatures(path: str, names: Sequence[str], tags: Sequence[str]) -> list[Signature]:
    """Returns signatures of a SavedModel: the default one for serving, if there are no names.

    Args:
        path: The folder of the model.
        names: The names of the signatures.
        tags: The tags of the graph.

    Raises:
        RuntimeError: The model has no graph with the tags, or no such signature.
        ValueError: A signature is not one of records as strings, or not what its method says.
    """
    graphs = loader_impl.parse_saved_model(path).meta_graphs
    graph = next((graph for graph in graphs if set(graph.meta_info_def.tags) == set(tags)), None)
    if graph is None:
        raise RuntimeError(f"MetaGraphDef associated with tags {list(tags)} could not be found in SavedModel {path}")
    found = []
    for name in names or [tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY]:
        if name not in graph.signature_def:
            known = ", ".join(sorted(graph.signature_def))
            raise RuntimeError(f"Signature {name} could not be found in SavedModel {path}: it has {known}")
        found.append(_signature(name, graph.signature_def[name]))
    return found


def operation(found: Sequence[Signature]) -> str:
    """Returns what a model is applied for by the signatures.

    Raises:
        ValueError: A method is not known, or several signatures are not of classification or regression.
    """
    if len(found) > 1:
        for signature in found:
            if signature.method not in (CLASSIFY, REGRESS):
                raise ValueError(f"Unsupported signature method_name for multi-head model inference: {signature.method}")
        return MULTI_INFERENCE
    [signature] = found
    if signature.method not in _OPERATIONS:
        raise ValueError(f"Unsupported signature method_name {signature.method}")
    return _OPERATIONS[signature.method]


def tensors(found: Sequence[Signature]) -> tuple[str, dict[str, str]]:
    """Returns the name of the tensor that all signatures take, and those of the tensors they give, by their aliases.

    Raises:
        ValueError: They take different tensors, or give none.
    """
    inputs = {signature.input_tensor for signature in found}
    if len(inputs) != 1:
        raise ValueError("Input tensor must be the same for all Signatures.")
    outputs = {alias: tensor for signature in found for alias, tensor in signature.outputs.items()}
    if not outputs:
        raise ValueError("No valid fetch tensors or feed tensors.")
    return inputs.pop(), outputs


def _signature(name: str, described: Any) -> Signature:
    if len(described.inputs) != 1:
        raise ValueError(f"Signature should have 1 and only 1 inputs: {name} has {len(described.inputs)}")
    [(alias, tensor)] = described.inputs.items()
    if tensor.dtype != tf.string.as_datatype_enum:
        raise ValueError(f"Input dtype is expected to be {tf.string.as_datatype_enum}, got {tensor.dtype}")
    method = described.method_name
    if method not in _OPERATIONS:
        raise ValueError(f"Signature method {method} is not supported")
    outputs = {output: each.name for output, each in described.outputs.items()}
    if method == CLASSIFY:
        known = {tf.saved_model.CLASSIFY_OUTPUT_CLASSES, tf.saved_model.CLASSIFY_OUTPUT_SCORES}
        outputs = _of_method(name, "classification", alias, tf.saved_model.CLASSIFY_INPUTS, outputs, known, most=2)
    elif method == REGRESS:
        known = {tf.saved_model.REGRESS_OUTPUTS}
        outputs = _of_method(name, "regression", alias, tf.saved_model.REGRESS_INPUTS, outputs, known, most=1)
    return Signature(name, method, alias, tensor.name, outputs)


def _of_method(
    name: str, what: str, alias: str, expected: str, outputs: dict[str, str], known: set[str], most: int
) -> dict[str, str]:
    """Returns those of the outputs that the method has."""
    if not 1 <= len(outputs) <= most:
        raise ValueError(f"A signature of {what} should have {' or '.join(map(str, range(1, most + 1)))} outputs: {name} has {len(outputs)}")
    if alias != expected:
        raise ValueError(f"No {what} inputs found in SignatureDef: {name} takes {alias}, not {expected}")
    found = {output: tensor for output, tensor in outputs.items() if output in known}
    if not found:
        raise ValueError(f"No {what} outputs found in SignatureDef: {name} gives {sorted(outputs)}, none of {sorted(known)}")
    return found
