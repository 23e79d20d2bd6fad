"""Batches that a function of Python has changed."""

from __future__ import annotations

import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar

from tfxio import _arguments, _given, _progress, _random
from tfxio._lib import LoadedBatch

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

    from tfxio._loader import BatchLoader, LoaderPlan, Saved
    from tfxio._processes import Processes, Waiters

T = TypeVar("T")

#: What a function is given.
GivenBatch: TypeAlias = Literal["numpy", "torch", "arrow"]
GIVEN = ("numpy", "torch", "arrow")

#: Batches that are under way for each thread, or process.
AHEAD = 2


class Call:
    """A function of batches, as other processes get it: with arrays, and what random numbers follow from."""

    def __init__(self, function: Callable[..., Any], given: str) -> None:
        self.function = function
        self.given = _given.known(given, GIVEN)
        self.draws = _random.takes_rng(function)

    def __call__(self, given: tuple[dict[str, Any], list[int] | None]) -> Any:
        arrays, entropy = given
        batch = _given.of_arrays(arrays, self.given)
        return self.function(batch) if entropy is None else self.function(batch, rng=_random.generator(entropy))

    def timed(self, batch: LoadedBatch, seed: int, number: int, processes: Processes | None) -> tuple[Any, float]:
        """Returns what the function makes of a batch, and the seconds that it took."""
        arrays = {name: batch[name].numpy() for name in batch.keys()}
        given = arrays, _entropy(seed, number, batch) if self.draws else None
        try:
            if processes is not None:
                made = processes.call(given)
                return made.value, made.seconds
            begun = time.perf_counter()
            return self(given), time.perf_counter() - begun
        except BaseException as error:
            if origins := batch.origins():
                (_, first_file, first, _), (_, last_file, last, _) = origins[0], origins[-1]
                until = f" to record {last} of {last_file}" if len(origins) > 1 else ""
                error.add_note(f"in map, of the batch of record {first} of {first_file}{until}")
            raise


class MappedLoader(Iterator[T], Generic[T]):
    """What a function makes of the batches of a loader, in their order. Made by `BatchLoader.map`.

    Its state is that of the loader after the batch that came out last, whatever was made ahead of it: going on from it gives exactly
    what would have come.
    """

    def __init__(self, loader: BatchLoader, function: Callable[..., T], threads: int, workers: int, given: str) -> None:
        if not callable(function):
            raise _arguments.refused("map", "a function of a batch", function)
        self._loader = loader
        self._function = function
        self._call = Call(function, given)
        self._threads = _arguments.integer("threads", threads, least=0)
        self._workers = _arguments.integer("workers", workers, least=0)
        if self._threads > 0 and self._workers > 0:
            raise ValueError("threads and workers are both given: the function is called on threads of this process, or in other processes")
        self._pickled = self._in_processes() if self._workers > 0 else None
        self._pool: ThreadPoolExecutor | Waiters | None = None
        self._processes: Processes | None = None
        self._ahead: deque[tuple[Future[tuple[T, float]], Saved]] = deque()
        self._after: Saved | None = None
        self._is_over = False
        self._mapping = 0.0

    def _in_processes(self) -> bytes | None:
        """Returns the call as processes get it; `None` where this one may have none."""
        from tfxio import _processes

        pickled = _processes.pickled(self._call, self._function, f"map(workers={self._workers})")
        return pickled if _processes.can_start() else None

    def _begin(self) -> ThreadPoolExecutor | Waiters:
        """Begins what calls the function ahead of what is asked for."""
        if self._pickled is None:
            from concurrent.futures import ThreadPoolExecutor

            return ThreadPoolExecutor(self._threads, thread_name_prefix="tfxio-map")
        from tfxio._processes import Processes, Waiters

        self._processes = Processes(self._pickled, self._workers)
        # What is under way does not hold this loader, which ends it.
        weakref.finalize(self, Processes.close, self._processes, waits=False).atexit = False
        return Waiters(self._workers)

    def __iter__(self) -> Iterator[T]:
        """Goes on after the batch that came out last; at the end, with the next epochs."""
        if not self._ahead:
            iter(self._loader)
            self._is_over = False
        return self

    def __next__(self) -> T:
        ahead = AHEAD * (self._threads if self._pickled is None else self._workers)
        if ahead == 0:
            batch = next(self._loader)
            made, took = self._call.timed(batch, self._loader.seed, self._loader._batches, None)
            self._mapping += took
            self._after = self._loader._saved()
            return made  # type: ignore[no-any-return]
        if self._pool is None:
            self._pool = self._begin()
        while not self._is_over and len(self._ahead) < ahead:
            batch_or_end = next(self._loader, None)
            if batch_or_end is None:
                self._is_over = True
                break
            call = self._pool.submit(self._call.timed, batch_or_end, self._loader.seed, self._loader._batches, self._processes)
            self._ahead.append((call, self._loader._saved()))
        if not self._ahead:
            self._after = self._loader._saved()
            raise StopIteration
        future, after = self._ahead[0]
        # Ctrl-C ends the wait, and the batch comes when it is asked for again.
        future.exception()
        self._ahead.popleft()
        made, took = future.result()
        self._mapping += took
        self._after = after
        return made

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
        the function took on all threads, or in all processes, together."""
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
        """Ends the loader, its threads and its processes."""
        self._forget()
        self._loader.close()
        if self._processes is not None:
            self._processes.close()
            self._processes = None
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None

    def __enter__(self) -> MappedLoader[T]:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _entropy(seed: int, number: int, batch: LoadedBatch) -> list[int]:
    """Returns what the random numbers of a batch follow from: the seed, its number and its first record."""
    origins = batch.origins()
    first = [_random.of_file(origins[0][1]), origins[0][2]] if origins else []
    return [seed, number, *first]
