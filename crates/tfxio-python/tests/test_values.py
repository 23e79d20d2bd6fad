"""Columns as people expect them: features of one value are scalars, and UTF-8 is text."""

from __future__ import annotations

import asyncio
import multiprocessing
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tfxio
from conftest import DIGITS

ROWS: list[dict[str, Any]] = [
    {"city": "Skokie", "label": 3, "price": 0.5, "tags": ["new", "große"], "photo": b"\xff\xd8\x03"},
    {"city": "Łódź", "label": 4, "price": None, "tags": [], "photo": b"\xff\xd8\x04"},
    {"city": "", "label": 5, "price": 1.5, "tags": ["old"], "photo": b"\xff\xd8\x05"},
    {"city": "Oslo", "label": 6, "price": 2.5, "tags": ["x", "y"], "photo": b"\xff\xd8\x06"},
]


def write(path: Path, rows: list[dict[str, Any]]) -> str:
    with tfxio.TFRecordWriter(path) as writer:
        for row in rows:
            writer.write(tfxio.Example({name: value for name, value in row.items() if value is not None}).to_bytes())
    return str(path)


@pytest.fixture
def houses(tmp_path: Path) -> str:
    return write(tmp_path / "houses.tfrecord", ROWS)


@pytest.fixture
def contradicted(tmp_path: Path) -> str:
    """A file of which later records are not like the first ones."""
    rows = [{"label": [at], "city": [f"row {at}"], "other": [at]} for at in range(6)]
    rows[3]["label"] = [3, 33]
    rows[4]["city"] = [b"\xff"]
    return write(tmp_path / "late.tfrecord", rows)


def types(ds: tfxio.Dataset) -> dict[str, str]:
    return dict(zip(ds.schema.names, ds.schema.types))


def test_opened_with_scalars_and_text(houses: str) -> None:
    ds = tfxio.open(houses, scalars=True, text=True)
    assert types(ds) == {
        "city": "LargeUtf8",
        "label": "Int64",
        "photo": "LargeBinary",
        "price": "Float32",
        "tags": "LargeList(LargeUtf8)",
    }
    assert list(ds) == [{name: row[name] for name in sorted(row)} for row in ROWS]
    assert (ds[1]["label"], ds[-1]["city"], ds[1]["price"]) == (4, "Oslo", None)
    assert [row["city"] for row in ds.head(2)] == ["Skokie", "Łódź"]
    assert [row["label"] for row in ds.tail(2)] == [5, 6]
    assert [label for batch in ds[1:3] for label in batch["label"].to_pylist()] == [4, 5]
    assert next(ds.sample(4, seed=1))["label"].to_pylist() == [3, 4, 5, 6]
    assert len(ds) == 4
    plain = tfxio.open(houses, scalars=False, text=False)
    assert types(plain) == types(tfxio.open(houses)) != types(ds)
    assert types(tfxio.open(houses, scalars=True))["city"] == "LargeBinary"
    assert types(tfxio.open(houses, text=True))["city"] == "LargeList(LargeUtf8)"
    # An option by its name, as other keywords.
    assert types(tfxio.open(houses, scalars=True, text=True, infer_records=4)) == types(ds)


def test_columns_that_are_named(houses: str) -> None:
    ds = tfxio.open(houses, scalars=["label"], text=("city",))
    assert (types(ds)["label"], types(ds)["price"]) == ("Int64", "LargeList(Float32)")
    assert (types(ds)["city"], types(ds)["tags"]) == ("LargeList(LargeUtf8)", "LargeList(LargeBinary)")
    assert next(tfxio.open(houses).read(scalars=["price"]))["price"].to_pylist() == [0.5, None, 1.5, 2.5]
    with pytest.raises(ValueError, match='there is no column "lable", which the option scalars names; did you mean "label"?'):
        tfxio.open(houses, scalars=["lable"])
    for wrong, hint in [("label", r"scalars=\['label'\]"), (1, "True, False or a list of names"), ([1], "a list of names")]:
        with pytest.raises(TypeError, match=hint):
            tfxio.open(houses, scalars=wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=hint):
            tfxio.open(houses).read(scalars=wrong)  # type: ignore[arg-type]


