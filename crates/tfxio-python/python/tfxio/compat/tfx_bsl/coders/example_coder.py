"""Records of tf.Example to record batches, and back."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from tfxio.compat.tfx_bsl_extension import coders as _native
from tfxio.compat.tfx_bsl_extension.coders import ExampleToNumpyDict

__all__ = ["ExampleToNumpyDict", "ExamplesToRecordBatchDecoder", "RecordBatchToExamples", "RecordBatchToExamplesEncoder"]


class ExamplesToRecordBatchDecoder:
    """Decodes serialized examples: a column of large lists for each feature. It can be pickled.

    Args:
        serialized_schema: A serialized schema of TensorFlow Metadata: its features are the columns, in its order and of its types. Without
            one, each batch has the features of its examples, in the order of their names.

    >>> import tfxio
    >>> from tfxio.compat.tfx_bsl.coders.example_coder import ExamplesToRecordBatchDecoder
    >>> ExamplesToRecordBatchDecoder().DecodeBatch([tfxio.Example({"age": 36}).to_bytes()]).to_pydict()
    {'age': [[36]]}
    """

    __slots__ = ("_decoder", "_schema")

    def __init__(self, serialized_schema: bytes | None = None) -> None:
        self._schema = serialized_schema
        self._decoder = _native.ExamplesToRecordBatchDecoder(serialized_schema)

    def DecodeBatch(self, examples: list[bytes]) -> pa.RecordBatch:
        """Returns the examples as the rows of a batch.

        Raises:
            RuntimeError: An example is damaged, or does not follow the schema.
        """
        return self._decoder.DecodeBatch(examples)

    def ArrowSchema(self) -> pa.Schema:
        """Returns the schema of all batches.

        Raises:
            RuntimeError: There is none: each batch has its own.
        """
        return self._decoder.ArrowSchema()

    def __reduce__(self) -> tuple[type[ExamplesToRecordBatchDecoder], tuple[bytes | None]]:
        return type(self), (self._schema,)


class RecordBatchToExamplesEncoder:
    """Encodes the rows of record batches as serialized examples. It can be pickled.

    Args:
        schema: A schema of TensorFlow Metadata, which lists in lists need: it says how a ragged tensor is put into features.

    >>> import pyarrow as pa, tfxio
    >>> from tfxio.compat.tfx_bsl.coders.example_coder import RecordBatchToExamplesEncoder
    >>> [record] = RecordBatchToExamplesEncoder().encode(pa.record_batch({"age": [[36]]}))
    >>> tfxio.Example.from_bytes(record)["age"]
    [36]
    """

    __slots__ = ("_encoder", "_schema")

    def __init__(self, schema: Any | None = None) -> None:
        self._schema = schema
        self._encoder = _native.RecordBatchToExamplesEncoder(None if schema is None else schema.SerializeToString())

    def encode(self, record_batch: pa.RecordBatch) -> list[bytes]:
        """Returns the serialized example of each row.

        Raises:
            RuntimeError: No feature has the type of a column.
        """
        return self._encoder.Encode(record_batch)

    def __reduce__(self) -> tuple[type[RecordBatchToExamplesEncoder], tuple[Any]]:
        return type(self), (self._schema,)


def RecordBatchToExamples(record_batch: pa.RecordBatch) -> list[bytes]:
    """Returns the serialized example of each row, without a schema."""
    return RecordBatchToExamplesEncoder().encode(record_batch)
