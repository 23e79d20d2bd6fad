"""Tables: what they are made of, and what they are not."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import datafusion
import pyarrow
import pytest

import tfxio
import tfxio_sql

from conftest import DIGITS, FIXTURES


class Squares(tfxio.Dataset):
    """A data set of a class of Python."""

    @property
    def schema(self) -> Any:
        return pyarrow.schema({"n": pyarrow.int64(), "square": pyarrow.int64()})

    def partitions(self, target_bytes: int = 64 << 20) -> list[tfxio.Partition]:
        return [tfxio.Partition("all", first_record=0, records=3)]

    def scan(self, partition: tfxio.Partition, request: tfxio.Request | None = None) -> Iterator[Any]:
        yield pyarrow.record_batch({"n": [0, 1, 2], "square": [0, 1, 4]}, self.schema)


def count(table: tfxio_sql.Table, condition: str = "true") -> int:
    return int(tfxio_sql.context(t=table).sql(f"select count(*) as n from t where {condition}").to_pydict()["n"][0])


def test_what_a_table_is_made_of() -> None:
    one = str(FIXTURES / "digits" / "digits-00000-of-00003.tfrecord")
    assert count(tfxio_sql.table(DIGITS)) == 1797
    assert count(tfxio_sql.table(Path(one))) == count(tfxio_sql.table([one])) == 599
    assert count(tfxio_sql.table(tfxio.open(DIGITS), virtual_columns=True), "_record < 10") == 30
    assert count(tfxio_sql.table(FIXTURES / "avro" / "people.avro", max_depth=1)) == 2


def test_a_table_says_what_it_is() -> None:
    table = tfxio_sql.table(DIGITS, virtual_columns=True)
    assert table.columns == ["id", "image", "label", "_file", "_record", "_offset"]
    assert repr(tfxio_sql.table(DIGITS)) == "Table(id: LargeUtf8, image: LargeList(Float32), label: Int64)"
    assert len(tfxio.open_spec(table.spec)) == 1797


def test_a_table_pickles() -> None:
    table = tfxio_sql.table(pickle.loads(pickle.dumps(tfxio.open(DIGITS))), virtual_columns=True, text=False)
    again = pickle.loads(pickle.dumps(table))
    assert isinstance(again, tfxio_sql.Table)
    assert again.columns == table.columns
    assert count(again, "label = 7 and _record = 7") == 1
    assert repr(again) == repr(table) and "id: LargeBinary" in repr(again)


def test_a_class_of_python_is_not_a_table() -> None:
    message = r"Squares cannot be a table: the data set has no description .*; give its batches to SessionContext\.from_arrow"
    with pytest.raises(NotImplementedError, match=message):
        tfxio_sql.table(Squares())
    # What the message says.
    ctx = datafusion.SessionContext()
    ctx.from_arrow(Squares().read(), "squares")
    assert ctx.sql("select sum(square) as s from squares").to_pydict() == {"s": [5]}


def test_options_come_too_late_for_what_is_open() -> None:
    with pytest.raises(TypeError, match="the data set is open, and max_depth came too late"):
        tfxio_sql.table(tfxio.open(DIGITS), max_depth=1)


def test_what_is_not_there() -> None:
    with pytest.raises(FileNotFoundError, match=r"no-such\.tfrecord"):
        tfxio_sql.table("no-such.tfrecord")
    with pytest.raises(ValueError, match="not the description of a data set"):
        tfxio_sql.Table("{}")
    gone = tfxio_sql.table(DIGITS).spec.replace("digits-0000", "gone-0000")
    with pytest.raises(tfxio.exceptions.NotFoundError, match="gone-00000-of-00003") as raised:
        tfxio_sql.Table(gone)
    assert raised.value.path is not None and raised.value.path.endswith("gone-00000-of-00003.tfrecord")
    assert isinstance(raised.value, FileNotFoundError) and raised.value.hint == "check the path"


def test_damage_names_the_record(tmp_path: Path) -> None:
    path = tmp_path / "some.tfrecord"
    data = bytearray((FIXTURES / "digits" / "digits-00000-of-00003.tfrecord").read_bytes())
    path.write_bytes(data)
    spec = tfxio_sql.table(path).spec
    # Of the payload of record 7; records have different sizes, and so they are counted.
    start = 0
    for _ in range(7):
        start += 16 + int.from_bytes(data[start : start + 8], "little")
    data[start + 20] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(tfxio.exceptions.MalformedError, match="checksum") as raised:
        tfxio_sql.Table(spec)
    assert (raised.value.path, raised.value.record, raised.value.byte_offset) == (str(path), 7, start)


def test_a_mismatch_names_the_column() -> None:
    spec = tfxio_sql.table(DIGITS).spec.replace('"Int64"', '"Float32"')
    with pytest.raises(tfxio.exceptions.SchemaMismatchError, match="the schema says float_list") as raised:
        tfxio_sql.Table(spec)
    assert (raised.value.column, raised.value.record, raised.value.byte_offset) == ("label", 0, 0)


def test_a_table_fits_one_version_of_datafusion(monkeypatch: pytest.MonkeyPatch) -> None:
    own = tfxio_sql.datafusion_version()
    assert datafusion.__version__.split(".")[0] == str(own)
    table = tfxio_sql.table(DIGITS)
    monkeypatch.setattr(datafusion, "__version__", "56.1.0")
    message = f"this build of tfxio-sql is for version {own} of datafusion, and 56.1.0 is installed: pip install 'datafusion>={own},<{own + 1}'"
    with pytest.raises(Exception, match=message):
        datafusion.SessionContext().register_table("digits", table)


def test_only_a_session_takes_a_table() -> None:
    with pytest.raises(TypeError, match=r"a table is asked for by a datafusion\.SessionContext, not by <class 'int'>"):
        tfxio_sql.table(DIGITS).__datafusion_table_provider__(7)


@pytest.mark.skipif(sys.platform == "win32", reason="forks of POSIX")
def test_a_table_works_in_a_fork() -> None:
    code = f"""
import os, tfxio_sql
table = tfxio_sql.table({DIGITS!r})
# No session before: the package datafusion has threads then, and waits for them in the fork.
child = os.fork()
if child == 0:
    rows = tfxio_sql.context(digits=table).sql("select count(label) as n from digits").to_pydict()
    os._exit(0 if rows == {{"n": [1797]}} else 2)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["0"], done.stderr


def test_importing_starts_no_thread() -> None:
    code = "import threading, tfxio_sql, os; print(threading.active_count(), len(os.listdir('/proc/self/task')))"
    if not os.path.isdir("/proc/self/task"):
        pytest.skip("threads are counted in /proc")
    # Those of numpy and pyarrow, which datafusion imports, are there in either case.
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    before = subprocess.run([sys.executable, "-c", code.replace("tfxio_sql", "datafusion")], capture_output=True, text=True, timeout=60)
    assert done.stdout == before.stdout != "", done.stderr
