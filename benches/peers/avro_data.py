"""The Avro benchmark data sets: their schemas, their records, and the features that are made of them as tensors."""

import json

import numpy as np

ROWS = 1024  # records drawn at once
# How a block is stored: part of the file's name -> codec. `null` comes first: it says when there are enough records.
CODECS = {"": "null", ".deflate": "deflate", ".snappy": "snappy"}
BLOCK = 64 << 10

FLAT_DOUBLES = [f"d{n}" for n in range(10)]
FLAT_LONGS = [f"l{n}" for n in range(10)]
FLAT_STRINGS = [f"s{n}" for n in range(5)]


def fields(names, kind):
    return [{"name": name, "type": kind} for name in names]


def array(items):
    return {"type": "array", "items": items}


def record(name, members):
    return {"type": "record", "name": name, "namespace": "bench", "fields": members}


FLAT = record(
    "Flat", fields(FLAT_DOUBLES, "double") + fields(FLAT_LONGS, "long") + fields(FLAT_STRINGS, "string")
)
PAIR = record("Pair", fields(["name", "term"], "string") + fields(["value"], "float"))
USER = record("User", fields(["id"], "long") + fields(["name"], "string") + fields(["tags"], array("string")))
NESTED = record(
    "Row",
    fields(["label"], "int")
    + fields(["features"], array(PAIR))
    + fields(["user"], USER)
    + fields(["attrs"], {"type": "map", "values": "double"})
    + fields(["opt"], ["null", "double"]),
)


def flat(random):
    """10 doubles, 10 longs of 2 to 8 bytes, one of them negative, 5 strings of up to 9 characters."""
    names = FLAT_DOUBLES + FLAT_LONGS + FLAT_STRINGS
    while True:
        doubles = random.standard_normal((ROWS, 10)).tolist()
        longs = random.integers(0, 1 << 62, (ROWS, 10)) >> random.integers(8, 58, (ROWS, 10))
        longs[:, 0] *= -1
        words = random.integers(0, 1 << 32, (ROWS, 5)).tolist()
        for row, (numbers, texts) in enumerate(zip(doubles, words)):
            yield dict(zip(names, [*numbers, *longs[row].tolist(), *(f"s{text:x}" for text in texts)]))


def nested(random):
    """A label, 2 to 16 records of two strings and a float, a user with 0 to 5 tags, a map of 0 to 5 doubles, a double
    that is missing in 30 % of the records."""
    names = [f"feat_{number:03d}" for number in range(200)]
    terms = [f"t{number:04d}" for number in range(2000)]
    tags = [f"tag{number:02d}" for number in range(60)]
    keys = [f"attr_{number}" for number in range(12)]
    while True:
        labels = random.integers(0, 2, ROWS).tolist()
        ends = np.cumsum(random.integers(2, 17, ROWS)).tolist()
        total = ends[-1]
        which = random.integers(0, 200, total).tolist()
        term = random.integers(0, 2000, total).tolist()
        value = random.standard_normal(total, dtype=np.float32).tolist()
        users = random.integers(0, 1 << 40, ROWS).tolist()
        tagged = [random.integers(0, 60, count).tolist() for count in random.integers(0, 6, ROWS).tolist()]
        attributes = random.standard_normal((ROWS, 5)).tolist()
        counts = random.integers(0, 6, ROWS).tolist()
        firsts = random.integers(0, 12, ROWS).tolist()
        options = random.standard_normal(ROWS).tolist()
        there = (random.random(ROWS) < 0.7).tolist()
        for row, (start, end) in enumerate(zip([0, *ends], ends)):
            user = users[row]
            yield {
                "label": labels[row],
                "features": [
                    {"name": names[which[at]], "term": terms[term[at]], "value": value[at]} for at in range(start, end)
                ],
                "user": {
                    "id": user,
                    "name": f"user{user % 10_000_000:07d}",
                    "tags": [tags[number] for number in tagged[row]],
                },
                "attrs": {keys[(firsts[row] + at) % 12]: attributes[row][at] for at in range(counts[row])},
                "opt": options[row] if there[row] else None,
            }


def fixed(dtype, **more):
    return {"kind": "FixedLen", "shape": [], "dtype": dtype, **more}


def varlen(dtype):
    return {"kind": "VarLen", "dtype": dtype, "rank": 1}


# Set -> (schema, records, the two fields of the projection, the features; those of the projection).
SETS = {
    "avro_flat": (
        FLAT,
        flat,
        ["d0", "l0"],
        {name: fixed("float64") for name in FLAT_DOUBLES}
        | {name: fixed("int64") for name in FLAT_LONGS}
        | {name: fixed("string") for name in FLAT_STRINGS},
        {"d0": fixed("float64"), "l0": fixed("int64")},
    ),
    # tensorflow-io can name one key of a map, but not all of it: `attrs` is left out.
    "avro_nested": (
        NESTED,
        nested,
        ["label", "user"],
        {
            "label": fixed("int32"),
            "features[*].name": varlen("string"),
            "features[*].term": varlen("string"),
            "features[*].value": varlen("float32"),
            "user.id": fixed("int64"),
            "user.name": fixed("string"),
            "user.tags[*]": varlen("string"),
            "opt": fixed("float64", default=0.0),
        },
        {"label": fixed("int32"), "user.id": fixed("int64")},
    ),
}


def file_of(name, codec=""):
    return f"{name}{codec}.avro"


def write(name, folder, random, target):
    """Writes the set with each codec until the file without compression has `target` bytes, and its features."""
    import fastavro.write

    schema, records, _, all_features, two_features = SETS[name]
    for suffix, features in (("", all_features), ("2", two_features)):
        (folder / f"{name}{suffix}.json").write_text(json.dumps(features, indent=1) + "\n")
    files = [open(folder / file_of(name, codec), "wb") for codec in CODECS]
    # One marker for all: a rerun gives the same bytes.
    marker = random.bytes(16)
    writers = [
        fastavro.write.Writer(file, schema, codec=codec, sync_interval=BLOCK, sync_marker=marker)
        for file, codec in zip(files, CODECS.values())
    ]
    count = 0
    for row in records(random):
        for writer in writers:
            writer.write(row)
        count += 1
        if count % ROWS == 0 and files[0].tell() >= target:
            break
    for writer, file in zip(writers, files):
        writer.flush()
        file.close()
    return count, (folder / file_of(name)).stat().st_size
