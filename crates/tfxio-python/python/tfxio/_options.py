"""The options of formats as keywords, for editors and type checkers. A test compares them with those that the formats have."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal, TypeAlias, TypedDict

from tfxio._literals import RecordFormat

File: TypeAlias = str | os.PathLike[str]

#: Options of outputs that `tfxio.write`, which has no input, takes without `output_` before them.
SHORT = "output_"


class FormatOptions(TypedDict, total=False):
    """Options that every function with options has."""

    arrow_names: bool | None
    blank_lines: Literal["skip", "null"] | None
    column_names: Sequence[str] | None
    defaults: bool | None
    delimiter: str | None
    descriptor: File | None
    enums: Literal["names", "numbers"] | None
    escape: str | None
    features: File | None
    fields: Sequence[str] | None
    fixed_size_lists: bool | None
    header: bool | None
    index: bool | None
    index_dir: str | None
    infer_bytes: int | None
    int96: Literal["ns", "us"] | None
    keep_index: Literal["none", "beside", "cache"] | None
    keys: Sequence[str] | None
    layout: Literal["structured", "plain"] | None
    logical_types: bool | None
    max_depth: int | None
    message: str | None
    missing_shards: Literal["note", "error", "allow"] | None
    multivalent_columns: Sequence[str] | None
    offsets: Literal["64", "32"] | None
    other_messages: Literal["ignore", "refuse"] | None
    proto_path: Sequence[str] | None
    quoted_newlines: bool | None
    quoting: Literal["rfc4180", "none"] | None
    raw_record_column: str | None
    reader_schema: File | None
    records: RecordFormat | None
    representations: File | None
    secondary_delimiter: str | None
    sequence_column: str | None
    source_column: str | None
    text_columns: Sequence[str] | None
    union_by_name: bool | None
    unknown_features: Literal["ignore", "refuse"] | None
    unknown_fields: str | None
    verify: Literal["all", "headers", "none"] | None


class OpenOptions(FormatOptions, total=False):
    """The options of `tfxio.open`."""

    column: str | None
    compression: Literal["auto", "none", "gzip", "zlib"] | None
    infer_records: int | None


class LookOptions(OpenOptions, total=False):
    """The options of what looks at files: `tfxio.inspect`, `verify`, `index` and `repair`."""

    scalars: bool | Sequence[str] | None
    schema: File | None
    text: bool | Sequence[str] | None


class ExtractOptions(FormatOptions, total=False):
    """The options of `tfxio.extract`."""

    compression: Literal["auto", "none", "gzip", "zlib"] | None
    infer_records: int | None
    scalars: bool | Sequence[str] | None
    text: bool | Sequence[str] | None


class OutputOptions(TypedDict, total=False):
    """Options of files that are written."""

    block_bytes: int | None
    codec: Literal["deflate", "null", "snappy", "zstandard", "bzip2", "xz"] | None
    level: int | None
    output_compression: Literal["auto", "none", "gzip", "zlib", "zstd", "snappy", "lz4"] | None
    output_compression_level: int | None
    output_dictionary: Literal["auto", "always", "never"] | None
    output_escape_formulas: bool | None
    row_group_bytes: int | None
    row_group_rows: int | None
    shard_bytes: int | None
    single_member: bool | None
    writer_schema: File | None


class ConvertOptions(FormatOptions, OutputOptions, total=False):
    """The options of `tfxio.convert`: of its inputs, and of its output."""

    column: str | None
    compression: Literal["auto", "none", "gzip", "zlib"] | None


class WriteOptions(FormatOptions, OutputOptions, total=False):
    """The options of `tfxio.write`."""

    column: str | None
    compression: Literal["auto", "none", "gzip", "zlib", "zstd", "snappy", "lz4"] | None
    compression_level: int | None
    dictionary: Literal["auto", "always", "never"] | None
    escape_formulas: bool | None
