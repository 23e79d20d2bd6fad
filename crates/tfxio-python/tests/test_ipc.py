"""Batches as the bytes that go to another process: every type, and slices of each."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import pytest

import tfxio
from tfxio._lib import batch_of_ipc, ipc_of_batch

pa = pytest.importorskip("pyarrow")

ROWS = 24
#: Four values of a column, which come again.
COLUMNS: dict[str, tuple[list[Any], Any]] = {
    "null": ([None] * 4, pa.null()),
    "bool": ([True, None, False, True], pa.bool_()),
    "int8": ([1, None, 2, 3], pa.int8()),
    "uint16": ([1, 2, 3, 4], pa.uint16()),
    "float16": ([1, 2, 3, 4], pa.float16()),
    "float64": ([0.5, None, 2, 3], pa.float64()),
    "date32": ([1, 2, 3, None], pa.date32()),
    "date64": ([86_400_000, None, 0, 0], pa.date64()),
    "time32": ([datetime.time(1, 2), None] * 2, pa.time32("s")),
    "time64": ([datetime.time(1, 2), None] * 2, pa.time64("us")),
    "timestamp": ([1, 2, None, 4], pa.timestamp("us", "UTC")),
    "duration": ([1, None, 3, 4], pa.duration("ms")),
    "decimal": ([Decimal("1.5"), None] * 2, pa.decimal128(9, 2)),
    "decimal256": ([Decimal("1.5"), None] * 2, pa.decimal256(50, 2)),
    "text": (["x", "", None, "yyy"], pa.string()),
    "large_bytes": ([b"x", b"", None, b"yyy"], pa.large_binary()),
    "view": (["x", "a text that is too long to be inline", None, "z"], pa.string_view()),
    "fixed": ([b"abc", None] * 2, pa.binary(3)),
    "dictionary": (["x", "y", None, "x"], pa.dictionary(pa.int8(), pa.string())),
    "list": ([[1, 2], None, [3], []], pa.list_(pa.int32())),
    "texts": ([["a"], None, ["bc", "d"], []], pa.large_list(pa.large_string())),
    "bools": ([[True], [], None, [False, True]], pa.list_(pa.bool_())),
    "fixed_list": ([[1, 2], [3, 4], None, [7, 8]], pa.list_(pa.float32(), 2)),
    "lists": ([[[1], [2]], [], None, [[3, 4]]], pa.list_(pa.list_(pa.int64()))),
    "struct": ([{"a": 1, "b": "x"}, None, {"a": 3, "b": None}, {"a": 4, "b": "z"}], pa.struct({"a": pa.int64(), "b": pa.string()})),
    "map": ([[("a", 1)], [], None, [("b", 2), ("c", 3)]], pa.map_(pa.string(), pa.int64())),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_goes_there_and_back(name: str) -> None:
    values, type = COLUMNS[name]
    whole = pa.record_batch({name: pa.array(values * (ROWS // 4), type)})
    for first, rows in [(0, ROWS), (1, 3), (7, 9), (8, 12), (ROWS - 1, 1), (5, 0), (ROWS, 0)]:
        batch = tfxio.RecordBatch.from_arrow(whole).slice(first, rows)
        found = pa.record_batch(batch_of_ipc(memoryview(ipc_of_batch(batch))))
        found.validate(full=True)
        assert found.equals(whole.slice(first, rows)) and found.schema == whole.schema
        assert found.column(0).null_count == whole.slice(first, rows).column(0).null_count


def test_only_the_rows_of_a_slice_are_given() -> None:
    whole = pa.record_batch({"text": ["0123456789"] * 1000, "list": [[1.0, 2.0]] * 1000})
    assert len(ipc_of_batch(tfxio.RecordBatch.from_arrow(whole).slice(500, 10))) < 2_000


def test_unions_go_as_well() -> None:
    union = pa.UnionArray.from_sparse(pa.array([0, 1], pa.int8()), [pa.array([1, 2]), pa.array(["x", "y"])])
    whole = pa.record_batch({"either": union})
    found = pa.record_batch(batch_of_ipc(ipc_of_batch(tfxio.RecordBatch.from_arrow(whole))))
    assert found.equals(whole)


def test_what_is_not_a_batch_is_an_error() -> None:
    whole = ipc_of_batch(tfxio.RecordBatch.from_arrow(pa.record_batch({"n": [1, 2, 3]})))
    for cut in (b"", whole[:9], whole[: len(whole) // 2], b"nonsense" * 9):
        with pytest.raises(tfxio.TfxioError):
            batch_of_ipc(cut)


def test_changed_bytes_are_an_error_or_a_valid_batch() -> None:
    # pyarrow refuses numbers beyond the range of these types as well, which are not memory that is not theirs.
    ranged = ("date64", "time32", "time64", "decimal", "decimal256")
    columns = {name: pa.array(values, type) for name, (values, type) in COLUMNS.items() if name not in ranged}
    whole = ipc_of_batch(tfxio.RecordBatch.from_arrow(pa.record_batch(columns)))
    read = refused = 0
    for at in range(0, len(whole), 3):
        changed = bytearray(whole)
        changed[at] ^= 0x81
        try:
            pa.record_batch(batch_of_ipc(bytes(changed))).validate(full=True)
            read += 1
        except tfxio.TfxioError as error:
            assert str(error)
            refused += 1
    assert read > 0 and refused > 0
