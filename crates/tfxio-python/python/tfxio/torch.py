"""Data sets for PyTorch. Their tensors are the memory of the batches, not copies.

`LoaderDataset` gives shuffled and padded batches, `IterableDataset` dense, ragged and sparse ones in order, `MapDataset` rows by
number. Together all workers of all ranks see every record exactly once. `to_device` copies batches to a device, ahead of their use.

>>> import numpy as np, tempfile, tfxio.torch
>>> written = tfxio.write({"image": np.ones((100, 64), "float32"), "label": np.arange(100) % 10}, tempfile.mkdtemp() + "/digits.tfrecord")
>>> ds = tfxio.open(written.files)
>>> from torch.utils.data import DataLoader
>>> digits = tfxio.torch.LoaderDataset(ds, inputs=["image"], targets=["label"], batch_size=32, shuffle=True, seed=7)
>>> batch = next(iter(DataLoader(digits, batch_size=None)))
>>> batch["image"].shape, batch["label"].dtype
(torch.Size([32, 64]), torch.int64)
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Unpack, overload

import numpy as np
import torch
import torch.utils.data

from tfxio import _rows
from tfxio._arguments import integer, listed, names, refused
from tfxio._dataset import Dataset
from tfxio._given import known
from tfxio._lib import DenseTensor, LoadedBatch, RaggedTensor, SparseTensor, StructuredTensor
from tfxio._loader import BatchLoader
from tfxio._loader_config import Config
from tfxio._loader_keywords import LoaderKeywords
from tfxio._representations import Description
from tfxio._shards import Converted, Descriptions, Shard, ShardReader, Source
from tfxio._torch_device import DeviceLoader
from tfxio._torch_jagged import Jagged
from tfxio._torch_shards import Batch, Sharded
from tfxio._torch_workers import Sent
from tfxio.exceptions import SchemaMismatchError

__all__ = ["DeviceLoader", "IterableDataset", "LoaderDataset", "MapDataset", "Ragged", "Sparse", "to_device", "to_torch"]

# Seeds of 64 bits that lie far apart, so that those of two epochs do not meet those of the next seed.
SEED_STEP = 0x9E3779B97F4A7C15
#: By which a seed says its epoch.
STEP_INVERSE = pow(SEED_STEP, -1, 2**64)
#: What names tensors.
NAMES: tuple[Literal["inputs", "targets"], ...] = ("inputs", "targets")
#: By which an error says what to do with examples of different lengths.
OF_ONE_SHAPE = "which bring the tensors of a batch to one shape"


class Ragged(NamedTuple):
    """A ragged tensor that no nested tensor holds: of strings, or with more than one ragged dimension."""

    values: Any
    row_splits: list[torch.Tensor]


class Sparse(NamedTuple):
    """A sparse tensor that no tensor of torch holds: of strings."""

    indices: torch.Tensor
    values: Any
    dense_shape: tuple[int, ...]


def to_torch(value: Any) -> Any:
    """Returns a tensor, or all of a batch by name, as torch has them, without a copy.

    Dense ones become tensors, sparse ones COO tensors, ragged ones nested tensors of the layout `torch.jagged`. Torch has no strings:
    they stay arrays of numpy, inside of `Ragged` and `Sparse` as well. The memory is shared with the batch: clone what is written to.

    >>> import tempfile, tfxio.torch
    >>> written = tfxio.write({"words": [[3, 1], [], [2]]}, tempfile.mkdtemp() + "/texts.tfrecord")
    >>> batch = next(tfxio.open(written.files).tensors({"words": tfxio.Ragged("int64")}).read())
    >>> tfxio.torch.to_torch(batch)["words"].offsets()
    tensor([0, 2, 2, 3])
    """
    if isinstance(value, (Mapping, LoadedBatch)):
        return {name: to_torch(value[name]) for name in value.keys()}
    if isinstance(value, DenseTensor):
        return _dense(value)
    if isinstance(value, RaggedTensor):
        return _ragged(_dense(value.values), [_dense(splits) for splits in value.row_splits])
    if isinstance(value, SparseTensor):
        return _sparse(_dense(value.indices), _dense(value.values), value.dense_shape)
    if isinstance(value, StructuredTensor):
        raise TypeError("torch has no tensors of structs: describe the fields as tensors of their own")
    raise TypeError(f"a tensor of tfxio or a batch of them, not {type(value).__name__}")


def to_device(batches: Iterable[Any], device: torch.device | str | int, ahead: int = 2) -> DeviceLoader:
    """Returns batches on a device, whose copies begin before they are asked for.

    On CUDA they are copied from pinned memory on a stream of their own, beside the work of the stream that uses them; elsewhere, plainly.
    Tensors within dicts, lists and tuples are moved, sparse and nested ones too; arrays of numbers of numpy become tensors, strings stay.
    Each `for` begins what one over `batches` begins, and `state_dict` is the state of `batches` after the batch that came out last, though
    others are under way.

    Args:
        batches: A `LoaderDataset`, a `DataLoader` or a `StatefulDataLoader` with one, a `tfxio.BatchLoader` or what its `map` returns, or
            any iterable of batches.
        device: The device, as `torch.device("cuda")` or `"cuda:1"`.
        ahead: How many batches are on their way, beside the one that comes out.

    >>> import numpy as np, tempfile, tfxio.torch
    >>> written = tfxio.write({"image": np.ones((100, 64), "float32"), "label": np.arange(100) % 10}, tempfile.mkdtemp() + "/digits.tfrecord")
    >>> ds = tfxio.open(written.files)
    >>> digits = tfxio.torch.LoaderDataset(ds, inputs=["image"], targets=["label"], batch_size=32)
    >>> for batch in tfxio.torch.to_device(digits, "cpu"): pass
    >>> batch["image"].device, batch["image"].shape
    (device(type='cpu'), torch.Size([4, 64]))
    """
    return DeviceLoader(batches, device, ahead, _of_torch)


def _of_torch(value: Any) -> Any:
    is_ours = isinstance(value, (LoadedBatch, DenseTensor, RaggedTensor, SparseTensor, StructuredTensor))
    return to_torch(value) if is_ours else value


def _batch(tensors: Any) -> Batch:
    """Returns the batch of a stream, in a worker as one that goes to the parent as a whole."""
    return _sent(to_torch(tensors))


def _sent(batch: Batch) -> Batch:
    return batch if torch.utils.data.get_worker_info() is None else Sent(batch)


def _made_batch(made: Any) -> Batch:
    """Returns what a function has made of a batch: arrays of numbers as tensors, all else as it is."""
    if not isinstance(made, Mapping):
        raise refused("what map returns", "a dict of arrays by name", made)
    batch = {name: _of_numpy(value) for name, value in made.items()}
    return batch if torch.utils.data.get_worker_info() is None else Sent(batch)


def _of_numpy(value: Any) -> Any:
    if not isinstance(value, (np.ndarray, np.generic)) or value.dtype.kind not in "biufc":
        return value
    # Torch takes neither what is not to be written to nor steps backwards.
    return torch.from_numpy(np.require(value, requirements=["C", "W"]))


def _dense(tensor: DenseTensor) -> Any:
    return tensor.numpy() if tensor.dtype == "string" else torch.from_dlpack(tensor)


def _ragged(values: Any, row_splits: list[torch.Tensor]) -> Any:
    if len(row_splits) > 1 or not isinstance(values, torch.Tensor):
        return Ragged(values, row_splits)
    return torch.nested.nested_tensor_from_jagged(values, row_splits[0])


def _sparse(indices: torch.Tensor, values: Any, shape: tuple[int, ...]) -> Any:
    if not isinstance(values, torch.Tensor):
        return Sparse(indices, values, shape)
    return torch.sparse_coo_tensor(indices.T, values, shape)


class LoaderDataset(Sharded):
    """Batches of `tfxio.BatchLoader`: shuffled, padded, windowed. Dictionaries of tensors by name.

    Give it to a `DataLoader` with `batch_size=None`. Saved states go by `StatefulDataLoader` of torchdata.

    Args:
        dataset: What is loaded, as `tfxio.BatchLoader` has it.
        config: How batches are made, as `tfxio.BatchLoader` has it.
        seed: The seed of the first epoch, the same for all ranks. Each iteration is the next epoch, in an order of its own; `set_epoch` says
            another one.
        jagged: Tensors whose examples have different lengths, and which become nested tensors of the layout `torch.jagged`, without
            padding; those with the same lengths in a batch can be added. Other tensors are padded, as by `pad=True`.
        rank: The rank of this process. Default: that of `torch.distributed`, if it is initialised, otherwise 0.
        world_size: How many ranks there are.
        **how: Further arguments of `tfxio.BatchLoader`: `inputs`, `targets`, `batch_size`, `shuffle`, `drop_remainder`, ….

    >>> import numpy as np, tempfile, tfxio.torch
    >>> written = tfxio.write({"image": np.ones((100, 64), "float32"), "label": np.arange(100) % 10}, tempfile.mkdtemp() + "/digits.tfrecord")
    >>> ds = tfxio.open(written.files)
    >>> ranks = [tfxio.torch.LoaderDataset(ds, inputs=["label"], batch_size=30, rank=rank, world_size=2) for rank in range(2)]
    >>> sum(len(batch["label"]) for rank in ranks for batch in rank)
    100
    """

    def __init__(
        self,
        dataset: Dataset | Sequence[tuple[Dataset, float]] | None = None,
        config: Config | None = None,
        *,
        seed: int = 0,
        jagged: Iterable[str] = (),
        rank: int | None = None,
        world_size: int | None = None,
        **how: Unpack[LoaderKeywords],
    ) -> None:
        super().__init__(rank, world_size)
        for given in ("shard", "state"):
            if given in how:
                raise TypeError(f"{given} is not given: it follows from the rank, the worker and the state of the DataLoader")
        # Each epoch takes them again, which an iterator gives once.
        lasting: dict[str, Any] = {**how} | {name: names(name, how[name]) for name in NAMES if name in how}
        if dataset is not None and not isinstance(dataset, Dataset):
            dataset = listed("dataset", "a data set, or a list of pairs (data set, weight)", dataset)
        self._arguments = (config, dataset)
        self._seed = integer("seed", seed)
        self._function: Callable[..., Mapping[str, Any]] | None = None
        self._given: Any = "numpy"
        ragged = names("jagged", jagged)
        if config is not None and ragged:
            raise ValueError("jagged is not given beside a configuration: give keywords instead of one")
        self._jagged = Jagged(ragged, lasting, self._specs)
        self._how = self._jagged.keywords
        self._counted: tuple[Shard, int] | None = None
        # Arguments that do not fit fail here, and not in a worker.
        self._specs(self._how)

    def _specs(self, how: dict[str, Any]) -> dict[str, dict[str, Any]]:
        with BatchLoader(*self._arguments, seed=self._seed, **how) as loader:
            return loader.specs

    def __iter__(self) -> Iterator[Batch]:
        self._warn_if_batched()
        return _Epoch(self, self._begin())

    def map(self, function: Callable[..., Mapping[str, Any]], *, given: Literal["numpy", "torch"] = "numpy") -> LoaderDataset:
        """Returns the data set of what a function makes of each batch, in the process that loads it. Its epochs are its own.

        Args:
            function: As `tfxio.BatchLoader.map` has it: it takes a dict of arrays of numpy by the names of tensors and, where it has an
                argument `rng`, random numbers that are the same after going on from a state. It returns a dict; arrays of numbers in it
                become tensors.
            given: What it takes: arrays of numpy, or tensors, in the same memory.

        >>> import numpy as np, tempfile, tfxio.torch
        >>> written = tfxio.write({"image": np.ones((100, 64), "float32"), "label": np.arange(100) % 10}, tempfile.mkdtemp() + "/digits.tfrecord")
        >>> ds = tfxio.open(written.files)
        >>> def flip(batch, rng):
        ...     images = batch["image"].reshape(-1, 8, 8)
        ...     return {**batch, "image": images[..., ::-1] if rng.random() < 0.5 else images}
        >>> digits = tfxio.torch.LoaderDataset(ds, inputs=["image"], targets=["label"], batch_size=32, seed=7)
        >>> next(iter(digits.map(flip)))["image"].shape
        torch.Size([32, 8, 8])
        """
        if not callable(function):
            raise refused("map", "a function of a batch", function)
        if self._function is not None:
            raise ValueError("this data set has a function already: call both in one")
        if self._jagged.tensors:
            raise ValueError("jagged is not given beside map: make nested tensors in the function, or give pad=True")
        mapped = copy.copy(self)
        mapped._function = function
        mapped._given = known(given, ("numpy", "torch"))
        mapped._count_anew(self._epoch)
        return mapped

    def _loader(self, seed: int) -> BatchLoader:
        return BatchLoader(*self._arguments, seed=seed, shard=self.shard, **self._how)

    def _batches_here(self) -> int:
        """Returns the number of batches of an epoch that are made in this process. Workers would have one more each that is not full."""
        if self._counted is None or self._counted[0] != self.shard:
            with self._loader(self._seed) as loader:
                self._counted = self.shard, len(loader)
        return self._counted[1]

    def _batch(self, tensors: LoadedBatch) -> Batch:
        return _sent(self._jagged(to_torch(tensors), _ragged)) if self._jagged.tensors else _batch(tensors)


class _Epoch(Converted[Batch]):
    """The batches of an epoch, which a state may say to be another."""

    def __init__(self, dataset: LoaderDataset, epoch: int) -> None:
        self._dataset = dataset
        function = dataset._function
        super().__init__(self._begin((dataset._seed + epoch * SEED_STEP) % 2**64), dataset._batch if function is None else _made_batch)

    def _begin(self, seed: int) -> Source[Any]:
        self._loader = self._dataset._loader(seed)
        function = self._dataset._function
        return self._loader if function is None else self._loader.map(function, given=self._dataset._given)

    def __next__(self) -> Batch:
        try:
            return super().__next__()
        except SchemaMismatchError as error:
            # What loaders say, and what only this one has.
            text = str(error)
            error.args = (text.replace(OF_ONE_SHAPE, f"{OF_ONE_SHAPE}, jagged=[…], which makes nested tensors of them"),)
            raise

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Goes on with exactly what came after a state; the next iteration is that of the epoch after its own."""
        seed = state.get("seed") if isinstance(state, Mapping) else None
        if isinstance(seed, int) and seed != self._loader.seed:
            epoch = (seed - self._dataset._seed) * STEP_INVERSE % 2**64
            if epoch < 2**31 - 1:
                self._loader.close()
                self._source = self._begin(seed)
                self._dataset._go_on_after(epoch)
        super().load_state_dict(state)


