"""Data sets of other rows, and several as one: what they are read, counted, loaded, resumed and divided as."""

from __future__ import annotations

import json
import multiprocessing
import pickle
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tfxio
from tfxio.exceptions import InvalidArgumentError, SchemaMismatchError

FORMATS = ["tfrecord", "tfrecord.gz", "parquet", "avro", "jsonl", "csv", "arrow"]
ROWS = [{"id": number, "part": number * 7 % 10, "word": f"word {number % 5}"} for number in range(600)]


def written(folder: Path, format: str, rows: list[dict[str, Any]] = ROWS, name: str = "data") -> tfxio.Dataset:
    for number in range(3):
        tfxio.write(rows[number * 200 : number * 200 + 200], folder / f"{name}-{number}.{format}")
    return tfxio.open(folder / f"{name}-*.{format}", scalars=True, text=True)


#: What is made of a data set, and which of the rows that has.
MADE: dict[str, tuple[Callable[[tfxio.Dataset], tfxio.Dataset], Callable[[list[Any]], list[Any]]]] = {
    "filter": (lambda ds: ds.filter("part < 3"), lambda rows: [row for row in rows if row["part"] < 3]),
    "take": (lambda ds: ds.take(250), lambda rows: rows[:250]),
    "skip": (lambda ds: ds.skip(333), lambda rows: rows[333:]),
    "slice of filter": (
        lambda ds: ds.filter("part < 5").skip(20).take(200),
        lambda rows: [row for row in rows if row["part"] < 5][20:220],
    ),
    "filter of slice": (
        lambda ds: ds.skip(50).filter("part < 5").select(["part", "id"]).rename({"part": "p"}),
        lambda rows: [{"p": row["part"], "id": row["id"]} for row in rows[50:] if row["part"] < 5],
    ),
    "shard": (lambda ds: ds.shard(2, 4), lambda rows: rows[300:450]),
    "concat": (lambda ds: ds.take(70).concat(ds.skip(530)), lambda rows: rows[:70] + rows[530:]),
    "map of filter": (
        lambda ds: ds.filter("part >= 7").map(lambda rows: {"twice": rows["id"] * 2}, columns=["id"]),
        lambda rows: [{**row, "twice": row["id"] * 2} for row in rows if row["part"] >= 7],
    ),
    "cast": (lambda ds: ds.cast({"part": "string"}), lambda rows: [{**row, "part": str(row["part"])} for row in rows]),
}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("made", MADE)
def test_rows_are_those_of_a_list(tmp_path: Path, made: str, format: str) -> None:
    make, of_list = MADE[made]
    ds, rows = make(written(tmp_path, format)), of_list(ROWS)
    assert list(ds) == rows
    assert len(ds) == len(rows) and ds[17] == rows[17] and ds[-1] == rows[-1]
    assert [row for batch in ds[30:40] for row in batch.to_pylist()] == rows[30:40]
    assert ds.tail(3) == rows[-3:] and ds.head(3) == rows[:3]
    assert [row["id"] for batch in ds.read(filter="id >= 200", columns=["id"]) for row in batch.to_pylist()] == [
        row["id"] for row in rows if row["id"] >= 200
    ]
    parts = [row for part in ds.partitions(2_000) for batch in ds.scan(part) for row in batch.to_pylist()]
    assert parts == rows
    assert ds.stats().num_examples == len(rows)
    with pytest.raises(IndexError):
        ds[len(rows)]


def ids(loader: tfxio.BatchLoader) -> list[int]:
    return [number for batch in loader for number in batch["id"].numpy().tolist()]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("made", MADE)
