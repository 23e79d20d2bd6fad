"""Keywords of loaders, and the configuration that they make."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypedDict

from tfxio import _arguments
from tfxio._expressions import Condition
from tfxio._literals import LoaderDType, OnError, OnLeave
from tfxio._schema import SchemaLike

Value: TypeAlias = bool | int | float | str
#: A step: a tensor, what is done with it, and how.
Step: TypeAlias = tuple[str, Literal["slice"], str] | tuple[str, Literal["reshape"], Sequence[int]] | tuple[str, Literal["onehot"], int]
Shuffle: TypeAlias = bool | Literal["blocks", "global", "buffer"]


class Window(TypedDict, total=False):
    """A window: its size (or the least and the greatest), what it counts, the stride, and steps for its tensors."""

    size: int | tuple[int, int]
    of: Literal["steps", "records"]
    stride: int | tuple[int, int] | None
    steps: Iterable[Step | Mapping[str, Any]]


class Buckets(TypedDict, total=False):
    """Batches of similar length: the tensor that has it, where buckets end, and examples a batch of each."""

    tensor: str
    boundaries: Sequence[int]
    batch_sizes: Sequence[int]


class Tokens(TypedDict, total=False):
    """A budget of tokens a batch."""

    tokens: int
    tensors: Sequence[str]
    max_examples: int
    too_long: Literal["fail", "drop", "truncate"]


class Pack(TypedDict, total=False):
    """Rows of several examples."""

    length: int
    open_rows: int
    split: bool
    too_long: Literal["fail", "drop", "truncate"]
    segment_ids: str
    positions: str
    dtype: LoaderDType


class Constant(TypedDict, total=False):
    """A tensor that is made."""

    shape: Sequence[int | str] | str
    dtype: LoaderDType
    value: Value


class Padding(TypedDict, total=False):
    """How a tensor is padded: the size of each dimension (`None` for the largest of the batch), and with what."""

    shape: Sequence[int | None]
    value: Value


class LoaderKeywords(TypedDict, total=False):
    """The keywords of `tfxio.BatchLoader` that say neither its seed nor its part of the data."""

    inputs: Iterable[str]
    targets: Iterable[str]
    batch_size: int | None
    shuffle: Shuffle
    shuffle_bytes: int | None
    shuffle_streams: int | None
    shuffle_buffer: int | None
    epochs: int | None
    drop_remainder: bool
    features: Mapping[str, str] | None
    constants: Mapping[str, Constant] | None
    steps: Iterable[Step | Mapping[str, Any]]
    one_hot: Mapping[str, int] | None
    window: int | tuple[int, int] | Window | None
    defaults: Mapping[str, Value | Sequence[Value]] | None
    truncate: Mapping[str, int | tuple[int, Literal["head", "tail"]]] | None
    pad: bool | Mapping[str, int | Sequence[int | None] | Padding] | None
    normalize: Mapping[str, int] | None
    buckets: Buckets | None
    max_tokens: int | Tokens | None
    pack: int | Pack | None
    filter: Condition | None
    on_error: OnError | None
    prefetch: int | None
    even: Literal["drop", "repeat"] | None
    index: Literal["none", "beside", "cache"] | None
    index_dir: str | os.PathLike[str] | None
    base_dir: str | os.PathLike[str] | None
    threads: int
    validate: SchemaLike | None
    on_leave: OnLeave
    environment: str | None
    elastic: int | None


class ShardKeywords(LoaderKeywords, total=False):
    """Those, and the part of the data."""

    shard: tuple[int, int] | None
    state: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None


class Keywords(ShardKeywords, total=False):
    """The keywords of `tfxio.BatchLoader`."""

    seed: int | None


#: Keywords that say what a configuration has keys for, with their defaults and these keys.
KEYS: dict[str, tuple[Any, str]] = {
    "shuffle": (False, "shuffle"),
    "shuffle_bytes": (None, "shuffle_bytes"),
    "shuffle_streams": (None, "shuffle_streams"),
    "shuffle_buffer": (None, "num_shuffle_buffer_elements"),
    "epochs": (1, "epochs"),
    "drop_remainder": (False, "drop_remainder"),
    "features": (None, "primary_features"),
    "constants": (None, "secondary_features"),
    "steps": ((), "processing_steps"),
    "one_hot": (None, "processing_steps"),
    "window": (None, "min_window"),
    "defaults": (None, "defaults"),
    "truncate": (None, "truncate"),
    "pad": (None, "padding"),
    "normalize": (None, "normalization"),
    "buckets": (None, "bucket_by_length"),
    "max_tokens": (None, "max_tokens"),
    "pack": (None, "pack"),
    "filter": (None, "filter"),
    "on_error": (None, "on_error"),
    "prefetch": (None, "num_prefetch"),
    "even": (None, "even"),
    "index": (None, "index"),
    "index_dir": (None, "index_dir"),
}


def refuse_beside_configuration(given: Mapping[str, Any]) -> None:
    """Refuses what a configuration says for itself."""
    for name, (default, key) in KEYS.items():
        value = given[name]
        if not (value is default or (isinstance(value, (bool, int, tuple)) and value == default)):
            raise ValueError(f'{name} cannot be given beside a configuration: set its key "{key}" there')


def configuration(given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the configuration that keywords make."""
    made: dict[str, Any] = {"type": "independent", "dataset": None, "primary_features": _features(given["features"])}
    size = _arguments.integer_or_none("batch_size", given["batch_size"], least=1)
    if size is None and given["max_tokens"] is None:
        raise ValueError("batch_size is missing: give it, max_tokens, or a configuration")
    made["target_batch_size"] = 1 if size is None else size
    _shuffle(made, given["shuffle"], given)
    made["epochs"] = _arguments.integer_or_none("epochs", given["epochs"], least=1)
    made["drop_remainder"] = _arguments.flag("drop_remainder", given["drop_remainder"])
    made["secondary_features"] = _constants(given["constants"])
    made["processing_steps"] = [*_steps("steps", given["steps"]), *_one_hot(given["one_hot"])]
    _window(made, given["window"])
    made["defaults"] = [
        {"tensor": tensor, "value": _value(f"defaults[{tensor!r}]", value)} for tensor, value in _of_tensors("defaults", given["defaults"])
    ]
    made["truncate"] = [_truncated(tensor, value) for tensor, value in _of_tensors("truncate", given["truncate"])]
    # What is measured by its longest has to be brought to one shape.
    is_measured = given["max_tokens"] is not None or given["buckets"] is not None
    made["padding"] = is_measured if given["pad"] is None else _padding(given["pad"])
    made["normalization"] = [
        {"tensor": tensor, "axis": _arguments.integer(f"normalize[{tensor!r}]", axis, least=-_arguments.MOST)}
        for tensor, axis in _of_tensors("normalize", given["normalize"])
    ]
    optional = {
        "bucket_by_length": _object("buckets", Buckets, given["buckets"]),
        "max_tokens": _number_or_object("max_tokens", Tokens, given["max_tokens"]),
        "pack": _number_or_object("pack", Pack, given["pack"]),
        "filter": given["filter"],
        "on_error": _arguments.text_or_none("on_error", given["on_error"]),
        "num_prefetch": _arguments.integer_or_none("prefetch", given["prefetch"]),
        "even": _arguments.text_or_none("even", given["even"]),
        "index": _arguments.text_or_none("index", given["index"]),
        "index_dir": None if given["index_dir"] is None else _arguments.path("index_dir", given["index_dir"]),
    }
    if optional["on_error"] not in (None, "fail", "skip"):
        raise ValueError(f'on_error is "{optional["on_error"]}": give "fail" or "skip"')
    made.update({key: value for key, value in optional.items() if value is not None})
    # What is as it would be anyway says nothing.
    return {key: value for key, value in made.items() if not (value is False or value == []) or key == "primary_features"}


