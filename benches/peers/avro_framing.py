"""Hops over the blocks of uncompressed Avro object containers, to count records and bytes. Nothing here is timed."""

SYNC = 16


def long(data, at):
    """(the zigzag number at this byte, the byte behind it)."""
    shift = value = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return (value >> 1) ^ -(value & 1), at


def header(data):
    """(metadata, the byte behind the header)."""
    at = 4  # "Obj", 1
    metadata = {}
    while True:
        count, at = long(data, at)
        if count == 0:
            return metadata, at + SYNC
        if count < 0:
            count = -count
            _, at = long(data, at)
        for _ in range(count):
            length, at = long(data, at)
            key = data[at : at + length].decode()
            at += length
            length, at = long(data, at)
            metadata[key] = data[at : at + length]
            at += length


def blocks(data):
    """(records, where they begin, where they end) of each block."""
    _, at = header(data)
    while at < len(data):
        count, at = long(data, at)
        size, at = long(data, at)
        yield count, at, at + size
        at += size + SYNC


def count(path):
    """(records, bytes of the records)."""
    data = path.read_bytes()
    records = size = 0
    for count_of_block, start, end in blocks(data):
        records += count_of_block
        size += end - start
    return records, size
