"""Tensors of serialized Avro records."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import tfxio

import avro_cases

SCHEMA = """{"type": "record", "name": "person", "fields": [
    {"name": "age", "type": "int"}, {"name": "scores", "type": {"type": "array", "items": "float"}}]}"""
#: An age of 36 and a score of 2.0; an age of 7 and none.
RECORDS = [b"\x48\x02\0\0\0\x40\0", b"\x0e\0"]
FEATURES: dict[str, Any] = {"age": tfxio.FixedLen([], "int32"), "scores[*]": tfxio.FixedLen([2], "float32", default=0.5)}


def plain(tensor: Any) -> tuple[Any, ...]:
    values = tensor if isinstance(tensor, tfxio.DenseTensor) else tensor.values
    items = avro_cases.flat(values.numpy(), tensor.dtype)
    if isinstance(tensor, tfxio.SparseTensor):
        return "sparse", tensor.dtype, list(tensor.dense_shape), items, tensor.indices.tolist()
    if isinstance(tensor, tfxio.RaggedTensor):
        return "ragged", tensor.dtype, [splits.tolist() for splits in tensor.row_splits], items
    return "dense", tensor.dtype, list(tensor.shape), items


def test_tensors_and_columns() -> None:
    features = tfxio.AvroFeatures(SCHEMA, FEATURES)
    assert repr(features) == "AvroFeatures(age, scores[*])"
    assert features.specs["scores[*]"] == {"kind": "dense", "dtype": "float32", "shape": [None, 2]}
    tensors: dict[str, Any] = features.tensors(RECORDS)
    assert tensors["age"].tolist() == [36, 7]
    assert tensors["scores[*]"].tolist() == [[2.0, 0.5], [0.5, 0.5]]
    assert features.columns(iter(RECORDS)).to_pydict() == {"age": [36, 7], "scores[*]": [[2.0], []]}
    none: dict[str, Any] = features.tensors([])
    assert none["scores[*]"].shape == (0, 2)


def test_another_schema_of_the_writer() -> None:
    reader = """{"type": "record", "name": "person", "fields": [
        {"name": "name", "type": "string", "default": "nobody"}, {"name": "age", "type": "long"}]}"""
    specs = {"age": tfxio.FixedLen([], "int64"), "name": tfxio.FixedLen([], "string")}
    features = tfxio.AvroFeatures(reader, specs, writer_schema=SCHEMA)
    assert features.columns(RECORDS).to_pydict() == {"age": [36, 7], "name": [b"nobody"] * 2}


def test_what_is_wrong_has_its_record() -> None:
    features = tfxio.AvroFeatures(SCHEMA, {"scores[*]": tfxio.FixedLen([1], "float32")})
    with pytest.raises(ValueError, match='record 1.*tensor "scores') as caught:
        features.tensors(RECORDS)
    assert (getattr(caught.value, "record"), getattr(caught.value, "column")) == (1, "scores[*]")
    for damaged, message in ((b"\x48", "record 2"), (RECORDS[1] + b"x", "1 byte is left after the datum")):
        with pytest.raises(ValueError, match=message):
            features.tensors([RECORDS[0], RECORDS[0], damaged])
    # An error leaves nothing.
    assert len(features.tensors(RECORDS[:1])["scores[*]"]) == 1
    for wrong, message in (("agee", 'did you mean "age"'), ("scores", "the path ends at")):
        with pytest.raises(ValueError, match=message):
            tfxio.AvroFeatures(SCHEMA, {wrong: tfxio.FixedLen([], "int32")})
    with pytest.raises(ValueError, match="int32"):
        tfxio.AvroFeatures(SCHEMA, {"age": tfxio.FixedLen([], "int64")})


def test_pickles_and_threads() -> None:
    features = pickle.loads(pickle.dumps(tfxio.AvroFeatures(SCHEMA, FEATURES)))

    def sums(_: int) -> int:
        tensors: dict[str, Any] = features.tensors(RECORDS * 500)
        return int(tensors["age"].numpy().sum())

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(sums, range(40))) == {500 * 43}


IN_MEMORY = [case for case in avro_cases.cases() if case["call"] == "parse_avro"]


@pytest.mark.parametrize("case", IN_MEMORY, ids=lambda case: case["id"])
def test_recorded(case: dict[str, Any]) -> None:
    expected = case["expected"]
    found = []
    try:
        features = tfxio.AvroFeatures(case["reader_schema"], avro_cases.specs(case))
        for records in avro_cases.records(case):
            found.append({name: plain(tensor) for name, tensor in features.tensors(records).items()})
    except ValueError:
        assert "error" in expected
    else:
        assert "error" not in expected
    avro_cases.check(found, expected)
