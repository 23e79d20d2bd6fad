"""Transforms that apply models to records. `public.beam.run_inference` is what is for everyone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, List, Tuple, TypeVar, Union  # noqa: UP035

import apache_beam as beam
import tensorflow as tf
from apache_beam.ml.inference import base
from tensorflow_serving.apis import prediction_log_pb2

from tfxio.compat.tfx_bsl.beam._model_handlers import KeyedHandler, LoadOverrideFnType, SavedModelHandler

_K = TypeVar("_K")
_Log = prediction_log_pb2.PredictionLog
#: A record: as a message, or encoded.
InputType = Union[tf.train.Example, tf.train.SequenceExample, bytes]  # noqa: UP007
#: Records that may have a key, or lists of them with a key.
_Given = Union[InputType, Tuple[_K, InputType], Tuple[_K, List[InputType]]]  # noqa: UP006, UP007


def create_model_handler(
    inference_spec_type: Any, load_override_fn: LoadOverrideFnType | None, options_project_id: str | None
) -> base.ModelHandler:
    """Returns the handler of a model.

    Args:
        inference_spec_type: The message that says where the model is.
        load_override_fn: Loads the model, in the stead of TensorFlow.
        options_project_id: Has no meaning: models elsewhere are not supported.

    Raises:
        NotImplementedError: The model is in AI Platform Prediction.
        ValueError: The message does not say where the model is.
    """
    where = inference_spec_type.WhichOneof("type")
    if where is None:
        raise ValueError("the InferenceSpecType has no saved_model_spec")
    if where != "saved_model_spec":
        raise NotImplementedError(
            "tfxio applies models of a saved_model_spec alone: for AI Platform Prediction put only the native module under tfx-bsl, "
            'tfxio.compat.install("tfx_bsl_extension")'
        )
    return SavedModelHandler(inference_spec_type, load_override_fn)


@beam.typehints.with_input_types(_Given)
class RunInferenceImpl(beam.PTransform):
    """Applies a model to records.

    Args:
        inference_spec_type: The message that says where the model is.
        load_override_fn: Loads the model, in the stead of TensorFlow.
    """

    def __init__(self, inference_spec_type: Any, load_override_fn: LoadOverrideFnType | None = None) -> None:
        super().__init__()
        self._spec = inference_spec_type
        self._load_override_fn = load_override_fn

    def infer_output_type(self, input_type: Any) -> Any:
        """Returns the type of the results of records of a type."""
        key, result = _types(input_type)
        return result if key is None else beam.typehints.Tuple[key, result]

    def expand(self, examples: beam.PCollection) -> beam.PCollection:
        """Applies the transform."""
        handler = KeyedHandler(create_model_handler(self._spec, self._load_override_fn, None))
        inferred = base.RunInference(handler).with_output_types(self.infer_output_type(examples.element_type))
        return examples | "BulkInference" >> inferred


@beam.typehints.with_input_types(_Given)
class RunInferencePerModelImpl(beam.PTransform):
    """Applies several models to records: the results are tuples, in the order of the models.

    Args:
        inference_spec_types: The messages that say where the models are.
        load_override_fn: Loads a model, in the stead of TensorFlow.
    """

    def __init__(
        self, inference_spec_types: Iterable[Any], load_override_fn: LoadOverrideFnType | None = None
    ) -> None:
        super().__init__()
        self._specs = tuple(inference_spec_types)
        self._load_override_fn = load_override_fn

    def infer_output_type(self, input_type: Any) -> Any:
        """Returns the type of the results of records of a type."""
        key, result = _types(input_type)
        results = beam.typehints.Tuple[(result,) * len(self._specs)] if self._specs else beam.typehints.Tuple[()]
        return results if key is None else beam.typehints.Tuple[key, results]

    def expand(self, examples: beam.PCollection) -> beam.PCollection:
        """Applies the transform."""
        given = examples.element_type
        has_key = _types(given)[0] is not None
        record = given.tuple_types[1] if has_key else given
        # The key of the models is what is given, and the results so far.
        so_far = beam.typehints.Tuple[given, Any]
        begun = beam.Map(lambda each: (each, ())).with_output_types(so_far)
        results = examples | "WithoutResults" >> begun
        for number, spec in enumerate(self._specs):
            keyed = beam.Map(lambda pair: (pair, pair[0][1] if has_key else pair[0]))
            added = beam.MapTuple(lambda pair, result: (pair[0], (*pair[1], result)))
            results = (
                results
                | f"Record[{number}]" >> keyed.with_output_types(beam.typehints.Tuple[so_far, record])
                | f"Model[{number}]" >> RunInferenceImpl(spec, self._load_override_fn)
                | f"Result[{number}]" >> added.with_output_types(so_far)
            )
        named = beam.Map(lambda pair: (pair[0][0], pair[1]) if has_key else pair[1])
        return results | "Results" >> named.with_output_types(self.infer_output_type(given))


def _types(input_type: Any) -> tuple[Any, Any]:
    """Returns the type of the keys, `None` if there are none, and that of the results."""
    pair: Any = getattr(input_type, "tuple_types", ())
    key, value = pair if len(pair) == 2 else (None, input_type)
    inner = getattr(value, "inner_type", None)
    is_list = inner is not None and value == beam.typehints.List[inner]
    return key, beam.typehints.List[_Log] if is_list else _Log
