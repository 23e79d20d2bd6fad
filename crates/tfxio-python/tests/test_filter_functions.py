"""Rows that a function of Python keeps: read, counted, loaded, resumed, in other processes, and errors that name records."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import DIGITS

import tfxio


def dark(rows: dict[str, np.ndarray]) -> np.ndarray:
    return np.array([sum(image) > 300 for image in rows["image"]])


def dark_row(row: dict[str, Any]) -> bool:
    return bool(sum(row["image"]) > 300)


def dark_of_arrow(batch: tfxio.RecordBatch) -> Any:
    pa = pytest.importorskip("pyarrow")
    return pa.array([sum(image) > 300 for image in batch["image"].to_pylist()])


def listed(rows: dict[str, np.ndarray]) -> list[bool]:
    return [bool(kept) for kept in dark(rows)]


@pytest.fixture
def expected(digits: tfxio.Dataset) -> list[dict[str, Any]]:
    return [row for row in digits if sum(row["image"]) > 300]


@pytest.mark.parametrize(
    ("function", "how"),
    [
        (dark, {}),
        (listed, {"columns": ["image"]}),
        (dark_row, {"given": "rows"}),
        (dark_of_arrow, {"given": "arrow"}),
        (dark, {"columns": ["image"], "workers": 1}),
        (dark_row, {"given": "rows", "workers": 1}),
    ],
)
def test_rows_are_those_of_a_list(digits: tfxio.Dataset, expected: list[Any], function: Callable[..., Any], how: dict[str, Any]) -> None:
    ds = digits.filter(function, **how)
    assert ds.schema == digits.schema and list(ds) == expected
    assert len(ds) == len(expected) and ds[17] == expected[17] and ds.tail(2) == expected[-2:]
    assert ds.head(3, columns=["label"], filter="label = 7") == [{"label": [7]}] * 3
    assert ds.select(["label"]).head(5) == [{"label": row["label"]} for row in expected[:5]]


@pytest.mark.parametrize("shuffle", [False, True, "buffer"])
def test_loaders_go_on_and_divide_the_rows(digits: tfxio.Dataset, expected: list[Any], shuffle: Any) -> None:
    ds = pickle.loads(pickle.dumps(digits.filter(dark, columns=["image"])))
    how: dict[str, Any] = {"inputs": ["id"], "batch_size": 16, "shuffle": shuffle, "seed": 3}

    def ids(loader: tfxio.BatchLoader) -> list[bytes]:
        return [id for batch in loader for id in batch["id"].numpy().reshape(-1).tolist()]

    whole = ids(ds.loader(**how, threads=2))
    assert sorted(whole) == [row["id"][0] for row in expected]
    loader = ds.loader(**how)
    begun = [id for _ in range(4) for id in next(loader)["id"].numpy().reshape(-1).tolist()]
    assert begun + ids(ds.loader(**how, state=json.loads(json.dumps(loader.state_dict())))) == whole
    assert sorted(ids(ds.loader(**how, shard=(0, 2))) + ids(ds.loader(**how, shard=(1, 2)))) == sorted(whole)


def test_filters_stand_on_each_other(digits: tfxio.Dataset, expected: list[Any]) -> None:
    kept = digits.rename({"label": "kept"})
    twice = kept.filter(dark, columns=["image"]).filter(lambda row: row["kept"] == [7], given="rows").filter('"kept" = 7')
    assert [row["id"] for row in twice] == [row["id"] for row in expected if row["label"] == [7]]
    mapped = digits.map(lambda rows: {"ink": [sum(image) for image in rows["image"]]}, columns=["image"])
    assert len(mapped.filter(lambda rows: rows["ink"] > 300, columns=["ink"]).take(100)) == 100


@pytest.mark.parametrize("workers", [0, 1])
def test_an_error_names_the_record(digits: tfxio.Dataset, workers: int) -> None:
    with pytest.raises(ValueError, match="no such word") as raised:
        list(digits.filter(fails, given="rows", workers=workers))
    assert raised.value.__notes__[-1] == f"in filter, of record 107 of {Path(DIGITS).with_name('digits-00000-of-00003.tfrecord')}"


def fails(row: dict[str, Any]) -> bool:
    if row["id"] == [b"digit-0107"]:
        raise ValueError("no such word")
    return True


def test_what_is_returned_is_checked(digits: tfxio.Dataset) -> None:
    wanted = "a bool for each row, as a list, an array or a column of Arrow"
    cases: list[tuple[Any, dict[str, Any], str]] = [
        (lambda rows: True, {}, f"what filter returns is {wanted}, not bool"),
        (lambda rows: {"kept": [True]}, {}, f"what filter returns is {wanted}, not dict"),
        (lambda rows: [True] * 99, {}, "filter returned 99 values for 100 rows"),
        (lambda rows: np.arange(100), {}, f"what filter returns is {wanted}, not of the type Int64"),
        (lambda rows: np.ones((100, 1), bool), {}, "not of the type FixedSizeList"),
        (lambda row: 1, {"given": "rows"}, r"what filter returns of a row is a bool, not int \(1\)"),
    ]
    for function, how, message in cases:
        with pytest.raises((TypeError, ValueError), match=message) as raised:
            list(digits.filter(function, **how).read(batch_size=100))
        assert raised.value.__notes__[0].startswith("in filter, of record 0 of ")
    pointed = r"by a function with Dataset.filter\(function\)"
    refused: list[tuple[Callable[[], Any], str]] = [
        (lambda: digits.filter(dark, columns=["lable"]), "lable"),
        (lambda: digits.filter("label = 7", columns=["label"]), "columns, given, workers and seed are of a function"),
        (lambda: digits.filter(7), 'condition is a text such as'),  # type: ignore[arg-type]
        (lambda: digits.loader(inputs=["id"], batch_size=2, filter=dark), pointed),  # type: ignore[arg-type]
        (lambda: digits.read(filter=dark), pointed),  # type: ignore[arg-type]
    ]
    for call, message in refused:
        with pytest.raises((TypeError, ValueError), match=message):
            call()
