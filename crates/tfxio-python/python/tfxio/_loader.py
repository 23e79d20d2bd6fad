"""The batch loader."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from tfxio import _lib
from tfxio._lib import LoadedBatch
from tfxio._schema import SchemaLike, schema_text

if TYPE_CHECKING:
    from tfxio._dataset import Dataset

Config: TypeAlias = str | os.PathLike[str] | Mapping[str, Any]


@dataclass(frozen=True)
class LoaderAnomaly:
    """How examples left a schema in a feature: in what (`kind`), what the schema says, what the first record has, how many records did,
    and which was the first: its file, its number there, and its byte, where that is known."""

    feature: str
    kind: str
    expected: str
    found: str
    count: int
    file: str
    record: int
    byte: int | None


class BatchLoader:
    """Shuffled, windowed, padded batches of a data set, whose state can be saved between any two of them.

    Args:
        config: How batches are made: a dict, JSON, or the path of a file of it (see docs/loader.md). Left out, the keywords say
            it, and an example is one record.
        dataset: What is loaded; several as pairs with their weights are mixed. Left out, the configuration names its files.
        inputs: The tensors that go into the model.
        targets: The tensors that the model is to predict.
        batch_size: Examples a batch, instead of that of the configuration.
        shuffle: Whether all records are read in a random order; they are found by number, so that nothing is buffered.
        seed: The seed of everything random. The same seed gives the same batches, whatever the number of threads.
        epochs: How often the data are read. Default: once; `None` is without end.
        drop_remainder: Whether a last batch that is not full is left out.
        filter: Which records are loaded, as `Dataset.read` has it.
        pad: The size to which the first dimension of a tensor is padded, by name. Others are padded to the largest of the batch.
        max_tokens: As many examples a batch as have this many tokens together, padding counted.
        shard: Which part of the data this process loads, and how many there are: `(rank, world_size)`.
        base_dir: The folder from which paths of the configuration start. Default: that of the configuration's file, otherwise the
            working directory.
        threads: Threads that load; 0 for all processors.
        validate: A schema of TensorFlow Metadata that each record is compared with: a path, text, bytes or the proto.
        on_leave: What happens when a record leaves it: `"stop"` raises `SchemaMismatchError`, `"warn"` counts it in `anomalies`.
        environment: The environment of the schema that the records are of, such as `"SERVING"`.
        state: A state to go on from, as `state_dict` returned it.

    >>> import tfxio
    >>> loader = tfxio.BatchLoader(None, tfxio.open(DIGITS), inputs=["image"], targets=["label"], batch_size=32, seed=7)
    >>> batch = next(loader)
    >>> batch["image"].shape
    (32, 64)
    """

    def __init__(
        self,
        config: Config | None = None,
        dataset: Dataset | Sequence[tuple[Dataset, float]] | None = None,
        *,
        inputs: Iterable[str] = (),
        targets: Iterable[str] = (),
        batch_size: int | None = None,
        shuffle: bool = False,
        seed: int | None = None,
        epochs: int | None = 1,
        drop_remainder: bool = False,
        filter: str | None = None,
        pad: Mapping[str, int] | None = None,
        max_tokens: int | None = None,
        shard: tuple[int, int] | None = None,
        base_dir: str | os.PathLike[str] | None = None,
        threads: int = 1,
        validate: SchemaLike | None = None,
        on_leave: str = "stop",
        environment: str | None = None,
        state: Mapping[str, Any] | None = None,
    ) -> None:
        keywords: dict[str, Any] = {
            "batch_size": batch_size,
            "shuffle": shuffle,
            "epochs": epochs,
            "drop_remainder": drop_remainder,
            "filter": filter,
            "pad": dict(pad or {}),
            "max_tokens": max_tokens,
        }
        common: dict[str, Any] = {"inputs": list(inputs), "targets": list(targets), "seed": seed}
        common |= {"shard": shard, "threads": threads, "base_dir": _base_dir(config, base_dir)}
        schema = None if validate is None else schema_text(validate)
        held = {"validate": None if schema is None else schema.encode(), "on_leave": on_leave, "environment": environment}
        self._pickled = (config, dataset, {**keywords, **common, **held})
        common["validate"] = None if schema is None else (schema, on_leave, environment)
        if config is None:
            given: str | dict[str, Any] = {**_checked(keywords), "seed": seed}
        else:
            given = _text(config, keywords)
            common["batch_size"] = batch_size
        self._arguments: dict[str, Any] = {"config": given, **common}
        self._native = self._opened(state)

    def _opened(self, state: Mapping[str, Any] | None) -> _lib.BatchLoader:
        # Made of the data sets anew: the garbage collector does not look into what is native.
        datasets = _datasets(self._pickled[1])
        return _lib.BatchLoader(datasets=datasets, **self._arguments, state=None if state is None else json.dumps(state))

    @property
    def specs(self) -> dict[str, dict[str, Any]]:
        """The kind, dtype and shape of each tensor, by name."""
        return self._native.specs

    @property
    def seed(self) -> int:
        """The seed of this run."""
        return self._native.seed

    def __iter__(self) -> Iterator[LoadedBatch]:
        return self

    def __next__(self) -> LoadedBatch:
        return next(self._native)

    def state_dict(self) -> dict[str, Any]:
        """Returns the state after the batch that came out last. It is plain JSON."""
        state: dict[str, Any] = json.loads(self._native.state())
        return state

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Goes on with exactly the batches that came after those of a state."""
        self._native.close()
        self._native = self._opened(state)

    def anomalies(self) -> list[LoaderAnomaly]:
        """Returns how the examples of the batches so far left the schema (`validate` with `on_leave="warn"`): an entry for each feature and
        in what, in the order in which they came. States have them, too.

        >>> import tfxio
        >>> schema = 'feature { name: "label" type: INT int_domain { min: 0 max: 8 } }'
        >>> loader = tfxio.open(DIGITS).loader(targets=["label"], batch_size=100, validate=schema, on_leave="warn")
        >>> for batch in loader: pass
        >>> [nines] = loader.anomalies()
        >>> nines.feature, nines.kind, nines.expected, nines.found, nines.count
        ('label', 'domain', 'values in 0 to 8', '9', 180)
        """
        found = self._native.anomalies()
        return [LoaderAnomaly(a[0], a[1], a[2], a[3], a[4], *a[5]) for a in found]

    def stats(self) -> dict[str, Any]:
        """Returns what was counted since the loader was built: batches, examples, seconds of waiting."""
        return self._native.stats()

    def close(self) -> None:
        """Ends the loader and its threads."""
        self._native.close()

    def __enter__(self) -> BatchLoader:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (*self._pickled, self.state_dict())


