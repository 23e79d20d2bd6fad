"""Data sets: what is opened, and what all else starts from."""

from __future__ import annotations

import difflib
import inspect
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack, overload

from tfxio import _arguments, _hints, _lib, _log, _threads
from tfxio._expressions import Condition
from tfxio._lib import BatchReader, Partition, Request, Schema
from tfxio._literals import Format, OnError
from tfxio._operators import Operators
from tfxio._progress import OnProgress, told
from tfxio._reading import Columns, Path, Reading, request_of, rows_of
from tfxio._representations import Description
from tfxio._schema import SchemaLike, schema_option
from tfxio._storage import Storage, StorageOptions
from tfxio._tensors import Tensors, described_by_name, partition_of, scanned
from tfxio.exceptions import TfxioError

if TYPE_CHECKING:
    from tfxio._loader import BatchLoader
    from tfxio._loader_config import Config
    from tfxio._loader_keywords import Keywords
    from tfxio._options import OpenOptions
    from tfxio._statistics import Statistics

Paths: TypeAlias = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]

SHOWN_ROWS = 10
#: Records by which a data set says what its columns could be, and the most columns that it names.
SEEN_ROWS = 100
SHOWN_NAMES = 8
MOST_ROWS = 2**63 - 1


def _paths(paths: Paths, name: str = "paths") -> list[str]:
    wanted = "a path, or a list of paths"
    if isinstance(paths, (str, os.PathLike)):
        listed = [_arguments.path(name, paths)]
    else:
        listed = []
        for path in _arguments.listed(name, wanted, paths):
            if not isinstance(path, (str, os.PathLike)):
                raise TypeError(f"{name} is {wanted}, and has {_arguments.shown(path)}")
            listed.append(_arguments.path(name, path))
    if "" in listed:
        raise ValueError("a path is empty: name a file, a folder, a pattern or a URL")
    return listed


def open(
    paths: Paths,
    *,
    format: Format | None = None,
    schema: SchemaLike | None = None,
    scalars: Columns = False,
    text: Columns = False,
    storage_options: StorageOptions | None = None,
    pickle_credentials: bool = False,
    on_error: OnError = "fail",
    threads: int = 0,
    **options: Unpack[OpenOptions],
) -> Dataset:
    """Opens files of any format as a data set.

    Args:
        paths: A path, a pattern (`data/*.tfrecord`, `train@16.tfrecord`), a folder, a URL (`s3://`, `gs://`, `az://`, `https://`),
            or several of them.
        format: The format of the files, where it does not show: `tfrecord`, `avro`, `parquet`, `arrow`, `csv`, `jsonl`.
        schema: A schema of TensorFlow Metadata: a path, text, bytes or the proto. Without one the schema is inferred.
        scalars: Whether features that always have one value are scalars: a label is `7` and not `[7]`, and `None` where a record has no
            label. Or the names of such columns. Which ones they are is found out now: by the schema, else by all records of local files
            up to 256 MiB, of others by the first 10,000, or as many as `infer_records` says. A record that has several values, or an
            empty list, is an error where it is read.
        text: Whether bytes that are UTF-8 are text, also in lists and structs: `"Skokie"` and not `b"Skokie"`. Or the names of such columns;
            they are found out in the same way, and bytes that are not UTF-8 are an error where they are read.
        storage_options: How stores are reached, as `object_store` has it: `{"aws_region": "eu-west-1"}`; or a function that returns
            it, which each process calls that opens the data set.
        pickle_credentials: Whether a pickle of the data set holds the credentials among `storage_options`. By default it holds the other
            options only, such as regions and endpoints; credentials come from the environment there, or from the function.
        on_error: What becomes of damaged records, from here on: `"skip"` leaves them out, of the columns as of all that is read of the data
            set. What reads may say otherwise.
        threads: Threads that look at the data; 0 for all processors.
        **options: The options of the format, as `records="example"`, `delimiter=";"`, `keys=["user.name"]`; and `missing_shards`,
            which says what becomes of a folder or a pattern that holds only some shards of a set: `"note"` warns, and loaders refuse;
            `"error"` refuses; `"allow"` takes the files for all there are.

    Returns:
        The data set. Its schema is fixed now; nothing is read until it is asked for.

    Raises:
        FileNotFoundError: No file fits.
        ValueError: The files have different formats, an option does not exist, or what was looked at is damaged.

    >>> import tempfile, tfxio
    >>> written = tfxio.write({"id": ["a", "b"], "label": [7, 1]}, tempfile.mkdtemp() + "/train.tfrecord")
    >>> tfxio.open(written.files).schema.names
    ['id', 'label']
    >>> tfxio.open(written.files, scalars=True, text=True).head(1)
    [{'id': 'a', 'label': 7}]
    """
    given: dict[str, Any] = {name: _option(name, value) for name, value in options.items() if value is not None}
    if schema is not None:
        given["schema"] = schema_option(schema)
    for name, columns in (("scalars", scalars), ("text", text)):
        if chosen := _arguments.all_or_names(name, columns):
            given[name] = chosen
    storage = Storage(storage_options, pickle_credentials)
    listed, threads = _paths(paths), _threads.asked(threads)
    _log.begin()
    _arguments.text("on_error", on_error)
    _arguments.text_or_none("format", format)
    try:
        native = _lib.open(
            listed, format=format, options=given, storage_options=storage.options(), on_error=on_error, threads=threads
        )
    except TfxioError as error:
        _hints.translate(error, _hints.OF_OPEN)
        raise
    return _Opened(native, storage, on_error)


