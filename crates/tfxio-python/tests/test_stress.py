"""The border to Python under stress: threads, forks, signals, garbage collection and the end of the interpreter, over data sets that are
written in Python.

It takes some three seconds, and what is needed for each kind of round and of end once; `TFXIO_STRESS_SECONDS=60` asks for a minute. A failure names its
seed, from which `TFXIO_STRESS_SEED` draws the same rounds again, though threads take turns as they like.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forks and signals of POSIX")

HERE = Path(__file__).parent
SECONDS = float(os.environ.get("TFXIO_STRESS_SECONDS", "3"))
SEED = int(os.environ.get("TFXIO_STRESS_SEED", random.SystemRandom().randrange(2**32)))
#: Seconds after its time in which a program ends, or hangs.
PATIENCE = 60
ENDED = 7


def run(program: str, *arguments: object) -> tuple[int, str, str]:
    """Runs a program. Returns its status, and what it has written. One that hangs writes where its threads are, and is an error."""
    command = [sys.executable, str(HERE / program), *map(str, arguments)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
    try:
        output, errors = child.communicate(timeout=SECONDS + PATIENCE)
    except subprocess.TimeoutExpired:
        # The handler of faulthandler prints the stacks of all threads.
        child.send_signal(signal.SIGABRT)
        try:
            output, errors = child.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            child.kill()
            output, errors = child.communicate()
        pytest.fail(f"{' '.join(command)} hangs:\n{output}\n{errors}")
    return child.returncode, output, errors


def test_rounds_of_everything() -> None:
    status, output, errors = run("stress_program.py", SEED, SECONDS * 2 / 3)
    print(f"seed {SEED}: {output}")
    assert (status, errors) == (0, ""), f"seed {SEED}: ended with {status}\n{output}\n{errors}"
    assert all(name in output for name in ("threads", "forks", "signals", "garbage")), output


def test_programs_end_while_they_read() -> None:
    from stress_ending import KINDS
    from stress_sets import WAYS

    draw, ends, programs = random.Random(SEED), time.monotonic() + SECONDS / 3, 0
    kinds: list[str] = []
    while kinds or time.monotonic() < ends or programs == 0:
        # Each kind before one comes again.
        kinds = kinds or draw.sample(KINDS, len(KINDS))
        drawn = kinds.pop(), draw.choice(list(WAYS)), draw.choice([1, 2, 3])
        status, output, errors = run("stress_ending.py", *drawn)
        assert (status, output, errors) == (ENDED, "", ""), f"seed {SEED}: {drawn} ended with {status}\n{output}\n{errors}"
        programs += 1
    print(f"seed {SEED}: {programs} programs")
