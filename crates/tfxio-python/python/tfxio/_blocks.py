"""Messages between processes, whose large parts are in blocks of shared memory."""

from __future__ import annotations

import errno
import importlib
import io
import os
import pickle
import sys
from multiprocessing import resource_tracker
from multiprocessing.shared_memory import SharedMemory
from typing import Any

import numpy as np

from tfxio._lib import RecordBatch, batch_of_ipc, ipc_of_batch

#: Arrays begin at multiples of it, which suits every dtype.
ALIGNMENT = 64
#: Messages up to this size go through the pipe as a whole: a block of shared memory has to be asked for.
MAX_INLINE_BYTES = 32 << 10


class Block(SharedMemory):
    """A block of shared memory that arrays may outlive."""

    _buf: Any
    _mmap: Any

    @property
    def memory(self) -> memoryview:
        """The memory, which is open."""
        assert self.buf is not None
        return self.buf

    @classmethod
    def made(cls, name: str, size: int) -> Block:
        """Makes a block, whose memory is there: writing to a file system that is full would end the process by a signal."""
        if os.name == "posix":
            # Before there is one, so that it goes however this process ends.
            resource_tracker.register(f"/{name}", "shared_memory")
        block = cls(name, create=True, size=size)
        try:
            if hasattr(os, "posix_fallocate") and (file := getattr(block, "_fd", -1)) >= 0:
                os.posix_fallocate(file, 0, size)
        except OSError as error:
            block.close()
            block.unlink()
            if error.errno != errno.ENOSPC:
                raise
            what = f"there is no room for {size} bytes of shared memory, by which map hands batches to processes"
            help = "allow more of it (docker run --shm-size=2g), or give smaller batches or fewer workers"
            raise OSError(errno.ENOSPC, f"{what}: {help}") from None
        return block

    def leave(self) -> None:
        """Leaves the memory to the arrays that look into it, with the last of which it ends."""
        self._buf = self._mmap = None
        self.close()


def packed(value: Any, name: str) -> tuple[bytes, Block | None]:
    """Returns the message of a value, and the block of this name that has its memory where that is large. Whoever receives the message ends
    the name of the block."""
    buffers: list[pickle.PickleBuffer] = []
    stream = io.BytesIO()
    pickler = _Pickler(stream, 5, buffer_callback=buffers.append)
    pickler.dump(value)
    parts = [stream.getbuffer(), *(buffer.raw() for buffer in buffers)]
    if sum(part.nbytes for part in parts) <= MAX_INLINE_BYTES:
        return pickle.dumps((None, [bytearray(part) for part in parts]), 5), None
    spans: list[tuple[int, int]] = []
    size = 0
    for part in parts:
        spans.append((size, size + part.nbytes))
        size = -(-(size + part.nbytes) // ALIGNMENT) * ALIGNMENT
    block = Block.made(name, size)
    for (start, end), part in zip(spans, parts):
        if end > start:
            # Numpy lets other threads run meanwhile.
            np.copyto(np.frombuffer(block.memory, np.uint8, end - start, start), np.frombuffer(part, np.uint8))
    return pickle.dumps((name, spans), 5), block


def unpacked(message: bytes, *, ends: bool) -> Any:
    """Returns the value of a message, whose arrays look into its block.

    Args:
        message: The message.
        ends: Whether the name of the block ends now. Its memory ends with the arrays.
    """
    name, parts = pickle.loads(message)
    if name is None:
        return pickle.loads(parts[0], buffers=parts[1:])
    block = Block(name)
    try:
        if ends:
            block.unlink()
        views = [block.memory[start:end] for start, end in parts]
        return pickle.loads(views[0], buffers=views[1:])
    finally:
        block.leave()


def discard(name: str) -> None:
    """Ends a block that another process may have left."""
    try:
        block = Block(name)
    except (FileNotFoundError, ValueError):
        # There is none, or one that has no size yet.
        return
    block.close()
    block.unlink()


class _Pickler(pickle.Pickler):
    """A pickler that gives the memory of more kinds of arrays apart."""

    def reducer_override(self, value: Any) -> Any:
        if type(value) is RecordBatch:
            return batch_of_ipc, (pickle.PickleBuffer(ipc_of_batch(value)),)
        if type(value) is np.ndarray:
            flags = value.flags
            if flags.c_contiguous or flags.f_contiguous or value.dtype.hasobject:
                return NotImplemented
            return np.ascontiguousarray(value).__reduce_ex__(5)
        torch = sys.modules.get("torch")
        if torch is not None and type(value) is torch.Tensor and _is_plain(value, torch):
            return _tensor, (value.contiguous().reshape(-1).view(torch.uint8).numpy(), value.dtype, tuple(value.shape))
        return NotImplemented


def _is_plain(tensor: Any, torch: Any) -> bool:
    is_memory = tensor.layout is torch.strided and tensor.device.type == "cpu" and tensor.numel() > 0
    return is_memory and not (tensor.requires_grad or tensor.is_quantized or tensor.is_conj() or tensor.is_neg())


def _tensor(memory: Any, dtype: Any, shape: tuple[int, ...]) -> Any:
    torch = importlib.import_module("torch")
    return torch.from_numpy(memory).view(dtype).reshape(shape)
