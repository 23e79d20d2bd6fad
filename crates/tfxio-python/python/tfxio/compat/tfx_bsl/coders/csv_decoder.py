"""Lines of CSV to record batches, in Apache Beam."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, List, NamedTuple, Tuple

import apache_beam as beam
import pyarrow as pa

from tfxio.compat.tfx_bsl.arrow.array_util import ToSingletonListArray
from tfxio.compat.tfx_bsl.coders import _csv_cells, batch_util
from tfxio.compat.tfx_bsl.coders._csv_cells import ARROW_TYPES, ColumnType, LineReader, Multivalent, type_of_value

__all__ = [
    "PARSE_CSV_LINE_YIELDS_RAW_RECORDS",
    "BatchedCSVRowsToRecordBatch",
    "CSVCell",
    "CSVLine",
    "CSVToRecordBatch",
    "ColumnInfo",
    "ColumnName",
    "ColumnType",
    "ColumnTypeInferrer",
    "GetArrowSchema",
    "ParseCSVLine",
]

#: Whether `ParseCSVLine` yields the line with its cells.
PARSE_CSV_LINE_YIELDS_RAW_RECORDS = True

CSVCell = bytes
CSVLine = str
ColumnName = str


class ColumnInfo(NamedTuple):
    """A column: its name and its type."""

    name: ColumnName
    type: ColumnType


@beam.ptransform_fn
@beam.typehints.with_input_types(CSVLine)
@beam.typehints.with_output_types(pa.RecordBatch)
def CSVToRecordBatch(
    lines: Any,
    column_names: list[str],
    desired_batch_size: int | None,
    delimiter: str = ",",
    skip_blank_lines: bool = True,
    schema: Any | None = None,
    multivalent_columns: list[str] | None = None,
    secondary_delimiter: str | None = None,
    raw_record_column_name: str | None = None,
) -> Any:
    """Decodes lines of CSV: a column of large lists for each of their columns.

    Args:
        lines: The collection of lines, without ends.
        column_names: The names of the columns, in the order of the cells.
        desired_batch_size: How many lines a batch has; if it is `None`, Beam finds it by trial.
        delimiter: The character between cells.
        skip_blank_lines: Whether blank lines are left out; otherwise all columns are null there.
        schema: A schema of TensorFlow Metadata: its features are the columns, and others are left out. Without one, all lines are read
            once more, for the types of the columns.
        multivalent_columns: The columns whose cells have several values.
        secondary_delimiter: The character between these.
        raw_record_column_name: The name of one more column, the last, which has the lines.

    Raises:
        ValueError: The raw column has the name of another one; a feature is a struct; or, when it runs, the cells of a line are not those
            of the columns, or not of their types.
    """
    _check_raw(raw_record_column_name, column_names)
    multivalent = Multivalent(multivalent_columns, secondary_delimiter)
    batches = lines | "BatchCSVLines" >> batch_util.BatchRecords(
        desired_batch_size,
        telemetry_descriptors=["CSVToRecordBatch"],
        # The line and its cells.
        record_size_fn=lambda line: 2 * len(line),
    )
    infos = None if schema is None else _infos(schema, column_names)
    if infos is None:
        types = batches | "TypesOfBatches" >> beam.ParDo(_TypesOfLines(column_names, delimiter, multivalent))
        inferred = types | "InferColumnTypes" >> beam.CombineGlobally(_GreatestTypes(column_names))
        infos = beam.pvalue.AsSingleton(inferred)
    decode = _LinesToRecordBatch(delimiter, skip_blank_lines, multivalent, raw_record_column_name)
    return batches | "CSVLinesToArrow" >> beam.ParDo(decode, infos)


@beam.typehints.with_input_types(CSVLine)
@beam.typehints.with_output_types(Tuple[List[CSVCell], CSVLine])
class ParseCSVLine(beam.DoFn):
    """Parses a line into its cells, and yields them with the line.

    Args:
        delimiter: The character between cells.
    """

    def __init__(self, delimiter: str) -> None:
        self._delimiter = delimiter
        self._reader: LineReader | None = None

    def setup(self) -> None:
        """Makes the reader of lines."""
        self._reader = LineReader(self._delimiter)

    def process(self, csv_line: CSVLine) -> Iterator[tuple[list[CSVCell], CSVLine]]:
        """Yields the cells, none if the line is blank, and the line.

        Raises:
            AssertionError: `setup` was not called.
        """
        if self._reader is None:
            raise AssertionError("Reader uninitialized. Call setup() first.")
        yield [cell.encode() for cell in self._reader.read(csv_line)], csv_line


class _GreatestTypes(beam.CombineFn):
    """Combines the types of columns, by name, into those that have the values of all."""

    def __init__(self, column_names: list[ColumnName]) -> None:
        self._column_names = column_names

    def create_accumulator(self) -> dict[ColumnName, ColumnType]:
        """Returns the types of no line."""
        return {}

    def add_input(self, accumulator: dict[ColumnName, ColumnType], element: Any) -> dict[ColumnName, ColumnType]:
        """Adds types of columns."""
        return self.merge_accumulators([accumulator, element])

    def merge_accumulators(self, accumulators: Iterable[dict[ColumnName, ColumnType]]) -> dict[ColumnName, ColumnType]:
        """Returns the greatest type of each column."""
        merged: dict[ColumnName, ColumnType] = {}
        for types in accumulators:
            for name, kind in types.items():
                merged[name] = max(kind, merged.get(name, kind))
        return merged

    def extract_output(self, accumulator: dict[ColumnName, ColumnType]) -> list[ColumnInfo]:
        """Returns the columns in their order."""
        return [ColumnInfo(name, accumulator.get(name, ColumnType.UNKNOWN)) for name in self._column_names]


@beam.typehints.with_input_types(List[CSVCell])
@beam.typehints.with_output_types(List[ColumnInfo])
class ColumnTypeInferrer(_GreatestTypes):
    """Combines the cells of lines into the types of the columns.

    Args:
        column_names: The names of the columns, in the order of the cells.
        skip_blank_lines: Whether blank lines are left out. They have no type either way.
        multivalent_columns: The columns whose cells have several values.
        secondary_delimiter: The character between these.
    """

    def __init__(
        self,
        column_names: list[ColumnName],
        skip_blank_lines: bool,
        multivalent_columns: Iterable[ColumnName] | None = None,
        secondary_delimiter: str | None = None,
    ) -> None:
        super().__init__(column_names)
        self._multivalent = Multivalent(multivalent_columns, secondary_delimiter)

    def add_input(self, accumulator: dict[ColumnName, ColumnType], element: Any) -> dict[ColumnName, ColumnType]:
        """Adds the cells of a line.

        Raises:
            ValueError: There are too few, or too many.
        """
        cells: list[CSVCell] = element
        if not cells:
            return accumulator
        if len(cells) != len(self._column_names):
            raise ValueError(f"Columns do not match specified csv headers: {self._column_names} -> {cells}")
        for name, cell in zip(self._column_names, cells, strict=True):
            known = accumulator.get(name)
            if known is ColumnType.STRING:
                continue
            if name in self._multivalent.columns:
                kind = max(map(type_of_value, self._multivalent.split(cell)), default=ColumnType.UNKNOWN)
            else:
                kind = type_of_value(cell)
            if known is None or kind > known:
                accumulator[name] = kind
        return accumulator


class _TypesOfLines(beam.DoFn):
    """Yields the types of the columns of a batch of lines, by name."""

    def __init__(self, column_names: list[ColumnName], delimiter: str, multivalent: Multivalent) -> None:
        self._column_names = column_names
        self._reader = LineReader(delimiter)
        self._multivalent = multivalent

    def process(self, lines: list[CSVLine]) -> Iterator[dict[ColumnName, ColumnType]]:
        rows = [self._reader.read(line) for line in lines]
        types = {}
        for name, cells in zip(self._column_names, _csv_cells.transposed(rows, self._column_names), strict=True):
            values = self._multivalent.split_all(cells)[1] if name in self._multivalent.columns else cells.drop_null()
            types[name] = _csv_cells.type_of_values(values)
        yield types


class _Decoder(beam.DoFn):
    """Makes record batches of the cells of lines."""

    def __init__(self, skip_blank_lines: bool, multivalent: Multivalent, raw_record_column_name: str | None) -> None:
        self._skip_blank_lines = skip_blank_lines
        self._multivalent = multivalent
        self._raw = raw_record_column_name

    def _batch(self, rows: list[Any], lines: list[CSVLine], column_infos: list[ColumnInfo]) -> pa.RecordBatch:
        if self._skip_blank_lines and not all(rows):
            lines = [line for row, line in zip(rows, lines, strict=True) if row]
            rows = [row for row in rows if row]
        columns = {}
        for (name, kind), cells in zip(column_infos, _csv_cells.transposed(rows, [info.name for info in column_infos]), strict=True):
            if kind is not ColumnType.IGNORE:
                columns[name] = _csv_cells.column(name, cells, kind, self._multivalent)
        if self._raw is not None:
            columns[self._raw] = ToSingletonListArray(pa.array(lines, pa.large_binary()))
        return pa.RecordBatch.from_arrays(list(columns.values()), list(columns))


class _LinesToRecordBatch(_Decoder):
    """Makes record batches of batches of lines."""

    def __init__(
        self, delimiter: str, skip_blank_lines: bool, multivalent: Multivalent, raw_record_column_name: str | None
    ) -> None:
        super().__init__(skip_blank_lines, multivalent, raw_record_column_name)
        self._reader = LineReader(delimiter)

    def process(self, lines: list[CSVLine], column_infos: list[ColumnInfo]) -> Iterator[pa.RecordBatch]:
        yield self._batch([self._reader.read(line) for line in lines], lines, column_infos)


@beam.typehints.with_input_types(List[Tuple[List[CSVCell], CSVLine]], List[ColumnInfo])
@beam.typehints.with_output_types(pa.RecordBatch)
class BatchedCSVRowsToRecordBatch(_Decoder):
    """Makes record batches of batches of what `ParseCSVLine` yields.

    Args:
        skip_blank_lines: Whether blank lines are left out; otherwise all columns are null there.
        multivalent_columns: The columns whose cells have several values.
        secondary_delimiter: The character between these.
        raw_record_column_name: The name of one more column, the last, which has the lines.
    """

    def __init__(
        self,
        skip_blank_lines: bool,
        multivalent_columns: Iterable[ColumnName] | None = None,
        secondary_delimiter: str | None = None,
        raw_record_column_name: str | None = None,
    ) -> None:
        super().__init__(skip_blank_lines, Multivalent(multivalent_columns, secondary_delimiter), raw_record_column_name)

    def process(
        self, batch_of_tuple: list[tuple[list[CSVCell], CSVLine]], column_infos: list[ColumnInfo]
    ) -> Iterator[pa.RecordBatch]:
        """Yields the record batch of the lines.

        Raises:
            ValueError: The cells of a line are not those of the columns, or not of their types.
        """
        yield self._batch([row for row, _ in batch_of_tuple], [line for _, line in batch_of_tuple], column_infos)


def GetArrowSchema(column_names: list[str], schema: Any, raw_record_column_name: str | None = None) -> pa.Schema:
    """Returns the schema of the record batches of `CSVToRecordBatch`.

    Args:
        column_names: The names of the columns, in the order of the cells.
        schema: A schema of TensorFlow Metadata.
        raw_record_column_name: The name of the column which has the lines.

    Raises:
        ValueError: A feature is not a column, or a struct; or the raw column has the name of another one.
    """
    features = [feature.name for feature in schema.feature]
    if not set(features) <= set(column_names):
        raise ValueError(f"Schema features are not a subset of column names: {features} vs {column_names}")
    _check_raw(raw_record_column_name, column_names)
    fields = [(name, ARROW_TYPES[kind]) for name, kind in _infos(schema, column_names) if kind is not ColumnType.IGNORE]
    if raw_record_column_name is not None:
        fields.append((raw_record_column_name, ARROW_TYPES[ColumnType.STRING]))
    return pa.schema(fields)


def _infos(schema: Any, column_names: list[str]) -> list[ColumnInfo]:
    """Returns the columns with the types of the features of a schema; others are ignored."""
    from tensorflow_metadata.proto.v0 import schema_pb2

    kinds = {schema_pb2.INT: ColumnType.INT, schema_pb2.FLOAT: ColumnType.FLOAT, schema_pb2.BYTES: ColumnType.STRING}
    types = {}
    for feature in schema.feature:
        if feature.type not in kinds:
            kind = schema_pb2.FeatureType.Name(feature.type)
            raise ValueError(
                f"Schema contains invalid type: {kind}. Feature {feature.name} has unsupport type {feature.type}: it must be INT, FLOAT or BYTES"
            )
        types[feature.name] = kinds[feature.type]
    return [ColumnInfo(name, types.get(name, ColumnType.IGNORE)) for name in column_names]


def _check_raw(raw_record_column_name: str | None, column_names: list[str]) -> None:
    if raw_record_column_name is not None and raw_record_column_name in column_names:
        raise ValueError(f"raw_record_column_name: {raw_record_column_name} is already an existing column name. Please choose a different name.")
