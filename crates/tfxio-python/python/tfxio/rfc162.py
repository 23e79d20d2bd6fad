"""The names of TensorFlow RFC 162, *Standardized TFX Inputs*: data sets by the layout of their records.

>>> import tfxio.rfc162
>>> records = tfxio.rfc162.TFExampleRecord(DIGITS)
>>> records.ArrowSchema().names
['id', 'image', 'label']
"""

from __future__ import annotations

from tfxio._rfc import TFXIO, AvroRecord, CsvTFXIO, ParquetTFXIO, RawTFRecord, TFExampleRecord, TFSequenceExampleRecord

__all__ = ["TFXIO", "AvroRecord", "CsvTFXIO", "ParquetTFXIO", "RawTFRecord", "TFExampleRecord", "TFSequenceExampleRecord"]
