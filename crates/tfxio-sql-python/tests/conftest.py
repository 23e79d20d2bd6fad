"""What all tests share: the fixtures of the repository."""

from __future__ import annotations

import os
from pathlib import Path

import datafusion
import pytest

import tfxio_sql

FIXTURES = Path(os.environ.get("TFXIO_FIXTURES_DIR", Path(__file__).parents[3] / "fixtures"))
DIGITS = str(FIXTURES / "digits" / "digits@3.tfrecord")


@pytest.fixture
def ctx() -> datafusion.SessionContext:
    return tfxio_sql.context(digits=DIGITS)