def _unpickled(config: Config | None, dataset: Any, how: dict[str, Any], state: dict[str, Any]) -> BatchLoader:
    return BatchLoader(config, dataset, **how, state=state)


def _datasets(dataset: Dataset | Sequence[tuple[Dataset, float]] | None) -> list[tuple[_lib.Dataset, float]]:
    if dataset is None:
        return []
    if isinstance(dataset, Sequence):
        return [(part._native_dataset, float(weight)) for part, weight in dataset]
    return [(dataset._native_dataset, 1.0)]


def _base_dir(config: Config | None, base_dir: str | os.PathLike[str] | None) -> str | None:
    if base_dir is not None:
        return os.fspath(base_dir)
    if isinstance(config, (str, os.PathLike)) and not os.fspath(config).lstrip().startswith("{"):
        return os.path.dirname(os.fspath(config)) or "."
    return None


def _checked(keywords: dict[str, Any]) -> dict[str, Any]:
    if keywords["batch_size"] is None:
        if keywords["max_tokens"] is None:
            raise ValueError("batch_size is missing: give it, max_tokens, or a configuration")
        return {**keywords, "batch_size": 1}
    return keywords


def _text(config: Config, keywords: dict[str, Any]) -> str:
    """Returns a configuration as JSON or as the path of its file."""
    defaults: dict[str, Any] = {"shuffle": False, "epochs": 1, "drop_remainder": False, "filter": None, "pad": {}, "max_tokens": None}
    for name, default in defaults.items():
        if keywords[name] != default:
            raise ValueError(f"{name} is said by the configuration: change it there")
    if isinstance(config, (str, os.PathLike)):
        return os.fspath(config)
    if not isinstance(config, Mapping):
        raise TypeError(f"a configuration is a dict, JSON or the path of a file, not {type(config).__name__}")
    return json.dumps(dict(config))
