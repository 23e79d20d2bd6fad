"""Threads: all processors where nothing is said, and a share of them beside other processes."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

import tfxio
from tfxio import _threads


@pytest.fixture
def processors(monkeypatch: pytest.MonkeyPatch) -> int:
    """Twelve processors, and no other process."""
    monkeypatch.setattr(_threads, "_processors", lambda: 12)
    monkeypatch.delenv("LOCAL_WORLD_SIZE", raising=False)
    monkeypatch.delitem(sys.modules, "torch.utils.data", raising=False)
    return 12


def workers(monkeypatch: pytest.MonkeyPatch, number: int | None) -> None:
    """Makes this process one of several workers of a `DataLoader`."""
    info = None if number is None else SimpleNamespace(num_workers=number)
    monkeypatch.setitem(sys.modules, "torch.utils.data", SimpleNamespace(get_worker_info=lambda: info))


def test_a_process_by_itself_has_all_processors(processors: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _threads.asked(0) == 0 and _threads.asked(5) == 5
    workers(monkeypatch, None)
    assert _threads.asked(0) == 0
    assert tfxio.Request(threads=0).threads >= 1


@pytest.mark.parametrize(("number", "share"), [(1, 0), (2, 6), (5, 2), (12, 1), (40, 1)])
def test_workers_share_the_processors(processors: int, monkeypatch: pytest.MonkeyPatch, number: int, share: int) -> None:
    workers(monkeypatch, number)
    assert _threads.asked(0) == share and _threads.asked(7) == 7


@pytest.mark.parametrize(("ranks", "share"), [("1", 0), ("3", 4), ("12", 2), ("40", 2), ("0", 0), ("many", 0), ("", 0)])
def test_ranks_share_the_processors(processors: int, monkeypatch: pytest.MonkeyPatch, ranks: str, share: int) -> None:
    monkeypatch.setenv("LOCAL_WORLD_SIZE", ranks)
    assert _threads.asked(0) == share
    workers(monkeypatch, 2)
    assert _threads.asked(0) == {0: 6, 4: 2, 2: 1}[share]


def test_a_loader_has_the_threads_of_its_process(processors: int, digits: tfxio.Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    with digits.loader(inputs=["label"], batch_size=32) as loader:
        assert loader.plan().threads == tfxio.Request(threads=0).threads
        whole = [batch["label"].tolist() for batch in loader]
    workers(monkeypatch, 3)
    with digits.loader(inputs=["label"], batch_size=32) as loader:
        assert loader.plan().threads == 4
        assert [batch["label"].tolist() for batch in loader] == whole
        state = loader.state_dict()
    # What was made in a worker goes on with the threads of the process that takes it over.
    workers(monkeypatch, 12)
    with digits.loader(inputs=["label"], batch_size=32, state=state) as loader:
        assert loader.plan().threads == 1
