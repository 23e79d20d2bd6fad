"""Records of tf.Example: of TFRecord files, or such that a pipeline has already."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorflow_metadata.proto.v0 import schema_pb2

from tfxio.compat.tfx_bsl.tfxio import tensor_representation_util, tfxio
from tfxio.compat.tfx_bsl.tfxio._parsing import parser_config
from tfxio.compat.tfx_bsl.tfxio._records import DecodedExamples, ExamplesOfFiles, GivenRecords, file_patterns

__all__ = ["TFExampleBeamRecord", "TFExampleRecord"]


class _TFExampleRecordBase(DecodedExamples):
    """Records of tf.Example, with or without a schema of TensorFlow Metadata."""

    def __init__(
        self,
        schema: schema_pb2.Schema | None = None,
        raw_record_column_name: str | None = None,
        telemetry_descriptors: list[str] | None = None,
        physical_format: str | None = None,
    ) -> None:
        super().__init__(telemetry_descriptors, "tf_example", physical_format or "unknown", raw_record_column_name)
        self._schema = schema

    def _GetTfExampleParserConfig(self) -> tuple[dict[str, Any], dict[str, str]]:
        """Returns the specs by which `tf.io.parse_example` makes the tensors, and the name of the tensor of each.

        Raises:
            ValueError: There is no schema, or two tensors need the same feature in different ways, which `tf.io` has not.
        """
        if self._schema is None:
            raise ValueError("Unable to create a parsing config because no schema is provided.")
        return parser_config(self._schema, self.TensorRepresentations())


class TFExampleBeamRecord(GivenRecords, _TFExampleRecordBase):
    """Records of tf.Example that a pipeline has already.

    Args:
        physical_format: How they lay in files, for counters.
        telemetry_descriptors: The component that reads, for its counters.
        schema: A schema of TensorFlow Metadata.
        raw_record_column_name: The last column, which has the records as they are; without it there is none.
    """

    def __init__(
        self,
        physical_format: str,
        telemetry_descriptors: list[str] | None = None,
        schema: schema_pb2.Schema | None = None,
        raw_record_column_name: str | None = None,
    ) -> None:
        super().__init__(schema, raw_record_column_name, telemetry_descriptors, physical_format)

    def _ProjectImpl(self, tensor_names: list[str]) -> tfxio.TFXIO:
        schema = tensor_representation_util.ProjectTensorRepresentationsInSchema(self._schema, tensor_names)
        return TFExampleBeamRecord(
            self._physical_format, self._telemetry_descriptors, schema, self._raw_record_column_name
        )


class TFExampleRecord(ExamplesOfFiles, _TFExampleRecordBase):
    """Records of tf.Example in TFRecord files.

    Args:
        file_pattern: Paths or patterns.
        validate: Has no meaning.
        schema: A schema of TensorFlow Metadata.
        raw_record_column_name: The last column, which has the records as they are; without it there is none.
        telemetry_descriptors: The component that reads, for its counters.
    """

    def __init__(
        self,
        file_pattern: str | Sequence[str],
        validate: bool = True,
        schema: schema_pb2.Schema | None = None,
        raw_record_column_name: str | None = None,
        telemetry_descriptors: list[str] | None = None,
    ) -> None:
        super().__init__(schema, raw_record_column_name, telemetry_descriptors, "tfrecords_gzip")
        self._file_pattern = file_patterns(file_pattern)

    def _ProjectImpl(self, tensor_names: list[str]) -> tfxio.TFXIO:
        return TFExampleRecord(
            self._file_pattern,
            schema=tensor_representation_util.ProjectTensorRepresentationsInSchema(self._schema, tensor_names),
            raw_record_column_name=self._raw_record_column_name,
            telemetry_descriptors=self._telemetry_descriptors,
        )
