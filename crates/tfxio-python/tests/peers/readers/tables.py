"""What readers make of every column, and the tables that say so."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa

from .columns import Column
from .found import Found, Reader
from .outcome import Outcome, judge, read
from .written import Refused, Variant, written

#: Formats whose files do not say their types.
OF_TEXT = ("CSV", "JSON lines")
#: The type of a struct whose fields are columns.
APART = "columns of its fields"
#: Outcomes of a column, by its format, its name and the reader.
Outcomes = dict[tuple[str, str, str], Outcome]


def outcomes(variant: Variant, columns: Iterable[Column], readers: Iterable[Reader], folder: Path) -> Outcomes:
    """Writes each column to a file of its own and lets every reader read it."""
    found: Outcomes = {}
    for index, column in enumerate(columns):
        name = f"c{index:02}"
        try:
            called, wanted, path = written(column, variant, folder, name)
        except Refused as refused:
            found[variant.format, column.name, ""] = Outcome("refused", str(refused))
            continue
        for reader in readers:
            if variant.format in reader.reads:
                found[variant.format, called, reader.name] = of_column(reader, path, variant, name, wanted)
        path.unlink()
    return found


def of_column(reader: Reader, path: Path, variant: Variant, name: str, wanted: pa.Array) -> Outcome:
    """Reads a column, and once more with its type where the file does not say it and the reader takes it for another."""
    outcome = _judged(read(reader, path, variant), name, wanted, variant)
    if variant.format not in OF_TEXT or outcome.word in ("same", "other columns"):
        return outcome
    types = pa.schema([("row", pa.int64()), (name, wanted.type)])
    given = _judged(read(reader, path, variant, types), name, wanted, variant)
    if given.word == "same":
        return Outcome(f"{outcome.word}; same if given" if outcome.word.startswith("as") else "same if given", outcome.detail)
    return outcome if outcome.word.startswith("as") or not given.word.startswith("as") else Outcome(f"{given.word} if given", outcome.detail)


def _judged(found: dict[str, Found] | str, name: str, wanted: Any, variant: Variant) -> Outcome:
    if isinstance(found, str):
        return Outcome("an error", found)
    column = in_one(found, name, variant)
    if column is None:
        return Outcome("other values", f"there is no column {name}: {list(found)}")
    return judge(column, wanted, variant.format)


def in_one(found: dict[str, Found], name: str, variant: Variant) -> Found | None:
    """Returns a column, which may be in several: those of the fields of a struct. What is null in all of them is null."""
    if name in found:
        return found[name]
    parts = {other.removeprefix(f"{name}."): column for other, column in found.items() if other.startswith(f"{name}.")}
    if parts:
        rows = [dict(zip(parts, row, strict=True)) for row in zip(*(column.values for column in parts.values()), strict=True)]
        return Found(APART, None, [row if any(value is not None for value in row.values()) else None for row in rows])
    # A feature without a value in any record is in none.
    return Found("no feature", None, [None] * len(found["row"].values)) if variant.format == "TFRecord" else None
