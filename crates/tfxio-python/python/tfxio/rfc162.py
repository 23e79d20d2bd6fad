"""The names of TensorFlow RFC 162, *Standardized TFX Inputs*: data sets by the layout of their records.

>>> import tempfile, tfxio.rfc162
>>> written = tfxio.write({"label": [7, 1, 7]}, tempfile.mkdtemp() + "/labels.tfrecord")
>>> tfxio.rfc162.TFExampleRecord(written.files).ArrowSchema().names
['label']
"""

from __future__ import annotations

from tfxio._rfc import TFXIO, AvroRecord, CsvTFXIO, ParquetTFXIO, RawTFRecord, TFExampleRecord, TFSequenceExampleRecord

__all__ = ["TFXIO", "AvroRecord", "CsvTFXIO", "ParquetTFXIO", "RawTFRecord", "TFExampleRecord", "TFSequenceExampleRecord"]
