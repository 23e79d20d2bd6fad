"""The stand-in for tfx-bsl: data sets of records. Its own tests are run by `tests/peers/run_tfx_bsl.py`."""

from __future__ import annotations

import pickle
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import tfxio

pa = pytest.importorskip("pyarrow")
tf = pytest.importorskip("tensorflow")
beam = pytest.importorskip("apache_beam")
schema_pb2 = pytest.importorskip("tensorflow_metadata.proto.v0.schema_pb2")
text_format = pytest.importorskip("google.protobuf.text_format")

from apache_beam.testing.util import assert_that, equal_to  # noqa: E402

from tfxio.compat.tfx_bsl.tfxio._decoding import ExampleDecoder  # noqa: E402
from tfxio.compat.tfx_bsl.tfxio.dataset_options import RecordBatchesOptions, TensorFlowDatasetOptions  # noqa: E402
from tfxio.compat.tfx_bsl.tfxio.raw_tf_record import RawTfRecordTFXIO  # noqa: E402
from tfxio.compat.tfx_bsl.tfxio.record_based_tfxio import AppendRawRecordColumn  # noqa: E402
from tfxio.compat.tfx_bsl.tfxio.tf_example_record import TFExampleRecord  # noqa: E402
from tfxio.compat.tfx_bsl.tfxio.tf_sequence_example_record import TFSequenceExampleRecord  # noqa: E402

SCHEMA = """
feature { name: "at" type: INT presence { min_fraction: 1 } shape { } }
feature { name: "words" type: BYTES }
feature { name: "weights" type: FLOAT }
represent_variable_length_as_ragged: true
"""
ROWS = 23


@pytest.fixture
def files(tmp_path: Path) -> str:
    for number, rows in enumerate([range(10), range(10, 10), range(10, ROWS)]):
        with tfxio.TFRecordWriter(tmp_path / f"{number}.tfrecord") as writer:
            for at in rows:
                features: dict[str, Any] = {"at": [at], "weights": [at / 2]}
                words = [b"w%d" % word for word in range(at % 3)]
                writer.write(tfxio.Example(features | ({"words": words} if words else {})).to_bytes())
    return str(tmp_path / "*.tfrecord")


def schema() -> Any:
    return text_format.Parse(SCHEMA, schema_pb2.Schema())


def numbers(batches: Any) -> list[list[int]]:
    return [[at for [at] in batch.column(0).to_pylist()] for batch in batches]


@pytest.mark.parametrize("raw", [None, "raw"])
@pytest.mark.parametrize("with_schema", [True, False])
def test_batches_span_files_and_epochs(files: str, with_schema: bool, raw: str | None) -> None:
    records = TFExampleRecord(files, schema=schema() if with_schema else None, raw_record_column_name=raw)
    batches = list(records.RecordBatches(RecordBatchesOptions(7, num_epochs=2, shuffle=False)))
    every = numbers(batches)
    assert [len(batch) for batch in every] == [7, 7, 7, 7, 7, 7, 4]
    assert sum(every, []) == [*range(ROWS), *range(ROWS)]
    assert all(batch.column(0).offset == 0 for batch in batches)
    if with_schema:
        assert all(batch.schema.equals(records.ArrowSchema()) for batch in batches)
    if raw is not None:
        assert tfxio.Example.from_bytes(batches[0].column(3)[2].as_py()[0])["at"] == [2]
    dropped = records.RecordBatches(RecordBatchesOptions(7, drop_final_batch=True, num_epochs=1, shuffle=False))
    assert [len(batch) for batch in dropped] == [7, 7, 7]


def test_without_an_end(files: str, tmp_path: Path) -> None:
    endless = TFExampleRecord(files, schema=schema()).RecordBatches(RecordBatchesOptions(9))
    first = [next(endless) for _ in range(23)]
    assert Counter(sum(numbers(first), [])) == {at: 9 for at in range(ROWS)}
    (tmp_path / "empty").touch()
    assert list(TFExampleRecord(str(tmp_path / "empty")).RecordBatches(RecordBatchesOptions(9))) == []


@pytest.mark.parametrize("window", [1, 2, 5, 7, 100])
@pytest.mark.parametrize("size", [1, 4, 23, 50])
def test_shuffled_records_come_once_an_epoch(files: str, window: int, size: int) -> None:
    def read(seed: int | None) -> list[int]:
        how = RecordBatchesOptions(size, num_epochs=2, shuffle_buffer_size=window, shuffle_seed=seed)
        batches = numbers(TFExampleRecord(files, schema=schema()).RecordBatches(how))
        assert {len(batch) for batch in batches[:-1]} <= {size}
        return sum(batches, [])

    once = read(5)
    assert Counter(once) == {at: 2 for at in range(ROWS)} and Counter(once[:ROWS]) == Counter(range(ROWS))
    assert once == read(5) and (window == 1 or once != read(6))


def test_a_column_of_records_is_decoded_as_a_list_of_them() -> None:
    records = [tfxio.Example({"a": [1]}).to_bytes(), tfxio.Example({"a": [2, 3]}).to_bytes()]
    decoder = pickle.loads(pickle.dumps(ExampleDecoder(None)))
    for column in (pa.array(records), pa.array(records, pa.large_binary()), pa.array([b"", *records]).slice(1)):
        assert decoder.decode(column).equals(decoder.decode(records))
    with pytest.raises(TypeError, match="row 1 is null"):
        decoder.decode(pa.array([b"", None]))
    with pytest.raises(TypeError, match="found one of Int64"):
        decoder.decode(pa.array([1]))


