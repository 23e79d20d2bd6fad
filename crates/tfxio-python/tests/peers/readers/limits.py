"""What readers do not hold, and why: a column that one of them refuses or reads as other values needs a reason here."""

from __future__ import annotations

import re

#: By the reader: what "FORMAT: COLUMN" or a way of writing is, and the reason.
LIMITS: dict[str, dict[str, str]] = {
    "pyarrow": {
        r"Parquet: fixed_size_list": "takes no null among lists of a fixed size, its own included",
        r"conditions on float16": "does not compare such floats",
        r"CSV: decimal(32|64|256)": "no such decimals of texts; a float unless a type is given",
        r"JSON lines: float.* of NaN": "takes no text beside numbers",
        r"JSON lines: (large_|fixed_size_)?binary": "takes no text beside objects, which bytes other than UTF-8 are",
        r"JSON lines: map": "keys are fields of a struct",
    },
    "pandas": {
        r"(CSV|JSON lines): (uint64|decimal)": "numbers of more than 63 bits, and decimals, are floats or texts",
        r"CSV: (large_)?(string|binary)|CSV: (struct|dictionary of string|large_list)": "an empty text is null",
        r"JSON lines: (int64|dictionary of int64)": "a float where there is a null",
        r"JSON lines: float64$": "takes no subnormal number",
    },
    "polars": {
        r".*: decimal256": "decimals have up to 38 digits",
        r".*: interval": "no such type",
        r"(Parquet|Arrow .*): (large_)?list_view": "no such type",
        r"Arrow .*: (run_end_encoded|union)": "no such type",
        r"Avro: null": "no column of nulls alone",
        r"Avro: map of string": "no maps of Avro",
        r"Avro, (zstandard|bzip2|xz)": "no such codec",
        r"CSV, escape": "quotes are written twice, and no other way is known",
        r"JSON lines: (large_|fixed_size_)?binary": 'bytes other than UTF-8 stay the text of an object `{"base64": …}`',
        r"JSON lines: map of int32": "keys are fields of a struct",
    },
    "DuckDB": {
        r"(Parquet|CSV): decimal256": "a float; decimals have up to 38 digits",
        r"JSON lines: float16 of NaN": "JSON, since NaN is a text; float32 if it were given",
        r"JSON lines: (large_|fixed_size_)?binary": "JSON, since bytes other than UTF-8 are objects",
    },
    "Spark": {
        r"(Parquet|CSV): decimal256": "decimals have up to 38 digits",
        r"Parquet: (float16|time32|interval|uuid)": "no such type in Parquet",
        r"(Parquet|CSV): timestamp ns": "microseconds alone",
        # parquet-java 1.17 compares bits there; `parquet.filter.dictionary.enabled=false` leaves the dictionary out.
        r"conditions on float(32|64), row groups": "0.0 does not find a row group whose dictionary has -0.0 alone, nor -0.0 one of 0.0",
        r"JSON lines: (large_|fixed_size_)?binary": 'bytes other than UTF-8 stay the text of an object `{"base64": …}`',
        r"JSON lines: map of int32": "keys are fields of a struct",
    },
    "fastavro": {},
    "TensorFlow": {},
}

#: Names of columns that readers change: by the reader, the format and the name, what becomes of it. Avro has no other names than those of
#: letters of ASCII, digits and `_`; what `docs/avro.md` says is written instead.
OTHER_NAMES: dict[tuple[str, str, str], str | None] = {
    # A name that is empty, or has blanks around it, is none to them.
    ("DuckDB", "Parquet", ""): "C1",
    ("DuckDB", "CSV", " lead"): "lead",
    ("DuckDB", "JSON lines", ""): "json",
    ("Spark", "JSON lines", ""): None,
    # Quotes written twice are read as one in cells alone.
    ("polars", "CSV", 'q"q'): 'q""q',
}


class Reasons:
    """The reasons of a reader."""

    def __init__(self, reader: str) -> None:
        self.reader = reader

    def of(self, what: str) -> str | None:
        """Returns the reason for something, if there is one."""
        for pattern, reason in LIMITS[self.reader].items():
            if re.match(pattern, what):
                return reason
        return None
