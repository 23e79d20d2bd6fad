"""The benchmark data sets of text: the same tables as CSV and JSON lines, but that a cell holds no objects.

    python text_data.py FOLDER [--mb 50]

Needs Python alone. Each file is a function of its name, so that a rerun gives the same bytes.
"""

import argparse
import csv
import json
import pathlib
import random

# Ending -> tables.
SETS = {
    "csv": ["numbers", "texts", "quoted", "multivalent", "wide"],
    "jsonl": ["numbers", "texts", "quoted", "multivalent", "wide", "nested"],
}
MULTIVALENT = [f"column_{number}" for number in range(5)]


def integer(source, bits):
    return source.getrandbits(source.randrange(1, bits)) * source.choice((1, 1, 1, -1))


def decimal(source):
    return round(source.uniform(-2000, 2000), 6)


def numbers(source):
    """Five integers of up to 12 digits and five floats of 6 decimals."""
    return [decimal(source) if column % 2 else integer(source, 40) for column in range(10)]


def texts(source):
    """Ten texts of 8 to 44 characters, without quotes or escapes."""
    return [" ".join(f"word{source.getrandbits(16):04x}" for _ in range(source.randrange(1, 6))) for _ in range(10)]


def quoted(source):
    """Ten texts with quotes, delimiters and line breaks."""
    return [
        f'say "{source.getrandbits(16):x}", and\nthen {source.getrandbits(24):x} words more' for _ in range(10)
    ]


def multivalent(source):
    """Five lists of 1 to 10 integers."""
    return [[integer(source, 30) for _ in range(source.randrange(1, 11))] for _ in range(5)]


def wide(source):
    """250 integers, 125 floats and 125 words of up to 7 characters."""
    kinds = [lambda: integer(source, 40), lambda: decimal(source), None, lambda: f"w{source.getrandbits(24):x}"]
    kinds[2] = kinds[0]
    return [kinds[column % 4]() for column in range(500)]


def nested(source):
    """An integer, an object within an object, a list of floats, a list of objects, a bool that may be missing."""
    home = {"lat": decimal(source), "lon": decimal(source)}
    items = [{"id": integer(source, 30), "tag": f"t{source.getrandbits(12):x}"} for _ in range(source.randrange(5))]
    return [
        integer(source, 40),
        {"name": f"user {source.getrandbits(24):x}", "age": source.randrange(100), "home": home},
        [decimal(source) for _ in range(source.randrange(6))],
        items,
        None if source.random() < 0.3 else source.random() < 0.5,
    ]


TABLES = {table.__name__: table for table in (numbers, texts, quoted, multivalent, wide, nested)}


def rows(name):
    source = random.Random(name)
    while True:
        yield TABLES[name](source)


def write(folder, target):
    """Writes all files, each of about this many bytes. Returns their rows and bytes."""
    count = size = 0
    for ending, names in SETS.items():
        for name in names:
            with open(folder / f"text_{name}.{ending}", "w", encoding="utf-8", newline="") as file:
                cells = csv.writer(file, lineterminator="\n")
                for number, row in enumerate(rows(name)):
                    columns = [f"column_{column}" for column in range(len(row))]
                    if ending == "csv" and number == 0:
                        cells.writerow(columns)
                    if ending == "csv":
                        cells.writerow(["|".join(map(str, cell)) if isinstance(cell, list) else cell for cell in row])
                    else:
                        file.write(json.dumps(dict(zip(columns, row))) + "\n")
                    count += 1
                    if number % 64 == 0 and file.tell() >= target:
                        break
                size += file.tell()
    return count, size


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--mb", type=float, default=50, help="size of a file, in 10^6 bytes (default: %(default)s)")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    write(args.folder, int(args.mb * 1e6))


if __name__ == "__main__":
    main()
