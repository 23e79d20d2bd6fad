"""What a model gives for records, as messages of TensorFlow Serving: a `PredictionLog` for each record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import tensorflow as tf
from tensorflow_serving.apis import classification_pb2, prediction_log_pb2, regression_pb2

from tfxio.compat.tfx_bsl.beam._signatures import CLASSIFY, Signature

PredictionLog: TypeAlias = prediction_log_pb2.PredictionLog
#: The arrays that a model gave, by their aliases.
Outputs: TypeAlias = Mapping[str, Any]

_CLASSES = tf.saved_model.CLASSIFY_OUTPUT_CLASSES
_SCORES = tf.saved_model.CLASSIFY_OUTPUT_SCORES


def predicted(records: Sequence[bytes], outputs: Outputs, signature: Signature) -> list[PredictionLog]:
    """Returns the logs of predictions: the record and its row of each output.

    Raises:
        ValueError: An output has not as many rows as there are records.
    """
    for alias, output in outputs.items():
        if not output.shape or output.shape[0] != len(records):
            raise ValueError(
                f"Expected output tensor {alias} to have at least one dimension, with the first having a size equal to the "
                f"input batch size {len(records)}. Instead found {output.shape}"
            )
    logs = []
    for row, record in enumerate(records):
        log = PredictionLog()
        request, response = log.predict_log.request, log.predict_log.response
        given = request.inputs[signature.input_alias]
        given.dtype = tf.string.as_datatype_enum
        given.tensor_shape.dim.add().size = 1
        given.string_val.append(record)
        request.model_spec.signature_name = response.model_spec.signature_name = signature.name
        for alias, output in outputs.items():
            # A batch of one record.
            values = output[row : row + 1]
            tensor = tf.make_tensor_proto(values, tf.as_dtype(values.dtype).as_datatype_enum, values.shape)
            response.outputs[alias].CopyFrom(tensor)
        logs.append(log)
    return logs


def classified(examples: Sequence[Any], outputs: Outputs) -> list[PredictionLog]:
    """Returns the logs of classifications. Raises what `_classifications` raises."""
    logs = []
    for example, classes in zip(examples, _classifications(len(examples), outputs), strict=True):
        log = PredictionLog()
        _add(log.classify_log.request.input, example)
        log.classify_log.response.result.classifications.append(classes)
        logs.append(log)
    return logs


def regressed(examples: Sequence[Any], outputs: Outputs) -> list[PredictionLog]:
    """Returns the logs of regressions. Raises what `_regressions` raises."""
    logs = []
    for example, value in zip(examples, _regressions(len(examples), outputs), strict=True):
        log = PredictionLog()
        _add(log.regress_log.request.input, example)
        log.regress_log.response.result.regressions.append(value)
        logs.append(log)
    return logs


def of_several(examples: Sequence[Any], outputs: Outputs, signatures: Sequence[Signature]) -> list[PredictionLog]:
    """Returns the logs of a model of several signatures, which classify or regress."""
    results: list[list[Any]] = []
    for signature in signatures:
        of_signature = _classifications if signature.method == CLASSIFY else _regressions
        results.append(of_signature(len(examples), outputs))
    logs = []
    for row, example in enumerate(examples):
        log = PredictionLog()
        _add(log.multi_inference_log.request.input, example)
        for signature, result in zip(signatures, results, strict=True):
            added = log.multi_inference_log.response.results.add()
            if signature.method == CLASSIFY:
                added.classification_result.classifications.append(result[row])
            else:
                added.regression_result.regressions.append(result[row])
            added.model_spec.signature_name = signature.name
        logs.append(log)
    return logs


def _add(given: Any, example: Any) -> None:
    added = given.example_list.examples.add()
    if isinstance(example, bytes):
        added.ParseFromString(example)
    else:
        added.CopyFrom(example)


def _classifications(count: int, outputs: Outputs) -> list[classification_pb2.Classifications]:
    """Returns the classes and scores of each example.

    Raises:
        ValueError: There are none, or they are not a row of strings, or of floats, for each example.
    """
    classes, scores = outputs.get(_CLASSES), outputs.get(_SCORES)
    found = [each for each in (classes, scores) if each is not None]
    if not found:
        raise ValueError(f"No classification outputs found in outputs: {sorted(outputs)}")
    for what, output, dtype in (("classes", classes, tf.string), ("scores", scores, tf.float32)):
        if output is None:
            continue
        if output.ndim != 2:
            raise ValueError(f"Expected Tensor shape: [batch_size num_classes] but got {output.shape} for {what}")
        if output.dtype != dtype.as_numpy_dtype:
            raise ValueError(f"Expected {what} Tensor of {dtype.as_numpy_dtype}. Got: {output.dtype}")
        _check_rows(count, output.shape[0])
    if len({each.shape[1] for each in found}) != 1:
        raise ValueError(f"Tensors class and score should match in shape[1]. Got {' vs '.join(str(each.shape[1]) for each in found)}")
    results = []
    for row in range(count):
        result = classification_pb2.Classifications()
        for number in range(found[0].shape[1]):
            added = result.classes.add()
            if classes is not None:
                added.label = classes[row][number]
            if scores is not None:
                added.score = scores[row][number]
        results.append(result)
    return results


def _regressions(count: int, outputs: Outputs) -> list[regression_pb2.Regression]:
    """Returns the value of each example.

    Raises:
        ValueError: There are none, or not one float for each example.
    """
    output = outputs.get(tf.saved_model.REGRESS_OUTPUTS)
    if output is None:
        raise ValueError(f"No regression outputs found in outputs: {sorted(outputs)}")
    if output.ndim not in (1, 2) or output.shape[1:] not in ((), (1,)):
        raise ValueError(f"Expected output Tensor shape to be either [batch_size] or [batch_size, 1] but got {output.shape}")
    _check_rows(count, output.shape[0])
    if output.dtype != np.float32:
        raise ValueError(f"Expected output Tensor of {np.float32}. Got: {output.dtype}")
    return [regression_pb2.Regression(value=value) for value in output.flatten()]


def _check_rows(expected: int, found: int) -> None:
    if expected != found:
        raise ValueError(f"Input batch size did not match output batch size: {expected} vs {found}")