def test_loaders_give_every_row_once(tmp_path: Path, made: str, format: str) -> None:
    make, of_list = MADE[made]
    ds, expected = make(written(tmp_path, format)), [row["id"] for row in of_list(ROWS)]
    for shuffle in (False, True, "blocks", "buffer"):
        how: dict[str, Any] = {"inputs": ["id"], "batch_size": 16, "shuffle": shuffle, "seed": 3}
        whole = ids(ds.loader(**how))
        assert sorted(whole) == sorted(expected), shuffle
        assert (whole == expected) == (shuffle is False)
        # A state goes on with what would have come.
        loader = ds.loader(**how)
        begun = [number for _ in range(4) for number in next(loader)["id"].numpy().tolist()]
        state = json.loads(json.dumps(loader.state_dict()))
        assert begun + ids(ds.loader(**how, state=state)) == whole
        # Hosts divide the rows.
        hosts = [ids(ds.loader(**how, shard=(host, 2))) for host in range(2)]
        assert sorted(hosts[0] + hosts[1]) == sorted(expected), shuffle
        filtered = ids(ds.loader(**how, filter="id >= 200"))
        assert sorted(filtered) == [number for number in sorted(expected) if number >= 200]
    assert len(ds.loader(inputs=["id"], batch_size=16, shuffle="blocks", seed=1)) == -(-len(expected) // 16)


@pytest.mark.parametrize("format", FORMATS)
def test_two_data_sets_row_by_row(tmp_path: Path, format: str) -> None:
    ds = written(tmp_path, format)
    others = [{"label": -number} for number in range(600)]
    for name, rows in (("x", others[:150]), ("y", others[150:])):
        tfxio.write(rows, tmp_path / f"labels-{name}.csv")
    both = ds.select(["id"]).zip(tfxio.open(tmp_path / "labels-*.csv", scalars=True))
    rows = [{"id": number, "label": -number} for number in range(600)]
    assert list(both) == rows and len(both) == 600 and both[431] == rows[431] and both.tail(2) == rows[-2:]
    assert both.head(2, filter="label < -300") == rows[301:303]
    for shuffle in (False, True, "blocks", "buffer"):
        loader = both.loader(inputs=["id"], targets=["label"], batch_size=64, shuffle=shuffle, seed=5)
        pairs = [pair for batch in loader for pair in zip(batch["id"].numpy().tolist(), batch["label"].numpy().tolist(), strict=True)]
        assert sorted(pairs) == [(number, -number) for number in range(600)], shuffle
    with pytest.raises(SchemaMismatchError, match="the second data set has fewer rows than the first; take equally many rows"):
        list(ds.select(["id"]).zip(tfxio.open(tmp_path / "labels-y.csv", scalars=True)))
    with pytest.raises(InvalidArgumentError, match='both data sets have a column "id"; rename it in one'):
        ds.zip(ds.select(["id"]))


def test_formats_follow_each_other(tmp_path: Path) -> None:
    data_sets = [written(tmp_path, format) for format in FORMATS]
    all = data_sets[0].concat(*data_sets[1:])
    assert Counter(row["id"] for row in all) == Counter({number: len(FORMATS) for number in range(600)})
    loader = all.loader(inputs=["id"], batch_size=100, shuffle="blocks", seed=1)
    assert Counter(ids(loader)) == Counter({number: len(FORMATS) for number in range(600)})
    with pytest.raises(SchemaMismatchError, match='data set 1, column "id": the data set has no column of this name'):
        data_sets[0].concat(data_sets[1].select(["part"]))


def first_id(ds: tfxio.Dataset) -> int:
    return int(ds[0]["id"])


def test_other_processes_and_pickles(tmp_path: Path) -> None:
    ds = written(tmp_path, "parquet")
    made = ds.filter("part = 3").skip(4).concat(ds.take(10)).select(["id"]).zip(ds.skip(534).select({"other": "id"}))
    rows = list(made)
    assert len(rows) == 66 and list(pickle.loads(pickle.dumps(made))) == rows
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(first_id, (made,)) == rows[0]["id"]


@pytest.mark.filterwarnings("ignore::tfxio.SkippedWarning")
def test_damaged_records_are_left_out_below(tmp_path: Path) -> None:
    path = tmp_path / "damaged.tfrecord"
    tfxio.write(ROWS, path)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 255
    path.write_bytes(data)
    ds = tfxio.open(path, on_error="skip", scalars=["id", "part"])
    all = [row["id"] for row in ds.select(["id"])]
    assert len(all) in (598, 599)
    assert [row["id"] for row in ds.filter("part < 4").select(["id"])] == [number for number in all if ROWS[number]["part"] < 4]
    assert [row["id"] for row in ds.skip(100).select(["id"])] == all[100:]
    with pytest.raises(ValueError, match="open all with the same on_error"):
        ds.concat(tfxio.open(path, infer_records=10))


def test_what_does_not_fit_is_refused(digits: tfxio.Dataset) -> None:
    ds: Any = digits
    cases: list[tuple[Callable[[], Any], str]] = [
        (lambda: ds.filter("lable = 7"), 'the filter names the column "lable", which does not exist; did you mean "label"'),
        (lambda: ds.filter("label >"), "is not valid at character 8: expected a value"),
        (lambda: ds.take(-1), "rows is -1: it is not negative"),
        (lambda: ds.skip("x"), "rows"),
        (lambda: ds.shard(4, 4), "index is 4"),
        (lambda: ds.shard(0, 0), "count is 0"),
        (lambda: ds.cast({"lable": "int64"}), 'there is no column "lable" to cast; did you mean "label"'),
        (lambda: ds.cast({"label": "int8"}), "int8"),
        (lambda: ds.concat("x"), "others is a data set, as tfxio.open returns it"),
        (lambda: ds.zip(7), "other is a data set"),
    ]
    for wrong, message in cases:
        with pytest.raises((ValueError, TypeError)) as caught:
            wrong()
        assert message in str(caught.value), caught.value
