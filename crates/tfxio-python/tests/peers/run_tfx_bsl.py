"""Runs the test files of the installed tfx-bsl on itself and on ours, and prints a table.

    PYTHON tests/peers/run_tfx_bsl.py [--module | --package] [FILE ...]

Ours is the native module under the Python of tfx-bsl, and then the Python too, for which the test files are copied to where nothing else
of tfx-bsl can be imported; `--module` and `--package` run one of the two. PYTHON is of an environment with tfx-bsl 1.21 and pytest, in which tfxio can be imported. FILE is
the name of a test file without its ending, such as `arrow/array_util_test`; without any, all run, which takes half an hour. Each file runs
in processes of its own: by pytest, or, where upstream's marks would skip its cases, as a program.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
#: Their classes are marked so that pytest leaves them out: absl runs them.
AS_PROGRAMS = {
    "coders/batch_util_test",
    "coders/csv_decoder_test",
    "coders/tf_graph_record_decoder_test",
    "tfxio/csv_tfxio_test",
    "tfxio/dataset_util_test",
    "tfxio/parquet_tfxio_test",
    "tfxio/raw_tf_record_test",
    "tfxio/record_based_tfxio_test",
    "tfxio/record_to_tensor_tfxio_test",
    "tfxio/test_util_test",
    "tfxio/tf_example_record_test",
    "tfxio/tf_sequence_example_record_test",
    "types/tfx_namedtuple_test",
}
#: Puts ours in place, and lets `pytest.xfail` in a test go on, before a test file runs as a program.
PROGRAM = """
import importlib, runpy, sys
plugin, test = sys.argv[1:]
if plugin:
    importlib.import_module(plugin)
import pytest
pytest.xfail = lambda *reasons, **how: None
sys.argv[:] = [test]
if test.endswith(".py"):
    runpy.run_path(test, run_name="__main__")
else:
    runpy.run_module(test, run_name="__main__", alter_sys=True)
"""
#: The columns of our sides.
HEADS = {"ours": "on our native module", "package": "on our Python"}
#: What puts ours in place, on each side.
PLUGINS = {"theirs": "", "ours": "tfxio_in_tfx_bsl", "package": "tfxio_as_tfx_bsl"}


class Result(NamedTuple):
    """What came of a file."""

    passed: int
    skipped: int
    failed: list[str]


def folder() -> Path:
    """Returns the folder of the installed tfx-bsl, without importing it."""
    spec = importlib.util.find_spec("tfx_bsl")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("tfx_bsl is not installed: pip install tfx-bsl==1.21.0")
    return Path(next(iter(spec.submodule_search_locations)))


def run(name: str, side: str) -> Result:
    """Runs a file on `theirs`, on `ours`, or on our `package`."""
    with tempfile.TemporaryDirectory() as there:
        path = folder() / f"{name}.py"
        if side == "package":
            # No folder has the name of a package, and so none is taken for one.
            path = Path(shutil.copy(path, Path(there) / f"{name.replace('/', '__')}.py"))
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])}
        if name in AS_PROGRAMS:
            test = str(path) if side == "package" else f"tfx_bsl.{name.replace('/', '.')}"
            command = [sys.executable, "-c", PROGRAM, PLUGINS[side], test]
        else:
            command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-rf", str(path)]
            command += ["-p", PLUGINS[side]] if PLUGINS[side] else []
            command += ["--import-mode=importlib", f"--rootdir={there}"] if side == "package" else []
        done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=there)
    result = of_program(done.stderr) if name in AS_PROGRAMS else of_pytest(done.stdout.strip() or done.stderr)
    if side == "package" and not re.search(r"^ours: [1-9]\d* modules$", done.stderr, re.MULTILINE):
        result.failed.append(next(iter(re.findall("^not ours: .*", done.stderr, re.MULTILINE)), "nothing of tfx_bsl was imported"))
    return result


def of_pytest(text: str) -> Result:
    """Reads the summary of pytest."""
    last = text.strip().splitlines()[-1] if text.strip() else ""
    counts = {word: int(number) for number, word in re.findall(r"(\d+) (passed|skipped|failed|error)", last)}
    failed = re.findall(r"^(?:FAILED|ERROR) \S*?::(\S+)", text, re.MULTILINE)
    if not counts:
        failed.append(f"did not run: {last[:200]}")
    return Result(counts.get("passed", 0), counts.get("skipped", 0), failed)


def of_program(text: str) -> Result:
    """Reads the summary of unittest."""
    failed = re.findall(r"^(?:FAIL|ERROR): (\S+)", text, re.MULTILINE)
    ran = re.search(r"^Ran (\d+) tests?", text, re.MULTILINE)
    if ran is None:
        return Result(0, 0, [f"did not run: {text.strip().splitlines()[-1][:200] if text.strip() else ''}"])
    skipped = re.search(r"skipped=(\d+)", text)
    left_out = int(skipped.group(1)) if skipped else 0
    return Result(int(ran.group(1)) - len(failed) - left_out, left_out, failed)


def main() -> int:
    """Prints a line for each file, and returns whether a case passes on theirs and not on ours."""
    arguments = sys.argv[1:]
    chosen = [side for flag, side in (("--module", "ours"), ("--package", "package")) if flag in arguments]
    sides = chosen or ["ours", "package"]
    root = folder()
    every = sorted(str(path.relative_to(root).with_suffix("")) for path in root.rglob("*_test.py"))
    names = [argument for argument in arguments if not argument.startswith("--")] or every
    heads = ["file", "passed on theirs", "skipped", *(HEADS[side] for side in sides), "fails on ours alone"]
    print(f"| {' | '.join(heads)} |\n| {' | '.join('---' for _ in heads)} |")
    worse = 0
    totals = [0] * (1 + len(sides))
    for name in names:
        theirs = run(name, "theirs")
        results = [run(name, side) for side in sides]
        alone = []
        for ours in results:
            new = sorted(set(ours.failed) - set(theirs.failed))
            if not new and ours.passed < theirs.passed:
                new = [f"{theirs.passed - ours.passed} cases did not run"]
            alone += new
        worse += len(alone)
        passed = [result.passed for result in results]
        totals = [total + more for total, more in zip(totals, [theirs.passed, *passed], strict=True)]
        cells = [f"`{name}`", theirs.passed, theirs.skipped, *passed, ", ".join(alone) or "–"]
        print(f"| {' | '.join(map(str, cells))} |", flush=True)
    print(f"| {' | '.join(map(str, ['sum', totals[0], '', *totals[1:], worse]))} |")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
