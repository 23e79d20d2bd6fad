"""Batches of a loader as global arrays of JAX over the devices of a sharding."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

import jax

from tfxio import _arguments
from tfxio._lib import DenseTensor, LoadedBatch
from tfxio._loader import BatchLoader

#: One sharding of all tensors, or one for each by its name.
Shardings: TypeAlias = jax.sharding.Sharding | Mapping[str, jax.sharding.Sharding]

WANTED = 'a jax.sharding.Sharding, as NamedSharding(mesh, PartitionSpec("data")), or a dict of them by the names of tensors'


class Rows(NamedTuple):
    """The rows of a global batch that this process has.

    Attributes:
        part: The number of its part.
        parts: The number of different parts. Processes that have the same rows share one.
        blocks: The number of blocks into which devices divide a part.
    """

    part: int
    parts: int
    blocks: int


def checked(sharding: Any) -> Shardings:
    """Returns what is given as `sharding`, if it is that."""
    if isinstance(sharding, Mapping):
        given = {_arguments.text("a name in sharding", name): of for name, of in sharding.items()}
        if given and all(isinstance(of, jax.sharding.Sharding) for of in given.values()):
            return given
    elif isinstance(sharding, jax.sharding.Sharding):
        return sharding
    raise _arguments.refused("sharding", WANTED, sharding)


def rows(shardings: Shardings) -> Rows:
    """Returns which rows this process has. All shardings say the same."""
    if not isinstance(shardings, Mapping):
        return _rows(shardings)
    found = {name: _rows(sharding) for name, sharding in shardings.items()}
    (first, of_first), *others = found.items()
    for name, of in others:
        if of != of_first:
            raise ValueError(f"sharding divides the rows of {first!r} and of {name!r} differently: give both the same first axis")
    return of_first


def _rows(sharding: jax.sharding.Sharding) -> Rows:
    # An axis of the mesh divides the number of its devices, so that an array of this size can be divided.
    size = len(sharding.device_set)
    dimensions = max(1, len(getattr(sharding, "spec", ())))
    found: dict[int, set[int]] = {}
    for device, index in sharding.devices_indices_map((size,) * dimensions).items():
        found.setdefault(device.process_index, set()).add(index[0].indices(size)[0])
    own = found.get(jax.process_index())
    if own is None:
        raise ValueError(f"sharding has no device of this process, which is number {jax.process_index()}: {sharding}")
    parts = sorted({tuple(sorted(blocks)) for blocks in found.values()})
    if len({block for part in parts for block in part}) != sum(map(len, parts)) or len(set(map(len, parts))) > 1:
        raise ValueError(
            "sharding gives processes rows that overlap in part, and each loads whole batches: order the devices of the mesh by process"
        )
    return Rows(parts.index(tuple(sorted(own))), len(parts), len(own))


class Global:
    """Makes a batch of this process a part of global arrays."""

    def __init__(
        self, loader: BatchLoader, shardings: Shardings, own: Rows, local: Callable[[DenseTensor], Any]
    ) -> None:
        self._shardings = shardings
        self._rows = own
        self._local = local
        _check_tensors(loader.specs, shardings, own)
        config = loader.config()
        varies = [key for key in ("bucket_by_length", "max_tokens") if config.get(key) is not None]
        if own.parts > 1:
            _check_processes(config, varies)
        size = loader.plan().batch_size
        if not varies and size % own.blocks:
            raise ValueError(
                f"batch_size is {size}, the rows of each process, and sharding divides these into {own.blocks} blocks: "
                f"give a multiple of {own.blocks}"
            )

    def __call__(self, batch: LoadedBatch) -> dict[str, jax.Array]:
        """Returns the global arrays of a batch, by name."""
        if batch.num_rows % self._rows.blocks:
            raise ValueError(
                f"a batch has {batch.num_rows} rows, and sharding divides them into {self._rows.blocks} blocks: "
                "drop_remainder=True leaves the last batch out, if it is smaller"
            )
        return {name: self._array(name, self._local(batch[name])) for name in batch.keys()}

    def _array(self, name: str, local: Any) -> jax.Array:
        shape = (len(local) * self._rows.parts, *local.shape[1:])
        try:
            return jax.make_array_from_process_local_data(_of(self._shardings, name), local, shape)
        except ValueError as error:
            raise ValueError(f"tensor {name!r} of shape {shape} has no such sharding: {error}") from error


def _of(shardings: Shardings, name: str) -> jax.sharding.Sharding:
    return shardings[name] if isinstance(shardings, Mapping) else shardings


def _check_tensors(specs: Mapping[str, Mapping[str, Any]], shardings: Shardings, own: Rows) -> None:
    """Refuses tensors that cannot be global arrays."""
    if isinstance(shardings, Mapping) and (differ := specs.keys() ^ shardings.keys()):
        raise ValueError(f"sharding is a dict of all tensors, which are {_listed(specs)}; it differs in {_listed(sorted(differ))}")
    for name, spec in specs.items():
        if spec["dtype"] == "string":
            raise TypeError(f"tensor {name!r} has strings, which no device holds: leave it out of inputs and targets, or give no sharding")
        axes, shape = len(getattr(_of(shardings, name), "spec", ())), spec["shape"]
        if axes > len(shape):
            raise ValueError(
                f"sharding has {axes} axes, and tensor {name!r} has {len(shape)}: give a dict of shardings by the names of tensors"
            )
        if own.parts > 1 and None in shape[1:]:
            raise ValueError(
                f"tensor {name!r} may have another size in each process, and together they are one array: "
                f'give its size, as pad={{"{name}": …}}'
            )


def _check_processes(config: Mapping[str, Any], varies: list[str]) -> None:
    """Refuses batches of which processes may have different numbers or sizes: one would wait for the others without end."""
    if varies:
        raise ValueError(f"{' and '.join(varies)} makes batches of other sizes in each process, and together they are one array")
    if config.get("epochs", 1) is not None and not config.get("even"):
        raise ValueError(
            "processes may get different numbers of batches, and one that has more waits for the others without end: "
            'give even="drop", even="repeat" or epochs=None'
        )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names))
