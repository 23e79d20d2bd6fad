"""The batch loader: the same seed, the same batches, in any process."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

import tfxio


def loader(dataset: tfxio.Dataset, **how: object) -> tfxio.BatchLoader:
    keywords = {"inputs": ["image"], "targets": ["label"], "batch_size": 50, "shuffle": True, "seed": 7} | how
    return tfxio.BatchLoader(None, dataset, **keywords)  # type: ignore[arg-type]


def labels(batches: object) -> list[list[int]]:
    return [batch["label"].numpy().reshape(-1).tolist() for batch in batches]  # type: ignore[attr-defined]


def test_every_example_once_in_an_order_of_the_seed(digits: tfxio.Dataset) -> None:
    once = labels(loader(digits))
    assert [len(batch) for batch in once] == [50] * 35 + [47]
    assert once == labels(loader(digits, threads=2))
    assert once != labels(loader(digits, seed=8))
    everything = [row["label"][0] for row in digits]
    assert sorted(sum(once, [])) == sorted(everything) and sum(once, []) != everything
    assert sum(labels(loader(digits, shuffle=False)), []) == everything


def test_a_state_goes_on(digits: tfxio.Dataset) -> None:
    first = loader(digits)
    whole = labels(loader(digits))
    assert labels([next(first) for _ in range(5)]) == whole[:5]
    state = json.loads(json.dumps(first.state_dict()))
    assert labels(loader(digits, state=state)) == whole[5:]
    pickled = pickle.loads(pickle.dumps(first))
    assert labels(pickled) == labels(first) == whole[5:]
    first.load_state_dict(state)
    assert labels(first) == whole[5:]


def test_a_configuration_of_its_own(fixtures: Path) -> None:
    batches = tfxio.BatchLoader(fixtures / "loader" / "digits.json", inputs=["image"], targets=["label"])
    batch = next(batches)
    assert batch["image"].shape == (32, 8, 8)
    assert (list(batch.inputs()), list(batch.targets()), len(batch)) == (["image"], ["label"], 2)
    assert batches.stats()["batches"] == 1
    assert batch.origins()[0][1].endswith(".tfrecord")
    with pytest.raises(KeyError, match="imag"):
        batch["imag"]


def test_shards_divide(digits: tfxio.Dataset) -> None:
    parts = [sum(labels(loader(digits, shard=(rank, 2))), []) for rank in range(2)]
    assert sorted(parts[0] + parts[1]) == sorted(row["label"][0] for row in digits)


def test_what_is_said_twice_is_refused(digits: tfxio.Dataset, fixtures: Path) -> None:
    with pytest.raises(ValueError, match="batch_size is missing"):
        tfxio.BatchLoader(None, digits)
    with pytest.raises(ValueError, match='shuffle cannot be given beside a configuration: set its key "shuffle" there'):
        tfxio.BatchLoader(fixtures / "loader" / "digits.json", shuffle=True)


def test_filter_and_tokens(digits: tfxio.Dataset) -> None:
    assert set(sum(labels(loader(digits, filter="label = 3")), [])) == {3}
    sizes = [batch["image"].shape for batch in loader(digits, batch_size=None, max_tokens=640)]
    assert max(rows * width for rows, width in sizes) <= 640


SCHEMA = """
feature { name: "label" type: INT presence { min_fraction: 1 } int_domain { min: 0 max: 8 } }
feature { name: "image" type: FLOAT shape { dim { size: 64 } } }
"""


def test_records_that_leave_a_schema_are_counted(digits: tfxio.Dataset) -> None:
    everything = [row["label"][0] for row in digits]
    warned = loader(digits, validate=SCHEMA, on_leave="warn")
    assert warned.anomalies() == []
    batches = labels(warned)
    assert batches == labels(loader(digits))
    [nines] = warned.anomalies()
    assert (nines.feature, nines.kind, nines.expected, nines.found) == ("label", "domain", "values in 0 to 8", "9")
    assert nines.count == everything.count(9) and nines.file.endswith(".tfrecord")
    half = loader(digits, validate=SCHEMA, on_leave="warn", threads=2)
    [next(half) for _ in range(20)]
    assert 0 < half.anomalies()[0].count < nines.count
    restored = pickle.loads(pickle.dumps(half))
    assert labels(restored) == batches[20:] and restored.anomalies() == [nines]


def test_a_record_that_leaves_a_schema_stops(digits: tfxio.Dataset, tmp_path: Path) -> None:
    path = tmp_path / "schema.pbtxt"
    path.write_text(SCHEMA)
    stopped = loader(digits, validate=path, shuffle=False)
    with pytest.raises(tfxio.exceptions.SchemaMismatchError, match="asks for values in 0 to 8, the record has 9") as raised:
        labels(stopped)
    assert raised.value.record == [row["label"][0] for row in digits].index(9)
    with pytest.raises(ValueError, match='give "stop" or "warn"'):
        loader(digits, validate=path, on_leave="go")
    with pytest.raises(tfxio.exceptions.InvalidArgumentError, match="not a schema that records can be compared with"):
        loader(digits, validate='feature { name: "label" type: INT domain: "of another file" }')


def test_a_batch_is_a_mapping(digits: tfxio.Dataset) -> None:
    batch = next(digits.loader(inputs=["image"], targets=["label"], batch_size=4))
    assert [name for name, _ in batch.items()] == list(batch) == list(batch.keys()) == ["image", "label"]
    assert [tensor.shape for tensor in batch.values()] == [batch["image"].shape, batch["label"].shape]
    assert batch.get("label") is not None and batch.get("lable") is None and batch.get("lable", 7) == 7
    assert dict(batch)["label"].numpy().tolist() == dict(batch.items())["label"].numpy().tolist()


def test_decompression_is_told_apart(fixtures: Path, tmp_path: Path) -> None:
    """Of each compression that has a stage; of others it is none."""
    digits = tfxio.open(fixtures / "digits" / "digits@3.tfrecord", scalars=True, text=True)
    written: dict[str, Any] = {"tfrecord": {}, "tfrecord.gz": {}, "avro": {"codec": "deflate"}, "jsonl.gz": {}, "jsonl": {}, "parquet": {}}
    for ending, how in written.items():
        tfxio.write(digits, tmp_path / f"digits.{ending}", **how)
    for ending in written:
        for threads in (1, 3):
            loader = tfxio.open(tmp_path / f"digits.{ending}").loader(inputs=["label"], batch_size=100, threads=threads)
            assert sum(batch.num_rows for batch in loader) == 1797
            stats = loader.stats()
            assert stats["reading"] > 0 and (stats["inflating"] > 0) == (ending in ("tfrecord.gz", "avro", "jsonl.gz")), (ending, stats)
