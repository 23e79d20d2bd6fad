"""A plugin of pytest that lets avro-python3 write what the tests of tensorflow-io give it: `pytest -p lenient_avro`.

Two of them write records with fields that the schema does not have. avro-python3 1.10.2 refuses these; they are left out.
"""

from typing import Any

from avro.io import DatumWriter

_write = DatumWriter.write


def known(schema: Any, datum: Any) -> Any:
    """Returns a datum without the fields that its schema does not have."""
    if schema.type == "record" and isinstance(datum, dict):
        return {field.name: known(field.type, datum[field.name]) for field in schema.fields if field.name in datum}
    if schema.type == "array" and isinstance(datum, list):
        return [known(schema.items, item) for item in datum]
    return datum


def write(self: Any, datum: Any, encoder: Any) -> None:
    """Writes what the schema has of a datum."""
    _write(self, known(self.writer_schema, datum), encoder)


DatumWriter.write = write
