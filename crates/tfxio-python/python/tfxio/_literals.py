"""Arguments that are one of a few words, for editors and type checkers."""

from __future__ import annotations

from typing import Literal, TypeAlias

#: The treatment of damaged records.
OnError: TypeAlias = Literal["fail", "skip"]
#: The treatment of records that leave the schema of a loader.
OnLeave: TypeAlias = Literal["stop", "warn"]
#: The format of files.
FileFormat: TypeAlias = Literal["tfrecord", "avro", "parquet", "arrow", "csv", "jsonl"]
#: The format of the records of TFRecord files.
RecordFormat: TypeAlias = Literal["example", "sequence_example", "raw", "proto"]
#: The format of files that are read, or of their records.
Format: TypeAlias = FileFormat | RecordFormat
#: The compression of a TFRecord file.
Compression: TypeAlias = Literal["none", "gzip", "zlib"]
#: The type of the values of a tensor.
DType: TypeAlias = Literal[
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32", "float64", "string"
]
#: The type of the values of a tensor that a loader makes.
LoaderDType: TypeAlias = DType | Literal["half", "float", "double"]
