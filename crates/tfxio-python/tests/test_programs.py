"""The programs of docs/programs.md: each runs as it stands, prints what the page says, and is as short as the page promises.

`UPDATE_EXPECT=1` writes the programs, and what those print whose packages are installed, into the page.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tfxio

from conftest import FIXTURES

ROOT = FIXTURES.resolve().parent
PACKAGE = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "programs.md"
PROGRAMS = sorted((ROOT / "docs" / "programs").glob("*.py"))
MOST_LINES = {"pack_tokens": 40, "train_on_images": 40}
#: Of a program in the page: its name, its text, and what it prints.
SHOWN = re.compile(r"\(programs/(\w+)\.py\).*?^```python\n(.*?)^```\n\n```text\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def shown() -> dict[str, tuple[str, str]]:
    """Returns the text of each program in the page, and what the page says that it prints."""
    return {found[1]: (found[2], found[3]) for found in SHOWN.finditer(PAGE.read_text())}


def update(name: str, group: int, text: str) -> None:
    """Writes a block of a program into the page, where that is asked for."""
    page = PAGE.read_text()
    if os.environ.get("UPDATE_EXPECT"):
        [found] = [found for found in SHOWN.finditer(page) if found[1] == name]
        PAGE.write_text(page[: found.start(group)] + text + page[found.end(group) :])


def imported(program: Path) -> set[str]:
    """Returns the packages that a program imports, without those of Python."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(program.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names.add(node.module.partition(".")[0])
    return names - sys.stdlib_module_names


def test_the_page_has_each_program_once() -> None:
    assert [found[1] for found in SHOWN.finditer(PAGE.read_text())] == list(shown())
    assert sorted(shown()) == [program.stem for program in PROGRAMS]
    assert len(PROGRAMS) == 8


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_the_page_shows_the_program(program: Path) -> None:
    update(program.stem, 2, program.read_text())
    assert shown()[program.stem][0] == program.read_text(), "the page differs; UPDATE_EXPECT=1 writes it"


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_a_program_is_short(program: Path) -> None:
    text = program.read_text()
    says = ast.get_docstring(ast.parse(text))
    assert says is not None and len(says.splitlines()) == 1
    lines = [line for line in text.splitlines()[1:] if line.strip()]
    assert len(lines) <= MOST_LINES.get(program.stem, 25)
    assert max(map(len, text.splitlines())) <= 140


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_a_program_prints_what_the_page_says(program: Path, tmp_path: Path) -> None:
    for package in sorted(imported(program)):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    # The package that is tested is that which the program imports.
    paths = [str(Path(tfxio.__file__).resolve().parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONUTF8": "1", "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, program], capture_output=True, encoding="utf-8", cwd=ROOT, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    update(program.stem, 3, done.stdout)
    assert shown()[program.stem][1] == done.stdout, "the page differs; UPDATE_EXPECT=1 writes it"


def test_a_type_checker_accepts_the_programs(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    how = ["--config-file", str(PACKAGE / "pyproject.toml"), "--cache-dir", str(tmp_path)]
    command = [sys.executable, "-m", "mypy", *how, *map(str, PROGRAMS)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=PACKAGE, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
