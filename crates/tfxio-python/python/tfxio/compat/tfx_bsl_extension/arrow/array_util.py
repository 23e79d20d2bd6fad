"""Functions over arrays."""

from tfxio._lib import (
    CooFromListArray,
    CountInvalidUTF8,
    FillNullLists,
    GetArrayNullBitmapAsByteArray,
    GetBinaryArrayTotalByteSize,
    GetByteSize,
    GetElementLengths,
    GetFlattenedArrayParentIndices,
    IndexIn,
    ListLengthsFromListArray,
    MakeListArrayFromParentIndicesAndValues,
)

__all__ = [
    "CooFromListArray",
    "CountInvalidUTF8",
    "FillNullLists",
    "GetArrayNullBitmapAsByteArray",
    "GetBinaryArrayTotalByteSize",
    "GetByteSize",
    "GetElementLengths",
    "GetFlattenedArrayParentIndices",
    "IndexIn",
    "ListLengthsFromListArray",
    "MakeListArrayFromParentIndicesAndValues",
]
