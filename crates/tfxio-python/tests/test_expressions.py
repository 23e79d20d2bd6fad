"""Conditions as expressions: of this package, of polars and of pyarrow, each the same as its text."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfxio
from tfxio import _expressions

col = tfxio.col

ROWS: list[dict[str, Any]] = [
    {"n": number, "x": number / 4, "w": f"it's {number % 5}", "even": number % 2 == 0, "day": datetime.date(2026, 1, 1 + number % 28),
     "at": datetime.datetime(2026, 1, 1, number % 24, 30), "s": {"x": number % 7}, "a b": number % 3, "maybe": None if number % 4 == 0 else number}
    for number in range(100)
]  # fmt: skip


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> tfxio.Dataset:
    path = tmp_path_factory.mktemp("table") / "x.parquet"
    tfxio.write(ROWS, path)
    return tfxio.open(path)


def numbers(ds: tfxio.Dataset, condition: Any) -> list[int]:
    return [number for batch in ds.read(filter=condition, columns=["n"]) for number in batch["n"].to_numpy().tolist()]


OWN: list[tuple[tfxio.Expression, Callable[[dict[str, Any]], bool]]] = [
    (col("n") == 7, lambda row: row["n"] == 7),
    (col("n") != np.int64(7), lambda row: row["n"] != 7),
    ((col("n") < 20) & (col("x") >= 2.5), lambda row: bool(row["n"] < 20 and row["x"] >= 2.5)),
    (~(col("n") > 3) | col("w").is_in(["it's 4"]), lambda row: row["n"] <= 3 or row["w"] == "it's 4"),
    (col("w") == b"it's 1", lambda row: row["w"] == "it's 1"),
    (col("even") == True, lambda row: bool(row["even"])),  # noqa: E712
    (col("day") <= datetime.date(2026, 1, 3), lambda row: row["day"] <= datetime.date(2026, 1, 3)),
    (col("at") > datetime.datetime(2026, 1, 1, 20), lambda row: row["at"] > datetime.datetime(2026, 1, 1, 20)),
    (col("s", "x") == 3, lambda row: row["s"]["x"] == 3),
    (col("a b") == Decimal("2"), lambda row: row["a b"] == 2),
    (col("maybe").is_null(), lambda row: row["maybe"] is None),
    (col("maybe").is_not_null() & col("n").is_in(range(10)), lambda row: row["maybe"] is not None and row["n"] < 10),
    (col("x") < float("inf"), lambda row: True),
    (col("x") == float("nan"), lambda row: False),
]


@pytest.mark.parametrize("at", range(len(OWN)))
def test_expressions_are_conditions(table: tfxio.Dataset, at: int) -> None:
    condition, holds = OWN[at]
    expected = [row["n"] for row in ROWS if holds(row)]
    assert numbers(table, condition) == numbers(table, str(condition)) == expected
    assert len(table.filter(condition)) == len(expected)


def test_every_filter_takes_them(table: tfxio.Dataset, tmp_path: Path) -> None:
    condition = col("n") < 5
    assert [row["n"] for row in table.head(9, filter=condition)] == [0, 1, 2, 3, 4]
    assert table.stats(columns=["n"], filter=condition).num_examples == 5
    assert [number for batch in table.loader(inputs=["n"], batch_size=2, filter=condition) for number in batch["n"].numpy().tolist()] == [0, 1, 2, 3, 4]
    assert table.loader(inputs=["n"], batch_size=2, filter=condition).config()["filter"] == "n < 5"
    assert tfxio.convert(tmp_path / "x.parquet" if tfxio.write(table, tmp_path / "x.parquet") else "", tmp_path / "y.csv", filter=condition, columns=["n"]).rows == 5


def test_what_is_not_a_condition_is_refused(table: tfxio.Dataset) -> None:
    wrong: Any
    for wrong, message in [
        (7, 'filter is a text such as "label = 7", tfxio.col("label") == 7, or an expression of polars or pyarrow'),
        (col("n"), "filter is a text"),
    ]:
        with pytest.raises(TypeError) as caught:
            table.read(filter=wrong)
        assert message in str(caught.value)
    with pytest.raises(TypeError, match="use is_null"):
        _ = col("n") == None  # noqa: E711
    with pytest.raises(TypeError, match="join conditions by &"):
        bool(col("n") == 7 and col("x") == 3)
    with pytest.raises(TypeError, match="a column is not a condition by itself"):
        bool(col("n"))
    with pytest.raises(ValueError, match="bytes that are not UTF-8"):
        _ = col("w") == b"\xff"
    with pytest.raises(TypeError, match="a number, a bool, a text"):
        _ = col("w") == [1]
    assert str(col("or") == 1) == '"or" = 1' and str(col('a"b', "c d") == "x'y") == "\"a\"\"b\".\"c d\" = 'x''y'"
    assert repr(col("n") == 7) == "<tfxio condition: n = 7>" and repr(col("n")) == "<tfxio column: n>"


def test_expressions_of_polars(table: tfxio.Dataset) -> None:
    pl = pytest.importorskip("polars")
    frame = table.to_polars()
    for expression in [
        pl.col("n") == 7,
        (pl.col("n") < 20) & ~(pl.col("w") == "it's 1"),
        (pl.col("x") >= 2.5) | (3 > pl.col("n")),
        pl.col("n").is_in([1, 2, 500]),
        pl.col("w").is_in(["it's 1", "x"]),
        pl.col("maybe").is_null() | pl.col("s").struct.field("x").is_not_null() & (pl.col("s").struct.field("x") == 2),
        pl.col("n").is_between(3, 9, closed="left"),
        pl.col("even") != True,  # noqa: E712
        pl.col("day") == datetime.date(2026, 1, 3),
        pl.col("at") >= datetime.datetime(2026, 1, 1, 20),
        pl.col("a b") == -2,
    ]:
        assert numbers(table, expression) == frame.filter(expression)["n"].to_list(), expression
    for expression in [pl.col("n") + 1 == 2, pl.col("n") == pl.col("x"), pl.col("n").sum() > 3, pl.col("w").str.starts_with("x"), pl.all() > 3, pl.col("n")]:
        with pytest.raises(ValueError, match="the expression of polars, .* is not a condition on columns"):
            table.read(filter=expression)


def test_expressions_of_pyarrow(table: tfxio.Dataset) -> None:
    pc = pytest.importorskip("pyarrow.compute")
    whole = table.to_arrow()
    field = pc.field
    for expression in [
        field("n") == 7,
        (field("n") < 20) & ~(field("w") == "it's 1"),
        (field("x") >= 2.5) | (field("n") < 3),
        field("n").isin([1, 2, 500]),
        field("w").isin(["it's 1", "a, b"]),
        field("maybe").is_null() | (field("s", "x") == 2),
        field("maybe").is_valid() & (field("x") != -1.5),
        field("even") == True,  # noqa: E712
        field("day") == datetime.date(2026, 1, 3),
        (field("x") < float("inf")) & (field("x") > float("-inf")) & (field("x") < 1e30),
    ]:
        assert numbers(table, expression) == whole.filter(expression)["n"].to_pylist(), expression
    for expression in [field("n") + 1 == 2, field("n") == field("x"), field("a b") == 1, field("w") == b"x", pc.starts_with(field("w"), "x"), field("n")]:
        with pytest.raises(ValueError, match="the expression of pyarrow, .* is not a condition that its text says"):
            table.read(filter=expression)


def test_nothing_foreign_is_imported() -> None:
    assert _expressions.text_of("filter", "a = 1") == "a = 1"
