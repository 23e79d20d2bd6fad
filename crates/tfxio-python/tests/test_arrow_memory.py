"""Batches of Arrow as the bytes that go to another process: every type, and slices of each."""

from __future__ import annotations

import datetime
import gc
import pickle
import weakref
from decimal import Decimal
from typing import Any

import pytest

import tfxio
from tfxio import _arrow_memory

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
        schema, node = pickle.loads(pickle.dumps(_arrow_memory.given(batch), 5))
        found = pa.record_batch(_arrow_memory.taken(schema, node))
        found.validate(full=True)
        assert found.equals(whole.slice(first, rows)) and found.schema == whole.schema
        assert found.column(0).null_count == whole.slice(first, rows).column(0).null_count


def test_memory_lives_as_long_as_a_column_of_it() -> None:
    whole = pa.record_batch({"n": list(range(1000)), "text": ["abc"] * 1000})
    schema, node = pickle.loads(pickle.dumps(_arrow_memory.given(tfxio.RecordBatch.from_arrow(whole)), 5))
    ended: list[bool] = []
    weakref.finalize(node.children[0].buffers[1], ended.append, True)
    batch = _arrow_memory.taken(schema, node)
    del node
    column = batch["text"].to_numpy(), batch["n"].to_numpy()
    del batch
    gc.collect()
    assert not ended and column[1].tolist() == list(range(1000)) and set(column[0]) == {"abc"}
    del column
    gc.collect()
    assert ended


def test_memory_is_released_while_an_exception_is_raised() -> None:
    whole = tfxio.RecordBatch.from_arrow(pa.record_batch({"n": list(range(1000))}))
    for _ in range(3):
        with pytest.raises(KeyError, match="lable"):
            _arrow_memory.taken(*_arrow_memory.given(whole))["lable"]


def test_only_the_rows_of_a_slice_are_given() -> None:
    whole = pa.record_batch({"text": ["0123456789"] * 1000, "list": [[1.0, 2.0]] * 1000})
    part = pickle.dumps(_arrow_memory.given(tfxio.RecordBatch.from_arrow(whole).slice(500, 10)), 5)
    assert len(part) < 2_000


def test_a_type_whose_memory_is_not_known_is_named() -> None:
    union = pa.UnionArray.from_sparse(pa.array([0, 1], pa.int8()), [pa.array([1, 2]), pa.array(["x", "y"])])
    with pytest.raises(TypeError, match=r"the column 'either' has a type of Arrow \(\+us:0,1\) that does not go to other processes"):
        _arrow_memory.given(tfxio.RecordBatch.from_arrow(pa.record_batch({"either": union})))
