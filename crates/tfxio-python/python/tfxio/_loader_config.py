"""Configurations of loaders: what keywords say, and what JSON or a file of it says."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from tfxio import _arguments, _loader_keywords

if TYPE_CHECKING:
    from tfxio._dataset import Dataset

Config: TypeAlias = str | os.PathLike[str] | Mapping[str, Any]

class Made:
    """How batches are made: by keywords, by JSON, or by a file of it. Its epochs can be counted on."""

    def __init__(self, config: Config | None, keywords: dict[str, Any]) -> None:
        self._parsed: dict[str, Any] | None = None
        self.by_keywords = config is None
        if config is None:
            self._parsed = _loader_keywords.configuration(keywords)
            self.given = json.dumps(self._parsed)
        else:
            self.given = _text(config, keywords)

    def read(self) -> None:
        """Keeps what a file says now, once it has been found to be a configuration."""
        if self._parsed is None:
            text = self.given if _is_json(self.given) else Path(self.given).read_text(encoding="utf-8-sig")
            self._parsed = json.loads(text)

    @property
    def settings(self) -> dict[str, Any]:
        """The configuration, by its keys."""
        if self._parsed is None:
            self.read()
        return self._parsed or {}

    @property
    def epochs(self) -> int | None:
        """How often the data are read; `None` is without end."""
        epochs: int | None = self.settings.get("epochs", 1)
        return epochs

    @property
    def drops_remainder(self) -> bool:
        """Whether a last batch that is not full is left out."""
        return bool(self.settings.get("drop_remainder", False))

    def until(self, epochs: int | None, *, keep_remainder: bool = False) -> str:
        """Returns the same with another number of epochs."""
        changed = {**self.settings, "epochs": epochs}
        if keep_remainder:
            changed["drop_remainder"] = False
        return json.dumps(changed)


def folder_of(config: Config | None, given: str | os.PathLike[str] | None) -> str | None:
    """Returns the folder from which paths of a configuration start."""
    if given is not None:
        return _arguments.path("base_dir", given)
    if isinstance(config, (str, os.PathLike)) and not _is_json(os.fspath(config)):
        return os.path.dirname(os.fspath(config)) or "."
    return None


def _is_json(text: str) -> bool:
    return text.lstrip().startswith("{")


def _text(config: Config, keywords: dict[str, Any]) -> str:
    """Returns a configuration as JSON or as the path of its file."""
    _loader_keywords.refuse_beside_configuration(keywords)
    if isinstance(config, (str, os.PathLike)):
        return _arguments.path("config", config)
    if not isinstance(config, Mapping):
        hint = ": give it as dataset=" if hasattr(config, "_native_dataset") else ""
        raise TypeError(f"config is a dict, JSON or the path of a file, not {_arguments.shown(config)}{hint}")
    try:
        return json.dumps(dict(config))
    except TypeError as error:
        raise TypeError(f"config is a dict of what JSON has: {error}") from None


def given_datasets(dataset: Any) -> list[tuple[Dataset, float]] | None:
    """Returns data sets with their weights."""
    wanted = "a data set, as tfxio.open returns one, or a list of pairs (data set, weight)"
    if dataset is None:
        return None
    if hasattr(dataset, "_native_dataset"):
        return [(dataset, 1.0)]
    parts = _arguments.listed("dataset", wanted, dataset)
    for part in parts:
        if not isinstance(part, (tuple, list)) or len(part) != 2 or not hasattr(part[0], "_native_dataset"):
            raise TypeError(f"dataset is {wanted}, and has {_arguments.shown(part)}")
    return [(part, _arguments.number("the weight of a dataset", weight)) for part, weight in parts]


def shown_shape(spec: dict[str, Any]) -> str:
    """Returns the shape of a tensor as a text."""
    return "×".join("?" if size is None else str(size) for size in spec["shape"]) or "scalar"


def iteration_of(of: Any) -> tuple[int, int, bool]:
    """Returns what a state says of its iteration: the epochs before it, those at its end, and whether that has come."""
    try:
        first, until = (int(epochs) for epochs in of["epochs"])
        return first, until, bool(of["is_over"])
    except (KeyError, TypeError, ValueError):
        raise ValueError(f"this is not the state of a loader: its iteration is damaged") from None


def state_text(state: dict[str, Any]) -> str:
    """Returns a state as the engine reads it."""
    try:
        return json.dumps(state)
    except TypeError as error:
        raise TypeError(f"state is a dict of what JSON has: {error}") from None
