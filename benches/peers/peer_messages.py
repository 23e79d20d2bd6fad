"""Measures Python's protobuf, which is upb below, on the files that `cargo run --release -p benches --bin messages` writes.

    python peer_messages.py FOLDER

Each record is parsed by its class, and its values are appended to a list for each column, with the number of values in
every list beside them; the lists become Arrow arrays. Prints one JSON line for each type, with `mb_per_s` as `messages`
has it.
"""

import json
import pathlib
import struct
import sys
import time

import pyarrow as pa
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

ROWS = 1024
RUNS = 3


def records(path):
    data, at, out = path.read_bytes(), 0, []
    while at < len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        out.append(data[at + 12 : at + 12 + length])
        at += 16 + length
    return out


def message_class(path, name):
    files, pool = descriptor_pb2.FileDescriptorSet.FromString(path.read_bytes()), descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"benches.{name.capitalize()}"))


def is_map(field):
    return field.message_type is not None and field.message_type.GetOptions().map_entry


def is_repeated(field):
    return field.is_repeated if hasattr(field, "is_repeated") else field.label == field.LABEL_REPEATED


class Columns:
    """The columns of a message: of each field a function that takes it out of messages."""

    def __init__(self, descriptor):
        self.columns = [self.column(field) for field in descriptor.fields]

    def column(self, field):
        name, values, counts = field.name, [], []
        if is_map(field):
            keys = []

            def take(message):
                entries = getattr(message, name)
                counts.append(len(entries))
                keys.extend(entries.keys())
                values.extend(entries.values())

            return take, lambda: [keys, values, counts]
        if field.message_type is not None:
            below = Columns(field.message_type)
            if is_repeated(field):

                def take(message):
                    found = getattr(message, name)
                    counts.append(len(found))
                    for one in found:
                        below.push(one)
            else:

                def take(message):
                    is_set = message.HasField(name)
                    counts.append(1 if is_set else 0)
                    if is_set:
                        below.push(getattr(message, name))

            return take, lambda: [counts, *below.lists()]
        if is_repeated(field):

            def take(message):
                found = getattr(message, name)
                counts.append(len(found))
                values.extend(found)

            return take, lambda: [values, counts]
        if field.has_presence:
            return (
                lambda message: values.append(getattr(message, name) if message.HasField(name) else None),
                lambda: [values],
            )
        return lambda message: values.append(getattr(message, name)), lambda: [values]

    def push(self, message):
        for take, _ in self.columns:
            take(message)

    def lists(self):
        return [one for _, lists in self.columns for one in lists()]

    def arrays(self):
        arrays = [pa.array(one) for one in self.lists()]
        for one in self.lists():
            one.clear()
        return arrays


def run(of, parse, all_records):
    columns = Columns(of.DESCRIPTOR)
    for at, record in enumerate(all_records, 1):
        columns.push(parse(record))
        if at % ROWS == 0:
            columns.arrays()


def main():
    folder = pathlib.Path(sys.argv[1])
    for name in ("spans", "impressions", "tangle"):
        all_records = records(folder / f"{name}.tfrecord")
        of = message_class(folder / f"{name}.descriptor", name)
        best = min(timed(of, all_records) for _ in range(RUNS))
        size = sum(map(len, all_records))
        line = {"set": name, "way": "protobuf", "records": len(all_records), "bytes": size}
        print(json.dumps(line | {"mb_per_s": round(size / best / 1e6, 2)}))


def timed(of, all_records):
    start = time.perf_counter()
    run(of, of.FromString, all_records)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
