"""Data sets that are written in Python."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import pytest

import tfxio

pa = pytest.importorskip("pyarrow")


class Squares(tfxio.Dataset):
    """Three parts of a hundred numbers and their squares."""

    schema = pa.schema({"n": pa.int64(), "square": pa.int64()})

    def __init__(self, batch: int = 100) -> None:
        self.batch = batch

    def partitions(self, target_bytes: int = 64 << 20) -> list[tfxio.Partition]:
        return [tfxio.Partition(f"part-{at}", first_record=0, records=100) for at in range(3)]

    def scan(self, partition: tfxio.Partition, request: tfxio.Request | None = None) -> Iterator[Any]:
        first = 100 * int(partition.file[5:])
        for start in range(first, first + 100, self.batch):
            numbers = range(start, min(start + self.batch, first + 100))
            yield pa.record_batch({"n": list(numbers), "square": [n * n for n in numbers]}, self.schema)


def numbers(reader: tfxio.BatchReader) -> list[int]:
    return [n for batch in reader for n in batch["n"].to_numpy().tolist()]


@pytest.mark.parametrize("batch", [1, 7, 100])
def test_it_is_read_as_any_other(batch: int) -> None:
    squares = Squares(batch)
    assert len(squares) == 300
    assert numbers(squares.read(batch_size=64)) == list(range(300))
    assert numbers(squares.read(filter="square >= 100 and square < 200", threads=2)) == [10, 11, 12, 13, 14]
    assert next(squares.read(columns=["square"], limit=3)).to_pydict() == {"square": [0, 1, 4][: min(batch, 3)]}
    assert (squares[-1], squares[123]["n"]) == ({"n": 299, "square": 299 * 299}, 123)
    assert numbers(squares[95:105]) == list(range(95, 105))
    assert sum(part.num_rows for part in squares.read(columns=[])) == 300


def test_it_is_loaded_and_resumed() -> None:
    def loader(**how: Any) -> tfxio.BatchLoader:
        return tfxio.BatchLoader(None, Squares(7), inputs=["n"], batch_size=40, shuffle=True, seed=5, **how)

    whole = [batch["n"].tolist() for batch in loader()]
    assert sorted(sum(whole, [])) == list(range(300)) and sum(whole, []) != list(range(300))
    first = loader()
    assert [next(first)["n"].tolist() for _ in range(3)] == whole[:3]
    assert [batch["n"].tolist() for batch in loader(state=first.state_dict())] == whole[3:]


@pytest.mark.filterwarnings("ignore:a global shuffle")
@pytest.mark.parametrize("shuffle", [False, True, "blocks", "global", "buffer"])
def test_a_loader_asks_for_its_parts_as_often_whatever_their_number(shuffle: Any) -> None:
    class Many(Squares):
        asked = 0
        count = 1

        def partitions(self, target_bytes: int = 64 << 20) -> list[tfxio.Partition]:
            self.asked += 1
            return [tfxio.Partition(f"part-{at}", first_record=0, records=100) for at in range(self.count)]

    asked = []
    for count in (2, 20):
        many = Many(7)
        many.count = count
        with many.loader(inputs=["n"], batch_size=40, shuffle=shuffle, seed=5) as loader:
            assert sorted(n for batch in loader for n in batch["n"].tolist()) == list(range(100 * count))
        asked.append(many.asked)
    assert asked[0] == asked[1]


def test_it_becomes_tensors() -> None:
    tensors = Squares().tensors({"square": tfxio.Dense("square")})
    assert next(tensors.read(batch_size=4))["square"].tolist() == [0, 1, 4, 9]


def test_it_crosses_processes() -> None:
    there = pickle.loads(pickle.dumps(Squares()))
    assert numbers(there.read()) == list(range(300))


def test_what_it_raises_is_raised() -> None:
    class Broken(Squares):
        def scan(self, partition: tfxio.Partition, request: tfxio.Request | None = None) -> Iterator[Any]:
            yield pa.record_batch({"n": [1], "square": [1]}, self.schema)
            raise PermissionError("no more")

    reader = Broken().read()
    next(reader)
    with pytest.raises(PermissionError, match="no more"):
        next(reader)

    class Unlike(Squares):
        def scan(self, partition: tfxio.Partition, request: tfxio.Request | None = None) -> Iterator[Any]:
            yield pa.record_batch({"n": ["one"]})

    with pytest.raises(ValueError, match="Unlike.scan returned a batch of"):
        list(Unlike().read())
    with pytest.raises(KeyError, match="squre.*square"):
        Squares().read(columns=["squre"])
    with pytest.raises(NotImplementedError, match="Dataset has no schema"):
        tfxio.Dataset().read()
