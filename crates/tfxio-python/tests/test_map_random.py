"""Random numbers of functions of rows, which follow from the record alone."""

from __future__ import annotations

import pickle
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import DIGITS

import tfxio


def noise(row: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    return {"noise": float(rng.random()), "more": rng.integers(0, 2**62, 2).tolist()}


def some(row: dict[str, Any], rng: np.random.Generator) -> bool:
    return bool(rng.random() < 0.25)


@pytest.fixture
def whole(digits: tfxio.Dataset) -> dict[bytes, tuple[float, list[int]]]:
    found = {row["id"][0]: (row["noise"], row["more"]) for row in digits.map(noise, given="rows", seed=5)}
    assert len(found) == len({noise for noise, _ in found.values()}) == 1797
    return found


def numbers(loader: tfxio.BatchLoader) -> dict[bytes, float]:
    return {id: noise for batch in loader for [id], noise in zip(batch["id"].numpy(), batch["noise"].numpy().tolist(), strict=True)}


@pytest.mark.parametrize("workers", [0, 1])
def test_they_depend_on_nothing_but_the_record(digits: tfxio.Dataset, whole: dict[bytes, Any], workers: int) -> None:
    ds = pickle.loads(pickle.dumps(digits.map(noise, given="rows", seed=5, workers=workers)))
    for batch_size, threads in ((50, 1), (1000, 3)):
        rows = [row for batch in ds.read(batch_size=batch_size, threads=threads, filter="label >= 8") for row in batch.to_pylist()]
        assert len(rows) == 354 and all((row["noise"], row["more"]) == whole[row["id"][0]] for row in rows)
    for shuffle in (True, "buffer"):
        found = numbers(ds.loader(inputs=["id", "noise"], batch_size=50, shuffle=shuffle, seed=1, threads=2))
        assert found == {id: noise for id, (noise, _) in whole.items()}
    row = ds[-700]
    assert (row["noise"], row["more"]) == whole[row["id"][0]]


def test_rows_of_views_are_the_same_records(digits: tfxio.Dataset, whole: dict[bytes, Any], tmp_path: Path) -> None:
    views = [digits.skip(1000).take(50), digits.filter("label = 7"), digits.take(3).concat(digits.skip(1790)), digits.shard(1, 5)]
    for view in views:
        rows = list(view.map(noise, given="rows", seed=5))
        assert rows and all((row["noise"], row["more"]) == whole[row["id"][0]] for row in rows)
    # Files may move, and have what their names say.
    moved = Path(shutil.copy(Path(DIGITS).with_name("digits-00001-of-00003.tfrecord"), tmp_path))
    assert all(row["noise"] == whole[row["id"][0]][0] for row in tfxio.open(moved, missing_shards="allow").map(noise, given="rows", seed=5))


def test_seeds_differ_and_the_default_is_one(digits: tfxio.Dataset, whole: dict[bytes, Any]) -> None:
    few = digits.take(20)
    others = [[row["noise"] for row in few.map(noise, given="rows", seed=seed)] for seed in (None, 0, 6)]
    assert others[0] == others[1] and not set(others[0]) & set(others[2])
    assert not (set(others[0]) | set(others[2])) & {noise for noise, _ in whole.values()}


def test_a_filter_draws_records(digits: tfxio.Dataset) -> None:
    drawn = digits.filter(some, given="rows", columns=["id"], seed=3)
    ids = [row["id"] for row in drawn]
    assert 350 < len(ids) < 550 and ids == [row["id"] for batch in drawn.read(batch_size=10) for row in batch.to_pylist()]
    assert ids != [row["id"] for row in digits.filter(some, given="rows", columns=["id"], seed=4)]


def test_what_does_not_fit_is_refused(digits: tfxio.Dataset) -> None:
    for method in (digits.map, digits.filter):
        with pytest.raises(ValueError, match='give given="rows", since those of a batch would depend on where batches are cut; loader.map'):
            method(noise)
        with pytest.raises(ValueError, match="the function that .* is given has no argument rng"):
            method(dict, given="rows", seed=3)
        with pytest.raises(ValueError, match="seed is -1"):
            method(noise, given="rows", seed=-1)


def test_records_without_numbers_are_named() -> None:
    pa = pytest.importorskip("pyarrow")

    class Own(tfxio.Dataset):
        """A data set whose partitions do not say which records they have."""

        schema = pa.schema({"n": pa.int64()})

        def partitions(self, target_bytes: int = 64 << 20) -> list[tfxio.Partition]:
            return [tfxio.Partition("all")]

        def scan(self, partition: tfxio.Partition, request: tfxio.Request | None = None) -> Any:
            yield pa.record_batch({"n": [1, 2, 3]}, self.schema)

    with pytest.raises(ValueError, match=r"random numbers \(rng\) follow from the number of a record in its file, and those .* have none"):
        list(Own().map(noise, given="rows"))
