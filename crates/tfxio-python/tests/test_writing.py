"""Writing: every kind of data to every format, and what is read back."""

from __future__ import annotations

import datetime
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfxio

from conftest import DIGITS

pa = pytest.importorskip("pyarrow")

ROWS: list[dict[str, Any]] = [{"id": 3, "name": "ada", "score": 0.5}, {"id": 1, "name": "bob", "score": -2.0}, {"id": 2, "name": "eve", "score": 4.25}]
COLUMNS = {name: [row[name] for row in ROWS] for name in ROWS[0]}
ENDINGS = [".tfrecord", ".tfrecord.gz", ".avro", ".parquet", ".arrow", ".csv", ".jsonl"]


class Torch:
    """What a tensor of torch has of what is asked of it."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)
        self.dtype = f"torch.{self.values.dtype}"

    def detach(self) -> Torch:
        return self

    def cpu(self) -> Torch:
        return self

    def numpy(self) -> Any:
        return self.values

    def __len__(self) -> int:
        return len(self.values)


def series() -> Any:
    polars = pytest.importorskip("polars")
    return {name: polars.Series(values) for name, values in COLUMNS.items()}


def of_polars() -> Any:
    return pytest.importorskip("polars").DataFrame(COLUMNS)


def of_pandas() -> Any:
    return pytest.importorskip("pandas").DataFrame(COLUMNS)


KINDS: dict[str, Callable[[], Any]] = {
    "table": lambda: pa.table(COLUMNS),
    "reader of pyarrow": lambda: pa.table(COLUMNS).to_reader(),
    "batch of pyarrow": lambda: pa.record_batch(COLUMNS),
    "batch of tfxio": lambda: tfxio.RecordBatch.from_arrow(pa.record_batch(COLUMNS)),
    "reader of tfxio": lambda: tfxio.BatchReader.from_arrow(pa.table(COLUMNS)),
    "frame of polars": of_polars,
    "lazy frame of polars": lambda: of_polars().lazy(),
    "frame of pandas": of_pandas,
    "lists": lambda: COLUMNS,
    "tuples": lambda: {name: tuple(values) for name, values in COLUMNS.items()},
    "arrays": lambda: {name: np.array(values) for name, values in COLUMNS.items()},
    "arrays of objects": lambda: {name: np.array(values, object) for name, values in COLUMNS.items()},
    "columns of pyarrow": lambda: {name: pa.array(values) for name, values in COLUMNS.items()},
    "chunks of pyarrow": lambda: {name: pa.chunked_array([values]) for name, values in COLUMNS.items()},
    "series of polars": series,
    "series of pandas": lambda: {name: of_pandas()[name] for name in COLUMNS},
    "mixed columns": lambda: {"id": Torch([3, 1, 2]), "name": COLUMNS["name"], "score": np.array(COLUMNS["score"])},
    "rows": lambda: ROWS,
    "an iterator of rows": lambda: iter(ROWS),
    "a generator of rows": lambda: (dict(row) for row in ROWS),
    "rows of values of numpy": lambda: [{**row, "id": np.int64(row["id"])} for row in ROWS],
    "batches of lists": lambda: tfxio_batches(lambda values: list(values)),
    "batches of tables": lambda: iter([pa.table(COLUMNS)[:1], pa.table(COLUMNS)[1:]]),
    "batches of pyarrow": lambda: iter(pa.table(COLUMNS).to_batches(max_chunksize=2)),
    "frames of polars": lambda: iter([of_polars()[:2], of_polars()[2:]]),
    "frames of pandas": lambda: iter([of_pandas()]),
}


def tfxio_batches(make: Callable[[Any], Any]) -> Iterator[dict[str, Any]]:
    for at in range(len(ROWS)):
        yield {name: make(values[at : at + 1]) for name, values in COLUMNS.items()}


def read(path: Path | str) -> list[dict[str, Any]]:
    """Returns the rows of files, lists of one value and bytes as values."""

    def plain(value: Any) -> Any:
        value = value[0] if isinstance(value, list) and len(value) == 1 else value
        return value.decode() if isinstance(value, bytes) else value

    return [{name: plain(value) for name, value in row.items()} for row in tfxio.open(path)]


def by_name(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [dict(sorted(row.items())) for row in rows]


@pytest.mark.filterwarnings("ignore:64-bit floats")
@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_data_to_every_format(kind: str, ending: str, tmp_path: Path) -> None:
    data = KINDS[kind]()
    done = tfxio.write(data, tmp_path / f"x{ending}", batched=True if kind == "batches of lists" else None)
    assert done.rows == 3 and done.files == (str(tmp_path / f"x{ending}"),)
    assert done.bytes == (tmp_path / f"x{ending}").stat().st_size
    assert by_name(read(tmp_path / f"x{ending}")) == by_name(ROWS)


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_set_of_shards(ending: str, tmp_path: Path) -> None:
    rows = [{"n": number} for number in range(100)]
    done = tfxio.write(rows, tmp_path / f"x@4{ending}")
    assert [Path(file).name for file in done.files] == [f"x-0000{at}-of-00004{ending}" for at in range(4)]
    assert all(Path(file).exists() for file in done.files)
    assert sorted(row["n"] for row in read(tmp_path / f"x@4{ending}")) == list(range(100))
    also = tfxio.write(rows, tmp_path / f"y{ending}", shards=2)
    assert [Path(file).name for file in also.files] == [f"y-0000{at}-of-00002{ending}" for at in range(2)]


def test_a_data_set_is_written_as_it_is_read(digits: tfxio.Dataset, tmp_path: Path) -> None:
    tfxio.write(digits, tmp_path / "x.parquet", columns=["label", "im*"])
    again = tfxio.open(tmp_path / "x.parquet")
    assert again.schema.names == ["label", "image"] and len(again) == 1797
    with digits.read(filter="label = 7", limit=5) as reader:
        assert tfxio.write(reader, tmp_path / "y.tfrecord").rows == 5


def test_damage_of_a_data_set_is_an_error_or_said(tmp_path: Path) -> None:
    tfxio.write({"a": list(range(1000))}, tmp_path / "whole.tfrecord")
    damaged = bytearray((tmp_path / "whole.tfrecord").read_bytes())
    damaged[len(damaged) // 2] ^= 1
    (tmp_path / "damaged.tfrecord").write_bytes(damaged)
    with pytest.raises(tfxio.exceptions.MalformedError) as raised:
        tfxio.write(tfxio.open(tmp_path / "damaged.tfrecord", infer_records=10), tmp_path / "x.parquet")
    assert raised.value.path == str(tmp_path / "damaged.tfrecord") and not (tmp_path / "x.parquet").exists()
    with pytest.warns(UserWarning, match="skipped 1 damaged range"):
        done = tfxio.write(tfxio.open(tmp_path / "damaged.tfrecord", on_error="skip"), tmp_path / "x.parquet")
    assert 990 < done.rows < 1000


@pytest.mark.parametrize("name", ["x*.tfrecord", "x?.csv", "@*.avro", "x@*y.avro"])
def test_an_output_is_no_pattern(name: str, tmp_path: Path) -> None:
    for write in (tfxio.write, lambda data, path: tfxio.convert(DIGITS, path)):
        with pytest.raises(ValueError, match="only inputs may be patterns"):
            write({"a": [1]}, tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_what_is_lost_is_said(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match=r"64-bit floats are rounded to 32 bits \(columns 'a', 'b'; lossless=True refuses that\)") as said:
        done = tfxio.write({"a": [0.1], "b": [0.2], "c": [1]}, tmp_path / "x.tfrecord")
    assert [warning.filename for warning in said] == [__file__]
    assert [loss.column for loss in done.losses] == ["a", "b"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert tfxio.write({"a": [0.1]}, tmp_path / "y.parquet").losses == ()
        assert tfxio.write({"a": np.array([0.1], np.float32)}, tmp_path / "y.tfrecord", lossless=True).losses == ()


@pytest.mark.parametrize(
    ("data", "ending"),
    [({"a": [0.1]}, ".tfrecord"), ({"a": [datetime.date(2020, 1, 1)]}, ".tfrecord"), ({"a": ["1", "2"]}, ".csv")],
)
def test_nothing_is_lost_where_that_is_refused(data: Any, ending: str, tmp_path: Path) -> None:
    with pytest.raises(tfxio.exceptions.UnsupportedError, match="something would be lost: column \"a\"") as refused:
        tfxio.write(data, tmp_path / f"x{ending}", lossless=True)
    assert "exclude=[…]" in str(refused.value) and not list(tmp_path.iterdir())


def test_columns_are_chosen_left_out_and_cast(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    tfxio.write(COLUMNS, path, columns=["score", "id"])
    assert tfxio.open(path).schema.names == ["score", "id"]
    tfxio.write(COLUMNS, path, exclude=["sc*"], cast={"id": "string"})
    assert tfxio.open(path).head(1) == [{"id": "3", "name": "ada"}]
    examples = pa.table({"n": [[1], [2]], "text": [[b"a"], [b"b"]]})
    tfxio.write(examples, path, scalars=True, text=True)
    assert tfxio.open(path).head(1) == [{"n": 1, "text": "a"}]


@pytest.mark.parametrize(
    ("how", "error", "what"),
    [
        ({"columns": "id"}, TypeError, r"columns is a list of names, not one: columns=\['id'\]"),
        ({"columns": ["ids"]}, ValueError, 'there is no column "ids"; did you mean "id"'),
        ({"exclude": ["ids"]}, ValueError, 'there is no column "ids" to leave out'),
        ({"cast": {"ids": "string"}}, ValueError, 'there is no column "ids" to cast'),
        ({"cast": {"id": "text"}}, ValueError, 'there is no cast to "text"'),
        ({"cast": ["id"]}, TypeError, "cast is a dict of types by the names of columns"),
        ({"lossless": 1}, TypeError, "lossless is True or False"),
        ({"shards": 0}, ValueError, "shards is 0: it is at least 1"),
        ({"threads": "all"}, TypeError, "threads is an int"),
        ({"batched": "yes"}, TypeError, "batched is True or False"),
        ({"format": "parkett"}, ValueError, "parkett"),
        ({"kodec": "zstd"}, ValueError, "kodec"),
    ],
)
def test_wrong_arguments_are_named(how: dict[str, Any], error: type[Exception], what: str, tmp_path: Path) -> None:
    with pytest.raises(error, match=what):
        tfxio.write(COLUMNS, tmp_path / "x.parquet", **how)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("data", "error", "what"),
    [
        (7, TypeError, "data is a table or frame"),
        ("x.csv", TypeError, "files are converted by tfxio.convert"),
        (np.zeros(3), TypeError, r"give a dict, as \{NAME: array\}"),
        (dict, TypeError, "data is a table or frame"),
        (pa.array([1]), TypeError, r"give a dict, as \{NAME: array\}"),
        (pa.chunked_array([[1]]), TypeError, r"give a dict, as \{NAME: array\}"),
        (pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"]), NotImplementedError, "two columns have this name"),
        ({"a": [[1], [["x"]]]}, ValueError, "it is of the type list, and others are int"),
        ({"a": [{"b": {1: 2}}]}, ValueError, "the names of fields are str"),
        ({"a": 1}, TypeError, "the column 'a' is a list, an array, a series or a column of Arrow, not int"),
        ({"a": "text"}, TypeError, "the column 'a' is a list"),
        ({1: [1]}, TypeError, "the name of a column is a str"),
        ({"a": [1], "b": [1, 2]}, ValueError, "'a' has 1, and 'b' has 2"),
        ({"a": [1, "x"]}, ValueError, r'data.*record 1|column "a".*str, and others are int'),
        ({"a": [1, 0.5, True]}, ValueError, "bool, and others are float"),
        ({"a": [2**70]}, ValueError, "beyond 64 bits"),
        ({"a": [2**60 + 1, 0.5]}, ValueError, "which no float of 64 bits is"),
        ({"a": [object()]}, ValueError, "a value is of the type object"),
        ({"a": [1j]}, ValueError, "a value is of the type complex"),
        ({"a": np.array([1j])}, TypeError, "'a' is an array of complex128"),
        ({"a": ["\ud800"]}, ValueError, "surrogates"),
        ({"a": np.array(5)}, ValueError, "the column 'a' is one value"),
        ([1, 2], TypeError, "data gives int"),
        ([{"a": 1}, 7], TypeError, "row 1 of data is int"),
        ([], ValueError, "data has no rows, and nothing says which columns"),
        ([{"a": np.arange(3), "b": np.arange(3)}], TypeError, "a batch of 3 rows or one row: give batched=True or batched=False"),
    ],
)
def test_wrong_data_are_named(data: Any, error: type[Exception], what: str, tmp_path: Path) -> None:
    with pytest.raises(error, match=what):
        tfxio.write(data, tmp_path / "x.parquet")
    assert not list(tmp_path.iterdir())


def test_a_value_that_does_not_fit_is_named_with_its_row(tmp_path: Path) -> None:
    rows = ({"a": number if number < 9000 else "x"} for number in range(10_000))
    with pytest.raises(tfxio.exceptions.SchemaMismatchError, match="str, and others are int") as refused:
        tfxio.write(rows, tmp_path / "x.tfrecord")
    assert (refused.value.column, refused.value.record) == ("a", 9000)
    with pytest.raises(ValueError, match="row 9000 of data has the column 'b'"):
        tfxio.write(({"a": 1} if number < 9000 else {"b": 1} for number in range(10_000)), tmp_path / "x.tfrecord")
    with pytest.raises(tfxio.exceptions.SchemaMismatchError) as refused:
        tfxio.write({"a": np.array([1] * 20_000 + [2**63], np.uint64)}, tmp_path / "x.tfrecord")
    assert (refused.value.column, refused.value.record) == ("a", 20_000)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["x.tfrecord", "x@3.tfrecord", "x.parquet", "x.csv", "x@2.avro", "x.jsonl", "x.arrow"])
@pytest.mark.parametrize("after", [0, 1, 5000, 50_000])
def test_an_iterator_that_raises_leaves_nothing(name: str, after: int, tmp_path: Path) -> None:
    (tmp_path / "x.tfrecord").write_bytes(b"before")

    def rows() -> Iterator[dict[str, int]]:
        yield from ({"a": number} for number in range(after))
        raise LookupError("no more rows")

    with pytest.raises(LookupError, match="no more rows"):
        tfxio.write(rows(), tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["x.tfrecord"]
    assert (tmp_path / "x.tfrecord").read_bytes() == b"before"


def test_an_iterator_is_called_on_the_thread_of_the_caller(tmp_path: Path) -> None:
    import sqlite3

    base = sqlite3.connect(":memory:")
    base.execute("create table t (a integer, b text)")
    base.executemany("insert into t values (?, ?)", [(at, str(at)) for at in range(20_000)])
    found = ({"a": a, "b": b} for a, b in base.execute("select a, b from t order by a"))
    assert tfxio.write(found, tmp_path / "x.parquet").rows == 20_000
    assert tfxio.open(tmp_path / "x.parquet")[19_999] == {"a": 19_999, "b": "19999"}


@pytest.mark.parametrize("ending", ENDINGS)
def test_data_without_rows(ending: str, tmp_path: Path) -> None:
    assert tfxio.write(pa.table({"a": pa.array([], pa.int64())}), tmp_path / f"x{ending}").rows == 0
    assert len(tfxio.open(tmp_path / f"x{ending}")) == 0


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64"])
@pytest.mark.parametrize("order", ["=", ">"])
def test_numbers_of_numpy_keep_their_type(dtype: str, order: Any, tmp_path: Path) -> None:
    values = np.array([0, 1, 1, 0, 1, 1], np.dtype(dtype).newbyteorder(order))
    data = {"a": values, "every second": np.repeat(values, 2)[::2], "backwards": values[::-1], "pair": np.stack([values, values], 1)}
    tfxio.write(data, tmp_path / "x.parquet")
    table = tfxio.open(tmp_path / "x.parquet").to_arrow()
    kind = pa.from_numpy_dtype(np.dtype(dtype)) if dtype != "float16" else pa.float16()
    assert {table[name].type for name in ("a", "every second", "backwards")} == {kind}
    assert table["a"].to_pylist() == table["every second"].to_pylist() == table["backwards"].to_pylist()[::-1] == values.tolist()
    assert table["pair"].to_pylist() == data["pair"].tolist()


def test_times_nulls_and_texts_of_numpy(tmp_path: Path) -> None:
    data = {
        "day": np.array(["2020-01-02", "NaT"], "M8[D]"),
        "moment": np.array(["2020-01-02T03:04:05.000006", "NaT"], "M8[us]"),
        "hour": np.array(["2020-01-02T03", "2020-01-02T04"], "M8[h]"),
        "length": np.array([5, 6], "m8[ms]"),
        "masked": np.ma.MaskedArray([1, 2], mask=[False, True]),
        "text": np.array(["ä", "bc"]),
        "bytes": np.array([b"a", b"bc"]),
    }
    tfxio.write(data, tmp_path / "x.arrow")
    table = tfxio.open(tmp_path / "x.arrow").to_arrow()
    assert [str(kind) for kind in table.schema.types[:5]] == ["date32[day]", "timestamp[us]", "timestamp[s]", "duration[ms]", "int64"]
    assert table["day"].to_pylist() == [datetime.date(2020, 1, 2), None]
    assert table["moment"].to_pylist() == [datetime.datetime(2020, 1, 2, 3, 4, 5, 6), None]
    assert table["hour"].to_pylist()[1] == datetime.datetime(2020, 1, 2, 4)
    assert table["masked"].to_pylist() == [1, None]
    assert (table["text"].to_pylist(), table["bytes"].to_pylist()) == (["ä", "bc"], [b"a", b"bc"])


def test_values_of_python_become_the_nearest_types(tmp_path: Path) -> None:
    utc = datetime.timezone.utc
    data: dict[str, list[Any]] = {
        "bool": [True, None],
        "int": [-1, None],
        "large": [1, 2**64 - 1],
        "float": [1, 0.5],
        "bytes": [b"a", bytearray(b"b")],
        "date": [datetime.date(1969, 12, 31), None],
        "moment": [datetime.datetime(2020, 1, 2, 3, 4, 5, 6), None],
        "zoned": [datetime.datetime(2020, 1, 2, tzinfo=utc), datetime.datetime(2020, 1, 2, tzinfo=datetime.timezone(datetime.timedelta(hours=1)))],
        "length": [datetime.timedelta(days=-1, microseconds=3), None],
        "list": [[1, None], []],
        "lists": [[[0.5]], [[], None]],
        "struct": [{"a": 1}, {"a": None, "b": "x"}],
        "none": [None, None],
    }
    tfxio.write(data, tmp_path / "x.arrow")
    table = tfxio.open(tmp_path / "x.arrow").to_arrow()
    back = {**data, "float": [1.0, 0.5], "bytes": [b"a", b"b"], "struct": [{"a": 1, "b": None}, {"a": None, "b": "x"}]}
    assert table.to_pydict() == back
    assert [str(kind) for kind in table.schema.types[:5]] == ["bool", "int64", "uint64", "double", "large_binary"]


def test_rows_of_arrays_keep_the_type_of_their_values(tmp_path: Path) -> None:
    rows = [{"x": np.arange(at, dtype=np.float32), "image": np.full((2, 3), at, np.uint8), "y": np.float32(at)} for at in range(4)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tfxio.write(rows, tmp_path / "x.tfrecord", exclude=["image"])
    tfxio.write(iter(rows), tmp_path / "x.parquet")
    table = tfxio.open(tmp_path / "x.parquet").to_arrow()
    assert table["x"].to_pylist() == [[], [0.0], [0.0, 1.0], [0.0, 1.0, 2.0]]
    assert (table["x"].type.value_type, table["y"].type) == (pa.float32(), pa.float32())
    assert table["image"].to_pylist()[3] == [[3, 3, 3], [3, 3, 3]]
    # Of different shapes, and with none.
    ragged = [{"x": np.zeros((1, 2))}, {"x": None}, {"x": np.ones((2, 1))}]
    tfxio.write(ragged, tmp_path / "y.parquet", batched=False)
    assert tfxio.open(tmp_path / "y.parquet").to_arrow()["x"].to_pylist() == [[[0.0, 0.0]], None, [[1.0], [1.0]]]
    with pytest.raises(ValueError, match="row 1 has one of float64"):
        tfxio.write([{"x": np.zeros(1, np.float32)}, {"x": np.zeros(1)}], tmp_path / "z.parquet", batched=False)


def test_shapes_may_be_the_same_by_chance(tmp_path: Path) -> None:
    rows = ({"x": np.zeros((1 + number % 2 if number < 9216 else 1, 2), np.uint8)} for number in range(10_000))
    tfxio.write(rows, tmp_path / "x.parquet", batched=False)
    assert [len(row["x"]) for row in tfxio.open(tmp_path / "x.parquet")][-1024:] == [1 + number % 2 if number < 9216 else 1 for number in range(8976, 10_000)]
    texts = [{"x": np.array(["a"])}, {"x": np.array(["long", "longer"])}, {"x": np.zeros(0)}]
    tfxio.write(texts, tmp_path / "y.parquet", batched=False)
    assert [row["x"] for row in tfxio.open(tmp_path / "y.parquet")] == [["a"], ["long", "longer"], []]


@pytest.mark.parametrize("values", [[[np.datetime64(1, "ns")]], [np.datetime64(1, "ns"), 5], [np.array([1], "M8[ns]"), 5], [[np.timedelta64(1, "M")]]])
def test_times_are_not_taken_for_numbers(values: list[Any], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="come in as an array of numpy"):
        tfxio.write({"x": values}, tmp_path / "x.parquet")


def test_nanoseconds_of_pandas_are_not_cut(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    for value in (pandas.Timestamp(1), pandas.Timedelta(1)):
        with pytest.raises(ValueError, match="nanoseconds"):
            tfxio.write({"x": [value]}, tmp_path / "x.parquet")
    tfxio.write({"x": [pandas.NaT, pandas.NA, pandas.Timestamp(0)]}, tmp_path / "x.parquet")
    assert [row["x"] for row in tfxio.open(tmp_path / "x.parquet")] == [None, None, datetime.datetime(1970, 1, 1)]
    tfxio.write({"x": pandas.Series([pandas.Timestamp(1)])}, tmp_path / "x.parquet")
    assert str(tfxio.open(tmp_path / "x.parquet").schema["x"]).startswith("Timestamp(ns")


def test_batches_of_arrays_that_are_used_again(tmp_path: Path) -> None:
    buffer = np.zeros((1000, 2), np.int64)

    def batches() -> Iterator[dict[str, Any]]:
        for at in range(50):
            buffer[:] = at
            yield {"a": buffer, "b": Torch(buffer[:, 0])}

    assert tfxio.write(batches(), tmp_path / "x.parquet", batched=True).rows == 50_000
    table = tfxio.open(tmp_path / "x.parquet").to_arrow()
    assert table["b"].to_pylist() == [at for at in range(50) for _ in range(1000)]
    assert table["a"].to_pylist()[-1] == [49, 49]


def test_rows_and_batches_are_told_apart(tmp_path: Path) -> None:
    items = [{"a": np.arange(3), "b": np.arange(3)}]
    assert tfxio.write(items, tmp_path / "x.parquet", batched=True).rows == 3
    assert tfxio.write(items, tmp_path / "x.parquet", batched=False).rows == 1
    assert tfxio.write([{"a": np.arange(3), "b": 1}], tmp_path / "x.parquet").rows == 1
    assert tfxio.write([{"a": np.arange(3), "b": np.arange(2)}], tmp_path / "x.parquet").rows == 1
    assert tfxio.write([{"a": [1, 2], "b": [3, 4]}], tmp_path / "x.parquet").rows == 1
    with pytest.raises(TypeError, match="a batch of 2 rows or one row"):
        tfxio.write([{"a": Torch([1, 2]), "b": ["x", "y"]}], tmp_path / "x.parquet")
    with pytest.raises(ValueError, match="no column 'b', which those before it have"):
        tfxio.write([*items, {"a": np.arange(3)}], tmp_path / "y.parquet", batched=True)
    with pytest.raises(ValueError, match="others are int"):
        tfxio.write([*items, {"a": ["x"], "b": [1]}], tmp_path / "y.parquet", batched=True)


def test_tensors_and_batches_of_a_loader(digits: tfxio.Dataset, tmp_path: Path) -> None:
    tensors = digits.tensors({"image": tfxio.FixedLen([64], "float32"), "label": tfxio.FixedLen([], "int64"), "id": tfxio.Ragged("string")})
    assert tfxio.write(tensors.read(batch_size=100), tmp_path / "x.tfrecord").rows == 1797
    assert tfxio.open(tmp_path / "x.tfrecord").head(3, columns=["label"]) == [{"label": [0]}, {"label": [1]}, {"label": [2]}]
    loader = digits.loader(inputs=["image"], targets=["label"], batch_size=10)
    assert tfxio.write(loader, tmp_path / "y.tfrecord").rows == 1797


def test_arrays_of_several_dimensions_become_lists_of_their_values(tmp_path: Path) -> None:
    images = np.arange(24, dtype=np.int64).reshape(2, 3, 4)
    with pytest.warns(UserWarning, match="arrays of 3 × 4 values become lists of 12, without their shape .*'image'"):
        tfxio.write({"image": images}, tmp_path / "x.tfrecord")
    assert [row["image"] for row in tfxio.open(tmp_path / "x.tfrecord")] == images.reshape(2, -1).tolist()
    with pytest.raises(tfxio.exceptions.UnsupportedError, match="without their shape"):
        tfxio.write({"image": images}, tmp_path / "y.tfrecord", lossless=True)
    tfxio.write({"image": images}, tmp_path / "x.parquet")
    assert [row["image"] for row in tfxio.open(tmp_path / "x.parquet")] == images.tolist()


def test_a_file_that_exists_is_kept_where_that_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    tfxio.write({"a": [1]}, path)
    with pytest.raises(FileExistsError):
        tfxio.write({"a": [2]}, path, overwrite=False)
    assert read(path) == [{"a": 1}]
    tfxio.write({"a": [2]}, path)
    assert read(path) == [{"a": 2}]


def test_the_index_of_a_frame(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1, 2, 3]})
    with pytest.warns(UserWarning, match="the index of the frame has no name"):
        tfxio.write(frame[frame["a"] > 1], tmp_path / "x.parquet")
    assert read(tmp_path / "x.parquet") == [{"a": 2}, {"a": 3}]
    tfxio.write(frame.rename_axis("key"), tmp_path / "x.parquet")
    assert read(tmp_path / "x.parquet")[2] == {"a": 3, "key": 2}


def test_options_of_formats(tmp_path: Path) -> None:
    tfxio.write(COLUMNS, tmp_path / "x.csv", delimiter=";")
    assert (tmp_path / "x.csv").read_text().startswith("id;name;score")
    tfxio.write(COLUMNS, tmp_path / "x", format="jsonl")
    assert len(read(tmp_path / "x")) == 3
    with pytest.raises(ValueError, match="does not say its format"):
        tfxio.write(COLUMNS, tmp_path / "y")
