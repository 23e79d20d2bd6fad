"""Whole tables, written in every way that a format has: a reader reads all of its columns as it does one by one."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from .found import Found, Reader
from .outcome import Outcome, judge, read
from .tables import in_one
from .written import PLAIN, Variant, write


class Table(NamedTuple):
    """Columns that a format and a reader hold, by their names in the file, with what they are called."""

    called: dict[str, str]
    arrays: dict[str, pa.Array]

    def names(self, variant: Variant) -> list[str]:
        """Returns the names of the columns of a file: in CSV, structs are columns of their fields."""
        found = ["row"]
        for name, array in self.arrays.items():
            is_apart = variant.format == "CSV" and pa.types.is_struct(array.type)
            found += [f"{name}.{field.name}" for field in array.type] if is_apart else [name]
        return found


def read_whole(table: Table, variant: Variant, reader: Reader, folder: Path) -> dict[str, Outcome] | str:
    """Writes a table, reads it and returns what came of each column, or why it cannot be read."""
    path = write(table.arrays, variant, folder, "whole")
    found = read(reader, path, variant)
    path.unlink()
    if isinstance(found, str):
        return found
    if "no header" in variant.name:
        found = dict(zip(table.names(variant), found.values(), strict=True))
    return {
        table.called[name]: judge(in_one(found, name, variant) or Found("nothing", None, []), array, variant.format)
        for name, array in table.arrays.items()
    }


def plain(format_: str) -> Variant:
    """Returns what a format is written with where nothing else is said."""
    return next(variant for variant in PLAIN if variant.name == format_)
