"""Columns of Arrow that are made of what Python has: lists, arrays of numpy and torch, series."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from tfxio import _arguments, _lib
from tfxio._lib import Array, DenseTensor, RaggedTensor, RecordBatch, Schema

Numpy: TypeAlias = Any

#: Units of times of numpy, and those in which they are stored.
UNITS = {"h": "s", "m": "s", "s": "s", "ms": "ms", "us": "us", "ns": "ns"}

#: What a column may be.
WANTED = "a list, an array, a series or a column of Arrow"


def is_of_arrow(value: Any, method: str) -> bool:
    """Returns whether an object has a method of the Arrow PyCapsule interface."""
    return not isinstance(value, type) and hasattr(value, method)


def batch(columns: Mapping[str, Any], *, like: Schema | None = None, first: int = 0, copies: bool = False) -> RecordBatch:
    """Returns columns as a batch; of the columns of a schema, if one is given.

    Args:
        columns: The columns by name.
        like: The schema.
        first: The number of the first row, by which errors count.
        copies: Whether arrays of numpy are copied, because whoever gives them may change them.
    """
    names = [_arguments.text("the name of a column", name) for name in columns]
    if like is not None:
        _same_names(names, like.names)
        names = like.names
    made = [column(name, columns[name], like=like, first=first, copies=copies) for name in names]
    lengths = [len(array) for array in made]
    for name, length in zip(names, lengths):
        if length != lengths[0]:
            raise ValueError(f"columns have different numbers of rows: {names[0]!r} has {lengths[0]}, and {name!r} has {length}")
    return _lib.batch_of_columns(names, made, lengths[0] if lengths else 0, like, first)


def _same_names(names: Sequence[str], known: Sequence[str]) -> None:
    if further := [name for name in names if name not in known]:
        raise ValueError(f"a batch has the column {further[0]!r}, which those before it do not have")
    if missing := [name for name in known if name not in names]:
        raise ValueError(f"a batch has no column {missing[0]!r}, which those before it have")


def column(name: str, values: Any, *, like: Schema | None = None, first: int = 0, copies: bool = False) -> Array:
    """Returns a column."""
    if isinstance(values, Array):
        return values
    if isinstance(values, (DenseTensor, RaggedTensor)):
        return _tensor(name, values)
    if (array := as_numpy(name, values)) is not None:
        return _array(name, array, copies)
    if (array := _of_arrow(name, values)) is not None:
        return array
    if isinstance(values, (str, bytes, bytearray, Mapping)) or not isinstance(values, Sequence):
        raise _arguments.refused(f"the column {name!r}", WANTED, values)
    return _of_values(name, list(values), like, first)


def _of_arrow(name: str, values: Any) -> Array | None:
    """Returns a column of another library."""
    library = type(values).__module__.partition(".")[0]
    if library == "pandas" and hasattr(values, "array"):
        from tfxio._reading import needed

        values = needed("pyarrow", "pandas").array(values, from_pandas=True)
    if library == "polars" and hasattr(values, "to_frame"):
        reader = _lib.BatchReader.from_arrow(values.rechunk().to_frame(name))
        batches = list(reader) or [_lib.batch_of_columns([name], [_lib.array_of_values(name, [])], 0, reader.schema)]
        if len(batches) > 1:
            raise ValueError(f"the column {name!r} is too large for one array: write a frame")
        return batches[0][name]
    if hasattr(values, "combine_chunks"):
        values = values.combine_chunks()
        if hasattr(values, "num_chunks"):
            raise ValueError(f"the column {name!r} is too large for one array: write a table")
    return Array.from_arrow(values) if is_of_arrow(values, "__arrow_c_array__") else None


def as_numpy(name: str, values: Any) -> Numpy | None:
    """Returns an array of numpy, torch or another library as numpy, `None` for what is no array."""
    if isinstance(values, np.ndarray):
        return values
    if isinstance(values, type) or isinstance(values, (list, tuple, str, bytes)):
        return None
    if callable(getattr(values, "detach", None)) and callable(getattr(values, "cpu", None)):
        values = values.detach().cpu()
        if str(values.dtype) == "torch.bfloat16":
            # Every one of them is a float of 32 bits.
            values = values.float()
        return np.asarray(values.numpy())
    library = type(values).__module__.partition(".")[0]
    if library in ("pandas", "polars", "pyarrow") or is_of_arrow(values, "__arrow_c_array__"):
        return None
    if hasattr(values, "__array__") and not isinstance(values, np.generic):
        return np.asarray(values)
    return None


def _tensor(name: str, tensor: DenseTensor | RaggedTensor) -> Array:
    if isinstance(tensor, DenseTensor):
        return _array(name, tensor.numpy(), copies=False)
    made = _array(name, tensor.values.numpy(), copies=False)
    for splits in reversed(tensor.row_splits):
        made = _lib.array_of_lists(made, np.diff(splits.numpy()).tolist())
    return made


def _array(name: str, array: Numpy, copies: bool) -> Array:
    """Returns a column of an array whose first dimension is the rows."""
    if array.ndim == 0:
        raise ValueError(f"the column {name!r} is one value, and a column has a value for each row: give a list or an array")
    values = _flat(name, array, copies)
    return values if array.ndim == 1 else _lib.array_of_shape(values, array.shape[0], list(array.shape[1:]))


def _flat(name: str, array: Numpy, copies: bool) -> Array:
    """Returns the values of an array, one after the other."""
    nulls: list[bool] | None = None
    if isinstance(array, np.ma.MaskedArray):
        nulls = np.ma.getmaskarray(array).reshape(-1).tolist()
        array = np.ma.getdata(array)
    kind = array.dtype.kind
    if kind in "OUS" or array.dtype.names is not None:
        if array.dtype.names is not None:
            raise TypeError(f"the column {name!r} is an array of structures: give each field as a column of its own")
        listed = array.reshape(-1).tolist()
        if nulls is not None:
            listed = [None if null else value for value, null in zip(listed, nulls)]
        return _lib.array_of_values(name, listed)
    if kind not in "biufMm" or array.dtype.itemsize > 8:
        if str(array.dtype) == "bfloat16":
            return _flat(name, array.astype(np.float32), copies=False)
        raise TypeError(f"the column {name!r} is an array of {array.dtype}, and columns hold bools, integers, floats of up to 64 bits, times and texts")
    stored: str | None = None
    if kind in "Mm":
        array, stored = _times(name, array)
        missing = np.isnat(array).reshape(-1)
        array = array.view(np.int64)
        if missing.any():
            nulls = (missing | np.asarray(nulls, bool)).tolist() if nulls is not None else missing.tolist()
        if stored == "date32":
            array = _days(name, array, missing)
    if kind == "f" and array.dtype.itemsize == 2:
        stored = "float16"
        array = np.ascontiguousarray(array, np.float16).view(np.uint16)
    if kind == "b":
        stored = "bool"
        array = np.ascontiguousarray(array).view(np.uint8)
    native = np.require(array, array.dtype.newbyteorder("="), ["C", "A"]).reshape(-1)
    if copies and np.shares_memory(native, array):
        native = native.copy()
    return _lib.array_of_numpy(native, stored, nulls)


def _times(name: str, array: Numpy) -> tuple[Numpy, str]:
    unit, count = np.datetime_data(array.dtype)
    is_date = array.dtype.kind == "M"
    if count == 1 and is_date and unit in ("D", "W", "M", "Y"):
        return np.ascontiguousarray(array.astype("M8[D]")), "date32"
    into = UNITS.get(unit, "s" if unit in ("D", "W") else None)
    if into is None:
        raise TypeError(f"the column {name!r} is an array of {array.dtype}, and times are of seconds, or of milli-, micro- or nanoseconds")
    made = np.ascontiguousarray(array.astype(f"{array.dtype.kind}8[{into}]"))
    return made, f"{'timestamp' if is_date else 'duration'}[{into}]"


def _days(name: str, days: Numpy, missing: Numpy) -> Numpy:
    days = np.where(missing.reshape(days.shape), 0, days)
    limits = np.iinfo(np.int32)
    if days.size and not (limits.min <= days.min() and days.max() <= limits.max):
        raise ValueError(f"the column {name!r} has a date beyond the range of dates")
    return days.astype(np.int32)


def _of_values(name: str, values: list[Any], like: Schema | None, first: int) -> Array:
    """Returns a column of a list, whose arrays keep the type of their values."""
    arrays = [as_numpy(name, value) for value in values]
    given = [array for array in arrays if array is not None]
    missing = [value is None for value in values]
    if given and len(given) + sum(missing) == len(values) and all(array.ndim == given[0].ndim for array in given):
        return _of_arrays(name, arrays, given, like, first)
    if any(isinstance(value, np.generic) for value in values):
        kinds = {value.dtype for value in values if isinstance(value, np.generic)}
        if len(kinds) == 1 and all(value is None or isinstance(value, np.generic) for value in values):
            kind = kinds.pop()
            if kind.kind in "biufMm":
                empty = np.zeros((), kind)
                filled = np.array([empty if value is None else value for value in values], kind)
                masked = np.ma.MaskedArray(filled, mask=missing) if any(missing) else filled
                return _flat(name, masked, copies=False)
    # Arrays of different dimensions, and values of several types.
    plain = [value if array is None else array for value, array in zip(values, arrays)]
    return _lib.array_of_values(name, plain, first, like)


def _of_arrays(name: str, arrays: list[Numpy | None], given: list[Numpy], like: Schema | None, first: int) -> Array:
    """Returns a column of arrays, one a row."""
    begin = next((array for array in given if array.size), given[0])
    for number, array in enumerate(arrays):
        if array is not None and array.size and _kind(array) != _kind(begin):
            raise ValueError(
                f"the column {name!r} has arrays of {begin.dtype}, and row {first + number} has one of {array.dtype}: give arrays of one type"
            )
    given = [array if array.size else array.astype(begin.dtype) for array in given]
    masked = any(isinstance(array, np.ma.MaskedArray) for array in given)
    join: Callable[..., Numpy] = np.ma.concatenate if masked else np.concatenate
    values = _flat(name, join([array.reshape(-1) for array in given]), copies=False)
    has_nulls = len(given) < len(arrays)
    if given[0].ndim == 0:
        if not has_nulls:
            return values
        raise ValueError(f"the column {name!r} has rows without a value, and others are arrays of one value: give numbers and None")
    shape = given[0].shape
    is_fixed = like is None or like[name].startswith("FixedSizeList")
    if len(shape) > 1 and not has_nulls and is_fixed and all(array.shape == shape for array in given):
        return _lib.array_of_shape(values, len(arrays), list(shape))
    if len(shape) > 1 and any(0 in array.shape for array in given):
        raise ValueError(f"the column {name!r} has arrays of different shapes, some of which are empty: give lists")
    # From the innermost dimension out.
    for level in range(len(shape) - 1, 0, -1):
        lengths: list[int | None] = []
        for array in given:
            lengths += [array.shape[level]] * int(np.prod(array.shape[:level]))
        values = _lib.array_of_lists(values, lengths)
    return _lib.array_of_lists(values, [None if array is None else array.shape[0] for array in arrays])


def _kind(array: Numpy) -> Any:
    """Returns what arrays of one type share: texts may have different lengths, and numbers another order of bytes."""
    return array.dtype.kind if array.dtype.kind in "OUS" else array.dtype.newbyteorder("=")
