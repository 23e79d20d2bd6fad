"""Spark, which reads Parquet by parquet-java."""

from __future__ import annotations

import functools
import os
import subprocess
from pathlib import Path
from typing import Any

import pyarrow as pa

from .by_pyarrow import delimiter
from .found import Found, Reader, of_table
from .written import Variant


def java_is_missing() -> bool:
    """Whether there is no Java, which Spark runs on: that of JAVA_HOME, or else the one on the path."""
    home = os.environ.get("JAVA_HOME")
    java = Path(home, "bin", "java") if home else "java"
    try:
        return subprocess.run([java, "-version"], capture_output=True).returncode != 0
    except OSError:
        return True


@functools.cache
def session() -> Any:
    """Returns the session of Spark of this process, in UTC."""
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.timeType.enabled": "true",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.log.level": "OFF",
    }
    builder = SparkSession.builder.master("local[1]").appName("tfxio")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def of_frame(frame: Any) -> dict[str, Found]:
    """Returns the columns, in the order of the rows."""
    types = {field.name: field.dataType.simpleString() for field in frame.schema.fields}
    # Of JSON the columns are in the order of their names, and of CSV without a header they are numbered.
    return of_table(frame.orderBy("row" if "row" in frame.columns else "_c0").toArrow(), types)


def _schema(types: pa.Schema) -> Any:
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(types)


def _parquet(path: Path, variant: Variant, types: pa.Schema | None) -> dict[str, Found]:
    return of_frame(session().read.parquet(str(path)))


def _csv(path: Path, variant: Variant, types: pa.Schema | None) -> dict[str, Found]:
    escape = "\\" if "escape" in variant.name else '"'
    reader = session().read.options(sep=delimiter(variant), header="no header" not in variant.name, multiLine=True, escape=escape)
    # As long as this is the empty text, a cell of nothing but quotes is null, too.
    reader = reader.option("nullValue", "\0")
    reader = reader.option("inferSchema", True) if types is None else reader.schema(_schema(types))
    return of_frame(reader.csv(str(path)))


def _json(path: Path, variant: Variant, types: pa.Schema | None) -> dict[str, Found]:
    reader = session().read if types is None else session().read.schema(_schema(types))
    return of_frame(reader.json(str(path)))


SPARK = Reader("pyspark", {"Parquet": _parquet, "CSV": _csv, "JSON lines": _json}, "Spark")
