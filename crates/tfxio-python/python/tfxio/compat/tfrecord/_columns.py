"""Records of tf.Example and tf.SequenceExample, decoded by columns, as dictionaries of arrays of numpy."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from tfxio import _lib
from tfxio._literals import DType
from tfxio._representations import Ragged
from tfxio._tensors import TensorAdapter
from tfxio.compat.tfrecord._parts import Part

Description: TypeAlias = Sequence[str] | Mapping[str, str] | None
Features: TypeAlias = dict[str, Any]

SEQUENCE = "##SEQUENCE##"
TYPES = {"byte": "LargeBinary", "float": "Float32", "int": "Int64"}
NAMES = {column: name for name, column in TYPES.items()}
DTYPES: dict[str, DType] = {"LargeBinary": "string", "Float32": "float32", "Int64": "int64"}

# What a record without the feature has in its column.
MISSING = object()


def typed(description: Description) -> dict[str, str | None] | None:
    """Returns features with the types they should have; `None` for all features."""
    if not description:
        return None
    if isinstance(description, Mapping):
        return dict(description)
    return dict.fromkeys(description, None)


def examples(parts: Iterable[Part], description: Description) -> Iterator[Features]:
    """Returns an iterator over the features of each example."""
    rows = _Rows(typed(description))
    return chain.from_iterable(rows.of(batch) for part in parts for batch in part.batches("example"))


def sequences(
    parts: Iterable[Part], context: Description, features: Description
) -> Iterator[tuple[Features, Features]]:
    """Yields the features of the context and of the sequence of each sequence example."""
    rows, wanted = _Rows(typed(context)), typed(features)
    for part in parts:
        for batch in part.batches("sequence_example"):
            types = _sequence_types(batch.schema)
            lists = batch[SEQUENCE].to_pylist() if SEQUENCE in batch.schema else [None] * batch.num_rows
            for ordinary, row in zip(rows.of(batch), lists):
                yield ordinary, _selected(_sequence(row or {}, types), wanted, types)


def _sequence_types(schema: _lib.Schema) -> dict[str, str]:
    if SEQUENCE not in schema:
        return {}
    members = re.findall(r'"((?:[^"\\]|\\.)*)": LargeList\(LargeList\((\w+)\)\)', schema[SEQUENCE])
    return {re.sub(r"\\(.)", r"\1", name): kind for name, kind in members}


def _sequence(row: Mapping[str, Any], types: Mapping[str, str]) -> Features:
    return {name: [_value(step, types[name]) for step in steps] for name, steps in row.items() if steps is not None}


def _value(values: Sequence[Any] | None, kind: str) -> Any:
    found = values or ()
    if kind == "LargeBinary":
        return found[0] if len(found) == 1 else np.array(found, dtype=bytes)
    return np.array(found, dtype=DTYPES[kind])


class _Rows:
    """Makes dictionaries of the rows of batches, with the features that a description asks for."""

    def __init__(self, wanted: Mapping[str, str | None] | None) -> None:
        self._wanted = wanted
        self._types: dict[str, str] | None = None

    def of(self, batch: _lib.RecordBatch) -> Iterable[Features]:
        """Returns the features of each row."""
        types = _types(batch.schema)
        if types != self._types:
            self._set_types(types, batch.schema)
        names, wanted, rows = self._names, self._wanted, batch.num_rows
        nulls = {name for name in names if batch[name].null_count}
        columns = self._columns(batch, nulls)
        if not nulls and self._fits:
            return _lib.rows_of_columns(names, columns, rows)
        values = zip(*columns) if names else iter([()] * rows)
        present = ({name: value for name, value in zip(names, row) if value is not MISSING} for row in values)
        return (_selected(features, wanted, types) for features in present)

    def _set_types(self, types: dict[str, str], schema: _lib.Schema) -> None:
        wanted = self._wanted
        self._types = types
        self._names = [name for name in (types if wanted is None else wanted) if name in types]
        of_type = wanted is None or all(wanted[name] in (None, NAMES[types[name]]) for name in self._names)
        self._fits = of_type and len(self._names) >= len(wanted or ())
        self._adapter = TensorAdapter(schema, {name: Ragged(DTYPES[types[name]]) for name in self._names})

    def _columns(self, batch: _lib.RecordBatch, nulls: set[str]) -> list[list[Any]]:
        """Returns the values of each feature in all rows."""
        tensors = self._adapter.tensors(batch)
        columns = []
        for name in self._names:
            ragged = tensors[name]
            assert isinstance(ragged, _lib.RaggedTensor)
            splits = ragged.row_splits[0].numpy()
            found = _strings(ragged.values, splits) if ragged.dtype == "string" else _numbers(ragged.values.numpy(), splits)
            if name in nulls:
                there = batch[name].to_pylist()
                found = [MISSING if values is None else value for values, value in zip(there, found)]
            columns.append(found)
        return columns


def _types(schema: _lib.Schema) -> dict[str, str]:
    """Returns the type of the values of each feature. One of which no record sets a list has none, and is not there."""
    listed = ((name, kind) for name, kind in zip(schema.names, schema.types) if name != SEQUENCE and kind != "Null")
    return {name: kind[len("LargeList(") : -1] for name, kind in listed}


def _selected(features: Features, wanted: Mapping[str, str | None] | None, types: Mapping[str, str]) -> Features:
    """Returns the features that a description asks for, which have to be there and of their type."""
    if wanted is None:
        return features
    for name, kind in wanted.items():
        if name not in features:
            raise KeyError(f"Key {name} doesn't exist (select from {list(features)})!")
        if kind is not None and TYPES[kind] != types[name]:
            raise TypeError(f"Incompatible type '{kind}' for `{name}` (should be '{NAMES[types[name]]}').")
    return {name: features[name] for name in wanted}


def _even(splits: Any) -> bool:
    """Returns whether all rows have the same number of values, and some."""
    lengths = np.diff(splits)
    return len(lengths) > 0 and lengths[0] > 0 and bool((lengths == lengths[0]).all())


def _strings(tensor: _lib.DenseTensor, splits: Any) -> list[Any]:
    """Returns the values of each row: the value itself, if a row has one, otherwise an array."""
    values = tensor.to_arrow().to_pylist()
    if _even(splits) and splits[1] == 1:
        return values
    rows = [values[begin:end] for begin, end in zip(splits[:-1].tolist(), splits[1:].tolist())]
    return [row[0] if len(row) == 1 else np.array(row, dtype=bytes) for row in rows]


def _numbers(values: Any, splits: Any) -> list[Any]:
    """Returns the values of each row as an array."""
    # Rows can be written to, as those of `tfrecord` can: one copy for all of them.
    own = values.copy()
    if _even(splits):
        return list(own.reshape(len(splits) - 1, -1))
    return [own[begin:end] for begin, end in zip(splits[:-1].tolist(), splits[1:].tolist())]
