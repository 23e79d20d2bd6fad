"""What comes of a column by a reader."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.types as of

from . import values
from .found import Found, Reader
from .looser import measure, stands_for
from .written import Variant


class Outcome(NamedTuple):
    """What came of it."""

    #: What it is in the table: "same", "as TYPE", "other values" or "an error".
    word: str
    #: What was found, or the text of the error.
    detail: str = ""


def read(reader: Reader, path: Path, variant: Variant, types: pa.Schema | None = None) -> dict[str, Found] | str:
    """Reads a file, of text perhaps with the types of its columns, or returns the error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return reader.reads[variant.format](path, variant, types)
    except KeyboardInterrupt:
        raise
    # polars ends with what is no Exception where it panics.
    except BaseException as error:
        return f"{type(error).__name__}: {error}"


def judge(found: Found, wanted: pa.Array, format_: str) -> Outcome:
    """Compares a column with what was written."""
    expected = values.of_arrow(wanted)
    if format_ == "TFRecord":
        expected = [_feature(value) for value in expected]
    if len(found.values) != len(expected):
        return Outcome("other values", f"{len(found.values)} rows as {found.type}")
    unit = measure(wanted.type)
    for row, (one, other) in enumerate(zip(found.values, expected, strict=True)):
        if not stands_for(one, other, unit):
            return Outcome("other values", f"row {row}: {one!r}, not {other!r}, as {found.type}")
    if _is_same_type(found, wanted.type, format_ == "TFRecord") and all(map(values.same, found.values, expected)):
        return Outcome("same", found.type)
    return Outcome(f"as `{found.type}`")


def _feature(value: Any) -> Any:
    """Returns the list that a value becomes in tf.Example, or those of the fields of a struct."""
    if isinstance(value, dict):
        return {name: _feature(field) for name, field in value.items()}
    return value if value is None or isinstance(value, list) else [value]


def _is_same_type(found: Found, wanted: pa.DataType, in_lists: bool) -> bool:
    if found.arrow is not None:
        kind = plain(wanted)
        # A feature of tf.Example is a list.
        return bool(plain(found.arrow) == (kind.value_type if in_lists and isinstance(kind, pa.ListType) else kind))
    return found.type in kinds(plain(wanted))


def plain(type_: pa.DataType) -> pa.DataType:
    """Returns a type without what is a matter of layout: widths of offsets, views, dictionaries, runs and names of items."""
    if isinstance(type_, pa.BaseExtensionType):
        return type_ if type_.extension_name == "arrow.uuid" else plain(type_.storage_type)
    if of.is_dictionary(type_) or of.is_run_end_encoded(type_):
        return plain(type_.value_type)
    if of.is_decimal(type_):
        return pa.decimal256(type_.precision, type_.scale)
    if of.is_large_string(type_) or of.is_string_view(type_):
        return pa.string()
    if of.is_large_binary(type_) or of.is_binary_view(type_):
        return pa.binary()
    if of.is_timestamp(type_) and type_.tz is not None:
        return pa.timestamp(type_.unit, {"+00:00": "UTC", "Etc/UTC": "UTC"}.get(type_.tz, type_.tz))
    if of.is_map(type_):
        return pa.map_(plain(type_.key_type), plain(type_.item_type))
    if of.is_struct(type_):
        return pa.struct([pa.field(field.name, plain(field.type)) for field in type_])
    if of.is_fixed_size_list(type_):
        return pa.list_(plain(type_.value_type), type_.list_size)
    if of.is_list(type_) or of.is_large_list(type_) or of.is_list_view(type_) or of.is_large_list_view(type_):
        return pa.list_(plain(type_.value_type))
    return type_


def kinds(type_: pa.DataType) -> set[str]:
    """Returns the classes of Python, and the types of pandas, whose values are of a type."""
    if of.is_null(type_):
        return {"None"}
    if of.is_boolean(type_):
        return {"bool", "boolean"}
    if of.is_integer(type_):
        return {"int", str(type_).replace("int", "Int").replace("uI", "UI")}
    if of.is_floating(type_):
        return {"float", {16: "Float16", 32: "Float32", 64: "Float64"}[type_.bit_width]}
    if of.is_decimal(type_):
        return {"Decimal"}
    for is_of, name in ((of.is_date, "date"), (of.is_time, "time"), (of.is_timestamp, "datetime"), (of.is_string, "str")):
        if is_of(type_):
            return {name, "string" if name == "str" else name}
    if of.is_binary(type_) or of.is_fixed_size_binary(type_):
        return {"bytes"}
    if of.is_map(type_) or of.is_struct(type_):
        return {"dict"}
    if of.is_list(type_) or of.is_fixed_size_list(type_):
        return {"list"}
    return {"UUID"} if isinstance(type_, pa.BaseExtensionType) else set()
