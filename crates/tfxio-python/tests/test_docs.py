"""The examples of doc strings, run as they stand: no name is given to them."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import tempfile
from pathlib import Path

import pytest

import tfxio
from tfxio import _dataset, _reading

MODULES = ["tfxio", *(module.name for module in pkgutil.walk_packages(tfxio.__path__, "tfxio.") if module.name != "tfxio._lib")]
#: More lines are a program, which belongs into the documentation.
MOST_LINES = 12


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_run_as_they_stand(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        module = importlib.import_module(name)
    except ImportError as missing:
        pytest.skip(str(missing))
    # What they write goes with the test.
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    runner = doctest.DocTestRunner()
    # Not even the names of the module, which a reader has not either.
    for test in doctest.DocTestFinder().find(module, globs={}):
        assert sum(example.source.count("\n") for example in test.examples) <= MOST_LINES, test.name
        runner.run(test)
    assert runner.summarize(verbose=False).failed == 0


def test_examples_of_methods_are_found() -> None:
    found = {test.name for module in (_dataset, _reading) for test in doctest.DocTestFinder().find(module, globs={}) if test.examples}
    # A decorator may hide them.
    assert {"tfxio._reading.Reading.read", "tfxio._reading.Reading.aread", "tfxio._dataset.Dataset.stats"} <= found
