"""Records as record batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import pyarrow as pa

from tfxio._lib import ExamplesToRecordBatchDecoder, SequenceExamplesToRecordBatchDecoder
from tfxio.compat.tfx_bsl.tfxio._raw_records import AppendRawRecordColumn, CreateRawRecordColumn

#: The column of the feature lists of a tf.SequenceExample.
SEQUENCE_COLUMN = "##SEQUENCE##"


class Decoder(Protocol):
    """Turns records into record batches. Can be pickled."""

    def decode(self, records: Sequence[bytes] | pa.Array) -> pa.RecordBatch:
        """Returns a row for each record."""
        ...


class RawDecoder:
    """Leaves records as they are, in a column of lists of one.

    Args:
        column: The name of the column.
    """

    def __init__(self, column: str) -> None:
        self.column = column

    def decode(self, records: Sequence[bytes] | pa.Array) -> pa.RecordBatch:
        """Returns a row for each record."""
        return pa.RecordBatch.from_arrays([CreateRawRecordColumn(records)], [self.column])


class ExampleDecoder:
    """Decodes records of tf.Example or tf.SequenceExample.

    Args:
        schema: A schema of TensorFlow Metadata, as bytes: its features are the columns. Without it, the features of each batch are.
        raw_record_column: The last column, which has the records as they are; without it there is none.
        is_sequence: Whether they are of tf.SequenceExample.
    """

    def __init__(self, schema: bytes | None, raw_record_column: str | None = None, is_sequence: bool = False) -> None:
        self.schema = schema
        self.raw_record_column = raw_record_column
        self.is_sequence = is_sequence
        self._native: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.schema, self.raw_record_column, self.is_sequence)

    def decode(self, records: Sequence[bytes] | pa.Array) -> pa.RecordBatch:
        """Returns a row for each record."""
        batch = self._decoder().DecodeBatch(records)
        if self.raw_record_column is None:
            return batch
        return AppendRawRecordColumn(batch, self.raw_record_column, records)

    def arrow_schema(self) -> pa.Schema:
        """Returns the schema of the record batches, but for the column of raw records.

        Raises:
            ValueError: There is no schema of TensorFlow Metadata.
        """
        if self.schema is None:
            raise ValueError("TFMD schema not provided. Unable to derive an Arrow schema")
        return self._decoder().ArrowSchema()

    def _decoder(self) -> Any:
        if self._native is None:
            if self.is_sequence:
                self._native = SequenceExamplesToRecordBatchDecoder(SEQUENCE_COLUMN, self.schema)
            else:
                self._native = ExamplesToRecordBatchDecoder(self.schema)
        return self._native
