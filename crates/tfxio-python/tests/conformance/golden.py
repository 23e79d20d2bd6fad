"""Recorded cases, what is expected of them, and how they went.

The cases, the kinds and the deviations are those of the Rust crates: `fixtures/golden`, the folder in `TFXIO_GOLDEN_DIR`,
`xtask/golden-kinds.txt`, and `tests/golden/deviations` of the crate that owns a kind.
"""

from __future__ import annotations

import base64
import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import tfxio

from conftest import FIXTURES

ROOT = FIXTURES.parent
#: The folder with further cases, if the environment names one.
FURTHER = Path(os.environ["TFXIO_GOLDEN_DIR"]) if os.environ.get("TFXIO_GOLDEN_DIR") else None
T = TypeVar("T")


@dataclass(frozen=True)
class Case:
    """A recorded case. `inputs` is the member of this name, or, in kinds without it, the whole case."""

    kind: str
    id: str
    inputs: dict[str, Any]
    expected: dict[str, Any]
    file: str


class Unreachable(Exception):
    """What a case needs, and no function of Python offers."""


class Mismatch(Exception):
    """An answer that is not the expected one."""


class Refused(Exception):
    """An error of ours, and the phases of which it may be one."""

    def __init__(self, phases: tuple[str, ...], error: BaseException) -> None:
        super().__init__(f"{type(error).__name__}: {error}")
        self.phases = phases
        self.error = error


#: Holds what Python answers to a case against what is expected, and raises what is not the same.
Judge = Callable[[Case, dict[str, Any]], None]


@contextmanager
def phase(*phases: str, also: tuple[type[Exception], ...] = ()) -> Iterator[None]:
    """Takes errors of tfxio, those by which Python refuses arguments, and `also` others, as errors of a phase."""
    refusals: tuple[type[Exception], ...] = (tfxio.TfxioError, ValueError, TypeError, RuntimeError, OverflowError, *also)
    try:
        yield
    except refusals as error:
        raise Refused(phases, error) from error


def check(answer: Callable[[], T], expected: dict[str, Any], same: Callable[[T, Any], None]) -> None:
    """Holds success or failure, and the phase of a failure, against what is expected."""
    try:
        ours = answer()
    except Refused as refused:
        if "error" not in expected:
            raise Mismatch(f"error: {refused}") from refused
        wanted = expected["error"].get("phase")
        if wanted is not None and wanted not in refused.phases:
            raise Mismatch(f"error in phase {refused.phases[0]} instead of {wanted}: {refused}") from refused
        return
    if "ok" not in expected:
        raise Mismatch(f"no error instead of {expected['error']}")
    same(ours, expected["ok"])


def equal(ours: object, expected: object, what: str = "") -> None:
    """Holds two values of Python against each other as text, in which -0.0 is not 0.0, and NaN is NaN."""
    if repr(ours) != repr(expected):
        raise Mismatch(f"{what or 'the answer'} is {ours!r:.400} instead of {expected!r:.400}")


def decoded(text: str) -> bytes:
    """Returns the bytes of base64."""
    return base64.b64decode(text)


class Message:
    """A message of protobuf that is given as its bytes."""

    def __init__(self, value: dict[str, Any]) -> None:
        self.bytes = decoded(value["b64"])

    def SerializeToString(self) -> bytes:
        return self.bytes


@cache
def cases() -> dict[str, list[Case]]:
    """Returns all cases by their kinds."""
    found: dict[str, list[Case]] = defaultdict(list)
    for folder in [FIXTURES / "golden", *([FURTHER] if FURTHER else [])]:
        for path in sorted(folder.rglob("*.jsonl")):
            file = str(path.relative_to(folder.parent))
            for line in filter(str.strip, path.read_text(encoding="utf-8").split("\n")):
                whole = json.loads(line)
                inputs = whole["inputs"] if isinstance(whole.get("inputs"), dict) else whole
                found[whole["kind"]].append(Case(whole["kind"], whole["id"], inputs, whole["expected"], file))
    return found


@cache
def owners() -> dict[str, str]:
    """Returns the crate that owns each kind; `compare`, where cases bind nobody."""
    lines = (ROOT / "xtask" / "golden-kinds.txt").read_text().splitlines()
    words = [line.split() for line in lines if line.strip() and not line.startswith("#")]
    return {kind: owner for kind, owner, *_ in words}


def deviations(kind: str) -> dict[str, dict[str, Any]]:
    """Returns the results that stand in the place of recorded ones, by the ids of the cases."""
    owner = owners()[kind]
    # The loader's package has another name than its folder.
    folders = [ROOT / "crates" / name for name in (owner, owner.removeprefix("tfxio-"))]
    folder = next((folder for folder in folders if folder.is_dir()), folders[0])
    path = folder / "tests" / "golden" / "deviations" / f"{kind}.jsonl"
    lines = path.read_text(encoding="utf-8").split("\n") if path.exists() else []
    return {line["id"]: line["result"] for line in map(json.loads, filter(str.strip, lines))}


@dataclass
class Tally:
    """How the cases of one file went."""

    file: str
    passed: int = 0
    deviating: int = 0
    #: Cases for whose deviation there is no ground in Python: what stands in for a library answers as the library does.
    as_recorded: int = 0
    unreachable: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    failed: list[str] = field(default_factory=list)

    def add(self, case: Case, judge: Judge, deviation: dict[str, Any] | None) -> None:
        """Runs a case and counts it."""
        try:
            if deviation is None:
                judge(case, case.expected)
                self.passed += 1
            elif (otherwise := self._otherwise(case, judge, deviation)) is None:
                self.deviating += 1
            elif self._otherwise(case, judge, case.expected) is None:
                self.as_recorded += 1
            else:
                raise Mismatch(f"deviates otherwise: {otherwise}")
        except Unreachable as reason:
            self.unreachable[str(reason)].append(case.id)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as failed:  # A panic of Rust is one.
            self.failed.append(f"{case.id}: {type(failed).__name__}: {failed}")

    @staticmethod
    def _otherwise(case: Case, judge: Judge, expected: dict[str, Any]) -> Mismatch | None:
        try:
            judge(case, expected)
        except Mismatch as mismatch:
            return mismatch
        return None

    def lines(self) -> Iterator[str]:
        """Yields what is printed of a file."""
        left_out = sum(map(len, self.unreachable.values()))
        run = self.passed + self.deviating + self.as_recorded + len(self.failed)
        counts = f"{run} run, {self.passed} passed, {self.deviating} deviate as in Rust"
        counts += f", {self.as_recorded} as recorded where Rust deviates" if self.as_recorded else ""
        counts += f", {len(self.failed)} failed" if self.failed else ""
        yield f"{self.file}: {counts}, {left_out} not reachable from Python"
        for reason, ids in self.unreachable.items():
            yield f"  not reachable: {reason} ({len(ids)}): {', '.join(ids)}"
        for failed in self.failed:
            yield f"  FAILED {failed}"


def run(kind: str, judge: Judge) -> list[Tally]:
    """Runs all cases of a kind."""
    tallies: dict[str, Tally] = {}
    deviating = deviations(kind)
    for case in cases()[kind]:
        tally = tallies.setdefault(case.file, Tally(case.file))
        tally.add(case, judge, deviating.get(case.id))
    return list(tallies.values())