def _of_tensors(name: str, given: Any) -> list[tuple[str, Any]]:
    if given is None:
        return []
    of = _arguments.mapping(name, "a dict by the names of tensors, or None", given)
    return [(_arguments.text(f"a name in {name}", tensor), value) for tensor, value in of.items()]


def _shuffle(made: dict[str, Any], how: Any, given: Mapping[str, Any]) -> None:
    if isinstance(how, str):
        if how not in ("blocks", "global", "buffer"):
            raise ValueError(f'shuffle is "{how}": give True, False, "blocks", "global" or "buffer"')
    else:
        hint = '; "buffer", with its size as shuffle_buffer, "blocks" and "global" are other orders'
        how = "auto" if _arguments.flag("shuffle", how, hint) else False
    made["shuffle"] = True if how == "buffer" else how
    of = {
        "shuffle_bytes": (("blocks", "auto"), "is what a shuffle of blocks holds: give shuffle=True"),
        "shuffle_streams": (("blocks",), 'are those of a shuffle of blocks: give shuffle="blocks"'),
        "shuffle_buffer": (("buffer",), 'is the size of a buffer: give shuffle="buffer"'),
    }
    for name, (kinds, why) in of.items():
        size = _arguments.integer_or_none(name, given[name], least=1)
        if size is not None and how not in kinds:
            raise ValueError(f"{name} {why}, too")
        if size is not None:
            made[KEYS[name][1]] = size


def _features(given: Any) -> list[dict[str, str]]:
    return [
        {"from_name": _arguments.text(f"features[{tensor!r}]", column), "to_name": tensor}
        for tensor, column in _of_tensors("features", given)
    ]


