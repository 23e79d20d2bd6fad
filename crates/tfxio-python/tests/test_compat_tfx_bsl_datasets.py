"""The stand-in for tfx-bsl: data sets of CSV, Parquet, graphs and `tf.data`. Its own tests are run by `tests/peers/run_tfx_bsl.py`."""

from __future__ import annotations

from collections import Counter, namedtuple
from pathlib import Path
from typing import Any

import pytest

import tfxio

pa = pytest.importorskip("pyarrow")
tf = pytest.importorskip("tensorflow")
beam = pytest.importorskip("apache_beam")
schema_pb2 = pytest.importorskip("tensorflow_metadata.proto.v0.schema_pb2")
text_format = pytest.importorskip("google.protobuf.text_format")

import pyarrow.parquet  # noqa: E402
from apache_beam.testing.util import assert_that, equal_to  # noqa: E402

from tfxio.compat.tfx_bsl.coders import tf_graph_record_decoder  # noqa: E402
from tfxio.compat.tfx_bsl.tfxio.csv_tfxio import CsvTFXIO  # noqa: E402
from tfxio.compat.tfx_bsl.tfxio.dataset_options import RecordBatchesOptions, TensorFlowDatasetOptions  # noqa: E402
from tfxio.compat.tfx_bsl.tfxio.dataset_tfxio import DatasetTFXIO, DatasetTFXIOOptions  # noqa: E402
from tfxio.compat.tfx_bsl.tfxio.parquet_tfxio import ParquetTFXIO  # noqa: E402
from tfxio.compat.tfx_bsl.tfxio.record_to_tensor_tfxio import TFRecordToTensorTFXIO  # noqa: E402

SCHEMA = 'feature { name: "a" type: INT } feature { name: "b" type: BYTES }'
Pair = namedtuple("Pair", ["z", "a"])


def rows_of(source: Any) -> Any:
    return source | beam.FlatMap(lambda batch: batch.to_pylist())


def schema() -> Any:
    return text_format.Parse(SCHEMA, schema_pb2.Schema())


