"""Signals, threads and forks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import tfxio

from conftest import DIGITS

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forks and signals of POSIX")


def run(code: str, **how: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, **how)  # type: ignore[call-overload,no-any-return]


def test_importing_starts_no_thread_and_imports_little() -> None:
    names = ("numpy", "pyarrow", "torch", "multiprocessing.shared_memory")
    code = f"import sys, threading, tfxio; print(threading.active_count(), [name for name in {names} if name in sys.modules])"
    assert run(code).stdout.split() == ["1", "[]"]


def test_an_interrupt_ends_a_wait(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.tfrecord"
    os.mkfifo(pipe)
    code = f"""
import tfxio, time
print("ready", flush=True)
begun = time.monotonic()
try:
    tfxio.open({str(pipe)!r}, format="tfrecord")
except KeyboardInterrupt:
    print("interrupted")
"""
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        begun = time.monotonic()
        assert child.stdout.readline() == "interrupted\n"
        assert time.monotonic() - begun < 5
    finally:
        child.kill()
        child.communicate()


def test_a_data_set_works_in_a_fork_and_its_readers_say_no(digits: tfxio.Dataset) -> None:
    code = f"""
import os, tfxio
ds = tfxio.open({DIGITS!r})
reader = ds.read(threads=2, batch_size=10)
next(reader)
child = os.fork()
if child == 0:
    rows = sum(batch.num_rows for batch in ds.read(threads=2))
    try:
        next(reader)
        os._exit(2)
    except RuntimeError as error:
        os._exit(0 if rows == 1797 and "forked" in str(error) else 3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), sum(batch.num_rows for batch in reader))
"""
    assert run(code).stdout.split() == ["0", "1787"]


def test_other_threads_run_meanwhile(digits: tfxio.Dataset) -> None:
    found: list[int] = []
    work = [threading.Thread(target=lambda: found.append(len(list(digits.read(batch_size=1))))) for _ in range(4)]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    assert found == [1797] * 4
