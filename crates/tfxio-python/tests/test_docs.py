"""The examples of doc strings."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import tfxio

from conftest import DIGITS, FIXTURES

MODULES = ["tfxio", *(module.name for module in pkgutil.walk_packages(tfxio.__path__, "tfxio.") if module.name != "tfxio._lib")]
NAMES = {"FIXTURES": str(FIXTURES), "DIGITS": DIGITS, "DIGITS_0": str(FIXTURES / "digits" / "digits-00000-of-00003.tfrecord")}


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module(name: str) -> None:
    try:
        module = importlib.import_module(name)
    except ImportError as missing:
        pytest.skip(str(missing))
    assert doctest.testmod(module, extraglobs=NAMES).failed == 0