def test_csv_files(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("1,x\n,y\n")
    lines = CsvTFXIO(str(tmp_path / "*.csv"), ["a", "b"], schema=schema(), raw_record_column_name="line")
    assert lines.ArrowSchema().names == ["a", "b", "line"]
    assert list(lines.Project(["b"]).TensorRepresentations()) == ["b"]
    with beam.Pipeline() as pipeline:
        expected = [{"a": [1], "b": [b"x"], "line": [b"1,x"]}, {"a": None, "b": [b"y"], "line": [b",y"]}]
        assert_that(rows_of(pipeline | lines.BeamSource(2)), equal_to(expected))
    with pytest.raises(ValueError, match="Schema features are not a subset of column names"):
        CsvTFXIO("", ["a"], schema=schema())


def test_parquet_files(tmp_path: Path) -> None:
    table = pa.table({"a": pa.array([[1], [2, 3], None]), "b": pa.array([[b"x"], [], [b"y"]])})
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    rows = ParquetTFXIO(str(tmp_path / "a.parquet"), schema=schema())
    assert ParquetTFXIO(str(tmp_path / "a.parquet")).ArrowSchema().names == ["a", "b"]
    projected = rows.Project(["a"])
    assert projected.ArrowSchema().names == ["a"] and list(projected.TensorAdapter().OriginalTypeSpecs()) == ["a", "b"]
    with beam.Pipeline() as pipeline:
        assert_that(rows_of(pipeline | projected.BeamSource(2)), equal_to(table.select(["a"]).to_pylist()))
    with beam.Pipeline() as pipeline:
        decoded = pipeline | rows.RawRecordBeamSource() | rows.RawRecordToRecordBatch(2)
        assert_that(rows_of(decoded), equal_to(table.to_pylist()))


class Words(tf_graph_record_decoder.TFGraphRecordDecoder):
    """Makes a row of each word."""

    def decode_record(self, records: Any) -> dict[str, Any]:
        words = tf.strings.split(records)
        of = words.value_rowids()
        rows = tf.range(tf.size(of, tf.int64))
        indices, shape = tf.stack([rows, tf.zeros_like(rows)], 1), tf.stack([tf.size(of, tf.int64), 1])
        return {"word": words.values, "of": tf.SparseTensor(indices, of, shape)}

    @property
    def record_index_tensor_name(self) -> str:
        return "of"


def test_records_that_a_graph_decodes(tmp_path: Path) -> None:
    tf_graph_record_decoder.save_decoder(Words(), str(tmp_path / "decoder"))
    with tfxio.TFRecordWriter(tmp_path / "records") as writer:
        for record in (b"a b", b"", b"c"):
            writer.write(record)
    words = TFRecordToTensorTFXIO(str(tmp_path / "records"), str(tmp_path / "decoder"), ["test"], "raw")
    with beam.Pipeline() as pipeline:
        expected = [
            {"of": [0], "word": [b"a"], "raw": [b"a b"]},
            {"of": [0], "word": [b"b"], "raw": [b"a b"]},
            {"of": [2], "word": [b"c"], "raw": [b"c"]},
        ]
        assert_that(rows_of(pipeline | words.BeamSource(3)), equal_to(expected))
    options = TensorFlowDatasetOptions(3, num_epochs=1, shuffle=False)
    [batch] = words.Project(["word"]).TensorFlowDataset(options)
    assert list(batch) == ["word"] and batch["word"].numpy().tolist() == [b"a", b"b", b"c"]


def test_names_follow_their_tensors() -> None:
    element = ({"b": [1, 2], "a": Pair([0.5, 1.5], [True, False])}, (["x", "y"], [3, 4]))
    data = DatasetTFXIO(tf.data.Dataset.from_tensor_slices(element).batch(2))
    [batch] = data.RecordBatches(RecordBatchesOptions(5, num_epochs=1, shuffle=False))
    assert batch.schema.equals(data.ArrowSchema())
    assert batch.to_pydict() == {
        "a_a": [[1], [0]],
        "a_z": [[0.5], [1.5]],
        "b": [[1], [2]],
        "feature0": [[b"x"], [b"y"]],
        "feature1": [[3], [4]],
    }
    named = DatasetTFXIO(data._dataset, DatasetTFXIOOptions(feature_names=["e", "d", "c", "b", "a"]))
    [tensors] = named.TensorFlowDataset(TensorFlowDatasetOptions(5, num_epochs=1, shuffle=False))
    assert tensors["d"].numpy().tolist() == [1, 0] and tensors["a"].numpy().tolist() == [3, 4]
    with pytest.raises(ValueError, match="two tensors are of the same name"):
        DatasetTFXIO(data._dataset, DatasetTFXIOOptions(feature_names=["a"] * 5))
    with pytest.raises(TypeError, match="Got <dtype: 'complex128'>"):
        DatasetTFXIO(tf.data.Dataset.from_tensors([1j]))


@pytest.mark.parametrize("shards", [None, 3, 50])
def test_a_data_set_is_saved_in_parts(tmp_path: Path, shards: int | None) -> None:
    ragged = tf.ragged.constant([list(range(at % 4)) for at in range(20)], tf.int32)
    options = DatasetTFXIOOptions(str(tmp_path), ["x"], shards)
    data = DatasetTFXIO(tf.data.Dataset.from_tensor_slices(ragged).batch(4), options)
    with beam.Pipeline() as pipeline:
        counts = rows_of(pipeline | data.BeamSource(3)) | beam.Map(lambda row: (len(row["x"]), 1)) | beam.CombinePerKey(sum)
        assert_that(counts, equal_to([(0, 5), (1, 5), (2, 5), (3, 5)]))


def test_a_data_set_is_shuffled_and_repeated() -> None:
    data = DatasetTFXIO(tf.data.Dataset.range(10).batch(4))
    options = TensorFlowDatasetOptions(4, num_epochs=2, shuffle_seed=1, label_key="feature0")
    batches = [label.numpy().tolist() for _, label in data.TensorFlowDataset(options)]
    assert [len(batch) for batch in batches] == [4] * 5
    assert Counter(sum(batches, [])) == {at: 2 for at in range(10)} and sum(batches, []) != [*range(10), *range(10)]
