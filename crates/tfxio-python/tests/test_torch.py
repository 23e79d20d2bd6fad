"""The data sets of torch: every record once over all workers and ranks, exact states, no copies."""

from __future__ import annotations

import pickle
import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfxio

torch = pytest.importorskip("torch")

import tfxio.torch as tt  # noqa: E402
from torch.utils.data import BatchSampler, DataLoader, RandomSampler  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")

DENSE = {"image": tfxio.FixedLen([8, 8], "float32"), "label": tfxio.FixedLen([], "int64")}


def labels(batches: Any) -> list[list[int]]:
    return [batch["label"].reshape(-1).tolist() for batch in batches]


def flat(batches: Any) -> list[int]:
    return sum(labels(batches), [])


def truth(dataset: tfxio.Dataset) -> list[int]:
    return [row["label"][0] for row in dataset]


def shuffled(dataset: tfxio.Dataset, **how: Any) -> tt.LoaderDataset:
    keywords: dict[str, Any] = {"inputs": ["image"], "targets": ["label"], "batch_size": 50, "shuffle": True, "seed": 7} | how
    return tt.LoaderDataset(dataset, **keywords)


def streamed(dataset: tfxio.Dataset, **how: Any) -> tt.IterableDataset:
    return tt.IterableDataset(dataset, DENSE, batch_size=50, **how)


@pytest.mark.parametrize("workers", [0, 1, 3])
@pytest.mark.parametrize("make", [shuffled, streamed])
def test_all_workers_of_all_ranks_see_every_record_once(digits: tfxio.Dataset, make: Any, workers: int) -> None:
    ids = {"id": tfxio.FixedLen([], "string"), "label": tfxio.FixedLen([], "int64")}
    found: list[bytes] = []
    for rank in range(2):
        where = {"rank": rank, "world_size": 2}
        dataset = shuffled(digits, inputs=["id"], **where) if make is shuffled else tt.IterableDataset(digits, ids, batch_size=50, **where)
        for batch in DataLoader(dataset, batch_size=None, num_workers=workers):
            found += batch["id"].reshape(-1).tolist()
    assert len(found) == 1797
    assert sorted(found) == sorted(row["id"][0] for row in digits)


@pytest.mark.parametrize("make", [shuffled, streamed])
def test_workers_that_are_spawned(digits: tfxio.Dataset, make: Any) -> None:
    loader = DataLoader(make(digits), batch_size=None, num_workers=2, multiprocessing_context="spawn")
    assert sorted(flat(loader)) == sorted(truth(digits))


def test_more_shards_than_files(digits: tfxio.Dataset) -> None:
    parts = [flat(streamed(digits, rank=rank, world_size=11)) for rank in range(11)]
    assert sorted(sum(parts, [])) == sorted(truth(digits))
    assert all(parts)


def test_epochs_have_orders_of_their_own(digits: tfxio.Dataset) -> None:
    dataset = shuffled(digits)
    first = flat(dataset)
    assert first == [int(label) for batch in digits.loader(**HOW) for label in batch["label"].numpy().reshape(-1)]
    assert dataset.epoch == 1
    following = flat(dataset)
    assert following != first and sorted(following) == sorted(first)
    dataset.set_epoch(1)
    assert flat(dataset) == following == flat_of_epoch(digits, 1)
    dataset.set_epoch(1)
    # Workers that stay for the next epoch are told.
    loader = DataLoader(dataset, batch_size=None, num_workers=1, persistent_workers=True)
    second = flat(loader)
    dataset.set_epoch(0)
    assert (second, flat(loader)) == (flat_of_epoch(digits, 1), first)


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("workers", [0, 1, 3])
def test_each_pass_of_a_data_loader_is_the_next_epoch(digits: tfxio.Dataset, workers: int, persistent: bool) -> None:
    dataset = shuffled(digits)
    loader = DataLoader(dataset, batch_size=None, num_workers=workers, persistent_workers=persistent and workers > 0)
    passes = [flat(loader) for _ in range(4)]
    alike = [flat(DataLoader(at_epoch(digits, epoch), batch_size=None, num_workers=workers)) for epoch in range(4)]
    assert passes == alike
    assert len({tuple(one) for one in passes}) == 4
    assert all(sorted(one) == sorted(truth(digits)) for one in passes)
    assert dataset.epoch == 4
    # Another loader, with another number of workers, goes on; what is set comes next.
    assert sorted(flat(DataLoader(dataset, batch_size=None, num_workers=2))) == sorted(truth(digits))
    assert dataset.epoch == 5
    dataset.set_epoch(2)
    assert flat(loader) == passes[2]


