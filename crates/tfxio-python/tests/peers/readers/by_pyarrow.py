"""pyarrow, and what pandas reads without it: texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet

from .found import Found, Reader, of_table
from .values import of_python
from .written import Variant


def _parquet(path: Path, variant: Variant, types: pa.Schema | None) -> dict[str, Found]:
    return of_table(pyarrow.parquet.read_table(path, page_checksum_verification=True))


def _file(path: Path, variant: Variant, types: pa.Schema | None) -> dict[str, Found]:
    with pa.ipc.open_file(path) as reader:
        return of_table(reader.read_all())


def _stream(path: Path, variant: Variant, types: pa.Schema | None) -> dict[str, Found]:
    with path.open("rb") as file, pa.ipc.open_stream(file) as reader:
        return of_table(reader.read_all())


def _csv(path: Path, variant: Variant, types: pa.Schema | None) -> dict[str, Found]:
    escape = "\\" if "escape" in variant.name else False
    parse = pyarrow.csv.ParseOptions(delimiter=delimiter(variant), escape_char=escape, newlines_in_values=True)
    convert = pyarrow.csv.ConvertOptions(strings_can_be_null=True, quoted_strings_can_be_null=False, null_values=[""], column_types=types)
    read = pyarrow.csv.ReadOptions(autogenerate_column_names="no header" in variant.name)
    return of_table(pyarrow.csv.read_csv(path, parse_options=parse, convert_options=convert, read_options=read))


def _json(path: Path, variant: Variant, types: pa.Schema | None) -> dict[str, Found]:
    with pa.input_stream(str(path)) as file:
        return of_table(pyarrow.json.read_json(file, parse_options=pyarrow.json.ParseOptions(explicit_schema=types)))


def delimiter(variant: Variant) -> str:
    """Returns what stands between the cells of a file of CSV."""
    return {"CSV, tabs": "\t", "CSV, semicolons": ";"}.get(variant.name, ",")


def _of_pandas(frame: Any) -> dict[str, Found]:
    return {str(name): Found(str(frame[name].dtype), None, [of_python(value) for value in frame[name].tolist()]) for name in frame.columns}


def _of_pandas_types(types: pa.Schema | None) -> Any:
    import pandas

    return None if types is None else {field.name: pandas.ArrowDtype(field.type) for field in types}


def _pandas_csv(path: Path, variant: Variant, types: pa.Schema | None) -> dict[str, Found]:
    import pandas

    options: dict[str, Any] = {"dtype_backend": "numpy_nullable", "keep_default_na": False, "na_values": [""]}
    options["escapechar"] = "\\" if "escape" in variant.name else None
    options["header"] = None if "no header" in variant.name else 0
    return _of_pandas(pandas.read_csv(path, sep=delimiter(variant), dtype=_of_pandas_types(types), **options))


def _pandas_json(path: Path, variant: Variant, types: pa.Schema | None) -> dict[str, Found]:
    import pandas

    options: dict[str, Any] = {"dtype_backend": "numpy_nullable", "convert_dates": False, "precise_float": True}
    return _of_pandas(pandas.read_json(path, lines=True, dtype=_of_pandas_types(types), **options))


PYARROW = Reader(
    "pyarrow", {"Parquet": _parquet, "Arrow file": _file, "Arrow stream": _stream, "CSV": _csv, "JSON lines": _json}
)
PANDAS = Reader("pandas", {"CSV": _pandas_csv, "JSON lines": _pandas_json})
