"""Slots of memory in which a worker process hands batches to its parent, one after the other."""

from __future__ import annotations

import functools
import mmap
import multiprocessing
import os
import platform
import secrets
import weakref

#: A `DataLoader` asks a worker for two batches ahead, if it is not told otherwise; where all slots are taken, batches go another way.
SLOTS = 4
#: What is larger goes another way. There is only memory that was written to: as much as the largest batch so far has, in each slot.
SLOT_BYTES = 16 << 20
#: The memory begins with its token, a byte for each slot that says whether it is taken, and one that says whether the parent has the memory.
TOKEN_BYTES = 16
SHARED_AT = TOKEN_BYTES + SLOTS
HEADER_BYTES = mmap.PAGESIZE
BYTES = HEADER_BYTES + SLOTS * SLOT_BYTES

#: Machines on which no processor sees a store before the loads that precede it: a plain byte frees a slot after its bytes were copied.
ORDERED_MACHINES = ("x86_64", "AMD64")

#: The memory of the workers of this process by their tokens.
_of_workers: dict[bytes, mmap.mmap] = {}


class Slots:
    """The slots of this process, which is a worker."""

    def __init__(self) -> None:
        # A file without a name, which goes with the two processes, however they end. `/dev/shm`, which may be small, has no part in it.
        file = os.memfd_create("tfxio-batches")
        try:
            os.ftruncate(file, BYTES)
            self.memory = mmap.mmap(file, BYTES)
        except OSError:
            os.close(file)
            raise
        self.token = secrets.token_bytes(TOKEN_BYTES)
        self.memory[:TOKEN_BYTES] = self.token
        #: The arguments of `accept`.
        self.offer = os.getpid(), file, self.token

    @property
    def is_shared(self) -> bool:
        """Whether the parent has accepted the offer."""
        return self.memory[SHARED_AT] == 1

    def take(self) -> int | None:
        """Takes the first slot that is free, if there is one: its memory was used last."""
        at = self.memory.find(b"\0", TOKEN_BYTES, SHARED_AT)
        if at < 0:
            return None
        self.memory[at] = 1
        return at - TOKEN_BYTES


@functools.cache
def own() -> Slots | None:
    """Returns the slots of this process, where the system has such memory."""
    try:
        return Slots() if hasattr(os, "memfd_create") and platform.machine() in ORDERED_MACHINES else None
    except OSError:
        return None


def start(slot: int) -> int:
    """Returns the place in the memory where a slot begins."""
    return HEADER_BYTES + slot * SLOT_BYTES


def accept(process: int, file: int, token: bytes) -> None:
    """Shares the memory of a worker of this process for as long as there is an object of that process. Without it, batches go another way."""
    worker = next((child for child in multiprocessing.active_children() if child.pid == process), None)
    if worker is None or token in _of_workers:
        return
    try:
        opened = os.open(f"/proc/{process}/fd/{file}", os.O_RDWR | os.O_CLOEXEC)
        try:
            memory = mmap.mmap(opened, BYTES)
        finally:
            os.close(opened)
    except (OSError, ValueError):
        return
    if memory[:TOKEN_BYTES] == token:
        _of_workers[token] = memory
        weakref.finalize(worker, _of_workers.pop, token, None).atexit = False
        memory[SHARED_AT] = 1


def of_worker(token: bytes) -> mmap.mmap:
    """Returns the memory of a worker that was accepted."""
    if token not in _of_workers:
        raise RuntimeError("a batch of a worker goes to the process of its DataLoader, and was sent to another one: send a dict(batch)")
    return _of_workers[token]


def free(memory: mmap.mmap, slot: int) -> None:
    """Gives a slot back to the worker, for another batch."""
    memory[TOKEN_BYTES + slot] = 0


def _forget() -> None:
    """Leaves all memory to the process that this one was forked from."""
    _of_workers.clear()
    own.cache_clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
