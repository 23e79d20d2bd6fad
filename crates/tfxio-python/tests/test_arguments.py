"""Arguments that cannot be meant: each is said."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest

import tfxio

from conftest import DIGITS

Call = Callable[[tfxio.Dataset], Any]

CASES: list[tuple[Call, type[Exception], str]] = [
    (lambda ds: tfxio.open([]), ValueError, "no file is named"),
    (lambda ds: tfxio.open(""), ValueError, "a path is empty"),
    (lambda ds: tfxio.open(3), TypeError, "paths is a path, or a list of paths, not int"),  # type: ignore[arg-type]
    (lambda ds: tfxio.open(DIGITS, format="tfrecrod"), ValueError, 'did you mean "tfrecord"'),  # type: ignore[arg-type]
    (lambda ds: tfxio.open(DIGITS, schema="feature {"), ValueError, "line 1, column 9"),
    (lambda ds: tfxio.convert(DIGITS, "x", to="json"), ValueError, 'to is "json": did you mean "jsonl"[?]'),  # type: ignore[arg-type]
    (lambda ds: tfxio.convert(DIGITS, "x", to="raw"), ValueError, 'to is "raw": give "tfrecord", .*, "csv" or "jsonl"'),  # type: ignore[arg-type]
    (lambda ds: ds.loader(batch_size=1, on_leave="fail"), ValueError, 'on_leave is "fail": give "stop" or "warn"'),  # type: ignore[arg-type]
    (lambda ds: tfxio.open("s3://b/a", storage_options={"aws_regoin": "x"}), ValueError, 'no store has an option "aws_regoin"'),
    (lambda ds: ds.read(batch_size=0), ValueError, "batch_size is 0"),
    (lambda ds: ds.read(batch_size=-1), ValueError, "batch_size is -1"),
    (lambda ds: ds.read(batch_rows=0), ValueError, "batch_rows is 0"),
    (lambda ds: ds.read(limit=-1), ValueError, "limit is -1"),
    (lambda ds: ds.read(on_error="ignore"), ValueError, 'on_error is "ignore"'),  # type: ignore[arg-type]
    (lambda ds: ds.head(-1), ValueError, "rows is -1"),
    (lambda ds: list(ds.scan(tfxio.Partition("other"))), ValueError, "not of this data set"),
    (lambda ds: ds.tensors({"lable": tfxio.FixedLen([], "int64")}), ValueError, 'no column "lable".*label'),
    (lambda ds: ds.tensors({"label": tfxio.FixedLen([], "int65")}), ValueError, 'tensor .label.: "int65" is not a dtype; did you mean "int64"[?] One of bool, '),  # type: ignore[arg-type]
    (lambda ds: ds.loader(inputs=["lable"], batch_size=3), ValueError, 'did you mean "label"'),
    (lambda ds: ds.loader(inputs=["label"], batch_size=3, shard=(3, 2)), ValueError, "no shard 3 of 2"),
    (lambda ds: ds.loader(inputs=["label"], batch_size=3, state={"a": 1}), ValueError, "not the state of a loader"),
    (lambda ds: tfxio.TFRecordWriter(io.BytesIO(), level=10), ValueError, "level is 10"),
    (lambda ds: tfxio.TFRecordWriter(io.BytesIO(), compression="lz4"), ValueError, 'compression "lz4"'),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "kind", "said"), CASES)
def test_what_is_said(call: Call, kind: type[Exception], said: str, digits: tfxio.Dataset) -> None:
    with pytest.raises(kind, match=said):
        call(digits)
