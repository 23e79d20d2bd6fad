"""Transforms that apply models to records, by TensorFlow in the process of each worker.

The models are SavedModels. What comes out are messages of TensorFlow Serving, so that the package `tensorflow-serving-api` is needed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, List, Tuple, TypeAlias, TypeVar, Union  # noqa: UP035

import apache_beam as beam
from apache_beam.ml.inference.base import ModelHandler
from tensorflow_serving.apis import prediction_log_pb2

from tfxio.compat.tfx_bsl.beam import run_inference
from tfxio.compat.tfx_bsl.beam._model_handlers import LoadOverrideFnType

__all__ = [
    "CreateModelHandler",
    "RunInference",
    "RunInferenceOnKeyedBatches",
    "RunInferencePerModel",
    "RunInferencePerModelOnKeyedBatches",
]

_K = TypeVar("_K")
_Log: TypeAlias = prediction_log_pb2.PredictionLog
_Batch = Tuple[_K, List[run_inference.InputType]]  # noqa: UP006
_Record = Union[run_inference.InputType, Tuple[_K, run_inference.InputType]]  # noqa: UP006, UP007


@beam.ptransform_fn
@beam.typehints.with_input_types(_Record)
@beam.typehints.with_output_types(Union[_Log, Tuple[_K, _Log]])  # noqa: UP006, UP007
def RunInference(
    examples: Any, inference_spec_type: Any, load_override_fn: LoadOverrideFnType | None = None
) -> Any:
    """Applies a model to records.

    Args:
        examples: tf.Examples or tf.SequenceExamples, as messages or encoded, or pairs of a key and one of them. A signature of
            classification or regression takes tf.Examples, one of prediction whatever the model takes.
        inference_spec_type: The message that says where the model is.
        load_override_fn: Loads the model of a path and tags, in the stead of TensorFlow: an object with the method `run` of a session.

    Returns:
        A `PredictionLog` for each record, or pairs of the key and it.
    """
    return examples | "RunInferenceImpl" >> run_inference.RunInferenceImpl(inference_spec_type, load_override_fn)


@beam.ptransform_fn
@beam.typehints.with_input_types(_Record)
@beam.typehints.with_output_types(Union[Tuple[_Log, ...], Tuple[_K, Tuple[_Log, ...]]])  # noqa: UP006, UP007
def RunInferencePerModel(
    examples: Any, inference_spec_types: Iterable[Any], load_override_fn: LoadOverrideFnType | None = None
) -> Any:
    """Applies several models to records, as `RunInference`.

    Returns:
        A tuple of a `PredictionLog` for each model, or pairs of the key and it.
    """
    return examples | "RunInferencePerModelImpl" >> run_inference.RunInferencePerModelImpl(
        inference_spec_types, load_override_fn
    )


@beam.ptransform_fn
@beam.typehints.with_input_types(_Batch)
@beam.typehints.with_output_types(Tuple[_K, List[_Log]])  # noqa: UP006
def RunInferenceOnKeyedBatches(
    examples: Any, inference_spec_type: Any, load_override_fn: LoadOverrideFnType | None = None
) -> Any:
    """Applies a model to pairs of a key and a list of records, as `RunInference`.

    Returns:
        Pairs of the key and a list of a `PredictionLog` for each record.
    """
    return examples | "RunInferenceOnKeyedBatchesImpl" >> run_inference.RunInferenceImpl(
        inference_spec_type, load_override_fn
    )


@beam.ptransform_fn
@beam.typehints.with_input_types(_Batch)
@beam.typehints.with_output_types(Tuple[_K, Tuple[List[_Log]]])  # noqa: UP006
def RunInferencePerModelOnKeyedBatches(
    examples: Any, inference_spec_types: Iterable[Any], load_override_fn: LoadOverrideFnType | None = None
) -> Any:
    """Applies several models to pairs of a key and a list of records, as `RunInference`.

    Returns:
        Pairs of the key and a tuple of a list for each model, which has a `PredictionLog` for each record.
    """
    return examples | "RunInferencePerModelOnKeyedBatchesImpl" >> run_inference.RunInferencePerModelImpl(
        inference_spec_types, load_override_fn
    )


def CreateModelHandler(inference_spec_type: Any) -> ModelHandler:
    """Returns the model as Beam takes it, for `apache_beam.ml.inference.base.RunInference`.

    Args:
        inference_spec_type: The message that says where the model is.

    Raises:
        NotImplementedError: The model is in AI Platform Prediction.
    """
    return run_inference.create_model_handler(inference_spec_type, None, None)