def test_a_state_says_its_epoch(digits: tfxio.Dataset) -> None:
    dataset = at_epoch(digits, 3)
    batches = iter(dataset)
    head = [next(batches) for _ in range(5)]
    state = batches.state_dict()
    rest = flat(batches)
    other = shuffled(digits)
    restored: Any = iter(other)
    restored.load_state_dict(state)
    assert flat(restored) == rest and len(head) == 5
    assert other.epoch == 4
    assert flat(other) == flat_of_epoch(digits, 4)


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("make", [shuffled, streamed])
def test_batches_of_batches_are_warned_of(digits: tfxio.Dataset, make: Any) -> None:
    with pytest.warns(tfxio.RebatchedWarning, match="batch_size=None"):
        next(iter(DataLoader(make(digits), batch_size=2)))
    with warnings.catch_warnings():
        warnings.simplefilter("error", tfxio.RebatchedWarning)
        next(iter(DataLoader(make(digits), batch_size=None)))


def at_epoch(dataset: tfxio.Dataset, epoch: int) -> Any:
    own = shuffled(dataset)
    own.set_epoch(epoch)
    return own


HOW: dict[str, Any] = {"inputs": ["image"], "targets": ["label"], "batch_size": 50, "shuffle": True, "seed": 7}


def flat_of_epoch(dataset: tfxio.Dataset, epoch: int) -> list[int]:
    own = shuffled(dataset)
    own.set_epoch(epoch)
    return flat(own)


def test_ranks_are_checked(digits: tfxio.Dataset) -> None:
    with pytest.raises(ValueError, match="shard 2 of 2"):
        shuffled(digits, rank=2, world_size=2)
    with pytest.raises(ValueError, match="together"):
        streamed(digits, rank=1)
    with pytest.raises(TypeError, match="shard is not given"):
        shuffled(digits, shard=(0, 2))
    with pytest.raises(KeyError, match="imag"):
        shuffled(digits, inputs=["imag"])


def test_ranks_of_torch_distributed(digits: tfxio.Dataset, tmp_path: Path) -> None:
    import torch.distributed as dist

    dist.init_process_group("gloo", init_method=f"file://{tmp_path / 'meet'}", rank=0, world_size=1)
    try:
        dataset = streamed(digits)
        assert dataset.shard == (0, 1)
    finally:
        dist.destroy_process_group()
    assert pickle.loads(pickle.dumps(streamed(digits, rank=1, world_size=3))).shard == (1, 3)


def test_names_may_be_an_iterator(digits: tfxio.Dataset) -> None:
    dataset = tt.LoaderDataset(digits, inputs=map(str, ["label"]), batch_size=600)
    for _ in range(2):
        assert [list(batch) for batch in dataset] == [["label"]] * 3


def test_an_iterator_goes_on_with_the_next_epoch(digits: tfxio.Dataset) -> None:
    batches = iter(tt.LoaderDataset(digits, inputs=["label"], batch_size=600))
    assert [len(batch["label"]) for batch in batches] == [600, 600, 597]
    state = batches.state_dict()  # type: ignore[attr-defined]
    assert [len(batch["label"]) for batch in batches] == [600, 600, 597]
    again = iter(tt.LoaderDataset(digits, inputs=["label"], batch_size=600))
    again.load_state_dict(state)  # type: ignore[attr-defined]
    assert next(again, None) is None, "a worker that is restored at its end has ended"


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("make", [shuffled, streamed])
@pytest.mark.parametrize("taken", [1, 7, 20])
def test_a_stateful_loader_goes_on_exactly(digits: tfxio.Dataset, make: Any, workers: int, taken: int) -> None:
    stateful = pytest.importorskip("torchdata.stateful_dataloader")

    def loader() -> Any:
        return stateful.StatefulDataLoader(make(digits), batch_size=None, num_workers=workers)

    whole = labels(loader())
    first = loader()
    batches = iter(first)
    assert labels(next(batches) for _ in range(taken)) == whole[:taken]
    state = pickle.loads(pickle.dumps(first.state_dict()))
    again = loader()
    again.load_state_dict(state)
    assert labels(again) == whole[taken:]
    # The epoch after it is whole, and the next one where each has an order of its own.
    following = at_epoch(digits, 1) if make is shuffled else make(digits)
    assert labels(again) == labels(stateful.StatefulDataLoader(following, batch_size=None, num_workers=workers))


def test_a_state_of_another_stream_is_refused(digits: tfxio.Dataset) -> None:
    batches = iter(streamed(digits))
    next(batches)
    state = batches.state_dict()  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="its shard is"):
        iter(streamed(digits, rank=0, world_size=2)).load_state_dict(state)  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="its plan is"):
        iter(streamed(digits)).load_state_dict({**state, "plan": ""})  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="files have changed"):
        iter(streamed(digits)).load_state_dict({**state, "batches": 10_000})  # type: ignore[attr-defined]


