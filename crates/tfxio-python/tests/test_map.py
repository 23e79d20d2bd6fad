"""Functions of Python in the midst of a loader: in order, exact states, what is random the same again, errors that name records."""

from __future__ import annotations

import sys
import threading
import time
from typing import Any

import numpy as np
import pytest

import tfxio

HOW: dict[str, Any] = {"inputs": ["image"], "targets": ["label"], "batch_size": 64, "shuffle": True, "seed": 7, "epochs": 2}


def labels(batch: dict[str, np.ndarray]) -> list[int]:
    return [int(label) for label in batch["label"].reshape(-1)]


def noisy(batch: dict[str, np.ndarray], rng: np.random.Generator) -> tuple[list[int], float]:
    return labels(batch), float(rng.random())


@pytest.mark.parametrize("threads", [0, 1, 4])
def test_batches_come_in_order(digits: tfxio.Dataset, threads: int) -> None:
    plain = [labels({"label": batch["label"].numpy()}) for batch in digits.loader(**HOW)]
    assert list(digits.loader(**HOW).map(labels, threads=threads)) == plain


@pytest.mark.parametrize("threads", [0, 3])
def test_states_cover_what_is_under_way(digits: tfxio.Dataset, threads: int) -> None:
    whole = list(digits.loader(**HOW).map(noisy, threads=2))
    assert len({number for _, number in whole}) == len(whole)
    for step in (0, 1, 7, 28, len(whole)):
        loader = digits.loader(**HOW).map(noisy, threads=threads)
        assert [next(loader) for _ in range(step)] == whole[:step]
        state = loader.state_dict()
        loader.close()
        assert list(digits.loader(**HOW, state=state).map(noisy, threads=threads)) == whole[step:]
        other = digits.loader(**HOW).map(noisy, threads=threads)
        next(other)
        other.load_state_dict(state)
        assert list(other) == whole[step:]


def test_another_for_begins_the_next_epochs(digits: tfxio.Dataset) -> None:
    how = {**HOW, "epochs": 1, "batch_size": 599}
    both = list(digits.loader(**{**how, "epochs": 2}).map(labels))
    loader = digits.loader(**how).map(labels, threads=2)
    assert list(loader) + list(loader) == both
    assert len(loader) == 3


@pytest.mark.parametrize("threads", [0, 2])
def test_an_error_names_the_records(digits: tfxio.Dataset, threads: int) -> None:
    def fails(batch: dict[str, np.ndarray]) -> None:
        raise ValueError("no such word")

    loader = digits.loader(inputs=["label"], batch_size=10).map(fails, threads=threads)
    with pytest.raises(ValueError, match="no such word") as raised:
        next(loader)
    [note] = raised.value.__notes__
    assert note.startswith("in map, of the batch of record 0 of ") and "to record 9 of " in note


@pytest.mark.parametrize("threads", [0, 2])
def test_where_the_time_goes_is_told(digits: tfxio.Dataset, threads: int) -> None:
    def slow(batch: dict[str, np.ndarray]) -> None:
        ends = time.perf_counter() + 0.01
        while time.perf_counter() < ends:
            pass

    with digits.loader(inputs=["image"], batch_size=600, epochs=1).map(slow, threads=threads) as loader:
        assert len(list(loader)) == 3
        stats = loader.stats()
    assert stats["mapping"] >= 0.03
    assert all(stats[stage] > 0 for stage in ("reading", "parsing", "planning", "assembling", "waiting_for_input"))


def test_threads_work_at_once(digits: tfxio.Dataset) -> None:
    met = threading.Barrier(3)

    def meet(batch: dict[str, np.ndarray]) -> int:
        return met.wait(60)

    assert sorted(list(digits.loader(inputs=["label"], batch_size=599, epochs=1).map(meet, threads=3))) == [0, 1, 2]


def test_what_is_no_function_is_refused(digits: tfxio.Dataset) -> None:
    with pytest.raises(TypeError, match="map is a function of a batch, not str"):
        digits.loader(**HOW).map("labels")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="threads"):
        digits.loader(**HOW).map(labels, threads=-1)
    assert repr(digits.loader(**HOW).map(labels)).endswith(".map(labels)")


def text_and_shape(batch: Any) -> tuple[list[str], list[Any]]:
    return batch.schema.types, batch["image"].to_pylist()[0]


@pytest.mark.parametrize("how", [{}, {"threads": 2}, {"workers": 1}])
def test_batches_are_given_as_arrow(digits: tfxio.Dataset, how: dict[str, Any]) -> None:
    with digits.loader(inputs=["image", "id"], batch_size=2).map(text_and_shape, given="arrow", **how) as loader:
        types, first = next(loader)
    assert types == ["FixedSizeList(64 x Float32)", "FixedSizeList(1 x LargeBinary)"] and first == digits[0]["image"]
    with pytest.raises(ValueError, match='given is "numpy", "torch" or "arrow", not \'rows\''):
        digits.loader(**HOW).map(labels, given="rows")  # type: ignore[arg-type]


def test_torch_that_is_not_installed_is_named(digits: tfxio.Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    for call in (digits.map, digits.loader(**HOW).map):
        with pytest.raises(ModuleNotFoundError, match=r"this needs torch: pip install 'tfxio\[torch\]'"):
            call(labels, given="torch")
