"""Data sets that stand on another: some of its columns, under other names."""

from __future__ import annotations

import multiprocessing
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tfxio


def y_values(ds: tfxio.Dataset) -> list[Any]:
    return [row["y"] for row in ds]


def test_columns_are_chosen_and_named(digits: tfxio.Dataset) -> None:
    ds = digits.select({"y": "label", "x": "image"})
    rows = [{"y": row["label"], "x": row["image"]} for row in digits]
    assert ds.schema.names == ["y", "x"] and list(ds) == rows and len(ds) == 1797
    assert ds[1234] == rows[1234] and ds[-3:].__next__().to_pylist() == rows[-3:]
    assert ds.head(2, filter="y = 7", columns=["y"]) == [{"y": [7]}] * 2
    assert sum(batch.num_rows for batch in ds.read(columns=[], filter="y in (1, 2) and not x is null")) == 359
    assert repr(ds).startswith("Dataset of 2 columns")
    assert digits.select(["label"]).schema.names == ["label"]
    assert digits.rename({"label": "y"}).schema.names == ["id", "image", "y"]
    # Names may change places.
    swapped = digits.rename({"label": "id", "id": "label"})
    assert next(iter(swapped)) == {"label": [b"digit-0000"], "image": rows[0]["x"], "id": [0]}
    parts = [row for part in ds.partitions(20_000) for batch in ds.scan(part) for row in batch.to_pylist()]
    assert parts == rows


@pytest.mark.parametrize("format", ["tfrecord", "tfrecord.gz", "parquet", "avro", "jsonl", "csv", "arrow"])
def test_every_format_reads_them_as_before(tmp_path: Path, format: str) -> None:
    rows = [{"a": number, "b": number % 7, "c": f"word {number % 5}"} for number in range(500)]
    path = tmp_path / f"file.{format}"
    tfxio.write(rows, path)
    ds = tfxio.open(path, scalars=True, text=True) if format.startswith("tfrecord") else tfxio.open(path)
    view = ds.select({"a": "c", "n": "a"})
    expected = [{"a": row["c"], "n": row["n"]} for row in [{**row, "n": row["a"]} for row in ds]]
    assert list(view) == expected
    assert view.head(500, filter="n >= 100 and n < 110 and a = 'word 3'") == [expected[103], expected[108]]
    assert view.stats().num_examples == 500
    for shuffle in (False, True, "buffer"):
        how: dict[str, Any] = {"inputs": ["n"], "batch_size": 50, "shuffle": shuffle, "seed": 1}
        whole = [batch["n"].numpy().ravel().tolist() for batch in view.loader(**how)]
        assert whole == [batch["a"].numpy().ravel().tolist() for batch in ds.loader(**{**how, "inputs": ["a"]})]


def test_fields_of_structs_keep_their_names(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    path = tmp_path / "structs.parquet"
    tfxio.write(pa.table({"s": [{"a": number, "b": str(number)} for number in range(20)], "a": list(range(20))}), path)
    ds = tfxio.open(path).select({"a": "s", "s": "a"})
    assert ds.head(1, columns=[("a", "b"), "s"], filter="a.a >= 7 and s < 9") == [{"a": {"b": "7"}, "s": 7}]


def test_views_stand_on_views(digits: tfxio.Dataset) -> None:
    ds = digits.map(lambda row: {"twice": 2 * row["label"][0]}, columns=["label"], given="rows").select({"y": "twice"}).rename({"y": "z"})
    assert [row["z"] for row in ds] == [2 * row["label"][0] for row in digits]


def test_other_processes_read_the_same(digits: tfxio.Dataset) -> None:
    ds = digits.select({"y": "label"})
    again = pickle.loads(pickle.dumps(ds))
    assert again.schema == ds.schema and again[5] == ds[5]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(y_values, [ds]) == [y_values(ds)]


def test_what_does_not_exist_is_named(digits: tfxio.Dataset) -> None:
    with pytest.raises(ValueError, match='there is no column "lable"; did you mean "label"'):
        digits.select(["lable"])
    with pytest.raises(ValueError, match='there is no column "lable"; did you mean "label"'):
        digits.rename({"lable": "y"})
    with pytest.raises(ValueError, match='the column "label" is chosen twice'):
        digits.select({"a": "label", "b": "label"})
    with pytest.raises(ValueError, match='two columns are named "id"'):
        digits.rename({"label": "id"})
    with pytest.raises(TypeError, match="columns is a list of names"):
        digits.select("label")
    with pytest.raises(TypeError, match="names is a dict of new names by the names that columns have"):
        digits.rename(["label"])  # type: ignore[arg-type]
    ds = digits.rename({"label": "y"})
    reads: list[Callable[[], object]] = [lambda: ds.read(columns=["label"]), lambda: ds.read(filter="label = 7")]
    for read in reads:
        with pytest.raises(ValueError, match='"label"'):
            read()
