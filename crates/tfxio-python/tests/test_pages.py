"""The examples of the pages, run in the folder of the repository as a reader would."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from conftest import FIXTURES

ROOT = FIXTURES.parent
PAGES = ["README.md", "crates/tfxio-python/README.md", "docs/python.md"]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_runs_from_top_to_bottom(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for needed in ("duckdb", "polars", "pyarrow"):
        pytest.importorskip(needed)
    monkeypatch.chdir(ROOT)
    text = Path(page).read_text()
    blocks = list(BLOCK.finditer(text))
    assert blocks, "the page has no example"
    names: dict[str, Any] = {}
    for block in blocks:
        line = text[: block.start()].count("\n") + 2
        code = compile("\n" * (line - 1) + block.group(1), page, "exec")
        exec(code, names)
