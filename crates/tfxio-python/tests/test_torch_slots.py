"""Slots of memory, by which larger batches of workers arrive."""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import signal
from collections.abc import Iterator
from multiprocessing.reduction import ForkingPickler
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from tfxio import _torch_slots  # noqa: E402
from tfxio._torch_workers import MIN_SLOT_BYTES, Sent  # noqa: E402
from torch.utils.data import DataLoader, IterableDataset, get_worker_info  # noqa: E402

pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="the system has no such memory"),
]

# Of int32.
LENGTH = MIN_SLOT_BYTES // 4
COUNT = 20


def batch(number: int) -> Sent:
    return Sent({"numbers": torch.arange(number, number + LENGTH, dtype=torch.int32), "last": torch.tensor([[number / 2]])})


def assert_are(batches: list[dict[str, Any]], numbers: list[int]) -> None:
    assert len(batches) == len(numbers)
    for arrived, number in zip(batches, numbers):
        here = batch(number)
        assert list(arrived) == list(here)
        for name, tensor in here.items():
            assert arrived[name].dtype == tensor.dtype and torch.equal(arrived[name], tensor)


class Numbered(IterableDataset):
    """Batches with numbers, of each worker its own, and then perhaps an error."""

    def __init__(self, fails: bool = False) -> None:
        self.fails = fails

    def __iter__(self) -> Iterator[Sent]:
        worker = get_worker_info()
        yield from map(batch, range(worker.id, COUNT, worker.num_workers))
        if self.fails:
            raise ValueError("no more of them")


class Known(IterableDataset):
    """The number of workers whose memory a worker has."""

    def __iter__(self) -> Iterator[int]:
        yield len(_torch_slots._of_workers)


