"""The program that ends while it reads. `python stress_ending.py KIND WAY THREADS` ends with the status 7, without a word."""

from __future__ import annotations

import atexit
import faulthandler
import sys
import threading
from typing import Any, NoReturn

from stress_sets import WAYS, Nested, Numbers, check_whole, numbers

#: What is alive when the program ends.
KINDS = ["stream", "thread", "nested", "finalizer", "atexit", "cycle", "several", "raised"]


class Reads:
    """An object that reads when it goes."""

    def __init__(self, reader: Any) -> None:
        self.reader = reader

    def __del__(self) -> None:
        try:
            next(self.reader)
        except Exception:
            # The module of the data set may be half gone.
            pass


def read(reader: Any) -> None:
    for batch in reader:
        assert numbers(batch)


def main(kind: str, way: str, threads: int) -> NoReturn:
    faulthandler.enable(all_threads=True)
    # Enough for threads to be in the middle of it.
    started, called = threading.Event(), iter(range(5))

    def hook(start: int) -> None:
        if next(called, None) is None:
            started.set()

    dataset = Numbers(2 * 10**4, 10, hook)
    if kind == "nested":
        dataset = Nested(dataset)
    if kind == "finalizer":
        # On one thread: others are gone by then.
        globals()["kept"] = Reads(WAYS[way](Numbers(), 1))
    elif kind == "atexit":
        atexit.register(check_whole, way, Numbers(), threads)
    reader = globals()["reader"] = WAYS[way](dataset, threads)
    if kind in ("thread", "nested", "atexit", "several", "finalizer"):
        threading.Thread(target=read, args=(reader,), daemon=True).start()
        started.wait()
    else:
        assert numbers(next(reader))
    if kind == "cycle":
        dataset.reader = reader  # type: ignore[attr-defined]
    if kind == "several":
        globals()["others"] = [WAYS[other](dataset, threads) for other in WAYS]
    if kind == "raised":
        error = SystemExit(7)
        error.reader = reader  # type: ignore[attr-defined]
        raise error
    sys.exit(7)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
