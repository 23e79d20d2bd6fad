"""Libraries that read the streams: polars, duckdb, pandas, nanoarrow."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.abc import MetaPathFinder
from pathlib import Path

import pytest
from conftest import DIGITS

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


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("library", ["pyarrow", "pandas", "polars"])
def test_errors_are_those_of_the_package(digits: tfxio.Dataset, tmp_path: Path, library: str, threads: int) -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip(library)
    method = f"to_{library.removeprefix('py')}"
    cut = tmp_path / "cut.tfrecord"
    cut.write_bytes(Path(DIGITS.replace("@3", "-00000-of-00003")).read_bytes()[:-1])
    damaged = tfxio.open(str(cut), infer_records=10)
    with pytest.raises(tfxio.exceptions.MalformedError) as raised:
        getattr(damaged, method)(batch_size=16, threads=threads)
    assert (raised.value.path, raised.value.record) == (str(cut), 598)

    class Own(tfxio.Dataset):
        schema = digits.schema

        def partitions(self, target_bytes: int = 64 << 20) -> list[tfxio.Partition]:
            return [tfxio.Partition("own")]

        def scan(self, partition: tfxio.Partition, request: tfxio.Request | None = None) -> Iterator[tfxio.RecordBatch]:
            yield next(digits.read())
            raise ZeroDivisionError("of the user")

    with pytest.raises(ZeroDivisionError, match="of the user"):
        getattr(Own(), method)(batch_size=16, threads=threads)


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
    assert len(na.Array(next(digits.read(batch_size=7)))) == 7