@pytest.fixture
def freed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Returns the slots from which this process has copied, in order."""
    slots: list[int] = []
    free = _torch_slots.free

    def counted(memory: Any, slot: int) -> None:
        slots.append(slot)
        free(memory, slot)

    monkeypatch.setattr(_torch_slots, "free", counted)
    return slots


@pytest.fixture
def own() -> Iterator[_torch_slots.Slots]:
    """Returns slots of this process, which is worker and parent at once."""
    _torch_slots.own.cache_clear()
    slots = _torch_slots.own()
    assert slots is not None and not slots.is_shared
    slots.memory[_torch_slots.SHARED_AT] = 1
    _torch_slots._of_workers[slots.token] = slots.memory
    yield slots
    os.close(slots.offer[1])
    _torch_slots._forget()


def open_files() -> int:
    gc.collect()
    return len(os.listdir("/proc/self/fd"))


def sent(batch: Sent) -> bytes:
    return bytes(ForkingPickler.dumps(batch))


@pytest.mark.parametrize("start", ["fork", "spawn"])
@pytest.mark.parametrize("workers", [1, 2])
def test_slots_are_used_again_and_batches_stay(start: str, workers: int, freed: list[int]) -> None:
    loader = DataLoader(Numbered(), batch_size=None, num_workers=workers, multiprocessing_context=start)
    # All of them are kept, and so many are on their way before the first one says that there are slots.
    assert_are(list(loader), list(range(COUNT)))
    assert COUNT - 2 * workers <= len(freed) <= COUNT - workers
    assert len(freed) > _torch_slots.SLOTS * workers


def test_workers_that_stay_keep_their_slots(freed: list[int]) -> None:
    loader = DataLoader(Numbered(), batch_size=None, num_workers=1, persistent_workers=True)
    assert_are(list(loader), list(range(COUNT)))
    (memory,) = _torch_slots._of_workers.values()
    del freed[:]
    assert_are(list(loader), list(range(COUNT)))
    assert len(freed) == COUNT
    assert list(_torch_slots._of_workers.values()) == [memory]


def test_batches_without_a_free_slot_go_another_way(own: _torch_slots.Slots, freed: list[int]) -> None:
    messages = [sent(batch(number)) for number in range(_torch_slots.SLOTS + 2)]
    sizes = [len(message) > LENGTH for message in messages]
    assert sizes == [False] * _torch_slots.SLOTS + [True] * 2
    # In any order.
    assert_are([pickle.loads(message) for message in reversed(messages)], list(reversed(range(len(messages)))))
    assert freed == list(reversed(range(_torch_slots.SLOTS)))
    assert len(sent(batch(7))) < LENGTH


def test_tensors_of_every_dtype_go_by_slots(own: _torch_slots.Slots, freed: list[int]) -> None:
    numbers = torch.arange(LENGTH) % 100
    dtypes = [torch.bool, torch.uint8, torch.int16, torch.int64, torch.float16, torch.bfloat16, torch.float64, torch.complex128]
    tensors = Sent({str(dtype): numbers[: LENGTH // 3 * 3].to(dtype).view(-1, 1, 3) for dtype in dtypes})
    arrived = pickle.loads(sent(tensors))
    assert freed == [0] and list(arrived) == list(tensors)
    for name, tensor in tensors.items():
        assert arrived[name].dtype == tensor.dtype and torch.equal(arrived[name], tensor)
    assert len({tensor.untyped_storage().data_ptr() for tensor in arrived.values()}) == 1


def test_a_small_batch_takes_no_slot(own: _torch_slots.Slots) -> None:
    small = Sent({"numbers": torch.arange(10)})
    assert [pickle.loads(sent(small))["numbers"].tolist() for _ in range(9)] == [list(range(10))] * 9
    assert own.take() == 0


def test_a_batch_that_is_pickled_for_itself_takes_no_slot(own: _torch_slots.Slots) -> None:
    message = pickle.dumps(batch(3))
    assert_are([pickle.loads(message), pickle.loads(message)], [3, 3])
    assert own.take() == 0


def test_another_process_than_the_parent_is_told(own: _torch_slots.Slots) -> None:
    message = sent(batch(3))
    _torch_slots._of_workers.clear()
    with pytest.raises(RuntimeError, match=r"was sent to another one: send a dict\(batch\)"):
        pickle.loads(message)


def test_batches_arrive_where_no_memory_can_be_had(monkeypatch: pytest.MonkeyPatch, freed: list[int]) -> None:
    monkeypatch.delattr(os, "memfd_create")
    assert_are(list(DataLoader(Numbered(), batch_size=None, num_workers=1)), list(range(COUNT)))
    assert not freed


def test_batches_arrive_where_the_memory_of_a_worker_cannot_be_opened(monkeypatch: pytest.MonkeyPatch, freed: list[int]) -> None:
    opened = os.open

    def refusing(path: Any, *arguments: Any, **how: Any) -> int:
        if str(path).startswith("/proc/"):
            raise PermissionError(path)
        return opened(path, *arguments, **how)

    monkeypatch.setattr(os, "open", refusing)
    assert_are(list(DataLoader(Numbered(), batch_size=None, num_workers=1)), list(range(COUNT)))
    assert not freed and not _torch_slots._of_workers


def test_only_the_memory_that_is_meant_is_taken(own: _torch_slots.Slots) -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        (process,) = [child.pid for child in multiprocessing.active_children()]
        assert process is not None
        # It has no such file, or another one.
        for file in (0, 12345):
            _torch_slots.accept(process, file, b"another one of 16")
        _torch_slots.accept(os.getpid(), own.offer[1], b"another one of 16")
        assert list(_torch_slots._of_workers) == [own.token]
        pool.terminate()


@pytest.mark.parametrize("ends", ["with all", "early", "by an error", "by a signal"])
def test_nothing_is_left_of_a_worker(ends: str, freed: list[int]) -> None:
    # What torch and multiprocessing open once.
    list(DataLoader(Known(), batch_size=None, num_workers=1))
    files, shared = open_files(), sorted(os.listdir("/dev/shm"))
    iterator: Any = iter(DataLoader(Numbered(fails=ends == "by an error"), batch_size=None, num_workers=1))
    assert_are([next(iterator) for _ in range(6)], list(range(6)))
    assert len(_torch_slots._of_workers) == 1
    if ends == "with all":
        assert_are(list(iterator), list(range(6, COUNT)))
    elif ends == "by an error":
        assert_are([next(iterator) for _ in range(6, COUNT)], list(range(6, COUNT)))
        with pytest.raises(ValueError, match="no more of them"):
            next(iterator)
    elif ends == "by a signal":
        os.kill(iterator._workers[0].pid, signal.SIGKILL)
        with pytest.raises(RuntimeError, match="worker"):
            list(iterator)
    assert freed
    del iterator
    assert open_files() == files and sorted(os.listdir("/dev/shm")) == shared
    assert not _torch_slots._of_workers


def test_a_process_that_is_forked_leaves_the_memory_to_its_parent() -> None:
    iterator = iter(DataLoader(Numbered(), batch_size=None, num_workers=1))
    next(iterator)
    assert len(_torch_slots._of_workers) == 1
    assert list(DataLoader(Known(), batch_size=None, num_workers=1, multiprocessing_context="fork")) == [0]
    assert_are(list(iterator), list(range(1, COUNT)))
