"""Damaged records that are left out: of what is opened, read and loaded, and said each time."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import FIXTURES

import tfxio
from tfxio._literals import OnError

ROWS = 599


@pytest.fixture
def damaged(tmp_path: Path) -> str:
    """Returns a file whose second record is damaged, and whose last one is cut off."""
    whole = (FIXTURES / "digits" / "digits-00000-of-00003.tfrecord").read_bytes()
    length = int.from_bytes(whole[:8], "little") + 16
    bytes_of = bytearray(whole[:-20])
    bytes_of[length + 40] ^= 0xFF
    path = tmp_path / "damaged.tfrecord"
    path.write_bytes(bytes(bytes_of))
    return str(path)


@pytest.fixture
def skipping(damaged: str) -> tfxio.Dataset:
    return tfxio.open(damaged, on_error="skip")


def test_a_data_set_that_skips_is_read_everywhere(skipping: tfxio.Dataset, damaged: str) -> None:
    reads: list[Callable[[tfxio.Dataset], int]] = [
        lambda ds: sum(batch.num_rows for batch in ds.read()),
        lambda ds: sum(batch.num_rows for batch in ds.read(columns=["label"], threads=2)),
        lambda ds: sum(1 for _ in ds),
        lambda ds: len(ds),
        lambda ds: len(ds.tail(10_000)),
        lambda ds: sum(batch.num_rows for batch in ds.sample(10_000)),
        lambda ds: sum(len(batch["label"].numpy()) for batch in ds.tensors({"label": tfxio.FixedLen([], "int64")}).read()),
        lambda ds: sum(batch.num_rows for part in ds.partitions() for batch in ds.scan(part)),
        lambda ds: sum(batch.num_rows for part in ds.partitions() for batch in ds.scan(part, tfxio.Request())),
        lambda ds: ds.stats().num_examples,
        lambda ds: sum(batch.num_rows for batch in ds.loader(inputs=["label"], batch_size=100)),
        lambda ds: sum(batch.num_rows for batch in tfxio.BatchLoader(None, [(ds, 1.0)], inputs=["label"], batch_size=7)),
    ]
    for number, read in enumerate(reads):
        with pytest.warns(UserWarning, match="skipped 2 damaged ranges: at least 1 record, ") as said:
            assert read(skipping) == ROWS - 2, number
        assert damaged in str(said[0].message) and "(first of 2; skip_report() lists them)" in str(said[0].message)
        assert said[0].filename == __file__, number
    with pytest.warns(UserWarning, match="skipped"):
        assert [row["id"] for row in skipping.head(2, columns=["id"])] == [[b"digit-0000"], [b"digit-0002"]]
        assert skipping[1]["id"] == skipping[3 - ROWS]["id"] == [b"digit-0002"]
        with pytest.raises(IndexError, match="row 597 of 597 rows"):
            skipping[ROWS - 2]
    assert pickle.loads(pickle.dumps(skipping)).schema.names == ["id", "image", "label"]
    with pytest.warns(UserWarning, match="skipped 2"):
        assert reads[0](pickle.loads(pickle.dumps(skipping))) == ROWS - 2
    with pytest.warns(UserWarning, match="skipped 2"):
        assert reads[0](tfxio.open_spec(skipping.spec(), on_error="skip")) == ROWS - 2


def test_arrow_of_a_data_set_that_skips(skipping: tfxio.Dataset) -> None:
    pa = pytest.importorskip("pyarrow")
    with pytest.warns(UserWarning, match="skipped 2 damaged ranges"):
        assert pa.table(skipping).num_rows == ROWS - 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(Exception, match="skipped 2 damaged ranges"):
            pa.table(skipping)


def test_what_a_read_says_comes_first(skipping: tfxio.Dataset, damaged: str) -> None:
    with pytest.raises(ValueError, match="damaged.tfrecord"):
        list(skipping.read(on_error="fail"))
    with pytest.raises(ValueError, match="damaged.tfrecord"):
        list(skipping.loader(inputs=["label"], batch_size=10, on_error="fail"))
    with pytest.raises(ValueError, match=r'or read the rest by tfxio.open\(…, on_error="skip"\)'):
        tfxio.open(damaged)
    fails = tfxio.open(damaged, infer_records=1)
    both = [(skipping, 1.0), (fails, 1.0)]
    with pytest.raises(ValueError, match='or read the rest by on_error="skip"$'):
        list(tfxio.BatchLoader(None, both, inputs=["label"], batch_size=10))
    for bad in (None, 1):
        with pytest.raises(TypeError, match="on_error"):
            tfxio.open(damaged, on_error=bad)  # type: ignore[arg-type]
    calls: list[Callable[..., Any]] = [tfxio.open, lambda path, **how: fails.read(**how), lambda path, **how: fails.loader(inputs=["id"], batch_size=1, **how)]
    for call in calls:
        with pytest.raises(ValueError, match='on_error is "ignore": give "fail" or "skip"'):
            call(damaged, on_error="ignore")


def test_requests_say_it_or_leave_it_to_the_data_set() -> None:
    every: tuple[OnError | None, ...] = (None, "skip", "fail")
    for given in every:
        request = tfxio.Request(on_error=given)
        assert request.on_error == given == pickle.loads(pickle.dumps(request)).on_error


def test_a_report(skipping: tfxio.Dataset, damaged: str) -> None:
    reader = skipping.read()
    with pytest.warns(UserWarning, match="skipped 2"):
        for _ in reader:
            pass
    report = reader.skip_report()
    first, last = report.listed
    assert report and (report.ranges, report.records, report.records_unknown) == (2, 1, True)
    assert (first.file, first.records, first.compressed) == (damaged, 1, False)
    assert report.bytes == sum(range.end - range.start for range in report.listed)
    assert last.end == Path(damaged).stat().st_size
    assert str(report).startswith("skipped 2 damaged ranges: at least 1 record, ")
    assert str(report).split("\n")[1] == f"  {first}" and "salvage" not in str(report)
    whole = tfxio.open(FIXTURES / "digits" / "digits-00000-of-00003.tfrecord").read(on_error="skip")
    assert sum(batch.num_rows for batch in whole) == ROWS
    assert not whole.skip_report() and str(whole.skip_report()) == "nothing was damaged"
    tensors = skipping.tensors({"label": tfxio.FixedLen([], "int64")}).read()
    with pytest.warns(UserWarning, match="skipped 2"):
        assert sum(len(batch["label"].numpy()) for batch in tensors) == ROWS - 2
    assert tensors.skip_report() == report


def test_a_loader_warns_once_a_pass_and_counts_once(damaged: str) -> None:
    ds = tfxio.open(damaged, infer_records=1)
    loader = ds.loader(inputs=["label"], batch_size=100, on_error="skip")
    with pytest.warns(UserWarning, match="skipped 2 damaged ranges") as said:
        assert sum(batch.num_rows for batch in loader) == ROWS - 2
    assert len(said) == 1 and loader.skip_report().ranges == 2
    # What was said is not said again.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sum(batch.num_rows for batch in loader) == ROWS - 2
    assert loader.skip_report().ranges == 2 and loader.stats()["records_skipped"] == 1
    endless = ds.loader(inputs=["label"], batch_size=100, epochs=None, on_error="skip")
    with pytest.warns(UserWarning, match="skipped") as said:
        for _ in range(12):
            next(endless)
    assert len(said) == 1


def test_a_loader_that_skips_goes_on_where_a_state_was_saved(damaged: str) -> None:
    def loader(**how: Any) -> tfxio.BatchLoader:
        return tfxio.open(damaged, on_error="skip").loader(inputs=["id"], batch_size=50, seed=3, **how)

    first = loader()
    for _ in range(4):
        next(first)
    state = first.state_dict()
    with pytest.warns(UserWarning, match="skipped"):
        rest = [batch["id"].tolist() for batch in first]
    with pytest.warns(UserWarning, match="skipped"):
        assert [batch["id"].tolist() for batch in loader(state=state)] == rest
    with pytest.warns(UserWarning, match="skipped"):
        assert [batch["id"].tolist() for batch in pickle.loads(pickle.dumps(loader(state=state)))] == rest


def test_a_shuffle_by_number_skips_nothing(damaged: str) -> None:
    with pytest.raises(ValueError, match="shuffle") as raised:
        tfxio.open(damaged, on_error="skip").loader(inputs=["id"], batch_size=50, shuffle=True)
    assert "`" not in str(raised.value), str(raised.value)


def test_a_file_of_which_nothing_is_left(tmp_path: Path) -> None:
    path = tmp_path / "x.tfrecord"
    path.write_bytes(b"\x20" + bytes(60))
    with pytest.raises(ValueError, match="x.tfrecord|everything was damaged"):
        list(tfxio.open(path, records="example", on_error="skip").read())


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv"])
def test_lines_that_are_damaged(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    good, bad = ('{"n": 1}\n', '{"n": \n') if name == "a.jsonl" else ("1,2\n", "1,2,3\n")
    path.write_text(("" if name == "a.jsonl" else "n,m\n") + good + bad + good)
    with pytest.raises(ValueError, match="record 1"):
        tfxio.open(path)
    with pytest.warns(UserWarning, match="skipped 1 damaged range: 1 record, "):
        assert sum(batch.num_rows for batch in tfxio.open(path, on_error="skip").read()) == 2
