"""Loaders of parts that hosts divide among them: other numbers of hosts go on with the same batches."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfxio
from tfxio.exceptions import InvalidArgumentError

WAYS: dict[str, dict[str, Any]] = {
    "plain": {"pad": True},
    "pack": {"pack": 16},
    "split": {"pack": {"length": 8, "split": True}},
    "tokens": {"max_tokens": 30},
    "buckets": {"buckets": {"tensor": "v", "boundaries": [4], "batch_sizes": [4, 2]}},
    "filter": {"pad": True, "filter": "n >= 30"},
}


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> tfxio.Dataset:
    folder = tmp_path_factory.mktemp("texts")
    chance = np.random.default_rng(1)
    rows = [{"n": number, "v": (1000 * number + np.arange(chance.integers(1, 9))).tolist()} for number in range(240)]
    for file in range(4):
        tfxio.write(rows[file * 60 : file * 60 + 60], folder / f"{file}.tfrecord.gz")
    return tfxio.open(folder / "*.gz", scalars=True)


def hosts(ds: Any, how: dict[str, Any], count: int, state: Any = None, rounds: int | None = None) -> tuple[list[Counter[int]], list[dict[str, Any]]]:
    """Returns the values of each round of all hosts together, and the state of each."""
    all: list[Counter[int]] = []
    states = []
    for host in range(count):
        loader = tfxio.BatchLoader(None, ds, inputs=["v"], batch_size=2, seed=7, shard=(host, count), elastic=6, state=state, **how)
        own = 6 // count
        at = 0
        for batch in loader:
            while len(all) <= at // own:
                all.append(Counter())
            all[at // own].update(batch["v"].numpy().ravel().tolist())
            at += 1
            if rounds is not None and at == rounds * own:
                break
        states.append(json.loads(json.dumps(loader.state_dict())))
        loader.close()
    return all, states


@pytest.mark.parametrize("shuffle", [False, True, "global", "buffer"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.filterwarnings("ignore::tfxio.SlowWarning")
def test_rounds_stay_the_same(texts: tfxio.Dataset, way: str, shuffle: Any) -> None:
    how = {**WAYS[way], "shuffle": shuffle}
    expected, _ = hosts(texts, how, 1)
    begun, states = hosts(texts, how, 3, None, 2)
    middle, states = hosts(texts, how, 2, states, 1)
    rest, _ = hosts(texts, how, 6, states)
    assert (begun + middle)[:3] == expected[:3]
    # Parts end at different times, of which the last rounds have fewer.
    given = sum(begun + middle + rest, Counter())
    assert given[0] >= 0 and sum(expected, Counter()) - Counter({0: given[0]}) == given - Counter({0: given[0]})
    values = {value for row in texts.head(240) for value in row["v"] if way != "filter" or row["n"] >= 30}
    assert set(given) | {0} == values | {0}


def test_mixtures_and_later_epochs(texts: tfxio.Dataset) -> None:
    both = [(texts.filter("n < 120"), 3.0), (texts.filter("n >= 120"), 1.0)]
    how: dict[str, Any] = {"pad": True, "shuffle": True}
    expected, _ = hosts(both, how, 1)
    begun, states = hosts(both, how, 6, None, 3)
    rest, _ = hosts(both, how, 2, states)
    assert begun == expected[:3] and sum(begun + rest, Counter()) == sum(expected, Counter())
    # Another `for` begins the next epochs of all parts.
    loader = texts.loader(inputs=["v"], batch_size=4, pad=True, shuffle=True, seed=1, elastic=6)
    epochs = [[batch["v"].numpy().ravel().tolist() for batch in loader] for _ in range(2)]
    assert epochs[0] != epochs[1] and sorted(sum(epochs[0], [])) != []
    again = texts.loader(inputs=["v"], batch_size=4, pad=True, shuffle=True, seed=1, elastic=6, epochs=2)
    assert Counter(sum(sum(epochs, []), [])) == Counter(value for batch in again for value in batch["v"].numpy().ravel().tolist())


def test_a_loader_of_parts_is_a_loader(texts: tfxio.Dataset) -> None:
    loader = texts.loader(inputs=["v"], batch_size=5, pad=True, shuffle=True, seed=1, elastic=6, shard=(1, 2))
    assert len(loader) == 24 and loader.seed == 1 and loader.specs["v"]["dtype"] == "int64"
    assert "batches" in repr(loader.plan()) and repr(loader).endswith("batches so far: 0)")
    batches = [batch["v"].numpy().tolist() for _, batch in zip(range(7), loader, strict=False)]
    assert loader.stats()["batches"] == 7 and loader.stats()["examples"] == 35
    copy = pickle.loads(pickle.dumps(loader))
    assert next(copy)["v"].numpy().tolist() == next(loader)["v"].numpy().tolist()
    state = loader.state_dict()
    rest = [batch["v"].numpy().tolist() for batch in loader]
    loader.load_state_dict([state])
    assert [batch["v"].numpy().tolist() for batch in loader] == rest and len(batches) + 1 + len(rest) == 24
    mapped = texts.loader(inputs=["v"], batch_size=5, pad=True, shuffle=True, seed=1, elastic=6).map(len, threads=2)
    assert sum(1 for _ in mapped) == 48


def test_what_does_not_fit_is_refused(texts: tfxio.Dataset) -> None:
    how: dict[str, Any] = {"inputs": ["v"], "pack": 8, "batch_size": 2, "seed": 1}
    states = [texts.loader(**how, elastic=6, shard=(host, 2)).state_dict() for host in range(2)]
    texts.loader(**how, elastic=6, shard=(2, 3), state=states)
    with pytest.raises(InvalidArgumentError, match="6 parts are not the same number for each of 4 hosts; cut the data set into a multiple"):
        texts.loader(**how, elastic=6, shard=(0, 4))
    with pytest.raises(InvalidArgumentError, match="the state does not have part 1, .*give the states of all hosts"):
        texts.loader(**how, elastic=6, state=states[0])
    with pytest.raises(InvalidArgumentError, match="the state is of 6 parts, and the loader has 12"):
        texts.loader(**how, elastic=12, state=states)
    with pytest.raises(InvalidArgumentError, match="several states are those of hosts .*give elastic"):
        texts.loader(**how, state=states)
    with pytest.raises(InvalidArgumentError, match="not the state of an elastic loader"):
        texts.loader(**how, elastic=6, state=texts.loader(**how).state_dict())
    with pytest.raises(ValueError, match="elastic is 0"):
        texts.loader(**how, elastic=0)
    wrong: Any = "x"
    with pytest.raises(TypeError, match="state is a dict"):
        texts.loader(**how, elastic=6, state=wrong)
