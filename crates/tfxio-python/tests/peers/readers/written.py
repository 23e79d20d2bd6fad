"""Files of each format, written by the command `tfxio`."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from .columns import Column

#: The command.
COMMAND = os.environ.get("TFXIO_COMMAND", "")


class Variant(NamedTuple):
    """A way of writing a format."""

    name: str
    #: How its files end.
    ending: str
    #: Options of `tfxio convert`; or none, where `copy` of `tfxio sql` writes it.
    options: tuple[str, ...] | None = ()

    @property
    def format(self) -> str:
        """The format."""
        return self.name.partition(",")[0]


def _of(format_: str, ending: str, **options: str) -> list[Variant]:
    return [Variant(f"{format_}, {name.replace('_', ' ')}", ending, tuple(text.split())) for name, text in options.items()]


#: What each format is written with, where nothing else is said.
PLAIN = [
    Variant("Parquet", ".parquet"),
    Variant("Arrow file", ".arrow"),
    Variant("Arrow stream", ".arrows"),
    Variant("Avro", ".avro"),
    Variant("CSV", ".csv"),
    Variant("JSON lines", ".jsonl"),
    Variant("TFRecord", ".tfrecord"),
]
#: Other ways, with whole tables.
VARIANTS = [
    *_of("Parquet", ".parquet", **{name: f"--output-compression {name}" for name in ("none", "snappy", "gzip", "lz4")}),
    *_of("Parquet", ".parquet", dictionaries="--output-dictionary always", no_dictionaries="--output-dictionary never"),
    *_of("Parquet", ".parquet", row_groups_of_3_rows="--row-group-rows 3"),
    *_of("Arrow file", ".arrow", lz4="--output-compression lz4", zstd="--output-compression zstd"),
    *_of("Arrow stream", ".arrows", lz4="--output-compression lz4", zstd="--output-compression zstd"),
    *_of("Avro", ".avro", **{name: f"--codec {name}" for name in ("null", "snappy", "zstandard", "bzip2", "xz")}),
    *_of("Avro", ".avro", small_blocks="--block-bytes 100"),
    *_of("CSV", ".csv.gz", gzip=""),
    *_of("CSV", ".tsv", tabs=""),
    *_of("CSV", ".csv", semicolons="--delimiter ;", escape="--escape backslash", no_header="--header=false"),
    *_of("JSON lines", ".jsonl.gz", gzip=""),
    *_of("TFRecord", ".tfrecord.gz", gzip="", gzip_of_one_member="--single-member"),
    *_of("TFRecord", ".tfrecord.zlib", zlib=""),
    *(Variant(f"{variant.name}, copy of SQL", variant.ending, None) for variant in PLAIN),
]


class Refused(Exception):
    """The command does not write it."""


def write(columns: dict[str, pa.Array], variant: Variant, folder: Path, name: str) -> Path:
    """Writes columns, after one with the number of the row."""
    source = folder / f"{name}-source.arrow"
    rows = len(next(iter(columns.values())))
    table = pa.table({"row": pa.array(range(rows), pa.int64()), **columns})
    with pa.ipc.new_file(source, table.schema) as writer:
        writer.write_table(table)
    path = folder / f"{name}{variant.ending}"
    if variant.options is None:
        command = [COMMAND, "sql", "-q", f"copy (select * from '{source}') to '{path}'"]
    else:
        command = [COMMAND, "convert", "-q", str(source), str(path), *variant.options]
    done = subprocess.run(command, capture_output=True, text=True)
    source.unlink()
    if done.returncode != 0:
        raise Refused(done.stderr.strip())
    return path


def written(column: Column, variant: Variant, folder: Path, name: str) -> tuple[str, pa.Array, Path]:
    """Writes a column: with its smaller values, where the format does not hold all of them. Returns what it is called, its values and the file."""
    refusals = []
    for called, values in ((column.name, column.values), *column.smaller):
        try:
            return called, values, write({name: values}, variant, folder, name)
        except Refused as refused:
            refusals.append(refused)
    raise refusals[0]
