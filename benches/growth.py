"""Time and memory of every command over inputs that grow: wide ones, with more columns; nested ones, with more fields in one column; and
ragged ones, with a new key a record.

`python3 benches/growth.py TFXIO [FOLDER] [--wide N] [--nested N] [--ragged N]` runs the command TFXIO over inputs of N, 2 N and 4 N, which
it makes in FOLDER, and prints a table for each kind: seconds of a processor, the ratio of the last two, and megabytes at 4 N. 2 is linear,
4 is the square. Ragged inputs of N keys have N squared cells, which columns, and files of most formats, hold one by one: there 4 is linear in
the cells. Records of tf.Example, which have their own keys only, are in `examples`. `--only WORDS` runs the commands that have one of these
words in their names, and 0 leaves out a kind.
"""

from __future__ import annotations

import argparse
import json
import os
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

FORMATS = ["jsonl", "csv", "tfrecord", "avro", "parquet", "arrow"]
#: Ragged tf.Examples, whose records have no entries for keys of others.
EXAMPLES = "examples"
#: Arguments of each command, of which FILE is the input, OUT a file that is not there, and COLUMN a column.
COMMANDS = {
    "inspect": ["inspect", "FILE"],
    "head": ["head", "FILE"],
    "tail": ["tail", "FILE"],
    "sample": ["sample", "FILE"],
    "show": ["show", "FILE@1"],
    "schema": ["schema", "FILE"],
    "stats": ["stats", "FILE"],
    "verify": ["verify", "FILE"],
    "head of a column": ["head", "FILE", "--columns", "COLUMN"],
    "head with a condition": ["head", "FILE", "--where", "COLUMN is not null"],
    "sql of a count": ["sql", "select count(*) from 'FILE'"],
    "sql of a column": ["sql", "select \"COLUMN\" from 'FILE' limit 1"],
    "convert to TFRecord": ["convert", "FILE", "OUT.tfrecord"],
    "convert to Parquet": ["convert", "FILE", "OUT.parquet"],
    "convert to JSON lines": ["convert", "FILE", "OUT.jsonl"],
    "convert to CSV": ["convert", "FILE", "OUT.csv"],
    "convert to Avro": ["convert", "FILE", "OUT.avro"],
    "convert to Arrow": ["convert", "FILE", "OUT.arrow"],
    "load --init": ["load", "--init", "FILE", "OUT.json"],
    "load": ["load", "OUT.json", "--batches", "2"],
}
#: Commands that another one goes before.
AFTER = {"load": "load --init"}
#: The column that is asked for, of each kind.
COLUMN = {"wide": "column_1", "nested": "id", "ragged": "key_1"}
#: Rows of wide inputs, and columns of a record of ragged ones beside its own.
ROWS = 4
#: Seconds after which a command is ended.
LONGEST = 300


def records(kind: str, size: int) -> list[dict[str, object]]:
    if kind == "wide":
        return [{f"column_{column}": column + row for column in range(size)} for row in range(ROWS)]
    if kind == "nested":
        return [{"id": row, "all": {f"field_{field}": field + row for field in range(size)}} for row in range(ROWS)]
    return [{"id": row, f"key_{row}": row} for row in range(size)]


def checksum(data: bytes) -> bytes:
    """Returns the masked CRC-32C of a TFRecord file."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out + bytes([number]))


def message(field: int, data: bytes) -> bytes:
    return varint(field << 3 | 2) + varint(len(data)) + data


def write_examples(path: Path, records: list[dict[str, int]]) -> None:
    """Writes each record as a tf.Example of its own keys."""
    with path.open("wb") as out:
        for record in records:
            values = {name: message(3, message(1, varint(value))) for name, value in record.items()}
            entries = [message(1, message(1, name.encode()) + message(2, value)) for name, value in values.items()]
            data = message(1, b"".join(entries))
            length = struct.pack("<Q", len(data))
            out.write(length + checksum(length) + data + checksum(data))


def run(arguments: list[str]) -> tuple[float, float, int]:
    """Runs a command. Returns its seconds of a processor, its megabytes and its status."""
    child = subprocess.Popen(["timeout", str(LONGEST), *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert child.stderr is not None
    errors = child.stderr.read()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        print(f"  {' '.join(arguments)[:200]}: {child.returncode}: {errors[-300:].decode(errors='replace').strip()}", file=sys.stderr)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, child.returncode


def made(tfxio: str, folder: Path, kind: str, size: int) -> dict[str, Path]:
    """Makes the files of a size. Returns those that could be made, by format."""
    lines = folder / f"{kind}_{size}.jsonl"
    all = records(kind, size)
    lines.write_text("".join(json.dumps(record) + "\n" for record in all))
    files = {"jsonl": lines}
    if kind == "ragged":
        files[EXAMPLES] = lines.with_suffix(".examples.tfrecord")
        write_examples(files[EXAMPLES], all)
    for format in FORMATS[1:]:
        path = lines.with_suffix(f".{format}")
        path.unlink(missing_ok=True)
        if run([tfxio, "convert", str(lines), str(path)])[2] == 0:
            files[format] = path
    return files


def table(tfxio: str, folder: Path, kind: str, smallest: int, only: list[str]) -> None:
    sizes = [smallest, 2 * smallest, 4 * smallest]
    files = [made(tfxio, folder, kind, size) for size in sizes]
    columns = " | ".join(f"{size:,} (s)" for size in sizes)
    print(f"\n| {kind} | format | {columns} | ratio | MB |\n| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for name in COMMANDS:
        if only and not any(word in name for word in only):
            continue
        for format in [*FORMATS, EXAMPLES]:
            measured = []
            for of_size in files:
                if format not in of_size:
                    break
                inserted = {"FILE": str(of_size[format]), "OUT": str(folder / "out"), "COLUMN": COLUMN[kind]}
                for old in folder.glob("out*"):
                    old.unlink()
                for name_of_run in filter(None, [AFTER.get(name), name]):
                    given = COMMANDS[name_of_run]
                    for word, text in inserted.items():
                        given = [argument.replace(word, text) for argument in given]
                    figures = run([tfxio, *given])
                measured.append(figures)
            if len(measured) == len(sizes):
                seconds = " | ".join(f"{time:.2f}" if status == 0 else f"exit {status}" for time, _, status in measured)
                print(f"| {name} | {format} | {seconds} | {measured[-1][0] / measured[-2][0]:.1f} | {measured[-1][1]:.0f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tfxio")
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--wide", type=int, default=25_000, metavar="N")
    parser.add_argument("--nested", type=int, default=5_000, metavar="N")
    parser.add_argument("--ragged", type=int, default=4_000, metavar="N")
    parser.add_argument("--only", default="", metavar="WORDS", help="words, with commas between them")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(given.folder or temporary)
        folder.mkdir(exist_ok=True)
        only = [word for word in given.only.split(",") if word]
        for kind, smallest in [("wide", given.wide), ("nested", given.nested), ("ragged", given.ragged)]:
            if smallest:
                table(given.tfxio, folder, kind, smallest, only)


if __name__ == "__main__":
    main()
