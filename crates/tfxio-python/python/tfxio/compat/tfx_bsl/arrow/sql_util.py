"""Raises `ImportError`: tfx-bsl 1.21 does not have it either."""

raise ImportError(
    "tfx_bsl.arrow.sql_util is left out of tfxio: RecordBatchSQLSliceQuery is not in tfx-bsl 1.21 either. "
    "Filter record batches with pyarrow, or query them with DuckDB: see docs/compatibility.md"
)
