"""Time and memory of every command over inputs that grow: wide ones, with more columns, and ragged ones, with a new key a record.

`python3 benches/growth.py TFXIO [FOLDER] [--wide N] [--ragged N]` runs the command TFXIO over inputs of N, 2 N and 4 N, which it makes in
FOLDER, and prints a table for each kind: seconds, the ratio of the last two (2 is linear, 4 is the square), and megabytes at 4 N.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FORMATS = ["jsonl", "csv", "tfrecord", "avro", "parquet", "arrow"]
#: Arguments of each command, of which FILE is the input and OUT a file that is not there.
COMMANDS = {
    "inspect": ["inspect", "FILE"],
    "head": ["head", "FILE"],
    "tail": ["tail", "FILE"],
    "sample": ["sample", "FILE"],
    "show": ["show", "FILE", "1"],
    "schema": ["schema", "FILE"],
    "stats": ["stats", "FILE"],
    "verify": ["verify", "FILE"],
    "sql": ["sql", "select count(*) from 'FILE'"],
    "convert to TFRecord": ["convert", "FILE", "OUT.tfrecord"],
    "convert to Parquet": ["convert", "FILE", "OUT.parquet"],
    "convert to JSON lines": ["convert", "FILE", "OUT.jsonl"],
}
#: Rows of wide inputs, and columns of a record of ragged ones beside its own.
ROWS = 4
#: Seconds after which a command is ended.
LONGEST = 300


def records(kind: str, size: int) -> list[dict[str, object]]:
    if kind == "wide":
        return [{f"column_{column}": column + row for column in range(size)} for row in range(ROWS)]
    return [{"id": row, f"key_{row}": row} for row in range(size)]


def run(arguments: list[str]) -> tuple[float, float, int]:
    """Runs a command. Returns its seconds, megabytes and status."""
    begun = time.perf_counter()
    child = subprocess.Popen(["timeout", str(LONGEST), *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert child.stderr is not None
    errors = child.stderr.read()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        print(f"  {' '.join(arguments)[:200]}: {child.returncode}: {errors[-300:].decode(errors='replace').strip()}", file=sys.stderr)
    return time.perf_counter() - begun, used.ru_maxrss / 1024, child.returncode


def made(tfxio: str, folder: Path, kind: str, size: int) -> dict[str, Path]:
    """Makes the files of a size. Returns those that could be made, by format."""
    lines = folder / f"{kind}_{size}.jsonl"
    lines.write_text("".join(json.dumps(record) + "\n" for record in records(kind, size)))
    files = {"jsonl": lines}
    for format in FORMATS[1:]:
        path = lines.with_suffix(f".{format}")
        path.unlink(missing_ok=True)
        if run([tfxio, "convert", str(lines), str(path)])[2] == 0:
            files[format] = path
    return files


def table(tfxio: str, folder: Path, kind: str, smallest: int) -> None:
    sizes = [smallest, 2 * smallest, 4 * smallest]
    files = [made(tfxio, folder, kind, size) for size in sizes]
    columns = " | ".join(f"{size:,} (s)" for size in sizes)
    print(f"\n| {kind} | format | {columns} | ratio | MB |\n| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for name, arguments in COMMANDS.items():
        for format in FORMATS:
            measured = []
            for of_size in files:
                if format not in of_size:
                    break
                file, output = str(of_size[format]), folder / "out"
                for old in folder.glob("out.*"):
                    old.unlink()
                given = [argument.replace("FILE", file).replace("OUT", str(output)) for argument in arguments]
                measured.append(run([tfxio, *given]))
            if len(measured) == len(sizes):
                seconds = " | ".join(f"{time:.2f}" if status == 0 else f"exit {status}" for time, _, status in measured)
                print(f"| {name} | {format} | {seconds} | {measured[-1][0] / measured[-2][0]:.1f} | {measured[-1][1]:.0f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tfxio")
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--wide", type=int, default=25_000, metavar="N")
    parser.add_argument("--ragged", type=int, default=4_000, metavar="N")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(given.folder or temporary)
        for kind, smallest in [("wide", given.wide), ("ragged", given.ragged)]:
            if smallest:
                table(given.tfxio, folder, kind, smallest)


if __name__ == "__main__":
    main()
