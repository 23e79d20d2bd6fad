"""Functions over record batches and tables of pyarrow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tfxio.compat.tfx_bsl.arrow import array_util
from tfxio.compat.tfx_bsl.arrow.path import ColumnPath
from tfxio.compat.tfx_bsl_extension.arrow import table_util as _native
from tfxio.compat.tfx_bsl_extension.arrow.table_util import RecordBatchTake

__all__ = [
    "CanonicalizeRecordBatch",
    "MergeRecordBatches",
    "NumpyKindToArrowType",
    "RecordBatchTake",
    "TotalByteSize",
    "enumerate_arrays",
    "get_array",
]

_TYPES_OF_KINDS = {
    "b": pa.int8(),
    "i": pa.int64(),
    "u": pa.uint64(),
    "f": pa.float64(),
    "S": pa.large_binary(),
    "U": pa.large_binary(),
    "O": pa.large_binary(),
}


def TotalByteSize(table_or_batch: pa.Table | pa.RecordBatch, ignore_unsupported: bool = False) -> int:
    """Returns how many bytes the values take in memory: of a slice, those of its rows alone.

    Args:
        table_or_batch: The values.
        ignore_unsupported: Whether types whose size is unknown count nothing, and are not an error.
    """
    batches = table_or_batch.to_batches() if isinstance(table_or_batch, pa.Table) else [table_or_batch]
    return sum(_native.TotalByteSize(batch, ignore_unsupported) for batch in batches)


def NumpyKindToArrowType(kind: str) -> pa.DataType | None:
    """Returns the widest type for the values of a kind of numpy, such as `"i"`; `None` if there is none."""
    return _TYPES_OF_KINDS.get(kind)


def MergeRecordBatches(record_batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    """Returns one batch of the rows of all, in their order.

    Its columns are those of any of the batches: a column that a batch lacks is null in its rows. Columns of nulls and structs are
    merged with those that say more.

    Raises:
        AssertionError: No batch has rows.
        RuntimeError: The types of a column differ.
    """
    if not record_batches:
        return pa.RecordBatch.from_arrays([], [])
    if not any(batch.num_rows for batch in record_batches):
        raise AssertionError("Unable to merge empty RecordBatches: leave them out, or keep the first")
    schema = record_batches[0].schema
    # Without columns, tables forget how many rows they have.
    if len(schema) == 0 or any(batch.schema != schema for batch in record_batches):
        return _native.MergeRecordBatches(record_batches)
    [merged] = pa.Table.from_batches(record_batches).combine_chunks().to_batches()
    return merged


def CanonicalizeRecordBatch(record_batch_with_primitive_arrays: pa.RecordBatch) -> pa.RecordBatch:
    """Returns the columns as large lists of the widest type: int64, uint64, float64, int8 of booleans, or large binary.

    Lists stay lists; a value becomes a list of one, and a null a null list.

    Raises:
        NotImplementedError: The values of a column are none of these.
    """
    columns = []
    for column in record_batch_with_primitive_arrays.columns:
        canonical = column.cast(_canonical_type(column.type))
        columns.append(canonical if array_util.is_list_like(canonical.type) else array_util.ToSingletonListArray(canonical))
    return pa.RecordBatch.from_arrays(columns, record_batch_with_primitive_arrays.schema.names)


def _canonical_type(data_type: pa.DataType) -> pa.DataType:
    if array_util.is_list_like(data_type):
        return pa.large_list(_canonical_type(data_type.value_type))
    found = NumpyKindToArrowType(np.dtype(data_type.to_pandas_dtype()).kind)
    if found is None:
        raise NotImplementedError(f"Type {data_type} is not supported: only numbers, booleans, bytes and text can be canonical")
    return found


def enumerate_arrays(
    record_batch: pa.RecordBatch, enumerate_leaves_only: bool, wrap_flat_struct_in_list: bool = True
) -> Iterator[tuple[ColumnPath, pa.Array]]:
    """Yields the columns, and the fields of those that are structs or lists of them, each with its path.

    The rows of a field are the structs of all lists around it, one after the other.

    Args:
        record_batch: The columns.
        enumerate_leaves_only: Whether structs are left out, and only their fields yielded.
        wrap_flat_struct_in_list: Whether structs that no list is around are yielded as lists of one.
    """
    for name, column in zip(record_batch.schema.names, record_batch.columns, strict=True):
        yield from _enumerated(ColumnPath(name), column, enumerate_leaves_only, wrap_flat_struct_in_list)


def _enumerated(path: ColumnPath, array: pa.Array, leaves_only: bool, wrap: bool) -> Iterator[tuple[ColumnPath, pa.Array]]:
    if not _has_fields(array.type):
        yield path, array
        return
    if not leaves_only:
        yield path, _wrapped(array, wrap)
    structs, _ = array_util.flatten_nested(array)
    for number in range(structs.type.num_fields):
        field = array_util.get_field(structs, number)
        yield from _enumerated(path.child(structs.type.field(number).name), field, leaves_only, wrap)


def get_array(
    record_batch: pa.RecordBatch,
    query_path: ColumnPath,
    return_example_indices: bool,
    wrap_flat_struct_in_list: bool = True,
) -> tuple[pa.Array, NDArray[Any] | None]:
    """Returns the column or field at a path, and which row of the batch each of its elements belongs to.

    Args:
        record_batch: The columns.
        query_path: The path.
        return_example_indices: Whether rows are asked for; otherwise `None` stands for them.
        wrap_flat_struct_in_list: Whether structs that no list is around are returned as lists of one.

    Raises:
        KeyError: The path is empty, or a step of it is not there.
    """
    if not query_path:
        raise KeyError("query_path must be non-empty.")
    steps = query_path.steps()
    number = record_batch.schema.get_field_index(steps[0])
    if number < 0:
        raise KeyError(f"query_path step 0 ({steps[0]}) not in record batch.")
    array = record_batch.column(number)
    rows = np.arange(record_batch.num_rows) if return_example_indices else None
    for at, step in enumerate(steps[1:], start=1):
        if not _has_fields(array.type):
            raise KeyError(
                f"Cannot process query_path ({query_path.suffix(at)}) inside an array of type {array.type}. "
                "Expecting a struct<...> or (large_)list...<struct<...>>."
            )
        structs, parents = array_util.flatten_nested(array, return_example_indices)
        rows = None if rows is None else rows[parents]
        try:
            array = array_util.get_field(structs, step)
        except KeyError:
            raise KeyError(f"query_path step ({step}) not in struct.") from None
    return _wrapped(array, wrap_flat_struct_in_list), rows


def _has_fields(data_type: pa.DataType) -> bool:
    return bool(pa.types.is_struct(array_util.get_innermost_nested_type(data_type)))


def _wrapped(array: pa.Array, wrap: bool) -> pa.Array:
    return array_util.ToSingletonListArray(array) if wrap and pa.types.is_struct(array.type) else array
