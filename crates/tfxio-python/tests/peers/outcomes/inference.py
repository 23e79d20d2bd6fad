"""Models that are applied to records on a local runner."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import apache_beam as beam
import tensorflow as tf
from apache_beam.ml.inference import base
from tfx_bsl.public.beam import run_inference
from tfx_bsl.public.proto import model_spec_pb2

from outcomes.described import text

Case = tuple[str, Callable[[], Any]]

_SERVING = tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY


class _Model(tf.Module):  # type: ignore[misc]
    """Doubles the feature x of tf.Examples."""

    def __init__(self) -> None:
        super().__init__()
        self.factor = tf.Variable(2.0)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="examples")])  # type: ignore[untyped-decorator]
    def doubled(self, examples: Any) -> dict[str, Any]:
        x = tf.io.parse_example(examples, {"x": tf.io.FixedLenFeature([], tf.float32)})["x"]
        return {"y": x * self.factor, "pair": tf.stack([x, x + 1], axis=1)}

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="examples")])  # type: ignore[untyped-decorator]
    def of_text(self, examples: Any) -> dict[str, Any]:
        return {"text": tf.strings.upper(examples)}

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="examples")])  # type: ignore[untyped-decorator]
    def of_no_rows(self, examples: Any) -> dict[str, Any]:
        return {"count": tf.size(examples)}

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32, name="x")])  # type: ignore[untyped-decorator]
    def of_numbers(self, x: Any) -> dict[str, Any]:
        return {"y": x}


def save_models(folder: Path) -> dict[str, str]:
    """Saves models, and returns their paths."""
    model = _Model()
    predict = str(folder / "predict")
    signatures = {_SERVING: model.doubled, "text": model.of_text, "no_rows": model.of_no_rows, "numbers": model.of_numbers}
    tf.saved_model.save(model, predict, signatures=signatures)
    legacy = str(folder / "legacy")
    with tf.Graph().as_default() as graph, tf.compat.v1.Session(graph=graph) as session:
        examples = tf.compat.v1.placeholder(tf.string, [None], name="examples")
        x = tf.io.parse_example(examples, {"x": tf.io.FixedLenFeature([], tf.float32)})["x"]
        scores = tf.stack([x, 1 - x], axis=1)
        classes = tf.tile(tf.constant([["low", "high"]]), [tf.shape(x)[0], 1])
        v1 = tf.compat.v1.saved_model
        regress = v1.regression_signature_def(examples, tf.identity(x * 3))
        classify = v1.classification_signature_def(examples, tf.identity(classes), tf.identity(scores))
        builder = v1.Builder(legacy)
        builder.add_meta_graph_and_variables(
            session,
            [tf.saved_model.SERVING],
            {
                _SERVING: v1.predict_signature_def({"in": examples}, {"out": tf.identity(x)}),
                "regress": regress,
                "classify": classify,
                "scores": v1.classification_signature_def(examples, None, tf.identity(scores)),
                "classes": v1.classification_signature_def(examples, tf.identity(classes), None),
            },
        )
        builder.save()
    return {"predict": predict, "legacy": legacy}


def example(x: float) -> Any:
    """Returns a tf.Example with the feature x."""
    return tf.train.Example(features={"feature": {"x": {"float_list": {"value": [x]}}}})


def spec(path: str, *signatures: str, **more: Any) -> Any:
    """Returns the message that says where a model is."""
    model = model_spec_pb2.SavedModelSpec(model_path=path, signature_name=signatures, tag=more.pop("tags", ()))
    return model_spec_pb2.InferenceSpecType(saved_model_spec=model, **more)


def applied(transform: Any, elements: Sequence[Any], element_type: Any) -> list[Any]:
    """Returns what a transform makes of elements on a local runner, in an order that does not depend on it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results"
        with beam.Pipeline(runner="BundleBasedDirectRunner") as pipeline:
            results = pipeline | beam.Create(elements).with_output_types(element_type) | transform
            results | beam.Map(_line) | beam.io.WriteToText(str(path), shard_name_template="")
        return sorted(path.read_text().splitlines())


def _line(result: Any) -> str:
    return text(result.inference if isinstance(result, base.PredictionResult) else result)


