"""Files that statements name: between quotes in place of tables, and in calls of `read_…`."""

from __future__ import annotations

import os
import re
import weakref
from collections import deque
from collections.abc import Callable
from copy import copy
from typing import Any

import datafusion
from datafusion.catalog import Schema, SchemaProvider

import tfxio
from tfxio_sql._sql import Table, formats
from tfxio_sql._tables import PREFERRED, opened_with, table

#: A statement does not read a large file twice: beyond this size, schemas are inferred from the first 10,000 records.
OF_STATEMENTS = {**PREFERRED, "infer_bytes": 32 << 20}

#: What functions of sessions raised last.
RAISED: deque[tfxio.TfxioError] = deque(maxlen=64)


class Files:
    """Opens files that statements name as tables."""

    def __init__(self, how: dict[str, Any], options: dict[str, Any]) -> None:
        self.how, self.options = how, options

    def open(self, paths: str | list[str], **others: Any) -> Table:
        try:
            return table(opened_with(paths, {**self.options, **others}, OF_STATEMENTS), **self.how)
        except tfxio.TfxioError as error:
            # Of what a function of a session raises, the package datafusion hands on the text alone.
            RAISED.append(copy(error))
            raise

    def function(self, format: str | None) -> Callable[..., Any]:
        """Returns the function that opens files of a format; of every format, if it is not said."""
        name = f"read_{format or 'tfxio'}"

        def read(*args: Any) -> Table:
            paths: list[str] = []
            options: dict[str, str] = {} if format is None else {"format": format}
            for at, arg in enumerate(args):
                given = _text(arg)
                if given is None:
                    what = f"{name} takes names of files, and options of formats"
                    raise ValueError(f"{what}; write them between quotes: {name}('train-*', 'infer_records=100')")
                option = re.fullmatch(r"([a-z_]+)=(.*)", given, re.DOTALL) if at > 0 else None
                if option is None:
                    paths.append(given)
                else:
                    options[option[1]] = option[2]
            if not paths:
                raise ValueError(f"{name} takes names of files: {name}('train-*')")
            return self.open(paths, **options)

        return read


def _text(arg: Any) -> str | None:
    try:
        value = arg.python_value().as_py()
    except (AttributeError, TypeError):
        return None
    return value if isinstance(value, str) else None


class Tables(SchemaProvider):
    """The tables of a schema, and files by their names."""

    def __init__(self, ctx: datafusion.SessionContext, schema: Schema, files: Files) -> None:
        # Tables of the package datafusion cannot be asked for while it plans a statement.
        self._tables: dict[str, Any] = {name: schema.table(name) for name in schema.table_names()}
        # The session holds what is registered with it.
        self._ctx = weakref.ref(ctx)
        self.files = files

    @property
    def table_names(self) -> _Names:
        return _Names(self._tables)

    def table(self, name: str) -> Any:
        found = self._tables.get(name)
        if found is None and _is_of_files(name):
            found = datafusion.catalog.Table(self.files.open(name), self._ctx())
        return found

    def register_table(self, name: str, table: Any) -> None:
        if name in self._tables:
            raise ValueError(f"The table {name} already exists")
        self._tables[name] = table

    def deregister_table(self, name: str, cascade: bool = True) -> None:
        self._tables.pop(name, None)

    def table_exist(self, name: str) -> bool:
        return name in self._tables


class _Names(list[str]):
    """Names of tables. The package datafusion says that `table_names` is called, and reads it as a sequence."""

    def __call__(self) -> set[str]:
        return set(self)


def _is_of_files(name: str) -> bool:
    return any(char in name for char in "/\\.*?[{@") or os.path.exists(name)


def register_files(
    ctx: datafusion.SessionContext,
    *,
    within: str = "datafusion.public",
    scalars: bool = True,
    text: bool = True,
    virtual_columns: bool = False,
    sample_rows: int = 10_000,
    **options: Any,
) -> None:
    """Lets statements of a session name files: between quotes in place of a table, and as arguments of `read_tfxio`, and of
    `read_tfrecord`, `read_avro` and so on, a function for each format.

    >>> import datafusion, tfxio_sql
    >>> ctx = datafusion.SessionContext()
    >>> tfxio_sql.register_files(ctx)
    >>> ctx.sql(f"select count(*) as n from '{DIGITS}' where label = 7").to_pydict()
    {'n': [179]}
    >>> ctx.sql(f"select count(*) as n from read_tfrecord('{DIGITS}', 'infer_records=100')").to_pydict()
    {'n': [1797]}

    A name is one of files if it has a `/`, a `.` or a character of patterns, or if it is that of a file or folder. They are opened
    whenever a statement names them; tables are found first. Registered again, other options take the place of the first.

    Args:
        ctx: The session.
        within: The catalog and the schema in which names without them are looked for.
        scalars: As of `table`; so are `text`, `virtual_columns` and `sample_rows`.
        **options: What `tfxio.open` takes beside paths, for all files. Functions take options of their own: `'key=value'`.

    Raises:
        KeyError: There is no such catalog or schema.
        TypeError: The schema is one of a class of your own.
    """
    how = {"scalars": scalars, "text": text, "virtual_columns": virtual_columns, "sample_rows": sample_rows}
    files = Files(how, options)
    catalog_name, _, schema_name = within.partition(".")
    catalog = ctx.catalog(catalog_name)
    schema: Any = catalog.schema(schema_name)
    if isinstance(schema, Tables):
        schema.files = files
    elif isinstance(schema, Schema):
        catalog.register_schema(schema_name, Tables(ctx, schema, files))
    else:
        raise TypeError(f"the schema {within} is a {type(schema).__name__}: have it return tfxio_sql.table(name)")
    for format in (None, *formats()):
        name = f"read_{format or 'tfxio'}"
        ctx.register_udtf(datafusion.udtf(files.function(format), name))
