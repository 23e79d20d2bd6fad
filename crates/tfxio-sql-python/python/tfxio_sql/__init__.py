"""SQL over training data: data sets of tfxio as tables of the package datafusion.

>>> import tfxio_sql
>>> ctx = tfxio_sql.context(digits=DIGITS)
>>> ctx.sql("select label, count(*) as n from digits where label < 2 group by label order by label").to_pydict()
{'label': [0, 1], 'n': [178, 182]}
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import datafusion

import tfxio
from tfxio_sql._files import RAISED, register_files
from tfxio_sql._sql import Table, datafusion_version, functions, raised
from tfxio_sql._tables import Paths, table

__version__ = "0.1.0"

__all__ = ["Table", "context", "datafusion_version", "errors", "register", "register_files", "register_functions", "table"]


@contextmanager
def errors() -> Iterator[None]:
    """Raises what is wrong with data as exceptions of `tfxio.exceptions`, with file, record and column. Without it the package datafusion
    raises exceptions of its own, which have the text alone. Also a decorator: `@tfxio_sql.errors()`.

    >>> import tfxio, tfxio_sql
    >>> ctx = tfxio_sql.context()
    >>> try:
    ...     with tfxio_sql.errors():
    ...         ctx.sql("select * from read_tfrecord('no-such-file.tfrecord')")
    ... except tfxio.exceptions.NotFoundError as error:
    ...     print(error.path)
    no-such-file.tfrecord
    """
    try:
        yield
    except tfxio.TfxioError:
        raise
    except Exception as error:
        text = str(error)
        ours = next((ours for ours in reversed(RAISED) if str(ours) in text), None) or raised(text)
        if ours is None:
            raise
        raise ours from error


def register(ctx: datafusion.SessionContext, name: str, source: Table | tfxio.Dataset | Paths, **how: Any) -> None:
    """Registers a table with a session.

    >>> import datafusion, tfxio_sql
    >>> ctx = datafusion.SessionContext()
    >>> tfxio_sql.register(ctx, "digits", DIGITS)
    >>> ctx.sql("select max(label) as m from digits").to_pydict()
    {'m': [9]}

    Args:
        ctx: The session.
        name: The name of the table.
        source: A table, a data set, or what `tfxio.open` opens.
        **how: What `table` takes beside the source.

    Raises:
        TypeError: Options are given with what is a table already.
    """
    if not isinstance(source, Table):
        source = table(source, **how)
    elif how:
        raise TypeError(f"the table is made, and {', '.join(how)} came too late: give it to tfxio_sql.table")
    ctx.register_table(name, source)


def register_functions(ctx: datafusion.SessionContext) -> None:
    """Registers functions over features with a session: `feature_len(x)`, the number of values; `element_at(x, n)`, a value by its
    number; `image_size(x)`, width and height of an image; `bucket(x, n)`, the bucket that a value always falls into.

    `sha256` is one of datafusion's. Frames call them by `ctx.udf("feature_len")`.

    >>> import datafusion, tfxio_sql
    >>> ctx = datafusion.SessionContext()
    >>> tfxio_sql.register_functions(ctx)
    >>> ctx.sql("select feature_len([1, 2, 3]) as n, element_at([7, 8], -1) as last, bucket('id-17', 10) as part").to_pylist()
    [{'n': 3, 'last': 8, 'part': 3}]
    """
    for function in functions():
        ctx.register_udf(datafusion.udf(function))


def context(
    config: datafusion.SessionConfig | None = None,
    /,
    **tables: Table | tfxio.Dataset | Paths,
) -> datafusion.SessionContext:
    """Returns a session with tables: each argument names one, and is a table, a data set or a path. Its statements may name files
    between quotes, and call `read_…` and functions over features.

    >>> import tfxio, tfxio_sql
    >>> ctx = tfxio_sql.context(train=tfxio.open(DIGITS))
    >>> seen = FIXTURES + "/digits/digits-00000-of-00003.tfrecord"
    >>> ctx.sql(f"select count(*) as n from train left anti join '{seen}' as seen on train.id = seen.id").to_pydict()
    {'n': [1198]}
    """
    session = datafusion.SessionContext(config)
    register_functions(session)
    # A new session has one schema, if it has any; its name follows from the configuration.
    for catalog in session.catalog_names():
        for schema in session.catalog(catalog).schema_names() - {"information_schema"}:
            register_files(session, within=f"{catalog}.{schema}")
    for name, source in tables.items():
        register(session, name, source)
    return session
