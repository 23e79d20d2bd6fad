"""Values and exceptions as text, so that those of two processes compare."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

#: What differs between two processes: addresses, folders of temporary files, and whose module a class is of.
_OF_PROCESS = re.compile(r" at 0x[0-9a-f]+|(?<=<)(tfxio\.compat\.)?tfx_bsl\S*\.|[^\s'\"]*tfxio-(outcomes|models)-\w+")


def outcome(call: Callable[[], Any]) -> dict[str, Any]:
    """Returns what came of a call: the value as text, or the names of the classes of the exception and its text."""
    try:
        return {"value": text(call())}
    except Exception as error:
        classes = [each.__name__ for each in type(error).__mro__ if each not in (object, BaseException)]
        return {"error": classes, "text": _OF_PROCESS.sub("", str(error))}


def text(value: Any) -> str:
    """Returns a value as text, with the types of arrays, and of what they hold."""
    if isinstance(value, (pa.Array, pa.ChunkedArray)):
        return f"{value.type} {value.to_pylist()}"
    if isinstance(value, pa.RecordBatch):
        columns = [f"{field.name}: {text(value.column(index))}" for index, field in enumerate(value.schema)]
        return f"{value.num_rows} rows {{{', '.join(columns)}}}"
    if isinstance(value, pa.Schema):
        return f"schema {[(field.name, str(field.type), field.nullable) for field in value]}"
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)} {value.tolist()}"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{text(key)}: {text(value[key])}' for key in sorted(value, key=str))}}}"
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return f"{type(value).__name__}({', '.join(f'{name}={text(getattr(value, name))}' for name in value._fields)})"
    if isinstance(value, (list, tuple)):
        return f"{type(value).__name__}({', '.join(map(text, value))})"
    if isinstance(value, (set, frozenset)):
        return f"set({', '.join(sorted(map(text, value)))})"
    if hasattr(value, "SerializeToString"):
        return f"{type(value).__name__} {str(value).strip()!r}"
    if hasattr(value, "row_splits"):
        return f"ragged {text(np.asarray(value.row_splits))} {text(value.values)}"
    if hasattr(value, "dense_shape"):
        parts = (value.indices, value.values, value.dense_shape)
        return f"sparse {', '.join(text(np.asarray(part)) for part in parts)}"
    if hasattr(value, "numpy"):
        return f"tensor {text(np.asarray(value))}"
    return _OF_PROCESS.sub("", repr(value))
