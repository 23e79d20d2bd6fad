"""The stand-in for what tensorflow-io has for Avro: its own tests, and the recorded cases."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import avro_cases

tf: Any = pytest.importorskip("tensorflow")

from tfxio.compat import tensorflow_io as tfio  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")

columnar: Any = tfio.experimental.columnar
PEERS = Path(__file__).parent / "peers"
SCHEMA = """{"type": "record", "name": "person", "fields": [
    {"name": "age", "type": "int"}, {"name": "tags", "type": {"type": "array", "items": "string"}}]}"""
#: An age of 36 and the tags a and bc; an age of 7 and none.
RECORDS = [b"\x48\x04\x02a\x04bc\0", b"\x0e\0"]
FEATURES: dict[str, Any] = {
    "age": tf.io.FixedLenFeature([], tf.int32),
    "tags[*]": columnar.VarLenFeatureWithRank(tf.string),
}
#: Where tfxio's own features differ from tensorflow-io's, and its stand-in does not.
AS_THEIRS = {
    "extra/dense/default-reshaped",
    "extra/sparse/filter-upstream",
    "extra/sparse/nested-2-levels",
    "extra/types/ragged",
    "tfio/ParseAvroDatasetTest.test_batching_with_default#1",
    "tfio/ParseAvroDatasetTest.test_fixed_length_with_default_vector#1",
}


def plain(tensor: Any) -> tuple[Any, ...]:
    def flat(values: Any) -> list[Any]:
        return avro_cases.flat(values.numpy(), values.dtype.name)

    if isinstance(tensor, tf.SparseTensor):
        shape = tensor.dense_shape.numpy().tolist()
        return "sparse", tensor.dtype.name, shape, flat(tensor.values), tensor.indices.numpy().tolist()
    if isinstance(tensor, tf.RaggedTensor):
        splits = [level.numpy().tolist() for level in tensor.nested_row_splits]
        return "ragged", tensor.dtype.name, splits, flat(tensor.flat_values)
    return "dense", tensor.dtype.name, tensor.shape.as_list(), flat(tensor)


def features_of(case: dict[str, Any]) -> dict[str, Any]:
    features: dict[str, Any] = {}
    for name, feature in case["features"].items():
        dtype, shape = tf.as_dtype(feature["dtype"]), feature.get("shape")
        kind, default = feature["type"], feature.get("default_value")
        if kind == "FixedLen":
            features[name] = tf.io.FixedLenFeature(shape, dtype, default)
        elif kind == "VarLenWithRank":
            features[name] = columnar.VarLenFeatureWithRank(dtype, feature["rank"])
        elif kind == "VarLen":
            features[name] = tf.io.VarLenFeature(dtype)
        elif kind == "FixedLenSequence":
            features[name] = tf.io.FixedLenSequenceFeature(shape, dtype, feature.get("allow_missing", False), default)
        elif kind == "Ragged":
            features[name] = tf.io.RaggedFeature(dtype, feature.get("value_key"))
        else:
            members = ("index_key", "value_key", "size", "already_sorted")
            given = {member: feature[member] for member in members if feature.get(member) is not None}
            features[name] = tf.io.SparseFeature(dtype=dtype, **given)
    return features


def batches(case: dict[str, Any], folder: Path) -> Iterator[Any]:
    """Calls what a case calls."""
    options = case.get("options") or {}
    if case["call"] == "parse_avro":
        features, schema = features_of(case), case["reader_schema"]
        for records in avro_cases.records(case):
            if options.get("mode") == "graph":
                dataset = tf.data.Dataset.from_tensors(records)
                yield next(iter(dataset.map(lambda data: columnar.parse_avro(data, schema, features))))
            else:
                yield columnar.parse_avro(records, schema, features)
        return
    names = []
    for number, file in enumerate(case["files"]):
        names.append(str(folder / f"{number}.avro"))
        Path(names[-1]).write_bytes(base64.b64decode(file["b64"]))
    given = {name: value for name, value in options.items() if name not in ("mode", "take_batches")}
    if case["call"] == "AvroRecordDataset":
        yield from columnar.AvroRecordDataset(names, reader_schema=case["reader_schema"], **given)
        return
    dataset = columnar.make_avro_record_dataset(names, features_of(case), reader_schema=case["reader_schema"], **given)
    taken = options.get("take_batches")
    yield from dataset if taken is None else dataset.take(taken)


RECORDED = [case for case in avro_cases.cases() if case["kind"] != "rfc"]


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: case["id"])
def test_recorded(case: dict[str, Any], tmp_path: Path) -> None:
    expected = case["theirs" if case["id"] in AS_THEIRS else "expected"]
    found: list[Any] = []
    try:
        found.extend(batches(case, tmp_path))
    except (tf.errors.OpError, TypeError, ValueError):
        assert "error" in expected
    else:
        assert "error" not in expected
    if "records_b64" in expected:
        assert [record.numpy() for record in found] == [base64.b64decode(record) for record in expected["records_b64"]]
    else:
        avro_cases.check([{name: plain(tensor) for name, tensor in batch.items()} for batch in found], expected)


def test_a_graph_knows_its_shapes() -> None:
    features = {
        **FEATURES,
        "r": tf.io.RaggedFeature(tf.string, "tags[*]"),
        "t": tf.io.FixedLenSequenceFeature([], tf.string, True),
    }
    features["tags[0]"] = tf.io.FixedLenFeature([], tf.string, "none")
    del features["t"]
    dataset = tf.data.Dataset.from_tensor_slices(RECORDS).repeat(3).batch(2, drop_remainder=True)
    dataset = dataset.map(lambda data: columnar.parse_avro(data, SCHEMA, features), num_parallel_calls=2)
    assert dataset.element_spec == {
        "age": tf.TensorSpec([2], tf.int32),
        "r": tf.RaggedTensorSpec([None, None], tf.string, ragged_rank=1, row_splits_dtype=tf.int32),
        "tags[*]": tf.SparseTensorSpec([None, None], tf.string),
        "tags[0]": tf.TensorSpec([2], tf.string),
    }
    in_eager = columnar.parse_avro(RECORDS, SCHEMA, features)
    found = list(dataset)
    assert len(found) == 3
    for batch in found:
        assert {name: plain(batch[name]) for name in batch} == {name: plain(in_eager[name]) for name in in_eager}


def test_errors_have_record_and_key() -> None:
    features = {"tags[*]": tf.io.FixedLenFeature([1], tf.string)}
    with pytest.raises(tf.errors.InvalidArgumentError, match=r'record 1.*tags\[\*\]'):
        columnar.parse_avro(RECORDS, SCHEMA, {"tags[*]": tf.io.FixedLenFeature([2], tf.string)})
    dataset = tf.data.Dataset.from_tensors(RECORDS)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r'record 0.*tags\[\*\]'):
        list(dataset.map(lambda data: columnar.parse_avro(data, SCHEMA, features)))
    with pytest.raises(tf.errors.InvalidArgumentError, match="record 1"):
        columnar.parse_avro([RECORDS[0], b"\x0e"], SCHEMA, FEATURES)
    with pytest.raises(tf.errors.InvalidArgumentError, match='did you mean "age"'):
        columnar.parse_avro(RECORDS, SCHEMA, {"agee": tf.io.FixedLenFeature([], tf.int32)})
    wrong: list[Any] = [{}, {"age": "int"}, {"age": tf.io.FixedLenFeature(None, tf.int32)}]
    wrong.append({"t": tf.io.SparseFeature(["a", "b"], "v", tf.float32, [4])})
    wrong.append({"tags[*]": columnar.VarLenFeatureWithRank(tf.string, 0)})
    for features in wrong:
        with pytest.raises(ValueError):
            columnar.parse_avro(RECORDS, SCHEMA, features)


def test_epochs_shuffling_and_reads(fixtures: Path) -> None:
    people = str(fixtures / "avro" / "people.avro")
    records = list(columnar.AvroRecordDataset(people).as_numpy_iterator())
    assert len(records) == 2
    for size in (0, 1, 1 << 20):
        assert list(columnar.AvroRecordDataset([people, people], size).as_numpy_iterator()) == records * 2
    in_turn = columnar.AvroRecordDataset([people, people], num_parallel_reads=2, num_parallel_calls=2)
    assert list(in_turn.as_numpy_iterator()) == [records[0], records[0], records[1], records[1]]
    from tfxio._lib import AvroRecordReader

    AvroRecordReader(people).close()
    schema = '{"type": "record", "name": "com.test.person", "fields": [{"name": "age", "type": ["null", "int"], "default": null}]}'
    features = {"age": tf.io.FixedLenFeature([], tf.int32, -1)}

    def sizes(**how: Any) -> list[int]:
        dataset = columnar.make_avro_record_dataset([people], features, 3, schema, **how)
        return [len(batch["age"]) for batch in dataset.take(4)]

    assert sizes(num_epochs=4, shuffle=False) == [3, 3, 2]
    assert sizes(num_epochs=4, shuffle=False, drop_final_batch=True) == [3, 3]
    assert sizes(num_epochs=4, shuffle=True, shuffle_seed=5) == [3, 3, 2]
    assert sizes(num_epochs=4, shuffle=None, num_parallel_reads=1, prefetch_buffer_size=0) == [3, 3, 2]
    assert sizes() == [3, 3, 3, 3]


def test_flat_columns(fixtures: Path) -> None:
    people = str(fixtures / "avro" / "people.avro")
    schema = '{"type": "record", "name": "com.test.person", "fields": [{"name": "n", "type": "long", "default": 7}]}'
    tensor = tfio.IOTensor.from_avro(f"file://{people}", schema)
    assert (tensor.columns, tensor("n").dtype, tensor("n").shape, len(tensor("n"))) == (["n"], tf.int64, [2], 2)
    assert tensor("n")[1:].numpy().tolist() == tensor("n").to_tensor()[1:].numpy().tolist() == [7]
    assert [int(row) for row in tfio.IODataset.from_avro(people, schema, ["n"])] == [7, 7]
    for call in (lambda: tensor("m"), lambda: tfio.IODataset.from_avro(people, schema, ["m"])):
        with pytest.raises(ValueError, match="'m'"):
            call()


def test_their_tests() -> None:
    folder = os.environ.get("TFXIO_TENSORFLOW_IO_TESTS")
    if not folder:
        pytest.skip("TFXIO_TENSORFLOW_IO_TESTS does not say where the tests of tensorflow-io are, which need avro-python3")
    done = subprocess.run([sys.executable, PEERS / "run_tensorflow_io.py", folder], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
