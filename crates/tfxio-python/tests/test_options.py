"""The options of formats, as type checkers know them: those that the formats have, and no others."""

from __future__ import annotations

import os
import types
import typing
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import pytest
from conftest import DIGITS

import tfxio
from tfxio import _lib, _options
from tfxio._literals import RecordFormat

#: Arguments of the functions themselves.
OF_FUNCTIONS: dict[str, set[str]] = {
    "OpenOptions": {"scalars", "schema", "text"},
    "LookOptions": set(),
    "ExtractOptions": {"column", "schema"},
    "ConvertOptions": {"infer_records", "scalars", "schema", "text"},
    "WriteOptions": {"infer_records", "scalars", "schema", "text"},
}
KINDS: dict[str, Any] = {"bool": bool, "count": int, "text": str, "file": str | os.PathLike[str], "list": Sequence[str], "columns": bool | Sequence[str]}


def of_formats() -> dict[str, tuple[set[Any], bool]]:
    """Returns the types of each option, and whether it is of outputs."""
    found: dict[str, tuple[set[Any], bool]] = {}
    words: dict[str, list[str]] = {}
    for name, kind, of_kind, _, is_output in _lib.option_specs():
        of_name = found.setdefault(name, (set(), is_output))[0]
        words.setdefault(name, []).extend(word for word in of_kind if word not in words.get(name, []))
        if name == "records":
            words[name] = list(typing.get_args(RecordFormat))
        elif kind != "word":
            of_name |= set(parts(KINDS[kind]))
    for name, listed in words.items():
        if listed:
            found[name][0].add(Literal[tuple(listed)])
    return found


def parts(of: Any) -> list[Any]:
    is_union = typing.get_origin(of) in (types.UnionType, typing.Union)
    return [part for part in typing.get_args(of) if part is not types.NoneType] if is_union else [of]


@pytest.mark.parametrize("name", OF_FUNCTIONS)
def test_every_option_is_there_with_its_type(name: str) -> None:
    hints = typing.get_type_hints(getattr(_options, name))
    is_written = name in ("ConvertOptions", "WriteOptions")
    wanted = {option: kinds for option, (kinds, is_output) in of_formats().items() if is_written or not is_output}
    if name == "WriteOptions":
        wanted |= {option.removeprefix("output_"): kinds for option, kinds in wanted.items() if option.startswith("output_")}
    assert set(hints) == set(wanted) - OF_FUNCTIONS[name]
    for option, hint in hints.items():
        assert set(parts(hint)) == wanted[option], option


def test_short_names_are_those_of_outputs(tmp_path: Path) -> None:
    tfxio.write({"x": [1]}, tmp_path / "x.parquet", compression="zstd")
    assert tfxio.inspect(tmp_path / "x.parquet")[0]["compression"] == "zstd"
    tfxio.write({"x": [1]}, tmp_path / "x.parquet", output_compression="gzip")
    assert tfxio.inspect(tmp_path / "x.parquet")[0]["compression"] == "gzip"
    with pytest.raises(TypeError, match="compression is given twice, once as output_compression"):
        tfxio.write({"x": [1]}, tmp_path / "x.parquet", compression="zstd", output_compression="gzip")
    tfxio.convert(DIGITS, tmp_path / "y.parquet", output_compression="snappy")
    assert tfxio.inspect(tmp_path / "y.parquet")[0]["compression"] == "snappy"
    tfxio.write({"text": ["=1+1"]}, tmp_path / "x.csv", escape_formulas=True)
    assert (tmp_path / "x.csv").read_text() != "text\n=1+1\n"


def test_files_are_paths(tmp_path: Path) -> None:
    schema = tmp_path / "people.pbtxt"
    schema.write_text('feature { name: "x" type: INT }')
    tfxio.write({"x": [1]}, tmp_path / "x.tfrecord")
    assert tfxio.inspect(tmp_path / "x.tfrecord", schema=schema)[0]["records"] == 1
