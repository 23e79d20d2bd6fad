"""A second `for` over a loader: the next epochs, in their order."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import tfxio


def loader(dataset: tfxio.Dataset, **given: Any) -> tfxio.BatchLoader:
    how: dict[str, Any] = {"inputs": ["id"], "batch_size": 500, "shuffle": True, "seed": 7} | given
    return dataset.loader(**how)


def ids(batches: Iterable[tfxio.LoadedBatch]) -> list[bytes]:
    return [of for batch in batches for of in batch["id"].numpy().reshape(-1).tolist()]


@pytest.fixture
def everything(digits: tfxio.Dataset) -> list[bytes]:
    return sorted(row["id"][0] for row in digits)


@pytest.mark.parametrize("shuffle", [True, False])
def test_another_for_is_the_next_epoch(digits: tfxio.Dataset, everything: list[bytes], shuffle: bool) -> None:
    batches = loader(digits, shuffle=shuffle)
    passes = [ids(batches) for _ in range(3)]
    assert sum(passes, []) == ids(loader(digits, shuffle=shuffle, epochs=3))
    assert [sorted(one) for one in passes] == [everything] * 3
    assert (passes[0] != passes[1] != passes[2]) is shuffle


def test_epochs_are_read_again_as_often(digits: tfxio.Dataset) -> None:
    batches = loader(digits, epochs=2)
    assert ids(batches) + ids(batches) == ids(loader(digits, epochs=4))
    without_end = loader(digits, epochs=None)
    assert ids(islice(without_end, 10)) == ids(loader(digits, epochs=3))[:5000]


def test_what_was_left_goes_on(digits: tfxio.Dataset) -> None:
    batches, whole = loader(digits), ids(loader(digits, epochs=2))
    first = next(batches)
    for batch in batches:
        break
    assert ids([first, batch, *batches]) == whole[:1797]
    assert next(batches, None) is None and next(batches, None) is None, "there is no next one before another for"
    assert iter(batches) is iter(batches) is batches, "and beginning it twice leaves nothing out"
    assert ids([next(batches)]) == whole[1797:2297]


def test_a_remainder_is_dropped_in_each(digits: tfxio.Dataset) -> None:
    batches = loader(digits, shuffle=False, drop_remainder=True)
    in_order = ids(loader(digits, shuffle=False))
    assert [ids(batches) for _ in range(3)] == [in_order[:1500]] * 3
    shuffled = loader(digits, drop_remainder=True)
    assert [len(set(ids(shuffled))) for _ in range(2)] == [1500, 1500]


@pytest.mark.parametrize("taken", [2, 4, None])
def test_states_of_later_iterations(digits: tfxio.Dataset, taken: int | None) -> None:
    def remaining(batches: tfxio.BatchLoader) -> list[list[bytes]]:
        return [ids(batches), ids(batches)]

    batches = loader(digits)
    ids(batches)
    begun = iter(batches)
    ids(begun if taken is None else islice(begun, taken))
    state = json.loads(json.dumps(batches.state_dict()))
    pickled = pickle.loads(pickle.dumps(batches))
    expected = remaining(batches)
    assert [len(one) for one in expected] == {2: [797, 1797], 4: [0, 1797], None: [1797, 1797]}[taken]
    assert remaining(loader(digits, state=state)) == expected
    assert remaining(pickled) == expected
    other = loader(digits)
    other.load_state_dict(state)
    assert remaining(other) == expected
    with pytest.raises(ValueError, match="its iteration is damaged"):
        loader(digits, state={**state, "iteration": [1]})


def test_a_state_at_the_end(digits: tfxio.Dataset) -> None:
    first = loader(digits)
    assert "iteration" not in first.state_dict()
    ids(first)
    state = first.state_dict()
    assert next(loader(digits, state=state), None) is None, "the end is where it was"
    assert ids(loader(digits, state=state)) == ids(first)
    more = loader(digits, epochs=3, state=state)
    assert ids(more) == ids(loader(digits, epochs=3))[1797:], "more epochs go on"


def test_configurations(digits: tfxio.Dataset, fixtures: Path) -> None:
    config: dict[str, Any] = {"type": "independent", "dataset": None, "primary_features": [], "target_batch_size": 500, "shuffle": True}
    for given in (config, json.dumps(config)):
        batches = digits.loader(given, inputs=["id"], seed=7)
        whole = digits.loader({**config, "epochs": 2}, inputs=["id"], seed=7)
        assert ids(batches) + ids(batches) == ids(whole)
    path = fixtures / "loader" / "digits.json"
    of_file = tfxio.BatchLoader(path, inputs=["image"], targets=["label"])
    assert [sum(batch.num_rows for batch in of_file) for _ in range(2)] == [1797, 1797]


def test_mixtures_and_shards(digits: tfxio.Dataset, everything: list[bytes]) -> None:
    parts = [loader(digits, shard=(rank, 3)) for rank in range(3)]
    for _ in range(3):
        assert sorted(sum(map(ids, parts), [])) == everything
    mixed = tfxio.BatchLoader(None, zip([digits, digits], [1, 3]), inputs=["id"], batch_size=500, seed=7, shuffle=True)  # type: ignore[arg-type]
    for _ in range(2):
        assert sorted(ids(mixed)) == sorted(everything * 2)


def test_stats_count_all(digits: tfxio.Dataset) -> None:
    batches = loader(digits)
    ids(batches), ids(batches)
    assert (batches.stats()["batches"], batches.stats()["examples"]) == (8, 2 * 1797)


def test_a_closed_loader(digits: tfxio.Dataset) -> None:
    with loader(digits) as batches:
        next(batches)
    with pytest.raises(ValueError, match="this loader is closed"):
        list(batches)
    batches.load_state_dict(batches.state_dict())
    assert len(ids(batches)) == 1297


class Failing(tfxio.Dataset):
    """A data set whose second partition fails as long as it is told to."""

    fails = True

    @property
    def schema(self) -> Any:
        import pyarrow as pa

        return pa.schema({"n": pa.int64()})

    def partitions(self, target_bytes: int = 0) -> list[tfxio.Partition]:
        return [tfxio.Partition(str(at), first_record=0, records=10) for at in range(2)]

    def scan(self, partition: tfxio.Partition, request: tfxio.Request | None = None) -> Iterable[Any]:
        import pyarrow as pa

        if self.fails and partition.file == "1":
            raise KeyboardInterrupt
        yield pa.record_batch({"n": list(range(10))}, self.schema)


def test_after_an_error_it_goes_on_where_it_was() -> None:
    pytest.importorskip("pyarrow")
    data = Failing()
    batches = data.loader(inputs=["n"], batch_size=5)
    found = []
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            for batch in batches:
                found += batch["n"].numpy().reshape(-1).tolist()
        assert next(batches, None) is None
    Failing.fails = False
    found += [n for batch in batches for n in batch["n"].numpy().reshape(-1).tolist()]
    assert found == [*range(10), *range(10)]


def test_what_a_loader_looks_like(digits: tfxio.Dataset) -> None:
    batches = loader(digits, inputs=["image"], targets=["label"], pad={"image": 64})
    assert repr(batches) == "BatchLoader(image: float32 ?×64, label: int64 ?×?; seed 7; batches so far: 0)"
    next(batches)
    assert "batches so far: 1)" in repr(batches)
    list(batches)
    assert "batches so far: 4 at its end)" in repr(batches)
    assert batches, "it is true without being counted"


def test_how_many_batches(digits: tfxio.Dataset) -> None:
    for how in ({}, {"epochs": 3}, {"drop_remainder": True}, {"batch_size": 1}, {"shard": (1, 2)}, {"shuffle": False}):
        batches = loader(digits, **how)
        assert len(batches) == sum(1 for _ in batches)
    with pytest.raises(TypeError, match="it is without end"):
        len(loader(digits, epochs=None))
    tokens = loader(digits, inputs=["image"], batch_size=None, max_tokens=6400)
    with pytest.raises(TypeError, match="depends on the lengths of all examples"):
        len(tokens)
    assert sum(batch.num_rows for batch in list(tokens)) == 1797


def test_in_order_by_shards(digits: tfxio.Dataset) -> None:
    from tfxio._shards import Converted, ShardReader

    batches = Converted(ShardReader(digits, {"id": tfxio.FixedLen([], "string")}, batch_size=500), lambda batch: len(batch["id"]))
    next(batches)
    assert [sum(batches) for _ in range(2)] == [1797 - 500, 1797]
