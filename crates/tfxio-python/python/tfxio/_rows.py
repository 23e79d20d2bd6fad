"""Rows of a data set by their numbers, as tensors."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tfxio._dataset import Dataset
from tfxio._lib import DenseTensor, RaggedTensor, RecordBatch, Request, SparseTensor
from tfxio._representations import Description, Representation
from tfxio._tensors import TensorAdapter

if TYPE_CHECKING:
    from tfxio._lib import Tensor

Numpy: TypeAlias = Any

# Beginning to read somewhere takes as long as reading about this many rows.
ROWS_READ_OVER = 64


class Rows:
    """The rows of a data set by number. It can be pickled.

    Args:
        dataset: The data set.
        tensors: The description of each tensor by its name, as `Dataset.tensors` has them.
    """

    def __init__(self, dataset: Dataset, tensors: Mapping[str, Description]) -> None:
        self._dataset = dataset
        self._described = dict(tensors)
        self._length = len(dataset)
        self._columns = _columns(self._described, dataset.schema.names)
        with dataset.read(columns=self._columns) as reader:
            self._adapter = TensorAdapter(reader.schema, self._described)

    @property
    def specs(self) -> dict[str, dict[str, Any]]:
        """The kind, dtype and shape of each tensor, by name."""
        return self._adapter.specs

    def __len__(self) -> int:
        return self._length

    def number(self, index: int) -> int:
        """Returns the number of a row, which may count from the end."""
        number = int(index)
        number = number + self._length if number < 0 else number
        if not 0 <= number < self._length:
            raise IndexError(f"row {index} of {self._length} rows")
        return number

    def take(self, indices: Sequence[int]) -> list[dict[str, Tensor]]:
        """Returns rows, each as tensors of a batch of one row, in the order that is asked for."""
        numbers = [self.number(index) for index in indices]
        found: dict[int, dict[str, Tensor]] = {}
        for first, last in _runs(sorted(set(numbers))):
            # Few rows, which several workers or threads of a sampler ask for at once.
            request = Request(columns=self._columns, limit=last + 1 - first, threads=1)
            begin = first
            for batch in self._dataset._native_dataset.read(request, after=first):
                found |= self._rows_of(batch, begin, numbers)
                begin += batch.num_rows
        return [found[number] for number in numbers]

    def _rows_of(self, batch: RecordBatch, begin: int, numbers: Sequence[int]) -> dict[int, dict[str, Tensor]]:
        inside = {number for number in numbers if begin <= number < begin + batch.num_rows}
        return {number: self._adapter.tensors(batch.slice(number - begin, 1)) for number in inside}

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self._dataset, self._described, self._length, self._columns, self._adapter)


def _unpickled(*members: Any) -> Rows:
    rows = Rows.__new__(Rows)
    rows._dataset, rows._described, rows._length, rows._columns, rows._adapter = members
    return rows


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yields the first and the last number of the runs to be read; what lies between is read over."""
    if not numbers:
        return
    first = last = numbers[0]
    for number in numbers[1:]:
        if number - last > ROWS_READ_OVER:
            yield first, last
            first = number
        last = number
    yield first, last


def _columns(tensors: Mapping[str, Description], names: Sequence[str]) -> list[str] | None:
    """Returns the columns that descriptions name, or `None` for all where this does not show."""
    found: set[str] = set()
    for name, description in tensors.items():
        if not isinstance(description, Representation):
            return None
        members = json.loads(json.dumps(description.to_json()))
        keys = [members[key] for key in ("key", "column", "value_key", "index_key") if key in members] or [name]
        keys += [part["row_lengths"] for part in members.get("partitions", ()) if "row_lengths" in part]
        if isinstance(members.get("index_key"), list):
            keys += members["index_key"]
        steps = [key if isinstance(key, str) else key[0] for key in keys]
        if any(step not in names for step in steps):
            return None
        found.update(steps)
    return [name for name in names if name in found]


def row(tensor: Tensor) -> Numpy:
    """Returns the value of a batch of one row as numpy; the values of a ragged or sparse one."""
    if isinstance(tensor, DenseTensor):
        return tensor.numpy()[0]
    if isinstance(tensor, (RaggedTensor, SparseTensor)):
        return tensor.values.numpy()
    raise TypeError(f"{type(tensor).__name__} has no form in numpy: describe its fields as tensors of their own")


def dense(tensors: Sequence[DenseTensor]) -> Numpy:
    """Returns the rows of dense tensors as one array."""
    return np.concatenate([tensor.numpy() for tensor in tensors])


def ragged(tensors: Sequence[RaggedTensor]) -> tuple[Numpy, list[Numpy]]:
    """Returns the values and the row splits of the rows of ragged tensors."""
    values = np.concatenate([tensor.values.numpy() for tensor in tensors])
    splits = []
    for level in range(len(tensors[0].row_splits)):
        lengths = [np.diff(tensor.row_splits[level].numpy()) for tensor in tensors]
        joined = np.concatenate(lengths)
        splits.append(np.concatenate([[0], np.cumsum(joined)]).astype(joined.dtype))
    return values, splits


def sparse(tensors: Sequence[SparseTensor]) -> tuple[Numpy, Numpy, tuple[int, ...]]:
    """Returns the indices, the values and the shape of the rows of sparse tensors."""
    parts = []
    for at, tensor in enumerate(tensors):
        indices = tensor.indices.numpy().copy()
        indices[:, 0] += at
        parts.append(indices)
    sizes = np.max([tensor.dense_shape[1:] for tensor in tensors], axis=0).astype(int).tolist()
    values = np.concatenate([tensor.values.numpy() for tensor in tensors])
    return np.concatenate(parts), values, (len(tensors), *sizes)
