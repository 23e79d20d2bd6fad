"""Signatures: the methods that read take the same keywords, each of which is written out."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

import tfxio
from tfxio._tensors import Tensors

#: What a method lacks of the keywords of `Dataset.read`, and what it has beside them.
READING: dict[str, tuple[Callable[..., Any], set[str], set[str]]] = {
    "aread": (tfxio.Dataset.aread, set(), set()),
    "to_arrow": (tfxio.Dataset.to_arrow, set(), set()),
    "to_pandas": (tfxio.Dataset.to_pandas, set(), set()),
    "to_polars": (tfxio.Dataset.to_polars, set(), set()),
    "head": (tfxio.Dataset.head, {"limit"}, {"rows"}),
    "tail": (tfxio.Dataset.tail, set(), {"rows"}),
    "sample": (tfxio.Dataset.sample, set(), {"rows", "seed"}),
    "Tensors.read": (Tensors.read, {"columns", "scalars", "text"}, set()),
    "stats": (
        tfxio.Dataset.stats,
        {"batch_rows", "batch_size", "scalars", "text"},
        {"by", "weight", "top_values", "correlations", "categorical", "progress"},
    ),
}
#: The methods whose keywords are a type of their own.
BY_TYPE = {"loader"}


#: What is native, and classes that callers do not make.
NOT_CALLED = {"Request", "LoaderPlan", "MappedLoader"}


def parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    return {name: of for name, of in inspect.signature(function).parameters.items() if name != "self"}


@pytest.mark.parametrize("name", READING)
def test_what_reads_has_the_keywords_of_read(name: str) -> None:
    function, lacks, further = READING[name]
    found, wanted = parameters(function), parameters(tfxio.Dataset.read)
    assert set(found) == (set(wanted) - lacks) | further
    # Kind, annotation and default.
    assert {name: found[name] for name in found if name in wanted} == {name: of for name, of in wanted.items() if name not in lacks}


def test_keywords_come_in_the_same_order() -> None:
    wanted = list(parameters(tfxio.Dataset.read))
    for name, (function, _, _) in READING.items():
        if name != "stats":
            found = [each for each in parameters(function) if each in wanted]
            assert found == [each for each in wanted if each in found], name


def test_every_method_of_a_data_set_writes_its_keywords_out() -> None:
    methods = {name: of for each in (tfxio.Dataset, Tensors) for name, of in inspect.getmembers(each, inspect.isroutine) if name[0] != "_"}
    assert {*READING} - {"Tensors.read"} <= {*methods}
    taking = {name for name, of in methods.items() if any(one.kind is one.VAR_KEYWORD for one in parameters(of).values())}
    assert taking == BY_TYPE


def test_threads_have_one_default() -> None:
    public = {name: getattr(tfxio, name) for name in tfxio.__all__ if name not in NOT_CALLED}
    functions: dict[str, Callable[..., Any]] = {name: of for name, of in public.items() if callable(of)}
    for kind in (tfxio.Dataset, tfxio.BatchLoader, Tensors):
        functions |= {f"{kind.__name__}.{name}": of for name, of in inspect.getmembers(kind, inspect.isroutine) if name[0] != "_"}
    found = {}
    for name, function in functions.items():
        try:
            signature = inspect.signature(function)
        except ValueError:
            continue
        if (threads := signature.parameters.get("threads")) is not None:
            found[name] = threads.default, threads.annotation
    reading = {name if "." in name else f"Dataset.{name}" for name in READING}
    others = {"open", "write", "convert", "infer_schema", "validate", "BatchLoader", "BatchLoader.map", "Dataset.read"}
    assert set(found) == reading | others
    assert set(found.values()) == {(0, "int")}
