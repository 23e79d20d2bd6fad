"""Iterators that repeat, mix and shuffle others. The same seeds of numpy give the same order as those of `tfrecord`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np


def cycle(iterator_fn: Callable[[], Iterable[Any]]) -> Iterator[Any]:
    """Yields what an iterator gives, again and again. One without elements ends it.

    >>> from itertools import islice
    >>> from tfxio.compat.tfrecord import cycle
    >>> list(islice(cycle(lambda: [1, 2]), 5))
    [1, 2, 1, 2, 1]
    """
    while True:
        count = 0
        for element in iterator_fn():
            yield element
            count += 1
        if count == 0:
            return


def sample_iterators(
    iterators: Sequence[Callable[[], Iterable[Any]]], ratios: Sequence[float], infinite: bool = True
) -> Iterator[Any]:
    """Yields elements of several iterators, each of which is drawn with the probability of its ratio.

    Args:
        iterators: Functions that begin the iterators.
        ratios: How often each is drawn.
        infinite: Whether iterators that have ended begin again.

    >>> from tfxio.compat.tfrecord import sample_iterators
    >>> sorted(sample_iterators([lambda: [1, 2], lambda: [3]], [1, 1], infinite=False))
    [1, 2, 3]
    """
    # As `tfrecord` does, each iterator begins when it is drawn for the first time.
    begun = [iter(cycle(begin)) if infinite else iter(begin()) for begin in iterators]
    weights = np.asarray(ratios, dtype=float)
    while begun:
        drawn = int(np.random.choice(len(begun), p=weights / weights.sum()))
        try:
            element = next(begun[drawn])
        except StopIteration:
            del begun[drawn]
            weights = np.delete(weights, drawn)
            continue
        yield element


def shuffle_iterator(iterator: Iterator[Any], queue_size: int) -> Iterator[Any]:
    """Yields elements in a random order out of a queue.

    Args:
        iterator: What is shuffled.
        queue_size: Elements among which one is drawn.

    >>> from tfxio.compat.tfrecord import shuffle_iterator
    >>> sorted(shuffle_iterator(iter(range(5)), 3))
    [0, 1, 2, 3, 4]
    """
    iterator = iter(iterator)
    queue = [element for _, element in zip(range(queue_size), iterator)]
    if len(queue) < queue_size:
        warnings.warn(f"Number of elements in the iterator is less than the queue size (N={queue_size}).", stacklevel=2)
    while queue:
        drawn = int(np.random.randint(len(queue)))
        element = queue[drawn]
        try:
            queue[drawn] = next(iterator)
        except StopIteration:
            del queue[drawn]
        yield element
