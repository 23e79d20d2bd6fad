"""Columns of a data set as tensors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tfxio import _arguments, _lib, _threads
from tfxio._expressions import Condition
from tfxio._lib import Partition, RecordBatch, Request, Schema
from tfxio._literals import OnError
from tfxio._reading import request_of
from tfxio._representations import Description, described


class Tensors:
    """Columns of a data set as tensors. `Dataset.tensors` makes one."""

    def __init__(self, native: _lib.Tensors) -> None:
        self._native = native

    @property
    def specs(self) -> dict[str, dict[str, Any]]:
        """The kind, dtype and shape of each tensor, by name."""
        return self._native.specs

    @property
    def columns(self) -> list[list[str]]:
        """The columns that are read, each as the list of the steps to it."""
        return self._native.columns

    @_arguments.suggests
    def read(
        self,
        *,
        filter: Condition | None = None,
        batch_size: int | None = None,
        limit: int | None = None,
        threads: int = 0,
        on_error: OnError | None = None,
        batch_rows: int | None = None,
    ) -> _lib.TensorReader:
        """Reads batches: dictionaries of tensors by name."""
        request = request_of(
            filter=filter, batch_size=batch_size, limit=limit, threads=threads, on_error=on_error, batch_rows=batch_rows
        )
        return self._native.read(request)

    def scan(self, partition: Partition, request: Request | None = None) -> _lib.TensorReader:
        """Reads batches of a partition."""
        return self._native.scan(partition_of(partition), scanned(request))

    def select(self, names: Iterable[str]) -> Tensors:
        """Returns some of the tensors, whose columns alone are read."""
        return Tensors(self._native.select(_arguments.names("names", names)))

    def __repr__(self) -> str:
        return repr(self._native)


class TensorAdapter:
    """Turns batches of one schema into tensors, without a copy where the layout allows it.

    Args:
        schema: The schema of the batches: of tfxio, or any object with `__arrow_c_schema__`.
        tensors: The description of each tensor by its name, as `Dataset.tensors` has them.

    >>> import tfxio
    >>> records = [tfxio.Example({"scores": [0.5, n]}).to_bytes() for n in range(4)]
    >>> batch = tfxio.decode_examples(records)
    >>> adapter = tfxio.TensorAdapter(batch.schema, {"scores": tfxio.FixedLen([2], "float32")})
    >>> adapter.tensors(batch)["scores"].shape
    (4, 2)
    """

    def __init__(self, schema: Schema | Any, tensors: Mapping[str, Description]) -> None:
        if not isinstance(schema, Schema):
            if isinstance(schema, type) or not hasattr(schema, "__arrow_c_schema__"):
                raise _arguments.refused("schema", "a schema of tfxio, or an object with __arrow_c_schema__", schema)
            schema = Schema.from_arrow(schema)
        self._schema = schema
        self._described = described_by_name(tensors)
        self._native = _lib.TensorAdapter(self._schema, self._described)

    @property
    def specs(self) -> dict[str, dict[str, Any]]:
        """The kind, dtype and shape of each tensor, by name."""
        return self._native.specs

    def tensors(self, batch: RecordBatch | Any, names: Iterable[str] | None = None) -> dict[str, Any]:
        """Returns the tensors of a batch, by name; only some of them, if names are given."""
        if not isinstance(batch, RecordBatch):
            if isinstance(batch, type) or not hasattr(batch, "__arrow_c_array__"):
                raise _arguments.refused("batch", "a batch of tfxio, or an object with __arrow_c_array__", batch)
            batch = RecordBatch.from_arrow(batch)
        return self._native.tensors(batch, None if names is None else _arguments.names("names", names))

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled_adapter, (self._schema, self._described)


def _unpickled_adapter(schema: Schema, described: list[tuple[str, str | bytes]]) -> TensorAdapter:
    adapter = TensorAdapter.__new__(TensorAdapter)
    adapter._schema, adapter._described = schema, described
    adapter._native = _lib.TensorAdapter(schema, described)
    return adapter


def described_by_name(tensors: Any) -> list[tuple[str, str | bytes]]:
    """Returns descriptions of tensors as the engine reads them, by name."""
    wanted = "a dict of descriptions by the names of tensors"
    given = _arguments.mapping("tensors", wanted, tensors)
    return [(_arguments.text("a name in tensors", name), described(description, name)) for name, description in given.items()]


def partition_of(partition: Any) -> Partition:
    """Returns a partition, which is one of tfxio."""
    if not isinstance(partition, Partition):
        raise _arguments.refused("partition", "a tfxio.Partition, as partitions() returns them", partition)
    return partition


def scanned(request: Any) -> Request:
    """Returns what is asked of the scan of a partition."""
    if request is not None and not isinstance(request, Request):
        raise _arguments.refused("request", "a tfxio.Request or None", request)
    return request or Request(threads=_threads.asked(0))
