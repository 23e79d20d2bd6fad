"""The messages of tf.Example, by protobuf. Nothing else of this package needs it."""

from __future__ import annotations

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_FIELD = descriptor_pb2.FieldDescriptorProto
_LISTS = {"BytesList": _FIELD.TYPE_BYTES, "FloatList": _FIELD.TYPE_FLOAT, "Int64List": _FIELD.TYPE_INT64}
_KINDS = {"bytes_list": "BytesList", "float_list": "FloatList", "int64_list": "Int64List"}
_MAPS = {"Features": ("feature", "Feature"), "FeatureLists": ("feature_list", "FeatureList")}
_MESSAGES = {
    "Example": {"features": "Features"},
    "SequenceExample": {"context": "Features", "feature_lists": "FeatureLists"},
}


def _file() -> descriptor_pb2.FileDescriptorProto:
    file = descriptor_pb2.FileDescriptorProto(name="tfxio/example.proto", package="tensorflow", syntax="proto3")
    for name, kind in _LISTS.items():
        file.message_type.add(name=name).field.add(name="value", number=1, label=_FIELD.LABEL_REPEATED, type=kind)
    feature = file.message_type.add(name="Feature")
    feature.oneof_decl.add(name="kind")
    for number, (name, message) in enumerate(_KINDS.items(), start=1):
        field = feature.field.add(name=name, number=number, label=_FIELD.LABEL_OPTIONAL, type=_FIELD.TYPE_MESSAGE)
        field.type_name, field.oneof_index = f".tensorflow.{message}", 0
    several = file.message_type.add(name="FeatureList")
    several.field.add(
        name="feature", number=1, label=_FIELD.LABEL_REPEATED, type=_FIELD.TYPE_MESSAGE, type_name=".tensorflow.Feature"
    )
    for name, (member, value) in _MAPS.items():
        message = file.message_type.add(name=name)
        entry = message.nested_type.add(name="".join(part.title() for part in member.split("_")) + "Entry")
        entry.options.map_entry = True
        entry.field.add(name="key", number=1, label=_FIELD.LABEL_OPTIONAL, type=_FIELD.TYPE_STRING)
        of = {"type": _FIELD.TYPE_MESSAGE, "type_name": f".tensorflow.{value}"}
        entry.field.add(name="value", number=2, label=_FIELD.LABEL_OPTIONAL, **of)
        of = {"type": _FIELD.TYPE_MESSAGE, "type_name": f".tensorflow.{name}.{entry.name}"}
        message.field.add(name=member, number=1, label=_FIELD.LABEL_REPEATED, **of)
    for name, members in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for number, (member, value) in enumerate(members.items(), start=1):
            of = {"type": _FIELD.TYPE_MESSAGE, "type_name": f".tensorflow.{value}"}
            message.field.add(name=member, number=number, label=_FIELD.LABEL_OPTIONAL, **of)
    return file


# A pool of its own: TensorFlow has the same messages in the common one.
_POOL = descriptor_pool.DescriptorPool()
_POOL.Add(_file())


def _message(name: str) -> type:
    found: type = message_factory.GetMessageClass(_POOL.FindMessageTypeByName(f"tensorflow.{name}"))
    return found


BytesList = _message("BytesList")
FloatList = _message("FloatList")
Int64List = _message("Int64List")
Feature = _message("Feature")
FeatureList = _message("FeatureList")
Features = _message("Features")
FeatureLists = _message("FeatureLists")
Example = _message("Example")
SequenceExample = _message("SequenceExample")
