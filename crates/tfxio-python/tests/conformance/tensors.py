"""Tensors and their specs as the cases write them, and whether ours are the same."""

from __future__ import annotations

from typing import Any

import numpy as np

import tfxio

from golden import Mismatch, decoded, equal


def same_spec(ours: dict[str, Any], expected: dict[str, Any], what: str) -> None:
    """Holds a spec of ours against a SPEC."""
    members = {"kind": expected["kind"], "dtype": expected["dtype"], "shape": expected["shape"]}
    if expected["kind"] == "ragged":
        members |= {"ragged_rank": expected["ragged_rank"], "row_splits": expected["row_splits_dtype"]}
    equal(dict(sorted(ours.items())), dict(sorted(members.items())), f"the spec of {what}")


def same_tensor(ours: Any, expected: dict[str, Any], what: str, tolerance: float | None = None) -> None:
    """Holds a tensor of ours against a TENSOR.

    Args:
        tolerance: How far a float may be from the recorded one, in parts of it; near 0, by a tenth of it.
    """
    kind = expected.get("kind", "dense")
    kinds = {tfxio.DenseTensor: "dense", tfxio.SparseTensor: "sparse", tfxio.RaggedTensor: "ragged"}
    equal(kinds.get(type(ours)), kind, f"the kind of {what}")
    equal(ours.dtype, expected["dtype"], f"the dtype of {what}")
    in_base64 = expected.get("encoding") == "base64"
    if kind == "dense":
        _same_dense(ours, expected, what, tolerance, in_base64)
    elif kind == "sparse":
        equal(ours.indices.tolist(), expected["indices"], f"the indices of {what}")
        equal(list(ours.dense_shape), expected["dense_shape"], f"the shape of {what}")
        _same_values(ours.values, expected["values"], what, tolerance, in_base64)
    else:
        equal([splits.tolist() for splits in ours.row_splits], expected["row_splits"], f"the row splits of {what}")
        narrow = expected.get("row_splits_dtype", "int32")
        equal({splits.dtype for splits in ours.row_splits}, {narrow}, f"the dtype of the row splits of {what}")
        # In cases of Avro only the values stand there, in one dimension.
        flat = expected.get("flat_values") or {"shape": [len(expected["values"])], "values": expected["values"]}
        _same_dense(ours.values, flat, what, tolerance, in_base64)


def _same_dense(ours: Any, expected: dict[str, Any], what: str, tolerance: float | None, in_base64: bool) -> None:
    equal(list(ours.shape), expected["shape"], f"the shape of {what}")
    _same_values(ours, expected["values"], what, tolerance, in_base64)


def _same_values(ours: Any, expected: list[Any], what: str, tolerance: float | None, in_base64: bool) -> None:
    found = ours.numpy().reshape(-1)
    if ours.dtype == "string":
        wanted = [decoded(text) if in_base64 else text for text in expected]
        # As latin-1, or in cases of Avro as UTF-8, which is the same for what they hold unless they say base64.
        equal([text if in_base64 else _text(text, of) for text, of in zip(found.tolist(), expected)], wanted, what)
        return
    if ours.dtype.startswith("float"):
        floats = np.array([float(value) for value in expected], ours.dtype)
        if tolerance is None or len(floats) != len(found):
            equal(found.tolist(), floats.tolist(), what)
        elif not np.allclose(found.astype("float64"), floats.astype("float64"), tolerance, tolerance / 10, equal_nan=True):
            raise Mismatch(f"{what} is {found.tolist()!r:.300} instead of {floats.tolist()!r:.300}")
        return
    equal(found.tolist(), expected, what)


def _text(text: bytes, expected: str) -> str:
    try:
        return text.decode("utf-8") if text.decode("utf-8") == expected else text.decode("latin-1")
    except UnicodeDecodeError:
        return text.decode("latin-1")


def same_tensors(ours: dict[str, Any], expected: dict[str, Any], tolerances: dict[str, float] | None = None) -> None:
    """Holds tensors by name against each other."""
    equal(sorted(ours), sorted(expected), "the names of the tensors")
    for name, tensor in ours.items():
        same_tensor(tensor, expected[name], name, (tolerances or {}).get(name))
