"""DuckDB."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from .by_pyarrow import delimiter
from .found import Found, Reader, of_table
from .written import Variant


def _query(function: str, path: Path, options: str = "", types: pa.Schema | None = None) -> dict[str, Found]:
    import duckdb

    with duckdb.connect() as connection:
        connection.execute("set timezone = 'UTC'")
        if types is not None:
            empty: Any = connection.from_arrow(types.empty_table())
            pairs = ", ".join(f"'{name}': '{type_}'" for name, type_ in zip(empty.columns, empty.types, strict=True))
            options += f", columns = {{{pairs}}}"
        relation: Any = connection.sql(f"select * from {function}('{path}'{options})")
        called = dict(zip(relation.columns, map(str, relation.types), strict=True))
        return of_table(relation.to_arrow_table(), called)


def _parquet(path: Path, variant: Variant, types: pa.Schema | None) -> dict[str, Found]:
    return _query("read_parquet", path)


def _csv(path: Path, variant: Variant, types: pa.Schema | None) -> dict[str, Found]:
    escape = ", escape = '\\'" if "escape" in variant.name else ""
    header = "false" if "no header" in variant.name else "true"
    dialect = f", delim = '{delimiter(variant)}', header = {header}, quote = '\"'{escape}"
    return _query("read_csv", path, f"{dialect}, sample_size = -1, allow_quoted_nulls = false", types)


def _json(path: Path, variant: Variant, types: pa.Schema | None) -> dict[str, Found]:
    return _query("read_json", path, ", format = 'newline_delimited', sample_size = -1", types)


DUCKDB = Reader("duckdb", {"Parquet": _parquet, "CSV": _csv, "JSON lines": _json}, "DuckDB")
