"""Data sets under the names of RFC 162."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

import tfxio

from conftest import DIGITS

pa = pytest.importorskip("pyarrow")


def test_examples(fixtures: Path) -> None:
    people = tfxio.TFExampleRecord(fixtures / "tensors" / "people.tfrecord", fixtures / "tensors" / "people.pbtxt", "raw")
    assert people.ArrowSchema().field("raw").type == pa.large_list(pa.large_binary())
    assert set(people.TensorRepresentations()) == {"age", "moves", "name", "scores", "tags", "weights"}
    some = people.Project(["tags", "scores"])
    assert sorted(some.ArrowSchema().names) == ["scores", "tags"]
    batch = next(some.RecordBatches())
    assert batch.schema.equals(some.ArrowSchema())
    assert list(some.TensorAdapter().tensors(batch)) == ["tags", "scores"]
    assert "raw" in people.ArrowSchema().names
    with pytest.raises(KeyError, match="agee"):
        people.Project(["agee"])


def test_options_of_tfx_bsl() -> None:
    options = SimpleNamespace(batch_size=1000, drop_final_batch=True, num_epochs=2)
    assert [len(batch) for batch in tfxio.TFExampleRecord(DIGITS).RecordBatches(options)] == [1000, 1000]


def test_sequences(fixtures: Path) -> None:
    sessions = tfxio.TFSequenceExampleRecord(
        fixtures / "tensors" / "sessions.tfrecord", fixtures / "tensors" / "sessions.pbtxt"
    )
    assert next(sessions.RecordBatches()).num_rows == 3
    assert "user" in sessions.TensorRepresentations()


def test_raw_records(digits_file: str) -> None:
    batch = next(tfxio.RawTFRecord(digits_file, "record").RecordBatches())
    assert batch.schema.names == ["record"]
    first = next(tfxio.TFRecordReader(digits_file))
    assert batch.column(0)[0].as_py() in (first, [first])


def test_tables(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"a": [1, 2], "b": ["x", "y"]}), tmp_path / "t.parquet")
    assert next(tfxio.ParquetTFXIO(tmp_path / "t.parquet", ["b"]).RecordBatches()).to_pydict() == {"b": ["x", "y"]}
    (tmp_path / "t.csv").write_text("a;b\n1;x\n2;y\n")
    assert next(tfxio.CsvTFXIO(tmp_path / "t.csv", delimiter=";").RecordBatches()).num_rows == 2
    (tmp_path / "bare.csv").write_text("1;x\n2;y\n")
    bare = tfxio.CsvTFXIO(tmp_path / "bare.csv", ["n", "s"], delimiter=";")
    assert next(bare.RecordBatches()).to_pydict() == {"n": [[1], [2]], "s": [[b"x"], [b"y"]]}


def test_avro(fixtures: Path) -> None:
    people = tfxio.AvroRecord(fixtures / "avro" / "people.avro", {"first": tfxio.FixedLen([], "string", key="name.first")})
    adapter, batch = people.TensorAdapter(), next(people.RecordBatches())
    first = adapter.tensors(batch)["first"]
    assert isinstance(first, tfxio.DenseTensor)
    assert len(first) == batch.num_rows


def test_beam() -> None:
    beam = pytest.importorskip("apache_beam")
    from apache_beam.testing.util import assert_that, equal_to

    with beam.Pipeline() as pipeline:
        source = tfxio.TFExampleRecord(DIGITS).BeamSource(batch_size=100, partition_bytes=20_000)
        rows = pipeline | source | beam.Map(len) | beam.CombineGlobally(sum)
        assert_that(rows, equal_to([1797]))


def test_tf_data(fixtures: Path) -> None:
    pytest.importorskip("tensorflow")
    people = tfxio.TFExampleRecord(fixtures / "tensors" / "people.tfrecord", fixtures / "tensors" / "people.pbtxt")
    [batch] = list(people.Project(["age"]).TensorFlowDataset(batch_size=8))
    assert batch["age"].numpy().tolist() == [36, -1, 41]
