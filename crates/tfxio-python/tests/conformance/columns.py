"""Arrays, batches and schemas as the cases write them, and when two of them are equal."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from golden import Mismatch, decoded, equal


def _stream(value: dict[str, Any]) -> Any:
    return pa.ipc.open_stream(decoded(value["ipc"]))


def batch(value: dict[str, Any]) -> Any:
    """Returns the batch of a BATCH, sliced where the case says so."""
    whole = _stream(value).read_next_batch()
    return whole.slice(*value["slice"]) if value.get("slice") else whole


def array(value: dict[str, Any]) -> Any:
    """Returns the array of an ARRAY."""
    if "chunked" in value:
        return pa.chunked_array([array(chunk) for chunk in value["chunked"]])
    return batch(value).column(0)


def schema(value: dict[str, Any]) -> Any:
    """Returns the schema of an ARROW_SCHEMA."""
    return _stream(value).schema


def normal(data_type: Any) -> Any:
    """Returns a type whose fields are all nullable, and whose list children are called `item`."""

    def child(of: Any) -> Any:
        return pa.field("item", normal(of))

    if pa.types.is_list(data_type):
        return pa.list_(child(data_type.value_type))
    if pa.types.is_large_list(data_type):
        return pa.large_list(child(data_type.value_type))
    if pa.types.is_fixed_size_list(data_type):
        return pa.list_(child(data_type.value_type), data_type.list_size)
    if pa.types.is_struct(data_type):
        return pa.struct([pa.field(of.name, normal(of.type)) for of in data_type])
    return data_type


def same_schema(ours: Any, expected: Any) -> None:
    """Holds names, types and order against each other; metadata and the names of list children do not count."""
    equal([(of.name, normal(of.type)) for of in ours], [(of.name, normal(of.type)) for of in expected], "the schema")


def same_array(ours: Any, expected: Any, what: str = "the array") -> None:
    """Holds type, values and validity against each other."""
    ours.validate(full=True)
    equal(normal(ours.type), normal(expected.type), f"the type of {what}")
    equal(ours.to_pylist(), expected.to_pylist(), what)


def same_batch(ours: Any, expected: Any) -> None:
    """Holds schema, values and validity against each other."""
    same_schema(ours.schema, expected.schema)
    if ours.num_rows != expected.num_rows:
        raise Mismatch(f"{ours.num_rows} rows instead of {expected.num_rows}")
    for at, field in enumerate(expected.schema):
        same_array(ours.column(at), expected.column(at), f"column {field.name!r}")


def one_batch(stream: Any) -> Any:
    """Returns all batches of a stream of Arrow as one."""
    table = pa.RecordBatchReader.from_stream(stream).read_all().combine_chunks()
    [whole] = table.to_batches() or [pa.record_batch([pa.nulls(0, of.type) for of in table.schema], table.schema)]
    return whole
