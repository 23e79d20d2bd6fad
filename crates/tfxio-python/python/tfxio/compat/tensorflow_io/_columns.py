"""`IOTensor.from_avro` and `IODataset.from_avro`: the fields of flat records as columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from tfxio import _dataset
from tfxio._lib import RecordBatch

#: The dtypes of columns, by the name of their type.
_DTYPES = {
    "Boolean": tf.bool,
    "Int32": tf.int32,
    "Int64": tf.int64,
    "Float32": tf.float32,
    "Float64": tf.float64,
    "LargeBinary": tf.string,
    "LargeUtf8": tf.string,
}


class _Columns:
    """The columns of a file."""

    def __init__(self, filename: str, schema: str, columns: Sequence[str] | None) -> None:
        options: dict[str, Any] = {"reader_schema": schema, "layout": "plain", "logical_types": False}
        self.dataset = _dataset.open(filename, format="avro", **options)
        types = dict(zip(self.dataset.schema.names, self.dataset.schema.types))
        self.names = list(types) if columns is None else list(columns)
        for name in self.names:
            if types.get(name) not in _DTYPES:
                what = f"is of type {types[name]}" if name in types else "does not exist"
                raise ValueError(f"column {name!r} {what}: `parse_avro` reads nested fields by key expressions")
        self.dtypes = {name: _DTYPES[types[name]] for name in self.names}

    def batches(self, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        for batch in self.dataset.read(columns=list(names)):
            yield tuple(_values(batch, name, self.dtypes[name]) for name in names)


def _values(batch: RecordBatch, name: str, dtype: Any) -> Any:
    if batch[name].null_count:
        raise ValueError(f"column {name!r} has values that are null: `parse_avro` has a default for them")
    return batch[name].to_numpy().astype(object if dtype == tf.string else dtype.as_numpy_dtype)


class _Column:
    """The values of a column."""

    def __init__(self, values: tf.Tensor) -> None:
        self._values = values

    @property
    def dtype(self) -> tf.DType:
        return self._values.dtype

    @property
    def shape(self) -> tf.TensorShape:
        return self._values.shape

    @property
    def spec(self) -> tf.TensorSpec:
        return tf.TensorSpec(self.shape, self.dtype)

    def __len__(self) -> int:
        return int(self.shape[0])

    def __getitem__(self, key: Any) -> tf.Tensor:
        return self._values[key]

    def to_tensor(self) -> tf.Tensor:
        return self._values


class AvroIOTensor:
    """The columns of an Avro file, each by its name."""

    def __init__(self, filename: str, schema: str) -> None:
        self._columns = _Columns(filename, schema, None)

    @property
    def columns(self) -> list[str]:
        return list(self._columns.names)

    @property
    def spec(self) -> dict[str, tf.TensorSpec]:
        return {name: tf.TensorSpec([None], dtype) for name, dtype in self._columns.dtypes.items()}

    def __call__(self, column: str) -> _Column:
        if column not in self._columns.dtypes:
            raise ValueError(f"there is no column {column!r}, but {', '.join(self.columns)}")
        dtype = self._columns.dtypes[column]
        empty = np.empty(0, object if dtype == tf.string else dtype.as_numpy_dtype)
        values = [values for (values,) in self._columns.batches([column])]
        return _Column(tf.convert_to_tensor(np.concatenate([empty, *values]), dtype))


class IOTensor:
    """Tensors that are read of files."""

    @classmethod
    def from_avro(cls, filename: str, schema: str, **kwargs: Any) -> AvroIOTensor:
        """Returns the columns of an Avro file of flat records.

        Args:
            filename: A path or a URL.
            schema: The schema that the file is read with, as JSON.
            **kwargs: `name`, which has no effect.
        """
        return AvroIOTensor(filename, schema)


class IODataset:
    """Data sets that are read of files."""

    @classmethod
    def from_avro(cls, filename: str, schema: str, columns: Sequence[str] | None = None, **kwargs: Any) -> tf.data.Dataset:
        """Returns the records of an Avro file of flat records: a scalar of one column, a tuple of several.

        Args:
            filename: A path or a URL.
            schema: The schema that the file is read with, as JSON.
            columns: The fields that are read; all, if it is left out.
            **kwargs: `name`, which has no effect.
        """
        read = _Columns(filename, schema, columns)
        specs = tuple(tf.TensorSpec([None], read.dtypes[name]) for name in read.names)
        rows = tf.data.Dataset.from_generator(lambda: read.batches(read.names), output_signature=specs).unbatch()
        return rows.map(lambda value: value) if len(specs) == 1 else rows
