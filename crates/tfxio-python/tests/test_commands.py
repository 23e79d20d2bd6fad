"""What the command line does with files, as functions."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tfxio

from conftest import DIGITS, FIXTURES

ENDINGS = [".tfrecord", ".tfrecord.gz", ".avro", ".parquet", ".arrow", ".jsonl"]
DAMAGED = FIXTURES / "damaged" / "bit-in-payload.tfrecord"


@pytest.mark.filterwarnings("ignore:64-bit floats")
@pytest.mark.parametrize("ending", ENDINGS)
def test_convert_there_and_back(ending: str, digits: tfxio.Dataset, tmp_path: Path) -> None:
    there = tfxio.convert(DIGITS, tmp_path / f"x{ending}")
    assert there.rows == 1797 and there.files == (str(tmp_path / f"x{ending}"),)
    back = tfxio.convert(tmp_path / f"x{ending}", tmp_path / "back@2.tfrecord")
    assert [Path(file).name for file in back.files] == ["back-00000-of-00002.tfrecord", "back-00001-of-00002.tfrecord"]
    assert sorted(map(repr, tfxio.open(tmp_path / "back@2.tfrecord"))) == sorted(map(repr, digits))


def test_convert_some_rows_and_columns(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    done = tfxio.convert(DIGITS, path, columns=["label", "i*"], exclude=["image"], cast={"id": "string"}, filter="label = 7", limit=4, scalars=True)
    assert done.rows == 4
    assert [row["label"] for row in tfxio.open(path)] == [7, 7, 7, 7] and tfxio.open(path).schema.names == ["label", "id"]
    assert tfxio.convert(DIGITS, path, sample=100, seed=1).rows == 100
    assert 100 < tfxio.convert(DIGITS, path, sample=0.1).rows < 260
    (tmp_path / "odd").write_bytes(Path(DIGITS.replace("@3", "-00000-of-00003")).read_bytes())
    assert tfxio.convert(tmp_path / "odd", tmp_path / "odd2", format="raw", to="arrow").rows == 599


def test_the_sets_of_shards_that_are_written_are_named(tmp_path: Path) -> None:
    for number, ending in enumerate([".tfrecord", ".avro"]):
        for name, size in {f"a{number}@*{ending}": 50_000, f"b{number}@2{ending}": None}.items():
            done = tfxio.convert(DIGITS, tmp_path / name, shard_bytes=size)
            assert done.files and sum(os.path.getsize(file) for file in done.files) == done.bytes
            assert len(tfxio.open(list(done.files))) == 1797


def test_what_a_conversion_loses_is_said_or_refused(tmp_path: Path) -> None:
    tfxio.write({"x": [0.1]}, tmp_path / "x.parquet")
    with pytest.warns(UserWarning, match="64-bit floats are rounded"):
        assert tfxio.convert(tmp_path / "x.parquet", tmp_path / "x.tfrecord").losses[0].column == "x"
    with pytest.raises(tfxio.exceptions.UnsupportedError, match="something would be lost"):
        tfxio.convert(tmp_path / "x.parquet", tmp_path / "y.tfrecord", lossless=True)
    assert not (tmp_path / "y.tfrecord").exists()


def test_a_conversion_that_skips_damage_reports_it(tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.tfrecord"
    whole = bytearray(Path(DIGITS.replace("@3", "-00000-of-00003")).read_bytes())
    whole[len(whole) // 2] ^= 1
    damaged.write_bytes(whole)
    with pytest.raises(tfxio.exceptions.MalformedError):
        tfxio.convert(damaged, tmp_path / "x.parquet")
    assert not (tmp_path / "x.parquet").exists()
    with pytest.warns(UserWarning, match="skipped 1 damaged range"):
        done = tfxio.convert(damaged, tmp_path / "x.parquet", on_error="skip")
    assert done.skipped is not None and done.skipped.ranges == 1 and len(tfxio.open(tmp_path / "x.parquet")) == done.rows == 598


#: Of the digits.
FILE_BYTES = sum(path.stat().st_size for path in (FIXTURES / "digits").glob("digits-*-of-00003.tfrecord"))


def test_progress_is_told_on_the_thread_of_the_caller(tmp_path: Path) -> None:
    seen: list[tfxio.Progress] = []
    threads = set()

    def tell(at: tfxio.Progress) -> None:
        threads.add(threading.get_ident())
        seen.append(at)

    done = tfxio.convert(DIGITS, tmp_path / "x.parquet", progress=tell)
    assert threads == {threading.get_ident()}
    assert (seen[-1].phase, seen[-1].records, seen[-1].bytes_read) == ("records", done.rows, seen[-1].bytes)
    for function in (tfxio.verify, tfxio.inspect):
        seen.clear()
        function(DIGITS, progress=tell)
        assert 0 < seen[-1].bytes_read <= (seen[-1].bytes or 0) == FILE_BYTES


def test_what_progress_raises_ends_the_work(tmp_path: Path) -> None:
    def stop(at: tfxio.Progress) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        tfxio.convert(DIGITS, tmp_path / "x.parquet", progress=stop)


def test_inspect_says_what_the_command_says() -> None:
    reports = tfxio.inspect([DIGITS, DAMAGED])
    assert [report["state"] for report in reports] == ["ok", "ok", "ok", "damaged"]
    assert [report["records"] for report in reports[:3]] == [599, 599, 599]
    assert "checksum" in reports[3]["errors"][0] and json.dumps(reports)
    with pytest.raises(FileNotFoundError):
        tfxio.inspect("no-such-file")


def test_verify_decodes_every_record(tmp_path: Path) -> None:
    assert [report["records"] for report in tfxio.verify(DIGITS)] == [599, 599, 599]
    (report,) = tfxio.verify(DAMAGED)
    assert report["state"] == "damaged" and report["records"] is None and report["errors"]
    (tmp_path / "x.tfrecord").write_bytes(b"no records")
    (report,) = tfxio.verify(tmp_path / "x.tfrecord")
    assert report["state"] != "ok" and not any("--" in error for error in report["errors"])


def test_repair_keeps_what_is_whole(tmp_path: Path) -> None:
    done = tfxio.repair(DAMAGED, tmp_path / "x.tfrecord.gz")
    assert done.file == str(DAMAGED) and len(done.lost) == 1 and done.unlisted == 0
    assert len(list(tfxio.TFRecordReader(tmp_path / "x.tfrecord.gz"))) == done.records
    assert done.lost[0].bytes == done.lost[0].end - done.lost[0].start > 0
    with pytest.raises(dataclasses.FrozenInstanceError):
        done.records = 0  # type: ignore[misc]
    with pytest.raises(ValueError, match="the name says another format than tfrecord"):
        tfxio.repair(DAMAGED, tmp_path / "x.parquet")
    with pytest.raises(ValueError, match="the output is one of the inputs"):
        tfxio.repair(DAMAGED, DAMAGED)
    tfxio.write({"a": [1]}, tmp_path / "x.csv")
    with pytest.raises(NotImplementedError):
        tfxio.repair(tmp_path / "x.csv", tmp_path / "y.csv")


def test_index_writes_an_index_beside_a_file(tmp_path: Path) -> None:
    tfxio.convert(DIGITS, tmp_path / "x.tfrecord")
    (report,) = tfxio.index(tmp_path / "x.tfrecord")
    assert report["records"] == 1797 and len(list(tmp_path.iterdir())) == 2
    assert len(tfxio.open_index(tmp_path / "x.tfrecord", build=False)) == 1797
    tfxio.write({"a": [1]}, tmp_path / "x.csv")
    with pytest.raises(NotImplementedError, match="its records are found without one"):
        tfxio.index(tmp_path / "x.csv")


def test_extract_writes_payloads(tmp_path: Path) -> None:
    data = {"image": [b"\x89PNG\r\n\x1a\n0", b"text", None], "name": ["a", "b/c", "d"]}
    tfxio.write(data, tmp_path / "x.parquet")
    with pytest.warns(UserWarning) as said:
        done = tfxio.extract(tmp_path / "x.parquet", tmp_path / "out", column="image", name_by="name")
    assert (done.files, done.without_value, done.renamed) == (2, 1, 1)
    assert ["without a value" in str(said[0].message), "called otherwise" in str(said[1].message)] == [True, True]
    assert (tmp_path / "out" / "a.png").exists()
    with pytest.raises(FileExistsError):
        tfxio.extract(tmp_path / "x.parquet", tmp_path / "out", column="image", name_by="name", limit=1)
    assert tfxio.extract(tmp_path / "x.parquet", tmp_path / "out", column="image", name_by="name", limit=1, overwrite=True).files == 1


@pytest.mark.parametrize(
    ("call", "error", "what"),
    [
        (lambda to: tfxio.convert(7, to), TypeError, "inputs is a path"),  # type: ignore[arg-type]
        (lambda to: tfxio.convert(DIGITS, 7), TypeError, "output is a path"),  # type: ignore[arg-type]
        (lambda to: tfxio.convert(DIGITS, to, sample="half"), TypeError, "sample is a float from 0 to 1, an int or None, not str"),  # type: ignore[arg-type]
        (lambda to: tfxio.convert(DIGITS, to, sample=1.5), ValueError, "from 0 to 1"),
        (lambda to: tfxio.convert(DIGITS, to, filter="label ="), ValueError, "label"),
        (lambda to: tfxio.convert(DIGITS, to, on_error="ignore"), ValueError, "on_error is"),  # type: ignore[arg-type]
        (lambda to: tfxio.convert(DIGITS, to, columns=["lable"]), ValueError, 'did you mean "label"'),
        (lambda to: tfxio.convert(DIGITS, to, progress=7), TypeError, "progress is a function"),  # type: ignore[arg-type]
        (lambda to: tfxio.convert(DIGITS, to.parent / "x"), ValueError, "or give to=…"),
        (lambda to: tfxio.convert(DIGITS, to, kodec="x"), ValueError, "kodec"),  # type: ignore[call-arg]
        (lambda to: tfxio.convert(DIGITS, to, resume=True), ValueError, "resumed shard by shard"),
        (lambda to: tfxio.convert([], to), ValueError, "no file is named"),
        (lambda to: tfxio.inspect(DIGITS, format=7), TypeError, "format is a str or None"),  # type: ignore[arg-type]
        (lambda to: tfxio.repair([DIGITS], to), TypeError, "path is a path"),  # type: ignore[arg-type]
        (lambda to: tfxio.extract(DIGITS, to, column=7), TypeError, "column is the name of a column"),  # type: ignore[arg-type]
        (lambda to: tfxio.extract(DIGITS, to, column="label"), ValueError, "label"),
    ],
)
def test_wrong_arguments_are_named(call: Callable[[Path], Any], error: type[Exception], what: str, tmp_path: Path) -> None:
    with pytest.raises(error, match=what) as refused:
        call(tmp_path / "x.parquet")
    assert "--" not in str(refused.value) and not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="a signal is sent")
@pytest.mark.parametrize(
    "work",
    [
        "tfxio.write(({'a': n} for n in itertools.count()), PATH)",
        "tfxio.write(endless(), PATH, batched=True)",
        "tfxio.convert([BIG] * 1, PATH, scalars=True)",
        "tfxio.verify([BIG] * 1000)",
    ],
)
def test_ctrl_c_ends_the_work_and_leaves_nothing(work: str, tmp_path: Path) -> None:
    tfxio.write({"a": [[n] for n in range(400_000)]}, tmp_path / "big.tfrecord")
    program = f"""
import itertools, os, numpy, tfxio
PATH, BIG = {str(tmp_path / "out" / "x.parquet")!r}, {str(tmp_path / "big.tfrecord")!r}
def endless():
    while True:
        yield {{"a": numpy.zeros(1 << 16)}}
print("begun", flush=True)
{work}
"""
    (tmp_path / "out").mkdir()
    running = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert running.stdout is not None and running.stdout.readline() == "begun\n"
        time.sleep(0.1)
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=60)
    finally:
        running.kill()
    # Work that was done before the signal came has written its file.
    if running.returncode != 0:
        assert "KeyboardInterrupt" in said, said
        assert not list((tmp_path / "out").iterdir())
