"""Arguments of a type that is not meant: the message names the argument, and has no text of what is below Python."""

from __future__ import annotations

import inspect
import io
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfxio

from conftest import DIGITS, FIXTURES

#: One value of each type that callers mistake for another.
WRONG: dict[str, Any] = {
    "str": "nonsense",
    "int": 3,
    "negative": -3,
    "huge": 2**70,
    "float": 0.5,
    "None": None,
    "bool": True,
    "list": ["nonsense", 3],
    "dict": {"nonsense": 3},
    "bytes": b"nonsense",
    "object": object(),
    "type": dict,
}

#: Text of PyO3, of Rust and of the interpreter that names no argument.
BELOW = re.compile(
    r"\n|^argument|failed to extract|cannot be converted|PyInt|cannot be interpreted|unexpected type|not supported between"
    r"|'\w+' object|has no attribute|is not iterable|has no len|unpack|Py[A-Z]|usize|u64|Option<"
)

#: What the names in annotations take.
ALIASES = {
    "Paths": "str | PathLike | Iterable",
    "Condition": "str | Expression",
    "SchemaLike": "str | bytes | PathLike | Proto",
    "StorageOptions": "Mapping | Callable",
    "Option": "str | int | bool | Sequence",
    "Columns": "bool | Iterable",
    "Path": "str | Sequence",
    "Key": "str | Sequence",
    "Config": "str | PathLike | Mapping",
    "Shuffle": "bool",
    "File": "str | PathLike",
    "Representation": "object()",
    "Patterns": "Iterable",
    "OnProgress": "Callable",
}
KINDS = {
    "str": ["str"],
    "PathLike": [],
    "Proto": [],
    "Iterable": ["list", "dict"],
    "Sequence": ["list"],
    "list": ["list"],
    "tuple": [],
    "Mapping": ["dict"],
    "dict": ["dict"],
    "Callable": ["type"],
    "int": ["int", "negative", "huge"],
    "float": ["float", "int", "negative", "huge"],
    "bool": ["bool"],
    "bytes": ["bytes"],
    "None": ["None"],
    "Any": list(WRONG),
    "slice": [],
}


def fitting(annotation: str) -> set[str]:
    """Returns the wrong values whose type an annotation allows all the same."""
    for alias, meaning in ALIASES.items():
        annotation = re.sub(rf"\b{alias}\b", meaning, annotation)
    while (flat := re.sub(r"\[[^\[\]]*\]", "", annotation)) != annotation:
        annotation = flat
    names = [name.strip().rsplit(".", 1)[-1] for name in annotation.split("|")]
    return {value for name in names for value in KINDS.get(name, [])}