class IterableDataset(Sharded):
    """Tensors of a data set in order: dense, ragged and sparse ones. Dictionaries of tensors by name.

    Ranks and workers divide the partitions of the data. A batch does not span two partitions: the last one of each may have fewer
    rows. Give it to a `DataLoader` with `batch_size=None`.

    Args:
        dataset: What is read.
        tensors: The description of each tensor by its name, as `Dataset.tensors` has them.
        batch_size: Rows a batch.
        rank: The rank of this process. Default: that of `torch.distributed`, if it is initialised, otherwise 0.
        world_size: How many ranks there are.

    >>> import numpy as np, tempfile, tfxio.torch
    >>> written = tfxio.write({"image": np.ones((100, 64), "float32"), "label": np.arange(100) % 10}, tempfile.mkdtemp() + "/digits.tfrecord")
    >>> ds = tfxio.open(written.files)
    >>> tensors = {"image": tfxio.Ragged("float32"), "label": tfxio.FixedLen([], "int64")}
    >>> batch = next(iter(tfxio.torch.IterableDataset(ds, tensors, batch_size=16)))
    >>> batch["image"].layout, batch["label"].shape
    (torch.jagged, torch.Size([16]))
    """

    def __init__(
        self,
        dataset: Dataset,
        tensors: Descriptions = None,
        *,
        batch_size: int,
        rank: int | None = None,
        world_size: int | None = None,
    ) -> None:
        super().__init__(rank, world_size)
        self._dataset = dataset
        self._tensors = _lasting(tensors)
        self._batch_size = batch_size
        self.specs = dataset.tensors(self._tensors).specs

    def __iter__(self) -> Iterator[Batch]:
        self._warn_if_batched()
        reader = ShardReader(self._dataset, self._tensors, batch_size=self._batch_size, shard=self.shard)
        return Converted(reader, _batch)


