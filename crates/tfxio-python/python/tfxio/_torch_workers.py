"""Batches on their way from a worker of a `DataLoader` of torch to the process that asked for them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from multiprocessing.reduction import ForkingPickler
from typing import Any

import numpy as np
import torch

from tfxio import _torch_slots

# Tensors begin at multiples of it, which suits every dtype.
ALIGNMENT = 64
# Batches of so many bytes go by a slot, smaller ones through the pipe with all else, which takes them at once without a wait for whoever
# reads. Batches a second of one worker on two busy cores, by the slot and by the next best: 2300 and 1090 of 392 KiB, 945 and 558 of
# 1.5 MiB, 625 and 238 of 6 MiB.
MIN_SLOT_BYTES = 48 << 10
# Those without a slot go through the pipe up to this size, else as a block of shared memory of their own: to ask for one, and to take
# over its file, takes longer than to copy less.
MAX_INLINE_BYTES = 1 << 20
# Dtypes of most tensors, which are those of numpy as well.
OF_NUMPY = {torch.float32, torch.float64, torch.int32, torch.int64, torch.uint8, torch.bool}


class Sent(dict[str, Any]):
    """A batch of a worker. Its tensors are sent as one block of memory, and are views of it where they arrive.

    Torch would send each tensor in a block of its own, whose file descriptor the other process asks for: with many columns that takes
    longer than decoding them.
    """

    def __copy__(self) -> Sent:
        return Sent(self)

    def __reduce__(self) -> tuple[Callable[..., dict[str, Any]], tuple[Any, ...]]:
        packed = _Packed()
        values = packed.values(self)
        return _received, (packed.block(), values)


def _reduced(batch: Sent) -> tuple[Callable[..., dict[str, Any]], tuple[Any, ...]]:
    """Returns what is sent to another process for a batch."""
    packed = _Packed()
    values = packed.values(batch)
    fits = MIN_SLOT_BYTES <= packed.bytes <= _torch_slots.SLOT_BYTES
    slots = _torch_slots.own() if fits else None
    if slots is None:
        return _received, (packed.block(), values)
    slot = slots.take() if slots.is_shared else None
    if slot is None:
        return _received, (packed.block(), values, None if slots.is_shared else slots.offer)
    packed.write(torch.frombuffer(slots.memory, dtype=torch.uint8, count=packed.bytes, offset=_torch_slots.start(slot)))
    return _taken, (slots.token, slot, packed.bytes, values)


# Of queues and pipes between processes alone: who pickles a batch for a file keeps it.
ForkingPickler.register(Sent, _reduced)


class _Block:
    """Memory in which tensors are."""

    def __init__(self, memory: torch.Tensor) -> None:
        self._of = {torch.uint8: memory}

    def tensor(self, dtype: torch.dtype, start: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> torch.Tensor:
        """Returns a tensor that begins at a number of items."""
        memory = self._of.get(dtype)
        if memory is None:
            memory = self._of[dtype] = self._of[torch.uint8].view(dtype)
        return memory.as_strided(shape, strides, start)


class _Packed:
    """Tensors that get one block of memory."""

    def __init__(self) -> None:
        self._tensors: list[tuple[int, torch.Tensor]] = []
        self.bytes = 0

    def values(self, batch: dict[str, Any]) -> dict[str, Any]:
        """Returns what is sent for the values of a batch."""
        return {name: self.value(value) for name, value in batch.items()}

    def value(self, value: Any) -> Any:
        """Returns what is sent for a value: a function of this module that makes it, and its arguments."""
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return _tuple, type(value), [self.value(field) for field in value]
        if isinstance(value, list):
            return _list, [self.value(item) for item in value]
        if type(value) is torch.Tensor and value.layout is torch.sparse_coo:
            indices = value._indices()
            # Those of a batch of ours are columns of its memory.
            are_columns = not indices.is_contiguous()
            parts = [self.value(indices.T if are_columns else indices), self.value(value._values())]
            return _sparse, *parts, value.shape, value.is_coalesced(), are_columns
        if isinstance(value, torch.Tensor) and value.layout is torch.jagged and value.lengths() is None:
            return _jagged, self.value(value.values()), self.value(value.offsets())
        if type(value) is torch.Tensor and _is_plain(value):
            return self._slot(value)
        return _itself, value

    def _slot(self, tensor: torch.Tensor) -> tuple[Any, ...]:
        start = self.bytes
        self.bytes = -(-(start + tensor.nbytes) // ALIGNMENT) * ALIGNMENT
        self._tensors.append((start, tensor))
        return _tensor, tensor.dtype, start // tensor.itemsize, tuple(tensor.shape), tensor.stride()

    def write(self, memory: torch.Tensor) -> None:
        """Writes all tensors to memory."""
        block = _Block(memory)
        for start, tensor in self._tensors:
            block.tensor(tensor.dtype, start // tensor.itemsize, tensor.shape, tensor.stride()).copy_(tensor)

    def block(self) -> Any:
        """Returns the bytes of all tensors: those of few bytes as `bytes`, others as a tensor of shared memory."""
        if self.bytes <= MAX_INLINE_BYTES:
            return b"".join(self._pieces())
        storage = torch.UntypedStorage._new_shared(self.bytes)
        if torch.multiprocessing.get_sharing_strategy() == "file_descriptor":
            # Bytes that are written to the file need not have its pages in this process, each of which would be a fault.
            file = storage._share_fd_cpu_()[0]
            for start, tensor in self._tensors:
                _write(file, _memory(tensor), start)
            return torch.empty(0, dtype=torch.uint8).set_(storage)
        memory = torch.empty(0, dtype=torch.uint8).set_(storage)
        self.write(memory)
        return memory

    def _pieces(self) -> Iterator[Any]:
        at = 0
        for start, tensor in self._tensors:
            yield bytes(start - at)
            # Numpy lacks some dtypes.
            yield tensor.numpy() if tensor.dtype in OF_NUMPY else _memory(tensor)
            at = start + tensor.nbytes
        # Memory of one dtype ends with an item.
        yield bytes(self.bytes - at)


def _memory(tensor: torch.Tensor) -> memoryview:
    return memoryview(tensor.view(-1).view(torch.uint8).numpy())


def _write(file: int, data: memoryview, at: int) -> None:
    while data:
        written = os.pwrite(file, data, at)
        data, at = data[written:], at + written


def _is_plain(tensor: torch.Tensor) -> bool:
    is_memory = tensor.layout is torch.strided and tensor.device.type == "cpu" and tensor.is_contiguous()
    says_more = tensor.requires_grad or tensor.is_quantized or tensor.is_conj() or tensor.is_neg()
    return is_memory and not says_more and tensor.nbytes > 0


def _received(block: Any, values: dict[str, tuple[Any, ...]], offer: Any = None) -> dict[str, Any]:
    if offer is not None:
        _torch_slots.accept(*offer)
    if isinstance(block, bytes):
        block = torch.frombuffer(bytearray(block), dtype=torch.uint8) if block else torch.empty(0, dtype=torch.uint8)
    return _made(block, values)


def _taken(token: bytes, slot: int, size: int, values: dict[str, tuple[Any, ...]]) -> dict[str, Any]:
    slots = _torch_slots.of_worker(token)
    block = torch.empty(size, dtype=torch.uint8)
    # Torch would copy by several threads, which wait for each other longer than one copies.
    np.copyto(block.numpy(), np.frombuffer(slots, np.uint8, size, _torch_slots.start(slot)))
    _torch_slots.free(slots, slot)
    return _made(block, values)


def _made(memory: torch.Tensor, values: dict[str, tuple[Any, ...]]) -> dict[str, Any]:
    block = _Block(memory)
    return {name: _value(block, value) for name, value in values.items()}


def _value(block: Any, value: tuple[Any, ...]) -> Any:
    make, *arguments = value
    return make(block, *arguments)


def _itself(_block: Any, value: Any) -> Any:
    return value


def _tensor(block: _Block, *where: Any) -> torch.Tensor:
    return block.tensor(*where)


def _jagged(block: Any, values: tuple[Any, ...], offsets: tuple[Any, ...]) -> torch.Tensor:
    return torch.nested.nested_tensor_from_jagged(_value(block, values), _value(block, offsets))


def _sparse(
    block: Any, indices: tuple[Any, ...], values: tuple[Any, ...], shape: torch.Size, is_coalesced: bool, are_columns: bool
) -> torch.Tensor:
    columns = _value(block, indices)
    of = columns.T if are_columns else columns
    return torch.sparse_coo_tensor(of, _value(block, values), shape, is_coalesced=is_coalesced)


def _list(block: Any, values: list[tuple[Any, ...]]) -> list[Any]:
    return [_value(block, value) for value in values]


def _tuple(block: Any, kind: Callable[..., Any], fields: list[tuple[Any, ...]]) -> Any:
    return kind(*[_value(block, field) for field in fields])
