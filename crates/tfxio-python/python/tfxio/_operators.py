"""What is made of a data set, without reading it: other columns, other rows, several as one."""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from tfxio import _arguments, _expressions

if TYPE_CHECKING:
    from tfxio._dataset import Dataset
    from tfxio._expressions import Condition
    from tfxio._map_function import Given
    from tfxio._mapped import MappedDataset

#: What the values of a column are cast to. The last four are numbers of seconds to nanoseconds of dates and times.
CastType: TypeAlias = Literal["int64", "float32", "float64", "string", "bytes", "s", "ms", "us", "ns"]


class Operators:
    """The methods of a data set that return another. Those stand on it: everything that takes a data set takes them, and nothing is read."""

    def select(self, columns: Iterable[str] | Mapping[str, str]) -> Dataset:
        """Returns the data set with these columns only, in this order; of a dict, each under the name of its key. Nothing is read.

        >>> import tempfile, tfxio
        >>> written = tfxio.write({"id": [1, 2, 3], "label": [7, 1, 7]}, tempfile.mkdtemp() + "/labels.tfrecord")
        >>> ds = tfxio.open(written.files, scalars=True)
        >>> ds.select({"y": "label"}).head(1, filter="y = 7")
        [{'y': 7}]
        """
        from tfxio._views import selected

        return selected(_dataset(self), columns)

    def rename(self, names: Mapping[str, str]) -> Dataset:
        """Returns the data set with other names of some columns: a dict of new names by the names that columns have. Nothing is read.

        >>> import tempfile, tfxio
        >>> written = tfxio.write({"id": [1, 2, 3], "label": [7, 1, 7]}, tempfile.mkdtemp() + "/labels.tfrecord")
        >>> ds = tfxio.open(written.files, scalars=True)
        >>> ds.rename({"label": "y"}).schema.names
        ['id', 'y']
        """
        from tfxio._views import renamed

        return renamed(_dataset(self), names)

    def filter(
        self,
        condition: Condition | Callable[..., Any],
        *,
        columns: Iterable[str] | None = None,
        given: Given | None = None,
        workers: int = 0,
        seed: int | None = None,
    ) -> Dataset:
        """Returns the rows that satisfy a condition. What reads, counts, loads and writes sees no others.

        Args:
            condition: The condition as `read` has it, which files look at before they decode rows; or a function, which returns a bool for
                each row. It is called as that of `map` is, and the other arguments are those of it.
            columns: The columns that the function is given. Default: all.
            given: As what. Default: `"numpy"`.
            workers: Processes that call it.
            seed: The seed of random numbers.

        >>> import tempfile, tfxio
        >>> written = tfxio.write({"label": [7, 1, 7]}, tempfile.mkdtemp() + "/labels.tfrecord")
        >>> ds = tfxio.open(written.files, scalars=True)
        >>> sevens = ds.filter("label = 7")
        >>> len(sevens), sevens.head(1)
        (2, [{'label': 7}])
        >>> len(ds.filter(lambda row: row["label"] % 2 == 1, given="rows"))
        3
        """
        from tfxio._views import Changed

        if callable(condition):
            from tfxio._mapped import filtered

            return filtered(_dataset(self), condition, columns, "numpy" if given is None else given, workers, seed)
        text = _expressions.text_of("condition", condition)
        if columns is not None or given is not None or workers != 0 or seed is not None:
            raise ValueError("columns, given, workers and seed are of a function: a condition as text names its columns itself")
        return Changed(_dataset(self), "filter", (text,))

    def take(self, rows: int) -> Dataset:
        """Returns the first rows. The files are counted that have them, when they are first read.

        >>> import tempfile, tfxio
        >>> written = tfxio.write({"label": [7, 1, 7]}, tempfile.mkdtemp() + "/labels.tfrecord")
        >>> ds = tfxio.open(written.files, scalars=True)
        >>> ds.take(2).head()
        [{'label': 7}, {'label': 1}]
        """
        from tfxio._views import Changed

        return Changed(_dataset(self), "rows", (0, _arguments.integer("rows", rows)))

    def skip(self, rows: int) -> Dataset:
        """Returns the rows after the first ones. The files are counted that have those, when they are first read.

        >>> import tempfile, tfxio
        >>> written = tfxio.write({"label": [7, 1, 7]}, tempfile.mkdtemp() + "/labels.tfrecord")
        >>> ds = tfxio.open(written.files, scalars=True)
        >>> ds.skip(1).head()
        [{'label': 1}, {'label': 7}]
        """
        from tfxio._views import Changed

        return Changed(_dataset(self), "rows", (_arguments.integer("rows", rows),))

    def shard(self, index: int, count: int) -> Dataset:
        """Returns one of `count` parts, by its index: consecutive rows, in each part equally many or one more. All files are counted when it
        is first read. A loader divides its data set among hosts by its own `shard=`.

        >>> import tempfile, tfxio
        >>> written = tfxio.write({"label": [7, 1, 7, 3, 4]}, tempfile.mkdtemp() + "/labels.tfrecord")
        >>> ds = tfxio.open(written.files, scalars=True)
        >>> [len(ds.shard(index, 2)) for index in range(2)]
        [2, 3]
        """
        from tfxio._views import Changed

        number = _arguments.integer("count", count, least=1)
        return Changed(_dataset(self), "shard", (_arguments.integer("index", index, most=number - 1), number))

    def concat(self, *others: Dataset) -> Dataset:
        """Returns the rows of this data set and then those of others, which may be of other formats. Columns are matched by their names; one
        that two data sets have in different types has the narrowest type that holds the values of both.

        >>> import tempfile, tfxio
        >>> written = tfxio.write({"label": [7, 1, 7]}, tempfile.mkdtemp() + "/labels.tfrecord")
        >>> ds = tfxio.open(written.files, scalars=True)
        >>> ds.take(1).concat(ds.skip(2), ds).head()
        [{'label': 7}, {'label': 7}, {'label': 7}, {'label': 1}, {'label': 7}]
        """
        from tfxio._views import Together, other

        return Together(_dataset(self), [other("others", each) for each in others], zips=False)

    def zip(self, other: Dataset) -> Dataset:
        """Returns the columns of this data set and those of another with as many rows: the n-th row of one beside the n-th of the other. That one
        has fewer is an error where it ends.

        >>> import tempfile, tfxio
        >>> written = tfxio.write({"label": [7, 1, 7]}, tempfile.mkdtemp() + "/labels.tfrecord")
        >>> ds = tfxio.open(written.files, scalars=True)
        >>> ds.zip(ds.select({"again": "label"})).head(1)
        [{'label': 7, 'again': 7}]
        """
        from tfxio import _views

        return _views.Together(_dataset(self), [_views.other("other", other)], zips=True)

    def cast(self, types: Mapping[str, CastType]) -> Dataset:
        """Returns the data set with other types of some columns, by the rules of `tfxio.convert`: a value that does not fit is an error with its
        record, and what is rounded is in `losses`.

        >>> import tempfile, tfxio
        >>> written = tfxio.write({"label": [7, 1, 7]}, tempfile.mkdtemp() + "/labels.tfrecord")
        >>> ds = tfxio.open(written.files, scalars=True)
        >>> ds.cast({"label": "float32"}).head(1)
        [{'label': 7.0}]
        """
        from tfxio import _views

        return _views.Changed(_dataset(self), "cast", (_views.casts(types),))

    def map(
        self,
        function: Callable[..., Any],
        *,
        columns: Iterable[str] | None = None,
        given: Given = "numpy",
        schema: Any = None,
        workers: int = 0,
        seed: int | None = None,
    ) -> MappedDataset:
        """Returns the data set with columns that a function makes of others, where they are read.

        The function is called with the rows of each batch that is read, on the threads that read, and only where a column is asked for
        that it makes. What it returns are further columns, or others of the same name, with a value for each row. Everything that takes
        a data set takes this one: it is filtered, loaded, shuffled, packed and resumed as the one below, and pickled if the function can be.

        Args:
            function: The function. It must return the same for the same rows, and may not rely on how many it is given at once. Several threads may call it.
            columns: The columns that it is given. Default: all.
            given: As what: `"numpy"`, a dict of arrays by name; `"torch"`, a dict of tensors, in which columns that are no numbers are
                still arrays; `"arrow"`, a `RecordBatch`, which pyarrow and polars take; `"rows"`, a dict for each row, of which it returns
                a dict.
            schema: The columns that it makes, as a schema of pyarrow or tfxio. Default: what it makes of the first 64 rows.
            workers: Processes that call it, for all threads that read: a gain where it is Python that takes long, and as many threads
                read. Columns go there and come back by shared memory. The function is at the top of a module, and a program that asks for
                processes begins below `if __name__ == "__main__":`. They end with the data set and what reads it.
            seed: The seed of random numbers, by default 0. A function with an argument `rng`, which is given rows, gets a
                `numpy.random.Generator` for each, whose numbers follow from the seed, the name of the file and the number of the record:
                the same in all orders, batches, threads and epochs. Those that are new each epoch belong into `loader.map`.

        >>> import tempfile, tfxio
        >>> written = tfxio.write({"label": [7, 1, 7]}, tempfile.mkdtemp() + "/labels.tfrecord")
        >>> ds = tfxio.open(written.files, scalars=True)
        >>> ds.map(lambda rows: {"half": rows["label"] / 2}).head(2, filter="label > 5")
        [{'label': 7, 'half': 3.5}, {'label': 7, 'half': 3.5}]
        """
        from tfxio._map_function import Function
        from tfxio._mapped import MappedDataset

        return MappedDataset(_dataset(self), Function(function, given, seed), columns, schema, workers)


def _dataset(operators: Operators) -> Dataset:
    """Returns the data set whose methods these are."""
    return typing.cast("Dataset", operators)
