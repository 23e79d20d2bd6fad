"""Records to batches and back, and lines of CSV."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
from google.protobuf import text_format
from tensorflow_metadata.proto.v0 import schema_pb2
from tfx_bsl.cc.tfx_bsl_extension import coders as native
from tfx_bsl.coders import batch_util, csv_decoder, example_coder, sequence_example_coder

from outcomes.tables import batches

Case = tuple[str, Callable[[], Any]]

#: Descriptions of features, whole and not.
SCHEMAS = {
    "no features": "",
    "an integer": 'feature { name: "a" type: INT }',
    "a float": 'feature { name: "a" type: FLOAT }',
    "bytes": 'feature { name: "a" type: BYTES }',
    "no type": 'feature { name: "a" }',
    "a struct": 'feature { name: "a" type: STRUCT }',
    "no name": "feature { type: INT }",
    "two of a name": 'feature { name: "a" type: INT } feature { name: "a" type: FLOAT }',
    "a sequence": 'feature { name: "seq" type: STRUCT struct_domain { feature { name: "a" type: INT } } }',
    "a sequence of nothing": 'feature { name: "seq" type: STRUCT struct_domain { } }',
}

_EXAMPLES = {
    "nothing": [],
    "an empty record": [b""],
    "two empty records": [b"", b""],
    "no map": [b"\x0a\x00"],
    # The feature a: without a kind, and with a list of bytes, floats and integers, each without values.
    "no kind": [b"\x0a\x07\x0a\x05\x0a\x01a\x12\x00"],
    "no bytes": [b"\x0a\x09\x0a\x07\x0a\x01a\x12\x02\x0a\x00"],
    "no floats": [b"\x0a\x09\x0a\x07\x0a\x01a\x12\x02\x12\x00"],
    "no integers": [b"\x0a\x09\x0a\x07\x0a\x01a\x12\x02\x1a\x00"],
    "an empty record after one": [b"\x0a\x0c\x0a\x0a\x0a\x01a\x12\x05\x1a\x03\x0a\x01\x07", b""],
    "an integer": [b"\x0a\x0c\x0a\x0a\x0a\x01a\x12\x05\x1a\x03\x0a\x01\x07"],
    "a feature without a name": [b"\x0a\x0b\x0a\x09\x0a\x00\x12\x05\x1a\x03\x0a\x01\x07"],
    "a damaged feature": [b"\x0a\x09\x0a\x07\x0a\x01b\x12\x02\x1a\x01"],
    "other bytes": [b"\xff"],
    "a cut record": [b"\x0a\x0c\x0a"],
    "text": ["a"],
    "None in a list": [None],
    "a number": [1],
    "no list": None,
    "bytes that are no list": b"",
}

_SEQUENCES = {
    **_EXAMPLES,
    "no feature lists": [b"\x12\x00"],
    # The list a: of nothing, of a step without a kind, and of a step without integers.
    "no steps": [b"\x12\x07\x0a\x05\x0a\x01a\x12\x00"],
    "a step of nothing": [b"\x12\x09\x0a\x07\x0a\x01a\x12\x02\x0a\x00"],
    "a step without integers": [b"\x12\x0b\x0a\x09\x0a\x01a\x12\x04\x0a\x02\x1a\x00"],
}


def schema(text: str) -> Any:
    """Returns a schema of TensorFlow Metadata."""
    return text_format.Parse(text, schema_pb2.Schema())


def cases() -> Iterator[Case]:
    """Yields the cases."""
    yield from _decoding()
    yield from _encoding()
    yield from _csv()
    yield from _batches()


def _decoding() -> Iterator[Case]:
    schemas = {"no schema": None, **{about: schema(text).SerializeToString() for about, text in SCHEMAS.items()}}
    for (about, serialized), (records_about, records) in itertools.product(schemas.items(), _EXAMPLES.items()):
        yield (
            f"examples, {about}: {records_about}",
            lambda serialized=serialized, records=records: example_coder.ExamplesToRecordBatchDecoder(serialized).DecodeBatch(records),
        )
    for about, serialized in schemas.items():
        yield (
            f"schema of examples, {about}",
            lambda serialized=serialized: example_coder.ExamplesToRecordBatchDecoder(serialized).ArrowSchema(),
        )
        how = () if serialized is None else (serialized,)
        yield (
            f"schema of sequences, {about}",
            lambda how=how: sequence_example_coder.SequenceExamplesToRecordBatchDecoder("seq", *how).ArrowSchema(),
        )
        for records_about, records in _SEQUENCES.items():
            yield (
                f"sequences, {about}: {records_about}",
                lambda how=how, records=records: sequence_example_coder.SequenceExamplesToRecordBatchDecoder("seq", *how).DecodeBatch(records),
            )
    for about, records in _EXAMPLES.items():
        yield f"ExampleToNumpyDict: {about}", lambda records=records: example_coder.ExampleToNumpyDict(records[0])
    for about, serialized in (("other bytes", b"\xff"), ("a number", 1), ("a message", schema_pb2.Schema())):
        yield f"examples with a schema of {about}", lambda serialized=serialized: example_coder.ExamplesToRecordBatchDecoder(serialized)
        yield (
            f"sequences with a schema of {about}",
            lambda serialized=serialized: sequence_example_coder.SequenceExamplesToRecordBatchDecoder("seq", serialized),
        )
        yield f"encoder with a schema of {about}", lambda serialized=serialized: native.RecordBatchToExamplesEncoder(serialized)
    yield "sequences without a name", lambda: sequence_example_coder.SequenceExamplesToRecordBatchDecoder("").DecodeBatch([b"\x12\x00"])
    yield "sequences of None", lambda: sequence_example_coder.SequenceExamplesToRecordBatchDecoder(None)


def _encoding() -> Iterator[Case]:
    for about, batch in batches():
        yield f"RecordBatchToExamples: {about}", lambda batch=batch: example_coder.RecordBatchToExamples(batch)
        yield (
            f"RecordBatchToExamplesEncoder, a schema of nothing: {about}",
            lambda batch=batch: example_coder.RecordBatchToExamplesEncoder(schema("")).encode(batch),
        )
    yield "RecordBatchToExamples of None", lambda: example_coder.RecordBatchToExamples(None)
    yield "RecordBatchToExamples of a table", lambda: example_coder.RecordBatchToExamples(pa.table({"a": [[1]]}))
    yield "RecordBatchToExamplesEncoder of bytes", lambda: example_coder.RecordBatchToExamplesEncoder(b"")
    ragged = """feature { name: "a" type: INT } tensor_representation_group { key: "" value { tensor_representation {
        key: "r" value { ragged_tensor { feature_path { step: "a" } partition { row_length: "l" } } } } } }"""
    nested = pa.list_(pa.list_(pa.int64()))
    for about, array in (
        ("no rows", pa.array([], nested)),
        ("a null", pa.nulls(1, nested)),
        ("an empty list", pa.array([[]], nested)),
        ("a list of an empty list", pa.array([[[]]], nested)),
        ("flat values", pa.array([[1]])),
        ("deeper lists", pa.array([[[[1]]]])),
    ):
        batch = pa.record_batch({"a": array})
        yield f"ragged to examples: {about}", lambda batch=batch: example_coder.RecordBatchToExamplesEncoder(schema(ragged)).encode(batch)
        yield f"ragged to examples without a schema: {about}", lambda batch=batch: example_coder.RecordBatchToExamples(batch)


def _csv() -> Iterator[Case]:
    def parsed(line: Any, delimiter: Any = ",") -> Any:
        parse = csv_decoder.ParseCSVLine(delimiter)
        parse.setup()
        return list(parse.process(line))

    for about, line in (("an empty line", ""), ("a space", " "), ("a delimiter", ","), ("quotes", '""'), ("a number", 1), ("None", None), ("bytes", b"a,b")):
        yield f"ParseCSVLine: {about}", lambda line=line: parsed(line)
    yield "ParseCSVLine before setup", lambda: list(csv_decoder.ParseCSVLine(",").process("a"))
    for about, delimiter in (("nothing", ""), ("two", ",,"), ("None", None)):
        yield f"ParseCSVLine with a delimiter of {about}", lambda delimiter=delimiter: parsed("a,b", delimiter)

    def inferred(rows: list[list[bytes]], columns: Any = ("a", "b"), skip: bool = True, **how: Any) -> Any:
        inferrer = csv_decoder.ColumnTypeInferrer(list(columns), skip, **how)
        accumulator = inferrer.create_accumulator()
        for row in rows:
            accumulator = inferrer.add_input(accumulator, row)
        return inferrer.extract_output(inferrer.merge_accumulators([accumulator, inferrer.create_accumulator()]))

    for skip in (True, False):
        for about, rows in (
            ("no rows", []),
            ("a blank row", [[]]),
            ("empty cells", [[b"", b""]]),
            ("too few cells", [[b"1"]]),
            ("too many cells", [[b"1", b"2", b"3"]]),
            ("a blank row after one", [[b"1", b"x"], []]),
        ):
            yield f"ColumnTypeInferrer, {skip}: {about}", lambda rows=rows, skip=skip: inferred(rows, skip=skip)
    yield "ColumnTypeInferrer of no columns", lambda: inferred([], ())
    yield "ColumnTypeInferrer of no columns, a cell", lambda: inferred([[b"1"]], ())
    yield "ColumnTypeInferrer without a second delimiter", lambda: inferred([], multivalent_columns={"a"})
    yield "ColumnTypeInferrer of merged nothing", lambda: csv_decoder.ColumnTypeInferrer(["a"], True).merge_accumulators([])
    many = {"multivalent_columns": {"a"}, "secondary_delimiter": "|"}
    for about, cell in (("an empty cell", b""), ("a delimiter", b"|"), ("delimiters", b"||"), ("a value and none", b"1|")):
        yield f"ColumnTypeInferrer, multivalent: {about}", lambda cell=cell: inferred([[cell, b""]], **many)

    infos = [csv_decoder.ColumnInfo("a", csv_decoder.ColumnType.INT), csv_decoder.ColumnInfo("b", csv_decoder.ColumnType.STRING)]
    unknown = [csv_decoder.ColumnInfo("a", csv_decoder.ColumnType.UNKNOWN)]

    def rows_to_batches(rows: Any, columns: Any = infos, skip: bool = True, **how: Any) -> Any:
        return list(csv_decoder.BatchedCSVRowsToRecordBatch(skip, **how).process(rows, columns))

    for skip in (True, False):
        for about, rows in (
            ("no rows", []),
            ("a blank row", [([], "")]),
            ("empty cells", [([b"", b""], ",")]),
            ("a null and a value", [([b"", b""], ","), ([b"1", b"x"], "1,x")]),
            ("too few cells", [([b"1"], "1")]),
            ("too many cells", [([b"1", b"2", b"3"], "1,2,3")]),
        ):
            yield f"BatchedCSVRowsToRecordBatch, {skip}: {about}", lambda rows=rows, skip=skip: rows_to_batches(rows, skip=skip)
    yield "BatchedCSVRowsToRecordBatch of no columns", lambda: rows_to_batches([([], "")], [])
    yield "BatchedCSVRowsToRecordBatch of an unknown column", lambda: rows_to_batches([([b""], "")], unknown)
    yield "BatchedCSVRowsToRecordBatch of an unknown column, multivalent", lambda: rows_to_batches([([b""], "")], unknown, **many)
    yield "BatchedCSVRowsToRecordBatch, multivalent: nothing", lambda: rows_to_batches([([b"", b""], ",")], **many)
    yield "BatchedCSVRowsToRecordBatch, raw: nothing", lambda: rows_to_batches([], raw_record_column_name="raw")
    yield "BatchedCSVRowsToRecordBatch without a second delimiter", lambda: rows_to_batches([], multivalent_columns={"a"})
    for about, text in SCHEMAS.items():
        for columns in ([], ["a"], ["a", "b"]):
            yield (
                f"GetArrowSchema of {columns}: {about}",
                lambda text=text, columns=columns: csv_decoder.GetArrowSchema(columns, schema(text)),
            )
    yield "GetArrowSchema, raw in the way", lambda: csv_decoder.GetArrowSchema(["a"], schema(SCHEMAS["an integer"]), "a")
    yield "GetArrowSchema, raw", lambda: csv_decoder.GetArrowSchema([], schema(""), "raw")
    yield "GetArrowSchema without a schema", lambda: csv_decoder.GetArrowSchema(["a"], None)


def _batches() -> Iterator[Case]:
    for size in (None, 0, 1, -1, 5):

        def keywords(size: Any = size) -> Any:
            return {key: value for key, value in batch_util.GetBatchElementsKwargs(size).items() if not callable(value)}

        yield f"GetBatchElementsKwargs({size})", keywords
