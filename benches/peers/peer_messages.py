"""The message peer: Python's protobuf, which is upb below, and pyarrow.

Decoding parses each record by its class, and appends its values to a list for each column, with the number of values in
every list beside them; the lists become Arrow arrays, once for each batch. What is encoded are messages that exist already.
"""

import framing
import pyarrow as pa
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.descriptor import FieldDescriptor
from measuring import Work


def message_class(path, name):
    files, pool = descriptor_pb2.FileDescriptorSet.FromString(path.read_bytes()), descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"benches.{name.capitalize()}"))


def is_map(field):
    return field.message_type is not None and field.message_type.GetOptions().map_entry


def is_repeated(field):
    return field.is_repeated if hasattr(field, "is_repeated") else field.label == field.LABEL_REPEATED


# Arrow types of values; an enum is its number.
TYPES = {
    FieldDescriptor.TYPE_DOUBLE: pa.float64(),
    FieldDescriptor.TYPE_FLOAT: pa.float32(),
    FieldDescriptor.TYPE_INT64: pa.int64(),
    FieldDescriptor.TYPE_SINT64: pa.int64(),
    FieldDescriptor.TYPE_SFIXED64: pa.int64(),
    FieldDescriptor.TYPE_UINT64: pa.uint64(),
    FieldDescriptor.TYPE_FIXED64: pa.uint64(),
    FieldDescriptor.TYPE_INT32: pa.int32(),
    FieldDescriptor.TYPE_SINT32: pa.int32(),
    FieldDescriptor.TYPE_SFIXED32: pa.int32(),
    FieldDescriptor.TYPE_ENUM: pa.int32(),
    FieldDescriptor.TYPE_UINT32: pa.uint32(),
    FieldDescriptor.TYPE_FIXED32: pa.uint32(),
    FieldDescriptor.TYPE_BOOL: pa.bool_(),
    FieldDescriptor.TYPE_STRING: pa.large_string(),
    FieldDescriptor.TYPE_BYTES: pa.large_binary(),
}


class Columns:
    """The columns of a message: a function for each field that takes it out of messages, and lists of values with types."""

    def __init__(self, descriptor):
        self.lists = []
        self.takes = [self.take(field) for field in descriptor.fields]

    def list_of(self, type_):
        self.lists.append(([], type_))
        return self.lists[-1][0]

    def take(self, field):
        name = field.name
        if is_map(field):
            counts = self.list_of(pa.int64())
            keys, values = (self.list_of(TYPES[each.type]) for each in field.message_type.fields)

            def take(message):
                entries = getattr(message, name)
                counts.append(len(entries))
                keys.extend(entries.keys())
                values.extend(entries.values())

            return take
        if field.message_type is not None:
            counts, below = self.list_of(pa.int64()), Columns(field.message_type)
            self.lists += below.lists
            takes = below.takes

            def take_all(message):
                found = getattr(message, name)
                counts.append(len(found))
                for one in found:
                    for take in takes:
                        take(one)

            def take_one(message):
                if not message.HasField(name):
                    counts.append(0)
                    return
                counts.append(1)
                one = getattr(message, name)
                for take in takes:
                    take(one)

            return take_all if is_repeated(field) else take_one
        if is_repeated(field):
            counts, values = self.list_of(pa.int64()), self.list_of(TYPES[field.type])

            def take(message):
                found = getattr(message, name)
                counts.append(len(found))
                values.extend(found)

            return take
        append = self.list_of(TYPES[field.type]).append
        if field.has_presence:
            return lambda message: append(getattr(message, name) if message.HasField(name) else None)
        return lambda message: append(getattr(message, name))

    def push(self, message):
        for take in self.takes:
            take(message)

    def arrays(self):
        arrays = [pa.array(values, type_) for values, type_ in self.lists]
        for values, _ in self.lists:
            values.clear()
        return arrays


def decode(of, records, batch):
    columns = Columns(of.DESCRIPTOR)
    parse = of.FromString

    def run():
        for one in framing.batches(records, batch):
            for record in one:
                columns.push(parse(record))
            columns.arrays()
        return len(records), None

    return run


def encode(of, records):
    messages = [of.FromString(record) for record in records]

    def run():
        for message in messages:
            message.SerializeToString()
        return len(messages), None

    return run


def prepare(case, data, batch, _cores):
    name = case.set.split(".")[0]
    of = message_class(data / f"{name}.descriptor", name)
    records = framing.payloads(data / case.file)
    run = decode(of, records, batch) if case.task == "messages" else encode(of, records)
    return Work(run, len(records), framing.framed_size(records))
