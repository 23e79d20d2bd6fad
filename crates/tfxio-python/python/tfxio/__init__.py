"""Read machine-learning training data into Apache Arrow, tensors and batches, without TensorFlow.

>>> import tempfile, tfxio
>>> written = tfxio.write({"label": [7, 1, 7], "text": ["a", "b", "c"]}, tempfile.mkdtemp() + "/train.tfrecord")
>>> ds = tfxio.open(written.files)  # a path, a pattern, several of them, a URL
>>> len(ds)
3
>>> for batch in ds.read(columns=["label"], batch_size=2):
...     print(batch.num_rows)
2
1
"""

from __future__ import annotations

from tfxio import exceptions
from tfxio._avro import AvroFeatures
from tfxio._commands import Extracted, LostRange, Repaired, convert, extract, index, inspect, repair, verify
from tfxio._dataset import Dataset, open, open_spec
from tfxio._expressions import Column, Expression, col
from tfxio._lib import (
    Array,
    BatchReader,
    DenseTensor,
    LoadedBatch,
    Partition,
    RaggedTensor,
    RecordBatch,
    RecordIndex,
    Request,
    Schema,
    SparseTensor,
    StructuredTensor,
    TensorReader,
)
from tfxio._loader import BatchLoader, LoaderAnomaly, LoaderPlan
from tfxio._loader_map import MappedLoader
from tfxio._losses import Loss
from tfxio._progress import Progress
from tfxio._records import (
    Example,
    TFRecordReader,
    TFRecordWriter,
    decode_examples,
    encode_examples,
    open_index,
)
from tfxio._representations import Dense, FixedLen, Ragged, Representation, Sparse, VarLen
from tfxio._rfc import (
    TFXIO,
    AvroRecord,
    CsvTFXIO,
    ParquetTFXIO,
    RawTFRecord,
    TFExampleRecord,
    TFSequenceExampleRecord,
)
from tfxio._schema import infer_schema, validate
from tfxio._skipped import SkippedRange, SkipReport
from tfxio._statistics import Anomaly, Statistics
from tfxio._tensors import TensorAdapter
from tfxio._warning import CredentialsWarning, LossWarning, RebatchedWarning, SkippedWarning, SlowWarning, TfxioWarning
from tfxio._writing import Written, write
from tfxio.exceptions import TfxioError

__version__ = "0.1.0"

__all__ = [
    "Anomaly",
    "Array",
    "AvroFeatures",
    "AvroRecord",
    "BatchLoader",
    "BatchReader",
    "Column",
    "CredentialsWarning",
    "CsvTFXIO",
    "Dataset",
    "Dense",
    "DenseTensor",
    "Example",
    "Expression",
    "Extracted",
    "FixedLen",
    "LoadedBatch",
    "LoaderAnomaly",
    "LoaderPlan",
    "Loss",
    "LossWarning",
    "LostRange",
    "MappedLoader",
    "ParquetTFXIO",
    "Partition",
    "Progress",
    "Ragged",
    "RaggedTensor",
    "RawTFRecord",
    "RebatchedWarning",
    "RecordBatch",
    "RecordIndex",
    "Repaired",
    "Representation",
    "Request",
    "Schema",
    "Sparse",
    "SkipReport",
    "SkippedRange",
    "SkippedWarning",
    "SlowWarning",
    "SparseTensor",
    "Statistics",
    "StructuredTensor",
    "TFExampleRecord",
    "TFRecordReader",
    "TFRecordWriter",
    "TFSequenceExampleRecord",
    "TFXIO",
    "TensorAdapter",
    "TensorReader",
    "TfxioError",
    "TfxioWarning",
    "VarLen",
    "Written",
    "col",
    "convert",
    "decode_examples",
    "encode_examples",
    "exceptions",
    "extract",
    "index",
    "infer_schema",
    "inspect",
    "open",
    "open_index",
    "open_spec",
    "repair",
    "validate",
    "verify",
    "write",
]
