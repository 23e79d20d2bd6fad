"""polars."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pyarrow as pa

from .by_pyarrow import delimiter
from .found import Found, Reader, of_table
from .written import Variant


def _of_frame(frame: Any) -> dict[str, Found]:
    import polars

    # Integers of 128 bits have no type in Arrow.
    exported = frame.with_columns(polars.selectors.by_dtype(polars.Int128).cast(polars.Decimal(38, 0)))
    return of_table(exported.to_arrow(), {name: _called(type_) for name, type_ in frame.schema.items()})


def _called(type_: Any) -> str:
    """Returns a type without the names of its arguments."""
    return re.sub(r"\w+=|'|, time_zone=None", "", str(type_))


def _parquet(path: Path, variant: Variant, types: pa.Schema | None) -> dict[str, Found]:
    import polars

    return _of_frame(polars.read_parquet(path))


def _file(path: Path, variant: Variant, types: pa.Schema | None) -> dict[str, Found]:
    import polars

    return _of_frame(polars.read_ipc(path))


def _stream(path: Path, variant: Variant, types: pa.Schema | None) -> dict[str, Found]:
    import polars

    return _of_frame(polars.read_ipc_stream(path))


def _avro(path: Path, variant: Variant, types: pa.Schema | None) -> dict[str, Found]:
    import polars

    return _of_frame(polars.read_avro(path))


def _of_types(types: pa.Schema | None) -> Any:
    import polars

    frame: Any = None if types is None else polars.from_arrow(types.empty_table())
    return None if types is None else dict(frame.schema)


def _csv(path: Path, variant: Variant, types: pa.Schema | None) -> dict[str, Found]:
    import polars

    header = "no header" not in variant.name
    options: dict[str, Any] = {"has_header": header, "try_parse_dates": True, "infer_schema_length": None}
    return _of_frame(polars.read_csv(path, separator=delimiter(variant), schema_overrides=_of_types(types), **options))


def _json(path: Path, variant: Variant, types: pa.Schema | None) -> dict[str, Found]:
    import polars

    return _of_frame(polars.read_ndjson(path, infer_schema_length=None, schema_overrides=_of_types(types)))


POLARS = Reader(
    "polars",
    {"Parquet": _parquet, "Arrow file": _file, "Arrow stream": _stream, "Avro": _avro, "CSV": _csv, "JSON lines": _json},
)
