"""Writes indexes of TFRecord files: the byte at which each record begins, and how many bytes it has."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tfxio._records import open_index

USAGE = """Usage:
    tfrecord2idx <tfrecord path> <index path>    writes the index of a file
    tfrecord2idx <tfrecord dir>                  writes the index of each *.tfrecord of a folder, as *.tfindex"""


def create_index(tfrecord_file: str, index_file: str) -> None:
    """Writes the index of a file that is not compressed.

    Args:
        tfrecord_file: The file.
        index_file: Where the index is written.
    """
    begins = open_index(tfrecord_file, build=True).offsets()
    ends = [*begins[1:], os.path.getsize(tfrecord_file)]
    Path(index_file).write_text("".join(f"{begin} {end - begin}\n" for begin, end in zip(begins, ends)))


def create_indices(tfrecord_dir: str) -> None:
    """Writes the index of each `*.tfrecord` of a folder beside it, as `*.tfindex`."""
    for file in sorted(Path(tfrecord_dir).glob("*.tfrecord")):
        create_index(str(file), str(file.with_suffix(".tfindex")))


def main() -> None:
    """Runs the command."""
    arguments = sys.argv[1:]
    if len(arguments) == 1 and os.path.isdir(arguments[0]):
        create_indices(arguments[0])
    elif len(arguments) == 2:
        create_index(*arguments)
    else:
        print(USAGE)
        sys.exit()


if __name__ == "__main__":
    main()
