"""Readers of files, with no files, empty files, and no schema."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import tensorflow as tf
from tfx_bsl.coders import tf_graph_record_decoder
from tfx_bsl.telemetry import util as telemetry_util
from tfx_bsl.tfxio import (
    csv_tfxio,
    dataset_options,
    dataset_tfxio,
    dataset_util,
    parquet_tfxio,
    raw_tf_record,
    record_based_tfxio,
    record_to_tensor_tfxio,
    telemetry,
    tf_example_record,
    tf_sequence_example_record,
)
from tfx_bsl.types import tfx_namedtuple

from outcomes.coders import SCHEMAS, schema
from outcomes.tensors import _SCHEMAS_OF_TENSORS

Case = tuple[str, Callable[[], Any]]

_RECORD = b"\x0a\x0c\x0a\x0a\x0a\x01a\x12\x05\x1a\x03\x0a\x01\x07"


def cases() -> Iterator[Case]:
    """Yields the cases."""
    folder = Path(tempfile.mkdtemp(prefix="tfxio-outcomes-"))
    yield from _records(folder)
    yield from _readers(folder)
    yield from _raw_columns()
    yield from _decoders(folder)
    yield from _names()


def _first(batches: Iterable[Any]) -> list[Any]:
    """Returns the first batches of what may have no end."""
    return list(itertools.islice(batches, 3))


def _records(folder: Path) -> Iterator[Case]:
    empty, one, damaged = folder / "empty.tfrecord", folder / "one.tfrecord", folder / "damaged.tfrecord"
    nothing = folder / "nothing.tfrecord"
    for path, records in ((empty, []), (one, [_RECORD]), (nothing, [b"", b""])):
        with tf.io.TFRecordWriter(str(path)) as writer:
            for record in records:
                writer.write(record)
    damaged.write_bytes(one.read_bytes()[:-3])
    batches = dataset_options.RecordBatchesOptions(batch_size=2, shuffle=False, num_epochs=1)
    tensors = dataset_options.TensorFlowDatasetOptions(batch_size=2, shuffle=False, num_epochs=1)
    paths = {"an empty file": empty, "a record": one, "empty records": nothing, "a cut file": damaged, "no file": folder / "none.tfrecord"}
    schemas = {"no schema": None, **SCHEMAS, **_SCHEMAS_OF_TENSORS}
    kinds = {
        "TFExampleRecord": lambda path, text: tf_example_record.TFExampleRecord(
            str(path), schema=None if text is None else schema(text), telemetry_descriptors=["t"]
        ),
        "TFSequenceExampleRecord": lambda path, text: tf_sequence_example_record.TFSequenceExampleRecord(
            str(path), ["t"], schema=None if text is None else schema(text)
        ),
    }
    for kind, make in kinds.items():
        for about, text in schemas.items():
            head = f"{kind}, {about}"
            yield f"{head}: ArrowSchema", lambda make=make, text=text: make(one, text).ArrowSchema()
            yield f"{head}: TensorRepresentations", lambda make=make, text=text: make(one, text).TensorRepresentations()
            yield f"{head}: TensorAdapter", lambda make=make, text=text: make(one, text).TensorAdapter().TypeSpecs()
            for names in ([], ["a"], ["z"]):
                yield f"{head}: Project {names}", lambda make=make, text=text, names=names: make(one, text).Project(names).TensorRepresentations()
        for about, path in paths.items():
            for text in (None, SCHEMAS["an integer"], SCHEMAS["bytes"]):
                yield f"{kind}, {text}: {about}, batches", lambda make=make, path=path, text=text: list(make(path, text).RecordBatches(batches))
                yield (
                    f"{kind}, {text}: {about}, tensors",
                    lambda make=make, path=path, text=text: list(make(path, text).TensorFlowDataset(tensors)),
                )
    integer = SCHEMAS["an integer"]
    example = kinds["TFExampleRecord"]
    for about, options in (("a label", tensors._replace(label_key="z")), ("an empty label", tensors._replace(label_key=""))):
        yield f"TFExampleRecord, tensors with {about}", lambda options=options: list(example(one, integer).TensorFlowDataset(options))
    for size in (0, -1, None):
        yield f"batches of {size}", lambda size=size: list(example(one, integer).RecordBatches(batches._replace(batch_size=size)))
        yield f"tensors by {size}", lambda size=size: list(example(one, integer).TensorFlowDataset(tensors._replace(batch_size=size)))
    for epochs in (0, 1, -1, -2):
        yield f"batches of {epochs} epochs", lambda epochs=epochs: _first(example(one, integer).RecordBatches(batches._replace(num_epochs=epochs)))
        yield f"tensors of {epochs} epochs", lambda epochs=epochs: _first(example(one, integer).TensorFlowDataset(tensors._replace(num_epochs=epochs)))
    dropped = {"drop_final_batch": True}
    yield "batches, the last dropped", lambda: list(example(one, integer).RecordBatches(batches._replace(**dropped)))
    yield "tensors, the last dropped", lambda: list(example(one, integer).TensorFlowDataset(tensors._replace(**dropped)))
    yield "raw records of nothing", lambda: list(example(empty, integer).RawRecordTensorFlowDataset(tensors))
    for path in (empty, one):
        yield (
            f"make_tf_record_dataset of {path.name}",
            lambda path=path: list(dataset_util.make_tf_record_dataset([str(path)], 2, False, 1, False, 1, None)),
        )
    yield "make_tf_record_dataset of no patterns", lambda: list(dataset_util.make_tf_record_dataset([], 2, False, 1, False, 1, None))
    for patterns in ([], ["a"], ["a.gz"], ["a.gz", "b"], [""]):
        yield (
            f"detect_compression_type of {patterns}",
            lambda patterns=patterns: dataset_util.detect_compression_type(tf.constant(patterns, tf.string)),
        )


def _readers(folder: Path) -> Iterator[Case]:
    integer = schema(SCHEMAS["an integer"])
    options = dataset_options.RecordBatchesOptions(batch_size=2)
    tensors = dataset_options.TensorFlowDatasetOptions(batch_size=2)
    none = dataset_tfxio
    for pattern in ([], "", None, ["a"]):
        yield f"TFExampleRecord of {pattern!r}", lambda pattern=pattern: tf_example_record.TFExampleRecord(pattern) and None
        yield f"TFSequenceExampleRecord of {pattern!r}", lambda pattern=pattern: tf_sequence_example_record.TFSequenceExampleRecord(pattern, ["t"]) and None
        yield f"RawTfRecordTFXIO of {pattern!r}", lambda pattern=pattern: raw_tf_record.RawTfRecordTFXIO(pattern, "raw", ["t"]) and None
        yield f"ReadTfRecord of {pattern!r}", lambda pattern=pattern: record_based_tfxio.ReadTfRecord(pattern) and None
        yield f"CsvTFXIO of {pattern!r}", lambda pattern=pattern: csv_tfxio.CsvTFXIO(pattern, ["a"]) and None
        yield f"ParquetTFXIO of {pattern!r}", lambda pattern=pattern: parquet_tfxio.ParquetTFXIO(pattern, column_names=["a"]) and None
    for about, made in (
        ("TFExampleBeamRecord", lambda: tf_example_record.TFExampleBeamRecord("tf", ["t"], integer)),
        ("TFSequenceExampleBeamRecord", lambda: tf_sequence_example_record.TFSequenceExampleBeamRecord("tf", ["t"], integer)),
        ("RawBeamRecordTFXIO", lambda: raw_tf_record.RawBeamRecordTFXIO("tf", "raw", ["t"])),
        ("BeamRecordCsvTFXIO", lambda: csv_tfxio.BeamRecordCsvTFXIO("csv", ["a"], ["t"], schema=integer)),
        ("CsvTFXIO", lambda: csv_tfxio.CsvTFXIO("x.csv", ["a"], ["t"], schema=integer)),
        ("CsvTFXIO without a schema", lambda: csv_tfxio.CsvTFXIO("x.csv", ["a"], ["t"])),
        ("CsvTFXIO of other columns", lambda: csv_tfxio.CsvTFXIO("x.csv", ["b"], ["t"], schema=integer)),
        ("CsvTFXIO of no columns", lambda: csv_tfxio.CsvTFXIO("x.csv", [], ["t"], schema=integer)),
        ("CsvTFXIO with the raw column in the way", lambda: csv_tfxio.CsvTFXIO("x.csv", ["a"], ["t"], schema=integer, raw_record_column_name="a")),
        ("ParquetTFXIO", lambda: parquet_tfxio.ParquetTFXIO("x.parquet", column_names=["a"], schema=integer)),
        ("ParquetTFXIO without a schema", lambda: parquet_tfxio.ParquetTFXIO("x.parquet", column_names=["a"])),
        ("DatasetTFXIO of nothing", lambda: none.DatasetTFXIO(tf.data.Dataset.from_tensor_slices({"a": tf.zeros([0, 1], tf.int64)}).batch(1))),
        ("DatasetTFXIO of scalars", lambda: none.DatasetTFXIO(tf.data.Dataset.from_tensors({"a": tf.constant(1)}))),
        ("DatasetTFXIO of no data set", lambda: none.DatasetTFXIO(None)),
        ("DatasetTFXIO of other data", lambda: none.DatasetTFXIO([1])),
    ):
        yield f"{about}: ArrowSchema", lambda made=made: made().ArrowSchema()
        yield f"{about}: TensorRepresentations", lambda made=made: made().TensorRepresentations()
        yield f"{about}: Project of nothing", lambda made=made: made().Project([]).ArrowSchema()
        yield f"{about}: Project of another", lambda made=made: made().Project(["z"]).ArrowSchema()
        if "DatasetTFXIO" not in about and "Raw" not in about:
            yield f"{about}: RecordBatches", lambda made=made: list(made().RecordBatches(options))
            yield f"{about}: TensorFlowDataset", lambda made=made: made().TensorFlowDataset(tensors)
    for about, how in (("[", "a[b"), ("]", "a]b"), ("-", "a-b"), ("nothing", "")):
        yield f"a format with {about}", lambda how=how: tf_example_record.TFExampleBeamRecord(how, ["t"], integer) and None
    for probability in (0.0, 2.0, -1.0):
        yield (
            f"ProfileRecordBatches with a probability of {probability}",
            lambda probability=probability: telemetry.ProfileRecordBatches(None, ["t"], "a", "b", probability),
        )
    for descriptors in ([], ["a"], ["a", "b"], None, "a"):
        yield f"MakeTfxNamespace({descriptors!r})", lambda descriptors=descriptors: telemetry_util.MakeTfxNamespace(descriptors)
        yield f"AppendToNamespace({descriptors!r})", lambda descriptors=descriptors: telemetry_util.AppendToNamespace("n", descriptors)


def _raw_columns() -> Iterator[Case]:
    create, append = record_based_tfxio.CreateRawRecordColumn, record_based_tfxio.AppendRawRecordColumn
    for about, records in (
        ("nothing", []),
        ("no array", np.array([], object)),
        ("an empty record", [b""]),
        ("None", [None]),
        ("text", ["a"]),
        ("numbers", [1]),
        ("nothing at all", None),
    ):
        yield f"CreateRawRecordColumn of {about}", lambda records=records: create(records)
        yield f"AppendRawRecordColumn of {about}", lambda records=records: append(pa.record_batch({"a": [[1]]}), "raw", records)
        yield f"AppendRawRecordColumn of {about} to no rows", lambda records=records: append(pa.record_batch({"a": pa.array([], pa.list_(pa.int64()))}), "raw", records)
    for about, column in (
        ("indices", pa.array([[0], [1]])),
        ("no indices", pa.array([[], []], pa.list_(pa.int64()))),
        ("null indices", pa.array([None, [0]], pa.list_(pa.int64()))),
        ("indices that are no lists", pa.array([0, 1])),
        ("indices of text", pa.array([["0"], ["1"]])),
        ("two indices in a row", pa.array([[0, 1], [1]])),
        ("indices beyond", pa.array([[0], [5]])),
        ("negative indices", pa.array([[0], [-1]])),
    ):
        batch = pa.record_batch({"i": column})
        yield f"AppendRawRecordColumn by {about}", lambda batch=batch: append(batch, "raw", [b"x", b"y"], "i")
    batch = pa.record_batch({"a": [[1]]})
    yield "AppendRawRecordColumn by no column", lambda: append(batch, "raw", [b"x"], "z")
    yield "AppendRawRecordColumn in the way", lambda: append(batch, "a", [b"x"])


class _Decoder(tf_graph_record_decoder.TFGraphRecordDecoder):  # type: ignore[misc]
    def __init__(self, index: str | None = None) -> None:
        self._index = index

    def decode_record(self, records: tf.Tensor) -> dict[str, Any]:
        indices = tf.transpose(tf.stack([tf.range(tf.size(records, tf.int64), dtype=tf.int64), tf.zeros_like(tf.strings.length(records), tf.int64)]))
        return {"s": tf.SparseTensor(indices, records, [tf.size(records, tf.int64), 1])}

    @property
    def record_index_tensor_name(self) -> str | None:
        return self._index


def _decoders(folder: Path) -> Iterator[Case]:
    empty = folder / "empty-decoded.tfrecord"

    def saved(index: str | None, name: str) -> str:
        path = str(folder / name)
        tf_graph_record_decoder.save_decoder(_Decoder(index), path)
        return path

    yield "a decoder that is not there", lambda: tf_graph_record_decoder.load_decoder(str(folder / "none"))
    yield "a decoder with an index of no name", lambda: saved("", "unnamed")
    yield "a decoder with an index of another name", lambda: saved("z", "other")

    def module() -> Any:
        tf.saved_model.save(tf.Module(), str(folder / "module"))
        return tf_graph_record_decoder.load_decoder(str(folder / "module"))

    yield "a model that is no decoder", module

    def specs() -> Any:
        decoder = tf_graph_record_decoder.load_decoder(saved(None, "plain"))
        return decoder.output_type_specs(), decoder.record_index_tensor_name, decoder.decode_record(tf.constant([], tf.string))

    yield "a decoder of nothing", specs

    def tensors(column: str | None) -> Any:
        with tf.io.TFRecordWriter(str(empty)):
            pass
        made = record_to_tensor_tfxio.TFRecordToTensorTFXIO(str(empty), saved(None, "read"), ["t"], column)
        options = dataset_options.TensorFlowDatasetOptions(batch_size=2, shuffle=False, num_epochs=1)
        return made.ArrowSchema(), made.TensorRepresentations(), list(made.TensorFlowDataset(options))

    yield "TFRecordToTensorTFXIO of nothing", lambda: tensors(None)
    yield "TFRecordToTensorTFXIO with a raw column", lambda: tensors("raw")
    yield "TFRecordToTensorTFXIO with the raw column in the way", lambda: tensors("s")
    yield "TFRecordToTensorTFXIO of no patterns", lambda: record_to_tensor_tfxio.TFRecordToTensorTFXIO([], saved(None, "p"), ["t"])
    yield "TFRecordToTensorTFXIO of no decoder", lambda: record_to_tensor_tfxio.TFRecordToTensorTFXIO("a", str(folder / "none"), ["t"])


def _names() -> Iterator[Case]:
    for about, fields in (("nothing", []), ("text", "a b"), ("a keyword", ["class"]), ("two of a name", ["a", "a"]), ("an underscore", ["_a"])):
        yield f"namedtuple of {about}", lambda fields=fields: tfx_namedtuple.namedtuple("T", fields)._fields
        yield f"namedtuple of {about}, renamed", lambda fields=fields: tfx_namedtuple.namedtuple("T", fields, rename=True)._fields
    yield "namedtuple without values", lambda: tfx_namedtuple.namedtuple("T", ["a"])()
    yield "RecordBatchesOptions of nothing", lambda: dataset_options.RecordBatchesOptions()
    yield "RecordBatchesOptions by default", lambda: dataset_options.RecordBatchesOptions(batch_size=1)
    yield "TensorFlowDatasetOptions by default", lambda: dataset_options.TensorFlowDatasetOptions(batch_size=1)
    yield "TensorFlowDatasetOptions with another name", lambda: dataset_options.TensorFlowDatasetOptions(batch_size=1, what=2)
