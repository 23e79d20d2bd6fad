"""Data sets under the names of TensorFlow RFC 162, *Standardized TFX Inputs*."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeAlias

from tfxio._dataset import Dataset, Paths, open
from tfxio._lib import Schema
from tfxio._literals import RecordFormat
from tfxio._representations import Description
from tfxio._schema import SchemaLike
from tfxio._tensors import TensorAdapter as OwnAdapter
from tfxio._tensors import Tensors

if TYPE_CHECKING:
    import pyarrow

Represented: TypeAlias = dict[str, Any]


class RecordBatchesOptions(Protocol):
    """Options of `RecordBatches`, as `tfx_bsl.tfxio.dataset_options` has them."""

    batch_size: int
    drop_final_batch: bool
    num_epochs: int | None


class TFXIO:
    """A data set of records with its tensors, as RFC 162 has it. The subclasses say how the records lie in files."""

    dataset: Dataset
    _names: list[str] | None = None

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset

    def ArrowSchema(self) -> pyarrow.Schema:
        """Returns the schema of the record batches."""
        import pyarrow

        whole = pyarrow.schema(self.dataset.schema)
        columns = self._columns()
        return whole if columns is None else pyarrow.schema([whole.field(name) for name in columns], whole.metadata)

    def TensorRepresentations(self) -> Represented:
        """Returns how the columns become tensors, by the names of the tensors, in the JSON form."""
        every: Represented = json.loads(self.dataset._native_dataset.representations())
        return every if self._names is None else {name: every[name] for name in self._names}

    def TensorAdapter(self) -> OwnAdapter:
        """Returns what turns the record batches into tensors."""
        return OwnAdapter(Schema.from_arrow(self.ArrowSchema()), self.TensorRepresentations())

    def Project(self, tensor_names: Iterable[str]) -> Self:
        """Returns the same records with some of the tensors, and the columns that these need."""
        names = list(tensor_names)
        self._tensors(names)
        projected = type(self).__new__(type(self))
        projected.__dict__.update(self.__dict__)
        projected._names = names
        return projected

    def RecordBatches(
        self,
        options: RecordBatchesOptions | None = None,
        *,
        batch_size: int = 1024,
        drop_final_batch: bool = False,
        num_epochs: int | None = 1,
    ) -> Iterator[pyarrow.RecordBatch]:
        """Yields record batches of pyarrow. `options` may be those of tfx-bsl.

        >>> import tempfile, tfxio
        >>> written = tfxio.write({"label": [7, 1, 7]}, tempfile.mkdtemp() + "/labels.tfrecord")
        >>> [len(batch) for batch in tfxio.TFExampleRecord(written.files).RecordBatches(batch_size=2)]
        [2, 1]
        """
        import pyarrow

        if options is not None:
            batch_size, drop_final_batch = options.batch_size, options.drop_final_batch
            num_epochs = options.num_epochs
        for _ in count() if num_epochs is None else range(num_epochs):
            for batch in self.dataset.read(columns=self._columns(), batch_size=batch_size):
                if not (drop_final_batch and len(batch) < batch_size):
                    yield pyarrow.record_batch(batch)

    def TensorFlowDataset(
        self, *, batch_size: int = 1024, targets: Iterable[str] = (), shard: tuple[int, int] = (0, 1)
    ) -> Any:
        """Returns a `tf.data.Dataset` of the tensors by name. See `tfxio.tensorflow.dataset`, whose arguments these are."""
        from tfxio.tensorflow import dataset

        return dataset(self.dataset, self.TensorRepresentations(), batch_size=batch_size, targets=targets, shard=shard)

    def BeamSource(self, batch_size: int | None = None, *, partition_bytes: int = 64 << 20) -> Any:
        """Returns a `PTransform` of Apache Beam from the beginning of a pipeline to record batches of pyarrow.

        Args:
            batch_size: Rows a batch; 1,024, if it is left out.
            partition_bytes: How many bytes a worker reads at once.
        """
        from tfxio._beam import ReadRecordBatches

        return ReadRecordBatches(self.dataset, self._columns(), batch_size or 1024, partition_bytes)

    def _tensors(self, names: list[str] | None) -> Tensors:
        return self.dataset.tensors(names)

    def _columns(self) -> list[str] | None:
        """Returns the columns that the chosen tensors need."""
        if self._names is None:
            return None
        needed = {path[0] for path in self._tensors(self._names).columns}
        return [name for name in self.dataset.schema.names if name in needed]

    def __repr__(self) -> str:
        return repr(self.dataset).replace("Dataset", type(self).__name__, 1)


class TFExampleRecord(TFXIO):
    """Records of tf.Example in TFRecord files.

    Args:
        file_pattern: Paths or patterns.
        schema: A schema of TensorFlow Metadata.
        raw_record_column_name: The column that has the records as they are; without it there is none.
        **options: Further options of the format.

    >>> import tempfile, tfxio
    >>> written = tfxio.write({"name": ["Ada", "Bob"], "age": [36, 41]}, tempfile.mkdtemp() + "/people.tfrecord")
    >>> people = tfxio.TFExampleRecord(written.files, tfxio.infer_schema(tfxio.open(written.files)))
    >>> ages = people.Project(["age"])
    >>> ages.TensorAdapter().tensors(next(ages.RecordBatches()))["age"].tolist()
    [[36], [41]]
    """

    records: RecordFormat = "example"

    def __init__(
        self,
        file_pattern: Paths,
        schema: SchemaLike | None = None,
        raw_record_column_name: str | None = None,
        **options: Any,
    ) -> None:
        if raw_record_column_name is not None:
            options["raw_record_column"] = raw_record_column_name
        super().__init__(open(file_pattern, format="tfrecord", schema=schema, records=self.records, **options))


class TFSequenceExampleRecord(TFExampleRecord):
    """Records of tf.SequenceExample in TFRecord files. The arguments are those of `TFExampleRecord`."""

    records: RecordFormat = "sequence_example"


class RawTFRecord(TFXIO):
    """The records of TFRecord files as they are.

    Args:
        file_pattern: Paths or patterns.
        raw_record_column_name: The column of the records.
    """

    def __init__(self, file_pattern: Paths, raw_record_column_name: str = "raw_record", **options: Any) -> None:
        column = raw_record_column_name
        super().__init__(open(file_pattern, format="tfrecord", records="raw", column=column, **options))


class AvroRecord(TFXIO):
    """Records of Avro files: whole, or the tensors of features, whose keys are key expressions.

    Args:
        file_pattern: Paths or patterns.
        features: The description of each tensor by its name, as `FixedLen`, `VarLen`, `Sparse`, `Ragged`; its `key` is a key expression.
        **options: Further options of the format.

    >>> import tempfile, tfxio
    >>> written = tfxio.write([{"name": {"first": "Ada"}}, {"name": {"first": "Bob"}}], tempfile.mkdtemp() + "/people.avro")
    >>> people = tfxio.AvroRecord(written.files, {"first": tfxio.FixedLen([], "string", key="name.first")})
    >>> list(people.TensorRepresentations())
    ['first']
    """

    def __init__(self, file_pattern: Paths, features: Mapping[str, Description] | None = None, **options: Any) -> None:
        if features is not None:
            options["features"] = json.dumps({name: _feature(spec) for name, spec in features.items()})
        super().__init__(open(file_pattern, format="avro", **options))


class ParquetTFXIO(TFXIO):
    """Rows of Parquet files.

    Args:
        file_pattern: Paths or patterns.
        column_names: The columns; all, if it is left out.
        schema: A schema of TensorFlow Metadata, which says what tensors there are.
    """

    def __init__(
        self,
        file_pattern: Paths,
        column_names: Iterable[str] | None = None,
        schema: SchemaLike | None = None,
        **options: Any,
    ) -> None:
        super().__init__(open(file_pattern, format="parquet", schema=schema, **options))
        self._only = None if column_names is None else list(column_names)

    def _columns(self) -> list[str] | None:
        return self._only if self._names is None else super()._columns()


class CsvTFXIO(TFXIO):
    """Rows of CSV files.

    Args:
        file_pattern: Paths or patterns.
        column_names: The names of the columns, in files without a first line of names.
        delimiter: What separates cells.
        schema: A schema of TensorFlow Metadata.
        **options: Further options of the format, such as `multivalent`.
    """

    def __init__(
        self,
        file_pattern: Paths,
        column_names: Iterable[str] | None = None,
        delimiter: str = ",",
        schema: SchemaLike | None = None,
        **options: Any,
    ) -> None:
        if column_names is not None:
            options["column_names"] = list(column_names)
        super().__init__(open(file_pattern, format="csv", schema=schema, delimiter=delimiter, **options))


def _feature(spec: Any) -> dict[str, Any]:
    described: dict[str, Any] = spec.to_json() if hasattr(spec, "to_json") else dict(spec)
    return described
