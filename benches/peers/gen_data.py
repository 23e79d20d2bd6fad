"""Writes the benchmark data sets: TFRecords with TensorFlow's own protobuf classes and writer, Avro with fastavro.

    python gen_data.py FOLDER [--mb 200] [--only criteo,dense]

Each set is a function of its name alone (fixed seed), so a rerun gives the same bytes. Sizes count payload bytes in
units of 10^6. `criteo_shuf` and `indexed` get a quarter of the size, the Avro sets half, those of text a quarter, those of the loader are as they
are. `schemas` are the schemas of the tensors that adapters are compared with, `configurations` those of the loader.
"""

import argparse
import os
import pathlib
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import numpy as np
import tensorflow as tf

import adapter_data
import avro_data
import data_sets as sets
import loader_data
import sql_data
import text_data

SEED = 20260215
ROWS = 1024  # records drawn at once


def example(values):
    """An Example of {name: (kind, list of values)}; an empty list is written as present and empty."""
    message = tf.train.Example()
    feature = message.features.feature
    for name, (kind, items) in values.items():
        fill(feature[name], kind, items)
    return message


def fill(feature, kind, items):
    """Gives a Feature its values."""
    chosen = {sets.INT: feature.int64_list, sets.FLOAT: feature.float_list, sets.BYTES: feature.bytes_list}[kind]
    chosen.SetInParent()
    chosen.value.extend(items)


def hexadecimal(numbers):
    return [[b"%08x" % number for number in row] for row in numbers.tolist()]


def criteo(random):
    """One click-log row: label, 13 counts, 26 hashed categories; each of the 39 is missing in 5 % of the records."""
    names = sets.CRITEO_INTS + sets.CRITEO_WORDS
    kinds = [sets.INT] * 13 + [sets.BYTES] * 26
    while True:
        labels = random.integers(0, 2, ROWS).tolist()
        # Mostly small, some large; the second one may be negative, as in Criteo's data.
        counts = np.floor(np.exp(random.normal(3.0, 2.5, (ROWS, 13)))).astype(np.int64)
        counts[:, 1] -= 3
        # Few frequent categories, many rare ones, spread over 32 bits.
        ranks = random.zipf(1.3, (ROWS, 26)).astype(np.uint64)
        words = hexadecimal(ranks * np.uint64(0x9E3779B1) % np.uint64(1 << 32))
        present = (random.random((ROWS, 39)) >= 0.05).tolist()
        for label, numbers, categories, there in zip(labels, counts.tolist(), words, present):
            values = {"label": (sets.INT, [label])}
            for name, kind, value, is_there in zip(names, kinds, numbers + categories, there):
                if is_there:
                    values[name] = (kind, [value])
            yield example(values)


def dense(random):
    """784 floats, a label, and about 1 KB of bytes."""
    while True:
        pixels = random.random((ROWS, sets.PIXELS), dtype=np.float32)
        labels = random.integers(0, 10, ROWS).tolist()
        sizes = random.integers(900, 1150, ROWS).tolist()
        for row, label, size in zip(pixels, labels, sizes):
            yield example(
                {"x": (sets.FLOAT, row), "label": (sets.INT, [label]), "image": (sets.BYTES, [random.bytes(size)])}
            )


def multi_ints(random, column, total):
    """The ten integer features: three of 1 byte, four of ids of 1 to 4 bytes, two of hashes, one half negative."""
    if column < 3:
        return random.integers(0, 100, total)
    if column < 7:
        return np.minimum(random.zipf(1.2, total), 5_000_000)
    if column < 9:
        return random.integers(0, 1 << 62, total)
    return random.integers(-1000, 1000, total)


def multi(random):
    """20 ragged features of 0 to 50 values each; each is missing in 10 % of the records."""
    names = sets.MULTI_INTS + sets.MULTI_FLOATS
    while True:
        counts = random.integers(0, 51, (ROWS, 20))
        missing = random.random((ROWS, 20)) < 0.10
        columns = []
        for column in range(20):
            ends = np.cumsum(counts[:, column])
            is_int = column < 10
            total = int(ends[-1])
            items = multi_ints(random, column, total) if is_int else random.standard_normal(total, dtype=np.float32)
            columns.append((sets.INT if is_int else sets.FLOAT, np.split(items, ends[:-1])))
        for row in range(ROWS):
            yield example(
                {
                    name: (kind, items[row].tolist())
                    for column, (name, (kind, items)) in enumerate(zip(names, columns))
                    if not missing[row, column]
                }
            )


