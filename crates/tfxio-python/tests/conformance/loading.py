"""Kinds `loader` and `loader-doc`: a manifest, its files and a configuration, loaded."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import tfxio
from tfxio import exceptions

from golden import Case, Mismatch, Refused, decoded, equal, phase
from tensors import same_tensors

#: Of what class an error of a category may be, when the loader is built and later. Other categories: any.
CATEGORIES: dict[str, tuple[type[Exception], ...]] = {
    "missing_argument": (exceptions.InvalidArgumentError,),
    "unexpected_argument": (exceptions.InvalidArgumentError,),
    "invalid_type": (exceptions.InvalidArgumentError,),
    "invalid_json": (exceptions.InvalidArgumentError, exceptions.MalformedError),
    "not_found": (exceptions.NotFoundError,),
    # `TypeError`: a configuration that is not even a dict.
    "invalid_value": (exceptions.InvalidArgumentError, exceptions.SchemaMismatchError, exceptions.UnsupportedError, TypeError),
    "data": (exceptions.MalformedError, exceptions.SchemaMismatchError, exceptions.NotFoundError, exceptions.InvalidArgumentError),
}


def _write(inputs: dict[str, Any], root: Path) -> None:
    def write(name: str, content: bytes) -> None:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    if inputs["manifest_text"] is not None:
        write(inputs["manifest_path"], inputs["manifest_text"].encode())
    for file in inputs["files"] or []:
        content = decoded(file["b64"])
        write(file["path"], content.replace(b"$ROOT", str(root).encode()) if file.get("subst") else content)


def _config(case: Case) -> Any:
    """Returns the documented spelling of the configuration; the recorded one where it is what is wrong."""
    documented, recorded = case.inputs["config_documented"], case.inputs["config"]
    is_wrong = case.expected.get("error", {}).get("phase") == "construct"
    return recorded if documented is None or (is_wrong and recorded is not None) else documented


def _batches(case: Case, root: Path) -> tuple[list[Any], Refused | None, bool]:
    """Returns the batches, the error that ended them, and whether there was an end."""
    inputs = case.inputs
    config = _config(case)
    if isinstance(config, dict):
        config = {"type": inputs["loader_type"], **config}
    text = json.dumps(config).replace("$ROOT", str(root))
    batches: list[Any] = []
    take = inputs.get("take")
    try:
        with phase("construct"):
            loader = tfxio.BatchLoader(
                json.loads(text),
                inputs=inputs["inputs"],
                targets=inputs["targets"],
                base_dir=root,
                batch_size=(inputs.get("input_fn_params") or {}).get("batch_size"),
            )
        with phase("call"):
            while take is None or len(batches) < take:
                if (batch := next(loader, None)) is None:
                    return batches, None, True
                batches.append(batch)
    except Refused as refused:
        return batches, refused, False
    return batches, None, False


def judge(case: Case, expected: dict[str, Any]) -> None:
    """Holds the batches, and then the end or the error, against what is expected."""
    with tempfile.TemporaryDirectory() as folder:
        _write(case.inputs, Path(folder))
        batches, refused, ended = _batches(case, Path(folder))
        wanted = expected.get("batches", [])
        error = expected.get("error")
        if refused is not None and error is None:
            raise Mismatch(f"error: {refused}")
        if refused is None and error is not None:
            raise Mismatch(f"no error instead of {error['message']}")
        if refused is not None and error is not None:
            _same_error(refused, error)
        equal(len(batches), len(wanted), "the number of batches")
        computed = {of["tensor"] for of in _config(case).get("normalization") or []} if wanted else set()
        for batch, of in zip(batches, wanted):
            for role, ours in (("inputs", batch.inputs()), ("targets", batch.targets())):
                # Strings are base64 here.
                recorded = {name: {**tensor, "encoding": "base64"} for name, tensor in of[role].items()}
                same_tensors(ours, recorded, dict.fromkeys(computed, 1e-5))
        if error is None and expected.get("ended") is not None:
            equal(ended, expected["ended"], "the end")


def _same_error(refused: Refused, error: dict[str, Any]) -> None:
    category, wanted = error.get("category"), error.get("phase")
    classes = CATEGORIES.get(category or "", (Exception,))
    if not isinstance(refused.error, classes):
        raise Mismatch(f"{type(refused.error).__name__} instead of {category}: {refused}")
    if wanted == "construct" and refused.phases != ("construct",):
        raise Mismatch(f"an error after the loader was built, not before: {refused}")
    quoted = error["message"].split("`")[1:2] if "message" in error else []
    if category in ("missing_argument", "invalid_type", "unexpected_argument") and quoted and quoted[0] not in str(refused):
        raise Mismatch(f"{quoted[0]} is not in: {refused}")