def _option(name: str, value: Any) -> Any:
    if isinstance(value, (str, bool)):
        return value
    if isinstance(value, os.PathLike):
        return _arguments.path(name, value)
    if isinstance(value, Iterable) and not isinstance(value, (bytes, Mapping)):
        return _arguments.names(name, value)
    try:
        return _arguments.integer(name, value)
    except TypeError:
        raise _arguments.refused(name, "a str, an int, a bool or a list of str", value) from None


def open_spec(
    spec: str,
    *,
    storage_options: StorageOptions | None = None,
    pickle_credentials: bool = False,
    on_error: OnError = "fail",
) -> Dataset:
    """Opens the data set that `Dataset.spec` has described, without looking at the data again."""
    _arguments.text("on_error", on_error)
    return _described(_arguments.text("spec", spec), Storage(storage_options, pickle_credentials), on_error)


def _described(spec: str, storage: Storage, on_error: OnError = "fail") -> Dataset:
    return _Opened(_lib.open_spec(spec, storage.options(), on_error), storage, on_error)


class Dataset(Reading, Operators):
    """Records as columns of Arrow. `tfxio.open` makes one of files.

    A class of your own that has `schema`, `partitions` and `scan` is a data set like any other: it is read, filtered, loaded,
    turned into tensors and divided among processes. `schema` is one of pyarrow or of any object with `__arrow_c_schema__`. `scan` yields
    batches of pyarrow, polars or tfxio; it may look at `request.columns` and `request.limit`, and need not.
    Several threads may call it.

    >>> import pyarrow as pa, tfxio
    >>> class Squares(tfxio.Dataset):
    ...     schema = pa.schema({"n": pa.int64(), "square": pa.int64()})
    ...     def partitions(self, target_bytes=64 << 20):
    ...         return [tfxio.Partition(f"part-{at}", first_record=0, records=100) for at in range(3)]
    ...     def scan(self, partition, request=None):
    ...         first = 100 * int(partition.file[5:])
    ...         numbers = range(first, first + 100)
    ...         yield pa.record_batch({"n": list(numbers), "square": [n * n for n in numbers]}, self.schema)
    >>> squares = Squares()
    >>> len(squares), squares[299]["square"]
    (300, 89401)
    >>> next(squares.read(filter="square > 50", columns=["n"], limit=2)).to_pydict()
    {'n': [8, 9]}

    Every method that reads takes `columns` (names, or tuples of the steps to nested ones), `filter` (text:
    `"label = 7 and score > 0.5"`), `batch_size` (rows a batch, by default 1,024;
    `batch_rows` is another name of it), `limit`, `threads` (by default all processors) and `on_error` (`"skip"` leaves
    damaged records out, warns of them at the end, and has them in `skip_report()` of a reader; default: as `tfxio.open` was told). Rows, their order and the batches do not depend on `threads`.
    `scalars` and `text` are those of `tfxio.open`, for this reading: columns beside those of which the data set was opened so.
    """

    #: What becomes of damaged records where a read does not say.
    _on_error: OnError = "fail"

    @property
    def schema(self) -> Any:
        """The names and types of the columns."""
        raise NotImplementedError(f"{type(self).__name__} has no schema")

    def partitions(self, target_bytes: int = 64 << 20) -> Sequence[Partition]:
        """Plans parts of about `target_bytes` bytes, which together have every record once. Each can be pickled and scanned by
        another process."""
        raise NotImplementedError(f"{type(self).__name__} has no partitions")

    def scan(self, partition: Partition, request: Request | None = None) -> Iterable[Any]:
        """Reads a partition. The filter of the request may skip rows, and may leave some that do not satisfy it."""
        raise NotImplementedError(f"{type(self).__name__} has no scan")

    def __len__(self) -> int:
        return self._native_dataset.count()

    def __bool__(self) -> bool:
        # Without this, `if dataset:` would count the rows.
        return True

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...

    @overload
    def __getitem__(self, index: slice) -> BatchReader: ...

    def __getitem__(self, index: int | slice) -> dict[str, Any] | BatchReader:
        """Returns a row as a dictionary, or reads the rows of a slice. Columns are read by their names: `read(columns=["label"])`.

        >>> import tempfile, tfxio
        >>> written = tfxio.write({"label": [7, 1, 3]}, tempfile.mkdtemp() + "/labels.tfrecord")
        >>> ds = tfxio.open(written.files, scalars=True)
        >>> ds[-1]["label"], sum(batch.num_rows for batch in ds[1:3])
        (3, 2)
        """
        if isinstance(index, slice):
            index.indices(0)
            start, stop, step = index.indices(self._rows_for(index))
            if step != 1:
                raise ValueError(f"a slice of a data set has the step 1, not {step}")
            return self._native_dataset.read(Request(limit=max(stop - start, 0), threads=_threads.asked(0)), after=start)
        number = index = self._row_number(index)
        if index < 0 and (number := index + len(self)) < 0:
            raise IndexError(f"row {index} of {len(self)} rows")
        try:
            rows = rows_of(self._native_dataset.record(Request(threads=1), number))
        except ValueError as error:
            if number >= len(self):
                raise IndexError(f"row {index} of {len(self)} rows") from error
            raise
        return rows[0]

    def _row_number(self, index: Any) -> int:
        if isinstance(index, str):
            names = self._native_dataset.schema.names
            near = [index] if index in names else difflib.get_close_matches(index, names, 1)
            unknown = "" if index in names else f"there is no column {index!r}: " + (f"did you mean {near[0]!r}? " if near else "")
            hint = f"{unknown}a data set is indexed by the numbers of rows; columns are read by read(columns={near or names[:1]})"
            raise TypeError(f"{hint}, or all rows of them at once by to_arrow(columns=…), to_pandas or to_polars")
        return _arguments.integer("the number of a row", index, least=-MOST_ROWS, most=MOST_ROWS)

    def _rows_for(self, index: slice) -> int:
        """Returns the number of rows; without counting them, if the slice does not need it."""
        bounds = (index.start or 0, index.stop)
        if bounds[1] is not None and bounds[0] >= 0 and bounds[1] >= 0:
            return int(bounds[1])
        return len(self)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yields the rows as dictionaries. Columns are much faster: `read`."""
        for batch in self.read():
            yield from batch.to_pylist()

    def spec(self) -> str:
        """Returns the description, as JSON, by which `tfxio.open_spec` opens the same data set without looking at the data."""
        return self._native_dataset.spec()

    @property
    def losses(self) -> list[tuple[str, str]]:
        """What the columns do not hold of the data, as far as that was seen while they were opened: names of columns, each with what is
        lost, such as zeros before the numbers of a CSV file."""
        return self._native_dataset.losses()

    def tensors(
        self, tensors: Mapping[str, Description] | Iterable[str] | None = None, *, group: str | None = None
    ) -> Tensors:
        """Returns the columns as tensors.

        Args:
            tensors: The description of each tensor by its name: `FixedLen`, `VarLen`, `Sparse`, `Ragged`, `Dense`, a dict, or a
                `TensorRepresentation` of TensorFlow Metadata. Or names of tensors that the schema describes. Default: all of these.
            group: A group of representations of the schema.

        >>> import numpy as np, tempfile, tfxio
        >>> written = tfxio.write({"image": np.ones((100, 64), "float32"), "label": np.arange(100) % 10}, tempfile.mkdtemp() + "/digits.tfrecord")
        >>> ds = tfxio.open(written.files)
        >>> batch = next(ds.tensors({"image": tfxio.FixedLen([8, 8], "float32")}).read(batch_size=32))
        >>> batch["image"].numpy().shape
        (32, 8, 8)
        """
        _arguments.text_or_none("group", group)
        if isinstance(tensors, Mapping):
            return Tensors(self._native_dataset.tensors(described_by_name(tensors)))
        names = None if tensors is None else _arguments.names("tensors", tensors)
        native = self._native_dataset.tensors(None, group)
        return Tensors(native if names is None else native.select(names))

    @_arguments.suggests
    def stats(
        self,
        *,
        columns: Iterable[Path] | None = None,
        filter: Condition | None = None,
        limit: int | None = None,
        by: Path | None = None,
        weight: Path | None = None,
        top_values: int = 20,
        correlations: bool = False,
        categorical: Iterable[Path] = (),
        threads: int = 0,
        on_error: OnError | None = None,
        progress: bool | OnProgress | None = None,
    ) -> Statistics:
        """Returns statistics of the rows, from one pass over them.

        Args:
            columns: The columns that are described; all by default.
            filter: Which rows count: `"label = 7 and score > 0.5"`.
            limit: The most rows that are read.
            by: A column by whose values rows are put into slices, which get statistics of their own.
            weight: A column with the weight of each row.
            top_values: How many of the most frequent values are listed.
            correlations: Whether pairs of columns of numbers get their correlation.
            categorical: Columns of integers that are categories: their values are counted as texts.
            threads: Threads that read and count; 0 for all processors. The result does not depend on it.
            on_error: `"skip"` leaves damaged records out; default: as the data set was opened.
            progress: A function that is called with a `tfxio.Progress` about ten times a second, which counts the records that were read; `True`
                shows them in a terminal or a notebook.

        >>> import tempfile, tfxio
        >>> written = tfxio.write({"label": [7, 1, 7]}, tempfile.mkdtemp() + "/labels.tfrecord")
        >>> ds = tfxio.open(written.files, scalars=True)
        >>> ds.stats(columns=["label"], filter="label > 5")
        Statistics of 2 examples, 1 feature
          label: int, 7.0 to 7.0, 100.0% present
        """
        from tfxio._statistics import Statistics

        request = request_of(columns=columns, filter=filter, limit=limit, threads=threads, on_error=on_error)
        with told("stats", progress) as tell:
            native = _lib.statistics(
                self._native_dataset,
                request,
                weight=None if weight is None else _arguments.column("weight", weight),
                by=None if by is None else _arguments.column("by", by),
                top_values=_arguments.integer("top_values", top_values),
                correlations=_arguments.flag("correlations", correlations),
                categorical=_arguments.columns("categorical", categorical),
                progress=tell,
            )
        return Statistics(native)

    def loader(
        self, config: Config | None = None, *, scalars: Columns = False, text: Columns = False, **how: Unpack[Keywords]
    ) -> BatchLoader:
        """Returns shuffled, padded batches. See `tfxio.BatchLoader`, whose arguments these are, and `tfxio.open` for `scalars` and `text`.

        >>> import numpy as np, tempfile, tfxio
        >>> written = tfxio.write({"image": np.ones((100, 64), "float32"), "label": np.arange(100) % 10}, tempfile.mkdtemp() + "/digits.tfrecord")
        >>> ds = tfxio.open(written.files)
        >>> next(ds.loader(inputs=["image"], targets=["label"], batch_size=32, scalars=True))["label"].shape
        (32,)
        """
        from tfxio._loader import BatchLoader

        _arguments.known(how, ["scalars", "text", *list(inspect.signature(BatchLoader).parameters)[2:]])
        return BatchLoader(config, self._with_values(scalars, text), **how)

    def _with_values(self, scalars: Columns, text: Columns) -> Dataset:
        """Returns the data set with further columns that are scalars and text, as a data set."""
        chosen = _arguments.all_or_names("scalars", scalars), _arguments.all_or_names("text", text)
        return _Opened(self._valued(*chosen), self._reached_by(), self._on_error) if any(chosen) else self

    def _reached_by(self) -> Storage:
        """Returns how the stores of the files are reached."""
        return Storage(None, False)

    def __repr__(self) -> str:
        schema = self._native_dataset.schema
        if len(schema) == 0:
            return f"{type(self).__name__} without columns: {self._why_without_columns()}"
        lines = str(schema).split("\n")
        columns = f"{len(schema)} column" + ("" if len(schema) == 1 else "s")
        proposed = self._proposed_values()
        return "\n".join([f"{type(self).__name__} of {columns}", *(f"  {line}" for line in lines), *([proposed] if proposed else [])])

    def _proposed_values(self) -> str:
        """Returns how to open the data set so that columns are scalars and text which can be; nothing where none can."""
        return ""

    def _why_without_columns(self) -> str:
        return f"its {len(self)} records have none" if len(self) else "it has no records"

    def _repr_html_(self) -> str:
        from tfxio._html import table

        if len(self._native_dataset.schema) == 0:
            return f"<p>{escape(repr(self))}</p>"
        return table(self._native_dataset.schema, self.head(SHOWN_ROWS), self._proposed_values())


class _Opened(Dataset):
    """A data set of files."""

    def __init__(self, native: _lib.Dataset, storage: Storage, on_error: OnError) -> None:
        self._native = native
        self._storage = storage
        self._on_error = on_error
        # What was found out of the columns, which takes a look at the records.
        self._by_values: dict[str, _lib.Dataset] = {}
        self._proposed: str | None = None

    @property
    def _native_dataset(self) -> _lib.Dataset:
        return self._native

    def _valued(self, scalars: Columns, text: Columns) -> _lib.Dataset:
        chosen = _arguments.all_or_names("scalars", scalars), _arguments.all_or_names("text", text)
        if not any(chosen):
            return self._native
        found = self._by_values.get(repr(chosen))
        if found is None:
            found = self._by_values[repr(chosen)] = self._native.values(*chosen)
        return found

    def _proposed_values(self) -> str:
        if self._proposed is None:
            try:
                self._proposed = _proposal(*self._native.find_values(SEEN_ROWS))
            except TfxioError:
                # What reads the records says what is wrong with them.
                self._proposed = ""
        return self._proposed

    @property
    def schema(self) -> Schema:
        return self._native.schema

    def partitions(self, target_bytes: int = 64 << 20) -> list[Partition]:
        return self._native.partitions(_arguments.integer("target_bytes", target_bytes))

    def scan(self, partition: Partition, request: Request | None = None) -> BatchReader:
        return self._native.scan(partition_of(partition), scanned(request))

    def _why_without_columns(self) -> str:
        files = sorted({partition.file for partition in self.partitions()})
        if len(files) != 1:
            return super()._why_without_columns()
        return f"the {len(self)} records of {files[0]} have none" if len(self) else f"{files[0]} has no records"

    def _reached_by(self) -> Storage:
        return self._storage

    def __reduce__(self) -> tuple[Any, ...]:
        return _described, (self.spec(), self._storage, self._on_error)


# Errors and what is printed say the name that is public.
_Opened.__name__ = _Opened.__qualname__ = Dataset.__name__


def _proposal(scalars: list[str], text: list[str]) -> str:
    """Returns how to open a data set so that these columns are scalars, and these are text."""
    keywords, reads = [], []
    for keyword, names in (("scalars", scalars), ("text", text)):
        if names:
            more = f" and {len(names) - SHOWN_NAMES} more" if len(names) > SHOWN_NAMES else ""
            keywords.append(f"{keyword}=True")
            reads.append(f"{', '.join(names[:SHOWN_NAMES])}{more} as {keyword}")
    return f"open(..., {', '.join(keywords)}) reads {', '.join(reads)}" if keywords else ""