def _constants(given: Any) -> list[dict[str, Any]]:
    made = []
    for tensor, constant in _of_tensors("constants", given):
        args = _object(f"constants[{tensor!r}]", Constant, constant) or {}
        made.append({"to_name": tensor, "type": "const", "args": args})
    return made


def _steps(name: str, given: Any) -> list[dict[str, Any]]:
    argument = {"slice": "slice", "reshape": "shape", "onehot": "depth"}
    wanted = "(tensor, what, how), where what is slice, reshape or onehot"
    steps = []
    for step in _arguments.listed(name, f"a list of {wanted}", given):
        if isinstance(step, Mapping):
            steps.append({str(key): _value(name, value) for key, value in step.items()})
            continue
        if not isinstance(step, (tuple, list)) or len(step) != 3 or step[1] not in argument:
            raise _arguments.refused(f"a step in {name}", wanted, step)
        tensor, what, how = step
        steps.append({"tensor": tensor, "type": what, "args": {argument[what]: _value(name, how)}})
    return steps


def _one_hot(given: Any) -> list[dict[str, Any]]:
    return [
        {"tensor": tensor, "type": "onehot", "args": {"depth": _arguments.integer(f"one_hot[{tensor!r}]", depth)}}
        for tensor, depth in _of_tensors("one_hot", given)
    ]


def _window(made: dict[str, Any], given: Any) -> None:
    if given is None:
        return
    window = {"size": given} if not isinstance(given, Mapping) else _object("window", Window, given) or {}
    if "size" not in window:
        raise ValueError('window has no "size": give that of a window, or the least and the greatest')
    of = window.get("of", "steps")
    if of not in ("steps", "records"):
        raise ValueError(f'window["of"] is {of!r}: give "steps" or "records"')
    made["type"] = "continuous_sequence" if of == "steps" else "discrete_sequence"
    made["min_window"], made["max_window"] = _bounds('window["size"]' if isinstance(given, Mapping) else "window", window["size"])
    if "stride" in window:
        stride = window["stride"]
        if of == "records":
            raise ValueError('window["stride"] is of windows of steps: those of records follow each other')
        if stride is None:
            made["stride"] = None
        else:
            made["min_stride"], made["max_stride"] = _bounds('window["stride"]', stride)
    made["window_steps"] = _steps('window["steps"]', window.get("steps", ()))


def _bounds(name: str, given: Any) -> tuple[int, int]:
    if isinstance(given, (tuple, list)):
        if len(given) != 2:
            raise _arguments.refused(name, "an int, or the least and the greatest", given)
        return _arguments.integer(name, given[0], least=1), _arguments.integer(name, given[1], least=1)
    size = _arguments.integer(name, given, least=1)
    return size, size


def _truncated(tensor: str, given: Any) -> dict[str, Any]:
    name = f"truncate[{tensor!r}]"
    if isinstance(given, (tuple, list)):
        if len(given) != 2 or given[1] not in ("head", "tail"):
            raise _arguments.refused(name, 'a length, or (length, "head" or "tail")', given)
        return {"tensor": tensor, "length": _arguments.integer(name, given[0]), "keep": given[1]}
    return {"tensor": tensor, "length": _arguments.integer(name, given)}


def _padding(given: Any) -> bool | list[dict[str, Any]]:
    if given is None or isinstance(given, bool):
        return bool(given)
    padded = []
    for tensor, how in _of_tensors("pad", given):
        name = f"pad[{tensor!r}]"
        of: dict[str, Any] = {"tensor": tensor}
        if isinstance(how, Mapping):
            asked = _object(name, Padding, how) or {}
            shape, asked = asked.get("shape"), {key: value for key, value in asked.items() if key == "value"}
            of.update(asked)
        else:
            shape = how
        if isinstance(shape, (tuple, list)):
            of["shape"] = [-1 if size is None else _arguments.integer(name, size, least=-1) for size in shape]
        elif shape is not None:
            of["shape"] = [_arguments.integer(name, shape)]
        padded.append(of)
    return padded


def _number_or_object(name: str, keys: Any, given: Any) -> Any:
    if given is None or isinstance(given, Mapping):
        return _object(name, keys, given)
    return _arguments.integer(name, given, least=1)


def _object(name: str, keys: Any, given: Any) -> dict[str, Any] | None:
    """Returns a dict of known keys."""
    if given is None:
        return None
    of = _arguments.mapping(name, f"a dict of {', '.join(keys.__annotations__)}", given)
    for key in of:
        if key not in keys.__annotations__:
            raise ValueError(f"{name} has no {key!r}: it takes {', '.join(keys.__annotations__)}")
    return {key: _value(f"{name}[{key!r}]", value) for key, value in of.items()}


def _value(name: str, value: Any) -> Any:
    """Returns a value as JSON has it."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Mapping):
        return {str(key): _value(name, item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_value(name, item) for item in value]
    raise _arguments.refused(name, "a bool, int, float or str, or a list of them", value)
