"""Statements over tables, run by the package datafusion."""

from __future__ import annotations

from pathlib import Path

import datafusion
import pyarrow
import pytest

import tfxio
import tfxio_sql

from conftest import DIGITS, FIXTURES


def plan(ctx: datafusion.SessionContext, statement: str) -> str:
    """Returns the plan of a statement."""
    return "\n".join(ctx.sql(f"explain {statement}").to_pydict()["plan"])


def test_rows_are_counted_without_being_decoded(ctx: datafusion.SessionContext) -> None:
    assert ctx.sql("select count(*) as n from digits").to_pydict() == {"n": [1797]}
    assert "columns=[]" in plan(ctx, "select count(*) from digits")


def test_groups(ctx: datafusion.SessionContext) -> None:
    found = ctx.sql("select label, count(*) as n from digits group by label order by label").to_pydict()
    assert found["label"] == list(range(10))
    assert found["n"] == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]


def test_columns_and_a_limit_reach_the_scan(ctx: datafusion.SessionContext) -> None:
    rows = ctx.sql("select id, label from digits limit 3").to_pylist()
    assert rows == [{"id": f"digit-000{at}", "label": at} for at in range(3)]
    shown = plan(ctx, "select id, label from digits limit 3")
    assert "TfxioExec: partitions=1, columns=[id, label], limit=3" in shown


def test_a_filter_reaches_the_scan(ctx: datafusion.SessionContext) -> None:
    statement = "select id from digits where label = 7 and id < 'digit-0020'"
    assert ctx.sql(statement).to_pydict() == {"id": ["digit-0007", "digit-0017"]}
    shown = plan(ctx, statement)
    assert "TfxioExec" in shown
    assert "filter=" in shown and "label = 7" in shown


def test_what_was_read_is_told(ctx: datafusion.SessionContext) -> None:
    shown = "\n".join(ctx.sql("explain analyze select id from digits where label = 7").to_pydict()["plan"])
    assert "records_read=1.80 K" in shown and "rows_decoded=179," in shown and "rows_pruned=1.62 K" in shown


def test_virtual_columns() -> None:
    ctx = datafusion.SessionContext()
    ctx.register_table("digits", tfxio_sql.table(DIGITS, virtual_columns=True))
    rows = ctx.sql("select _file, _record, _offset, id from digits where label = 7 order by id limit 2").to_pylist()
    assert [(row["_record"], row["_offset"], row["id"]) for row in rows] == [(7, 2324, "digit-0007"), (17, 5644, "digit-0017")]
    assert rows[0]["_file"].endswith("digits-00000-of-00003.tfrecord")


def test_lists_and_bytes() -> None:
    table = tfxio_sql.table(DIGITS, scalars=False, text=False)
    ctx = tfxio_sql.context(digits=table)
    assert ctx.sql("select id, label from digits limit 1").to_pylist() == [{"id": [b"digit-0000"], "label": [0]}]


def test_other_formats_and_joins() -> None:
    ctx = tfxio_sql.context(digits=DIGITS, people=tfxio_sql.table(FIXTURES / "avro" / "people.avro", max_depth=1))
    found = ctx.sql("select age, count(*) as n from people group by age order by age").to_pydict()
    assert found == {"age": [36, None], "n": [1, 1]}
    joined = ctx.sql("select count(*) as n from people join digits on people.age = digits.label + 29").to_pydict()
    assert joined == {"n": [179]}


def test_two_sessions_read_one_table() -> None:
    table = tfxio_sql.table(DIGITS)
    first, second = tfxio_sql.context(digits=table), tfxio_sql.context(datafusion.SessionConfig().with_target_partitions(1), digits=table)
    frames = [ctx.sql("select max(id) as id from digits") for ctx in (first, second)]
    del table, first
    assert [frame.to_pydict() for frame in frames] == [{"id": ["digit-1796"]}] * 2