def cases() -> Iterator[Case]:
    """Yields the cases."""
    paths = save_models(Path(tempfile.mkdtemp(prefix="tfxio-models-")))
    predict, legacy = spec(paths["predict"]), spec(paths["legacy"])
    examples = [example(0.25), example(0.5)]
    encoded = [each.SerializeToString() for each in examples]
    one = run_inference.RunInference
    keyed = beam.typehints.Tuple[str, bytes]
    batched = beam.typehints.Tuple[str, beam.typehints.List[bytes]]
    signatures = ((), ("regress",), ("classify",), ("scores",), ("classes",), ("regress", "classify"), ("classify", "regress"))
    for names in signatures:
        made = spec(paths["legacy"], *names)
        yield f"RunInference {names} of examples", lambda made=made: applied(one(made), examples, tf.train.Example)
        yield f"RunInference {names} of bytes", lambda made=made: applied(one(made), encoded, bytes)
        yield f"RunInference {names} of nothing", lambda made=made: applied(one(made), [], bytes)
    yield "RunInference of keyed bytes", lambda: applied(one(predict), [("a", encoded[0]), ("b", encoded[1])], keyed)
    yield "RunInference with a size of batches", lambda: applied(
        one(spec(paths["predict"], batch_parameters=model_spec_pb2.BatchParameters(min_batch_size=1, max_batch_size=1))), encoded, bytes
    )
    several = run_inference.RunInferencePerModel
    yield "RunInferencePerModel", lambda: applied(several([predict, legacy]), encoded, bytes)
    yield "RunInferencePerModel of keyed bytes", lambda: applied(several([predict, legacy]), [("a", encoded[0])], keyed)
    yield "RunInferencePerModel of nothing", lambda: applied(several([predict, legacy]), [], bytes)
    yield "RunInferencePerModel of one model", lambda: applied(several([predict]), encoded, bytes)
    of_batches, of_batches_per_model = run_inference.RunInferenceOnKeyedBatches, run_inference.RunInferencePerModelOnKeyedBatches
    yield "RunInferenceOnKeyedBatches", lambda: applied(of_batches(predict), [("a", encoded), ("b", encoded[:1])], batched)
    yield "RunInferenceOnKeyedBatches with an empty one", lambda: applied(of_batches(predict), [("a", []), ("b", encoded[:1])], batched)
    yield "RunInferencePerModelOnKeyedBatches", lambda: applied(of_batches_per_model([predict, legacy]), [("a", encoded)], batched)

    handler = run_inference.CreateModelHandler
    yield "CreateModelHandler", lambda: applied(base.RunInference(handler(predict)), encoded, bytes)
    yield "its namespace", lambda: [handler(each).get_metrics_namespace() for each in (predict, spec(paths["legacy"], "regress"))]
    yield "its bytes", lambda: handler(predict).get_num_bytes([*examples, *encoded])
    yield "its batches", lambda: dict(
        handler(
            spec(paths["predict"], batch_parameters=model_spec_pb2.BatchParameters(max_batch_size=5))
        ).batch_elements_kwargs()
    )
    for about, make in (
        ("no model", lambda: model_spec_pb2.InferenceSpecType()),
        ("no path", lambda: spec("")),
        ("a path without a model", lambda: spec(str(Path(paths["predict"]).parent))),
        ("another tag", lambda: spec(paths["predict"], tags=["train"])),
        ("another signature", lambda: spec(paths["predict"], "none")),
        ("numbers for input", lambda: spec(paths["predict"], "numbers")),
        ("a prediction among several", lambda: spec(paths["legacy"], "regress", _SERVING)),
    ):
        yield f"CreateModelHandler of {about}", lambda make=make: handler(make()) and None
    no_rows = spec(paths["predict"], "no_rows")
    yield "a model of texts", lambda: applied(one(spec(paths["predict"], "text")), [b"a", b"bc"], bytes)
    yield "a model without rows", lambda: applied(one(no_rows), encoded, bytes)
    yield "bytes that are no example", lambda: applied(one(predict), [b"\xff"], bytes)
    for names in (("regress",), ("classify",), ("regress", "classify")):
        made = spec(paths["legacy"], *names)
        yield (
            f"sequence examples by {names}",
            lambda made=made: handler(made).run_inference([tf.train.SequenceExample()], None) and None,
        )
