"""Models for Beam: how each is loaded, and applied to batches of records."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import tensorflow as tf
from absl import logging
from apache_beam.ml.inference import base

from tfxio.compat.tfx_bsl.beam import _prediction_logs, _signatures
from tfxio.compat.tfx_bsl.beam._prediction_logs import PredictionLog
from tfxio.compat.tfx_bsl.telemetry import util

#: A record: as a message, or encoded.
InputType: TypeAlias = "tf.train.Example | tf.train.SequenceExample | bytes"
#: Loads the model of a folder and tags: an object with the method `run` of a session of TensorFlow.
LoadOverrideFnType: TypeAlias = Callable[[str, Sequence[str]], Any]

#: Packages whose operations models have, and which register them when they are imported.
_PACKAGES_OF_OPERATIONS = ("tensorflow_text", "tensorflow_decision_forests", "struct2tensor")
#: What errors call the operations that take tf.Examples alone.
_OF_EXAMPLES = {"CLASSIFICATION": "Classify", "REGRESSION": "Regress", _signatures.MULTI_INFERENCE: "Multi inference"}


class SavedModelHandler(base.ModelHandler):
    """A SavedModel, which TensorFlow applies in this process, once loaded for each worker.

    Args:
        spec: The message `InferenceSpecType` with a `saved_model_spec`.
        load_override_fn: Loads the model, in the stead of TensorFlow.

    Raises:
        NotImplementedError: The tags are those of a TPU.
        OSError: There is no model.
        RuntimeError: The model has no graph with the tags, or no such signature.
        ValueError: A signature is not supported.
    """

    def __init__(self, spec: Any, load_override_fn: LoadOverrideFnType | None) -> None:
        super().__init__()
        # No messages are kept: not all ways to pickle a handler take them.
        model = spec.saved_model_spec
        self._path = model.model_path
        self._tags = list(model.tag) or [tf.saved_model.SERVING]
        if set(self._tags) == {tf.saved_model.SERVING, tf.saved_model.TPU}:
            raise NotImplementedError("TPU inference is not supported yet.")
        self._signatures = _signatures.signatures(self._path, list(model.signature_name), self._tags)
        self._operation = _signatures.operation(self._signatures)
        self._input, self._outputs = _signatures.tensors(self._signatures)
        self._batching = {field.name: value for field, value in spec.batch_parameters.ListFields()}
        self._load_override_fn = load_override_fn

    def load_model(self) -> Any:
        """Returns the model in a session of TensorFlow."""
        if self._load_override_fn is not None:
            return self._load_override_fn(self._path, self._tags)
        for package in _PACKAGES_OF_OPERATIONS:
            try:
                importlib.import_module(package)
            except (ImportError, tf.errors.NotFoundError):
                logging.info("%s is not available.", package)
        session = tf.compat.v1.Session(graph=tf.compat.v1.Graph())
        tf.compat.v1.saved_model.loader.load(session, self._tags, self._path)
        return session

    def run_inference(
        self, batch: Sequence[InputType], model: Any, inference_args: dict[str, Any] | None = None
    ) -> Iterable[PredictionLog]:
        """Returns what the model gives for each record.

        Raises:
            ValueError: A record is not one that the operation takes, or an output not what it should be.
        """
        if self._operation in _OF_EXAMPLES and not all(isinstance(each, (tf.train.Example, bytes)) for each in batch):
            raise ValueError(f"{_OF_EXAMPLES[self._operation]} only supports raw or serialized tf.train.Example")
        records = [_encoded(each) for each in batch]
        outputs = model.run(self._outputs, feed_dict={self._input: records})
        if len(outputs) != len(self._outputs):
            raise RuntimeError("Output length does not match fetches")
        if self._operation == "PREDICTION":
            return _prediction_logs.predicted(records, outputs, self._signatures[0])
        if self._operation == _signatures.MULTI_INFERENCE:
            return _prediction_logs.of_several(batch, outputs, self._signatures)
        of_operation = _prediction_logs.classified if self._operation == "CLASSIFICATION" else _prediction_logs.regressed
        return of_operation(batch, outputs)

    def get_num_bytes(self, batch: Sequence[InputType]) -> int:
        """Returns how many bytes the records have."""
        return sum(len(_encoded(each)) for each in batch)

    def get_metrics_namespace(self) -> str:
        """Returns the namespace of the counters."""
        return util.MakeTfxNamespace(["BulkInferrer", self._operation, "InProcess"])

    def batch_elements_kwargs(self) -> Mapping[str, Any]:
        """Returns how Beam makes batches."""
        return self._batching


class KeyedHandler(base.ModelHandler):
    """A handler of records that also takes pairs of a key and a record, or of a key and a list of records.

    Args:
        handler: The handler of records.
    """

    def __init__(self, handler: base.ModelHandler) -> None:
        super().__init__()
        self._handler = handler

    def load_model(self) -> Any:
        """Returns the model."""
        return self._handler.load_model()

    def run_inference(self, batch: Sequence[Any], model: Any, inference_args: dict[str, Any] | None = None) -> list[Any]:
        """Returns what the model gives for each record, with the key that came with it."""
        if not batch:
            return []
        if not isinstance(batch[0], tuple):
            return self._nested(batch, model)
        keys, values = zip(*batch, strict=True)
        return list(zip(keys, self._nested(values, model), strict=True))

    def _nested(self, values: Sequence[Any], model: Any) -> list[Any]:
        if not isinstance(values[0], list):
            return list(self._handler.run_inference(list(values), model))
        flat = [each for value in values for each in value]
        results = iter(self._handler.run_inference(flat, model) if flat else ())
        return [[next(results) for _ in value] for value in values]

    def get_num_bytes(self, batch: Sequence[Any]) -> int:
        """Returns how many bytes the records have."""
        values = [each[1] if isinstance(each, tuple) else each for each in batch]
        flat = [each for value in values for each in (value if isinstance(value, list) else [value])]
        return int(self._handler.get_num_bytes(flat))

    def get_metrics_namespace(self) -> str:
        """Returns the namespace of the counters."""
        return str(self._handler.get_metrics_namespace())

    def batch_elements_kwargs(self) -> Mapping[str, Any]:
        """Returns how Beam makes batches."""
        return dict(self._handler.batch_elements_kwargs())


def _encoded(record: Any) -> bytes:
    return record if isinstance(record, bytes) else record.SerializeToString()