def test_asked_of_a_reading(houses: str) -> None:
    ds = tfxio.open(houses)
    both: dict[str, Any] = {"scalars": True, "text": True}
    assert ds.head(1, **both)[0] == {name: ROWS[0][name] for name in sorted(ROWS[0])}
    assert ds.tail(1, columns=["city", "label"], **both) == [{"city": "Oslo", "label": 6}]
    assert next(ds.sample(1, seed=3, columns=["label"], scalars=True))["label"].to_pylist()[0] in (3, 4, 5, 6)
    assert next(ds.read(columns=["label"], filter="label > 4", **both)).to_pydict() == {"label": [5, 6]}
    assert ds[0]["label"] == [3], "the data set is as it was opened"

    async def cities() -> list[str]:
        return [city async for batch in ds.aread(columns=["city"], **both) for city in batch["city"].to_pylist()]

    assert asyncio.run(cities()) == ["Skokie", "Łódź", "", "Oslo"]
    # Beside what it was opened with.
    scalars = tfxio.open(houses, scalars=True)
    assert scalars.head(1, columns=["city", "label"], text=True) == [{"city": "Skokie", "label": 3}]


def test_tables(houses: str) -> None:
    pa, pl = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    ds = tfxio.open(houses)
    table = ds.to_arrow(scalars=True, text=True)
    assert table.schema.field("label").type == pa.int64()
    assert table.schema.field("city").type == pa.large_string()
    assert table["price"].to_pylist() == [0.5, None, 1.5, 2.5]
    frame = ds.to_polars(scalars=True, text=True)
    assert (frame["label"].dtype, frame["city"].dtype, frame["tags"].dtype) == (pl.Int64, pl.String, pl.List(pl.String))
    opened = tfxio.open(houses, scalars=True, text=True)
    assert opened.to_polars().equals(frame)
    assert pa.table(opened).equals(table)
    assert pl.DataFrame(opened).equals(frame)


def test_a_frame_of_pandas(houses: str) -> None:
    pytest.importorskip("pandas")
    frame = tfxio.open(houses).to_pandas(columns=["city", "label"], scalars=True, text=True)
    assert frame["label"].sum() == 18 and list(frame["city"]) == ["Skokie", "Łódź", "", "Oslo"]


def test_filters(houses: str) -> None:
    ds = tfxio.open(houses, scalars=True, text=True)
    cases = {
        "label > 4": [5, 6],
        "city = 'Łódź'": [4],
        "price is null": [4],
        "not price > 1": [3],
        "tags = 'new' or label = 6": [3, 6],
    }
    for filter, labels in cases.items():
        assert [row["label"] for batch in ds.read(filter=filter) for row in batch.to_pylist()] == labels, filter
    with pytest.raises(ValueError, match="the column has Arrow type LargeUtf8, which cannot be compared with 3"):
        ds.read(filter="city = 3")


def test_pickles_and_descriptions_say_it(houses: str) -> None:
    ds = tfxio.open(houses, scalars=True, text=True)
    for again in (pickle.loads(pickle.dumps(ds)), tfxio.open_spec(ds.spec())):
        assert types(again) == types(ds)
        assert list(again) == list(ds)
        assert again.spec() == ds.spec()


def _labels(ds: tfxio.Dataset) -> list[Any]:
    return [row["label"] for row in ds]


FORKS = """
import multiprocessing, sys, tfxio
def labels(ds):
    return [row["label"] for row in ds]
ds = tfxio.open(sys.argv[1], scalars=True, text=True)
with multiprocessing.get_context("fork").Pool(1) as pool:
    print(pool.map(labels, [ds]))
"""


