"""Tables of data sets and of files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import tfxio
from tfxio_sql._sql import Table

Paths: TypeAlias = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]

#: Columns as they are in files of formats that know single values.
PREFERRED: Mapping[str, Any] = {"layout": "plain"}


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
        opened = opened_with(source, options, PREFERRED)
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


def opened_with(paths: Paths, options: Mapping[str, Any], preferred: Mapping[str, Any]) -> tfxio.Dataset:
    """Opens files, with those options that are preferred, not given, and known to their format."""
    paths = paths if isinstance(paths, (str, os.PathLike)) else list(paths)
    preferred = {name: value for name, value in preferred.items() if name not in options}
    while True:
        try:
            return tfxio.open(paths, **preferred, **options)
        except tfxio.exceptions.InvalidArgumentError as error:
            unknown = [name for name in preferred if f'no option "{name}"' in str(error)]
            if not unknown:
                raise
            preferred = {name: value for name, value in preferred.items() if name not in unknown}


def _described(dataset: tfxio.Dataset) -> str:
    try:
        return dataset.spec()
    except tfxio.exceptions.UnsupportedError as error:
        why = str(error).removesuffix(f"; {error.hint}")
        message = f"{type(dataset).__name__} cannot be a table: {why}; give its batches to SessionContext.from_arrow(dataset.read(), name)"
        raise tfxio.exceptions.UnsupportedError(message) from error
