"""Functions of batches in other processes: in order, exact states, shared memory, errors and ends that leave nothing behind."""

from __future__ import annotations

import errno
import gc
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import DIGITS

import tfxio

HOW: dict[str, Any] = {"inputs": ["image"], "targets": ["label"], "batch_size": 64, "shuffle": True, "seed": 7}
SHARED = Path("/dev/shm")


def noisy(batch: dict[str, np.ndarray], rng: np.random.Generator) -> tuple[list[int], float]:
    return [int(label) for label in batch["label"].reshape(-1)], float(rng.random())


def many(batch: dict[str, np.ndarray]) -> dict[str, Any]:
    images = batch["image"].reshape(-1, 8, 8)
    return {"image": images.repeat(20, 0)[..., ::-1], "none": images[:0], "id": batch["id"], "pid": os.getpid()}


class Unlike(Exception):
    """An exception that pickle cannot make again."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"{one} is not {two}")


def fails(batch: dict[str, np.ndarray]) -> Any:
    [[label]] = batch["label"]
    if label == 0:
        raise KeyError("no such word")
    if label == 1:
        raise Unlike(1, 2)
    if label == 2:
        os._exit(3)
    if label == 3:
        os.kill(os.getpid(), signal.SIGTERM)
    if label == 4:
        return lambda: None
    return int(label)


def shared() -> set[str]:
    """Returns the names of blocks of shared memory."""
    return {path.name for path in SHARED.glob("*")}


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_batches_states_and_random_numbers_are_those_of_threads(digits: tfxio.Dataset) -> None:
    plain = digits.loader(**HOW).map(noisy)
    whole, following = list(plain), list(plain)
    loader = digits.loader(**HOW).map(noisy, workers=2)
    assert [next(loader) for _ in range(7)] == whole[:7]
    state = loader.state_dict()
    assert list(loader) == whole[7:]
    # The same processes go on, with what came after the state, and with the next epoch.
    loader.load_state_dict(state)
    assert list(loader) == whole[7:]
    assert list(loader) == following != whole
    assert loader.stats()["mapping"] > 0 and len(loader) == len(whole)
    loader.close()
    assert list(digits.loader(**HOW, state=state).map(noisy, threads=2)) == whole[7:]


@pytest.mark.skipif(not SHARED.is_dir(), reason="the system shows no shared memory")
def test_arrays_are_views_of_memory_that_lives_as_long_as_they_do(digits: tfxio.Dataset) -> None:
    before = shared()
    how: dict[str, Any] = {"inputs": ["image", "id"], "batch_size": 599, "epochs": 1}
    expected = [many({name: batch[name].numpy() for name in batch.keys()}) for batch in digits.loader(**how)]
    loader = digits.loader(**how).map(many, workers=1)
    found = list(loader)
    assert shared() == before, "names of blocks that have come are gone"
    pids = {batch.pop("pid") for batch in found}
    assert len(pids) == 1 and os.getpid() not in pids and all(map(is_alive, pids))
    del loader
    gc.collect()
    assert not any(map(is_alive, pids)), "nobody waits for the process"
    for batch, like in zip(found, expected, strict=True):
        assert not batch["image"].flags.owndata and batch["image"].flags.writeable
        assert batch["none"].shape == (0, 8, 8)
        assert np.array_equal(batch["image"], like["image"]) and np.array_equal(batch["id"], like["id"])


def test_errors_and_deaths_are_said_and_the_next_batch_comes(digits: tfxio.Dataset) -> None:
    before = shared()
    with digits.loader(targets=["label"], batch_size=1).map(fails, workers=2) as loader:
        with pytest.raises(KeyError, match="no such word") as raised:
            next(loader)
        trace, records = raised.value.__notes__
        assert 'raise KeyError("no such word")' in trace and f"{Path(__file__).name}" in trace and "_worker.py" not in trace
        assert records.startswith("in map, of the batch of record 0 of ")
        with pytest.raises(RuntimeError, match="Unlike: 1 is not 2") as unlike:
            next(loader)
        assert "raise Unlike(1, 2)" in unlike.value.__notes__[0]
        with pytest.raises(RuntimeError, match="a worker of map ended with the exit code 3 in the midst of the function") as died:
            next(loader)
        assert "of record 2 of " in died.value.__notes__[0]
        with pytest.raises(RuntimeError, match=r"a worker of map ended by the signal 15 \(SIGTERM\)"):
            next(loader)
        with pytest.raises((AttributeError, TypeError), match="lambda"):
            next(loader)
        assert [next(loader) for _ in range(5)] == [5, 6, 7, 8, 9]
    assert shared() == before


def test_what_cannot_go_to_other_processes_is_refused(digits: tfxio.Dataset) -> None:
    what = r"map\(workers=2\) calls .*<lambda> in other processes, .*: define the function at the top of a module"
    with pytest.raises(TypeError, match=what):
        digits.loader(**HOW).map(lambda batch: batch, workers=2)
    with pytest.raises(ValueError, match="threads and workers are both given"):
        digits.loader(**HOW).map(noisy, threads=2, workers=2)
    with pytest.raises(ValueError, match="workers is -1"):
        digits.loader(**HOW).map(noisy, workers=-1)


def test_a_process_that_may_have_none_calls_the_function_itself(digits: tfxio.Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    from tfxio import _processes

    monkeypatch.setattr(_processes, "can_start", lambda: False)
    batch = next(digits.loader(inputs=["image", "id"], batch_size=2).map(many, workers=2))
    assert batch["pid"] == os.getpid()


def test_memory_that_is_full_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    from tfxio._blocks import packed

    def full(*_: int) -> None:
        raise OSError(errno.ENOSPC, "no space left on device")

    before = shared()
    monkeypatch.setattr(os, "posix_fallocate", full, raising=False)
    with pytest.raises(OSError, match="there is no room for .* bytes of shared memory.*: allow more of it"):
        packed(np.zeros(100_000), "tfxio-test-full")
    assert shared() == before


PROGRAM = """
import os, sys, time
import tfxio

