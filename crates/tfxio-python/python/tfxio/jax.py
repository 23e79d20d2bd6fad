"""Batches as arrays of JAX. On the CPU they are the memory of the batches, where it is aligned for JAX.

`batches` gives dense, ragged and sparse ones in order, `loader` shuffled and padded ones. Each process of a computation over several
hosts loads a part of its own; with a `sharding`, these parts together are global arrays.

>>> import numpy as np, tempfile, tfxio.jax
>>> written = tfxio.write({"image": np.ones((100, 64), "float32"), "label": np.arange(100) % 10}, tempfile.mkdtemp() + "/digits.tfrecord")
>>> ds = tfxio.open(written.files)
>>> batch = next(tfxio.jax.loader(ds, inputs=["image"], targets=["label"], batch_size=32, shuffle=True, seed=7))
>>> batch["image"].shape, str(batch["label"].dtype)
((32, 64), 'int32')
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Unpack

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import sparse

from tfxio import _jax_mesh
from tfxio._dataset import Dataset
from tfxio._lib import DenseTensor, LoadedBatch, RaggedTensor, SparseTensor, StructuredTensor
from tfxio._loader import BatchLoader
from tfxio._loader_config import Config
from tfxio._loader_keywords import LoaderKeywords
from tfxio._shards import Converted, Descriptions, Shard, ShardReader, checked

__all__ = ["Ragged", "batches", "loader", "to_jax"]

NARROW = {"int64": np.int32, "uint64": np.uint32}


class Ragged(NamedTuple):
    """A ragged tensor. JAX adds up its rows by `jax.ops.segment_sum(values, segment_ids, num_segments=rows)`.

    Args:
        values: The values of all rows, one after the other.
        row_splits: Where each row begins and the last one ends, for each ragged dimension, the outermost first.
        segment_ids: The row of the batch to which each value belongs: int32.
    """

    values: Any
    row_splits: list[jax.Array]
    segment_ids: jax.Array


def to_jax(value: Any) -> Any:
    """Returns a tensor, or all of a batch by name, as JAX has them.

    Dense ones become arrays, sparse ones `jax.experimental.sparse.BCOO`, ragged ones `Ragged`. JAX has no strings: they stay arrays of
    numpy. Unless `jax_enable_x64` is set, integers of 64 bits become those of 32 bits, and a value that does not fit is an error;
    floats of 64 bits are rounded to 32.

    >>> import tempfile, tfxio.jax
    >>> written = tfxio.write({"words": [[3, 1], [], [2]]}, tempfile.mkdtemp() + "/texts.tfrecord")
    >>> batch = next(tfxio.open(written.files).tensors({"words": tfxio.Ragged("int64")}).read())
    >>> words = tfxio.jax.to_jax(batch)["words"]
    >>> words.row_splits[0].tolist(), words.segment_ids.tolist()
    ([0, 2, 2, 3], [0, 0, 2])
    """
    if isinstance(value, (Mapping, LoadedBatch)):
        return {name: to_jax(value[name]) for name in value.keys()}
    if isinstance(value, DenseTensor):
        return value.numpy() if value.dtype == "string" else _dense(value)
    if isinstance(value, RaggedTensor):
        return _ragged(value)
    if isinstance(value, SparseTensor):
        if value.dtype == "string":
            raise TypeError("JAX has no sparse tensors of strings: describe it as tfxio.Ragged")
        return sparse.BCOO((_dense(value.values), _dense(value.indices)), shape=value.dense_shape)
    if isinstance(value, StructuredTensor):
        raise TypeError("JAX has no tensors of structs: describe the fields as tensors of their own")
    raise TypeError(f"a tensor of tfxio or a batch of them, not {type(value).__name__}")


class _Unversioned:
    """A tensor as JAX asks for it: without a version of DLPack. JAX does not write to arrays."""

    def __init__(self, tensor: DenseTensor) -> None:
        self._tensor = tensor

    def __dlpack__(self, **_asked: Any) -> Any:
        return self._tensor._dlpack_unversioned()

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._tensor.__dlpack_device__()


def _dense(tensor: DenseTensor) -> jax.Array:
    return jnp.asarray(_narrow(tensor)) if _is_narrowed(tensor) else jnp.from_dlpack(_Unversioned(tensor))


def _local(tensor: DenseTensor) -> Any:
    """Returns an array of numpy, of a type that JAX has, which no device has yet."""
    if _is_narrowed(tensor):
        return _narrow(tensor)
    return np.asarray(_dense(tensor)) if tensor.dtype == "bfloat16" else tensor.numpy()


def _is_narrowed(tensor: DenseTensor) -> bool:
    return not jax.config.jax_enable_x64 and tensor.dtype in (*NARROW, "float64")


def _narrow(tensor: DenseTensor) -> np.ndarray[Any, Any]:
    values = tensor.numpy()
    narrow = values.astype(NARROW.get(tensor.dtype, np.float32))
    if tensor.dtype in NARROW and not np.array_equal(narrow, values):
        least, most = int(values.min()), int(values.max())
        what = f"values from {least} to {most} do not fit {narrow.dtype}"
        raise OverflowError(f'{what}: keep 64 bits by jax.config.update("jax_enable_x64", True)')
    return narrow


def _ragged(tensor: RaggedTensor) -> Ragged:
    splits = [level.numpy() for level in tensor.row_splits]
    rows = splits[0]
    for level in splits[1:]:
        rows = level[rows]
    segments = np.repeat(np.arange(len(rows) - 1, dtype=np.int32), np.diff(rows))
    return Ragged(to_jax(tensor.values), [_dense(level) for level in tensor.row_splits], jnp.asarray(segments))


def _shard(process_index: int | None, process_count: int | None) -> Shard:
    if (process_index is None) != (process_count is None):
        raise ValueError("process_index and process_count are given together, or neither")
    if process_index is not None and process_count is not None:
        return checked((process_index, process_count))
    return jax.process_index(), jax.process_count()


def batches(
    dataset: Dataset,
    tensors: Descriptions = None,
    *,
    batch_size: int,
    process_index: int | None = None,
    process_count: int | None = None,
) -> Converted[dict[str, Any]]:
    """Reads the part of this process in order, as batches of arrays by name. `state_dict` and `load_state_dict` save the position.

    A batch does not span two partitions of the data: the last one of each may have fewer rows.

    Args:
        dataset: What is read.
        tensors: The description of each tensor by its name, as `Dataset.tensors` has them.
        batch_size: Rows a batch.
        process_index: Which process this is. Default: that of JAX.
        process_count: How many there are. Default: those of JAX.

    >>> import numpy as np, tempfile, tfxio.jax
    >>> written = tfxio.write({"image": np.ones((100, 64), "float32"), "label": np.arange(100) % 10}, tempfile.mkdtemp() + "/digits.tfrecord")
    >>> ds = tfxio.open(written.files)
    >>> batch = next(tfxio.jax.batches(ds, {"image": tfxio.FixedLen([8, 8], "float32")}, batch_size=16))
    >>> batch["image"].shape
    (16, 8, 8)
    """
    shard = _shard(process_index, process_count)
    return Converted(ShardReader(dataset, tensors, batch_size=batch_size, shard=shard), to_jax)


def loader(
    dataset: Dataset | Sequence[tuple[Dataset, float]] | None = None,
    config: Config | None = None,
    *,
    seed: int = 0,
    process_index: int | None = None,
    process_count: int | None = None,
    sharding: jax.sharding.Sharding | Mapping[str, jax.sharding.Sharding] | None = None,
    **how: Unpack[LoaderKeywords],
) -> Converted[dict[str, Any]]:
    """Loads shuffled, padded batches of the part of this process, as arrays by name.

    A compiled function is compiled anew for batches of another shape: `drop_remainder=True` and `pad` make all the same.

    With a `sharding`, batches are global arrays. Each process loads the rows of its devices, processes whose devices have the same rows
    load the same ones, and an array has the rows of all together. Those of each batch divide among the devices: the last one, which may be
    smaller, too, or `drop_remainder=True` leaves it out. More than one process needs `even` (or `epochs=None`), and tensors of known sizes
    (`pad`).

    Args:
        dataset: What is loaded, as `tfxio.BatchLoader` has it.
        config: How batches are made, as `tfxio.BatchLoader` has it.
        seed: The seed, the same for all processes.
        process_index: Which process this is. Default: that of JAX, or the part of the rows that its devices have by `sharding`.
        process_count: How many there are. Default: those of JAX, or the parts of `sharding`.
        sharding: How batches are divided among devices, along the first axis: `NamedSharding(mesh, PartitionSpec("data"))`, or a dict of
            the sharding of each tensor by its name.
        **how: Further arguments of `tfxio.BatchLoader`: `inputs`, `targets`, `batch_size` (rows of each process), `shuffle`, ….

    Raises:
        ValueError: The rows do not divide among the devices, or processes may differ in the number or the sizes of their batches.
        TypeError: `sharding` is something else, or a tensor has strings.

    >>> import jax, numpy as np, tempfile, tfxio.jax
    >>> from jax.sharding import Mesh, NamedSharding, PartitionSpec
    >>> rows = NamedSharding(Mesh(jax.devices(), ("data",)), PartitionSpec("data"))
    >>> written = tfxio.write({"image": np.ones((100, 64), "float32")}, tempfile.mkdtemp() + "/digits.tfrecord")
    >>> batch = next(tfxio.jax.loader(tfxio.open(written.files), inputs=["image"], batch_size=32, drop_remainder=True, sharding=rows))
    >>> batch["image"].shape, batch["image"].sharding == rows
    ((32, 64), True)
    """
    if sharding is None:
        shard = _shard(process_index, process_count)
        return Converted(BatchLoader(config, dataset, seed=seed, shard=shard, **how), to_jax)
    if process_index is not None or process_count is not None:
        raise ValueError("process_index and process_count are not given beside sharding: they follow from it")
    shardings = _jax_mesh.checked(sharding)
    rows = _jax_mesh.rows(shardings)
    batches = BatchLoader(config, dataset, seed=seed, shard=(rows.part, rows.parts), **how)
    try:
        return Converted(batches, _jax_mesh.Global(batches, shardings, rows, _local))
    except BaseException:
        batches.close()
        raise
