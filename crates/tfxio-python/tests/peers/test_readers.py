"""Every type in every format, written by the command `tfxio` and read by others: what comes of it stands in `docs/formats.md`.

    TFXIO_COMMAND=target/debug/tfxio pytest tests/peers/test_readers.py

`UPDATE_EXPECT=1` writes the tables of today into the page. What a reader does not hold needs a reason in `readers/limits.py`.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")

from readers import filters, page
from readers.by_duckdb import DUCKDB
from readers.by_fastavro import FASTAVRO
from readers.by_polars import POLARS
from readers.by_pyarrow import PANDAS, PYARROW
from readers.by_spark import SPARK, java_is_missing
from readers.by_tensorflow import TENSORFLOW
from readers.columns import ROWS, all_columns
from readers.found import Found, Reader
from readers.limits import LIMITS, OTHER_NAMES, Reasons
from readers.outcome import Outcome, judge, read
from readers.tables import Outcomes, outcomes
from readers.whole import Table, plain, read_whole
from readers.written import COMMAND, PLAIN, VARIANTS, Variant, write

#: In the order of the columns of tables.
READERS = [PYARROW, PANDAS, POLARS, DUCKDB, SPARK, FASTAVRO, TENSORFLOW]
#: The first cell of the head of the table of ways to write.
WAYS = "written"

#: Names of columns that some format, or some reader, has a meaning for.
NAMES = ["a b", "é", "\U0001f600", "x.y", "x/y", "a-b", "1st", 'q"q', "q'q", "c,c", "c;c", "n\nl", "t\tt", "`b`", "\\", "=1", "A", "%41"]
NAMES += ["[0]", "{}", " lead", "null", ""]

needs_command = pytest.mark.skipif(not COMMAND, reason="TFXIO_COMMAND does not name the command tfxio: run cargo xtask python --peers readers")


def missing(reader: Reader) -> str:
    """Returns why a reader is left out, if it is."""
    if not reader.version:
        return f"{reader.package} is not installed"
    return "pyspark needs Java, and there is none" if reader is SPARK and java_is_missing() else ""


@functools.cache
def present() -> list[Reader]:
    return [reader for reader in READERS if not missing(reader)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("readers")


@pytest.fixture(scope="module")
def found(folder: Path) -> Outcomes:
    """Returns what every reader that is there makes of every column."""
    every: Outcomes = {}
    for variant in PLAIN:
        every.update(outcomes(variant, all_columns(), present(), folder))
    return every


@pytest.fixture(scope="module")
def reasons() -> dict[str, Reasons]:
    return {reader: Reasons(reader) for reader in LIMITS}


def cell(outcome: Outcome, what: str, reasons: Reasons) -> str:
    """Returns what the page says of an outcome."""
    if outcome.word not in ("an error", "other values"):
        return outcome.word
    reason = reasons.of(what)
    return f"{outcome.word}: {reason}" if reason else f"{outcome.word} without a reason in limits.py: {what}, {outcome.detail}"


def of_types(found: Outcomes, before: dict[str, page.Cells], reasons: dict[str, Reasons]) -> Iterator[str]:
    """Returns the tables of types. What a reader makes that is not here is what the page says."""
    for variant in PLAIN:
        readers = {reader.name: page.versions()[reader.package] for reader in READERS if variant.format in reader.reads}
        written = list(dict.fromkeys(column for format_, column, reader in found if format_ == variant.format and reader))
        cells: page.Cells = {}
        for column in written:
            for reader in readers:
                outcome = found.get((variant.format, column, reader))
                known = before.get(variant.format, {}).get((column, reader), "–")
                cells[column, reader] = cell(outcome, f"{variant.format}: {column}", reasons[reader]) if outcome else known
        yield page.table(variant.format, readers, cells)
        refused = [column for format_, column, reader in found if format_ == variant.format and not reader]
        if refused:
            yield f"Not written as {variant.format}: {', '.join(refused)}."


def table_for(variant: Variant, reader: Reader, found: Outcomes) -> Table:
    """Returns the columns that a format holds and a reader reads without being told their types."""
    called, arrays = {}, {}
    for index, column in enumerate(all_columns()):
        for name, values in ((column.name, column.values), *column.smaller):
            word = found.get((variant.format, name, reader.name), Outcome("refused")).word
            if word == "same" or (word.startswith("as") and not word.endswith("if given")):
                called[f"c{index:02}"], arrays[f"c{index:02}"] = name, values
    return Table(called, arrays)


def of_ways(found: Outcomes, before: dict[str, page.Cells], reasons: dict[str, Reasons], folder: Path) -> str:
    """Returns the table of ways to write: whether every column is what it is in a file that is written without options."""
    cells: page.Cells = {}
    for reader in READERS:
        for variant in VARIANTS:
            known = before.get(WAYS, {}).get((variant.name.replace(", ", ": "), reader.name), "–")
            cells[variant.name.replace(", ", ": "), reader.name] = known if variant.format in reader.reads else "–"
    for reader in present():
        expected: dict[str, object] = {}
        for variant in VARIANTS:
            if variant.format not in reader.reads:
                continue
            table = table_for(variant, reader, found)
            if variant.format not in expected:
                expected[variant.format] = read_whole(table, plain(variant.format), reader, folder)
                assert isinstance(expected[variant.format], dict), (reader.name, variant.format, expected[variant.format])
            there = read_whole(table, variant, reader, folder)
            what = variant.name.replace(", ", ": ")
            if there == expected[variant.format]:
                cells[what, reader.name] = "the same"
            else:
                detail = there if isinstance(there, str) else str(differences(there, expected[variant.format]))
                cells[what, reader.name] = cell(Outcome("an error", detail), variant.name, reasons[reader.name])
    return page.table(WAYS, {reader.name: page.versions()[reader.package] for reader in READERS}, cells)


def differences(there: dict[str, Outcome], expected: object) -> dict[str, Outcome]:
    known = expected if isinstance(expected, dict) else {}
    return {column: outcome for column, outcome in there.items() if known.get(column) != outcome}


@needs_command
def test_the_page_says_what_readers_make_of_each_type(found: Outcomes, reasons: dict[str, Reasons], folder: Path) -> None:
    before = page.tables(page.text())
    tables = [of_ways(found, before, reasons, folder), *of_types(found, before, reasons)]
    text = "\n\n".join(tables)
    unexplained = [line for line in text.splitlines() if "without a reason" in line]
    assert not unexplained, "\n".join(unexplained)
    if os.environ.get("UPDATE_EXPECT"):
        page.replace(text)
    assert page.text() == text, "the page differs; UPDATE_EXPECT=1 writes it"


@needs_command
@pytest.mark.parametrize("variant", PLAIN, ids=lambda variant: variant.name)
def test_columns_have_the_names_that_were_written(variant: Variant, folder: Path) -> None:
    wrong = []
    for name in NAMES:
        if (variant.format, name) == ("CSV", ""):
            # It is refused: a header cannot hold it.
            continue
        path = write({name: pa.array([7, 8])}, variant, folder, "names")
        for reader in present():
            if variant.format not in reader.reads:
                continue
            expected = OTHER_NAMES.get((reader.name, variant.format, name), in_avro(name) if variant.format == "Avro" else name)
            there = read(reader, path, variant)
            names = set(there) - {"row"} if not isinstance(there, str) else there
            if names != ({expected} if expected is not None else set()):
                wrong.append(f"{name!r} for {reader.name}: {names}, not {expected!r}")
    assert not wrong, "\n".join(wrong)


def in_avro(name: str) -> str:
    """Returns the name of a field: `docs/avro.md` has the rule."""
    found = re.sub(r"[^A-Za-z0-9_]", "_", name) or "_"
    return f"_{found}" if found[0].isdigit() else found


@needs_command
@pytest.mark.parametrize("reader", [PYARROW, POLARS, DUCKDB, SPARK], ids=lambda reader: reader.name)
@pytest.mark.parametrize("parts", ["pages", "row groups"])
def test_conditions_are_decided_right_with_statistics_and_page_indexes(
    reader: Reader, parts: str, found: Outcomes, reasons: dict[str, Reasons], folder: Path
) -> None:
    import pyarrow.parquet

    if why := missing(reader):
        pytest.skip(why)
    held = table_for(plain("Parquet"), reader, found)
    columns = {f"c{index:02}": column for index, column in enumerate(all_columns())}
    columns = {name: column for name, column in columns.items() if name in held.arrays and filters.is_compared(column)}
    arrays = {name: filters.repeated(column.values) for name, column in columns.items()}
    options = ("--row-group-rows", str(filters.TIMES)) if parts == "row groups" else ()
    path = write(arrays, Variant("Parquet", ".parquet", options), folder, "conditions")
    metadata = pyarrow.parquet.read_metadata(path)
    assert metadata.num_row_groups == (ROWS if options else 1)
    chunks = [metadata.row_group(0).column(index) for index in range(metadata.num_columns)]
    # A page or a chunk of nothing but NaN has no bounds, and so its column has no index of them.
    bounded = [chunk for chunk in chunks if chunk.path_in_schema == "row" or "NaN" not in columns[chunk.path_in_schema].name]
    assert all(chunk.has_offset_index for chunk in chunks) and all(chunk.has_column_index for chunk in bounded)
    wrong = []
    for name, column in columns.items():
        asked = filters.conditions(column, name)
        try:
            counts: list[int] | str = filters.COUNTS[reader.name](path, asked)
        except Exception as error:
            counts = f"{type(error).__name__}: {error}"
        is_right = counts == [condition.rows for condition in asked]
        if is_right == bool(reasons[reader.name].of(f"conditions on {column.name}, {parts}")):
            wrong.append(f"{column.name}: {[(one.sign, str(one.value), one.rows) for one in asked]}, but {counts}")
    path.unlink()
    assert columns and not wrong, "\n".join(wrong)


@needs_command
@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_a_reader_is_there_in_the_version_of_the_page(reader: Reader) -> None:
    if why := missing(reader):
        pytest.skip(why)
    assert reader.version == page.versions()[reader.package]


@needs_command
def test_no_reason_is_left_that_nothing_needs(found: Outcomes) -> None:
    # As text: what the page does not say is of no use, but for conditions, of which it says nothing.
    said = [cell for cells in page.tables(page.text()).values() for cell in cells.values()]
    idle = [
        f"{reader}: {reason}"
        for reader, limits in LIMITS.items()
        for pattern, reason in limits.items()
        if not pattern.startswith("conditions") and not any(cell.endswith(f": {reason}") for cell in said)
    ]
    assert not idle


def test_the_page_has_a_table_of_each_format_with_the_versions_of_the_environment() -> None:
    tables = page.tables(page.text())
    assert list(tables) == [WAYS, *(variant.format for variant in PLAIN)]
    for variant in PLAIN:
        readers = {reader.name: page.versions()[reader.package] for reader in READERS if variant.format in reader.reads}
        head = f"| {variant.format} | {' | '.join(f'{name} {version}' for name, version in readers.items())} |"
        assert head in page.text().splitlines(), head
        # A column for each reader, and no row that says nothing.
        assert {reader for _, reader in tables[variant.format]} == set(readers)
        assert "–" not in tables[variant.format].values()


@pytest.mark.parametrize(
    ("found", "written", "outcome"),
    [
        ([1.5, float("nan"), -0.0], pa.array([1.5, float("nan"), -0.0]), "same"),
        ([1.5, float("nan"), 0.0], pa.array([1.5, float("nan"), -0.0]), "other values"),
        ([0.1], pa.array([0.1], pa.float32()), "as `double`"),
        ([0.2], pa.array([0.1], pa.float32()), "other values"),
        ([None], pa.array([""]), "other values"),
        (["a"], pa.array([b"a"]), "as `double`"),
        (["b"], pa.array([b"a"]), "other values"),
        ([[]], pa.array([None], pa.list_(pa.int8())), "other values"),
        ([2], pa.array([2_000_000], pa.time64("us")), "other values"),
        ([2_000_000], pa.array([2_000_000], pa.time64("us")), "as `double`"),
        (["00:00:02"], pa.array([2_000_000], pa.time64("us")), "as `double`"),
        (["00:00:02.000001"], pa.array([2_000_000], pa.time64("us")), "other values"),
        (["2024-01-01T00:00:00+02:00"], pa.array([1_704_060_000], pa.timestamp("s", "UTC")), "as `double`"),
        (["2024-01-01T00:00:00Z"], pa.array([1_704_060_000], pa.timestamp("s", "UTC")), "other values"),
        (["-PT1.5S"], pa.array([-1500], pa.duration("ms")), "as `double`"),
        (["PT1.5S"], pa.array([-1500], pa.duration("ms")), "other values"),
        (["P1Y2M3DT0.5S"], pa.array([(14, 3, 500_000_000)], pa.month_day_nano_interval()), "as `double`"),
        (["P2M3DT0.5S"], pa.array([(14, 3, 500_000_000)], pa.month_day_nano_interval()), "other values"),
        ([True], pa.array([1]), "as `double`"),
        ([1, 2], pa.array([1]), "other values"),
        ([{"k": 1}], pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64())), "as `double`"),
        ([{"k": 2}], pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64())), "other values"),
    ],
)
def test_another_value_is_told_from_the_same_in_another_type(found: list[Any], written: Any, outcome: str) -> None:
    assert judge(Found("double", pa.float64(), found), written, "CSV").word == outcome


def test_a_table_is_read_as_it_was_made() -> None:
    cells = {("a", "x"): "same", ("b", "x"): "same", ("c", "x"): "as `y`"}
    text = page.table("Format", {"x": "1.0"}, cells)
    assert text == "| Format | x 1.0 |\n| --- | --- |\n| a, b | same |\n| c | as `y` |"
    assert page.tables(text) == {"Format": cells}
