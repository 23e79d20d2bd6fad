"""The number of threads where all processors are asked for, by a process that may have others beside it."""

from __future__ import annotations

import os
import sys
from typing import Any

from tfxio import _arguments, _lib


def asked(threads: Any) -> int:
    """Returns the number of threads that is asked for. Of 0, all processors, a process has its share where others of the same task run beside
    it on this machine: the workers of a `DataLoader` of torch, and the ranks of `torchrun`."""
    number = _arguments.integer("threads", threads)
    if number > 0:
        return number
    data = sys.modules.get("torch.utils.data")
    worker = None if data is None else data.get_worker_info()
    processes = _ranks() * (1 if worker is None else worker.num_workers)
    if processes == 1:
        return 0
    # A worker makes batches while others are used. By itself, a process needs a thread beside the one that uses them.
    return max(_processors() // processes, 2 if worker is None else 1)


def _ranks() -> int:
    """Returns how many ranks this machine has, as `torchrun` says it."""
    said = os.environ.get("LOCAL_WORLD_SIZE", "")
    return max(int(said), 1) if said.isdecimal() else 1


def _processors() -> int:
    """Returns the number of processors that this process may use."""
    return _lib.Request(threads=0).threads