def test_other_processes_read_the_same(houses: str) -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(_labels, [tfxio.open(houses, scalars=True, text=True)]) == [[3, 4, 5, 6]]
    # Of a process of its own: libraries that other tests have loaded warn of forks.
    done = subprocess.run([sys.executable, "-c", FORKS, houses], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("[[3, 4, 5, 6]]\n", "")


def test_a_loader_has_labels_of_one_dimension(houses: str) -> None:
    ds = tfxio.open(houses, scalars=True, text=True)
    loader = ds.loader(inputs=["city"], targets=["label"], batch_size=4)
    batch = next(iter(loader))
    assert batch["label"].numpy().tolist() == [3, 4, 5, 6]
    assert [word.decode() for word in batch["city"].numpy()] == ["Skokie", "Łódź", "", "Oslo"]
    digits = tfxio.open(DIGITS, scalars=True)
    assert next(iter(digits.loader(inputs=["image"], targets=["label"], batch_size=32)))["label"].shape == (32,)
    # Asked of the loader, and without a word said, as before.
    loader = tfxio.open(houses).loader(inputs=["city"], targets=["label"], batch_size=4, scalars=["label"], text=True)
    assert next(loader)["label"].shape == (4,)
    with pytest.raises(TypeError, match="scalars is True, False or a list of names, not one name"):
        tfxio.open(houses).loader(targets=["label"], batch_size=4, scalars="label")
    assert next(iter(tfxio.open(DIGITS).loader(targets=["label"], batch_size=32)))["label"].shape == (32, 1)
    tensors = digits.tensors({"label": tfxio.FixedLen([], "int64")})
    assert next(tensors.read(batch_size=32))["label"].shape == (32,)


def test_rows_by_number_are_tensors_of_no_dimension(houses: str) -> None:
    from tfxio._rows import Rows, row

    rows = Rows(tfxio.open(houses, scalars=True, text=True), {"label": tfxio.FixedLen([], "int64"), "city": tfxio.FixedLen([], "string")})
    taken = rows.take([3, 0])
    assert [int(row(one["label"])) for one in taken] == [6, 3]
    assert [row(one["city"]) for one in taken] == [b"Oslo", b"Skokie"]


def test_workers_of_torch(houses: str) -> None:
    pytest.importorskip("torch")
    import tfxio.torch as tt
    from torch.utils.data import DataLoader

    ds = tfxio.open(houses, scalars=True, text=True)
    tensors = {"label": tfxio.FixedLen([], "int64")}
    batches = DataLoader(tt.IterableDataset(ds, tensors, batch_size=4), batch_size=None, num_workers=1)
    assert sorted(label for batch in batches for label in batch["label"].tolist()) == [3, 4, 5, 6]
    rows = tt.MapDataset(ds, tensors)
    assert int(rows[2]["label"]) == 5 and rows[[3, 0]]["label"].tolist() == [6, 3]


def test_a_record_that_contradicts_is_an_error(contradicted: str) -> None:
    ds = tfxio.open(contradicted, scalars=True, text=True, infer_records=2)
    assert types(ds) == {"city": "LargeUtf8", "label": "Int64", "other": "Int64"}
    with pytest.raises(tfxio.exceptions.SchemaMismatchError) as scalars:
        list(ds.read(columns=["label"]))
    error = scalars.value
    assert (error.path, error.record, error.column) == (contradicted, 3, "label")
    assert str(error).endswith(
        'record 3, column "label": the feature has 2 values, and the column is one of scalars; '
        "give scalars=False, which makes lists, or name the columns of one value: scalars=[…]"
    )
    with pytest.raises(tfxio.exceptions.SchemaMismatchError) as text:
        list(ds.read(columns=["city"]))
    assert text.value.record == 4
    assert text.value.hint == "give text=False, which makes bytes, or name the columns of text: text=[…]"
    with pytest.raises(tfxio.exceptions.SchemaMismatchError):
        ds[3]
    with pytest.raises(tfxio.exceptions.SchemaMismatchError):
        list(ds.read(columns=["other"], filter="label > 2"))
    with pytest.raises(tfxio.exceptions.SchemaMismatchError):
        list(ds.loader(inputs=["other"], targets=["label"], batch_size=2, epochs=1))
    assert ds[5] == {"city": "row 5", "label": 5, "other": 5}
    # Where all records are looked at, what they hold decides.
    whole = tfxio.open(contradicted, scalars=True, text=True)
    assert types(whole) == {"city": "LargeBinary", "label": "LargeList(Int64)", "other": "Int64"}


def test_a_data_set_says_how_to_open_it(houses: str) -> None:
    line = "open(..., scalars=True, text=True) reads city, label, photo, price as scalars, city, tags as text"
    plain = tfxio.open(houses)
    assert repr(plain).split("\n")[-1] == line
    assert f"<p><small>{line}</small></p>" in plain._repr_html_()
    text = "open(..., text=True) reads city, tags as text"
    assert repr(tfxio.open(houses, scalars=True)).split("\n")[-1] == text
    both = tfxio.open(houses, scalars=True, text=True)
    assert "open(" not in repr(both) and "open(" not in both._repr_html_()
    assert repr(both).split("\n")[-1].split()[0] == "tags"


def test_many_columns_are_counted(tmp_path: Path) -> None:
    path = write(tmp_path / "wide.tfrecord", [{f"c{at:02}": [at] for at in range(12)}])
    line = "open(..., scalars=True) reads c00, c01, c02, c03, c04, c05, c06, c07 and 4 more as scalars"
    assert repr(tfxio.open(path)).split("\n")[-1] == line


def test_damage_is_said_by_what_reads(tmp_path: Path, houses: str) -> None:
    cut = tmp_path / "cut.tfrecord"
    cut.write_bytes(Path(houses).read_bytes()[:-9])
    ds = tfxio.open(cut, infer_records=2)
    assert repr(ds).startswith("Dataset of 5 columns") and "open(" not in repr(ds)
    skipped = tfxio.open(cut, on_error="skip", scalars=True, text=True)
    with pytest.warns(UserWarning, match="skipped 1 damaged range"):
        assert [row["label"] for row in skipped] == [3, 4, 5]


def test_a_schema_says_which_are_scalars(houses: str) -> None:
    schema = 'feature { name: "label" type: INT shape { } } feature { name: "price" type: FLOAT value_count { min: 0 max: 2 } }'
    ds = tfxio.open(houses, schema=schema, scalars=True)
    assert types(ds) == {"label": "Int64", "price": "LargeList(Float32)"}


def test_a_data_set_of_ones_own() -> None:
    pa = pytest.importorskip("pyarrow")

    class Words(tfxio.Dataset):
        schema = pa.schema({"n": pa.list_(pa.int64()), "word": pa.list_(pa.binary())})

        def partitions(self, target_bytes: int = 64 << 20) -> list[tfxio.Partition]:
            return [tfxio.Partition(f"part-{at}", first_record=0, records=2) for at in range(2)]

        def scan(self, partition: tfxio.Partition, request: tfxio.Request | None = None) -> Any:
            first = 2 * int(partition.file[5:])
            yield pa.record_batch({"n": [[first], [first + 1]], "word": [[b"a"], [b"b"]]}, self.schema)

    words = Words()
    assert words.head(3, scalars=True, text=True, columns=["n", "word"]) == [
        {"n": 0, "word": "a"},
        {"n": 1, "word": "b"},
        {"n": 2, "word": "a"},
    ]
    assert words.head(1) == [{"n": [0], "word": [b"a"]}]
    assert "open(" not in repr(words)


def test_what_is_written_comes_back(tmp_path: Path, houses: str) -> None:
    ds = tfxio.open(houses, scalars=True, text=True)
    tfxio.write(ds, tmp_path / "a.parquet")
    assert list(tfxio.open(tmp_path / "a.parquet")) == list(ds)
    tfxio.write(ds, tmp_path / "b.tfrecord")
    assert list(tfxio.open(tmp_path / "b.tfrecord")) == list(tfxio.open(houses))
