"""Events of the library as records of `logging`."""

from __future__ import annotations

import logging
import subprocess
import sys

import pytest
from conftest import DIGITS

import tfxio

HOW = {"inputs": ["label"], "batch_size": 600, "seed": 5}


@pytest.mark.parametrize("threads", [1, 3])
def test_a_loader_says_what_it_does(caplog: pytest.LogCaptureFixture, threads: int) -> None:
    caplog.set_level(logging.DEBUG, "tfxio")
    list(tfxio.open(DIGITS).loader(**HOW, threads=threads, epochs=2))  # type: ignore[arg-type]
    assert {record.name for record in caplog.records} == {"tfxio.batch_loader"}
    [begun] = [record for record in caplog.records if record.levelno == logging.INFO]
    assert begun.message.startswith("loading (seed: 5, files: 3, restored: false, order: ")
    opened = [record.message for record in caplog.records if record.message.startswith("opening (file: ")]
    assert len(opened) == 6 and all(record.levelno <= logging.INFO for record in caplog.records)
    assert "end of an epoch (epoch: 1, examples: 1797)" in [record.message for record in caplog.records]


def test_only_what_was_asked_for_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "tfxio")
    ds = tfxio.open(DIGITS)
    list(ds.loader(**HOW))  # type: ignore[arg-type]
    assert not caplog.records
    with caplog.at_level(logging.INFO, "tfxio.batch_loader"):
        list(ds.loader(**HOW))  # type: ignore[arg-type]
    assert [record.levelname for record in caplog.records] == ["INFO"]


def test_nothing_is_printed_unless_logging_was_set_up() -> None:
    program = f"import tfxio; list(tfxio.open({DIGITS!r}).loader(inputs=['label'], batch_size=600, seed=5))"
    for setup, words in (("", ""), ("import logging; logging.basicConfig(level='INFO'); ", "INFO:tfxio.batch_loader:loading (seed: 5")):
        done = subprocess.run([sys.executable, "-c", setup + program], capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stdout) == (0, "") and done.stderr.startswith(words) and bool(done.stderr) == bool(words)


def test_the_level_may_change_between_loaders() -> None:
    program = f"""
import logging, tfxio
logging.basicConfig(level="WARNING")
for level in ("WARNING", "INFO", "ERROR", "INFO"):
    logging.getLogger().setLevel(level)
    list(tfxio.open({DIGITS!r}).loader(inputs=["label"], batch_size=600, seed=5))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr.count("loading (seed: 5")) == (0, 2), done.stderr


def test_what_a_handler_raises_does_not_end_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    class Fails(logging.Filter):
        def filter(self, record: logging.LogRecord) -> bool:
            raise ZeroDivisionError("of the filter")

    seen: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda raised: seen.append(raised.exc_value))
    logger, fails = logging.getLogger("tfxio.batch_loader"), Fails()
    logger.addFilter(fails)
    logger.setLevel(logging.INFO)
    try:
        assert len(list(tfxio.open(DIGITS).loader(**HOW))) == 3  # type: ignore[arg-type]
    finally:
        logger.removeFilter(fails)
        logger.setLevel(logging.NOTSET)
    assert [type(error) for error in seen] == [ZeroDivisionError]