def calls() -> Iterator[tuple[str, Callable[..., Any], dict[str, Any]]]:
    """Yields functions with arguments that fit."""
    ds = tfxio.open(DIGITS)
    tensors = {"label": tfxio.FixedLen([], "int64")}
    batch = next(ds.read(limit=3))
    records = [tfxio.Example({"a": 1}).to_bytes()]
    stats = ds.stats(limit=10)
    schema = tfxio.infer_schema(ds, limit=10)
    # A copy, beside which an index may be written.
    first = shutil.copy(DIGITS.replace("@3", "-00000-of-00003"), FOLDER.name)
    avro = '{"type": "record", "name": "r", "fields": [{"name": "age", "type": "int"}]}'
    features = tfxio.AvroFeatures(avro, {"age": tfxio.FixedLen([], "int32")})
    yield "open", tfxio.open, {"paths": DIGITS}
    yield "open_spec", tfxio.open_spec, {"spec": ds.spec()}
    yield "read", ds.read, {}
    yield "partitions", ds.partitions, {}
    yield "scan", ds.scan, {"partition": ds.partitions()[0]}
    yield "head", ds.head, {"rows": 2}
    yield "tail", ds.tail, {"rows": 2}
    yield "sample", ds.sample, {"rows": 2}
    yield "tensors", ds.tensors, {"tensors": tensors}
    yield "stats", ds.stats, {"limit": 10}
    yield "loader", tfxio.BatchLoader, {"dataset": ds, "inputs": ["label"], "batch_size": 2}
    yield "Tensors.read", ds.tensors(tensors).read, {}
    yield "Tensors.select", ds.tensors(tensors).select, {"names": ["label"]}
    yield "Tensors.scan", ds.tensors(tensors).scan, {"partition": ds.partitions()[0]}
    yield "TensorAdapter", tfxio.TensorAdapter, {"schema": ds.schema, "tensors": tensors}
    yield "TensorAdapter.tensors", tfxio.TensorAdapter(ds.schema, tensors).tensors, {"batch": batch}
    yield "load_state_dict", ds.loader(inputs=["label"], batch_size=2).load_state_dict, {}
    yield "TFRecordReader", tfxio.TFRecordReader, {"file": first}
    yield "TFRecordReader.read", tfxio.TFRecordReader(first).read, {"count": 1}
    yield "TFRecordWriter", tfxio.TFRecordWriter, {"file": io.BytesIO()}
    yield "TFRecordWriter.write", tfxio.TFRecordWriter(io.BytesIO()).write, {"record": b""}
    yield "open_index", tfxio.open_index, {"path": first}
    yield "decode_examples", tfxio.decode_examples, {"records": records}
    yield "encode_examples", tfxio.encode_examples, {"batch": tfxio.decode_examples(records)}
    out = f"{FOLDER.name}/out.parquet"
    yield "write", tfxio.write, {"data": {"a": [1]}, "path": out}
    yield "convert", tfxio.convert, {"inputs": first, "output": out}
    yield "inspect", tfxio.inspect, {"paths": first}
    yield "verify", tfxio.verify, {"paths": first}
    yield "index", tfxio.index, {"paths": shutil.copy(first, f"{FOLDER.name}/indexed.tfrecord")}
    yield "repair", tfxio.repair, {"path": first, "output": f"{FOLDER.name}/repaired.tfrecord"}
    yield "extract", tfxio.extract, {"paths": first, "folder": f"{FOLDER.name}/out", "format": "raw", "limit": 1, "overwrite": True}
    yield "Example", tfxio.Example, {}
    yield "Example.from_bytes", tfxio.Example.from_bytes, {"record": records[0]}
    yield "infer_schema", tfxio.infer_schema, {"dataset": ds, "limit": 5}
    yield "validate", tfxio.validate, {"dataset": ds, "schema": schema, "limit": 5}
    yield "Statistics", tfxio.Statistics, {"data": bytes(stats)}
    yield "Statistics.load", tfxio.Statistics.load, {}
    yield "Statistics.to_html", stats.to_html, {}
    yield "Statistics.infer_schema", stats.infer_schema, {}
    yield "Statistics.validate", stats.validate, {"schema": schema}
    yield "Statistics.drift", stats.drift, {"other": stats}
    yield "AvroFeatures", tfxio.AvroFeatures, {"schema": avro, "features": {"age": tfxio.FixedLen([], "int32")}}
    yield "AvroFeatures.tensors", features.tensors, {"records": [b"\x02"]}
    yield "FixedLen", lambda **how: ds.tensors({"label": tfxio.FixedLen(**how)}), {"shape": [], "dtype": "int64"}


#: Where the types of arguments stand, for functions that pass them on.
SIGNATURES: dict[str, Callable[..., Any]] = {"FixedLen": tfxio.FixedLen}
#: Arguments that take anything, or whose name in messages is another.
NAMED = {
    "default": "",
    "index": "the number of a row|index is a str|index: ",
    "validate": "validate|schema",
    "data": "data|column",
}

FOLDER = tempfile.TemporaryDirectory()
CALLS = list(calls())


def cases() -> Iterator[Any]:
    for name, function, fit in CALLS:
        for parameter in inspect.signature(SIGNATURES.get(name, function)).parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD:
                continue
            for wrong in WRONG:
                # It is called, and raises what it likes.
                if (parameter.name, wrong) == ("progress", "type"):
                    continue
                yield pytest.param(function, fit, parameter, wrong, id=f"{name}-{parameter.name}-{wrong}")


@pytest.mark.parametrize(("function", "fit", "parameter", "wrong"), list(cases()))
def test_a_wrong_type_is_named(
    function: Callable[..., Any], fit: dict[str, Any], parameter: inspect.Parameter, wrong: str, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    value = WRONG[wrong]
    may_fit = wrong in fitting(str(parameter.annotation))
    try:
        function(**{**fit, parameter.name: value})
    except (TypeError, ValueError) as error:
        said = str(error)
        assert not BELOW.search(said), said
        assert may_fit or re.search(NAMED.get(parameter.name, rf"\b{parameter.name}\b"), said), said
    except (OSError, NotImplementedError) as error:
        assert may_fit, repr(error)
    else:
        assert may_fit or parameter.name == "default", f"{value!r} is taken for {parameter.annotation}"


@pytest.mark.parametrize("wrong", [value for value in WRONG if value not in ("int", "negative")])
def test_rows_have_numbers(digits: tfxio.Dataset, wrong: str) -> None:
    with pytest.raises((TypeError, ValueError)) as raised:
        digits[WRONG[wrong]]
    assert not BELOW.search(str(raised.value)), raised.value


def test_numbers_of_numpy_are_numbers(digits: tfxio.Dataset) -> None:
    assert digits[np.int64(3)]["label"] == [3]  # type: ignore[call-overload]
    how: dict[str, Any] = {"batch_size": np.int32(4), "shuffle": np.bool_(True), "seed": np.uint64(2**64 - 1)}
    loader = digits.loader(inputs=["label"], **how)
    assert next(loader)["label"].shape == (4, 1)
    assert len(digits.head(np.int8(2))) == 2  # type: ignore[arg-type]


def test_columns_by_name_are_read(digits: tfxio.Dataset) -> None:
    with pytest.raises(TypeError, match=r"numbers of rows; columns are read by read\(columns=\['label'\]\)"):
        digits["label"]  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="there is no column 'lable': did you mean 'label'"):
        digits["lable"]  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="slice indices must be integers"):
        digits["id":"label"]


