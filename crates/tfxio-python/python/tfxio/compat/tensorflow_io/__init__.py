"""What tensorflow-io 0.37.1 has for Avro, by the same names and signatures.

`experimental.columnar` has `parse_avro`, `make_avro_record_dataset`, `AvroRecordDataset` and `VarLenFeatureWithRank`; `IOTensor` and
`IODataset` have `from_avro`. TensorFlow is needed, tensorflow-io is not.
"""

from __future__ import annotations

from tfxio.compat.tensorflow_io import experimental
from tfxio.compat.tensorflow_io._columns import IODataset, IOTensor

__all__ = ["IODataset", "IOTensor", "experimental"]