def indexed(random):
    """10 float features of 0 to 50 values, and for each one of positions below 51, descending."""
    positions = list(range(50, -1, -1))
    while True:
        counts = random.integers(0, 51, (ROWS, 10)).tolist()
        for row in counts:
            values = {}
            for name, count in zip(sets.INDEXED_VALUES, row):
                values[f"at_{name}"] = (sets.INT, positions[51 - count :])
                values[name] = (sets.FLOAT, random.standard_normal(count, dtype=np.float32).tolist())
            yield example(values)


def wide(random):
    """500 features of one value each."""
    while True:
        ints = np.minimum(random.zipf(1.3, (ROWS, 200)), 1 << 40).tolist()
        floats = random.standard_normal((ROWS, 200)).tolist()
        words = hexadecimal(random.integers(0, 1 << 32, (ROWS, 100)))
        for row_ints, row_floats, row_words in zip(ints, floats, words):
            values = {name: (sets.INT, [value]) for name, value in zip(sets.WIDE_INTS, row_ints)}
            values.update((name, (sets.FLOAT, [value])) for name, value in zip(sets.WIDE_FLOATS, row_floats))
            values.update((name, (sets.BYTES, [value])) for name, value in zip(sets.WIDE_WORDS, row_words))
            yield example(values)


def taxi(random):
    """18 features of one ride. Some are missing in part of the records, census tracts in a third; one fare in ten thousand is no number."""
    payments = np.array([b"Cash", b"Credit Card", b"No Charge", b"Dispute", b"Unknown", b"Pcard", b"Prcard"])
    companies = np.array([b"Company %d Affiliation Inc." % number for number in range(120)])
    missing = {"company": 0.3, "pickup_census_tract": 0.4, "dropoff_census_tract": 0.4, "dropoff_community_area": 0.1}
    missing |= {f"dropoff_{axis}": 0.05 for axis in ("latitude", "longitude")}
    while True:
        seconds = np.floor(np.exp(random.normal(6.4, 0.8, ROWS))).astype(np.int64)
        miles = (seconds / 300 * random.gamma(2.0, 0.5, ROWS)).astype(np.float32)
        fare = (3.25 + 1.8 * miles).astype(np.float32)
        fare[random.random(ROWS) < 1e-4] = np.nan
        areas = random.integers(1, 78, (2, ROWS))
        columns = {
            "trip_start_month": random.integers(1, 13, ROWS),
            "trip_start_day": random.integers(1, 8, ROWS),
            "trip_start_hour": random.integers(0, 24, ROWS),
            "trip_start_timestamp": 1_356_998_400 + 900 * random.integers(0, 120_000, ROWS),
            "pickup_community_area": areas[0],
            "dropoff_community_area": areas[1],
            "trip_seconds": seconds,
            "pickup_census_tract": 17_031_000_000 + areas[0] * 10_000 + random.integers(0, 9, ROWS) * 100,
            "dropoff_census_tract": 17_031_000_000 + areas[1] * 10_000 + random.integers(0, 9, ROWS) * 100,
            "pickup_latitude": 41.65 + areas[0] / 200,
            "pickup_longitude": -87.9 + areas[0] / 250,
            "dropoff_latitude": 41.65 + areas[1] / 200,
            "dropoff_longitude": -87.9 + areas[1] / 250,
            "fare": fare,
            "tips": np.where(random.random(ROWS) < 0.4, fare * 0.2, 0.0),
            "trip_miles": miles,
            "payment_type": payments[np.minimum(random.zipf(1.8, ROWS) - 1, 6)],
            "company": companies[np.minimum(random.zipf(1.2, ROWS) - 1, 119)],
        }
        there = {name: (random.random(ROWS) >= missing.get(name, 0.0)).tolist() for name in columns}
        columns = {name: items.tolist() for name, items in columns.items()}
        for row in range(ROWS):
            yield example(
                {name: (sets.TAXI[name].kind, [items[row]]) for name, items in columns.items() if there[name][row]}
            )


SEQUENCE_ROWS = 128  # records drawn at once: a record has some 900 values


def sequence_items(random, name, total):
    """Item numbers of 1 to 4 bytes, scores, words of 5 characters, categories of 1 byte."""
    if name == "items":
        return random.integers(0, 5_000_000, total).tolist()
    if name == "scores":
        return random.standard_normal(total, dtype=np.float32).tolist()
    if name == "words":
        return [b"%05x" % number for number in random.integers(0, 1 << 20, total).tolist()]
    return random.integers(0, 100, total).tolist()


