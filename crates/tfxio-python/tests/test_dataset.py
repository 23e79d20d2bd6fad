"""Opening, reading, rows by number, partitions, and what crosses processes."""

from __future__ import annotations

import asyncio
import pickle
import shutil
import warnings
from collections.abc import Iterable
from pathlib import Path

import pytest
from conftest import FIXTURES

import tfxio
from tfxio._storage import Storage


def labels(reader: tfxio.BatchReader) -> list[int]:
    return [row["label"][0] for batch in reader for row in batch.to_pylist()]


def test_the_schema_is_known_without_reading(digits: tfxio.Dataset) -> None:
    assert digits.schema.names == ["id", "image", "label"]
    assert digits.schema["label"] == "LargeList(Int64)"
    assert "label" in digits.schema and "lable" not in digits.schema
    with pytest.raises(KeyError, match='no column "lable".*label'):
        digits.schema["lable"]


def test_every_row_is_read_once_whatever_the_batches(digits: tfxio.Dataset) -> None:
    whole = labels(digits.read(columns=["label"], batch_size=10_000))
    assert len(whole) == len(digits) == 1797
    for rows, threads in [(1, 1), (7, 2), (1024, 0)]:
        assert labels(digits.read(columns=["label"], batch_size=rows, threads=threads)) == whole


def test_filter_and_limit(digits: tfxio.Dataset) -> None:
    assert labels(digits.read(columns=["label"], filter="label = 7", limit=4)) == [7] * 4
    with pytest.raises(ValueError, match="label"):
        digits.read(filter="label ==")
    with pytest.raises(KeyError, match="lable.*label"):
        digits.read(columns=["lable"])
    with pytest.raises(TypeError, match="columns is a list of names"):
        digits.read(columns="label")


def test_no_columns_keep_their_rows(digits: tfxio.Dataset) -> None:
    batches = list(digits.read(columns=[], batch_size=1000))
    assert [(batch.num_columns, batch.num_rows) for batch in batches] == [(0, 1000), (0, 797)]


def test_rows_by_number(digits: tfxio.Dataset) -> None:
    everything = labels(digits.read())
    assert [digits[at]["label"][0] for at in (0, 700, 1796, -1, -1797)] == [everything[at] for at in (0, 700, 1796, -1, 0)]
    assert labels(digits[590:610]) == everything[590:610]
    assert labels(digits[-3:]) == everything[-3:]
    assert labels(digits[5:2]) == []
    for outside in (1797, -1798):
        with pytest.raises(IndexError, match="1797 rows"):
            digits[outside]
    with pytest.raises(ValueError, match="step"):
        digits[::2]


def test_ends_and_samples(digits: tfxio.Dataset) -> None:
    everything = labels(digits.read())
    assert [row["label"][0] for row in digits.head(3)] == everything[:3]
    assert [row["label"][0] for row in digits.tail(3, columns=["label"])] == everything[-3:]
    drawn = labels(digits.sample(20, seed=3, columns=["label"]))
    assert len(drawn) == 20
    assert drawn == labels(digits.sample(20, seed=3)) != labels(digits.sample(20, seed=4))
    with pytest.raises(TypeError, match="no argument 'row'"):
        digits.tail(3, row=1)  # type: ignore[call-arg]


def test_partitions_have_every_row_once_and_cross_processes(digits: tfxio.Dataset) -> None:
    there = pickle.loads(pickle.dumps(digits))
    partitions = pickle.loads(pickle.dumps(digits.partitions(20_000)))
    assert len(partitions) > 3
    request = pickle.loads(pickle.dumps(tfxio.Request(columns=["label"])))
    found = [label for partition in partitions for label in labels(there.scan(partition, request))]
    assert found == labels(digits.read())
    assert partitions == digits.partitions(20_000)


def test_a_spec_opens_without_looking(digits: tfxio.Dataset) -> None:
    assert tfxio.open_spec(digits.spec()).schema == digits.schema
    with pytest.raises(ValueError, match="JSON"):
        tfxio.open_spec("{")


def test_origins_name_records(digits: tfxio.Dataset, digits_file: str) -> None:
    batch = next(digits.read(batch_size=5))
    file, record, byte = batch.origin(4) or ("", None, None)
    assert (Path(file).name, record) == (Path(digits_file).name, 4)
    assert byte is not None and byte > 0
    assert batch.slice(2, 2).origin(1) == batch.origin(3)
    with pytest.raises(IndexError):
        batch.origin(5)


