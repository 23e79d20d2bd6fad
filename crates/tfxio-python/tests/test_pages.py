"""The examples of the pages, run in the folder of the repository as a reader would, and seen by a type checker."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conftest import DIGITS, FIXTURES

ROOT = FIXTURES.parent
PACKAGE = Path(__file__).parents[1]
PAGES = ["README.md", "crates/tfxio-python/README.md", "docs/python.md"]
#: Their blocks put a stand-in in place of a package, each in a process of its own.
MIGRATING = [
    "docs/compatibility.md",
    "docs/migrating-from-tensorflow-io.md",
    "docs/migrating-from-tfdv.md",
    "docs/migrating-from-tfrecord.md",
]
FRAMEWORKS = "docs/python-frameworks.md"
BLOCK = re.compile(r"^```python( \w+)?\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks(page: str) -> list[tuple[str, str]]:
    """Returns the blocks of a page, each with the framework that it names, after lines that are empty: numbers are those of the page."""
    text = (ROOT / page).read_text()
    found = []
    for block in BLOCK.finditer(text):
        line = text[: block.start()].count("\n") + 1
        found.append(((block.group(1) or "").strip(), "\n" * line + block.group(2)))
    assert found, "the page has no example"
    return found


@pytest.mark.parametrize("page", PAGES)
def test_a_page_runs_from_top_to_bottom(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for needed in ("duckdb", "polars", "pyarrow"):
        pytest.importorskip(needed)
    monkeypatch.chdir(ROOT)
    names: dict[str, Any] = {}
    for _, block in blocks(page):
        exec(compile(block, page, "exec"), names)


@pytest.mark.parametrize(("page", "number"), [(page, at) for page in MIGRATING for at in range(len(blocks(page)))])
def test_a_block_runs_by_itself(page: str, number: int) -> None:
    done = subprocess.run([sys.executable, "-c", blocks(page)[number][1]], capture_output=True, text=True, cwd=ROOT, timeout=120)
    if "ModuleNotFoundError" in done.stderr or "ImportError" in done.stderr:
        pytest.skip(done.stderr.strip().splitlines()[-1])
    assert done.returncode == 0, done.stderr


def test_a_type_checker_accepts_the_examples(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    files = []
    for at, page in enumerate([*PAGES, *MIGRATING, FRAMEWORKS]):
        together: dict[str, list[str]] = {}
        for block_at, (framework, block) in enumerate(blocks(page)):
            # What is run by itself is looked at by itself.
            together.setdefault(str(block_at) if page in MIGRATING else framework, []).append(block.lstrip("\n"))
        for name, code in together.items():
            files.append(tmp_path / f"page_{at}_{name}.py")
            before = f"import tfxio\nDIGITS = {DIGITS!r}\nCACHE = {str(tmp_path)!r}\n" if page == FRAMEWORKS else ""
            files[-1].write_text(before + "".join(code))
    # Frameworks are not typed where they are not installed.
    how = ["--config-file", str(PACKAGE / "pyproject.toml"), "--cache-dir", str(tmp_path / "cache")]
    untyped = ["--allow-untyped-decorators", "--allow-subclassing-any"]
    command = [sys.executable, "-m", "mypy", *how, *untyped, *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=PACKAGE, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