def sequence(random):
    """A context of three features and four feature lists of 1 to 100 steps, each of 1 to 8 values."""
    kinds = {name: column.kind for name, column in sets.SEQUENCE_LISTS.items()}
    while True:
        users = random.integers(0, 1 << 40, SEQUENCE_ROWS).tolist()
        countries = random.integers(0, 200, SEQUENCE_ROWS).tolist()
        weights = random.random((SEQUENCE_ROWS, 4), dtype=np.float32).tolist()
        for user, country, weight in zip(users, countries, weights):
            message = tf.train.SequenceExample()
            message.context.CopyFrom(
                example(
                    {
                        "user": (sets.INT, [user]),
                        "country": (sets.BYTES, [b"%02x" % country]),
                        "weights": (sets.FLOAT, weight),
                    }
                ).features
            )
            for name, kind in kinds.items():
                ends = np.cumsum(random.integers(1, 9, int(random.integers(1, 101)))).tolist()
                items = sequence_items(random, name, ends[-1])
                steps = message.feature_lists.feature_list[name].feature
                for start, end in zip([0, *ends], ends):
                    fill(steps.add(), kind, items[start:end])
            yield message


def sorted_by_name(message):
    return message.SerializeToString(deterministic=True)


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def in_random_order(random):
    """A serialiser that puts the map entries of each record in a new order."""

    def serialise(message):
        features = message.features.feature
        entries = []
        for name in sorted(features):
            alone = tf.train.Features()
            alone.feature[name].CopyFrom(features[name])
            entries.append(alone.SerializeToString())
        body = b"".join(entries[at] for at in random.permutation(len(entries)))
        return b"\x0a" + varint(len(body)) + body  # field 1 of Example, length-delimited

    return serialise


def write(paths, messages, serialise, target):
    """Writes the same records to all paths (path -> compression) until `target` payload bytes are reached."""
    writers = [
        tf.io.TFRecordWriter(str(path), tf.io.TFRecordOptions(compression_type=compression))
        for path, compression in paths.items()
    ]
    size = records = 0
    for message in messages:
        data = serialise(message)
        for writer in writers:
            writer.write(data)
        size += len(data)
        records += 1
        if size >= target:
            break
    for writer in writers:
        writer.close()
    return records, size


RECORDS = {
    "criteo": criteo,
    "dense": dense,
    "multi": multi,
    "taxi": taxi,
    "wide": wide,
    "indexed": indexed,
    "sequence": sequence,
}


def generate(name, folder, target):
    random = np.random.default_rng([SEED, *name.encode()])
    if name == "schemas":
        adapter_data.write(folder)
        return 0, 0
    if name in loader_data.SETS:
        return loader_data.write(name, folder, random)
    if name == "sql":
        return sql_data.write(folder)
    if name == "text":
        return text_data.write(folder, target // 4)
    if name in avro_data.SETS:
        return avro_data.write(name, folder, random, target // 2)
    paths = {folder / f"{name}.tfrecord": ""}
    if name == "criteo_shuf":
        return write(paths, criteo(random), in_random_order(random), target // 4)
    if name == "criteo":
        paths[folder / "criteo.gz.tfrecord"] = "GZIP"
        paths[folder / "criteo.zlib.tfrecord"] = "ZLIB"
    size = target // 4 if name == "indexed" else target
    return write(paths, RECORDS[name](random), sorted_by_name, size)


def main():
    names = [name for name in sets.SETS if name != "wide5"]
    names += [*sets.SEQUENCE_SETS, *sets.TENSOR_SETS, *avro_data.SETS, *loader_data.SETS, "schemas", "sql", "text"]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument(
        "--mb", type=float, default=200, help="size of a set, in 10^6 payload bytes (default: %(default)s)"
    )
    parser.add_argument("--only", default=",".join(names), help="which sets (default: %(default)s)")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    chosen = args.only.split(",")
    if unknown := [name for name in chosen if name not in names]:
        parser.error(f"no such set: {', '.join(unknown)}; there are {', '.join(names)}")
    for name in chosen:
        start = time.perf_counter()
        records, size = generate(name, args.folder, int(args.mb * 1e6))
        seconds = time.perf_counter() - start
        print(f"{name}: {records} records, {size} payload bytes, {seconds:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