def say(number):
    os.write(1, f"{number}\\n".encode())

def forever(batch):
    say(os.getpid())
    while sys.argv[1] == "interrupt":
        pass
    return batch

if __name__ == "__main__" or sys.argv[1] == "unguarded":
    ds = tfxio.open(sys.argv[2])
    loader = ds.loader(inputs=["image"], batch_size=500, epochs=1).map(forever, workers=2)
    say(len(next(loader)["image"]))
    if sys.argv[1] == "killed":
        os.kill(os.getpid(), 9)
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return str(path)


def all_end(pids: list[int]) -> bool:
    """Returns whether processes end, for which whatever inherits them waits at its leisure."""
    until = time.monotonic() + 30
    while any(map(is_alive, pids)) and time.monotonic() < until:
        time.sleep(0.01)
    return not any(map(is_alive, pids))


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("end", ["exit", "interrupt", "killed"])
def test_no_end_leaves_processes_or_memory(program: str, end: str) -> None:
    before = shared()
    # Not buffered: `communicate` would miss lines that came together with the first.
    child = subprocess.Popen([sys.executable, program, end, DIGITS], bufsize=0, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout is not None
    pids = [int(child.stdout.readline())]
    if end == "interrupt":
        child.send_signal(signal.SIGINT)
    out, err = (text.decode() for text in child.communicate(timeout=60))
    pids += [int(line) for line in out.split() if line != "500"]
    assert child.returncode == {"exit": 0, "interrupt": -signal.SIGINT, "killed": -signal.SIGKILL}[end], err
    assert ("KeyboardInterrupt" in err) == (end == "interrupt") and ("500" in out.split()) == (end != "interrupt")
    assert err.count("Traceback") == (end == "interrupt")
    # Of a program that was killed, the tracker of Python ends what was under way, and says so.
    assert "leaked" not in err or end == "killed"
    # All that held its outputs has ended, the tracker of shared memory too.
    assert shared() == before and all_end(pids)


def test_a_program_that_is_not_guarded_says_so(program: str) -> None:
    done = subprocess.run([sys.executable, program, "unguarded", DIGITS], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert 'a program that has workers begins below `if __name__ == "__main__":`' in done.stderr


def test_a_function_without_a_module_is_named() -> None:
    code = f"""
import tfxio
def shape(batch): return batch["image"].shape
next(tfxio.open({DIGITS!r}).loader(inputs=["image"], batch_size=10).map(shape, workers=1))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert "a worker of map cannot load the function (AttributeError: " in done.stderr
    assert "define it at the top of a module that can be imported" in done.stderr
