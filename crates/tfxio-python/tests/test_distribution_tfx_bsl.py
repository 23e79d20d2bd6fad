"""The distribution `tfxio-tfx-bsl`, as it is where its wheel is installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

FOLDER = Path(__file__).parents[1] / "distributions" / "tfx_bsl"
CODE = """
import tfx_bsl.arrow.table_util
from tfx_bsl import __version__
from tfx_bsl.coders.example_coder import ExamplesToRecordBatchDecoder
import tfxio.compat.tfx_bsl as ours
assert tfx_bsl is ours and tfx_bsl.arrow is ours.arrow and tfx_bsl.__spec__.name == "tfxio.compat.tfx_bsl"
assert ExamplesToRecordBatchDecoder.__module__ == "tfxio.compat.tfx_bsl.coders.example_coder"
print(__version__)
"""


def run(*folders: Path) -> tuple[str, str]:
    path = os.pathsep.join([*map(str, folders), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path})
    return done.stdout, done.stderr


def test_the_package_has_the_name() -> None:
    said, error = run(FOLDER)
    if "are both installed" in error:
        pytest.skip("tfx-bsl is installed")
    assert (said, error) == ("1.21.0\n", "")


def test_it_is_refused_beside_the_other(tmp_path: Path) -> None:
    there = tmp_path / "tfx_bsl-1.21.0.dist-info"
    there.mkdir()
    (there / "METADATA").write_text("Metadata-Version: 2.1\nName: tfx-bsl\nVersion: 1.21.0\n")
    said, error = run(FOLDER, tmp_path)
    assert said == ""
    assert "ImportError: tfx-bsl and tfxio-tfx-bsl are both installed, and their files have the same names" in error