def test_tensors_of_examples(files: str) -> None:
    records = TFExampleRecord(files, schema=schema()).Project(["at", "words"])
    dataset = records.TensorFlowDataset(TensorFlowDatasetOptions(8, num_epochs=1, shuffle=False, label_key="at"))
    assert dataset.element_spec == (
        {"words": tf.RaggedTensorSpec([None, None], tf.string, ragged_rank=1)},
        tf.TensorSpec([None], tf.int64),
    )
    for _ in range(2):
        batches = list(dataset)
        assert [at for _, label in batches for at in label.numpy()] == list(range(ROWS))
        assert [row for features, _ in batches for row in features["words"].to_list()][:3] == [[], [b"w0"], [b"w0", b"w1"]]
    with pytest.raises(ValueError, match=r"The `label_key` provided \(age\) is not a tensor: there are at, words"):
        records.TensorFlowDataset(TensorFlowDatasetOptions(8, label_key="age"))


def test_tensors_are_those_of_parse_example(files: str) -> None:
    records = TFExampleRecord(files, schema=schema())
    specs, names = records._GetTfExampleParserConfig()
    ours = records.TensorFlowDataset(TensorFlowDatasetOptions(5, num_epochs=1, shuffle=False))
    lines = tf.data.TFRecordDataset(sorted(tf.io.gfile.glob(files))).batch(5)
    for batch, serialized in zip(ours, lines, strict=True):
        for name, tensor in tf.io.parse_example(serialized, specs).items():
            found = batch[names[name]]
            assert tf.type_spec_from_value(found).is_compatible_with(tf.type_spec_from_value(tensor))
            assert tf.reduce_all(tf.equal(found, tensor))


def test_an_error_of_the_reader_ends_the_data_set(tmp_path: Path) -> None:
    with tfxio.TFRecordWriter(tmp_path / "a") as writer:
        writer.write(tfxio.Example({"at": [1.5]}).to_bytes())
    dataset = TFExampleRecord(str(tmp_path / "a"), schema=schema()).TensorFlowDataset(TensorFlowDatasetOptions(5))
    with pytest.raises(tf.errors.OpError, match='(?s)column "at"|feature "at"'):
        next(iter(dataset))


def test_raw_records(files: str) -> None:
    raw = RawTfRecordTFXIO(files, "raw", ["test"])
    batches = list(raw.RecordBatches(RecordBatchesOptions(20, num_epochs=1, shuffle=False)))
    assert [len(batch) for batch in batches] == [20, 3] and batches[0].schema.equals(raw.ArrowSchema())
    dataset = raw.TensorFlowDataset(TensorFlowDatasetOptions(20, num_epochs=1, shuffle=False))
    assert dataset.element_spec == {"raw": tf.TensorSpec([None], tf.string)}
    assert [len(batch["raw"]) for batch in dataset] == [20, 3]


def test_sequence_examples(tmp_path: Path) -> None:
    example = tf.train.SequenceExample()
    example.context.feature["id"].int64_list.value.append(7)
    for values in ([1, 2], [], [3]):
        example.feature_lists.feature_list["tags"].feature.add().int64_list.value.extend(values)
    with tfxio.TFRecordWriter(tmp_path / "a") as writer:
        writer.write(example.SerializeToString())
    described = """
    feature { name: "id" type: INT }
    feature { name: "##SEQUENCE##" type: STRUCT struct_domain {
      feature { name: "tags" type: INT } feature { name: "other" type: FLOAT } } }
    """
    records = TFSequenceExampleRecord(str(tmp_path / "a"), ["test"], schema=text_format.Parse(described, schema_pb2.Schema()))
    name = "##SEQUENCE##.tags"
    projected = records.Project([name])
    assert [field.name for field in projected.ArrowSchema().field(0).type] == ["tags"]
    [batch] = projected.RecordBatches(RecordBatchesOptions(2, num_epochs=1, shuffle=False))
    assert projected.TensorAdapter().ToBatchTensors(batch)[name].to_list() == [[[1, 2], [], [3]]]
    [tensors] = records.TensorFlowDataset(TensorFlowDatasetOptions(2, num_epochs=1, shuffle=False))
    assert tensors[name].to_list() == [[[1, 2], [], [3]]] and tensors["id"].values.numpy().tolist() == [7]
    with pytest.raises(ValueError, match="Unable to project {'no'}"):
        records.Project(["no"])


def test_a_pipeline_of_records(files: str) -> None:
    with beam.Pipeline() as pipeline:
        rows = pipeline | TFExampleRecord(files, schema=schema()).BeamSource(batch_size=100) | beam.Map(len)
        assert_that(rows | beam.CombineGlobally(sum), equal_to([ROWS]))


def test_records_that_are_not_of_the_rows() -> None:
    batch = pa.record_batch({"a": [1, 2], "of": [[1], [0]], "not": [[], [0]]})
    assert AppendRawRecordColumn(batch, "raw", [b"x", b"y"], "of").column(3).to_pylist() == [[b"y"], [b"x"]]
    bad: list[tuple[Any, str]] = [
        (("a", [b"x", b"y"]), "there is a column a already"),
        (("raw", [b"x"]), "num_rows: 2 vs len raw_records: 1"),
        (("raw", [b"x"], "no"), "Record index column no did not exist"),
        (("raw", [b"x"], "a"), "must be of type list_like<integer>, but got: int64"),
        (("raw", [b"x"], "not"), "Record indices must be aligned with the record batch"),
    ]
    for arguments, message in bad:
        with pytest.raises(AssertionError, match=message):
            AppendRawRecordColumn(batch, *arguments)
