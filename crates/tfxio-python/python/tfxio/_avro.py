"""Avro records in memory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from tfxio import _arguments, _lib
from tfxio._lib import RecordBatch
from tfxio._representations import Description, described


class AvroFeatures:
    """Tensors of serialized Avro records: of messages, of values in a store. Files are read by `tfxio.open`.

    The features are compiled once. The object can be used by several threads, and pickles.

    Args:
        schema: The schema of the records, as JSON.
        features: What each tensor is, by its name, which is its key expression: `tfxio.FixedLen`, `VarLen`, `Sparse`, `Ragged`.
        writer_schema: The schema with which the records were written, where it is another.

    >>> import tfxio
    >>> schema = '''{"type": "record", "name": "person", "fields": [
    ...     {"name": "age", "type": "int"}, {"name": "scores", "type": {"type": "array", "items": "float"}}]}'''
    >>> specs = {"age": tfxio.FixedLen([], "int32"), "scores[*]": tfxio.FixedLen([2], "float32", default=0.5)}
    >>> features = tfxio.AvroFeatures(schema, specs)
    >>> features.tensors([b"\\x48\\x02\\0\\0\\0\\x40\\0"])["scores[*]"].tolist()
    [[2.0, 0.5]]
    """

    def __init__(self, schema: str, features: Mapping[str, Description], *, writer_schema: str | None = None) -> None:
        specs: dict[str, str] = {}
        _arguments.text("schema", schema)
        _arguments.text_or_none("writer_schema", writer_schema)
        for name, feature in _arguments.mapping("features", "a dict of descriptions by key expressions", features).items():
            spec = described(feature, _arguments.text("a name in features", name))
            if isinstance(spec, bytes):
                raise TypeError(f"feature {name!r}: a representation of tfxio or a dict, which says the type of the values")
            specs[name] = spec
        self._given = (schema, specs, writer_schema)
        self._native = _lib.AvroFeatures(schema, specs, writer_schema)

    @property
    def specs(self) -> dict[str, dict[str, Any]]:
        """The kind, dtype and shape of each tensor, by its name."""
        return self._native.specs

    def tensors(self, records: Iterable[bytes]) -> dict[str, Any]:
        """Returns the tensors of the records, by name.

        Raises:
            ValueError: A record is damaged, does not fit a shape, or lacks a value that has no default: `.record` is its number.
        """
        return self._native.tensors(_arguments.records("records", records))

    def columns(self, records: Iterable[bytes]) -> RecordBatch:
        """Returns the columns of the keys, with a row for each record.

        Raises:
            ValueError: A record is damaged: `.record` is its number.
        """
        return self._native.columns(_arguments.records("records", records))

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, self._given

    def __repr__(self) -> str:
        return f"AvroFeatures({', '.join(self.specs)})"


def _rebuild(schema: str, specs: Mapping[str, str], writer_schema: str | None) -> AvroFeatures:
    features = {name: json.loads(spec) for name, spec in specs.items()}
    return AvroFeatures(schema, features, writer_schema=writer_schema)
