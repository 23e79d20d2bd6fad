"""Batches on their way from a worker of a `DataLoader` of torch to the process that asked for them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import torch

# Tensors begin at multiples of it, which suits every dtype.
ALIGNMENT = 64
# What is smaller goes through the pipe with the rest of the batch: to ask for a block of shared memory, and to take over its file, takes
# longer than to copy it. Batches a second of one worker on two busy cores, by shared memory and by the pipe: 183 and 400 of 384 KiB,
# 412 and 605 of 768 KiB, 213 and 183 of 3 MiB.
MAX_INLINE_BYTES = 1 << 20


class Sent(dict[str, Any]):
    """A batch of a worker. Its tensors are sent as one block of shared memory, and are views of it where they arrive.

    Torch would send each tensor in a block of its own, whose file descriptor the other process asks for: with many columns that takes
    longer than decoding them.
    """

    def __copy__(self) -> Sent:
        return Sent(self)

    def __reduce__(self) -> tuple[Callable[..., dict[str, Any]], tuple[Any, ...]]:
        packed = _Packed()
        values = {name: packed.value(value) for name, value in self.items()}
        return _received, (packed.block(), values)


class _Packed:
    """Tensors that get one block of memory."""

    def __init__(self) -> None:
        self._tensors: list[tuple[int, torch.Tensor]] = []
        self._bytes = 0

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
        start = self._bytes
        self._tensors.append((start, tensor))
        self._bytes = -(-(start + tensor.nbytes) // ALIGNMENT) * ALIGNMENT
        return _tensor, start, start + tensor.nbytes, tensor.dtype, tensor.shape

    def block(self) -> Any:
        """Returns the bytes of all tensors: those of few bytes as `bytes`, others as a tensor of shared memory."""
        if self._bytes <= MAX_INLINE_BYTES:
            return b"".join(self._pieces())
        storage = torch.UntypedStorage._new_shared(self._bytes)
        if torch.multiprocessing.get_sharing_strategy() == "file_descriptor":
            # Bytes that are written to the file need not have its pages in this process, each of which would be a fault.
            file = storage._share_fd_cpu_()[0]
            for start, tensor in self._tensors:
                _write(file, _memory(tensor), start)
            return torch.empty(0, dtype=torch.uint8).set_(storage)
        block = torch.empty(0, dtype=torch.uint8).set_(storage)
        for start, tensor in self._tensors:
            block[start : start + tensor.nbytes].copy_(tensor.view(-1).view(torch.uint8))
        return block

    def _pieces(self) -> Iterator[Any]:
        at = 0
        for start, tensor in self._tensors:
            yield bytes(start - at)
            yield _memory(tensor)
            at = start + tensor.nbytes


def _memory(tensor: torch.Tensor) -> memoryview:
    return memoryview(tensor.detach().view(-1).view(torch.uint8).numpy())


def _write(file: int, data: memoryview, at: int) -> None:
    while data:
        written = os.pwrite(file, data, at)
        data, at = data[written:], at + written


def _is_plain(tensor: torch.Tensor) -> bool:
    is_memory = tensor.layout is torch.strided and tensor.device.type == "cpu" and tensor.is_contiguous()
    says_more = tensor.requires_grad or tensor.is_quantized or tensor.is_conj() or tensor.is_neg()
    return is_memory and not says_more and tensor.nbytes > 0


def _received(block: Any, values: dict[str, tuple[Any, ...]]) -> dict[str, Any]:
    if isinstance(block, bytes):
        block = torch.frombuffer(bytearray(block), dtype=torch.uint8) if block else None
    return {name: _value(block, value) for name, value in values.items()}


def _value(block: Any, value: tuple[Any, ...]) -> Any:
    make, *arguments = value
    return make(block, *arguments)


def _itself(_block: Any, value: Any) -> Any:
    return value


def _tensor(block: torch.Tensor, start: int, end: int, dtype: torch.dtype, shape: torch.Size) -> torch.Tensor:
    return block[start:end].view(dtype).view(shape)


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
