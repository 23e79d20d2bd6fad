"""The part of a stream of torch that a worker of a rank reads, and its epochs."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Any, TypeAlias

import torch
import torch.distributed
import torch.utils.data

from tfxio._arguments import integer
from tfxio._shards import Shard, checked
from tfxio._warning import RebatchedWarning

Batch: TypeAlias = dict[str, Any]

#: Bits of the pass of a DataLoader beside an epoch.
PASS_BITS = 32


def rank_of(rank: int | None, world_size: int | None) -> Shard:
    """Returns which of how many ranks this process is."""
    if (rank is None) != (world_size is None):
        raise ValueError("rank and world_size are given together, or neither")
    if rank is not None and world_size is not None:
        return checked((rank, world_size))
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        return torch.distributed.get_rank(), torch.distributed.get_world_size()
    return 0, 1


class Sharded(torch.utils.data.IterableDataset[Batch]):
    """What the streams have in common: their rank, their worker and their epoch."""

    def __init__(self, rank: int | None, world_size: int | None) -> None:
        super().__init__()
        rank_of(rank, world_size)
        self._given_rank = (rank, world_size)
        self._count_anew(torch.zeros((), dtype=torch.int64))

    def _count_anew(self, epoch: torch.Tensor) -> None:
        """Counts epochs from one on, apart from whatever else does."""
        # Workers see it: the epoch that comes next and, once the first worker has begun it, which pass of a DataLoader that was. They
        # stand in one number, which is written at once.
        self._epoch = epoch.clone().share_memory_()
        # How often the epoch was set, by which workers that live on for the next epoch know that it was.
        self._set = torch.zeros((), dtype=torch.int64).share_memory_()
        # The process, what it knew of that, and the epoch that comes next in it.
        self._own: tuple[int, int, int] | None = None

    @property
    def shard(self) -> Shard:
        """The number of this worker of this rank among all workers of all ranks, and how many these are."""
        rank, world_size = rank_of(*self._given_rank)
        worker = torch.utils.data.get_worker_info()
        if worker is None:
            return rank, world_size
        return rank * worker.num_workers + worker.id, world_size * worker.num_workers

    @property
    def epoch(self) -> int:
        """The epoch whose order comes next. Each iteration begins the next one."""
        return int(self._epoch) >> PASS_BITS

    def set_epoch(self, epoch: int) -> None:
        """Makes the next iteration that of an epoch, counted from 0: each has an order of its own. All ranks set the same one."""
        self._epoch.fill_(integer("epoch", epoch, most=2**31 - 1) << PASS_BITS)
        self._set.add_(1)

    def _begin(self) -> int:
        """Begins the next epoch, which is the same in all workers of a pass, and returns its number."""
        worker = torch.utils.data.get_worker_info()
        epoch = self.epoch
        if worker is None:
            self._epoch.fill_((epoch + 1) << PASS_BITS)
            return epoch
        # Workers of a pass have one seed and their number.
        this = (worker.seed - worker.id) % (2**PASS_BITS - 1) + 1
        now, is_set = int(self._epoch), int(self._set)
        if self._own is not None and self._own[:2] == (os.getpid(), is_set):
            epoch = self._own[2]
        elif now % 2**PASS_BITS == this:
            # The first worker was faster.
            epoch = (now >> PASS_BITS) - 1
        self._own = (os.getpid(), is_set, epoch + 1)
        if worker.id == 0:
            self._epoch.fill_((epoch + 1) << PASS_BITS | this)
        return epoch

    def _go_on_after(self, epoch: int) -> None:
        """Makes the next iteration that of the epoch after one."""
        worker = torch.utils.data.get_worker_info()
        if self._own is not None:
            self._own = (*self._own[:2], epoch + 1)
        if worker is None or worker.id == 0:
            self._epoch.fill_((epoch + 1) << PASS_BITS | int(self._epoch) % 2**PASS_BITS)

    def _warn_if_batched(self) -> None:
        """Warns of a DataLoader that makes batches of batches."""
        frame = sys._getframe(2)
        is_fetcher = frame.f_code.co_name == "__init__" and frame.f_code.co_filename.endswith("fetch.py")
        if is_fetcher and frame.f_locals.get("auto_collation") is True:
            text = (
                "the DataLoader makes batches of batches: what comes out of this data set is one already; "
                "give DataLoader(…, batch_size=None)"
            )
            warnings.warn(text, RebatchedWarning, stacklevel=2)

    def __getstate__(self) -> dict[str, Any]:
        # A worker that is spawned does not know the rank of its parent.
        return {**self.__dict__, "_given_rank": rank_of(*self._given_rank)}
