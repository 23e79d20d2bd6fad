"""What the command line does with files, as functions: convert, inspect, verify, repair, index, extract."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Unpack, get_args

from tfxio import _arguments, _expressions, _hints, _lib
from tfxio._dataset import Paths, _option, _paths
from tfxio._expressions import Condition
from tfxio._literals import FileFormat, Format, OnError
from tfxio._operators import CastType
from tfxio._options import ConvertOptions, ExtractOptions, LookOptions
from tfxio._progress import OnProgress, told
from tfxio._reading import Path
from tfxio._warning import warn
from tfxio._schema import SchemaLike, schema_option
from tfxio._skipped import SkipReport
from tfxio._skipped import warn as warn_of_skipped
from tfxio._storage import Storage, StorageOptions
from tfxio._writing import Patterns, Written, asked_of, output_of, written
from tfxio.exceptions import TfxioError


@dataclass(frozen=True)
class LostRange:
    """What is lost of a file that was repaired.

    Attributes:
        start: The first byte, counted from 0.
        end: The byte after the last.
        compressed: Whether these are bytes of the compressed file.
        records_before: The good records before them.
        last_good_offset: The byte at which the last of these begins, or `None`.
        lost_records: How many records are lost, or `None` where nobody can know.
        reason: Why, in one word.
        detail: Why, as a sentence, or `None`.
    """

    start: int
    end: int
    compressed: bool
    records_before: int
    last_good_offset: int | None
    lost_records: int | None
    reason: str
    detail: str | None

    @property
    def bytes(self) -> int:
        """How many bytes are lost."""
        return self.end - self.start


@dataclass(frozen=True)
class Repaired:
    """What was kept of a damaged file.

    Attributes:
        file: The damaged file.
        records: The records that were kept.
        lost: What is lost, in its order; the first 65,536 ranges of more.
        unlisted: How many further ranges there are.
    """

    file: str
    records: int
    lost: tuple[LostRange, ...]
    unlisted: int


@dataclass(frozen=True)
class Extracted:
    """What was extracted.

    Attributes:
        files: The number of files.
        bytes: The number of bytes in them.
        without_value: The number of records without a value.
        renamed: The number of files that are called otherwise than the data say.
        examples: The first of these: what the data say, and the name of the file.
        skipped: What was left out because it was damaged.
    """

    files: int
    bytes: int
    without_value: int
    renamed: int
    examples: tuple[tuple[str, str], ...]
    skipped: SkipReport


def convert(
    inputs: Paths,
    output: str | os.PathLike[str],
    *,
    format: Format | None = None,
    to: FileFormat | None = None,
    columns: Patterns | None = None,
    exclude: Patterns = (),
    cast: Mapping[str, CastType] | None = None,
    lossless: bool = False,
    scalars: bool = False,
    text: bool = False,
    filter: Condition | None = None,
    limit: int | None = None,
    sample: int | float | None = None,
    seed: int = 0,
    shards: int | None = None,
    overwrite: bool = True,
    resume: bool = False,
    infer_records: int | None = None,
    schema: SchemaLike | None = None,
    on_error: OnError = "fail",
    storage_options: StorageOptions | None = None,
    threads: int = 0,
    progress: bool | OnProgress | None = None,
    **options: Unpack[ConvertOptions],
) -> Written:
    """Converts files of any format into one file of any format, or into a set of shards. It appears when it is whole, or not at all.

    TFRecord to TFRecord copies the records as they are, and so does Avro to Avro, unless something else is asked for. What is lost is a
    `UserWarning`; `lossless=True` refuses it.

    Args:
        inputs: Files, patterns, folders and URLs, as `tfxio.open` takes them.
        output: The file, whose ending says the format; `train@16.tfrecord` is a set of shards.
        format: The format of the inputs, or of their records, where it does not show.
        to: The format of the output, where its name does not say it.
        columns: Only these columns, in this order; `*` and `?` stand for any characters.
        exclude: Columns that are left out.
        cast: What the values of columns are cast to, as `tfxio.write` has it.
        lossless: Whether it is an error if something is lost.
        scalars: Whether features that have one value in every record become columns of values. Reads the inputs once more.
        text: Whether features that are UTF-8 in every record become texts. Reads the inputs once more.
        filter: Which rows are converted: `"label = 7 and not image is null"`.
        limit: The most rows that are converted.
        sample: Rows chosen by chance: a `float` is a fraction, an `int` a number of rows.
        seed: Chooses other rows for a sample.
        shards: Writes this many shards: `train.tfrecord` becomes `train@8.tfrecord`.
        overwrite: Whether a file that exists is replaced.
        resume: Whether a conversion that was killed goes on where it was, for sets of a number of shards; say it the first time, too.
        infer_records: The records that columns are inferred from; all, if it is left out, which reads the inputs twice.
        schema: A schema of TensorFlow Metadata.
        on_error: `"skip"` leaves damaged records out, which is a `UserWarning`, and stands in `skipped` of what is returned.
        storage_options: How stores are reached, as `tfxio.open` takes them.
        threads: Threads that decode, encode and compress; 0 for all processors.
        progress: A function that is called with a `tfxio.Progress` about ten times a second; `True` shows a bar in a terminal or a
            notebook.
        **options: The options of both formats, as `output_compression="zstd"`, `keys=["user.name"]`.

    >>> import tempfile, tfxio
    >>> folder = tempfile.mkdtemp()
    >>> written = tfxio.write({"label": [7, 1, 7]}, folder + "/labels.tfrecord")
    >>> done = tfxio.convert(written.files, folder + "/labels.parquet", scalars=True)
    >>> done.rows, tfxio.open(done.files[0])[0]
    (3, {'label': 7})
    """
    if to is not None:
        _arguments.word("to", to, get_args(FileFormat))
    asked = asked_of(
        format=to, columns=columns, exclude=exclude, cast=cast, lossless=lossless, scalars=scalars,
        text=text, shards=shards, overwrite=overwrite, threads=threads, storage_options=storage_options, options=options, schema=schema,
    )  # fmt: skip
    is_fraction = isinstance(sample, float)
    how = {
        "format": _arguments.text_or_none("format", format),
        "filter": _expressions.text_or_none("filter", filter),
        "limit": _arguments.integer_or_none("limit", limit),
        "rows": None if is_fraction else _sample(sample),
        "fraction": sample if is_fraction else None,
        "seed": _arguments.integer("seed", seed),
        "resume": _arguments.flag("resume", resume),
        "infer_records": _arguments.integer_or_none("infer_records", infer_records, least=1),
        "on_error": _arguments.text("on_error", on_error),
    }
    try:
        with told("convert", progress) as tell:
            wrote, skipped = _lib.convert(_paths(inputs, "inputs"), output_of("output", output), asked, how, tell)
    except TfxioError as error:
        _hints.translate(error, _hints.OF_CONVERTING)
        raise
    if skipped:
        warn_of_skipped(skipped)
    return written(*wrote, skipped)


def inspect(
    paths: Paths,
    *,
    format: Format | None = None,
    storage_options: StorageOptions | None = None,
    progress: bool | OnProgress | None = None,
    **options: Unpack[LookOptions],
) -> list[dict[str, Any]]:
    """Returns what the formats of files have to say of each, such as the number of its records, its compression and whether it is whole:
    a dict a file, with the keys that `tfxio inspect --format json` prints. Damage is no error here; `state` and `errors` say it.

    >>> import tempfile, tfxio
    >>> written = tfxio.write({"label": [7, 1, 7]}, tempfile.mkdtemp() + "/labels.tfrecord")
    >>> (report,) = tfxio.inspect(written.files)
    >>> report["format"], report["records"], report["state"], report["errors"]
    ('tfrecord', 3, 'ok', [])
    """
    with told("inspect", progress) as tell:
        found = _lib.inspect(_paths(paths), _how(format, storage_options, options), tell)
    return _noted(*found)


def verify(
    paths: Paths,
    *,
    format: Format | None = None,
    storage_options: StorageOptions | None = None,
    progress: bool | OnProgress | None = None,
    **options: Unpack[LookOptions],
) -> list[dict[str, Any]]:
    """Decodes all records of files, and returns whether each is whole: a dict with `file`, `format`, `records`, `state` (`"ok"`,
    `"damaged"`, `"not as indexed"`, `"not read"`) and `errors`. Damage is no error here.

    >>> import tempfile, tfxio
    >>> written = tfxio.write({"label": [7, 1, 7]}, tempfile.mkdtemp() + "/labels.tfrecord")
    >>> [(report["state"], report["records"]) for report in tfxio.verify(written.files)]
    [('ok', 3)]
    """
    with told("verify", progress) as tell:
        found = _lib.verify(_paths(paths), _how(format, storage_options, options), tell)
    return _noted(*found)


def index(
    paths: Paths,
    *,
    format: Format | None = None,
    storage_options: StorageOptions | None = None,
    progress: bool | OnProgress | None = None,
    **options: Unpack[LookOptions],
) -> list[dict[str, Any]]:
    """Writes an index beside each file, by which its records are found and counted without a search: a dict a file says what it has.

    Raises:
        NotImplementedError: The format has no indexes.
    """
    with told("index", progress) as tell:
        found = _lib.index(_paths(paths), _how(format, storage_options, options), tell)
    return _noted(*found)


def repair(
    path: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    format: Format | None = None,
    storage_options: StorageOptions | None = None,
    progress: bool | OnProgress | None = None,
    **options: Unpack[LookOptions],
) -> Repaired:
    """Copies the records of a damaged TFRecord or Avro file that are whole to another, and returns what is lost. The damaged file stays
    as it is; the name of the other says its compression.

    Raises:
        ValueError: Nothing could be kept.
        NotImplementedError: The format offers no repair.
    """
    how = _how(format, storage_options, options)
    names = _arguments.path("path", path), output_of("output", output)
    with told("repair", progress) as tell:
        file, records, lost, unlisted, notes = _lib.repair(*names, how, tell)
    _noted([], notes)
    return Repaired(file, records, tuple(LostRange(**range) for range in lost), unlisted)


def extract(
    paths: Paths,
    folder: str | os.PathLike[str],
    *,
    column: Path | None = None,
    name_by: Path | None = None,
    filter: Condition | None = None,
    limit: int | None = None,
    overwrite: bool = False,
    format: Format | None = None,
    schema: SchemaLike | None = None,
    on_error: OnError = "fail",
    storage_options: StorageOptions | None = None,
    progress: bool | OnProgress | None = None,
    **options: Unpack[ExtractOptions],
) -> Extracted:
    """Writes each value of a column of bytes, such as images, to a file of its own. Files that were written before an error stay.

    Args:
        paths: Files, patterns, folders and URLs, as `tfxio.open` takes them.
        folder: The folder, which is created.
        column: The column; the only one that holds bytes, if it is left out.
        name_by: A column of texts or integers after whose values the files are called; file and number of the record, if it is left out.
        filter: Which rows: `"label = 7"`.
        limit: The most rows.
        overwrite: Whether files that exist are replaced.
        format: The format of the files or of their records: `"raw"` extracts whole records.
        schema: A schema of TensorFlow Metadata.
        on_error: `"skip"` leaves damaged records out.
        storage_options: How stores are reached, as `tfxio.open` takes them.
        progress: A function that is called with a `tfxio.Progress` about ten times a second; `True` shows a bar in a terminal or a
            notebook.
        **options: The options of the format.

    >>> import tempfile, tfxio
    >>> written = tfxio.write({"image": [b"first", b"second"], "name": ["a.png", "b.png"]}, tempfile.mkdtemp() + "/images.tfrecord")
    >>> tfxio.extract(written.files, tempfile.mkdtemp(), column="image", name_by="name").files
    2
    """
    given = {**options, **({} if schema is None else {"schema": schema_option(schema)})}
    what = {
        "column": None if column is None else _arguments.column("column", column),
        "name_by": None if name_by is None else _arguments.column("name_by", name_by),
        "filter": _expressions.text_or_none("filter", filter),
        "limit": _arguments.integer_or_none("limit", limit),
        "overwrite": _arguments.flag("overwrite", overwrite),
        "on_error": _arguments.text("on_error", on_error),
    }
    how = _how(format, storage_options, given)
    try:
        with told("extract", progress) as tell:
            done, notes, skipped = _lib.extract(_paths(paths), _arguments.path("folder", folder), what, how, tell)
    except TfxioError as error:
        _hints.translate(error, _hints.OF_EXTRACTING)
        raise
    _noted([], notes)
    if skipped:
        warn_of_skipped(skipped)
    files, size, without_value, renamed, examples = done
    if without_value:
        warn(f"{without_value:,} record{'' if without_value == 1 else 's'} without a value")
    if renamed:
        called = ", ".join(f"{asked!r} is {name!r}" for asked, name in examples) + (", …" if renamed > len(examples) else "")
        warn(f"{renamed:,} file{' is' if renamed == 1 else 's are'} called otherwise than the data say: {called}")
    return Extracted(files, size, without_value, renamed, tuple(examples), skipped)


def _sample(rows: Any) -> int | None:
    try:
        return _arguments.integer_or_none("sample", rows)
    except TypeError:
        raise _arguments.refused("sample", "a float from 0 to 1, an int or None", rows) from None


def _how(format: str | None, storage_options: StorageOptions | None, options: Mapping[str, Any]) -> dict[str, Any]:
    """Returns how files are looked at, each argument checked."""
    return {
        "format": _arguments.text_or_none("format", format),
        "options": {name: _option(name, value) for name, value in options.items() if value is not None},
        "storage_options": Storage(storage_options).options(),
    }


def _noted(reports: list[dict[str, Any]], notes: list[str]) -> list[dict[str, Any]]:
    """Warns of notes, and returns reports in words of Python."""
    for note in notes:
        warn(_hints.in_python(note))
    for report in reports:
        if "errors" in report:
            report["errors"] = [_hints.of_table(_hints.in_python(error), _hints.OF_LOOKING) for error in report["errors"]]
    return reports
