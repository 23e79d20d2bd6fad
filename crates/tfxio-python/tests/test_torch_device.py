"""Batches on a device: the same batches, exact states while others are under way, and copies in the order that CUDA asks for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfxio

torch = pytest.importorskip("torch")

import tfxio.torch as tt  # noqa: E402
from tfxio._torch_device import CudaCopies  # noqa: E402
from torch.utils.data import DataLoader  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")

HOW: dict[str, Any] = {"inputs": ["image"], "targets": ["label"], "batch_size": 50, "shuffle": True, "seed": 7}


def labels(batches: Any) -> list[list[int]]:
    return [np.asarray(batch["label"]).reshape(-1).tolist() for batch in batches]


def mapped(dataset: tfxio.Dataset) -> Any:
    return dataset.loader(**HOW).map(lambda batch: {**batch, "image": batch["image"] / 16}, threads=2)


def stateful(dataset: tfxio.Dataset, workers: int) -> Any:
    loaders = pytest.importorskip("torchdata.stateful_dataloader")
    return loaders.StatefulDataLoader(tt.LoaderDataset(dataset, **HOW), batch_size=None, num_workers=workers)


#: What has batches and their state: our data set and loaders, and those of torchdata.
SOURCES: dict[str, Any] = {
    "dataset": lambda digits: tt.LoaderDataset(digits, **HOW),
    "stream": lambda digits: tt.IterableDataset(digits, {"label": tfxio.FixedLen([], "int64")}, batch_size=50),
    "loader": lambda digits: digits.loader(**HOW),
    "mapped": mapped,
    "stateful": lambda digits: stateful(digits, 0),
    "workers": lambda digits: stateful(digits, 2),
}


@pytest.mark.parametrize("ahead", [0, 2])
@pytest.mark.parametrize("source", list(SOURCES))
def test_batches_and_epochs_are_those_of_the_source(digits: tfxio.Dataset, source: str, ahead: int) -> None:
    plain, moved = SOURCES[source](digits), tt.to_device(SOURCES[source](digits), "cpu", ahead)
    for _ in range(2):
        assert labels(moved) == labels(plain)
    assert next(moved, None) is None


@pytest.mark.parametrize("ahead", [0, 3])
@pytest.mark.parametrize("source", list(SOURCES))
def test_states_cover_what_is_under_way(digits: tfxio.Dataset, source: str, ahead: int) -> None:
    whole = labels(SOURCES[source](digits))
    for taken in (0, 1, 7, len(whole) - 1, len(whole)):
        first = tt.to_device(SOURCES[source](digits), "cpu", ahead)
        batches = iter(first)
        assert labels(next(batches) for _ in range(taken)) == whole[:taken]
        state = first.state_dict()
        again = tt.to_device(SOURCES[source](digits), "cpu", ahead)
        again.load_state_dict(state)
        assert labels(again) == whole[taken:]
        # The state is of the batches, with or without a device.
        plain = SOURCES[source](digits)
        goes_on = plain if hasattr(plain, "load_state_dict") else iter(plain)
        goes_on.load_state_dict(state)
        assert labels(goes_on) == whole[taken:]


def test_an_iterator_that_was_left_goes_on(digits: tfxio.Dataset) -> None:
    whole = labels(digits.loader(**HOW))
    moved = tt.to_device(digits.loader(**HOW), "cpu", 3)
    found = []
    for batch in moved:
        found += labels([batch])
        if len(found) == 5:
            break
    assert found + labels(moved) == whole
    # A data set begins the next epoch instead, as without a device.
    dataset = tt.LoaderDataset(digits, **HOW)
    moved = tt.to_device(dataset, "cpu", 3)
    assert labels([next(iter(moved))]) == whole[:1]
    assert sorted(sum(labels(moved), [])) == sorted(sum(whole, [])) and dataset.epoch == 2


def test_an_error_comes_after_the_batches_before_it() -> None:
    def batches() -> Iterator[dict[str, Any]]:
        for number in range(4):
            yield {"x": torch.tensor(number)}
        raise LookupError("no more")

    moved = tt.to_device(batches(), "cpu", 2)
    assert [int(next(moved)["x"]) for _ in range(4)] == [0, 1, 2, 3]
    with pytest.raises(LookupError, match="no more"):
        next(moved)
    with pytest.raises(TypeError, match="generator has no state"):
        moved.state_dict()


def test_all_kinds_move(fixtures: Path, digits: tfxio.Dataset) -> None:
    kinds = {
        "image": tfxio.FixedLen([8, 8], "float32"),
        "ragged": tfxio.Ragged("float32", key="image"),
        "sparse": tfxio.VarLen("float32", key="image"),
    }
    (batch,) = tt.to_device([next(digits.tensors(kinds).read(batch_size=3))], "meta")
    assert all(tensor.device.type == "meta" for tensor in batch.values())
    assert (batch["ragged"].layout, batch["ragged"].size(0), batch["sparse"].layout) == (torch.jagged, 3, torch.sparse_coo)
    assert batch["image"].shape == (3, 8, 8) and batch["sparse"].shape == (3, 64)
    people = tfxio.open(fixtures / "tensors" / "people.tfrecord", schema=fixtures / "tensors" / "people.pbtxt")
    (batch,) = tt.to_device(tt.IterableDataset(people, batch_size=10), "meta")
    assert isinstance(batch["moves"], tt.Ragged) and batch["moves"].values.device.type == "meta"
    assert [splits.device.type for splits in batch["moves"].row_splits] == ["meta", "meta"]
    assert batch["name"].tolist() == [b"Ada", b"Grace", b"Edith"] and batch["tags"].values.tolist()[0] == b"engine"


def test_nested_tensors_keep_their_values() -> None:
    values, offsets = torch.arange(5.0), torch.tensor([0, 2, 5])
    jagged = torch.nested.nested_tensor_from_jagged(values, offsets)
    other = torch.nested.nested_tensor_from_jagged(values * 2, offsets)
    given = {"a": jagged, "b": [jagged, (other, 3)], "c": np.arange(3), "d": np.array(["x"]), "e": None}
    (batch,) = tt.to_device([given], torch.device("cpu"))
    assert [part.tolist() for part in batch["a"].unbind()] == [[0.0, 1.0], [2.0, 3.0, 4.0]]
    # What one tensor was stays one, so that nested ones of the same rows can be added.
    # What one tensor was stays one, so that nested ones of the same rows can be added.
    assert batch["b"][0] is batch["a"]
    assert (batch["a"] + batch["b"][1][0]).values().tolist() == [0.0, 3.0, 6.0, 9.0, 12.0]
    assert (batch["b"][1][1], batch["c"].tolist(), batch["d"].tolist(), batch["e"]) == (3, [0, 1, 2], ["x"], None)


def test_a_length_and_what_is_refused(digits: tfxio.Dataset) -> None:
    moved = tt.to_device(digits.loader(**HOW), "cpu")
    assert len(moved) == 36 and moved and moved.device == torch.device("cpu")
    ranks = [tt.to_device(tt.LoaderDataset(digits, **HOW, rank=rank, world_size=2), "cpu") for rank in range(2)]
    assert [len(rank) for rank in ranks] == [len(labels(rank)) for rank in ranks] == [18, 18]
    with pytest.raises(TypeError, match="no len"):
        len(tt.to_device(tt.IterableDataset(digits, {"label": tfxio.FixedLen([], "int64")}, batch_size=50), "cpu"))
    with pytest.raises(TypeError, match="batches is an iterable of batches"):
        tt.to_device(3, "cpu")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="device is a device of torch.*not 'nonsense'"):
        tt.to_device([], "nonsense")
    with pytest.raises(TypeError, match="device is a device of torch"):
        tt.to_device([], None)
    with pytest.raises(ValueError, match="ahead"):
        tt.to_device([], "cpu", -1)
    with pytest.raises(TypeError, match="DataLoader has no state that can be saved: take a StatefulDataLoader"):
        tt.to_device(DataLoader(tt.LoaderDataset(digits, **HOW), batch_size=None, num_workers=1), "cpu").load_state_dict({})


class Log(list[str]):
    """What was asked of CUDA, in its order."""


class Stream:
    """A stand-in for a stream of CUDA."""

    def __init__(self, log: Log, name: str) -> None:
        self.log, self.name = log, name

    def __enter__(self) -> None:
        self.log.append(f"begin {self.name}")

    def __exit__(self, *error: object) -> None:
        self.log.append(f"end {self.name}")

    def wait_event(self, event: Any) -> None:
        self.log.append(f"{self.name} waits for {event.number}")


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> Log:
    """Stands in for CUDA where there is none."""
    log = Log()
    main, events = Stream(log, "main"), iter(range(100))

    class Event:
        def __init__(self) -> None:
            self.number = next(events)

        def record(self, stream: Stream) -> None:
            log.append(f"{stream.name} records {self.number}")

    def to(self: Any, device: Any, non_blocking: bool = False) -> Any:
        what = "what is there" if self.is_meta else int(self.sum())
        log.append(f"copy {what} to {device}, non_blocking={non_blocking}")
        return self.clone()

    def pin_memory(self: Any) -> Any:
        log.append(f"pin {int(self.sum())}")
        return self

    monkeypatch.setattr(torch.cuda, "Stream", lambda device: Stream(log, f"copies of {device}"))
    monkeypatch.setattr(torch.cuda, "Event", Event)
    monkeypatch.setattr(torch.cuda, "stream", lambda stream: stream)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda device: main)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 1)
    monkeypatch.setattr(torch.Tensor, "to", to)
    monkeypatch.setattr(torch.Tensor, "is_pinned", lambda self: int(self.sum()) >= 10)
    monkeypatch.setattr(torch.Tensor, "pin_memory", pin_memory)
    monkeypatch.setattr(torch.Tensor, "record_stream", lambda self, stream: log.append(f"record {int(self.sum())} on {stream.name}"))
    return log


def test_copies_of_cuda_are_ahead_and_waited_for(log: Log) -> None:
    moved = tt.to_device([{"x": torch.tensor(number), "y": torch.tensor(10 + number)} for number in range(3)], "cuda", ahead=1)
    assert isinstance(moved._copies, CudaCopies) and moved.device == torch.device("cuda", 1)

    def copied(number: int) -> list[str]:
        stream = "copies of cuda:1"
        one = [f"begin {stream}", f"copy {number} to cuda:1, non_blocking=True", f"end {stream}"]
        other = [f"begin {stream}", f"copy {10 + number} to cuda:1, non_blocking=True", f"end {stream}"]
        # What is pinned already is not pinned again.
        return [f"pin {number}", *one, *other, f"{stream} records {number}"]

    def used(number: int) -> list[str]:
        return [f"main waits for {number}", f"record {number} on main", f"record {10 + number} on main"]

    assert int(next(moved)["x"]) == 0
    assert log == [*copied(0), *copied(1), *used(0)]
    log.clear()
    assert int(next(moved)["x"]) == 1
    assert log == [*copied(2), *used(1)]
    log.clear()
    assert int(next(moved)["x"]) == 2
    assert log == used(2)
    assert next(moved, None) is None


def test_parts_of_nested_and_sparse_tensors_are_copied(log: Log) -> None:
    jagged = torch.nested.nested_tensor_from_jagged(torch.tensor([1, 1, 1]), torch.tensor([0, 1, 3]))
    sparse = torch.sparse_coo_tensor(torch.tensor([[2]]), torch.tensor([5]), (4,))
    (batch,) = tt.to_device([{"jagged": jagged, "again": jagged, "sparse": sparse}], "cuda:0", ahead=0)
    copies = [line.split()[1] for line in log if line.startswith("copy")]
    assert copies == ["3", "4", "2", "5"]
    assert [line for line in log if line.startswith("record")] == [f"record {of} on main" for of in copies]
    assert batch["jagged"].layout == torch.jagged and batch["sparse"].to_dense().tolist() == [0, 0, 5, 0]


def test_what_is_on_a_device_already_is_left_to_its_stream(log: Log) -> None:
    (batch,) = tt.to_device([{"x": torch.empty(3, device="meta")}], "cuda:0", ahead=0)
    assert batch["x"].shape == (3,)
    assert log == ["copy what is there to cuda:0, non_blocking=False", "copies of cuda:0 records 0", "main waits for 0"]
