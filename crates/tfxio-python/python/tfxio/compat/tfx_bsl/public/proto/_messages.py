"""Classes of messages of protobuf, by a description of their fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_FIELD = descriptor_pb2.FieldDescriptorProto
_SCALARS = {
    "bool": _FIELD.TYPE_BOOL,
    "double": _FIELD.TYPE_DOUBLE,
    "int64": _FIELD.TYPE_INT64,
    "string": _FIELD.TYPE_STRING,
}


def messages(name: str, package: str, fields: Mapping[str, Mapping[str, str]]) -> tuple[Any, dict[str, Any]]:
    """Returns the description of a file of messages of proto3, and their classes by name.

    They are in a pool of their own: that of protobuf may have those of tfx-bsl.

    Args:
        name: The name of the file.
        package: Its package.
        fields: The fields of each message by name, in the order of their numbers from 1 on: a type, or the name of a message;
            `"repeated TYPE"`; `"NAME: TYPE"` in the oneof NAME; or `"map"` of strings to strings.
    """
    file = descriptor_pb2.FileDescriptorProto(name=name, package=package, syntax="proto3")
    for message_name, members in fields.items():
        message = file.message_type.add(name=message_name)
        for number, (member, kind) in enumerate(members.items(), start=1):
            _add_field(message, member, number, kind, f".{package}.")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    described = pool.FindFileByName(name)
    return described, {message: message_factory.GetMessageClass(described.message_types_by_name[message]) for message in fields}


def _add_field(message: Any, name: str, number: int, kind: str, scope: str) -> None:
    oneof, _, kind = kind.rpartition(": ")
    field = message.field.add(name=name, number=number, label=_FIELD.LABEL_OPTIONAL)
    if kind.startswith("repeated ") or kind == "map":
        field.label = _FIELD.LABEL_REPEATED
        kind = kind.removeprefix("repeated ")
    if kind == "map":
        entry = message.nested_type.add(name="".join(part.title() for part in name.split("_")) + "Entry")
        entry.options.map_entry = True
        _add_field(entry, "key", 1, "string", scope)
        _add_field(entry, "value", 2, "string", scope)
        kind = f"{message.name}.{entry.name}"
    if kind in _SCALARS:
        field.type = _SCALARS[kind]
    else:
        field.type, field.type_name = _FIELD.TYPE_MESSAGE, scope + kind
    if oneof:
        names = [declared.name for declared in message.oneof_decl]
        if oneof not in names:
            names.append(message.oneof_decl.add(name=oneof).name)
        field.oneof_index = names.index(oneof)