def _lasting(tensors: Descriptions) -> Mapping[str, Description] | list[str] | None:
    return tensors if tensors is None or isinstance(tensors, Mapping) else list(tensors)


class MapDataset(torch.utils.data.Dataset[Batch]):
    """The rows of a data set by number, for the samplers of torch. Each is a dictionary of tensors by name.

    `dataset[i]` is a row, whose sparse and ragged tensors are their values. `dataset[[i, j]]` is a batch of rows: a `DataLoader` with
    a `BatchSampler` as its `sampler` and `batch_size=None` makes such ones. Rows are found by number, without reading those before
    them, where the format can; a `LoaderDataset` shuffles much faster.

    Args:
        dataset: What is read.
        tensors: The description of each tensor by its name, as `Dataset.tensors` has them.

    >>> import numpy as np, tempfile, tfxio.torch
    >>> written = tfxio.write({"image": np.ones((100, 64), "float32"), "label": np.arange(100) % 10}, tempfile.mkdtemp() + "/digits.tfrecord")
    >>> ds = tfxio.open(written.files)
    >>> rows = tfxio.torch.MapDataset(ds, {"image": tfxio.FixedLen([8, 8], "float32")})
    >>> len(rows), rows[-1]["image"].shape, rows[[3, 1, 2]]["image"].shape
    (100, torch.Size([8, 8]), torch.Size([3, 8, 8]))
    """

    def __init__(self, dataset: Dataset, tensors: Mapping[str, Description]) -> None:
        self._rows = _rows.Rows(dataset, tensors)

    @property
    def specs(self) -> dict[str, dict[str, Any]]:
        """The kind, dtype and shape of each tensor, by name."""
        return self._rows.specs

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> Batch: ...

    @overload
    def __getitem__(self, index: Iterable[int]) -> Batch: ...

    def __getitem__(self, index: int | Iterable[int]) -> Batch:
        """Returns a row, or the batch of several rows."""
        if isinstance(index, Iterable) and not isinstance(index, torch.Tensor):
            return _joined(self._rows.take(list(index)))
        if isinstance(index, torch.Tensor) and index.dim() > 0:
            return _joined(self._rows.take(index.tolist()))
        return _row(self._rows.take([int(index)])[0])

    def __getitems__(self, indices: Sequence[int]) -> list[Batch]:
        """Returns rows, as a `DataLoader` asks for the rows of a batch."""
        return list(map(_row, self._rows.take(indices)))


def _row(tensors: Mapping[str, Any]) -> Batch:
    return {name: _writable(_rows.row(tensor)) for name, tensor in tensors.items()}


def _writable(value: Any) -> Any:
    """Returns a value of numpy as a tensor; strings as they are."""
    if not hasattr(value, "dtype") or value.dtype.kind in "OSU":
        return value
    return torch.tensor(value)


def _joined(rows: list[dict[str, Any]]) -> Batch:
    if not rows:
        raise IndexError("a batch has at least one row")
    return {name: _joined_tensors([row[name] for row in rows]) for name in rows[0]}


def _joined_tensors(tensors: list[Any]) -> Any:
    if isinstance(tensors[0], DenseTensor):
        return _writable(_rows.dense(tensors))
    if isinstance(tensors[0], RaggedTensor):
        values, splits = _rows.ragged(tensors)
        return _ragged(_writable(values), [torch.tensor(level) for level in splits])
    if isinstance(tensors[0], SparseTensor):
        indices, values, shape = _rows.sparse(tensors)
        return _sparse(torch.tensor(indices), _writable(values), shape)
    return to_torch(tensors[0])
