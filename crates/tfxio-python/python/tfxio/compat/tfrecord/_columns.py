"""Records of tf.Example and tf.SequenceExample, decoded by columns, as dictionaries of arrays of numpy."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from tfxio import _lib
from tfxio._dataset import TensorAdapter
from tfxio._representations import Ragged
from tfxio.exceptions import SchemaMismatchError

Description: TypeAlias = Sequence[str] | Mapping[str, str] | None
Features: TypeAlias = dict[str, Any]

SEQUENCE = "##SEQUENCE##"
TYPES = {"byte": "LargeBinary", "float": "Float32", "int": "Int64"}
NAMES = {column: name for name, column in TYPES.items()}
DTYPES = {"LargeBinary": "string", "Float32": "float32", "Int64": "int64"}

# What a record without the feature has in its column.
MISSING = object()


def typed(description: Description) -> dict[str, str | None] | None:
    """Returns features with the types they should have; `None` for all features."""
    if not description:
        return None
    if isinstance(description, Mapping):
        return dict(description)
    return dict.fromkeys(description, None)


def _decoded(message: str, records: Sequence[bytes]) -> Iterator[_lib.RecordBatch]:
    """Yields the records as batches: one, if all values of a feature have the same type."""
    try:
        batch = _lib.RecordDecoder(message, {}, _lib.Request()).decode(list(records))
    except (SchemaMismatchError, ValueError):
        if len(records) == 1:
            raise
        # The records before the one that does not fit come out.
        half = len(records) // 2
        yield from _decoded(message, records[:half])
        yield from _decoded(message, records[half:])
        return
    yield batch


def examples(records: Iterable[Sequence[bytes]], description: Description) -> Iterator[Features]:
    """Yields the features of each example, out of chunks of records."""
    wanted = typed(description)
    for chunk in records:
        for batch in _decoded("example", chunk):
            yield from _rows(batch, wanted)


def sequences(
    records: Iterable[Sequence[bytes]], context: Description, features: Description
) -> Iterator[tuple[Features, Features]]:
    """Yields the features of the context and of the sequence of each sequence example."""
    wanted = typed(features)
    for chunk in records:
        for batch in _decoded("sequence_example", chunk):
            types = _sequence_types(batch.schema)
            contexts = _rows(batch, typed(context))
            lists = batch[SEQUENCE].to_pylist() if SEQUENCE in batch.schema else [None] * batch.num_rows
            for ordinary, row in zip(contexts, lists):
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


def _rows(batch: _lib.RecordBatch, wanted: Mapping[str, str | None] | None) -> Iterator[Features]:
    types = {name: kind[len("LargeList(") : -1] for name, kind in _types(batch.schema)}
    names = [name for name in (types if wanted is None else wanted) if name in types]
    columns = {name: values for name, values in zip(names, _columns(batch, names, types))}
    gaps = any(batch[name].null_count for name in names) or len(names) < len(wanted or ())
    fits = wanted is None or all(wanted[name] in (None, NAMES[types[name]]) for name in names)
    rows = zip(*columns.values()) if names else iter([()] * batch.num_rows)
    if not gaps and fits:
        for row in rows:
            yield dict(zip(names, row))
        return
    for row in rows:
        present = {name: value for name, value in zip(names, row) if value is not MISSING}
        yield _selected(present, wanted, types)


def _types(schema: _lib.Schema) -> Iterator[tuple[str, str]]:
    return ((name, kind) for name, kind in zip(schema.names, schema.types) if name != SEQUENCE)


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


def _columns(batch: _lib.RecordBatch, names: Sequence[str], types: Mapping[str, str]) -> Iterator[list[Any]]:
    adapter = TensorAdapter(batch.schema, {name: Ragged(DTYPES[types[name]]) for name in names})
    tensors = adapter.tensors(batch)
    for name in names:
        ragged = tensors[name]
        assert isinstance(ragged, _lib.RaggedTensor)
        found = _lists(ragged.values.numpy(), ragged.row_splits[0].numpy())
        if batch[name].null_count:
            there = batch[name].to_pylist()
            found = [MISSING if values is None else value for values, value in zip(there, found)]
        yield found


def _lists(values: Any, splits: Any) -> list[Any]:
    """Returns the values of each row: arrays; of bytes the value itself, if a row has one."""
    lengths = np.diff(splits)
    even = len(lengths) > 0 and lengths[0] > 0 and bool((lengths == lengths[0]).all())
    if values.dtype == object:
        if even and lengths[0] == 1:
            return list(values.tolist())
        rows = [values[begin:end].tolist() for begin, end in zip(splits[:-1].tolist(), splits[1:].tolist())]
        return [row[0] if len(row) == 1 else np.array(row, dtype=bytes) for row in rows]
    # Rows can be written to, as those of `tfrecord` can: one copy for all of them.
    own = values.copy()
    if even:
        return list(own.reshape(len(lengths), -1))
    return [own[begin:end] for begin, end in zip(splits[:-1].tolist(), splits[1:].tolist())]
