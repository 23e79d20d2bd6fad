"""How far functions and loaders are: told to a function, or shown as a line on standard error or in a notebook."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol, TextIO, TypeAlias, TypeVar

from tfxio import _arguments

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

#: Seconds between two drawings.
TURN = 0.1
#: Characters of a bar.
BAR = 20


@dataclass(frozen=True)
class Progress:
    """How far a function is.

    Attributes:
        phase: `"schema"` while the columns are looked for, `"records"` then.
        bytes_read: Bytes of the files that were read in this phase, before decompression.
        bytes: The bytes that are read of all in a phase, or `None` where it is not known.
        records: The records that were written; read, where nothing is.
    """

    phase: str
    bytes_read: int
    bytes: int | None
    records: int


#: Called again and again while a function works, on the thread that has called it. What it raises ends the work.
OnProgress: TypeAlias = Callable[[Progress], object]
#: What is called by the engine.
Told: TypeAlias = Callable[[str, int, int | None, int], object]


class Line(Protocol):
    """A line of text that changes."""

    def show(self, text: str) -> None: ...
    def end(self) -> None: ...


class Terminal:
    """The last line of a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._shown = 0

    def show(self, text: str) -> None:
        """Writes over what was shown."""
        try:
            columns = os.get_terminal_size(self._stream.fileno()).columns
        except (OSError, ValueError):
            columns = 80
        # In the last column, some terminals begin the next line.
        text = text[: max(columns - 1, 1)]
        self._stream.write("\r" + text.ljust(min(self._shown, max(columns - 1, 1))))
        self._stream.flush()
        self._shown = len(text)

    def end(self) -> None:
        """Goes to the next line."""
        self._stream.write("\n")
        self._stream.flush()


class Notebook:
    """An output of a cell of a notebook."""

    def __init__(self, display: Callable[..., Any]) -> None:
        self._display = display
        self._handle: Any = None

    def show(self, text: str) -> None:
        """Shows a text in place of that before it."""
        data = {"text/plain": text}
        if self._handle is None:
            self._handle = self._display(data, raw=True, display_id=True)
        else:
            self._handle.update(data, raw=True)

    def end(self) -> None:
        """Leaves the text."""


def line() -> Line | None:
    """Returns where a line is seen: in a notebook, or on standard error where that is a terminal."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if hasattr(shell, "kernel"):
        from importlib import import_module

        return Notebook(import_module("IPython.display").display)
    stream = sys.stderr
    try:
        return Terminal(stream) if stream is not None and stream.isatty() else None
    except ValueError:
        # It is closed.
        return None


class Bar:
    """A line that says how far something is, drawn again at most ten times a second."""

    def __init__(self, at: Line, clock: Callable[[], float] = time.monotonic) -> None:
        self._line: Line | None = at
        self._clock = clock
        self._begun = clock()
        self._next = self._begun
        self._text = self._drawn = ""
        self._phase = ""

    def count(self, before: int, done: int, total: int | None) -> None:
        """Shows how many batches have come, after those that came before."""
        self._show("", before, done, total, _number, unit=" batches")

    def _show(
        self, what: str, before: int, done: int, total: int | None, amount: Callable[[int], str], *, unit: str = "", further: str = ""
    ) -> None:
        """Shows how much is done, after what was done before this line began, of all."""
        seconds = max(self._clock() - self._begun, 1e-9)
        at = before + done
        parts = [(f"{amount(at)} of {amount(total)}" if total is not None else amount(at)) + unit]
        if further:
            parts.append(further)
        if done and seconds >= TURN:
            parts.append(f"{amount(int(done / seconds))}{unit}/s")
        share = min(at / total, 1.0) if total else None
        is_under_way = total is not None and 0 < done and at < total
        parts.append(f"{_duration(seconds / done * (total - at))} left" if is_under_way and total is not None else _duration(seconds))
        bar = "" if share is None else f"{share:4.0%} [{('#' * int(share * BAR)).ljust(BAR)}]"
        self._text = " ".join(part for part in (what, bar, ", ".join(parts)) if part)
        if self._clock() >= self._next:
            self._draw()

    def tell(self, what: str, at: Progress) -> None:
        """Shows how far a function is."""
        if at.phase != self._phase:
            # Each phase reads the files from their beginning.
            self._phase, self._begun = at.phase, self._clock()
        is_looking = at.phase == "schema"
        records = f"{at.records:,} records" if at.records else ""
        if at.bytes_read or at.bytes or not records:
            self._show(f"{what} (columns)" if is_looking else what, 0, at.bytes_read, at.bytes, _bytes, further=records)
        else:
            self._show(what, 0, at.records, None, _number, unit=" records")

    def _draw(self) -> None:
        if self._line is None or self._text == self._drawn:
            return
        try:
            self._line.show(self._text)
        except (OSError, ValueError):
            # Work goes on when nobody looks any more.
            self._line = None
        self._drawn, self._next = self._text, self._clock() + TURN

    def close(self) -> None:
        """Shows how far it came, and ends the line."""
        self._draw()
        if self._line is not None and self._drawn:
            try:
                self._line.end()
            except (OSError, ValueError):
                pass
        self._line = None


@contextmanager
def told(what: str, progress: Any) -> Generator[Told | None, None, None]:
    """Gives what is called with how far a function is, for an argument `progress`; a bar ends with the function, however that ends."""
    if progress is None or progress is False:
        yield None
    elif progress is True:
        at = line()
        if at is None:
            yield None
            return
        bar = Bar(at)
        try:
            yield lambda phase, read, total, records: bar.tell(what, Progress(phase, read, total, records))
        finally:
            bar.close()
    elif callable(progress):
        yield lambda phase, read, total, records: progress(Progress(phase, read, total, records))
    else:
        raise _arguments.refused("progress", "a function that takes a tfxio.Progress, True, False or None", progress)


def counted(batches: Iterable[T], rows: Callable[[T], int], tell: Told) -> Iterator[T]:
    """Yields batches, and tells how many rows there were, about ten times a second and at the end."""
    count, following = 0, time.monotonic()
    for batch in batches:
        yield batch
        count += rows(batch)
        if time.monotonic() >= following:
            tell("records", 0, None, count)
            following = time.monotonic() + TURN
    tell("records", 0, None, count)


class Counted(Protocol[T_co]):
    """Batches that may know how many they are."""

    def __iter__(self) -> Iterator[T_co]: ...
    def __len__(self) -> int: ...


def shown(batches: Counted[T], before: int) -> Iterator[T]:
    """Yields batches under a bar that counts them, those too that came before."""
    at = line()
    if at is None:
        yield from batches
        return
    try:
        total: int | None = len(batches)
    except TypeError:
        total = None
    bar = Bar(at)
    # A loader counts those of all its iterations.
    begun = before % total if total else before
    try:
        for number, batch in enumerate(batches, 1):
            bar.count(begun, number, total)
            yield batch
    finally:
        bar.close()


def _number(count: int) -> str:
    return f"{count:,}"


def _bytes(count: int) -> str:
    size, units = float(count), ["bytes", "kB", "MB", "GB", "TB"]
    while size >= 1000 and len(units) > 1:
        size /= 1000
        units.pop(0)
    return f"{size:.0f} {units[0]}" if units[0] == "bytes" or size >= 100 else f"{size:.1f} {units[0]}"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
