"""The recorded cases of Avro: what tensorflow-io answers, or its design demands, and what ours must."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
KINDS = ("rfc", "tfio-extra", "tfio-extra-hand", "tfio-test")
#: The members that features of a type have, but for the dtype and the default.
MEMBERS = {
    "FixedLen": ("shape",),
    "VarLen": ("rank",),
    "VarLenWithRank": ("rank",),
    "FixedLenSequence": ("shape", "allow_missing"),
    "Sparse": ("index_key", "value_key", "size", "already_sorted"),
    "Ragged": ("value_key",),
}


def cases() -> list[dict[str, Any]]:
    """Returns all cases, none without the folder that the environment names. `expected` is what ours answers, `theirs` the record."""
    folder = os.environ.get("TFXIO_GOLDEN_DIR")
    if not folder:
        return []
    differ: dict[str, Any] = {}
    for file in (ROOT / "crates/avro-path/tests/golden/deviations").glob("*.jsonl"):
        differ.update((case["id"], case["result"]) for case in lines(file))
    found = [case for file in sorted(Path(folder).glob("avro_*.jsonl")) for case in lines(file)]
    # Those of another reader, which has no key expressions, are not ours.
    found = [case for case in found if case["kind"] in KINDS and not case.get("atds_features")]
    return [{**case, "theirs": case["expected"], "expected": differ.get(case["id"], case["expected"])} for case in found]


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines() if line.strip()]


def records(case: dict[str, Any]) -> list[list[bytes]]:
    """Returns the records of a case, cut into its batches."""
    data = [base64.b64decode(record) for record in case["serialized"]]
    size = max((case.get("options") or {}).get("batch_size") or len(data), 1)
    return [data[at : at + size] for at in range(0, len(data), size)] or [[]]


def specs(case: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Returns the features of a case as feature specs."""
    all_specs: dict[str, dict[str, Any]] = {}
    for name, feature in case["features"].items():
        kind = "VarLen" if feature["type"] == "VarLenWithRank" else feature["type"]
        spec = {"kind": kind, "dtype": feature["dtype"]}
        spec.update((member, feature[member]) for member in MEMBERS[feature["type"]] if feature.get(member) is not None)
        if feature.get("default_value") is not None:
            spec["default"] = feature["default_value"]
        all_specs[name] = spec
    return all_specs


def tensor(expected: dict[str, Any]) -> tuple[Any, ...]:
    """Returns a recorded tensor as `plain` of the tests has one."""
    values = [_value(value, expected) for value in expected["values"]]
    if expected["kind"] == "dense":
        return "dense", expected["dtype"], expected["shape"], values
    if expected["kind"] == "sparse":
        return "sparse", expected["dtype"], expected["dense_shape"], values, expected["indices"]
    return "ragged", expected["dtype"], expected["row_splits"], values


def _value(value: Any, of: dict[str, Any]) -> Any:
    if of["dtype"] == "string":
        return base64.b64decode(value) if of.get("encoding") == "base64" else value.encode()
    # Values that are not numbers are not equal to themselves.
    return repr(float(value)) if of["dtype"].startswith("float") else value


def flat(values: Any, dtype: str) -> list[Any]:
    """Returns an array of numpy as recorded values."""
    items = values.reshape(-1).tolist()
    return [repr(item) for item in items] if dtype.startswith("float") else items


def check(found: list[dict[str, Any]], expected: dict[str, Any]) -> None:
    """Compares batches of tensors with those that are expected, before an error, if there is one."""
    batches = expected.get("batches") or ([expected] if "tensors" in expected else None)
    if batches is None:
        assert "error" in expected
        return
    assert found == [{name: tensor(value) for name, value in batch["tensors"].items()} for batch in batches]
