"""fastavro."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from .found import Found, Reader
from .values import of_python
from .written import Variant


def _avro(path: Path, variant: Variant, types: pa.Schema | None) -> dict[str, Found]:
    import fastavro

    with path.open("rb") as file:
        reader = fastavro.reader(file)
        rows: list[Any] = list(reader)
        schema: Any = reader.writer_schema
        fields = [field["name"] for field in schema["fields"]]
    found = {}
    for name in fields:
        read = [row[name] for row in rows]
        kinds = sorted({type(value).__name__ for value in read if value is not None})
        found[name] = Found(" or ".join(kinds) or "None", None, [of_python(value) for value in read])
    return found


FASTAVRO = Reader("fastavro", {"Avro": _avro})
