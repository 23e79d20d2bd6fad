"""The examples of doc strings and pages, run in the folder of the repository as a reader would, and seen by a type checker."""

from __future__ import annotations

import doctest
import importlib
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conftest import DIGITS, FIXTURES

ROOT = FIXTURES.parent
PACKAGE = Path(__file__).parents[1]
PAGES = ["crates/tfxio-sql-python/README.md", "docs/sql.md"]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def code(page: str) -> str:
    """Returns the blocks of a page, on the lines where they are in it."""
    text = (ROOT / page).read_text()
    blocks = list(BLOCK.finditer(text))
    assert blocks, "the page has no example"
    out = ""
    for block in blocks:
        line = text[: block.start(1)].count("\n")
        out += "\n" * (line - out.count("\n")) + block.group(1)
    return out


@pytest.mark.parametrize("module", ["tfxio_sql", "tfxio_sql._files", "tfxio_sql._tables"])
def test_the_examples_of_a_module(module: str) -> None:
    found = doctest.testmod(importlib.import_module(module), extraglobs={"DIGITS": DIGITS, "FIXTURES": str(FIXTURES)})
    assert found.failed == 0 and found.attempted > 0


@pytest.mark.parametrize("page", PAGES)
def test_a_page_runs_from_top_to_bottom(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    names: dict[str, Any] = {}
    exec(compile(code(page), page, "exec"), names)


def test_a_type_checker_accepts_the_examples(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    files = []
    for at, page in enumerate(PAGES):
        files.append(tmp_path / f"page_{at}.py")
        files[-1].write_text(code(page))
    how = ["--config-file", str(PACKAGE / "pyproject.toml"), "--cache-dir", str(tmp_path / "cache")]
    done = subprocess.run([sys.executable, "-m", "mypy", *how, *map(str, files)], capture_output=True, text=True, cwd=PACKAGE, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
