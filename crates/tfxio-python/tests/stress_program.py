"""The program of the stress test: rounds of threads, forks, signals and garbage collection in an order drawn at random, over data sets
written in Python, while other threads read. `python stress_program.py SEED SECONDS` prints how many rounds of each there were.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import random
import signal
import sys
import threading
import time
import traceback
from collections import Counter
from typing import Any, NoReturn

import pyarrow as pa
from stress_garbage import garbage
from stress_sets import ERRORS, OWN, PATIENCE, WAYS, Nested, Numbers, check_whole, fail_with, numbers, some_dataset, together

import tfxio

def some_read(draw: random.Random) -> tuple[str, int]:
    """Returns a way to read, and a number of threads."""
    return draw.choice(list(WAYS)), draw.choice([1, 1, 2, 3])


def read_whole(draw: random.Random) -> None:
    way, threads = some_read(draw)
    check_whole(way, some_dataset(draw), threads)


def read_what_fails(draw: random.Random) -> None:
    """Reads until the data set raises, and looks that this comes out, after nothing that did not go in."""
    error = draw.choice(ERRORS)
    way, threads = some_read(draw)
    dataset: Numbers = Numbers(5, hook=fail_with(error, draw.randrange(500)))
    if draw.random() < 0.3:
        dataset = Nested(dataset)
    found: list[int] = []
    try:
        for batch in WAYS[way](dataset, threads):
            found += numbers(batch)
    except BaseException as raised:
        if way == "arrow":
            assert isinstance(raised, pa.ArrowException) and type(error).__name__ in str(raised), ascii(raised)
        else:
            assert raised is error, f"{way}: {ascii(raised)} instead of {ascii(error)}"
    else:
        raise AssertionError(f"{way} with {threads} threads has not raised {ascii(error)}")
    # A shuffle may have got anything.
    assert way == "shuffled" or found == list(range(len(found))), found


def read_from_itself(draw: random.Random) -> None:
    """Reads from a reader or asks a loader, by the data set that it reads, on whatever thread reads the data set."""
    way, threads = draw.choice(OWN), draw.choice([1, 2, 3])
    asks = draw.random() < 0.5 and way in ("loader", "shuffled")
    own: list[Any] = []

    def hook(start: int) -> None:
        if own and asks:
            assert own[0].stats()["batches"] >= 0 and own[0].state_dict()
        elif own and start > 150:
            next(own[0])

    dataset = Numbers(20, 50, hook)
    own.append(WAYS[way](dataset, threads))
    found: list[int] = []
    try:
        for batch in own[0]:
            found += numbers(batch)
    except tfxio.exceptions.InvalidArgumentError as error:
        assert not asks and "reads from the reader itself" in str(error), error
    else:
        assert asks and sorted(found) == list(range(dataset.rows)), f"{way} with {threads} threads: {len(found)} rows"
    own.clear()


def share(draw: random.Random) -> None:
    """Reads one reader by several threads: each row comes out once."""
    way, dataset = draw.choice(OWN), some_dataset(draw)
    reader = WAYS[way](dataset, draw.choice([1, 2]))
    found: list[list[int]] = [[], [], []]

    def read(mine: list[int]) -> None:
        # Not `for`, which would begin the next epoch of a loader that another thread has read to its end.
        while (batch := next(reader, None)) is not None:
            mine += numbers(batch)

    together([lambda mine=mine: read(mine) for mine in found])  # type: ignore[misc]
    assert sorted(sum(found, [])) == list(range(dataset.rows)), f"{way}: {found}"


def threads(draw: random.Random) -> None:
    """Reads, fails and reads from itself on several threads."""
    actions = draw.choices([read_whole, read_what_fails, read_from_itself, share], [4, 2, 2, 1], k=draw.randint(1, 6))
    draws = [random.Random(draw.random()) for _ in actions]
    together([lambda action=action, draw=draw: action(draw) for action, draw in zip(actions, draws, strict=True)])  # type: ignore[misc]


def forks(draw: random.Random) -> None:
    """Forks while readers are open, which say so in the child, and read on in the parent."""
    dataset, opened = some_dataset(draw), []
    for way in draw.sample(OWN, 3):
        reader = WAYS[way](dataset, draw.choice([1, 2]))
        opened.append((way, reader, numbers(next(reader))))
    # Drawn before the fork, so that the parent goes on as if there were none.
    inside = random.Random(draw.random())
    child = os.fork()
    if child == 0:
        in_child(inside, dataset, [reader for _, reader, _ in opened])
    for way, reader, found in opened:
        for batch in reader:
            found += numbers(batch)
        assert sorted(found) == list(range(dataset.rows)), f"{way} after a fork: {found}"
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status == 0, f"the child ended with {status}"


def in_child(draw: random.Random, dataset: Numbers, readers: list[Any]) -> NoReturn:
    """Does what a forked child does, and ends it."""
    try:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        faulthandler.register(signal.SIGALRM, all_threads=True, chain=True)
        signal.alarm(PATIENCE)
        for reader in readers:
            try:
                next(reader)
            except RuntimeError as error:
                assert "before the process forked" in str(error), error
            else:
                raise AssertionError(f"{reader} was read in a fork")
            if isinstance(reader, tfxio.BatchLoader):
                assert reader.stats()["batches"] >= 1 and reader.state_dict()
            if draw.random() < 0.5:
                reader.close()
        readers.clear()
        gc.collect()
        way, count = some_read(draw)
        check_whole(way, dataset, count)
        threads(draw)
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


class Rung(Exception):
    """What the handler of the alarm raises."""


def ring(number: int, frame: object) -> NoReturn:
    raise Rung(number)


def signals(draw: random.Random) -> None:
    """Reads without end until a signal whose handler raises, which comes through; everything else can be used afterwards."""
    number, expected = draw.choice([(signal.SIGINT, KeyboardInterrupt), (signal.SIGALRM, Rung)])
    at, rings = draw.randrange(0, 3000), [number]

    def hook(start: int) -> None:
        if start >= at and rings:
            signal.raise_signal(rings.pop())

    way = draw.choice([way for way in WAYS if way not in ("shuffled", "rows")])
    before, reader = signal.signal(signal.SIGALRM, ring), None
    try:
        reader = WAYS[way](Numbers(10**5, 10, hook), draw.choice([1, 2]))
        read_until_rung(way, reader, number)
    except expected:
        pass
    finally:
        signal.signal(signal.SIGALRM, before)
    if reader is not None and way != "arrow":
        reader.close()
        try:
            assert next(reader, None) is None
        except tfxio.exceptions.CancelledError:
            pass
    read_whole(draw)


def read_until_rung(way: str, reader: Any, number: signal.Signals) -> None:
    try:
        for batch in reader:
            assert numbers(batch)
    except pa.ArrowException as error:
        # pyarrow makes an error of its own of what comes through it. Ctrl-C is seen again.
        assert way == "arrow", way
        if number == signal.SIGALRM:
            assert "Rung" in str(error), error
            return
        while True:
            pass
    raise AssertionError(f"{way} has come to the end of what has none")


def main(seed: int, seconds: float) -> None:
    faulthandler.enable(all_threads=True)
    draw, ends, counts = random.Random(seed), time.monotonic() + seconds, Counter[str]()
    done, failed = threading.Event(), list[BaseException]()

    def background(draw: random.Random) -> None:
        try:
            while not done.is_set():
                read_whole(draw)
        except BaseException as error:
            failed.append(error)

    readers = [threading.Thread(target=background, args=(random.Random(draw.random()),)) for _ in range(2)]
    for thread in readers:
        thread.start()
    rounds = [threads, forks, signals, garbage]
    try:
        # Each once, however little time there is.
        while time.monotonic() < ends or len(counts) < len(rounds):
            action = draw.choice(rounds)
            counts[action.__name__] += 1
            action(draw)
    finally:
        done.set()
        for thread in readers:
            thread.join()
    assert not failed, failed
    print(*(f"{name} {count}" for name, count in sorted(counts.items())))


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