def test_a_reader_ends_and_closes(digits: tfxio.Dataset) -> None:
    reader = digits.read(batch_size=1000)
    assert [len(batch) for batch in reader] == [1000, 797]
    assert list(reader) == []
    with digits.read() as reader:
        next(reader)
    assert list(reader) == []


def test_asynchronous_reading(digits: tfxio.Dataset) -> None:
    async def rows() -> int:
        return sum([batch.num_rows async for batch in digits.aread(columns=["label"], batch_size=100)])

    assert asyncio.run(rows()) == 1797


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(tfxio.exceptions.NotFoundError) as raised:
        tfxio.open(tmp_path / "none.tfrecord")
    assert isinstance(raised.value, FileNotFoundError)
    assert raised.value.path == str(tmp_path / "none.tfrecord")
    again = pickle.loads(pickle.dumps(raised.value))
    assert (type(again), str(again), again.path) == (tfxio.exceptions.NotFoundError, str(raised.value), raised.value.path)


def test_damage_names_the_record(tmp_path: Path, digits_file: str) -> None:
    data = bytearray(Path(digits_file).read_bytes())
    data[len(data) // 2] ^= 0xFF
    bad = tmp_path / "bad.tfrecord"
    bad.write_bytes(data)
    # Opening looks at all records of a small file.
    with pytest.raises(ValueError, match="checksum") as raised:
        tfxio.open(bad)
    error = raised.value
    assert isinstance(error, tfxio.exceptions.MalformedError)
    assert error.path == str(bad)
    assert error.record is not None and error.byte_offset is not None


def test_options_are_checked(digits_file: str) -> None:
    with pytest.raises(ValueError, match="infer_records"):
        tfxio.open(digits_file, infer_record=3)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="infer_records is -1"):
        tfxio.open(digits_file, infer_records=-1)
    with pytest.raises(TypeError, match="infer_records is a str, an int, a bool or a list of str, not float"):
        tfxio.open(digits_file, infer_records=1.5)  # type: ignore[arg-type]


def test_a_request_has_both_names_of_batch_size() -> None:
    assert tfxio.Request().batch_size == 1024
    request = pickle.loads(pickle.dumps(tfxio.Request(batch_size=7)))
    assert (request.batch_size, request.batch_rows) == (7, 7)
    assert tfxio.Request(batch_rows=8).batch_size == 8
    with pytest.raises(ValueError, match="batch_size is 0: a batch has at least one row"):
        tfxio.Request(batch_size=0)
    with pytest.raises(ValueError, match="batch_rows is 0: a batch has at least one row"):
        tfxio.Request(batch_rows=0)
    with pytest.raises(TypeError, match="batch_size is given twice, once as batch_rows, its other name: give batch_size alone"):
        tfxio.Request(batch_size=7, batch_rows=7)


def test_batch_rows_is_another_name_of_batch_size(digits: tfxio.Dataset) -> None:
    assert [batch.num_rows for batch in digits.read(batch_rows=700)] == [700, 700, 397]
    assert [batch.num_rows for batch in digits.sample(100, batch_rows=60)] == [60, 40]
    assert [chunk.num_chunks for chunk in digits.to_arrow(columns=["label"], batch_rows=600).columns] == [3]
    assert next(digits.tensors({"label": tfxio.FixedLen([1], "int64")}).read(batch_rows=7))["label"].shape == (7, 1)
    for read in (digits.read, digits.to_polars, digits.head, digits.tail, digits.tensors({"image": tfxio.Ragged("float32")}).read):
        # Also where both say the same, and what is the default anyway.
        for size in (7, 1024):
            with pytest.raises(TypeError, match="batch_size is given twice, once as batch_rows, its other name: give batch_size alone"):
                read(batch_size=size, batch_rows=7)


def test_threads_are_no_columns_of_a_schema(digits: tfxio.Dataset) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(tfxio.open(digits.spec() and [str(path) for path in _files(digits)])) == 1797


def _files(dataset: tfxio.Dataset) -> list[str]:
    return sorted({partition.file for partition in dataset.partitions()})


def test_reprs(digits: tfxio.Dataset) -> None:
    assert repr(digits).split("\n")[0] == "Dataset of 3 columns"
    assert repr(next(digits.read(batch_size=2))["label"]) == "Array(LargeList(Int64), 2, [[0], [1]])"
    assert "Partition(" in repr(digits.partitions()[0])
    html = digits._repr_html_()
    assert html.count("<tr>") == 11 and "LargeList(Int64)" in html


