"""Coders, sketches and statistics of the stand-in for tfx-bsl."""

from __future__ import annotations

import importlib
import pickle
from pathlib import Path
from typing import Any

import pytest

import tfxio

pa = pytest.importorskip("pyarrow")

from tfxio.compat.tfx_bsl import sketches, statistics  # noqa: E402
from tfxio.compat.tfx_bsl.coders import example_coder, sequence_example_coder  # noqa: E402


def test_examples() -> None:
    records = [tfxio.Example({"age": age}).to_bytes() for age in (36, 41)]
    decoder = pickle.loads(pickle.dumps(example_coder.ExamplesToRecordBatchDecoder()))
    batch = decoder.DecodeBatch(records)
    assert batch.to_pydict() == {"age": [[36], [41]]}
    with pytest.raises(RuntimeError, match="Unable to get the arrow schema if a TFMD schema was not provided"):
        decoder.ArrowSchema()
    encoder = pickle.loads(pickle.dumps(example_coder.RecordBatchToExamplesEncoder()))
    assert encoder.encode(batch) == example_coder.RecordBatchToExamples(batch) == records
    ages = example_coder.ExampleToNumpyDict(records[0])["age"]
    assert ages is not None and ages.tolist() == [36]


def test_examples_with_a_schema() -> None:
    schema_pb2 = pytest.importorskip("tensorflow_metadata.proto.v0.schema_pb2")
    schema = schema_pb2.Schema(feature=[schema_pb2.Feature(name="age", type=schema_pb2.INT)])
    decoder = pickle.loads(pickle.dumps(example_coder.ExamplesToRecordBatchDecoder(schema.SerializeToString())))
    assert decoder.ArrowSchema() == decoder.DecodeBatch([b""]).schema == pa.schema({"age": pa.large_list(pa.int64())})
    encoder = pickle.loads(pickle.dumps(example_coder.RecordBatchToExamplesEncoder(schema)))
    [record] = encoder.encode(pa.record_batch({"age": [[7]]}))
    assert tfxio.Example.from_bytes(record)["age"] == [7]


def test_sequence_examples() -> None:
    decoder = sequence_example_coder.SequenceExamplesToRecordBatchDecoder("##SEQUENCE##")
    assert decoder.DecodeBatch([b"\x12\x00", b""]).schema.names == ["##SEQUENCE##"]


def test_sketches() -> None:
    distinct = sketches.KmvSketch(16)
    distinct.AddValues(pa.array(["a", "b", "a"]))
    assert distinct.Estimate() == 2
    assert sketches.MisraGriesSketch(4).Estimate().to_pylist() == []
    assert sketches.QuantilesSketch(0.01, 100, 1).GetQuantiles(2).to_pylist() is not None


def test_statistics() -> None:
    assert isinstance(statistics.DatasetListAccumulator().Get(), bytes)
    statistics_pb2 = pytest.importorskip("tensorflow_metadata.proto.v0.statistics_pb2")
    from tfxio.compat.tfx_bsl.statistics import merge_util

    parts = [statistics_pb2.DatasetFeatureStatistics(name=name) for name in ("train", "eval")]
    merged = merge_util.merge_dataset_feature_statistics(parts)
    assert [part.name for part in merged.datasets] == ["train", "eval"]
    assert merge_util.merge_dataset_feature_statistics_list([merged]) == merged
    assert not merge_util.merge_dataset_feature_statistics([]).datasets[0].features


def test_a_module_that_is_left_out_says_so() -> None:
    with pytest.raises(ImportError, match=r"tfx_bsl\.arrow\.sql_util is left out of tfxio: .* docs/compatibility\.md"):
        importlib.import_module("tfxio.compat.tfx_bsl.arrow.sql_util")


def test_decoders_of_graphs(tmp_path: Path) -> None:
    tf = pytest.importorskip("tensorflow")
    from tfxio.compat.tfx_bsl.coders import tf_graph_record_decoder as graphs

    class Lengths(graphs.TFGraphRecordDecoder):
        name: str | None = None

        def decode_record(self, records: Any) -> dict[str, Any]:
            return {"length": tf.strings.length(records)}

        @property
        def record_index_tensor_name(self) -> str | None:
            return self.name

    decoder = Lengths()
    decoder.save(str(tmp_path / "plain"))
    loaded = graphs.load_decoder(str(tmp_path / "plain"))
    assert loaded.decode_record([b"abc", b""])["length"].numpy().tolist() == [3, 0]
    assert loaded.record_index_tensor_name is None and list(loaded.output_type_specs()) == ["length"]
    decoder.name = "length"
    graphs.save_decoder(decoder, str(tmp_path / "named"))
    assert graphs.load_decoder(str(tmp_path / "named")).record_index_tensor_name == "length"
    decoder.name = "rows"
    with pytest.raises(AssertionError, match="Invalid decoder: record_index_tensor_name: rows not in output tensors"):
        decoder.save(str(tmp_path / "wrong"))
    tf.saved_model.save(tf.Module(), str(tmp_path / "other"))
    with pytest.raises(AssertionError, match="the SavedModel is not a TFGraphRecordDecoder"):
        graphs.load_decoder(str(tmp_path / "other"))


def test_messages() -> None:
    pytest.importorskip("google.protobuf")
    from tfxio.compat.tfx_bsl.public.proto import model_spec_pb2, slicing_spec_pb2

    spec = slicing_spec_pb2.SlicingSpec(feature_keys=["country"], feature_values={"city": "Oslo"})
    config = slicing_spec_pb2.SlicingConfig(slicing_specs=[spec])
    # The numbers of the fields are those of tfx-bsl.
    assert config.SerializeToString() == b"\x0a\x17\x0a\x07country\x12\x0c\x0a\x04city\x12\x04Oslo"
    model = model_spec_pb2.InferenceSpecType(saved_model_spec=model_spec_pb2.SavedModelSpec(model_path="m", tag=["serve"]))
    model.batch_parameters.max_batch_size = 7
    assert model.WhichOneof("type") == "saved_model_spec"
    assert model.SerializeToString() == b"\x0a\x0a\x0a\x01m\x1a\x05serve\x1a\x02\x10\x07"
    ai = model_spec_pb2.AIPlatformPredictionModelSpec(project_id="p", use_serialization_config=False)
    assert ai.WhichOneof("example_config") == "use_serialization_config" and ai.SerializeToString() == b"\x0a\x01p\x20\x00"


def test_names_for_everyone() -> None:
    from tfxio.compat.tfx_bsl.public import tfxio as public

    assert set(public.__all__) <= set(dir(public)) and len(public.__all__) == 14
    assert public.RecordBatchToExamplesEncoder is example_coder.RecordBatchToExamplesEncoder
    with pytest.raises(AttributeError, match="has no attribute 'NoSuchTFXIO'"):
        _ = public.NoSuchTFXIO
    pytest.importorskip("tensorflow")
    pytest.importorskip("apache_beam")
    for name in public.__all__:
        assert getattr(public, name) is vars(public)[name]
