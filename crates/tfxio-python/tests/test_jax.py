"""Arrays of JAX: no copies, shards of processes, integers that fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfxio

jax = pytest.importorskip("jax")

import tfxio.jax as tj  # noqa: E402

DENSE = {"image": tfxio.FixedLen([8, 8], "float32"), "label": tfxio.FixedLen([], "int64")}


def flat(batches: Any) -> list[int]:
    return [label for batch in batches for label in batch["label"].reshape(-1).tolist()]


def test_dense_is_not_copied(digits: tfxio.Dataset) -> None:
    for batch in digits.tensors(DENSE).read(batch_size=32, limit=320):
        address = batch["image"].__array_interface__["data"][0]
        image = tj.to_jax(batch["image"])
        assert image.shape == (32, 8, 8)
        # JAX takes memory as it is if it begins at a multiple of 64 bytes.
        assert (image.unsafe_buffer_pointer() == address) == (address % 64 == 0)


def test_kinds(fixtures: Path) -> None:
    people = tfxio.open(fixtures / "tensors" / "people.tfrecord", schema=fixtures / "tensors" / "people.pbtxt")
    batch = next(tj.batches(people, ["name", "moves", "weights", "age"], batch_size=10))
    assert batch["name"].tolist() == [b"Ada", b"Grace", b"Edith"]
    moves = batch["moves"]
    assert [splits.tolist() for splits in moves.row_splits] == [[0, 2, 2, 4], [0, 2, 3, 3, 5]]
    assert moves.segment_ids.tolist() == [0, 0, 0, 2, 2]
    assert jax.ops.segment_sum(moves.values, moves.segment_ids, num_segments=3).tolist() == [24, 0, 8]
    assert batch["weights"].todense().shape == (3, 10)
    with pytest.raises(TypeError, match="tfxio.Ragged"):
        next(tj.batches(people, ["tags"], batch_size=10))


def test_ragged_crosses_compiled_functions(digits: tfxio.Dataset) -> None:
    batch = next(tj.batches(digits, {"image": tfxio.Ragged("float32")}, batch_size=16))

    @jax.jit
    def sums(image: tj.Ragged) -> Any:
        return jax.ops.segment_sum(image.values, image.segment_ids, num_segments=16)

    assert sums(batch["image"]).tolist() == [sum(row["image"]) for row in digits.head(16)]


def test_integers_fit_or_fail(tmp_path: Path) -> None:
    path = tmp_path / "large.tfrecord"
    with tfxio.TFRecordWriter(path) as writer:
        for value in (1, 2**40):
            writer.write(tfxio.Example({"value": value}).to_bytes())
    large = tfxio.open(path)
    assert next(tj.batches(large, {"value": tfxio.FixedLen([], "int64")}, batch_size=1))["value"].dtype == np.int32
    with pytest.raises(OverflowError, match="from 1 to 1099511627776 do not fit int32.*jax_enable_x64"):
        next(tj.batches(large, {"value": tfxio.FixedLen([], "int64")}, batch_size=2))
    jax.config.update("jax_enable_x64", True)
    try:
        batch = next(tj.batches(large, {"value": tfxio.FixedLen([], "int64")}, batch_size=2))
        assert batch["value"].tolist() == [1, 2**40]
    finally:
        jax.config.update("jax_enable_x64", False)


def test_processes_divide(digits: tfxio.Dataset) -> None:
    everything = sorted(row["label"][0] for row in digits)
    for count in (1, 2, 5):
        processes: list[dict[str, Any]] = [{"process_index": index, "process_count": count} for index in range(count)]
        streams = [tj.batches(digits, DENSE, batch_size=100, **process) for process in processes]
        assert sorted(sum(map(flat, streams), [])) == everything
        loaders = [tj.loader(digits, inputs=["label"], batch_size=100, shuffle=True, **process) for process in processes]
        assert sorted(sum(map(flat, loaders), [])) == everything
    with pytest.raises(ValueError, match="together"):
        tj.batches(digits, DENSE, batch_size=1, process_index=0)


def test_states(digits: tfxio.Dataset) -> None:
    for make in (
        lambda: tj.batches(digits, DENSE, batch_size=100),
        lambda: tj.loader(digits, inputs=["label"], batch_size=100, shuffle=True, seed=3),
    ):
        whole, first = flat(make()), make()
        begun = flat(next(first) for _ in range(7))
        again = make()
        again.load_state_dict(first.state_dict())
        assert begun + flat(again) == whole
