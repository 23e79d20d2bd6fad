"""Reads uncompressed TFRecord files without checks, to load input and to count it. Nothing here is timed."""

import mmap
import struct

FRAME = 16  # length (8), its checksum (4), the payload's checksum (4)


def payloads(path, limit=None):
    """All payloads, or the first `limit`."""
    data = path.read_bytes()
    out, at = [], 0
    while at < len(data) and (limit is None or len(out) < limit):
        (length,) = struct.unpack_from("<Q", data, at)
        out.append(data[at + 12 : at + 12 + length])
        at += FRAME + length
    return out


def count(path):
    """(records, bytes of the file)."""
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        records = at = 0
        while at < len(data):
            at += FRAME + struct.unpack_from("<Q", data, at)[0]
            records += 1
        return records, len(data)


def framed_size(records):
    """What these payloads take in an uncompressed file."""
    return sum(map(len, records)) + FRAME * len(records)


def batches(items, size):
    return [items[at : at + size] for at in range(0, len(items), size)]
