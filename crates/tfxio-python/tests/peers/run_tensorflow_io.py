"""Runs the tests of tensorflow-io for Avro on ours, and on theirs where it is installed, and prints a table.

    PYTHON tests/peers/run_tensorflow_io.py FOLDER

PYTHON is of an environment with TensorFlow, avro-python3 1.10.2 and pytest, in which tfxio can be imported. FOLDER has
`test_parse_avro.py`, `test_avro.py` and `test_avro/` of tensorflow-io's `tests`. What stands in the way of running them is put right in a
copy: marks that skip cases, and one text that joins bytes and a string. On theirs each case has a process of its own: some end it.
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

HERE = Path(__file__).resolve().parent
FILES = ("test_parse_avro.py", "test_avro.py")
#: Marks of cases that their wheel failed.
SKIP = re.compile(r"^ *@pytest\.mark\.skip\(reason=.*\)\n", re.MULTILINE)
#: The second half of a text of bytes.
BYTES = ('+ "cdefghijklmnopqrstuvwz0123456789",', '+ b"cdefghijklmnopqrstuvwz0123456789",')
#: What the base class of TensorFlow's tests brings along: no test.
NO_TEST = "not test_session"


def copy(folder: Path, to: Path) -> None:
    """Copies the tests, put right."""
    shutil.copytree(folder / "test_avro", to / "test_avro")
    for name in FILES:
        text = SKIP.sub("", (folder / name).read_text())
        (to / name).write_text(text.replace(*BYTES))


def pytest(folder: Path, ours: bool, *args: str) -> subprocess.CompletedProcess[str]:
    """Runs pytest on the copy."""
    plugins = ["-p", "lenient_avro", *(["-p", "tfxio_in_tensorflow_io"] if ours else [])]
    command = [sys.executable, "-m", "pytest", "-c", os.devnull, "-p", "no:cacheprovider", *plugins, "-k", NO_TEST, *args]
    path = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env={**os.environ, "PYTHONPATH": path})


def outcomes(folder: Path) -> dict[str, str]:
    """Returns what comes of each case on ours."""
    done = pytest(folder, True, "-v", *FILES)
    return dict(re.findall(r"^(test_\w+\.py::\S+) (PASSED|FAILED|ERROR|SKIPPED)", done.stdout, re.MULTILINE))


def outcome_on_theirs(folder: Path, case: str) -> str:
    """Returns what comes of a case on theirs."""
    done = pytest(folder, False, "-q", case)
    if done.returncode < 0:
        return "ended the process"
    return "PASSED" if done.returncode == 0 else "FAILED"


def main() -> int:
    """Prints a line for each class or file, and returns whether a case does not pass on ours."""
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        copy(Path(sys.argv[1]), Path(folder))
        ours = outcomes(Path(folder))
        there = importlib.util.find_spec("tensorflow_io") is not None
        theirs = {case: outcome_on_theirs(Path(folder), case) for case in ours} if there else {}
    groups = {case.rpartition("::")[0] for case in ours}
    print("| tests | cases | passed on theirs | failed | ended the process | passed on ours | do not pass on ours |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for group in [*sorted(groups), ""]:
        cases = [case for case in ours if case.startswith(group)]
        of_theirs = [theirs.get(case) for case in cases]
        counts = [str(of_theirs.count(outcome)) if there else "–" for outcome in ("PASSED", "FAILED", "ended the process")]
        passed = [case for case in cases if ours[case] == "PASSED"]
        others = [case.rpartition("::")[2] for case in cases if case not in passed]
        print(f"| {group or 'sum'} | {len(cases)} | {' | '.join(counts)} | {len(passed)} | {', '.join(others) or '–'} |")
    return 0 if ours and set(ours.values()) == {"PASSED"} else 1


if __name__ == "__main__":
    sys.exit(main())