def test_what_is_lost_is_said(tmp_path: Path, digits: tfxio.Dataset) -> None:
    table = tmp_path / "codes.csv"
    table.write_text("code,name\n007,a\n010,b\n")
    [(column, what)] = tfxio.open(table).losses
    assert (column, "zeros" in what) == ("code", True)
    assert digits.losses == []


def _some_digits(folder: Path, shards: Iterable[int]) -> str:
    for number in shards:
        name = f"digits-{number:05}-of-00003.tfrecord"
        shutil.copy(FIXTURES / "digits" / name, folder / name)
    return str(folder)


def test_missing_shards_are_said_and_loaders_refuse(tmp_path: Path) -> None:
    folder = _some_digits(tmp_path, [0, 2])
    missing = r"1 of 3 shards is missing: .*/digits-00001-of-00003.tfrecord"
    with pytest.warns(UserWarning, match=missing):
        digits = tfxio.open(folder)
    assert len(digits) == 599 * 2
    with pytest.raises(FileNotFoundError, match=missing + ".*missing_shards"):
        digits.loader(batch_size=8)
    with pytest.raises(FileNotFoundError, match=missing):
        tfxio.open(folder, missing_shards="error")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        allowed = tfxio.open(folder, missing_shards="allow")
    assert len(next(iter(allowed.loader(batch_size=8)))) > 0


def test_two_sets_of_one_name_are_refused(tmp_path: Path) -> None:
    folder = _some_digits(tmp_path, range(3))
    shutil.copy(tmp_path / "digits-00000-of-00003.tfrecord", tmp_path / "digits-00000-of-00001.tfrecord")
    for paths in (folder, f"{folder}/*", sorted(str(path) for path in tmp_path.iterdir())):
        with pytest.raises(ValueError, match="shards of several sets of one name"):
            tfxio.open(paths)
    assert len(tfxio.open(f"{folder}/digits@1.tfrecord")) == 599


SECRET = "a-secret-that-nobody-sees"
STORAGE = {"aws_region": "eu-west-1", "AWS_ENDPOINT": "http://127.0.0.1:9", "aws_access_key_id": SECRET, "secret_access_key": SECRET}


def _stores() -> dict[str, str]:
    return {"aws_secret_access_key": SECRET}


def test_pickles_hold_no_credentials(digits_file: str) -> None:
    with pytest.warns(UserWarning, match="credentials are not pickled: aws_access_key_id, secret_access_key of storage_options"):
        pickled = pickle.dumps(tfxio.open(digits_file, storage_options=STORAGE))
    assert SECRET.encode() not in pickled and b"eu-west-1" in pickled and b"127.0.0.1" in pickled
    assert len(pickle.loads(pickled)) == 599
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for options in (None, {}, {"aws_region": "eu-west-1"}, _stores):
            pickled = pickle.dumps(tfxio.open(digits_file, storage_options=options))
            assert SECRET.encode() not in pickled and len(pickle.loads(pickled)) == 599
        asked = pickle.dumps(tfxio.open(digits_file, storage_options=STORAGE, pickle_credentials=True))
    assert SECRET.encode() in asked and SECRET.encode() in pickle.dumps(pickle.loads(asked))


@pytest.mark.parametrize(
    "option",
    [
        {"aws_endpoint": "http://mia:password@host"},
        {"azure_storage_sas_key": "sv=1"},
        {"azure_storage_account_key": "k"},
        {"google_service_account_key": "k"},
        {"token": "t"},
        {"azure_client_secret": "s"},
        {"proxy_url": "http://proxy"},
        {"aws_session_token": "t"},
    ],
)
def test_what_may_let_somebody_in_is_not_pickled(option: dict[str, str]) -> None:
    storage = Storage(option)
    with pytest.warns(UserWarning, match=next(iter(option))):
        pickled = pickle.dumps(storage)
    assert pickle.loads(pickled).options() == {}


def test_pickles_of_what_reads_hold_no_credentials(digits_file: str) -> None:
    digits = tfxio.open(digits_file, storage_options=STORAGE)
    for holder in (digits.loader(batch_size=8), digits.partitions()[0], digits):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert SECRET.encode() not in pickle.dumps(holder)


def test_an_unknown_attribute_is_of_what_is_public(digits: tfxio.Dataset) -> None:
    with pytest.raises(AttributeError, match="'Dataset' object has no attribute 'shape'"):
        digits.shape  # type: ignore[attr-defined]
