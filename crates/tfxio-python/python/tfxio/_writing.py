"""Writing: data of Python and of other libraries to files of any format."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, Unpack

from tfxio import _arguments, _hints, _lib, _threads
from tfxio._dataset import _option
from tfxio._literals import FileFormat
from tfxio._losses import Loss, warn_of
from tfxio._operators import CastType
from tfxio._options import SHORT, OutputOptions, WriteOptions
from tfxio._progress import OnProgress, Told, counted, told
from tfxio._warning import warn
from tfxio._schema import SchemaLike, schema_option
from tfxio._skipped import SkipReport
from tfxio._storage import Storage, StorageOptions
from tfxio.exceptions import TfxioError

Patterns: TypeAlias = Iterable[str]


@dataclass(frozen=True)
class Written:
    """What was written.

    Attributes:
        rows: The number of rows, or of records.
        files: The files, in order.
        bytes: Their size together.
        losses: What was lost of columns, each of which was a `UserWarning`, too.
        notes: What else was warned of.
        skipped: What was left out because it was damaged, where that is what `tfxio.convert` was asked for.
    """

    rows: int
    files: tuple[str, ...]
    bytes: int
    losses: tuple[Loss, ...] = ()
    notes: tuple[str, ...] = ()
    skipped: SkipReport | None = None

    def __str__(self) -> str:
        files = f"{len(self.files):,} file" + ("" if len(self.files) == 1 else "s")
        return f"{self.rows:,} row{'' if self.rows == 1 else 's'} in {files}, {self.bytes:,} bytes"


def write(
    data: Any,
    path: str | os.PathLike[str],
    *,
    format: FileFormat | None = None,
    columns: Patterns | None = None,
    exclude: Patterns = (),
    cast: Mapping[str, CastType] | None = None,
    lossless: bool = False,
    scalars: bool = False,
    text: bool = False,
    shards: int | None = None,
    overwrite: bool = True,
    batched: bool | None = None,
    schema: SchemaLike | None = None,
    storage_options: StorageOptions | None = None,
    threads: int = 0,
    progress: bool | OnProgress | None = None,
    **options: Unpack[WriteOptions],
) -> Written:
    """Writes data to a file, or to a set of shards. A file appears when it is whole, or not at all.

    A column that the format does not hold becomes the nearest type that it does, as `tfxio.convert` has it. What is lost by that, such as
    bits of floats, is a `UserWarning`; `lossless=True` refuses it.

    Args:
        data: A table or frame: of pyarrow, polars, pandas, or anything that gives a stream of Arrow; a data set, a reader or a batch of
            tfxio; a dict of columns (lists, arrays of numpy or torch, series); an iterable of rows, which are dicts of values; or an
            iterable of batches, each one of these. It is read once. Arrays of several dimensions have the rows as their first.
        path: The file. Its ending says the format: `.tfrecord`, `.tfrecord.gz`, `.avro`, `.parquet`, `.arrow`, `.csv`, `.jsonl`.
            `train@8.tfrecord.gz` is a set of 8 shards. A URL leads to an object store.
        format: The format, where the path does not say it.
        columns: Only these columns, in this order; `*` and `?` stand for any characters.
        exclude: Columns that are left out.
        cast: What the values of columns are cast to: `int64`, `float32`, `float64`, `string`, `bytes`, and `s`, `ms`, `us` and `ns` of
            dates and times, by the names of the columns.
        lossless: Whether it is an error if something is lost.
        scalars: Whether columns of lists that have one value in every row become columns of values. The rows are held in memory until
            that is known.
        text: Whether columns of bytes that are UTF-8 in every row become texts; as `scalars`.
        shards: Writes this many shards: `train.tfrecord` becomes `train@8.tfrecord`.
        overwrite: Whether a file that exists is replaced.
        batched: What the dicts of an iterable are: batches of columns (`True`) or rows (`False`). It must be said where their values are
            arrays, or arrays and lists, of one length: both may be meant.
        schema: A schema of TensorFlow Metadata for formats that take one.
        storage_options: How stores are reached, as `tfxio.open` takes them.
        threads: Threads that encode and compress; 0 for all processors.
        progress: A function that is called with a `tfxio.Progress` about ten times a second; `True` shows a bar in a terminal or a
            notebook.
        **options: The options of the format, as `compression="zstd"`, `records="sequence_example"`, `codec="deflate"`.

    Returns:
        The number of rows, the files, and what was lost.

    Raises:
        TypeError: The data, or an argument, are of a type that cannot be written.
        ValueError: A value does not fit its column, or columns have different lengths.
        NotImplementedError: A column becomes nothing that the format holds; or something is lost, and `lossless` is set.

    >>> import tempfile, tfxio
    >>> path = tempfile.mkdtemp() + "/points@2.tfrecord.gz"
    >>> print(tfxio.write({"x": [1, 2, 3], "name": ["a", "b", "c"]}, path).rows)
    3
    >>> tfxio.open(path)[0]
    {'name': [b'a'], 'x': [1]}
    """
    asked = asked_of(
        format=format, columns=columns, exclude=exclude, cast=cast, lossless=lossless, scalars=scalars, text=text, shards=shards,
        overwrite=overwrite, threads=threads, storage_options=storage_options, options=_of_output(options), schema=schema,
    )  # fmt: skip
    name = output_of("path", path)
    if batched is not None:
        batched = _arguments.flag("batched", batched)
    # It needs numpy, which takes its time to be imported.
    from tfxio._sources import source

    batches, columns_of = source(data, batched, asked["threads"])
    try:
        with told("write", progress) as tell:
            if tell is not None:
                batches, columns_of = _counted(batches, columns_of, tell)
            wrote = _lib.write(batches, name, asked, columns_of)
    except TfxioError as error:
        _hints.translate(error, _hints.OF_WRITING)
        raise
    return written(*wrote)


def _counted(batches: Any, columns_of: _lib.Schema | None, tell: Told) -> tuple[Iterator[_lib.RecordBatch], _lib.Schema]:
    """Returns the batches of a source, whose rows are counted, and their schema."""
    if columns_of is None:
        reader = batches if isinstance(batches, _lib.BatchReader) else _lib.BatchReader.from_arrow(batches)
        batches, columns_of = iter(reader), reader.schema
    return counted(batches, lambda batch: batch.num_rows, tell), columns_of


def _of_output(options: Mapping[str, Any]) -> dict[str, Any]:
    """Returns options with the names that they have where there are inputs, too."""
    given: dict[str, Any] = {}
    for name, value in options.items():
        long = SHORT + name
        known = long if long in OutputOptions.__annotations__ else name
        if known in given:
            raise TypeError(f"{known.removeprefix(SHORT)} is given twice, once as {known}")
        given[known] = value
    return given


def output_of(name: str, path: Any) -> str:
    """Returns the path of an output, an argument of some name, which is no pattern."""
    output = _arguments.path(name, path)
    last = output.replace("\\", "/").rsplit("/", 1)[-1]
    # The star of a set whose number of shards is not known, as train@*.avro.
    last = re.sub(r"(?<=.)@\*(?=\.|$)", "", last)
    if "://" not in output and ("*" in last or "?" in last):
        raise ValueError(
            f"{name} is a pattern, {output!r}, and only inputs may be patterns: give the name of one file, or of shards, as train@16.tfrecord"
        )
    return output


def asked_of(
    *, columns: Patterns | None, exclude: Patterns, cast: Mapping[str, CastType] | None, lossless: bool, scalars: bool, text: bool,
    shards: int | None, overwrite: bool, threads: int, storage_options: StorageOptions | None, options: Mapping[str, Any],
    schema: SchemaLike | None, format: str | None,
) -> dict[str, Any]:  # fmt: skip
    """Returns what is asked of an output, each argument checked."""
    given = {name: _option(name, value) for name, value in options.items() if value is not None}
    if schema is not None:
        given["schema"] = schema_option(schema)
    casts = _arguments.mapping("cast", "a dict of types by the names of columns", {} if cast is None else cast)
    return {
        "format": _arguments.text_or_none("format", format),
        "columns": None if columns is None else _arguments.names("columns", columns),
        "exclude": _arguments.names("exclude", exclude),
        "cast": [(_arguments.text("a name in cast", name), _arguments.text(f"cast[{name!r}]", to)) for name, to in casts.items()],
        "lossless": _arguments.flag("lossless", lossless),
        "scalars": _arguments.flag("scalars", scalars),
        "text": _arguments.flag("text", text),
        "shards": _arguments.integer_or_none("shards", shards, least=1, most=2**32 - 1),
        "overwrite": _arguments.flag("overwrite", overwrite),
        "threads": _threads.asked(threads),
        "storage_options": Storage(storage_options).options(),
        "options": given,
    }


def written(
    rows: int, size: int, files: list[str], losses: list[tuple[str, str]], notes: list[str], skipped: SkipReport | None = None
) -> Written:
    """Returns the report of what was written, and warns of what it says."""
    lost = tuple(Loss(column, _hints.in_python(what)) for column, what in losses)
    said = tuple(_hints.in_python(note) for note in notes)
    for text in said:
        warn(text)
    warn_of(lost)
    return Written(rows, tuple(files), size, lost, said, skipped or None)
