"""tf.SequenceExamples by keywords: batches of their features are those of lists of lists of Python."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfxio

pa = pytest.importorskip("pyarrow")

Record = dict[str, Any]

ORDERS: list[dict[str, Any]] = [{}, {"shuffle": True, "seed": 3}, {"shuffle": "global", "seed": 3}, {"shuffle": "buffer", "shuffle_buffer": 5, "seed": 3}]


def made(count: int, seed: int) -> list[Record]:
    """Returns records of a context and of sequences: of one value a step, of two, and of any number."""
    rng = np.random.default_rng(seed)
    records = []
    for number in range(count):
        steps = int(rng.integers(0, 6))
        records.append(
            {
                "user": [number],
                "##SEQUENCE##": {
                    "user": [[int(rng.integers(1, 9))] for _ in range(steps)],
                    "one": [[int(rng.integers(1, 9))] for _ in range(steps)],
                    "pair": [rng.random(2, np.float32).tolist() for _ in range(steps)],
                    "many": [rng.integers(1, 99, rng.integers(0, 4)).tolist() for _ in range(steps)],
                    "words": [[f"w{word}".encode() for word in range(rng.integers(0, 3))] for _ in range(steps)],
                },
            }
        )
    return records


def written(records: list[Record], path: Path) -> Path:
    def steps(values: Any) -> Any:
        return pa.large_list(pa.large_list(values))

    fields = {"user": pa.int64(), "one": pa.int64(), "pair": pa.float32(), "many": pa.int64(), "words": pa.large_binary()}
    sequences = pa.struct({name: steps(values) for name, values in fields.items()})
    schema = pa.schema({"user": pa.large_list(pa.int64()), "##SEQUENCE##": sequences})
    tfxio.write(pa.Table.from_pylist(records, schema), path, records="sequence_example")
    return path


@pytest.fixture(scope="module")
def records() -> list[Record]:
    return made(40, 1)


@pytest.fixture(scope="module")
def path(records: list[Record], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(records, tmp_path_factory.mktemp("sequences") / "sequences.tfrecord")


def padded(rows: list[list[list[Any]]], steps: int, size: int, value: Any = 0) -> list[Any]:
    """Returns steps and their values, filled up."""
    full = [[[*step, *[value] * (size - len(step))] for step in row] for row in rows]
    return [[*row, *[[value] * size] * (steps - len(row))] for row in full]


def longest(rows: list[list[list[Any]]]) -> tuple[int, int]:
    return max(map(len, rows)), max((len(step) for row in rows for step in row), default=0)


def test_all_features_by_one_keyword(path: Path, records: list[Record]) -> None:
    loader = tfxio.open(path).loader(batch_size=8, pad=True)
    names = ["##CONTEXT##.user", "##SEQUENCE##.user", "many", "one", "pair", "words"]
    assert sorted(loader.specs) == names and len(loader) == 5
    assert loader.specs["many"] == {"kind": "dense", "dtype": "int64", "shape": [None, None, None]}
    at = 0
    for batch in loader:
        part = records[at : at + 8]
        at += 8
        assert batch["##CONTEXT##.user"].tolist() == [record["user"] for record in part]
        for name in names[1:]:
            rows = [record["##SEQUENCE##"][name.removeprefix("##SEQUENCE##.")] for record in part]
            filled = padded(rows, *longest(rows), b"" if name == "words" else 0)
            found = batch[name].numpy()
            assert found.tolist() == filled, name
            assert found.dtype == {"pair": np.float32, "words": object}.get(name, np.int64)
    assert at == 40


@pytest.mark.parametrize("order", ORDERS, ids=str)
def test_orders_and_states(path: Path, records: list[Record], order: dict[str, Any]) -> None:
    def loader(**how: Any) -> tfxio.BatchLoader:
        masks: dict[str, Any] = {"steps": {"shape": ["many"], "dtype": "bool", "value": True}, "values": {"shape": "many", "dtype": "bool", "value": True}}
        return tfxio.open(path).loader(inputs=["many", "steps", "values"], batch_size=7, pad={"many": {"value": -1}}, constants=masks, **order, **how)

    batches = []
    states = [loader().state_dict()]
    for batch in (running := loader(threads=2)):
        many, steps, values = (batch[name].numpy() for name in ("many", "steps", "values"))
        assert ((many != -1) == values).all() and steps.shape == many.shape[:2]
        batches.append([[[value for value in step if value != -1] for step in row[there].tolist()] for row, there in zip(many, steps)])
        states.append(json.loads(json.dumps(running.state_dict())))
    found = [row for batch in batches for row in batch]
    assert sorted(found) == sorted(record["##SEQUENCE##"]["many"] for record in records)
    assert (found == [record["##SEQUENCE##"]["many"] for record in records]) == (not order)
    for number in (1, 3, 5):
        rest = [batch["many"].numpy().tolist() for batch in loader(state=states[number])]
        again = [batch["many"].numpy().tolist() for batch in loader()]
        assert rest == again[number:]
    assert next(pickle.loads(pickle.dumps(loader(state=states[2]))))["many"].numpy().tolist() == again[2]


def test_lengths(path: Path, records: list[Record]) -> None:
    ds = tfxio.open(path)
    many = [record["##SEQUENCE##"]["many"] for record in records]
    cut = next(ds.loader(inputs=["many"], batch_size=40, pad={"many": [None, 5]}, truncate={"many": (2, "tail")}))
    assert cut["many"].numpy().tolist() == padded([row[-2:] for row in many], 2, 5)
    steps = next(ds.loader(inputs=["many"], batch_size=40, pad={"many": 6}))
    assert steps["many"].shape == (40, 6, 3)
    for how in ({"shuffle": False}, {"shuffle": "blocks", "seed": 1}):
        rows = [batch["many"].numpy() for batch in ds.loader(inputs=["many"], max_tokens=15, **how)]
        assert all(batch.shape[0] * max(batch.shape[1], 1) <= 15 for batch in rows) and sum(len(batch) for batch in rows) == 40
    buckets: Any = {"tensor": "many", "boundaries": [2, 4], "batch_sizes": [8, 4, 2]}
    shapes = [batch["many"].shape for batch in ds.loader(inputs=["many"], batch_size=8, buckets=buckets)]
    assert sum(shape[0] for shape in shapes) == 40 and {shape[0] <= 8 if shape[1] < 2 else shape[0] <= 4 for shape in shapes} == {True}


@pytest.mark.parametrize("split", [False, True])
def test_packing(path: Path, records: list[Record], split: bool) -> None:
    loader = tfxio.open(path).loader(inputs=["many", "one", "segment_ids"], batch_size=3, pack={"length": 6, "split": split})
    found: list[tuple[list[int], list[int]]] = []
    for batch in loader:
        many, one, segments = (batch[name].numpy() for name in ("many", "one", "segment_ids"))
        assert many.shape[1] == one.shape[1] == 6 and one.shape[2] == 1
        assert (many[segments == 0] == 0).all()
        found += [([value for value in step if value], first.tolist()) for step, first in zip(many[segments > 0].tolist(), one[segments > 0])]
    pairs = [pair for record in records for pair in zip(record["##SEQUENCE##"]["many"], record["##SEQUENCE##"]["one"])]
    assert sorted(found) == sorted(pairs)


def test_windows(path: Path, records: list[Record]) -> None:
    ds = tfxio.open(path, scalars=["##SEQUENCE##.one"])
    steps = [pair for record in records for pair in zip(record["##SEQUENCE##"]["one"], record["##SEQUENCE##"]["many"])]
    loader = ds.loader(inputs=["one", "many"], batch_size=4, pad=True, window={"size": 5, "stride": 2, "steps": [("many", "slice", "[1:, :2]")]})
    found = [(one, many) for batch in loader for one, many in zip(batch["one"].numpy(), batch["many"].numpy())]
    windows = [steps[at : at + 5] for at in range(0, len(steps) - 4, 2)]
    assert [one.tolist() for one, _ in found] == [[value for [value], _ in window] for window in windows]
    kept = [[[value for value in step if value] for step in many.tolist()] for _, many in found]
    assert kept == [[many[:2] for _, many in window[1:]] for window in windows]
    of_records = ds.loader(inputs=["one"], batch_size=1, pad=True, window={"size": 3, "of": "records"})
    rows = [[[value] for value in batch["one"].numpy()[0].tolist()] for batch in of_records]
    assert rows == [[step for record in records[at : at + 3] for step in record["##SEQUENCE##"]["one"]] for at in range(0, 39, 3)]


def test_steps_of_one_value_are_scalars(path: Path, records: list[Record]) -> None:
    lists = tfxio.open(path)
    assert repr(lists).endswith("reads user, ##SEQUENCE##.one, ##SEQUENCE##.user as scalars, ##SEQUENCE##.words as text")
    ds = tfxio.open(path, scalars=True, text=True)
    assert ds.head(40) == [
        {
            "user": record["user"][0],
            "##SEQUENCE##": {
                **record["##SEQUENCE##"],
                "user": [value for [value] in record["##SEQUENCE##"]["user"]],
                "one": [value for [value] in record["##SEQUENCE##"]["one"]],
                "words": [[word.decode() for word in step] for step in record["##SEQUENCE##"]["words"]],
            },
        }
        for record in records
    ]
    batch = next(ds.loader(inputs=["one", "##CONTEXT##.user"], batch_size=40, pad=True, one_hot={"one": 9}))
    assert batch["##CONTEXT##.user"].tolist() == list(range(40)) and batch["one"].shape == (40, 5, 9)
    for row, record in zip(batch["one"].numpy(), records):
        steps = [value for [value] in record["##SEQUENCE##"]["one"]]
        assert row[: len(steps)].argmax(-1).tolist() == steps and not row[len(steps) :].any()
    assert pickle.loads(pickle.dumps(ds)).schema.types == ds.schema.types
    with pytest.raises(tfxio.TfxioError, match=r'column "##SEQUENCE##.pair": a step of the feature has 2 values, and the column is one of scalars'):
        tfxio.open(path, scalars=["##SEQUENCE##.pair"]).head(40)


def test_what_was_read_as_scalars_is_written_as_sequences(path: Path, tmp_path: Path) -> None:
    tfxio.write(tfxio.open(path, scalars=True, text=True), tmp_path / "again.tfrecord", records="sequence_example")
    assert tfxio.open(tmp_path / "again.tfrecord").head(40) == tfxio.open(path).head(40)


def test_values_and_filters(path: Path, records: list[Record]) -> None:
    ds = tfxio.open(path)
    normal = next(ds.loader(inputs=["pair"], batch_size=40, pad=True, normalize={"pair": 0}))["pair"].numpy()
    rows = np.array(padded([record["##SEQUENCE##"]["pair"] for record in records], 5, 2), np.float32).astype(np.float64)
    centred = rows - rows.mean(1, keepdims=True)
    assert np.allclose(normal, centred / (np.sqrt(rows.var(1, keepdims=True) + 1e-8) + 1e-8), atol=1e-4)
    hot = next(ds.loader(inputs=["many"], batch_size=40, pad=True, one_hot={"many": 99}))["many"].numpy()
    assert hot.shape == (40, 5, 3, 99)
    many = np.array(padded([record["##SEQUENCE##"]["many"] for record in records], 5, 3))
    assert (hot.sum(-1) == (many > 0)).all() and (hot.argmax(-1) == many).all()
    for text in ("one = 3", '"##SEQUENCE##".one = 3', '"##SEQUENCE##.one" = 3'):
        kept = [row for batch in ds.loader(inputs=["one"], batch_size=4, pad=True, filter=text) for row in batch["one"].numpy().tolist()]
        assert len(kept) == sum([3] in record["##SEQUENCE##"]["one"] for record in records) > 0 and all([3] in row for row in kept)
    # A name of both is that of the context.
    [batch] = ds.loader(inputs=["one"], batch_size=4, pad=True, filter="user = 3")
    assert batch["one"].numpy().tolist() == [records[3]["##SEQUENCE##"]["one"]]


def test_a_configuration_says_the_same(path: Path) -> None:
    ds = tfxio.open(path)
    features = {"x": "##SEQUENCE##.user", "y": "##SEQUENCE##.many"}
    how: dict[str, Any] = {"batch_size": 4, "features": features, "pad": {"y": [None, 4]}, "constants": {"mask": {"shape": ["y"], "dtype": "bool", "value": True}}}
    loader = ds.loader(inputs=["x", "y", "mask"], **how)
    assert loader.config()["secondary_features"][0]["args"]["shape"] == ["y"]
    again = ds.loader(json.loads(json.dumps(loader.config())), inputs=["x", "y", "mask"])
    for one, other in zip(loader, again):
        assert all((one[name].numpy() == other[name].numpy()).all() for name in ("x", "y", "mask"))
    assert "40 examples" in repr(ds.loader(inputs=["many"], batch_size=4, pad=True, shuffle="blocks", seed=1).plan())


def test_an_absent_sequence(tmp_path: Path) -> None:
    some = made(3, 5)
    some[1]["##SEQUENCE##"] = {name: None if name == "many" else steps for name, steps in some[1]["##SEQUENCE##"].items()}
    ds = tfxio.open(written(some, tmp_path / "absent.tfrecord"))
    with pytest.raises(tfxio.TfxioError, match=r'record 1, tensor "many": the record lacks the feature; every record needs each'):
        list(ds.loader(inputs=["many"], batch_size=3, pad=True))
    batch = next(ds.loader(inputs=["many"], batch_size=3, pad=True, defaults={"many": []}))["many"].numpy()
    rows = [record["##SEQUENCE##"]["many"] or [] for record in some]
    assert batch.tolist() == padded(rows, *longest(rows))
    kept = next(ds.loader(inputs=["many"], batch_size=3, pad=True, filter="many is not null"))
    assert kept.num_rows == 2


def test_mixtures_and_operators(path: Path, records: list[Record]) -> None:
    ds = tfxio.open(path)
    mixed = tfxio.BatchLoader(None, [(ds, 1.0), (ds.take(10), 2.0)], inputs=["many"], batch_size=5, pad=True, seed=2)
    assert sum(batch.num_rows for batch in mixed) == 50
    renamed = ds.rename({"user": "number"})
    batch = next(renamed.loader(inputs=["user", "number"], batch_size=40, pad=True))
    assert batch["number"].tolist() == [record["user"] for record in records]
    rows = [record["##SEQUENCE##"]["user"] for record in records]
    assert batch["user"].numpy().tolist() == padded(rows, *longest(rows))
    parts = [list(ds.loader(inputs=["many"], batch_size=5, pad=True, shard=(rank, 2), elastic=4)) for rank in range(2)]
    assert sum(batch.num_rows for part in parts for batch in part) == 40
