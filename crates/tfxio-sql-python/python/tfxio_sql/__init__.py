"""SQL over training data: data sets of tfxio as tables of the package datafusion.

>>> import tfxio_sql
>>> ctx = tfxio_sql.context(digits=DIGITS)
>>> ctx.sql("select label, count(*) as n from digits where label < 2 group by label order by label").to_pydict()
{'label': [0, 1], 'n': [178, 182]}
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, TypeAlias

import datafusion

import tfxio
from tfxio_sql._sql import Table, datafusion_version

__version__ = "0.1.0"

__all__ = ["Table", "context", "datafusion_version", "table"]

Paths: TypeAlias = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


def table(
    source: tfxio.Dataset | Paths,
    *,
    scalars: bool = True,
    text: bool = True,
    virtual_columns: bool = False,
    sample_rows: int = 10_000,
    **options: Any,
) -> Table:
    """Makes a table of a data set, or of files; `SessionContext.register_table` takes it.

    >>> import datafusion, tfxio_sql
    >>> ctx = datafusion.SessionContext()
    >>> ctx.register_table("digits", tfxio_sql.table(DIGITS, virtual_columns=True))
    >>> ctx.sql("select _record, id from digits where label = 7 order by id limit 2").to_pylist()
    [{'_record': 7, 'id': 'digit-0007'}, {'_record': 17, 'id': 'digit-0017'}]

    Args:
        source: A data set that `tfxio.open` has opened, or what it opens: a path, a pattern, a URL, or several of them.
        scalars: Whether a feature with exactly one value a row is a column of values. Otherwise it is one of lists.
        text: Whether a feature whose values are UTF-8 is a column of text. Otherwise it is one of bytes.
        virtual_columns: Whether there are the columns `_file`, `_record` and `_offset`, which say which record a row was.
        sample_rows: Number of rows that are looked at to find out which features are values and which are text.
        **options: What `tfxio.open` takes beside paths: `format`, `schema`, `storage_options` and the options of the format.

    Returns:
        The table. It can be registered in any number of sessions, and pickles.

    Raises:
        FileNotFoundError: No file fits.
        NotImplementedError: The data set is of a class of your own, which has no description that another library can open.
        ValueError: The rows that were looked at are damaged.
        TypeError: Options are given with a data set that is open already.
    """
    if isinstance(source, tfxio.Dataset):
        if options:
            raise TypeError(f"the data set is open, and {', '.join(options)} came too late: give it to tfxio.open")
        opened = source
    else:
        opened = _opened(source, options)
    # Not public: it may hold secrets.
    storage_options: dict[str, str] = getattr(opened, "_storage_options", {})
    return Table(
        _described(opened),
        storage_options,
        scalars=scalars,
        text=text,
        virtual_columns=virtual_columns,
        sample_rows=sample_rows,
    )


def _opened(paths: Paths, options: dict[str, Any]) -> tfxio.Dataset:
    if "layout" not in options:
        try:
            # Columns as they are in files of formats that know single values.
            return tfxio.open(paths, layout="plain", **options)
        except tfxio.exceptions.InvalidArgumentError as error:
            if 'no option "layout"' not in str(error):
                raise
    return tfxio.open(paths, **options)


def _described(dataset: tfxio.Dataset) -> str:
    try:
        return dataset.spec()
    except tfxio.exceptions.UnsupportedError as error:
        why = str(error).removesuffix(f"; {error.hint}")
        message = f"{type(dataset).__name__} cannot be a table: {why}; give its batches to SessionContext.from_arrow(dataset.read(), name)"
        raise tfxio.exceptions.UnsupportedError(message) from error


def context(
    config: datafusion.SessionConfig | None = None,
    /,
    **tables: Table | tfxio.Dataset | Paths,
) -> datafusion.SessionContext:
    """Returns a session with tables: each argument names one, and is a table, a data set or a path.

    >>> import tfxio, tfxio_sql
    >>> ctx = tfxio_sql.context(train=tfxio.open(DIGITS), seen=FIXTURES + "/digits/digits-00000-of-00003.tfrecord")
    >>> ctx.sql("select count(*) as n from train left anti join seen on train.id = seen.id").to_pydict()
    {'n': [1198]}
    """
    session = datafusion.SessionContext(config)
    for name, source in tables.items():
        session.register_table(name, source if isinstance(source, Table) else table(source))
    return session