def test_a_frame_outlives_its_session() -> None:
    frame = tfxio_sql.context(digits=DIGITS).sql("select count(*) as n from digits where upper(id) > 'DIGIT-1' and label = 7")
    assert frame.to_pydict() == {"n": [80]}


def test_functions_of_the_session_are_understood(ctx: datafusion.SessionContext) -> None:
    def is_seven(labels: pyarrow.Array) -> pyarrow.Array:
        return pyarrow.array([label == 7 for label in labels.to_pylist()])

    function = datafusion.udf(is_seven, [pyarrow.int64()], pyarrow.bool_(), "stable", "is_seven")
    ctx.register_udf(function)
    assert ctx.sql("select count(*) as n from digits where is_seven(label) and label > 3").to_pydict() == {"n": [179]}


def test_one_session_reads_a_table_under_two_names() -> None:
    table = tfxio_sql.table(DIGITS)
    ctx = tfxio_sql.context(a=table, b=table)
    assert ctx.sql("select count(*) as n from a join b on a.id = b.id where a.label = 7").to_pydict() == {"n": [179]}


def test_rows_leave_by_arrow(ctx: datafusion.SessionContext) -> None:
    table = ctx.sql("select * from digits").to_arrow_table()
    assert table.schema.names == ["id", "image", "label"]
    assert table.num_rows == 1797
    assert sum(table["label"].to_pylist()) == ctx.sql("select sum(label) as s from digits").to_pydict()["s"][0]
    assert len(table["image"][0]) == 64
    assert pyarrow.schema(tfxio_sql.table(DIGITS)).names == ["id", "image", "label"]


def test_a_frame_needs_no_statement(ctx: datafusion.SessionContext) -> None:
    from datafusion import col, lit

    frame = ctx.table("digits").filter(col("label") == lit(7)).select("id").sort(col("id")).limit(1)
    assert frame.to_pydict() == {"id": ["digit-0007"]}


def test_damaged_data_are_named_with_file_and_record(tmp_path: Path) -> None:
    # Record 5,000 has two labels, beyond what is looked at.
    path = tmp_path / "odd.tfrecord"
    with tfxio.TFRecordWriter(str(path)) as writer:
        for at in range(6_000):
            writer.write(tfxio.Example({"label": [at, at] if at == 5_000 else [at]}).to_bytes())
    ctx = tfxio_sql.context(odd=tfxio_sql.table(path, sample_rows=100))
    assert ctx.sql("select count(*) as n from odd").to_pydict() == {"n": [6_000]}
    with pytest.raises(Exception, match=r"odd\.tfrecord.*record 5000") as raised:
        ctx.sql("select sum(label) from odd").collect()
    assert "label" in str(raised.value)
    with pytest.raises(tfxio.exceptions.SchemaMismatchError) as ours, tfxio_sql.errors():
        ctx.sql("select sum(label) from odd").to_pandas()
    assert (ours.value.path, ours.value.record, ours.value.column) == (str(path), 5_000, "label")
    assert ours.value.hint and ours.value.hint in str(ours.value) and str(ours.value) in str(raised.value)
    assert ours.value.__cause__ is not None
    # What is not about data stays as it is.
    with pytest.raises(Exception, match="no_such_column") as other, tfxio_sql.errors():
        ctx.sql("select no_such_column from odd")
    assert not isinstance(other.value, tfxio.TfxioError)

    @tfxio_sql.errors()
    def batches() -> None:
        for _ in ctx.table("odd").execute_stream():
            pass

    with pytest.raises(tfxio.exceptions.SchemaMismatchError, match="record 5000"):
        batches()


def test_a_cut_file_is_named_with_its_byte(tmp_path: Path) -> None:
    data = (FIXTURES / "digits" / "digits-00000-of-00003.tfrecord").read_bytes()
    path = tmp_path / "cut.tfrecord"
    path.write_bytes(data)
    ctx = tfxio_sql.context(cut=tfxio_sql.table(path, sample_rows=100))
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(Exception, match=r"cut\.tfrecord"):
        ctx.sql("select sum(label) from cut").collect()
