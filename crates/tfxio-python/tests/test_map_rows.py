"""Columns that a function of Python makes where a data set is read: in rows, tables, loaders, other processes."""

from __future__ import annotations

import multiprocessing
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import DIGITS

import tfxio


def ink(rows: dict[str, np.ndarray]) -> dict[str, Any]:
    return {"ink": np.array([sum(image) for image in rows["image"]]), "label": np.array([int(label[0]) for label in rows["label"]])}


def of_row(row: dict[str, Any]) -> dict[str, Any]:
    return {"ink": sum(row["image"]), "label": row["label"][0]}


def of_arrow(batch: tfxio.RecordBatch) -> Any:
    pa = pytest.importorskip("pyarrow")
    rows = batch.to_pylist()
    return pa.record_batch({"ink": [sum(row["image"]) for row in rows], "label": [row["label"][0] for row in rows]})


@pytest.fixture
def mapped(digits: tfxio.Dataset) -> tfxio.Dataset:
    return digits.map(ink, columns=["image", "label"])


@pytest.mark.parametrize(("function", "given"), [(ink, "numpy"), (of_row, "rows"), (of_arrow, "arrow")])
def test_columns_are_added_and_replaced(digits: tfxio.Dataset, function: Any, given: Any) -> None:
    ds = digits.map(function, columns=["image", "label"], given=given)
    assert ds.schema.names == ["id", "image", "label", "ink"]
    expected = [{**row, "ink": sum(row["image"]), "label": row["label"][0]} for row in digits]
    assert list(ds) == expected
    assert len(ds) == 1797 and ds[1000] == expected[1000] and ds[-1] == expected[-1]
    assert ds.head(3, columns=["ink"]) == [{"ink": row["ink"]} for row in expected[:3]]
    sevens = ds.head(1797, columns=["id"], filter="label = 7 and ink > 300")
    assert sevens == [{"id": row["id"]} for row in expected if row["label"] == 7 and row["ink"] > 300]
    assert [row["id"] for row in ds.head(2, columns=["id"], filter="label = 7")] == [[b"digit-0007"], [b"digit-0017"]]
    assert sum(batch.num_rows for batch in ds.read(columns=[])) == 1797
    assert repr(ds).startswith("Dataset of 4 columns")
    parts = [row for part in ds.partitions(20_000) for batch in ds.scan(part) for row in batch.to_pylist()]
    assert parts == expected


def test_the_function_is_called_where_its_columns_are_read(digits: tfxio.Dataset) -> None:
    called: list[int] = []

    def count(rows: dict[str, np.ndarray]) -> dict[str, Any]:
        called.append(len(rows["label"]))
        return {"one": np.ones(len(rows["label"]), np.int64)}

    ds = digits.map(count, columns=["label"])
    assert called == [64]
    called.clear()
    assert len(ds) == 1797 and sum(batch.num_rows for batch in ds.read(columns=["id"], filter="label = 7")) == 179 and not called
    assert sum(batch["one"].to_numpy().sum() for batch in ds.read(columns=["one"], batch_size=1000)) == 1797
    assert sum(called) == 1797


@pytest.mark.parametrize("shuffle", [False, True, "blocks", "global", "buffer"])
@pytest.mark.parametrize("threads", [1, 3])
def test_loaders_shuffle_pack_and_go_on(digits: tfxio.Dataset, shuffle: Any, threads: int) -> None:
    def words(rows: dict[str, np.ndarray]) -> dict[str, Any]:
        return {"tokens": [[int(label[0])] * (1 + int(label[0])) for label in rows["label"]]}

    how: dict[str, Any] = {"inputs": ["tokens"], "pack": 32, "batch_size": 4, "shuffle": shuffle, "seed": 3, "threads": threads}
    ds = digits.map(words, columns=["label"])
    whole = [batch["tokens"].numpy().tolist() for batch in ds.loader(**how)]
    counts = np.bincount([token for batch in whole for row in batch for token in row], minlength=10)
    labels = np.bincount([row["label"][0] for row in digits], minlength=10)
    assert [counts[digit] for digit in range(1, 10)] == [labels[digit] * (1 + digit) for digit in range(1, 10)]
    with ds.loader(**how) as first:
        assert [next(first)["tokens"].numpy().tolist() for _ in range(5)] == whole[:5]
        state = first.state_dict()
    assert [batch["tokens"].numpy().tolist() for batch in ds.loader(**how, state=state)] == whole[5:]


