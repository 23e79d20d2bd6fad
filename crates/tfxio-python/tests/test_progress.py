"""Bars: where they are seen, what they say, and that they end with the work."""

from __future__ import annotations

import os
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import tfxio
from tfxio import _progress

from conftest import DIGITS, FIXTURES

DAMAGED = FIXTURES / "damaged" / "bit-in-payload.tfrecord"


class Seen(list[str]):
    """A line that somebody sees."""

    ended = 0

    def show(self, text: str) -> None:
        self.append(text)

    def end(self) -> None:
        self.ended += 1


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Seen:
    seen = Seen()
    monkeypatch.setattr(_progress, "line", lambda: seen)
    return seen


class Clock:
    """A clock that a test moves."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def some_rows() -> Iterator[dict[str, Any]]:
    for number in range(20_000):
        yield {"id": number}


FUNCTIONS: list[Callable[..., Any]] = [
    lambda to, **how: tfxio.convert(DIGITS, to / "x.parquet", **how),
    lambda to, **how: tfxio.inspect(DIGITS, **how),
    lambda to, **how: tfxio.verify(DIGITS, **how),
    lambda to, **how: tfxio.index(tfxio.convert(DIGITS, to / "x.tfrecord").files[0], **how),
    lambda to, **how: tfxio.repair(DAMAGED, to / "x.tfrecord", **how),
    lambda to, **how: tfxio.extract(DIGITS, to / "out", format="raw", limit=3, **how),
    lambda to, **how: tfxio.write(some_rows(), to / "x.parquet", **how),
]
NAMES = ["convert", "inspect", "verify", "index", "repair", "extract", "write"]


@pytest.mark.parametrize(("name", "function"), list(zip(NAMES, FUNCTIONS, strict=True)), ids=NAMES)
def test_each_function_shows_a_bar_that_ends(name: str, function: Callable[..., Any], tmp_path: Path, seen: Seen) -> None:
    function(tmp_path, progress=True)
    assert seen[-1].startswith(name) and seen.ended == 1
    for off in (None, False):
        seen.clear()
        function(tmp_path, progress=off, **({"overwrite": True} if name == "extract" else {}))
        assert not seen and seen.ended == 1


def test_a_bar_of_a_conversion_comes_to_all_bytes(tmp_path: Path, seen: Seen) -> None:
    tfxio.convert(DIGITS, tmp_path / "x.parquet", progress=True)
    size = sum(file.stat().st_size for file in Path(DIGITS).parent.glob("digits-*.tfrecord")) / 1000
    assert seen[-1].startswith(f"convert 100% [{'#' * 20}] {size:.0f} kB of {size:.0f} kB, 1,797 records")


@pytest.mark.parametrize("data", ["rows", "table", "data set", "reader", "dict"])
def test_rows_that_are_written_are_counted(data: str, tmp_path: Path) -> None:
    given: dict[str, Any] = {"rows": some_rows, "dict": lambda: {"id": list(range(20_000))}}
    written = tmp_path / "x.parquet"
    if data in ("table", "data set", "reader"):
        pytest.importorskip("pyarrow")
        tfxio.write(some_rows(), tmp_path / "before.parquet")
        before = tfxio.open(tmp_path / "before.parquet")
        given |= {"table": before.to_arrow, "data set": lambda: before, "reader": before.read}
    told: list[tfxio.Progress] = []
    done = tfxio.write(given[data](), written, progress=told.append)
    assert told[-1] == tfxio.Progress("records", 0, None, 20_000) and done.rows == 20_000
    assert [row["id"] for row in tfxio.open(written)][-1] == 19_999


def test_what_progress_raises_ends_a_write(tmp_path: Path) -> None:
    def stop(at: tfxio.Progress) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        tfxio.write(some_rows(), tmp_path / "x.parquet", progress=stop)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_bar_ends_with_an_error(error: type[BaseException], tmp_path: Path, seen: Seen) -> None:
    def rows() -> Iterator[dict[str, Any]]:
        yield from some_rows()
        raise error("no more")

    with pytest.raises(error, match="no more"):
        tfxio.write(rows(), tmp_path / "x.parquet", progress=True)
    assert seen[-1].startswith("write") and seen.ended == 1


def test_a_bar_is_drawn_ten_times_a_second_and_says_how_long_it_takes() -> None:
    seen, clock = Seen(), Clock()
    bar = _progress.Bar(seen, clock)
    for number in range(1, 1001):
        clock.now += 0.01
        bar.tell("convert", tfxio.Progress("records", number * 1000, 2_000_000, number))
    assert 90 <= len(seen) <= 101
    assert seen[50].startswith("convert  25% [#####               ]")
    bar.close()
    assert seen[-1] == "convert  50% [##########          ] 1.0 MB of 2.0 MB, 1,000 records, 100 kB/s, 0:10 left"
    # Each phase has a time of its own; what is not known is not said.
    bar = _progress.Bar(seen, clock)
    bar.tell("verify", tfxio.Progress("schema", 5, None, 0))
    clock.now += 3661
    bar.tell("verify", tfxio.Progress("schema", 36610, None, 0))
    assert seen[-2:] == ["verify (columns) 5 bytes, 0:00", "verify (columns) 36.6 kB, 10 bytes/s, 1:01:01"]


def test_a_loader_counts_its_batches(digits: tfxio.Dataset, seen: Seen) -> None:
    loader = digits.loader(inputs=["image"], targets=["label"], batch_size=32)
    assert [batch.num_rows for batch in loader.progress()] == [32] * 56 + [5]
    assert seen[-1].startswith(f"100% [{'#' * 20}] 57 of 57 batches") and seen.ended == 1
    for _ in zip(range(10), loader):
        pass
    # The second epoch goes on where it was left.
    assert next(iter(loader.progress())).num_rows == 32
    assert seen[-1].startswith(" 19% [###                 ] 11 of 57 batches") and seen.ended == 2
    endless = digits.loader(inputs=["image"], batch_size=32, epochs=None).progress()
    for _ in range(3):
        next(endless)
    endless.close()  # type: ignore[attr-defined]
    assert seen[-1].startswith("3 batches, ") and seen.ended == 3
    mapped = digits.loader(inputs=["image"], batch_size=32).map(lambda batch: len(batch["image"]), threads=2)
    assert sum(mapped.progress()) == 1797 and "57 of 57 batches" in seen[-1]


def test_a_notebook_has_an_output_that_is_updated(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shown: list[tuple[str, bool]] = []

    class Handle:
        def update(self, data: dict[str, str], raw: bool) -> None:
            shown.append((data["text/plain"], False))

    def display(data: dict[str, str], raw: bool, display_id: bool) -> Handle:
        assert raw and display_id
        shown.append((data["text/plain"], True))
        return Handle()

    shell = types.SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", types.SimpleNamespace(display=display))
    tfxio.convert(DIGITS, tmp_path / "x.parquet", progress=True)
    assert [is_new for _, is_new in shown] == [True] + [False] * (len(shown) - 1)
    assert "1,797 records" in shown[-1][0]
    # A shell of IPython in a terminal has no kernel, and standard error is no terminal here.
    monkeypatch.setattr(shell, "kernel", None)
    del shell.kernel
    assert _progress.line() is None


def test_work_goes_on_when_the_terminal_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone(Seen):
        def show(self, text: str) -> None:
            raise BrokenPipeError("nobody")

    monkeypatch.setattr(_progress, "line", Gone)
    assert tfxio.convert(DIGITS, tmp_path / "x.parquet", progress=True).rows == 1797


PROGRAM = f"""
import sys, tfxio
tfxio.convert({DIGITS!r}, sys.argv[1], progress=True)
print("after", file=sys.stderr)
"""


def test_nothing_is_printed_where_standard_error_is_no_terminal(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(tmp_path / "x.parquet")], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "after\n")


@pytest.mark.skipif(sys.platform == "win32", reason="a terminal is made")
def test_a_terminal_has_one_line(tmp_path: Path) -> None:
    import fcntl
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    running = subprocess.Popen([sys.executable, "-c", PROGRAM, str(tmp_path / "x.parquet")], stderr=theirs, stdout=subprocess.PIPE)
    os.close(theirs)
    said = b""
    try:
        while piece := os.read(ours, 4096):
            said += piece
    except OSError:
        # The program has ended.
        pass
    os.close(ours)
    assert running.communicate(timeout=60)[0] == b"" and running.returncode == 0
    drawn, after, end = said.decode().split("\r\n")
    assert (after, end) == ("after", "")
    lines = drawn.split("\r")
    assert lines[0] == "" and len(lines) > 1 and all(line.startswith("convert") and len(line) <= 59 for line in lines[1:])
    assert lines[-1].startswith("convert 100% [####")
