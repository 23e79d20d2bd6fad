"""Nested tensors of the batches of a loader, which pads them: a mask of each tensor says what is padding."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

import torch

from tfxio._arguments import listed, names

#: Returns the specs of the tensors of a loader with such keywords.
Specs: TypeAlias = Callable[[dict[str, Any]], dict[str, dict[str, Any]]]

#: Begins the name of a mask.
MASK = "mask of "
#: Steps that change lengths.
SHAPING = ("slice", "reshape")


class Jagged:
    """Tensors of a loader that become nested ones."""

    def __init__(self, tensors: list[str], how: Mapping[str, Any], specs: Specs) -> None:
        self.tensors = tensors
        self.keywords = dict(how)
        if self.tensors:
            _check(self.tensors, how)
            padded = {**how, "pad": how.get("pad") or True}
            # Padding by name says sizes of its own.
            self.keywords = _with_masks(self.tensors, padded, specs({**how, "pad": True}))

    def __call__(self, batch: dict[str, Any], ragged: Callable[[Any, list[torch.Tensor]], Any]) -> dict[str, Any]:
        """Returns a batch without masks, and without what they say is padding."""
        # Tensors of the same lengths have the same offsets, by which torch knows that they fit each other.
        known: list[tuple[torch.Tensor, torch.Tensor]] = []
        made: dict[str, Any] = {}
        for name in self.tensors:
            lengths = _lengths(batch[MASK + name])
            offsets = next((of for other, of in known if torch.equal(other, lengths)), None)
            if offsets is None:
                offsets = torch.cat([lengths.new_zeros(1), lengths.cumsum(0)])
                known.append((lengths, offsets))
            padded = batch[name]
            is_kept = torch.arange(padded.shape[1]) < lengths[:, None]
            made[name] = ragged(padded[is_kept if isinstance(padded, torch.Tensor) else is_kept.numpy()], [offsets])
        return {name: made.get(name, value) for name, value in batch.items() if not name.startswith(MASK)}


def _lengths(mask: torch.Tensor) -> torch.Tensor:
    is_there = mask if mask.dim() == 2 else mask.flatten(2).any(2)
    return is_there.sum(1)


def _check(tensors: list[str], how: Mapping[str, Any]) -> None:
    if how.get("pad") is False:
        raise ValueError("jagged and pad=False exclude each other: batches are padded before what is padding is taken out; leave pad out")
    if how.get("pack") is not None:
        raise ValueError("jagged and pack exclude each other: rows that are packed have one length")
    if both := [name for name in tensors if name in (how.get("normalize") or {})]:
        raise ValueError(f"jagged and normalize exclude each other, for {both[0]!r}: the mean of an example would count its padding")


def _with_masks(tensors: list[str], how: Mapping[str, Any], specs: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Returns the keywords of a loader that makes masks, too."""
    keywords: dict[str, Any] = {**how, "inputs": [*names("inputs", how.get("inputs", ())), *(MASK + name for name in tensors)]}
    constants = dict(how.get("constants") or {})
    truncate = dict(how.get("truncate") or {})
    steps = list(listed("steps", "a list of steps", how.get("steps") or ()))
    window = how.get("window")
    window_steps = list(window["steps"]) if isinstance(window, Mapping) and window.get("steps") else []
    for name in tensors:
        if name not in specs:
            raise KeyError(f"jagged names {name!r}, which is neither among inputs nor among targets")
        dimensions = len(specs[name]["shape"]) - 1
        if dimensions == 0:
            raise ValueError(f"jagged names {name!r}, which is one value in each example, and has no length")
        # That of a constant is what this one has.
        shape = constants[name]["shape"] if name in constants else name
        # Where steps have any number of values, a step without one is a step.
        of_lists = None in specs[name]["shape"][2:]
        if of_lists:
            shape = [shape] if isinstance(shape, str) else list(shape)[:1]
        constants[MASK + name] = {"shape": shape, "dtype": "bool", "value": True}
        steps += _of_mask(name, steps, of_lists)
        window_steps += _of_mask(name, window_steps, of_lists)
        if name in truncate:
            truncate[MASK + name] = truncate[name]
    keywords |= {"constants": constants, "steps": steps}
    if truncate:
        keywords["truncate"] = truncate
    if window_steps:
        keywords["window"] = {**window, "steps": window_steps}  # type: ignore[dict-item]
    return keywords


def _of_mask(name: str, steps: Iterable[Any], of_lists: bool) -> list[Any]:
    """Returns steps of a tensor as those of its mask, which has the first dimension alone where steps are lists."""
    found: list[Any] = []
    for step in steps:
        if isinstance(step, Mapping) and step.get("tensor") == name and step.get("type") in SHAPING:
            found.append({**step, "tensor": MASK + name})
            if of_lists:
                found[-1]["args"] = {"slice": _first(step["args"]["slice"])}
        elif isinstance(step, (tuple, list)) and len(step) == 3 and step[0] == name and step[1] in SHAPING:
            found.append((MASK + name, step[1], _first(step[2]) if of_lists else step[2]))
    return found


def _first(of_steps: str) -> str:
    """Returns the first entry of a slice."""
    return of_steps.strip().removesuffix("]").split(",")[0] + "]"
