"""Kinds of adapters and data sets: columns as tensors, and what a data set says of itself."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet

import tfxio

from columns import batch, one_batch, same_batch, same_schema, schema
from golden import Case, Message, Mismatch, Unreachable, check, decoded, equal, phase
from tensors import same_spec, same_tensors


def tensor_adapter(case: Case, expected: dict[str, Any]) -> None:
    """Judges `tensor_adapter`."""
    inputs = case.inputs
    if inputs.get("original_type_specs"):
        raise Unreachable("TensorAdapter takes no specs of the tensors from which the columns were made")

    def ours() -> tuple[Any, Any]:
        represented = {name: Message(of) for name, of in inputs["tensor_representations"].items()}
        # An error that the data do not cause may be expected of the call.
        with phase("construct", "call"):
            adapter = tfxio.TensorAdapter(schema(inputs["arrow_schema"]), represented)
        with phase("call"):
            return adapter, inputs["record_batch"] and adapter.tensors(batch(inputs["record_batch"]))

    def same(made: tuple[Any, Any], ok: dict[str, Any]) -> None:
        adapter, tensors = made
        equal(sorted(adapter.specs), sorted(ok["type_specs"]), "the names of the tensors")
        for name, spec in adapter.specs.items():
            same_spec(spec, ok["type_specs"][name], name)
        if ok["tensors"] is not None:
            same_tensors(tensors, ok["tensors"])

    check(ours, expected, same)


def _records(folder: str, records: list[bytes]) -> Path:
    path = Path(folder) / "records.tfrecord"
    with tfxio.TFRecordWriter(path) as writer:
        for record in records:
            writer.write(record)
    return path


def _open(inputs: dict[str, Any], path: Path) -> tfxio.TFXIO:
    raw: str | None = inputs.get("raw_record_column_name")
    match inputs["format"]:
        case "raw_record":
            return tfxio.RawTFRecord(path, inputs["raw_record_column_name"])
        case "tf_example":
            return tfxio.TFExampleRecord(path, decoded(inputs["schema"]["b64"]), raw)
        case "tf_sequence_example":
            return tfxio.TFSequenceExampleRecord(path, decoded(inputs["schema"]["b64"]), raw)
        case "parquet":
            path = path.with_suffix(".parquet")
            _parquet(inputs["schema"]["text"], path)
            return tfxio.ParquetTFXIO(path, inputs["column_names"], decoded(inputs["schema"]["b64"]))
    raise Unreachable(f"a data set of {inputs['format']}")


def _parquet(text: str, path: Path) -> None:
    """Writes a file that has the features of a schema as columns."""
    items = {"INT": pa.int64(), "FLOAT": pa.float32(), "BYTES": pa.large_binary()}
    names = re.findall(r'^  name: "(.*)"', text, re.MULTILINE)
    kinds = re.findall(r"^  type: (\w+)", text, re.MULTILINE)
    columns = pa.schema([(name, pa.large_list(items[kind])) for name, kind in zip(names, kinds)])
    pa.parquet.write_table(columns.empty_table(), path)


def describe(case: Case, expected: dict[str, Any]) -> None:
    """Judges `tfxio_describe`: the columns and the representations of a data set."""
    is_schema = case.inputs["method"] == "ArrowSchema"

    def ours() -> Any:
        with tempfile.TemporaryDirectory() as folder, phase("construct", "call"):
            described = _open(case.inputs, _records(folder, []))
            return described.ArrowSchema() if is_schema else (described.ArrowSchema(), described.TensorRepresentations())

    def same(ours: Any, ok: dict[str, Any]) -> None:
        if is_schema:
            same_schema(ours, schema(ok))
        else:
            same_representations(ours[0], ours[1], ok["tensor_representations"])

    check(ours, expected, same)


def same_representations(columns: Any, ours: dict[str, Any], expected: dict[str, Any]) -> None:
    """Holds representations, ours as JSON and the recorded ones as messages, against each other by what they make of columns."""
    equal(sorted(ours), sorted(expected), "the names of the tensors")
    for name, of in expected.items():
        recorded = tfxio.TensorAdapter(columns, {name: Message(of)})
        equal(tfxio.TensorAdapter(columns, {name: ours[name]}).specs, recorded.specs, f"the spec of {name}")


def dataset(case: Case, expected: dict[str, Any]) -> None:
    """Judges `tfxio_dataset`: the tensors of a data set, batch by batch."""
    inputs = case.inputs
    size = inputs["batch_size"]

    def ours() -> list[dict[str, Any]]:
        with tempfile.TemporaryDirectory() as folder, phase("construct", "call"):
            opened = _open(inputs, _records(folder, [decoded(record["b64"]) for record in inputs["records"]]))
            batches = list(opened.dataset.tensors().read(batch_size=size))
        return [of for of in batches if not inputs["drop_final_batch"] or all(len(tensor) == size for tensor in of.values())]

    def same(ours: list[dict[str, Any]], ok: dict[str, Any]) -> None:
        equal(len(ours), len(ok["batches"]), "the number of batches")
        for mine, of in zip(ours, ok["batches"]):
            label = {inputs["label_key"]: of["label"]} if "label" in of else {}
            same_tensors(mine, {**of["features"], **label})

    check(ours, expected, same)


def _csv(inputs: dict[str, Any], path: Path) -> tfxio.Dataset:
    options: dict[str, Any] = {"column_names": inputs["column_names"], "header": False}
    for key in ("delimiter", "secondary_delimiter", "multivalent_columns"):
        options[key] = inputs.get(key)
    if (skips := inputs.get("skip_blank_lines")) is not None:
        options["blank_lines"] = "skip" if skips else "null"
    options["raw_record_column"] = inputs.get("raw_record_column_name")
    given = inputs["schema"] and decoded(inputs["schema"]["b64"])
    return tfxio.open(path, format="csv", schema=given, **options)


def csv_decode(case: Case, expected: dict[str, Any]) -> None:
    """Judges `csv_decode`: rows of cells as columns."""

    def ours() -> Any:
        with tempfile.TemporaryDirectory() as folder, phase("construct", "call"):
            path = Path(folder) / "rows.csv"
            path.write_bytes("".join(f"{line}\n" for line in case.inputs["lines"]).encode())
            return one_batch(_csv(case.inputs, path))

    def same(ours: Any, ok: dict[str, Any]) -> None:
        if ok["record_batch"] is None:
            equal(ours.num_rows, 0, "the number of rows")
        else:
            same_batch(ours, batch(ok["record_batch"]))

    check(ours, expected, same)


def csv_arrow_schema(case: Case, expected: dict[str, Any]) -> None:
    """Judges `csv_arrow_schema`."""

    def ours() -> Any:
        with tempfile.TemporaryDirectory() as folder, phase("construct", "call"):
            path = Path(folder) / "rows.csv"
            path.write_bytes(b"")
            return pa.schema(_csv(case.inputs, path).schema)

    check(ours, expected, lambda ours, ok: same_schema(ours, schema(ok)))
