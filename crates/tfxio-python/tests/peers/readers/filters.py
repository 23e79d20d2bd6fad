"""Conditions on columns of Parquet, for which readers leave out row groups and pages by statistics and indexes of ours."""

from __future__ import annotations

import operator
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as of

from .columns import Column

#: How often each value stands in the file, one after the other: the rows of a page.
TIMES = 20_480
#: Comparisons, by their signs: of expressions, and of arrays of Arrow.
SIGNS: dict[str, tuple[Callable[[Any, Any], Any], Callable[..., Any]]] = {
    "=": (operator.eq, pc.equal),
    "<": (operator.lt, pc.less),
    ">=": (operator.ge, pc.greater_equal),
}


class Condition(NamedTuple):
    """A comparison of a column with one of its values."""

    name: str
    sign: str
    value: pa.Scalar
    #: Rows that satisfy it.
    rows: int

    def of(self, column: Any, value: Any) -> Any:
        """Returns the comparison as an expression of a reader."""
        return SIGNS[self.sign][0](column, value)

    def text(self) -> str:
        """Returns the value as a text that SQL casts to its type."""
        value = self.value
        if of.is_timestamp(value.type) and value.type.tz is not None:
            value = value.cast(pa.timestamp(value.type.unit, "UTC"))
        of_python = of.is_floating(value.type) or of.is_decimal(value.type) or of.is_integer(value.type)
        return str(value.as_py()) if of_python else str(value.cast(pa.string()).as_py())


def is_compared(column: Column) -> bool:
    """Whether readers compare the values of a column: what is nested is left out, and what has no order."""
    kinds = (of.is_boolean, of.is_integer, of.is_floating, of.is_decimal, of.is_date, of.is_time, of.is_timestamp)
    return any(is_of(column.values.type) for is_of in (*kinds, of.is_string, of.is_large_string, of.is_binary))


def repeated(values: pa.Array) -> pa.Array:
    """Returns each value many times, so that a page holds one value."""
    return values.take(pa.array([row for row in range(len(values)) for _ in range(TIMES)], pa.int32()))


def conditions(column: Column, name: str) -> list[Condition]:
    """Returns a condition for each value and sign. Of columns with NaN, which systems order in two ways, none looks upwards."""
    comparable = column.values.cast(pa.float32()) if of.is_float16(column.values.type) else column.values
    found = []
    for value, other in zip(column.values, comparable, strict=True):
        if not value.is_valid or value.as_py() != value.as_py():
            continue
        for sign in ("=", "<") if "NaN" in column.name else SIGNS:
            rows = SIGNS[sign][1](comparable, other).to_pylist().count(True) * TIMES
            found.append(Condition(name, sign, value, rows))
    return found


def by_pyarrow(path: Path, asked: list[Condition]) -> list[int]:
    """Counts rows."""
    import pyarrow.dataset

    data = pyarrow.dataset.dataset(path)
    return [data.count_rows(filter=condition.of(pc.field(condition.name), condition.value)) for condition in asked]


def by_polars(path: Path, asked: list[Condition]) -> list[int]:
    """Counts rows."""
    import polars

    data = polars.scan_parquet(path)
    found = []
    for condition in asked:
        rows = data.filter(condition.of(polars.col(condition.name), _of_polars(condition.value)))
        found.append(int(rows.select(polars.len()).collect().item()))
    return found


def _of_polars(value: pa.Scalar) -> Any:
    import polars

    series: Any = polars.from_arrow(pa.array([value], value.type))
    if not of.is_timestamp(value.type) and not of.is_time(value.type):
        return polars.lit(series.item(), dtype=series.dtype)
    # As a number: what Python has for times ends at microseconds. polars has no seconds.
    return polars.lit(series.to_physical().item()).cast(series.dtype)


def by_duckdb(path: Path, asked: list[Condition]) -> list[int]:
    """Counts rows."""
    import duckdb

    found = []
    with duckdb.connect() as connection:
        connection.execute("set timezone = 'UTC'")
        for condition in asked:
            table: Any = connection.sql(f"select {condition.name} from read_parquet('{path}')")
            if of.is_binary(condition.value.type):
                literal = f"from_hex('{condition.value.as_py().hex()}')"
            else:
                text = condition.text().replace("'", "''")
                literal = f"'{text}'::{table.types[0]}"
            rows = table.filter(f"{condition.name} {condition.sign} {literal}")
            found.append(int(rows.aggregate("count(*)").fetchall()[0][0]))
    return found


def by_spark(path: Path, asked: list[Condition]) -> list[int]:
    """Counts rows, all in one statement: parquet-java compares with the column index what Spark pushes down."""
    from pyspark.sql import functions

    from .by_spark import session

    counts = []
    for number, condition in enumerate(asked):
        frame = session().read.parquet(str(path)).select(condition.name)
        value = condition.value.as_py() if of.is_binary(condition.value.type) else condition.text()
        literal = functions.lit(value).cast(frame.schema[0].dataType)
        rows = frame.filter(condition.of(functions.col(condition.name), literal))
        counts.append(rows.agg(functions.lit(number).alias("number"), functions.count("*").alias("rows")))
    every = counts[0]
    for one in counts[1:]:
        every = every.unionAll(one)
    return [row["rows"] for row in sorted(every.collect(), key=lambda row: row["number"])]


#: How readers count the rows that satisfy conditions on a column, by their names.
COUNTS: dict[str, Callable[[Path, list[Condition]], list[int]]] = {
    "pyarrow": by_pyarrow,
    "polars": by_polars,
    "DuckDB": by_duckdb,
    "Spark": by_spark,
}