def address(tensor: Any) -> int:
    found: int = tensor.__array_interface__["data"][0]
    return found


def test_nothing_is_copied(digits: tfxio.Dataset) -> None:
    kinds = {**DENSE, "ragged": tfxio.Ragged("float32", key="image"), "sparse": tfxio.VarLen("float32", key="image")}
    batch = next(digits.tensors(kinds).read(batch_size=32))
    found = tt.to_torch(batch)
    assert found["image"].data_ptr() == address(batch["image"])
    assert found["image"].shape == (32, 8, 8)
    ragged = found["ragged"]
    assert (ragged.layout, ragged.values().data_ptr()) == (torch.jagged, address(batch["ragged"].values))
    assert ragged.offsets().data_ptr() == address(batch["ragged"].row_splits[0])
    sparse = found["sparse"]
    assert (sparse.layout, tuple(sparse.shape)) == (torch.sparse_coo, (32, 64))
    assert sparse._values().data_ptr() == address(batch["sparse"].values)
    assert sparse._indices().data_ptr() == address(batch["sparse"].indices)
    assert torch.equal(sparse.to_dense(), found["image"].reshape(32, 64))
    assert torch.equal(torch.stack(ragged.unbind()), found["image"].reshape(32, 64))


def test_what_torch_cannot_hold(fixtures: Path) -> None:
    people = tfxio.open(fixtures / "tensors" / "people.tfrecord", schema=fixtures / "tensors" / "people.pbtxt")
    batch = next(iter(tt.IterableDataset(people, batch_size=10)))
    assert batch["name"].tolist() == [b"Ada", b"Grace", b"Edith"]
    tags, moves = batch["tags"], batch["moves"]
    assert isinstance(tags, tt.Sparse) and tags.values.tolist() == [b"engine", b"notes", b"loops"]
    assert isinstance(moves, tt.Ragged) and [splits.tolist() for splits in moves.row_splits] == [[0, 2, 2, 4], [0, 2, 3, 3, 5]]
    assert batch["weights"].layout == torch.sparse_coo
    with pytest.raises(TypeError, match="a tensor of tfxio"):
        tt.to_torch(3)


def test_rows_by_number(digits: tfxio.Dataset) -> None:
    kinds = {**DENSE, "ragged": tfxio.Ragged("float32", key="image"), "sparse": tfxio.VarLen("float32", key="image")}
    rows = tt.MapDataset(digits, kinds)
    everything = truth(digits)
    assert [int(rows[at]["label"]) for at in (0, 700, -1)] == [everything[at] for at in (0, 700, -1)]
    numbers = [1796, 3, 600, 3, 599, 0]
    batch = rows[numbers]
    assert batch["label"].tolist() == [everything[at] for at in numbers]
    assert rows[torch.tensor(numbers)]["label"].tolist() == batch["label"].tolist()
    assert torch.equal(torch.stack(batch["ragged"].unbind()), batch["image"].reshape(-1, 64))
    assert torch.equal(batch["sparse"].to_dense(), batch["image"].reshape(-1, 64))
    assert rows[3]["image"].shape == (8, 8) and rows[3]["ragged"].shape == (64,)
    for outside in (1797, -1798):
        with pytest.raises(IndexError, match="1797 rows"):
            rows[outside]


def test_samplers(digits: tfxio.Dataset) -> None:
    rows = tt.MapDataset(digits, {"label": tfxio.FixedLen([], "int64")})
    torch.manual_seed(1)
    for loader in (
        DataLoader(rows, batch_size=256, shuffle=True, num_workers=2),
        DataLoader(rows, batch_size=None, sampler=BatchSampler(RandomSampler(rows), 256, drop_last=False)),
    ):
        found = flat(loader)
        assert found != truth(digits) and sorted(found) == sorted(truth(digits))
    assert pickle.loads(pickle.dumps(rows))[5]["label"] == rows[5]["label"]


def test_a_row_of_strings(digits: tfxio.Dataset) -> None:
    rows = tt.MapDataset(digits, {"id": tfxio.FixedLen([], "string")})
    assert rows[1]["id"] == b"digit-0001"
    assert rows[[1, 2]]["id"].tolist() == [b"digit-0001", b"digit-0002"]


def test_batches_outlive_their_source(digits: tfxio.Dataset) -> None:
    batches = list(streamed(digits))
    first = next(iter(streamed(digits)))["image"]
    assert torch.equal(batches[0]["image"], first)
    assert threading.active_count() < 50
    assert np.isclose(float(sum(batch["image"].sum() for batch in batches)), sum(sum(row["image"]) for row in digits))
