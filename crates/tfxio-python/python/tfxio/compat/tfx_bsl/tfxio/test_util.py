"""Data sets for tests."""

from __future__ import annotations

from tensorflow_metadata.proto.v0 import schema_pb2

from tfxio.compat.tfx_bsl.tfxio.tf_example_record import TFExampleBeamRecord


class InMemoryTFExampleRecord(TFExampleBeamRecord):
    """Records of tf.Example that a pipeline has already."""

    def __init__(self, schema: schema_pb2.Schema | None = None, raw_record_column_name: str | None = None) -> None:
        super().__init__("inmem", ["test", "component"], schema, raw_record_column_name)
