"""Libraries that read the streams: polars, duckdb, pandas, nanoarrow."""

from __future__ import annotations

import sys
from importlib.abc import MetaPathFinder

import pytest

import tfxio


def test_polars(digits: tfxio.Dataset) -> None:
    pl = pytest.importorskip("polars")
    frame = digits.to_polars(columns=["label"])
    assert frame.shape == (1797, 1)
    counts = frame.select(pl.col("label").list.first()).group_by("label").len().sort("label")["len"]
    assert counts.sum() == 1797 and len(counts) == 10


def test_pandas(digits: tfxio.Dataset) -> None:
    pytest.importorskip("pandas")
    assert len(digits.to_pandas(columns=["label"], limit=5)) == 5


@pytest.mark.parametrize(("method", "missing", "extra"), [("arrow", "pyarrow", "pyarrow"), ("pandas", "pandas", "pandas"), ("polars", "polars", "polars")])
def test_what_is_not_installed_is_named(digits: tfxio.Dataset, monkeypatch: pytest.MonkeyPatch, method: str, missing: str, extra: str) -> None:
    pytest.importorskip("pyarrow")
    # As an import of what is not installed fails.
    monkeypatch.delitem(sys.modules, missing, raising=False)
    monkeypatch.setattr(sys, "meta_path", [_Without(missing), *sys.meta_path])
    with pytest.raises(ModuleNotFoundError, match=rf"this needs {missing}: pip install 'tfxio\[{extra}\]'"):
        getattr(digits, f"to_{method}")()


class _Without(MetaPathFinder):
    def __init__(self, name: str) -> None:
        self.name = name

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name == self.name:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def test_duckdb(digits: tfxio.Dataset) -> None:
    duckdb = pytest.importorskip("duckdb")
    reader = digits.read(columns=["label"])
    assert reader is not None
    found = duckdb.sql("select count(*), sum(label[1]) from reader").fetchall()
    assert found == [(1797, sum(row["label"][0] for row in digits))]


def test_nanoarrow(digits: tfxio.Dataset) -> None:
    na = pytest.importorskip("nanoarrow")
    assert len(na.Array(next(digits.read(batch_rows=7)))) == 7
