"""Kinds of the coders: records of tf.Example and tf.SequenceExample as batches, and back."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa

import tfxio
from tfxio.compat.tfx_bsl_extension import coders

from columns import batch, one_batch, same_array, same_batch, same_schema, schema
from golden import Case, Mismatch, Unreachable, check, decoded, equal, phase


def _decoder(inputs: dict[str, Any]) -> Any:
    given = inputs["schema"] and decoded(inputs["schema"]["b64"])
    with phase("construct"):
        if "sequence_feature_column_name" in inputs:
            return coders.SequenceExamplesToRecordBatchDecoder(inputs["sequence_feature_column_name"], given)
        return coders.ExamplesToRecordBatchDecoder(given)


def _decoded(decoder: Any, examples: list[dict[str, str]] | None) -> Any:
    records = [decoded(example["b64"]) for example in examples or []]
    with phase("call"):
        try:
            return decoder.DecodeBatch(records)
        except RuntimeError as refused:
            if "has a NUL in its name" in str(refused):
                [name] = tfxio.decode_examples(records).schema.names
                equal(name, "a\0b", "the name")
                raise Unreachable("a name with a NUL cannot become one of pyarrow; tfxio.decode_examples keeps it") from refused
            raise


def _same(ours: Any, ok: dict[str, Any]) -> None:
    if "ipc" in ok:
        same_batch(ours, batch(ok))
    else:
        # Written by hand, in a deviation: bytes are latin-1 there.
        found = [{"name": of.name, "type": str(of.type), "values": _text(ours.column(of.name).to_pylist())} for of in ours.schema]
        expected = [{"name": of["name"], "type": of["type"], "values": of["values"]} for of in ok["columns"]]
        equal(found, expected)


def _text(value: Any) -> Any:
    if isinstance(value, list):
        return [_text(item) for item in value]
    if isinstance(value, dict):
        return {name: _text(item) for name, item in value.items()}
    return value.decode("latin-1") if isinstance(value, bytes) else value


def decode(case: Case, expected: dict[str, Any]) -> None:
    """Judges `decode_examples` and `decode_sequence_examples`."""
    examples = case.inputs.get("examples", case.inputs.get("sequence_examples"))
    check(lambda: _decoded(_decoder(case.inputs), examples), expected, _same)


def arrow_schema(case: Case, expected: dict[str, Any]) -> None:
    """Judges `decode_examples_arrow_schema` and `decode_sequence_examples_arrow_schema`."""

    def ours() -> Any:
        decoder = _decoder(case.inputs)
        with phase("call"):
            return decoder.ArrowSchema()

    check(ours, expected, lambda ours, ok: same_schema(ours, schema(ok)))


def reuse(case: Case, expected: dict[str, Any]) -> None:
    """Judges `decode_examples_reuse`: several batches by one decoder."""

    def same(decoder: Any, answers: list[dict[str, Any]]) -> None:
        for examples, answer in zip(case.inputs["batches"], answers, strict=True):
            check(lambda examples=examples: _decoded(decoder, examples), answer, _same)  # type: ignore[misc]

    check(lambda: _decoder(case.inputs), expected, same)


def encode(case: Case, expected: dict[str, Any]) -> None:
    """Judges `encode_examples`."""

    def ours() -> list[bytes]:
        given = case.inputs["schema"] and decoded(case.inputs["schema"]["b64"])
        with phase("construct"):
            encoder = coders.RecordBatchToExamplesEncoder(given)
        with phase("call"):
            return encoder.Encode(batch(case.inputs["record_batch"]))

    def same(ours: list[bytes], ok: dict[str, Any]) -> None:
        equal([{name: _feature(name, of) for name, of in sorted(_numpy(one).items())} for one in ours], ok["examples"])

    def _feature(name: str, of: Any) -> dict[str, Any]:
        if of is None:
            return {"kind": None}
        kind = {"int64": "int64_list", "float32": "float_list", "object": "bytes_list"}[str(of.dtype)]
        return {"kind": kind, "values": [_number(value) for value in of.tolist()]}

    check(ours, expected, same)


def _numpy(example: bytes) -> dict[str, Any]:
    return dict(coders.ExampleToNumpyDict(example))


def _number(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    return value


def numpy_dict(case: Case, expected: dict[str, Any]) -> None:
    """Judges `example_to_numpy_dict`."""

    def ours() -> dict[str, Any]:
        with phase("call"):
            return _numpy(decoded(case.inputs["example"]["b64"]))

    def same(ours: dict[str, Any], ok: dict[str, Any]) -> None:
        dtypes = {"object": "string"}
        found = {
            name: of
            if of is None
            else {
                "dtype": dtypes.get(str(of.dtype), str(of.dtype)),
                "shape": list(of.shape),
                "values": [_number(value) for value in of.tolist()],
            }
            for name, of in ours.items()
        }
        equal(dict(sorted(found.items())), dict(sorted(ok.items())))

    check(ours, expected, same)


def raw_records(case: Case, expected: dict[str, Any]) -> None:
    """Judges `raw_records_to_record_batch`: a file of these records, read as they are."""

    def ours() -> Any:
        with tempfile.TemporaryDirectory() as folder, phase("call"):
            path = Path(folder) / "records.tfrecord"
            with tfxio.TFRecordWriter(path) as writer:
                for record in case.inputs["raw_records_b64"]:
                    writer.write(decoded(record))
            return one_batch(tfxio.RawTFRecord(path, case.inputs["column_name"]).dataset)

    check(ours, expected, lambda ours, ok: same_batch(ours, batch(ok)))
