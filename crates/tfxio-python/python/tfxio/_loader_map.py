"""Batches that a function of Python has changed."""

from __future__ import annotations

import inspect
import time
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from tfxio import _arguments, _progress
from tfxio._lib import LoadedBatch

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

    import numpy as np

    from tfxio._loader import BatchLoader, LoaderPlan, Saved

T = TypeVar("T")

#: Batches that are under way for each thread.
AHEAD = 2


class MappedLoader(Iterator[T], Generic[T]):
    """What a function makes of the batches of a loader, in their order. Made by `BatchLoader.map`.

    Its state is that of the loader after the batch that came out last, whatever was made ahead of it: going on from it gives exactly
    what would have come.
    """

    def __init__(self, loader: BatchLoader, function: Callable[..., T], threads: int) -> None:
        if not callable(function):
            raise _arguments.refused("map", "a function of a batch", function)
        self._loader = loader
        self._function = function
        self._draws = _takes_rng(function)
        self._threads = _arguments.integer("threads", threads, least=0)
        self._pool: ThreadPoolExecutor | None = None
        self._ahead: deque[tuple[Future[tuple[T, float]], Saved]] = deque()
        self._after: Saved | None = None
        self._is_over = False
        self._mapping = 0.0

    def __iter__(self) -> Iterator[T]:
        """Goes on after the batch that came out last; at the end, with the next epochs."""
        if not self._ahead:
            iter(self._loader)
            self._is_over = False
        return self

    def __next__(self) -> T:
        if self._threads == 0:
            batch = next(self._loader)
            made, took = self._timed(batch, self._loader._batches)
            self._mapping += took
            self._after = self._loader._saved()
            return made
        if self._pool is None:
            from concurrent.futures import ThreadPoolExecutor

            self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="tfxio-map")
        while not self._is_over and len(self._ahead) < AHEAD * self._threads:
            batch_or_end = next(self._loader, None)
            if batch_or_end is None:
                self._is_over = True
                break
            number = self._loader._batches
            self._ahead.append((self._pool.submit(self._timed, batch_or_end, number), self._loader._saved()))
        if not self._ahead:
            self._after = self._loader._saved()
            raise StopIteration
        future, after = self._ahead.popleft()
        made, took = future.result()
        self._mapping += took
        self._after = after
        return made

    def _timed(self, batch: LoadedBatch, number: int) -> tuple[T, float]:
        """Returns what the function makes of a batch, and the seconds that it took."""
        begun = time.perf_counter()
        made = self._apply(batch, number)
        return made, time.perf_counter() - begun

    def _apply(self, batch: LoadedBatch, number: int) -> T:
        arrays = {name: batch[name].numpy() for name in batch.keys()}
        try:
            if self._draws:
                return self._function(arrays, rng=_rng(self._loader.seed, number, batch))
            return self._function(arrays)
        except BaseException as error:
            if origins := batch.origins():
                (_, first_file, first, _), (_, last_file, last, _) = origins[0], origins[-1]
                until = f" to record {last} of {last_file}" if len(origins) > 1 else ""
                error.add_note(f"in map, of the batch of record {first} of {first_file}{until}")
            raise

    def state_dict(self) -> dict[str, Any]:
        """Returns the state after the batch that came out last. It is plain JSON."""
        return self._loader._state_of(self._after if self._after is not None else self._loader._saved())

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Goes on with exactly what came after a state."""
        self._forget()
        self._loader.load_state_dict(state)

    def _forget(self) -> None:
        for future, _ in self._ahead:
            future.cancel()
        self._ahead.clear()
        self._after, self._is_over = None, False

    def progress(self) -> Iterator[T]:
        """Yields what comes out, as `for` does, under a bar: `BatchLoader.progress`."""
        return _progress.shown(self, self._loader._batches - len(self._ahead))

    def plan(self) -> LoaderPlan:
        """Returns what the loader does: `BatchLoader.plan`."""
        return self._loader.plan()

    def stats(self) -> dict[str, Any]:
        """Returns what was counted: `BatchLoader.stats`, which counts batches that are made ahead, too, and `mapping`, the seconds that
        the function took on all threads together."""
        return {**self._loader.stats(), "mapping": self._mapping}

    @property
    def seed(self) -> int:
        """The seed of this run."""
        return self._loader.seed

    def __len__(self) -> int:
        return len(self._loader)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        name = getattr(self._function, "__qualname__", repr(self._function))
        return f"{self._loader!r}.map({name})"

    def close(self) -> None:
        """Ends the loader and its threads."""
        self._forget()
        self._loader.close()
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None

    def __enter__(self) -> MappedLoader[T]:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _takes_rng(function: Callable[..., Any]) -> bool:
    """Returns whether a function has an argument `rng`."""
    try:
        return "rng" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        # One of C does not tell.
        return False


def _rng(seed: int, number: int, batch: LoadedBatch) -> np.random.Generator:
    """Returns the random numbers of a batch, which follow from the seed, its number and its first record."""
    import numpy as np

    origins = batch.origins()
    first = [zlib.crc32(origins[0][1].rpartition("/")[2].encode()), origins[0][2]] if origins else []
    return np.random.Generator(np.random.Philox(np.random.SeedSequence([seed, number, *first])))
