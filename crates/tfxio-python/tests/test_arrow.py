"""What leaves by the Arrow PyCapsule interface, and that it is not copied."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import tfxio

pa = pytest.importorskip("pyarrow")


def test_a_reader_is_a_stream(digits: tfxio.Dataset) -> None:
    table = pa.RecordBatchReader.from_stream(digits.read(columns=["label"], batch_size=100)).read_all()
    assert table.num_rows == 1797
    assert [len(batch) for batch in table.to_batches()][:2] == [100, 100]
    assert table.column("label").type == pa.large_list(pa.int64())


def test_no_columns_keep_their_rows(digits: tfxio.Dataset) -> None:
    table = pa.RecordBatchReader.from_stream(digits.read(columns=[])).read_all()
    assert (table.num_columns, sum(len(batch) for batch in table.to_batches())) == (0, 1797)


def test_batches_are_not_copied(digits: tfxio.Dataset) -> None:
    batch = next(digits.read(columns=["image"], batch_size=100))
    values = batch["image"].flattened
    address = values.__array_interface__["data"][0]
    there = pa.record_batch(batch)
    assert there.column("image").values.buffers()[1].address == address
    view = values.to_numpy()
    assert view.__array_interface__["data"][0] == address
    assert not view.flags.writeable
    first = view[:5].tolist()
    del batch, values, there
    gc.collect()
    assert view[:5].tolist() == first


def test_slices_start_where_they_should(digits: tfxio.Dataset) -> None:
    batch = next(digits.read(columns=["label"], batch_size=100)).slice(10, 5)
    assert batch["label"].flattened.to_numpy().tolist() == [row["label"][0] for row in batch.to_pylist()]
    assert pa.record_batch(batch).to_pylist() == batch.to_pylist()


def test_what_comes_from_elsewhere() -> None:
    table = pa.table({"a": [1, None, 3], "b": ["x", "y", None], "c": [[1.5], [], None]})
    batch = tfxio.RecordBatch.from_arrow(table.to_batches()[0])
    assert batch.to_pylist() == table.to_pylist()
    assert tfxio.Schema.from_arrow(table.schema).names == ["a", "b", "c"]
    reader = tfxio.BatchReader.from_arrow(table)
    assert [batch.num_rows for batch in reader] == [3]
    assert tfxio.Array.from_arrow(pa.array([True, False])).to_numpy().tolist() == [True, False]


def test_every_type_becomes_an_object() -> None:
    import datetime
    import decimal

    columns = {
        "date": pa.array([datetime.date(2026, 1, 2)]),
        "decimal": pa.array([decimal.Decimal("1.50")]),
        "dictionary": pa.array(["a"]).dictionary_encode(),
        "fixed": pa.array([b"ab"], pa.binary(2)),
        "half": pa.array(np.array([1.5], np.float16)),
        "map": pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64())),
        "null": pa.nulls(1),
        "struct": pa.array([{"x": 1, "y": None}]),
        "view": pa.array(["v"], pa.string_view()),
    }
    batch = pa.record_batch(columns)
    assert tfxio.RecordBatch.from_arrow(batch).to_pylist() == batch.to_pylist()


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (pa.date64(), [86_400_000, -86_400_000], [86_400_001, -1]),
        (pa.time32("s"), [0, 86_399], [86_400, -1]),
        (pa.time32("ms"), [86_399_999], [86_400_000]),
        (pa.time64("us"), [86_399_999_999], [86_400_000_000, -1]),
        (pa.time64("ns"), [86_399_999_999_000], [86_400_000_000_000, -(2**63)]),
    ],
)
def test_no_number_becomes_another_time(kind: Any, good: list[int], bad: list[int]) -> None:
    width = pa.int32() if pa.types.is_time32(kind) else pa.int64()
    times = pa.array(good, width).view(kind)
    assert tfxio.Array.from_arrow(times).to_numpy().tolist() == times.to_pylist()
    for number in bad:
        batch = pa.record_batch({"t": pa.array([number], width).view(kind)})
        with pytest.raises(ValueError, match=f"the number {number} .* is not "):
            tfxio.RecordBatch.from_arrow(batch).to_pylist()


def test_numpy_copies_when_it_must() -> None:
    with_nulls = tfxio.Array.from_arrow(pa.array([1, None]))
    assert with_nulls.to_numpy().tolist() == [1, None]
    with pytest.raises(ValueError, match="without a copy"):
        np.array(with_nulls, copy=False)
    plain = tfxio.Array.from_arrow(pa.array([1, 2]))
    assert np.asarray(plain, dtype=np.float32).tolist() == [1.0, 2.0]
    # Lists of equal length stay lists.
    assert tfxio.Array.from_arrow(pa.array([[1, 2], [3, 4]])).to_numpy().tolist() == [[1, 2], [3, 4]]


def test_a_stream_says_what_is_wrong(tmp_path: object, digits: tfxio.Dataset) -> None:
    with pytest.raises(ValueError, match="image"):
        digits.read(filter="image = 'x'")
