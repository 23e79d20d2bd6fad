"""Functions of batches in the processes of a DataLoader: every record once, exact states, what is random the same again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tfxio

torch = pytest.importorskip("torch")

import tfxio.torch as tt  # noqa: E402
from torch.utils.data import DataLoader  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")


def flip(batch: dict[str, np.ndarray], rng: np.random.Generator) -> dict[str, np.ndarray]:
    images = batch["image"].reshape(-1, 8, 8)
    return {**batch, "image": images[..., ::-1], "noise": rng.random(len(images))}


def flipped(dataset: tfxio.Dataset, **how: Any) -> tt.LoaderDataset:
    keywords: dict[str, Any] = {"inputs": ["image", "id"], "targets": ["label"], "batch_size": 50, "shuffle": True, "seed": 7}
    return tt.LoaderDataset(dataset, **keywords, **how).map(flip)


def equal(one: dict[str, Any], other: dict[str, Any]) -> bool:
    tensors = ("image", "label", "noise")
    return one["id"].tolist() == other["id"].tolist() and all(torch.equal(one[name], other[name]) for name in tensors)


def test_arrays_of_numbers_are_tensors(digits: tfxio.Dataset) -> None:
    batch = next(iter(flipped(digits)))
    assert batch["image"].shape == (50, 8, 8) and batch["image"].dtype == torch.float32 and batch["noise"].dtype == torch.float64
    rows = {row["id"][0]: row for row in digits}
    for id, image, label in zip(batch["id"].reshape(-1), batch["image"], batch["label"]):
        assert image.flip(1).reshape(-1).tolist() == rows[id]["image"] and label.tolist() == rows[id]["label"]


@pytest.mark.parametrize("start", [None, "spawn"])
def test_all_workers_of_all_ranks_see_every_record_once(digits: tfxio.Dataset, start: str | None) -> None:
    ranks = [flipped(digits, rank=rank, world_size=2) for rank in range(2)]
    loaders = [DataLoader(rank, batch_size=None, num_workers=2, multiprocessing_context=start) for rank in ranks]
    ids = [id for loader in loaders for batch in loader for id in batch["id"].reshape(-1).tolist()]
    assert len(ids) == 1797 and len(set(ids)) == 1797


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("epoch", [0, 1])
def test_a_stateful_loader_goes_on_exactly(digits: tfxio.Dataset, workers: int, epoch: int) -> None:
    stateful = pytest.importorskip("torchdata.stateful_dataloader")

    def made() -> Any:
        return stateful.StatefulDataLoader(flipped(digits), batch_size=None, num_workers=workers)

    loader = made()
    for _ in range(epoch):
        assert sum(len(batch["label"]) for batch in loader) == 1797
    batches = iter(loader)
    for _ in range(5):
        next(batches)
    state = loader.state_dict()
    rest = list(batches)
    again = made()
    again.load_state_dict(state)
    following = list(again)
    assert len(rest) > 20 and len(following) == len(rest) and all(map(equal, following, rest))


def test_epochs_are_its_own(digits: tfxio.Dataset) -> None:
    plain = tt.LoaderDataset(digits, inputs=["image", "id"], targets=["label"], batch_size=50, shuffle=True, seed=7)
    plain.set_epoch(2)
    mapped = plain.map(flip)
    orders = [[id for batch in mapped for id in batch["id"].reshape(-1).tolist()] for _ in range(2)]
    assert (plain.epoch, mapped.epoch) == (2, 4) and orders[0] != orders[1]
    assert orders[0] == [id for batch in plain for id in batch["id"].reshape(-1).tolist()]


def test_what_is_no_function_of_batches_is_refused(digits: tfxio.Dataset) -> None:
    plain = tt.LoaderDataset(digits, inputs=["label"], batch_size=50)
    with pytest.raises(TypeError, match="map is a function of a batch, not str"):
        plain.map("flip")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="has a function already: call both in one"):
        plain.map(dict).map(dict)
    with pytest.raises(TypeError, match="what map returns is a dict of arrays by name, not ndarray"):
        next(iter(plain.map(lambda batch: batch["label"])))
