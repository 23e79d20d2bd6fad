"""The blocks of docs/python-frameworks.md, run one after the other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tfxio

from conftest import DIGITS

pytestmark = pytest.mark.filterwarnings("ignore")

PAGE = Path(__file__).parents[3] / "docs" / "python-frameworks.md"


@pytest.mark.parametrize("framework", ["torch", "lightning", "jax", "tensorflow", "keras", "grain", "datasets"])
def test_the_blocks_run(framework: str, tmp_path: Path) -> None:
    pytest.importorskip(framework)
    blocks = re.findall(rf"```python {framework}\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert blocks
    names: dict[str, object] = {"DIGITS": DIGITS, "CACHE": str(tmp_path), "tfxio": tfxio}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
