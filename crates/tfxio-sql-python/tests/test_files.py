"""Files that statements name, and functions over features."""

from __future__ import annotations

import gc
import shutil
import weakref
from pathlib import Path
from typing import Any

import datafusion
import pyarrow
import pytest
from datafusion import col, lit

import tfxio
import tfxio_sql

from conftest import DIGITS, FIXTURES

ONE, OTHER = (str(FIXTURES / "digits" / f"digits-0000{at}-of-00003.tfrecord") for at in (0, 1))


@pytest.fixture
def files() -> datafusion.SessionContext:
    """A session that has nothing but files."""
    ctx = datafusion.SessionContext()
    tfxio_sql.register_files(ctx)
    return ctx


def rows(ctx: datafusion.SessionContext, statement: str) -> list[dict[str, Any]]:
    return list(ctx.sql(statement).to_pylist())


def test_a_file_is_a_table(files: datafusion.SessionContext) -> None:
    assert rows(files, f"select count(*) as n, max(label) as m from '{DIGITS}' where label < 5") == [{"n": 901, "m": 4}]
    assert rows(files, f"select count(*) as n from '{FIXTURES}/digits/digits-*.tfrecord' a join '{ONE}' b on a.id = b.id") == [{"n": 599}]
    plan = "\n".join(files.sql(f"explain select id from '{DIGITS}' where label = 7 limit 3").to_pydict()["plan"])
    assert "TfxioExec" in plan and "columns=[id" in plan and "filter=label = 7" in plan


def test_a_frame_of_a_file(files: datafusion.SessionContext) -> None:
    assert files.table(f'"{ONE}"').filter(col("label") == lit(7)).count() == rows(files, f"select count(*) as n from '{ONE}' where label = 7")[0]["n"]


def test_a_file_is_opened_when_it_is_named(files: datafusion.SessionContext, tmp_path: Path) -> None:
    path = tmp_path / "some.tfrecord"
    with pytest.raises(FileNotFoundError, match=r"some\.tfrecord") as raised:
        files.sql(f"select * from '{path}'")
    assert isinstance(raised.value, tfxio.exceptions.NotFoundError) and raised.value.path == str(path)
    for labels in (1, 3):
        with tfxio.TFRecordWriter(path) as writer:
            for label in range(labels):
                writer.write(tfxio.Example({"label": [label]}).to_bytes())
        assert rows(files, f"select max(label) as m from '{path}'") == [{"m": labels - 1}]


def test_tables_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ctx = datafusion.SessionContext(datafusion.SessionConfig().with_information_schema(True))
    ctx.from_pydict({"x": [1]}, "before")
    tfxio_sql.register(ctx, "digits", DIGITS)
    tfxio_sql.register_files(ctx)
    ctx.from_pydict({"x": [2]}, "after")
    ctx.sql("create view seen as select x + 1 as x from after")
    assert rows(ctx, "select before.x as a, after.x as b, seen.x as c from before, after, seen") == [{"a": 1, "b": 2, "c": 3}]
    assert rows(ctx, "select count(*) as n from digits") == [{"n": 1797}]
    names = rows(ctx, "select table_name as t from information_schema.tables where table_schema = 'public' order by t")
    assert [row["t"] for row in names] == ["after", "before", "digits", "seen"]
    assert ctx.catalog().schema().table_names() == {"after", "before", "digits", "seen"}
    # A table is found before a file of its name.
    shutil.copyfile(ONE, "digits")
    assert rows(ctx, "select count(*) as n from digits") == [{"n": 1797}]
    with pytest.raises(Exception, match="The table digits already exists"):
        tfxio_sql.register(ctx, "digits", ONE)
    ctx.deregister_table("digits")
    assert rows(ctx, "select count(*) as n from digits") == [{"n": 599}]
    ctx.sql("drop view seen")
    with pytest.raises(Exception, match="'datafusion.public.seen' not found"):
        ctx.sql("select * from seen")


def test_functions_open_files(files: datafusion.SessionContext) -> None:
    people = FIXTURES / "avro" / "people.avro"
    assert rows(files, f"select count(*) as n from read_tfxio('{DIGITS}')") == [{"n": 1797}]
    assert rows(files, f"select count(*) as n from read_tfrecord('{ONE}', '{OTHER}', 'infer_records=100')") == [{"n": 1198}]
    assert rows(files, f"select age, count(*) as n from read_avro('{people}', 'max_depth=1') group by age order by age")[0] == {"age": 36, "n": 1}
    with pytest.raises(Exception, match=r"read_tfrecord takes names of files, and options of formats; write them between quotes"):
        files.sql("select * from read_tfrecord(7)")
    with pytest.raises(Exception, match="read_tfxio takes names of files"):
        files.sql("select * from read_tfxio()")
    with pytest.raises(Exception, match=r'no option .*"no_such"'):
        files.sql(f"select * from read_tfrecord('{ONE}', 'no_such=1')")