def test_other_processes_read_the_same(mapped: tfxio.Dataset) -> None:
    again = pickle.loads(pickle.dumps(mapped))
    assert again.schema == mapped.schema and again[5] == mapped[5]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(_ink, [mapped]) == [[row["ink"] for row in mapped]]


def _ink(ds: tfxio.Dataset) -> list[float]:
    return [row["ink"] for row in ds]


def test_maps_are_mapped(mapped: tfxio.Dataset) -> None:
    twice = mapped.map(lambda rows: {"ink": 2 * rows["ink"]}, columns=["ink"])
    assert [row["ink"] for row in twice] == [2 * row["ink"] for row in mapped]


@pytest.mark.parametrize("given", ["numpy", "rows"])
@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_names_the_records(digits: tfxio.Dataset, given: Any, threads: int) -> None:
    def fails(given: Any) -> dict[str, Any]:
        label = given["label"]
        if any(b"digit-0107" in id for id in ([given["id"]] if isinstance(given["id"], list) else given["id"])):
            raise ValueError("no such word")
        return {"x": label}

    ds = digits.map(fails, given=given)
    with pytest.raises(ValueError, match="no such word") as raised:
        list(ds.read(batch_size=50, threads=threads))
    [note] = raised.value.__notes__
    name = Path(DIGITS).with_name("digits-00000-of-00003.tfrecord")
    assert note == (f"in map, of record 107 of {name}" if given == "rows" else f"in map, of record 100 of {name} to record 149 of {name}")


@pytest.mark.parametrize("given", ["numpy", "rows"])
def test_an_unknown_column_is_named_beside_those_that_there_are(digits: tfxio.Dataset, given: Any) -> None:
    with pytest.raises(KeyError, match="lable") as raised:
        digits.map(lambda rows: {"x": rows["lable"]}, columns=["label", "id"], given=given)
    assert raised.value.__notes__[0].endswith("; the columns that it is given are label, id")


def test_what_is_returned_is_checked(digits: tfxio.Dataset) -> None:
    with pytest.raises(TypeError, match="map is a function of rows, not str"):
        digits.map("ink")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match='given is "numpy", "torch", "arrow" or "rows", not \'jax\''):
        digits.map(ink, given="jax")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="lable"):
        digits.map(ink, columns=["lable"])
    with pytest.raises(TypeError, match="what map returns is a dict of columns, or a batch of Arrow, not int"):
        digits.map(lambda rows: 5)
    with pytest.raises(TypeError, match="what map returns of a row is a dict of columns, not int"):
        digits.map(lambda row: 5, given="rows")

    class Later:
        """Returns something else after the first rows."""

        def __init__(self, later: Any) -> None:
            self.calls, self.later = 0, later

        def __call__(self, rows: dict[str, np.ndarray]) -> Any:
            self.calls += 1
            return {"x": np.arange(len(rows["label"]))} if self.calls == 1 else self.later(len(rows["label"]))

    cases: list[tuple[Any, str]] = [
        (lambda count: {"x": np.arange(count - 1)}, "map returned 99 rows of 100"),
        (lambda count: {"y": np.arange(count)}, "a batch has the column 'y', which those before it do not have"),
        (lambda count: {"x": ["no number"] * count}, "x"),
        (lambda count: {"x": np.arange(count) + 0.5}, "x"),
    ]
    for later, what in cases:
        with pytest.raises((TypeError, ValueError), match=what) as raised:
            list(digits.map(Later(later), columns=["label"]).read(batch_size=100))
        assert "record" in " ".join([str(raised.value), *getattr(raised.value, "__notes__", [])])


def test_no_rows_need_a_schema(digits: tfxio.Dataset, tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    path = tmp_path / "empty.parquet"
    tfxio.write(pa.table({"n": pa.array([], pa.int64())}), path)
    with pytest.raises(ValueError, match="no rows to call the function with: give schema="):
        tfxio.open(path).map(lambda rows: {"m": rows["n"]})
    ds = tfxio.open(path).map(lambda rows: {"m": rows["n"]}, schema=pa.schema({"m": pa.int64()}))
    assert ds.schema.names == ["n", "m"] and list(ds) == []
