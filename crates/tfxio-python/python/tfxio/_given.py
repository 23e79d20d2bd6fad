"""What functions of batches are given: arrays of numpy, tensors of torch, batches of Arrow. None of them is a copy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from tfxio._lib import Array, RecordBatch

if TYPE_CHECKING:
    import numpy as np


def known(given: Any, kinds: Iterable[str]) -> str:
    """Returns what a function is given, if it is one of some kinds. What that needs is imported."""
    kinds = tuple(kinds)
    if given not in kinds:
        quoted = [f'"{kind}"' for kind in kinds]
        raise ValueError(f"given is {', '.join(quoted[:-1])} or {quoted[-1]}, not {given!r}")
    if given == "torch":
        _torch()
    return str(given)


def of_arrays(arrays: dict[str, Any], given: str) -> Any:
    """Returns tensors of a loader, which are arrays of numpy."""
    if given == "torch":
        return {name: tensor(array) for name, array in arrays.items()}
    if given == "arrow":
        from tfxio import _columns

        return _columns.batch(arrays)
    return arrays


def of_columns(batch: RecordBatch, given: str) -> Any:
    """Returns columns of a data set."""
    if given == "torch":
        return {name: _tensor_of(batch[name]) for name in batch.schema.names}
    if given == "numpy":
        return {name: batch[name].to_numpy() for name in batch.schema.names}
    return batch


def _tensor_of(column: Array) -> Any:
    """Returns the tensor of a column of numbers, or of lists of as many numbers each; other columns as numpy has them."""
    if column.type.startswith("FixedSizeList(") and column.null_count == 0 and len(column) > 0:
        values = column.flattened
        if values.null_count == 0 and values.to_numpy().dtype.kind in "biuf":
            return tensor(values.to_numpy()).reshape(len(column), -1)
    return tensor(column.to_numpy())


def tensor(array: np.ndarray[Any, Any]) -> Any:
    """Returns the tensor of an array of numbers; another array as it is."""
    if array.dtype.kind not in "biuf":
        return array
    if not array.flags.writeable:
        import numpy as np

        array = np.asarray(_Writable(array))
    return _torch().from_numpy(array)


class _Writable:
    """Memory that is not to be written to, as torch takes it without a warning."""

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self._array = array
        interface: Mapping[str, Any] = array.__array_interface__
        self.__array_interface__ = {**interface, "data": (interface["data"][0], False)}


def _torch() -> Any:
    from tfxio._reading import needed

    return needed("torch", "torch")


def use_one_thread(given: str) -> None:
    """Makes torch work on one thread in a process that is one of several."""
    if given == "torch":
        _torch().set_num_threads(1)
