"""Namespaces of counters."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["AppendToNamespace", "MakeTfxNamespace"]


def MakeTfxNamespace(descriptors: Sequence[str] | None) -> str:
    """Returns the namespace of a component of TFX.

    >>> from tfxio.compat.tfx_bsl.telemetry.util import MakeTfxNamespace
    >>> MakeTfxNamespace(["Transform", "analyze"])
    'tfx.Transform.analyze'
    """
    return AppendToNamespace("tfx", descriptors)


def AppendToNamespace(namespace: str, descriptors_to_append: Sequence[str] | None) -> str:
    """Returns a namespace inside another.

    >>> from tfxio.compat.tfx_bsl.telemetry.util import AppendToNamespace
    >>> AppendToNamespace("tfx.Transform", ["analyze"])
    'tfx.Transform.analyze'
    """
    return ".".join([namespace, *(descriptors_to_append or ())])
