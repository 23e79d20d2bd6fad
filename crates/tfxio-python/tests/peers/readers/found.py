"""What a reader gives back of a file."""

from __future__ import annotations

from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from . import values
from .written import Variant


class Found(NamedTuple):
    """A column that was read."""

    #: The type, as the reader calls it.
    type: str
    #: The type of Arrow, where the reader has one.
    arrow: pa.DataType | None
    values: list[Any]


#: Returns the columns of a file by their names. A file of text may be read with types that are given.
Read = Callable[[Path, Variant, pa.Schema | None], dict[str, Found]]


class Reader(NamedTuple):
    """Another system."""

    package: str
    #: By format.
    reads: dict[str, Read]
    #: What the package is called, and what reads for it.
    title: str = ""

    @property
    def name(self) -> str:
        """What tables call it."""
        return self.title or self.package

    @property
    def version(self) -> str:
        """The version that is installed, or nothing."""
        try:
            return metadata.version(self.package)
        except metadata.PackageNotFoundError:
            return ""


def of_table(table: Any, types: dict[str, str] | None = None) -> dict[str, Found]:
    """Returns the columns of a table of Arrow, under other names of types if any are given."""
    table = table.combine_chunks()
    return {
        field.name: Found((types or {}).get(field.name, str(field.type)), field.type, values.of_arrow(table.column(field.name)))
        for field in table.schema
    }
