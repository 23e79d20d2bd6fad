"""Batches of workers arrive as they would be made here, their tensors in one block of memory."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfxio

from conftest import DIGITS

torch = pytest.importorskip("torch")

import tfxio.torch as tt  # noqa: E402
from tfxio._torch_workers import Sent  # noqa: E402
from torch.utils.data import DataLoader, IterableDataset  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")

KINDS = {
    "label": tfxio.FixedLen([], "int64"),
    "image": tfxio.FixedLen([8, 8], "float32"),
    "ragged": tfxio.Ragged("float32", key="image"),
    "sparse": tfxio.VarLen("float32", key="image"),
    "another": tfxio.VarLen("float32", key="image"),
}


def assert_equal(one: Any, other: Any) -> None:
    """Compares values of any kind, their types as well."""
    assert type(one) is type(other)
    if isinstance(one, dict):
        assert list(one) == list(other)
        for name in one:
            assert_equal(one[name], other[name])
    elif isinstance(one, (tuple, list)):
        assert len(one) == len(other)
        for left, right in zip(one, other):
            assert_equal(left, right)
    elif isinstance(one, np.ndarray):
        assert one.dtype == other.dtype and one.tolist() == other.tolist()
    elif isinstance(one, torch.Tensor):
        assert (one.dtype, one.layout, one.requires_grad) == (other.dtype, other.layout, other.requires_grad)
        if one.layout is torch.jagged:
            assert_equal([one.values(), one.offsets()], [other.values(), other.offsets()])
        elif one.layout is torch.sparse_coo:
            assert (one.shape, one.is_coalesced()) == (other.shape, other.is_coalesced())
            assert_equal([one._indices(), one._values()], [other._indices(), other._values()])
        else:
            assert one.shape == other.shape and torch.equal(one, other)
    else:
        assert one == other


def block(tensor: Any) -> int:
    address: int = tensor.untyped_storage().data_ptr()
    return address


@pytest.mark.parametrize("batch_size", [1, 20, 1000])
def test_every_kind_of_tensor_arrives(digits: tfxio.Dataset, batch_size: int) -> None:
    stream = tt.IterableDataset(digits, KINDS, batch_size=batch_size)
    here = list(stream) if batch_size > 1 else list(stream)[:7]
    arrived = list(DataLoader(stream, batch_size=None, num_workers=1))[: len(here)]
    assert_equal(arrived, here)
    # In one block, however large, and whichever way they came.
    tensors = arrived[0]
    ragged, sparse = tensors["ragged"], tensors["sparse"]
    parts = [tensors["label"], tensors["image"], ragged.values(), ragged.offsets(), sparse._values(), sparse._indices()]
    assert len({block(part) for part in parts}) == 1
    # They may be written to, also after the worker has ended.
    for tensor in (tensors["label"], tensors["image"]):
        tensor.fill_(3)
        assert int(tensor.sum()) == 3 * tensor.numel()


@pytest.mark.parametrize("strategy", sorted(torch.multiprocessing.get_all_sharing_strategies()))
@pytest.mark.parametrize("most", [0, 1 << 30])
def test_shared_memory_and_the_pipe_bring_the_same(
    digits: tfxio.Dataset, strategy: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tfxio._torch_workers.MAX_INLINE_BYTES", most)
    monkeypatch.setattr("tfxio._torch_slots.SLOT_BYTES", 0)
    before = torch.multiprocessing.get_sharing_strategy()
    torch.multiprocessing.set_sharing_strategy(strategy)
    try:
        stream = tt.IterableDataset(digits, KINDS, batch_size=300)
        arrived = list(DataLoader(stream, batch_size=None, num_workers=1))
        assert_equal(arrived, list(stream))
        assert arrived[0]["image"].is_shared() == (most == 0)
    finally:
        torch.multiprocessing.set_sharing_strategy(before)


@pytest.mark.parametrize("batch_size", [20, 50])
def test_slots_bring_the_same(digits: tfxio.Dataset, batch_size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tfxio._torch_workers.MIN_SLOT_BYTES", 1)
    stream = tt.IterableDataset(digits, KINDS, batch_size=batch_size)
    assert_equal(list(DataLoader(stream, batch_size=None, num_workers=1)), list(stream))


def test_what_torch_cannot_hold_arrives(fixtures: Path) -> None:
    people = tfxio.open(fixtures / "tensors" / "people.tfrecord", schema=fixtures / "tensors" / "people.pbtxt")
    stream = tt.IterableDataset(people, batch_size=10)
    (arrived,) = DataLoader(stream, batch_size=None, num_workers=1)
    (here,) = DataLoader(stream, batch_size=None)
    assert isinstance(arrived["tags"], tt.Sparse) and isinstance(arrived["moves"], tt.Ragged)
    assert_equal(arrived, here)


def test_a_batch_may_be_changed_in_the_worker(digits: tfxio.Dataset) -> None:
    def changed(batch: dict[str, Any]) -> dict[str, Any]:
        image = batch["image"]
        batch["turned"] = image.reshape(-1, 8, 8).transpose(1, 2)
        batch["leaf"] = torch.ones(2, requires_grad=True).detach().requires_grad_()
        batch["none"], batch["empty"], batch["words"] = None, torch.empty(0, 3), ["a", image[0]]
        batch["one"], batch["flags"] = torch.tensor(5), image > 3
        return batch

    stream = tt.LoaderDataset(digits, inputs=["image"], targets=["label"], batch_size=300)
    for batch, here in zip(DataLoader(stream, batch_size=None, num_workers=1, collate_fn=changed), stream):
        assert_equal(batch, changed(here))


def test_tensors_of_every_dtype() -> None:
    numbers = torch.tensor([0.0, 1.0, 250.0])
    dtypes = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64"]
    batch = {name: numbers.to(getattr(torch, name)) for name in dtypes}
    batch["conjugate"] = torch.tensor([1 + 2j]).conj()
    batch["quantized"] = torch.quantize_per_tensor(numbers, 0.5, 3, torch.quint8)
    arrived = pickle.loads(pickle.dumps(Sent(batch)))
    assert_equal({name: arrived[name] for name in dtypes}, {name: batch[name] for name in dtypes})
    assert arrived["conjugate"].resolve_conj().tolist() == [1 - 2j]
    assert arrived["quantized"].dequantize().tolist() == batch["quantized"].dequantize().tolist()


def test_a_batch_is_pickled_without_a_worker_too(digits: tfxio.Dataset) -> None:
    batch = next(iter(tt.IterableDataset(digits, KINDS, batch_size=10)))
    assert_equal(pickle.loads(pickle.dumps(Sent(batch))), batch)
    assert_equal(pickle.loads(pickle.dumps(Sent())), {})


class Threads(IterableDataset):
    """The threads of a loader that is made in a worker."""

    def __iter__(self) -> Any:
        with tfxio.open(DIGITS).loader(inputs=["label"], batch_size=32) as loader:
            yield loader.plan().threads


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_workers_share_the_processors(workers: int) -> None:
    processors = tfxio.Request(threads=0).threads
    assert list(DataLoader(Threads(), batch_size=None, num_workers=workers)) == [max(processors // workers, 1)] * workers
