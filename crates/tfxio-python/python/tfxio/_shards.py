"""Batches for one of several processes, and the state from which they go on."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar

from tfxio import _threads
from tfxio._arguments import integer, pair
from tfxio._dataset import Dataset
from tfxio._lib import Partition, Request, TensorReader
from tfxio._representations import Description

if TYPE_CHECKING:
    from tfxio._lib import Tensor

Descriptions: TypeAlias = Mapping[str, Description] | Iterable[str] | None
Shard: TypeAlias = tuple[int, int]

FORMAT = "tfxio stream state"
PARTITION_BYTES = 16 << 20
SMALLEST_PARTITION_BYTES = 32 << 10
# Partitions differ in length: with several of them each, shards differ less.
PARTITIONS_PER_SHARD = 4

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")


class Source(Protocol[T_co]):
    """An iterator whose state can be saved."""

    def __iter__(self) -> Iterator[T_co]: ...
    def __next__(self) -> T_co: ...
    def state_dict(self) -> dict[str, Any]: ...
    def load_state_dict(self, state: Mapping[str, Any]) -> None: ...


class Converted(Iterator[T], Generic[T]):
    """What a source gives, converted one after the other. Its state is that of the source, and so is what another `for` gives."""

    def __init__(self, source: Source[Any], convert: Callable[[Any], T]) -> None:
        self._source = source
        self._convert = convert

    def __iter__(self) -> Iterator[T]:
        iter(self._source)
        return self

    def __next__(self) -> T:
        return self._convert(next(self._source))

    def state_dict(self) -> dict[str, Any]:
        """Returns the state after what came out last. It is plain JSON."""
        return self._source.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Goes on with exactly what came after a state."""
        self._source.load_state_dict(state)


def checked(shard: Shard) -> Shard:
    """Returns a shard that exists."""
    index, count = pair("shard", shard)
    if not 0 <= index < count:
        raise ValueError(f"shard {index} of {count}: the first is 0, the last {count - 1}")
    return shard


def plan(dataset: Dataset, shards: int) -> list[Partition]:
    """Returns partitions that give all shards work. Every process plans the same ones."""
    size = PARTITION_BYTES
    partitions = dataset.partitions(size)
    while 1 < shards > len(partitions) // PARTITIONS_PER_SHARD and size > SMALLEST_PARTITION_BYTES:
        size //= 2
        partitions = dataset.partitions(size)
    return list(partitions)


class ShardReader(Iterator["dict[str, Tensor]"]):
    """Tensors of every `count`-th partition of a data set, from the `index`-th on, in order.

    A batch does not span two partitions: the last one of each may have fewer rows.
    """

    def __init__(self, dataset: Dataset, tensors: Descriptions, *, batch_size: int, shard: Shard = (0, 1)) -> None:
        self._shard = checked(shard)
        self._tensors = dataset.tensors(tensors)
        self._request = Request(batch_size=integer("batch_size", batch_size, least=1), threads=_threads.asked(0))
        partitions = plan(dataset, shard[1])
        lines = "\n".join(f"{part.file} {part.start} {part.end}" for part in partitions)
        self._plan = hashlib.sha256(lines.encode()).hexdigest()[:16]
        self._partitions = partitions[shard[0] :: shard[1]]
        self._begin(0)

    def _begin(self, partition: int) -> None:
        self._partition = partition
        self._batches = 0
        self._reader: TensorReader | None = None

    def __iter__(self) -> Iterator[dict[str, Tensor]]:
        """Goes on after the batch that came out last; after the end, from the beginning."""
        if self._partition >= len(self._partitions):
            self._begin(0)
        return self

    def __next__(self) -> dict[str, Tensor]:
        while self._partition < len(self._partitions):
            if self._reader is None:
                self._reader = self._tensors.scan(self._partitions[self._partition], self._request)
            if (batch := next(self._reader, None)) is not None:
                self._batches += 1
                return batch
            self._begin(self._partition + 1)
        raise StopIteration

    def _identity(self) -> dict[str, Any]:
        shard = list(self._shard)
        return {"format": FORMAT, "version": 1, "shard": shard, "plan": self._plan, "batch_rows": self._request.batch_size}

    def state_dict(self) -> dict[str, Any]:
        """Returns the state after the batch that came out last."""
        return {**self._identity(), "partition": self._partition, "batches": self._batches}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Goes on with exactly the batches that came after a state."""
        for name, value in self._identity().items():
            if state.get(name) != value:
                raise ValueError(f"the state is of another stream: its {name} is {state.get(name)!r}, not {value!r}")
        self._begin(state["partition"])
        for _ in range(state["batches"]):
            if self._partition != state["partition"] or next(self, None) is None:
                raise ValueError(f"partition {state['partition']} has fewer than {state['batches']} batches: the files have changed")
