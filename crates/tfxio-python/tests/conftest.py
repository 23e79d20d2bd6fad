"""What all tests share: the fixtures of the repository."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

import tfxio

FIXTURES = Path(os.environ.get("TFXIO_FIXTURES_DIR", Path(__file__).parents[3] / "fixtures"))
DIGITS = str(FIXTURES / "digits" / "digits@3.tfrecord")


# A shell without job control has its background jobs ignore Ctrl-C, and programs that tests start inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

#: What is printed of the recorded cases, in `tests/conformance`.
RECORDED = pytest.StashKey[list[str]]()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    lines = terminalreporter.config.stash.get(RECORDED, [])
    if lines:
        terminalreporter.section("recorded cases")
        terminalreporter.write_line("\n".join(lines))


@pytest.fixture
def fixtures() -> Path:
    return FIXTURES


@pytest.fixture
def digits() -> tfxio.Dataset:
    return tfxio.open(DIGITS)


@pytest.fixture
def digits_file() -> str:
    return str(FIXTURES / "digits" / "digits-00000-of-00003.tfrecord")
