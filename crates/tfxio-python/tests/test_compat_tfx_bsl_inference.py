"""Models that are applied by `run_inference`, without tfx-bsl."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("tensorflow_serving.apis")
beam = pytest.importorskip("apache_beam")
tf = pytest.importorskip("tensorflow")

from tfxio.compat.tfx_bsl.public.beam import run_inference  # noqa: E402
from tfxio.compat.tfx_bsl.public.proto import model_spec_pb2  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A model that says how long a record is."""

    def lengths(records: Any) -> dict[str, Any]:
        return {"length": tf.strings.length(records), "text": tf.strings.upper(records)}

    path, module = str(tmp_path_factory.mktemp("model")), tf.Module()
    module.lengths = tf.function(lengths, input_signature=[tf.TensorSpec([None], tf.string)])
    tf.saved_model.save(module, path, signatures={"serving_default": module.lengths})
    return path


def spec(path: str, *signatures: str) -> Any:
    """Returns the message that says where a model is."""
    return model_spec_pb2.InferenceSpecType(saved_model_spec={"model_path": path, "signature_name": signatures})


def shown(log: Any) -> str:
    """Returns the outputs of a log."""
    outputs = {name: tf.make_ndarray(tensor).tolist() for name, tensor in sorted(log.predict_log.response.outputs.items())}
    return f"{log.predict_log.request.inputs['records'].string_val[0]!r} {outputs}"


def applied(transform: Any, elements: list[Any], element_type: Any, path: Path, line: Any) -> list[str]:
    """Returns a line for each result, in order."""
    with beam.Pipeline(runner="BundleBasedDirectRunner") as pipeline:
        given = pipeline | beam.Create(elements).with_output_types(element_type)
        given | transform | beam.Map(line) | beam.io.WriteToText(str(path), shard_name_template="")
    return sorted(path.read_text().splitlines())


def test_a_model(model: str, tmp_path: Path) -> None:
    found = applied(run_inference.RunInference(spec(model)), [b"a", b"bcd"], bytes, tmp_path / "out", shown)
    assert found == ["b'a' {'length': [1], 'text': [b'A']}", "b'bcd' {'length': [3], 'text': [b'BCD']}"]


def test_models_of_keyed_records(model: str, tmp_path: Path) -> None:
    twice = run_inference.RunInferencePerModel([spec(model), spec(model)])
    keyed = beam.typehints.Tuple[str, bytes]
    found = applied(twice, [("k", b"ab")], keyed, tmp_path / "out", lambda pair: f"{pair[0]} {[shown(log) for log in pair[1]]}")
    log = "\"b'ab' {'length': [2], 'text': [b'AB']}\""
    assert found == [f"k [{log}, {log}]"]


def test_a_model_of_batches_with_keys(model: str, tmp_path: Path) -> None:
    batches = run_inference.RunInferenceOnKeyedBatches(spec(model))
    keyed = beam.typehints.Tuple[str, beam.typehints.List[bytes]]
    elements = [("k", [b"a", b"bc"]), ("none", [])]
    found = applied(batches, elements, keyed, tmp_path / "out", lambda pair: f"{pair[0]} {len(pair[1])}")
    assert found == ["k 2", "none 0"]


def test_what_cannot_be_applied(model: str) -> None:
    elsewhere = model_spec_pb2.InferenceSpecType(ai_platform_prediction_model_spec={"project_id": "p", "model_name": "m"})
    with pytest.raises(NotImplementedError, match="saved_model_spec alone"):
        run_inference.CreateModelHandler(elsewhere)
    with pytest.raises(ValueError, match="has no saved_model_spec"):
        run_inference.CreateModelHandler(model_spec_pb2.InferenceSpecType())
    with pytest.raises(RuntimeError, match="Signature other could not be found in SavedModel .*: it has .*serving_default"):
        run_inference.CreateModelHandler(spec(model, "other"))
