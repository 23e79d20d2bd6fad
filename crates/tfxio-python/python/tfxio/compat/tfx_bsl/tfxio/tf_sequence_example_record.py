"""Records of tf.SequenceExample: of TFRecord files, or such that a pipeline has already."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
from tensorflow_metadata.proto.v0 import schema_pb2

from tfxio.compat.tfx_bsl.arrow.path import ColumnPath
from tfxio.compat.tfx_bsl.tfxio import tensor_representation_util, tfxio
from tfxio.compat.tfx_bsl.tfxio._decoding import SEQUENCE_COLUMN
from tfxio.compat.tfx_bsl.tfxio._records import DecodedExamples, ExamplesOfFiles, GivenRecords, file_patterns

__all__ = ["TFSequenceExampleBeamRecord", "TFSequenceExampleRecord"]


class _TFSequenceExampleRecordBase(DecodedExamples):
    """Records of tf.SequenceExample. The feature lists are in a column of structs."""

    _is_sequence = True

    def __init__(
        self,
        schema: schema_pb2.Schema | None,
        raw_record_column_name: str | None,
        telemetry_descriptors: list[str] | None,
        physical_format: str,
    ) -> None:
        super().__init__(telemetry_descriptors, "tf_sequence_example", physical_format, raw_record_column_name)
        self._schema = schema

    @property
    def schema(self) -> schema_pb2.Schema:
        """The schema of TensorFlow Metadata.

        Raises:
            ValueError: There is none.
        """
        if self._schema is None:
            raise ValueError("Schema is undefined.")
        return self._schema

    def _ArrowSchemaNoRawRecordColumn(self) -> pa.Schema:
        _ = self.schema
        return super()._ArrowSchemaNoRawRecordColumn()

    def _projected(self, tensor_names: Sequence[str]) -> schema_pb2.Schema:
        """Returns a schema of some tensors: their representations, and the features and feature lists that are their columns.

        Raises:
            ValueError: There is no such tensor.
        """
        every = self.TensorRepresentations()
        missing = set(tensor_names) - every.keys()
        if missing:
            raise ValueError(f"Unable to project {missing} because they were not in the original TensorRepresentations.")
        chosen = {name: each for name, each in every.items() if name in set(tensor_names)}
        columns = {
            column
            for each in chosen.values()
            for column in tensor_representation_util.GetSourceColumnsFromTensorRepresentation(each)
        }
        projected = schema_pb2.Schema()
        for feature in self.schema.feature:
            if feature.name == SEQUENCE_COLUMN:
                lists = [
                    each
                    for each in feature.struct_domain.feature
                    if ColumnPath((SEQUENCE_COLUMN, each.name)) in columns
                ]
                if lists:
                    kept = projected.feature.add()
                    kept.CopyFrom(feature)
                    kept.struct_domain.CopyFrom(schema_pb2.StructDomain(feature=lists))
            elif ColumnPath(feature.name) in columns:
                projected.feature.add().CopyFrom(feature)
        tensor_representation_util.SetTensorRepresentationsInSchema(projected, chosen)
        return projected


class TFSequenceExampleBeamRecord(GivenRecords, _TFSequenceExampleRecordBase):
    """Records of tf.SequenceExample that a pipeline has already.

    Args:
        physical_format: How they lay in files, for counters.
        telemetry_descriptors: The component that reads, for its counters.
        schema: A schema of TensorFlow Metadata.
        raw_record_column_name: The last column, which has the records as they are; without it there is none.
    """

    def __init__(
        self,
        physical_format: str,
        telemetry_descriptors: list[str],
        schema: schema_pb2.Schema | None = None,
        raw_record_column_name: str | None = None,
    ) -> None:
        super().__init__(schema, raw_record_column_name, telemetry_descriptors, physical_format)

    def _ProjectImpl(self, tensor_names: list[str]) -> tfxio.TFXIO:
        return TFSequenceExampleBeamRecord(
            self._physical_format,
            self._telemetry_descriptors or [],
            self._projected(tensor_names),
            self._raw_record_column_name,
        )


class TFSequenceExampleRecord(ExamplesOfFiles, _TFSequenceExampleRecordBase):
    """Records of tf.SequenceExample in TFRecord files.

    Args:
        file_pattern: Paths or patterns.
        telemetry_descriptors: The component that reads, for its counters.
        validate: Has no meaning.
        schema: A schema of TensorFlow Metadata.
        raw_record_column_name: The last column, which has the records as they are; without it there is none.
    """

    def __init__(
        self,
        file_pattern: str | Sequence[str],
        telemetry_descriptors: list[str],
        validate: bool = True,
        schema: schema_pb2.Schema | None = None,
        raw_record_column_name: str | None = None,
    ) -> None:
        super().__init__(schema, raw_record_column_name, telemetry_descriptors, "tfrecords_gzip")
        self._file_pattern = file_patterns(file_pattern)

    def _ProjectImpl(self, tensor_names: list[str]) -> tfxio.TFXIO:
        return TFSequenceExampleRecord(
            self._file_pattern,
            self._telemetry_descriptors or [],
            schema=self._projected(tensor_names),
            raw_record_column_name=self._raw_record_column_name,
        )
