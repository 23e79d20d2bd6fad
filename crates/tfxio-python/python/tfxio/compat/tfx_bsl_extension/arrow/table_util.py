"""Functions over batches."""

from tfxio._lib import (
    MergeRecordBatches,
    RecordBatchTake,
    TotalByteSize,
)

__all__ = [
    "MergeRecordBatches",
    "RecordBatchTake",
    "TotalByteSize",
]
