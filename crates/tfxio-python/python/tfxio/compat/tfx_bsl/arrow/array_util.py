"""Functions over arrays of pyarrow. Those whose loops are over values are native."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tfxio.compat.tfx_bsl_extension.arrow import array_util as _native
from tfxio.compat.tfx_bsl_extension.arrow.array_util import *  # noqa: F403
from tfxio.compat.tfx_bsl_extension.arrow.array_util import GetFlattenedArrayParentIndices

__all__ = ["ToSingletonListArray", "flatten_nested", "get_field", "get_innermost_nested_type", "is_list_like"]
__all__ += _native.__all__


def ToSingletonListArray(array: pa.Array) -> pa.LargeListArray:
    """Returns an array of large lists of one value each; a null gives a null list.

    The values are those of `array`, not copied, unless there are nulls among them.

    >>> import pyarrow as pa
    >>> from tfxio.compat.tfx_bsl.arrow.array_util import ToSingletonListArray
    >>> ToSingletonListArray(pa.array([1, None, 3])).to_pylist()
    [[1], None, [3]]
    """
    # An array of the type Null has no bitmap of nulls, and so none of its elements is a null list.
    if array.null_count == 0 or pa.types.is_null(array.type):
        return pa.LargeListArray.from_arrays(np.arange(len(array) + 1), array)
    offsets = np.zeros(len(array) + 1, np.int64)
    is_null = array.is_null()
    np.cumsum(~is_null.to_numpy(zero_copy_only=False), out=offsets[1:])
    return pa.LargeListArray.from_arrays(offsets, array.drop_null(), mask=is_null)


def is_list_like(data_type: pa.DataType) -> bool:
    """Returns whether a type is that of lists or of large lists."""
    return bool(pa.types.is_list(data_type) or pa.types.is_large_list(data_type))


def get_innermost_nested_type(arrow_type: pa.DataType) -> pa.DataType:
    """Returns the type of the values of lists of any depth; of another type, itself.

    >>> import pyarrow as pa
    >>> from tfxio.compat.tfx_bsl.arrow.array_util import get_innermost_nested_type
    >>> get_innermost_nested_type(pa.large_list(pa.list_(pa.int64())))
    DataType(int64)
    """
    while is_list_like(arrow_type):
        arrow_type = arrow_type.value_type
    return arrow_type


def flatten_nested(array: pa.Array, return_parent_indices: bool = False) -> tuple[pa.Array, NDArray[Any] | None]:
    """Returns the values of lists of any depth, and which row each belongs to.

    Args:
        array: Of lists, or of anything else, which is returned.
        return_parent_indices: Whether rows are asked for; otherwise `None` stands for them.

    >>> import pyarrow as pa
    >>> from tfxio.compat.tfx_bsl.arrow.array_util import flatten_nested
    >>> flatten_nested(pa.array([[[1], []], None, [[2, 3]]]), return_parent_indices=True)[1].tolist()
    [0, 2, 2]
    """
    rows: NDArray[Any] | None = np.arange(len(array)) if return_parent_indices else None
    outermost = True
    while is_list_like(array.type):
        if rows is not None:
            parents = GetFlattenedArrayParentIndices(array).to_numpy()
            rows = parents if outermost else rows[parents]
            outermost = False
        array = array.flatten()
    return array, rows


def get_field(struct_array: pa.StructArray, field: str | int) -> pa.Array:
    """Returns the values of a field of structs: null where the struct is null.

    Args:
        struct_array: The structs.
        field: The name of the field, or its number.

    Raises:
        AttributeError: The array is not of structs.
        KeyError: There is no field of that name, or more than one.
        IndexError: There is no field of that number.

    >>> import pyarrow as pa
    >>> from tfxio.compat.tfx_bsl.arrow.array_util import get_field
    >>> get_field(pa.array([{"a": 1}, None], pa.struct({"a": pa.int64()})), "a").to_pylist()
    [1, None]
    """
    # It raises what there is to raise.
    values = struct_array.field(field)
    if struct_array.null_count == 0:
        return values
    number: Any = struct_array.type.get_field_index(field) if isinstance(field, str) else field % struct_array.type.num_fields
    return pc.struct_field(struct_array, [number])
