"""Batches over four devices, which `test_jax_mesh.py` runs in a process that has them."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest
from jax.sharding import Mesh, NamedSharding, PartitionSpec

import tfxio
import tfxio.jax as tj

PAIRS = Mesh(np.array(jax.devices()).reshape(2, 2), ("data", "model"))
ROWS = NamedSharding(PAIRS, PartitionSpec(("data", "model")))
HOW: dict[str, Any] = {"inputs": ["image"], "targets": ["label"], "shuffle": True, "seed": 3}


def sharded(*axes: Any) -> NamedSharding:
    return NamedSharding(PAIRS, PartitionSpec(*axes))


def test_rows_lie_on_their_devices_in_order(digits: tfxio.Dataset) -> None:
    plain = tj.loader(digits, batch_size=32, drop_remainder=True, **HOW)
    batches = list(tj.loader(digits, batch_size=32, drop_remainder=True, sharding=ROWS, **HOW))
    assert len(batches) == 56
    for batch, here in zip(batches, plain, strict=True):
        assert batch.keys() == here.keys()
        for name, array in batch.items():
            assert array.sharding == ROWS and array.dtype == here[name].dtype
            assert len(array.addressable_shards) == 4
            for shard in array.addressable_shards:
                assert shard.data.shape == (8, *here[name].shape[1:])
                assert np.array_equal(shard.data, here[name][shard.index])


def test_compiled_functions_take_them(digits: tfxio.Dataset) -> None:
    batch = next(tj.loader(digits, batch_size=32, sharding=sharded("data"), **HOW))
    sums = jax.jit(lambda image: image.sum(axis=1))(batch["image"])
    assert sums.sharding.shard_shape(sums.shape) == (16,)
    assert np.array_equal(sums, np.asarray(batch["image"]).sum(axis=1))


AXES: list[Any] = [((), (30, 64)), (("data",), (15, 64)), ((None, "model"), (30, 32)), (("data", "model"), (15, 32))]


@pytest.mark.parametrize(("axes", "shape"), AXES)
def test_each_axis_of_a_mesh(digits: tfxio.Dataset, axes: Any, shape: tuple[int, ...]) -> None:
    shardings = {"image": sharded(*axes), "label": sharded(*axes[:1])}
    batch = next(tj.loader(digits, batch_size=30, sharding=shardings, **HOW))
    assert {shard.data.shape for shard in batch["image"].addressable_shards} == {shape}
    assert batch["image"].sharding == shardings["image"] and batch["label"].sharding == shardings["label"]
    here = next(tj.loader(digits, batch_size=30, **HOW))
    assert np.array_equal(batch["image"], here["image"])


def test_a_last_batch_divides_or_is_left_out(digits: tfxio.Dataset) -> None:
    batches = tj.loader(digits, batch_size=32, sharding=ROWS, **HOW)
    for _ in range(56):
        next(batches)
    with pytest.raises(ValueError, match="a batch has 5 rows, and sharding divides them into 4 blocks: drop_remainder=True"):
        next(batches)
    nines = tj.loader(digits, batch_size=32, sharding=ROWS, inputs=["image"], filter="label = 9")
    assert [len(batch["image"]) for batch in nines] == [32] * 5 + [20]


def test_a_state_goes_on(digits: tfxio.Dataset) -> None:
    def loader() -> Any:
        return tj.loader(digits, batch_size=32, drop_remainder=True, sharding=ROWS, **HOW)

    whole, first, again = list(loader()), loader(), loader()
    for _ in range(7):
        next(first)
    again.load_state_dict(first.state_dict())
    rest = list(again)
    assert len(rest) == 49
    assert all(np.array_equal(one["image"], other["image"]) for one, other in zip(rest, whole[7:], strict=True))


def test_numbers_are_those_that_jax_has(digits: tfxio.Dataset) -> None:
    how: dict[str, Any] = {"inputs": ["image"], "constants": {"big": {"shape": [2], "dtype": "int64", "value": 2**40}}, "batch_size": 4}
    halves = {"half": {"shape": [2], "dtype": "bfloat16", "value": 1.5}}
    batch = next(tj.loader(digits, **{**how, "targets": ["half"], "constants": halves}, sharding=ROWS))
    assert batch["half"].dtype == jax.numpy.bfloat16 and batch["half"].tolist() == [[1.5, 1.5]] * 4
    with pytest.raises(OverflowError, match="do not fit int32"):
        next(tj.loader(digits, **how, targets=["big"], sharding=ROWS))


@pytest.mark.parametrize(
    ("how", "error", "what"),
    [
        ({"batch_size": 30}, ValueError, "batch_size is 30, .* into 4 blocks: give a multiple of 4"),
        ({"inputs": ["id"]}, TypeError, "tensor 'id' has strings.*leave it out of inputs"),
        ({"sharding": PAIRS}, TypeError, "sharding is a jax.sharding.Sharding, as NamedSharding"),
        ({"sharding": {"image": ROWS}}, ValueError, "which are 'image', 'label'; it differs in 'label'"),
        ({"sharding": {"image": ROWS, "label": sharded("data")}}, ValueError, "rows of 'image' and of 'label' differently"),
        ({"sharding": sharded("data", None, "model")}, ValueError, "has 3 axes, and tensor 'image' has 2.*dict of shardings"),
        ({"process_index": 0, "process_count": 1}, ValueError, "not given beside sharding"),
    ],
)
def test_what_cannot_be_divided_is_said_at_once(digits: tfxio.Dataset, how: dict[str, Any], error: type[Exception], what: str) -> None:
    with pytest.raises(error, match=what):
        tj.loader(digits, **{**HOW, "batch_size": 32, "sharding": ROWS, **how})


def test_a_tensor_whose_size_does_not_divide_is_named(digits: tfxio.Dataset) -> None:
    batches = tj.loader(digits, inputs=["label"], batch_size=32, sharding=sharded("data", "model"))
    with pytest.raises(ValueError, match=r"tensor 'label' of shape \(32, 1\) has no such sharding"):
        next(batches)