def test_options_hold_for_all_files_until_others_do(files: datafusion.SessionContext) -> None:
    tfxio_sql.register_files(files, virtual_columns=True, scalars=False, text=False, infer_records=10)
    (row,) = rows(files, f"select * from '{ONE}' where _record = 7")
    assert row["label"] == [7] and row["id"] == [b"digit-0007"] and row["_file"].endswith("digits-00000-of-00003.tfrecord")
    tfxio_sql.register_files(files)
    assert rows(files, f"select * from '{ONE}' limit 1")[0].keys() == {"id", "image", "label"}


def test_schemas_that_cannot_have_files() -> None:
    class Own(datafusion.catalog.SchemaProvider):
        def table_names(self) -> set[str]:
            return set()

        def table(self, name: str) -> None:
            return None

        def table_exist(self, name: str) -> bool:
            return False

    ctx = datafusion.SessionContext()
    ctx.catalog().register_schema("own", Own())
    with pytest.raises(TypeError, match=r"the schema datafusion\.own is a Own: have it return tfxio_sql\.table\(name\)"):
        tfxio_sql.register_files(ctx, within="datafusion.own")
    with pytest.raises(KeyError, match="zz"):
        tfxio_sql.register_files(ctx, within="datafusion.zz")


def test_a_context_has_files_and_functions() -> None:
    config = datafusion.SessionConfig().with_default_catalog_and_schema("mine", "all").with_information_schema(True)
    for ctx in (tfxio_sql.context(), tfxio_sql.context(config), tfxio_sql.context(digits=DIGITS)):
        assert rows(ctx, f"select sum(feature_len(image)) as n from '{ONE}'") == [{"n": 599 * 64}]
    none = datafusion.SessionConfig().with_create_default_catalog_and_schema(False)
    assert rows(tfxio_sql.context(none), "select feature_len(1) as n") == [{"n": 1}]


def test_a_session_is_let_go(files: datafusion.SessionContext) -> None:
    ctx = tfxio_sql.context(digits=DIGITS)
    frame = ctx.sql(f"select count(*) as n from digits join '{ONE}' f on digits.id = f.id where bucket(f.id, 3) < 3")
    gone = weakref.ref(ctx)
    del ctx
    gc.collect()
    assert gone() is None
    assert frame.to_pydict() == {"n": [599]}


def test_functions_over_features() -> None:
    ctx = datafusion.SessionContext()
    tfxio_sql.register_functions(ctx)
    tfxio_sql.register(ctx, "digits", DIGITS)
    found = rows(ctx, "select feature_len(image) as n, element_at(image, 3) as third, bucket(id, 10) as part from digits order by id limit 2")
    # Those of docs/sql.md, which the command prints.
    assert found == [{"n": 64, "third": 5.0, "part": 8}, {"n": 64, "third": 0.0, "part": 2}]
    wanted = sum(row["label"] == [7] and row["image"][-60] > 12 for row in tfxio.open(DIGITS))
    statement = "select count(*) as n from digits where feature_len(image) = 64 and element_at(image, -60) > 12 and label = 7"
    assert rows(ctx, statement) == [{"n": wanted}] and 0 < wanted < 179
    ctx.from_arrow(pyarrow.table({"image": [_png(3, 5), b"none", None]}), "images")
    sizes = [row["s"] for row in rows(ctx, "select image_size(image) as s from images")]
    assert sizes[0] == {"width": 3, "height": 5} and sizes[1:] == [None, None]
    assert rows(ctx, "select sha256('a') as h")[0]["h"].hex().startswith("ca978112")
    assert ctx.table("digits").select(ctx.udf("feature_len")(col("image")).alias("n")).limit(1).to_pydict() == {"n": [64]}
    with pytest.raises(Exception, match="bucket takes a positive number of buckets, and not 0"):
        ctx.sql("select bucket('a', 0)").collect()
    with pytest.raises(Exception, match="bucket takes text, bytes or an integer, and not Float64"):
        ctx.sql("select bucket(1.5, 3)")


def test_functions_fit_one_version_of_datafusion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(datafusion, "__version__", "56.1.0")
    with pytest.raises(Exception, match=r"this build of tfxio-sql is for version 55 of datafusion, and 56\.1\.0 is installed"):
        tfxio_sql.register_functions(datafusion.SessionContext())


def test_register_takes_what_table_takes(files: datafusion.SessionContext) -> None:
    tfxio_sql.register(files, "lists", DIGITS, scalars=False)
    assert rows(files, "select label from lists limit 1") == [{"label": [0]}]
    tfxio_sql.register(files, "made", tfxio_sql.table(DIGITS))
    with pytest.raises(TypeError, match="the table is made, and scalars came too late"):
        tfxio_sql.register(files, "again", tfxio_sql.table(DIGITS), scalars=False)


def _png(width: int, height: int) -> bytes:
    header = b"IHDR" + width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes([8, 0, 0, 0, 0])
    return b"\x89PNG\r\n\x1a\n" + (13).to_bytes(4, "big") + header + bytes(4)
