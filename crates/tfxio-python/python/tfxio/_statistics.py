"""Statistics of data sets: counted in one pass, compared with a schema and with each other, and shown."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

from tfxio import _arguments, _lib
from tfxio._representations import Proto
from tfxio._schema import SchemaLike, schema_text


@dataclass(frozen=True)
class Anomaly:
    """What statistics do not satisfy of a schema. `kind` is the name that TensorFlow Data Validation has for it."""

    path: tuple[str, ...]
    kind: str
    severity: str
    summary: str
    text: str

    def __str__(self) -> str:
        return f"{'.'.join(self.path) or 'data set'}: {self.text}"


class Statistics:
    """Statistics of a data set, and of its slices, if there are any. `Dataset.stats` makes them; `bytes(statistics)` is the
    `DatasetFeatureStatisticsList` that TensorFlow Data Validation reads.

    >>> import tempfile, tfxio
    >>> written = tfxio.write({"label": [7, 1, 7]}, tempfile.mkdtemp() + "/labels.tfrecord")
    >>> ds = tfxio.open(written.files, scalars=True)
    >>> stats = ds.stats()
    >>> stats.num_examples, stats["label"]["numeric"]["mean"]
    (3, 5.0)
    >>> stats.validate(stats.infer_schema())
    []
    """

    def __init__(self, data: bytes | Proto | _lib.Statistics) -> None:
        """Takes an encoded `DatasetFeatureStatisticsList`, or its proto."""
        if isinstance(data, Proto) and not isinstance(data, type):
            data = data.SerializeToString()
        if isinstance(data, _lib.Statistics):
            self._native = data
        elif isinstance(data, bytes):
            self._native = _lib.Statistics.from_bytes(data)
        else:
            raise _arguments.refused("data", "the bytes of a DatasetFeatureStatisticsList, or its proto", data)
        self._datasets: list[dict[str, Any]] | None = None

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Statistics:
        """Reads statistics from a file: the encoded message, or a TFRecord file of it, as TensorFlow Data Validation writes one."""
        from tfxio._records import TFRecordReader

        data = FilePath(_arguments.path("path", path)).read_bytes()
        try:
            return cls(data)
        except ValueError:
            with TFRecordReader(path) as reader:
                records = list(reader)
            if len(records) != 1:
                raise
            return cls(bytes(records[0]))

    @property
    def datasets(self) -> list[dict[str, Any]]:
        """All of it as dictionaries: one for each data set or slice, with its features."""
        datasets = self._datasets
        if datasets is None:
            datasets = self._datasets = list(json.loads(self._native.to_json()))
        return datasets

    @property
    def num_examples(self) -> int:
        """Number of rows of the first data set."""
        return int(self.datasets[0]["num_examples"]) if self.datasets else 0

    @property
    def slices(self) -> list[str]:
        """The names of the data sets and slices."""
        return [str(dataset["name"]) for dataset in self.datasets]

    def __getitem__(self, feature: str | tuple[str, ...]) -> dict[str, Any]:
        """Returns the statistics of a feature of the first data set, by its name or the steps of its path."""
        named = _arguments.column("the name of a feature", feature)
        path = [named] if isinstance(named, str) else named
        for found in self:
            if found["path"] == path:
                return found
        raise KeyError(f"no feature {'.'.join(path)!r}: there are {', '.join('.'.join(of['path']) for of in self)}")

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yields the statistics of the features of the first data set."""
        return iter(self.datasets[0]["features"] if self.datasets else [])

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __bytes__(self) -> bytes:
        return self._native.to_bytes()

    def __reduce__(self) -> tuple[Any, ...]:
        return Statistics, (bytes(self),)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the encoded message, or, where the name ends in `.tfrecord`, a TFRecord file of it."""
        if _arguments.path("path", path).endswith(".tfrecord"):
            from tfxio._records import TFRecordWriter

            with TFRecordWriter(path) as writer:
                writer.write(bytes(self))
        else:
            FilePath(path).write_bytes(bytes(self))

    def to_html(
        self, *, title: str | None = None, other: Statistics | None = None, names: tuple[str, str] = ("this", "other")
    ) -> str:
        """Returns a page of HTML that needs nothing else: a searchable table of the features with their histograms. With `other`, both
        side by side, and how far apart they are."""
        _arguments.text_or_none("title", title)
        shown = _arguments.names("names", names)
        if len(shown) != 2:
            raise ValueError(f"names has {len(shown)} names: it is a pair, of this and of the other")
        return self._native.to_html(title, _native_or_none("other", other), (shown[0], shown[1]))

    def infer_schema(self, *, max_string_domain_size: int = 100, tensors: bool = False) -> str:
        """Returns a schema of TensorFlow Metadata, as text, that the statistics satisfy.

        Args:
            max_string_domain_size: Features of text with at most as many distinct values get a domain that lists them.
            tensors: Whether the schema also proposes a tensor for each feature.
        """
        size = _arguments.integer("max_string_domain_size", max_string_domain_size)
        return self._native.infer_schema(size, _arguments.flag("tensors", tensors))

    def validate(
        self,
        schema: SchemaLike,
        *,
        environment: str | None = None,
        previous: Statistics | None = None,
        serving: Statistics | None = None,
    ) -> list[Anomaly]:
        """Returns what the statistics do not satisfy of a schema; nothing if all is well.

        Args:
            schema: A schema of TensorFlow Metadata: a path, text, bytes or the proto.
            environment: The environment of the schema, such as `"SERVING"`.
            previous: Statistics of an earlier span, with which the drift comparators of the schema compare.
            serving: Statistics of serving data, with which its skew comparators compare.
        """
        of = _native_or_none("previous", previous), _native_or_none("serving", serving)
        _arguments.text_or_none("environment", environment)
        found = self._native.validate(schema_text(schema), environment, *of)
        return [Anomaly(tuple(path), *texts) for path, texts in found]

    def drift(
        self, other: Statistics, *, l_infinity: float | None = None, jensen_shannon: float | None = None
    ) -> list[dict[str, Any]]:
        """Returns how far the values of each feature are apart, the farthest first: L-infinity distances of categories, and
        Jensen-Shannon divergences. `drifted` says whether one is above the bound that is given."""
        l_infinity = _arguments.number_or_none("l_infinity", l_infinity)
        jensen_shannon = _arguments.number_or_none("jensen_shannon", jensen_shannon)
        return self._native.drift(_native("other", other), l_infinity, jensen_shannon)

    def __repr__(self) -> str:
        lines = [f"Statistics of {_counted(self.num_examples, 'example')}, {_counted(len(self), 'feature')}"]
        for feature in self:
            share = feature["present"] / max(feature["present"] + feature["missing"], 1)
            lines.append(f"  {'.'.join(feature['path'])}: {feature['type'].lower()}, {_summary(feature)}, {share:.1%} present")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from html import escape

        # A page of its own, so that neither its style nor its script meets those of the notebook.
        page = escape(self.to_html(), quote=True)
        return f'<iframe srcdoc="{page}" sandbox="allow-scripts" style="width: 100%; height: 40em; border: 0" title="Statistics"></iframe>'


def _native(name: str, statistics: Statistics) -> _lib.Statistics:
    if not isinstance(statistics, Statistics):
        raise _arguments.refused(name, "tfxio.Statistics", statistics)
    return statistics._native


def _native_or_none(name: str, statistics: Statistics | None) -> _lib.Statistics | None:
    return None if statistics is None else _native(name, statistics)


def _summary(feature: dict[str, Any]) -> str:
    if (numeric := feature.get("numeric")) is not None:
        return f"{numeric['min']} to {numeric['max']}"
    if (text := feature.get("text") or feature.get("bytes")) is not None:
        return f"{text['unique']:,} distinct"
    return f"{feature.get('values', {}).get('total', 0):,} values"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
