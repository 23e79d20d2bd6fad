"""Data sets written in Python that the stress program reads: nested ones, ones that fail, and ones that read from their own reader."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa

import tfxio

#: Rows of a partition.
ROWS = 100
#: Seconds after which what has not ended is taken to hang.
PATIENCE = 30


class Numbers(tfxio.Dataset):
    """Numbers and their squares, as batches of a generator. `hook` is called before each batch, with its first number."""

    schema = pa.schema({"n": pa.int64(), "square": pa.int64()})

    def __init__(self, parts: int = 5, batch: int = 7, hook: Callable[[int], object] | None = None) -> None:
        self.parts, self.batch, self.hook = parts, batch, hook

    @property
    def rows(self) -> int:
        return self.parts * ROWS

    def partitions(self, target_bytes: int = 64 << 20) -> list[tfxio.Partition]:
        return [tfxio.Partition(f"part-{at}", first_record=0, records=ROWS) for at in range(self.parts)]

    def scan(self, partition: tfxio.Partition, request: tfxio.Request | None = None) -> Iterator[Any]:
        first = ROWS * int(partition.file[5:])
        for start in range(first, first + ROWS, self.batch):
            if self.hook is not None:
                self.hook(start)
            yield self.made(range(start, min(start + self.batch, first + ROWS)))

    def made(self, numbers: range) -> Any:
        return pa.record_batch({"n": list(numbers), "square": [n * n for n in numbers]}, self.schema)


class Tables(Numbers):
    """The same as tables of several chunks."""

    def made(self, numbers: range) -> Any:
        return pa.Table.from_batches([super().made(numbers), super().made(range(0))], self.schema)


class Nested(Numbers):
    """The same, read from another data set written in Python, a reader for each partition."""

    def __init__(self, inner: Numbers, threads: int = 1) -> None:
        super().__init__(inner.parts)
        self.inner, self.threads = inner, threads

    def scan(self, partition: tfxio.Partition, request: tfxio.Request | None = None) -> Iterator[Any]:
        first = ROWS * int(partition.file[5:])
        yield from self.inner.read(filter=f"n >= {first} and n < {first + ROWS}", threads=self.threads)


class Loaded(Nested):
    """The same, from the batches of a loader over another data set."""

    def scan(self, partition: tfxio.Partition, request: tfxio.Request | None = None) -> Iterator[Any]:
        first = ROWS * int(partition.file[5:])
        filter = f"n >= {first} and n < {first + ROWS}"
        with self.inner.loader(inputs=["n", "square"], batch_size=9, filter=filter, threads=self.threads) as loader:
            for batch in loader:
                columns = {name: pa.array(batch[name].numpy().ravel()) for name in ("n", "square")}
                yield pa.record_batch(columns, self.schema)


def some_dataset(draw: random.Random) -> Numbers:
    """Returns a small data set of any kind."""
    parts = draw.randint(1, 4)
    leaf = draw.choice([Numbers, Tables])(parts, draw.choice([1, 7, 100]))
    nest = draw.choice([None, Nested, Loaded])
    return leaf if nest is None else nest(leaf, draw.choice([1, 2]))


class Unspeakable(Exception):
    """An exception that has no text."""

    def __str__(self) -> str:
        raise ValueError("no text")


#: What data sets raise, and readers are to raise again as it is.
ERRORS: list[BaseException] = [
    PermissionError("no more"),
    ValueError("a zero \0 byte"),
    KeyError("half \ud800 a letter"),
    ValueError("half \udc80 a byte"),
    RuntimeError("\0", 5, object()),
    Unspeakable(),
    StopAsyncIteration(),
    SystemExit(3),
]


def fail_with(error: BaseException, at: int) -> Callable[[int], None]:
    """Returns a hook that raises an exception at a number."""

    def hook(start: int) -> None:
        if start >= at:
            raise error

    return hook


#: How numbers are read: what returns an iterator, the number of threads given.
WAYS: dict[str, Callable[[tfxio.Dataset, int], Any]] = {
    "reader": lambda ds, threads: ds.read(batch_size=30, threads=threads),
    "filter": lambda ds, threads: ds.read(batch_size=30, threads=threads, filter="square >= 0"),
    "tensors": lambda ds, threads: ds.tensors({"n": tfxio.Dense("n")}).read(batch_size=30, threads=threads),
    "loader": lambda ds, threads: ds.loader(inputs=["n"], batch_size=30, threads=threads),
    "shuffled": lambda ds, threads: ds.loader(inputs=["n"], batch_size=30, threads=threads, shuffle=True, seed=1, shuffle_bytes=1 << 20),
    "rows": lambda ds, threads: iter(ds),
    "arrow": lambda ds, threads: pa.RecordBatchReader.from_stream(ds.read(batch_size=30, threads=threads)),
}

#: Those that are objects of tfxio from the start, which know their process.
OWN = ["reader", "filter", "tensors", "loader", "shuffled"]


def numbers(batch: Any) -> list[int]:
    """Returns the numbers of a batch, whatever has read it."""
    if isinstance(batch, dict) and isinstance(batch["n"], int):
        return [batch["n"]]
    column = batch["n"]
    if isinstance(column, tfxio.Array):
        found: list[int] = column.to_numpy().tolist()
        return found
    listed = column.to_pylist() if isinstance(batch, pa.RecordBatch) else column.numpy().ravel().tolist()
    return [int(n) for n in listed]


def check_whole(way: str, dataset: Numbers, threads: int) -> int:
    """Reads all of a data set and compares what comes out with what went in. Returns the number of rows."""
    found = [n for batch in WAYS[way](dataset, threads) for n in numbers(batch)]
    expected = list(range(dataset.rows))
    assert (sorted(found) if way == "shuffled" else found) == expected, f"{way} of {dataset.rows} rows with {threads} threads: {found}"
    return len(found)


def together(work: list[Callable[[], object]]) -> None:
    """Does work on a thread each, and raises what one of them has raised."""
    failed: list[BaseException] = []

    def run(work: Callable[[], object]) -> None:
        try:
            work()
        except BaseException as error:
            failed.append(error)

    started = [threading.Thread(target=run, args=(each,)) for each in work]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    for error in failed:
        raise error
