"""Kinds of Avro: `rfc`, `tfio-test`, `tfio-extra` and `tfio-extra-hand`."""

from __future__ import annotations

import json
import tempfile
from itertools import chain, cycle, islice
from pathlib import Path
from typing import Any

import pyarrow as pa

import tfxio

from golden import Case, Mismatch, Refused, Unreachable, decoded, equal, phase
from tensors import same_tensors

SYNC = b"0123456789abcdef"
MEMBERS: dict[str, tuple[str, list[str]]] = {
    "FixedLen": ("FixedLen", ["shape"]),
    "VarLen": ("VarLen", ["rank"]),
    "VarLenWithRank": ("VarLen", ["rank"]),
    "FixedLenSequence": ("FixedLenSequence", ["shape", "allow_missing"]),
    "Sparse": ("Sparse", ["index_key", "value_key", "size", "already_sorted"]),
    "Ragged": ("Ragged", ["value_key"]),
}


def _long(value: int) -> bytes:
    """Returns an integer as Avro writes it."""
    value = (value << 1) ^ (value >> 63)
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def container(schema: str, data: list[bytes]) -> bytes:
    """Returns an object container of one block."""

    def sized(text: bytes) -> bytes:
        return _long(len(text)) + text

    header = b"Obj\x01" + _long(2) + sized(b"avro.schema") + sized(schema.encode()) + sized(b"avro.codec") + sized(b"null") + _long(0)
    block = _long(len(data)) + sized(b"".join(data)) + SYNC if data else b""
    return header + SYNC + block


def _feature(feature: dict[str, Any]) -> dict[str, Any]:
    kind, members = MEMBERS[feature["type"]]
    spec = {"kind": kind, "dtype": feature["dtype"]}
    spec |= {name: feature[name] for name in members if feature.get(name) is not None}
    if feature.get("default_value") is not None:
        spec["default"] = feature["default_value"]
    return spec


def _files(case: Case, folder: Path) -> list[Path]:
    """Writes the files of a case; data without a file stand in a container of the reader's schema."""
    if case.inputs["call"] == "parse_avro":
        path = folder / "data.avro"
        path.write_bytes(container(case.inputs["reader_schema"], [decoded(datum) for datum in case.inputs["serialized"]]))
        return [path]
    paths = []
    for at, file in enumerate(case.inputs["files"]):
        paths.append(folder / f"{at:03}-{Path(file['name']).name}")
        paths[-1].write_bytes(decoded(file["b64"]))
    return paths


def _tensors(case: Case, folder: Path) -> tuple[list[dict[str, Any]], Refused | None]:
    """Returns the tensors of each batch, and the error that ended them."""
    inputs, options = case.inputs, case.inputs["options"] or {}
    features = {name: _feature(of) for name, of in inputs["features"].items()}
    is_parse = inputs["call"] == "parse_avro"
    # A data set of tensorflow-io reads several files in turns; ours one after the other.
    if (options.get("num_parallel_reads") or 1) > 1:
        raise Unreachable("files are read one after the other, not in turns")
    size = options.get("batch_size") or (max(len(inputs["serialized"]), 1) if is_parse else 1)
    batches: list[dict[str, Any]] = []
    try:
        with phase("call"):
            paths = _files(case, folder)
            reader_schema = None if is_parse else inputs["reader_schema"]
            opened = tfxio.AvroRecord(paths, features, reader_schema=reader_schema).dataset.tensors()
            for _ in range(options.get("num_epochs") or 1):
                for batch in opened.read(batch_size=size):
                    batches.append(batch)
    except Refused as refused:
        return batches, refused
    if is_parse and not batches:
        batches = [_empty(opened)]
    return batches, None


def _empty(opened: Any) -> dict[str, Any]:
    raise Unreachable("a data set without records has no batch, where a call with no data has tensors of no rows")


def judge(case: Case, expected: dict[str, Any]) -> None:
    """Holds tensors, batches, or an error, which may come after some of them, against what is expected."""
    if case.inputs.get("atds_features"):
        raise Unreachable("cases of ATDS, another reader, without key expressions, bind nobody")
    if case.inputs["call"] == "AvroRecordDataset":
        raise Unreachable("records as bytes of Avro: columns are what a data set of Avro gives")
    options = case.inputs["options"] or {}
    with tempfile.TemporaryDirectory() as folder:
        batches, refused = _tensors(case, Path(folder))
        size = options.get("batch_size")
        if case.inputs["call"] != "parse_avro":
            batches = _as_tensorflow_batches(batches, options, expected)
        error = expected.get("error")
        if (refused is None) != (error is None):
            raise Mismatch(f"error: {refused}" if refused else f"no error instead of {error}")
        if error is not None and "batches" not in expected:
            return
        wanted = expected["batches"] if "batches" in expected else [expected]
        equal(len(batches), len(wanted), "the number of batches")
        for ours, of in zip(batches, wanted):
            same_tensors(ours, of["tensors"])


def _as_tensorflow_batches(batches: list[dict[str, Any]], options: dict[str, Any], expected: dict[str, Any]) -> list[dict[str, Any]]:
    size, taken = options["batch_size"], options.get("take_batches")
    if any(len(next(iter(batch.values()))) < size for batch in batches[:-1]) or (options.get("num_epochs") or 1) > 1:
        whole = all(len(next(iter(batch.values()))) == size for batch in batches)
        if not whole:
            raise Unreachable("a batch does not span two epochs")
    if options.get("num_epochs") is None and taken:
        full = [batch for batch in batches if len(next(iter(batch.values()))) == size]
        if len(full) != len(batches) and len(full) < taken:
            raise Unreachable("a batch does not span two epochs")
        batches = list(islice(cycle(full), taken)) if full else []
    if options.get("drop_final_batch"):
        batches = [batch for batch in batches if len(next(iter(batch.values()))) == size]
    return batches[:taken] if taken else batches
