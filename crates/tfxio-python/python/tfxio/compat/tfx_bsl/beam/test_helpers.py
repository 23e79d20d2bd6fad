"""Pipelines of tests."""

from __future__ import annotations

from typing import Any

__all__ = ["make_test_beam_pipeline_kwargs"]


def make_test_beam_pipeline_kwargs() -> dict[str, Any]:
    """Returns the arguments of `apache_beam.Pipeline` in tests: none, for its default runner."""
    return {}
