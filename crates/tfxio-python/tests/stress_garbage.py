"""Rounds of garbage collection for the stress program: cycles through data sets and readers, finalizers and weak references."""

from __future__ import annotations

import gc
import random
import time
import weakref
from typing import Any

from stress_sets import OWN, PATIENCE, WAYS, numbers, some_dataset, together

import tfxio


class Closing:
    """An object that reads on, and closes, when it goes."""

    def __init__(self, reader: Any, seen: list[int]) -> None:
        self.reader, self.seen, self.own = reader, seen, self

    def __del__(self) -> None:
        try:
            self.seen += numbers(next(self.reader))
        except tfxio.exceptions.InvalidArgumentError:
            # Collected on a thread that reads for the reader.
            self.seen.append(-1)
        self.reader.close()


def garbage(draw: random.Random) -> None:
    """Makes cycles through data sets and readers, with finalizers that read, and looks that all go."""
    thresholds = gc.get_threshold()
    gc.set_threshold(draw.choice([1, 1, 700]))
    try:
        together([lambda: cycles(random.Random(draw.random())), gc.collect, gc.collect])
    finally:
        gc.set_threshold(*thresholds)


def cycles(draw: random.Random) -> None:
    alive: list[weakref.ref[Any]] = []
    finalized: list[list[int]] = []
    for way in OWN:
        dataset: Any = some_dataset(draw)
        alive.append(weakref.ref(dataset))
        reader = WAYS[way](dataset, draw.choice([1, 2]))
        first = numbers(next(reader))
        match draw.randrange(4):
            case 0:
                # Left in the middle.
                pass
            case 1:
                # A cycle through a reader that has ended.
                dataset.reader = reader
                rest = [n for batch in reader for n in numbers(batch)]
                assert sorted(first + rest) == list(range(dataset.rows))
            case 2:
                # A cycle through a reader that is closed.
                dataset.reader = reader
                reader.close()
            case 3:
                finalized.append([])
                held = Closing(reader, finalized[-1])
                alive.append(weakref.ref(held))
                del held
        del dataset, reader
    patience = time.monotonic() + PATIENCE
    while True:
        # What was dropped without the interpreter is given back by the next call; what a thread still reads, when it has.
        assert gc.collect() >= 0 and tfxio.Partition("p").file == "p"
        left = [each() for each in alive]
        if not any(object is not None for object in left):
            break
        assert time.monotonic() < patience, f"these are still there: {left}"
        del left
    assert all(finalized), finalized
