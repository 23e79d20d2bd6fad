"""Functions over batches, and paths of columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from tensorflow_metadata.proto.v0 import path_pb2
from tfx_bsl.arrow import path, table_util

from outcomes.arrays import TYPES

Case = tuple[str, Callable[[], Any]]


def batches() -> Iterator[tuple[str, pa.RecordBatch]]:
    """Yields batches without columns, without rows, and with nulls alone."""
    yield "no columns", pa.RecordBatch.from_arrays([], names=[])
    yield "no columns of a schema", pa.RecordBatch.from_arrays([], schema=pa.schema([]))
    yield "rows without columns", pa.record_batch({"a": [1, 2]}).select([])
    for data_type in TYPES:
        yield f"no rows of {data_type}", pa.record_batch({"a": pa.array([], data_type)})
        yield f"a null of {data_type}", pa.record_batch({"a": pa.nulls(1, data_type)})
    yield "an empty list", pa.record_batch({"a": pa.array([[]], pa.list_(pa.int64()))})
    yield "two of a name", pa.RecordBatch.from_arrays([pa.nulls(1), pa.nulls(1)], names=["a", "a"])
    yield "a name of nothing", pa.record_batch({"": pa.array([[1]])})


def cases() -> Iterator[Case]:
    """Yields the cases."""
    one = pa.record_batch({"a": pa.array([[1]])})
    for about, batch in batches():
        yield f"TotalByteSize: {about}", lambda batch=batch: table_util.TotalByteSize(batch)
        yield f"TotalByteSize, ignoring: {about}", lambda batch=batch: table_util.TotalByteSize(batch, True)
        yield (
            f"TotalByteSize of a table: {about}",
            lambda batch=batch: table_util.TotalByteSize(pa.Table.from_batches([batch]), ignore_unsupported=True),
        )
        yield f"MergeRecordBatches of one: {about}", lambda batch=batch: table_util.MergeRecordBatches([batch])
        yield f"MergeRecordBatches of two: {about}", lambda batch=batch: table_util.MergeRecordBatches([batch, batch])
        yield f"MergeRecordBatches with another: {about}", lambda batch=batch: table_util.MergeRecordBatches([batch, one])
        yield (
            f"MergeRecordBatches with another column: {about}",
            lambda batch=batch: table_util.MergeRecordBatches([batch, pa.record_batch({"z": pa.array([["x"]])})]),
        )
        yield f"CanonicalizeRecordBatch: {about}", lambda batch=batch: table_util.CanonicalizeRecordBatch(batch)
        for leaves in (True, False):
            for wrap in (True, False):
                yield (
                    f"enumerate_arrays {leaves} {wrap}: {about}",
                    lambda batch=batch, leaves=leaves, wrap=wrap: [
                        (str(where), array) for where, array in table_util.enumerate_arrays(batch, leaves, wrap)
                    ],
                )
        for steps in ((), ("a",), ("b",), ("a", "a"), ("a", "c")):
            for indices in (True, False):
                yield (
                    f"get_array {steps} {indices}: {about}",
                    lambda batch=batch, steps=steps, indices=indices: table_util.get_array(batch, path.ColumnPath(steps), indices),
                )
        for rows in ("no", "null", "first", "int64"):
            indices = {
                "no": pa.array([], pa.int32()),
                "null": pa.nulls(1, pa.int32()),
                "first": pa.array([0], pa.int32()),
                "int64": pa.array([], pa.int64()),
            }[rows]
            yield f"RecordBatchTake {rows}: {about}", lambda batch=batch, rows=indices: table_util.RecordBatchTake(batch, rows)
    for about, rows in (
        ("beyond", pa.array([5], pa.int32())),
        ("negative", pa.array([-1], pa.int32())),
        ("of text", pa.array(["0"])),
        ("of floats", pa.array([0.0])),
        ("of the null type", pa.nulls(1)),
        ("that are None", None),
    ):
        yield f"RecordBatchTake rows {about}", lambda rows=rows: table_util.RecordBatchTake(one, rows)
    yield "MergeRecordBatches of nothing", lambda: table_util.MergeRecordBatches([])
    yield "MergeRecordBatches of None", lambda: table_util.MergeRecordBatches(None)
    yield "MergeRecordBatches of numbers", lambda: table_util.MergeRecordBatches([1])
    yield "MergeRecordBatches of texts", lambda: table_util.MergeRecordBatches(["a"])
    yield (
        "MergeRecordBatches of other types",
        lambda: table_util.MergeRecordBatches([one, pa.record_batch({"a": pa.array([["x"]])})]),
    )
    yield (
        "MergeRecordBatches of a list and a value",
        lambda: table_util.MergeRecordBatches([one, pa.record_batch({"a": pa.array([1])})]),
    )
    yield "TotalByteSize of None", lambda: table_util.TotalByteSize(None)
    for kind in "biufcmMOSUVx":
        yield f"NumpyKindToArrowType {kind}", lambda kind=kind: table_util.NumpyKindToArrowType(kind)
    yield "NumpyKindToArrowType of nothing", lambda: table_util.NumpyKindToArrowType("")
    yield from _paths()


def _paths() -> Iterator[Case]:
    for about, steps in (("no steps", ()), ("an empty text", ""), ("a text", "ab"), ("steps", ("a", "b")), ("a step without a name", ("",))):
        made = path.ColumnPath(steps)
        yield f"ColumnPath of {about}", lambda made=made: [str(made), repr(made), made.steps(), len(made), bool(made), hash(made) is not None]
        yield f"parent of {about}", lambda made=made: str(made.parent())
        yield f"initial_step of {about}", lambda made=made: made.initial_step()
        yield f"to_proto of {about}", lambda made=made: made.to_proto()
        for index in (-3, -1, 0, 1, 5):
            yield f"prefix {index} of {about}", lambda made=made, index=index: str(made.prefix(index))
            yield f"suffix {index} of {about}", lambda made=made, index=index: str(made.suffix(index))
        yield f"order of {about}", lambda made=made: (made < path.ColumnPath(["a"]), made == path.ColumnPath(()))
        yield f"child of {about}", lambda made=made: str(made.child(""))
    yield "ColumnPath of None", lambda: path.ColumnPath(None)
    yield "ColumnPath of a number", lambda: path.ColumnPath(1)
    yield "ColumnPath of no message", lambda: str(path.ColumnPath.from_proto(path_pb2.Path()))
    yield "arrays of numpy", lambda: table_util.NumpyKindToArrowType(np.dtype("int64").kind)