def test_iterators_are_names(digits: tfxio.Dataset) -> None:
    loader = digits.loader(inputs=map(str, ["id"]), targets=iter(["label"]), batch_size=600)
    for _ in range(2):
        assert [list(batch.keys()) for batch in loader] == [["id", "label"]] * 3
    paths = map(Path, [DIGITS])
    assert len(tfxio.open(paths)) == 1797
    assert digits.head(1, columns=map(str, ["label"])) == [{"label": [0]}]


UNKNOWN: list[tuple[Callable[[tfxio.Dataset], Any], str]] = [
    (lambda ds: ds.loader(inputs=["id"], batch_size=2, shuffel=True), "no argument 'shuffel': did you mean shuffle?"),  # type: ignore[call-arg]
    (lambda ds: ds.loader(inputs=["id"], batch_size=2, padding=True), "no argument 'padding': did you mean pad?"),  # type: ignore[call-arg]
    (lambda ds: ds.head(colums=["id"]), "no argument 'colums': did you mean columns?"),  # type: ignore[call-arg]
    (lambda ds: ds.tail(limit=3, colums=["id"]), "no argument 'colums': did you mean columns?"),  # type: ignore[call-arg]
    (lambda ds: ds.read(colums=["id"]), "no argument 'colums': did you mean columns?"),  # type: ignore[call-arg]
    (lambda ds: ds.aread(tread=2), "no argument 'tread': did you mean threads?"),  # type: ignore[call-arg]
    (lambda ds: ds.to_arrow(limt=1), "no argument 'limt': did you mean limit?"),  # type: ignore[call-arg]
    (lambda ds: ds.sample(2, sed=1), "no argument 'sed': did you mean seed?"),  # type: ignore[call-arg]
    (lambda ds: ds.head(limit=3), "no argument 'limit': there are rows, columns, filter"),  # type: ignore[call-arg]
    (lambda ds: ds.stats(colums=["id"]), "no argument 'colums': did you mean columns?"),  # type: ignore[call-arg]
    (lambda ds: ds.tensors({"label": tfxio.FixedLen([], "int64")}).read(fliter="id = 1"), "no argument 'fliter': did you mean filter?"),  # type: ignore[call-arg]
    (lambda ds: ds.loader(inputs="id", batch_size=2), r"inputs is a list of names, not one: inputs=\['id'\]"),
    (lambda ds: ds.loader(inputs=["id"], batch_size=2, shuffle=1), "shuffle is True or False, not int .1.; .buffer., with its size as shuffle_buffer,"),  # type: ignore[arg-type]
    (lambda ds: ds.loader(inputs=["id"], batch_size=2, epochs="2"), "epochs is an int or None, not str .'2'."),  # type: ignore[arg-type]
    (lambda ds: ds.loader(inputs=["id"], batch_size=2, pad={"id": "3"}), r"pad\['id'\] is an int, not str .'3'."),  # type: ignore[dict-item]
    (lambda ds: ds.loader(inputs=["id"], batch_size=2, shard=("0", 2)), "shard is a pair of int, as .rank, world_size., not .str"),  # type: ignore[arg-type]
    (lambda ds: tfxio.BatchLoader(ds), "config is a dict, JSON or the path of a file, not Dataset: give it as dataset="),  # type: ignore[arg-type]
    (lambda ds: tfxio.BatchLoader(None, DIGITS), "dataset is a data set, as tfxio.open returns one, or a list"),  # type: ignore[arg-type]
    (lambda ds: tfxio.BatchLoader(None, [ds]), "dataset is a data set, .*and has Dataset"),  # type: ignore[list-item]
    (lambda ds: ds.loader({"type": object()}, inputs=["id"]), "config is a dict of what JSON has: Object of type object"),
    (lambda ds: tfxio.decode_examples(b"abc"), "records is a list of bytes, not one record"),  # type: ignore[arg-type]
    (lambda ds: tfxio.open(DIGITS, storage_options={"a": 3}), "storage_options is a dict of str .*and has str .'a'.: int"),  # type: ignore[dict-item]
    (lambda ds: tfxio.open([DIGITS, 3]), "paths is a path, or a list of paths, and has int .3."),  # type: ignore[list-item]
]


@pytest.mark.parametrize(("call", "said"), UNKNOWN)
def test_what_is_meant(call: Callable[[tfxio.Dataset], Any], said: str, digits: tfxio.Dataset) -> None:
    with pytest.raises(TypeError, match=said):
        call(digits)
    assert FIXTURES.is_dir()
