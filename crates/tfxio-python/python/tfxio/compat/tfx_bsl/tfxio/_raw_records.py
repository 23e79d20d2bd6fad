"""Records as they are, in a column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

#: The type of a column of raw records: lists of one.
RAW_RECORDS = pa.large_list(pa.large_binary())


def CreateRawRecordColumn(raw_records: Any) -> pa.Array:
    """Returns records as a column of raw records: a list of one for each."""
    values = pa.array(raw_records, pa.large_binary())
    return pa.LargeListArray.from_arrays(np.arange(len(values) + 1), values)


def AppendRawRecordColumn(
    record_batch: pa.RecordBatch,
    column_name: str,
    raw_records: Sequence[bytes],
    record_index_column_name: str | None = None,
) -> pa.RecordBatch:
    """Returns the batch with a last column of the records that its rows were made of.

    Args:
        record_batch: The batch.
        column_name: The name of the column.
        raw_records: The records.
        record_index_column_name: The column that has the number of the record of each row, in a list of one. If it is left out, each
            row is of the record with its number.

    Raises:
        AssertionError: The rows and records do not fit, or there is a column of the name already.
    """
    if column_name in record_batch.schema.names:
        raise AssertionError(f"there is a column {column_name} already")
    if record_index_column_name is not None:
        records = CreateRawRecordColumn(raw_records).take(_record_of_each_row(record_batch, record_index_column_name))
    elif len(raw_records) != record_batch.num_rows:
        raise AssertionError(f"num_rows: {record_batch.num_rows} vs len raw_records: {len(raw_records)}")
    else:
        records = CreateRawRecordColumn(raw_records)
    names = [*record_batch.schema.names, column_name]
    return pa.RecordBatch.from_arrays([*record_batch.columns, records], names)


def _record_of_each_row(batch: pa.RecordBatch, name: str) -> pa.Array:
    if name not in batch.schema.names:
        raise AssertionError(f"Record index column {name} did not exist. There are {batch.schema.names}")
    column = batch.column(batch.schema.get_field_index(name))
    is_list = pa.types.is_list(column.type) or pa.types.is_large_list(column.type)
    if not is_list or not pa.types.is_integer(column.type.value_type):
        raise AssertionError(f"Record index column {name} must be of type list_like<integer>, but got: {column.type}")
    if column.null_count:
        raise AssertionError(f"Record index column must not contain nulls: {column.null_count} nulls")
    if np.any(np.asarray(column.value_lengths()) != 1):
        raise AssertionError(f"Record indices must be aligned with the record batch, but got different lengths: {name} has lists of other lengths than one")
    return column.flatten()
