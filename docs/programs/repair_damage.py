"""Finds a damaged record, loads the others, and repairs the file."""

import tempfile
from pathlib import Path

import tfxio

folder = Path(tempfile.mkdtemp())
data = bytearray(Path("fixtures/digits/digits-00000-of-00003.tfrecord").read_bytes())
data[10_000] ^= 1
(folder / "bad.tfrecord").write_bytes(data)

[report] = tfxio.verify(folder / "bad.tfrecord")
print(report["state"])
try:
    tfxio.open(folder / "bad.tfrecord")
except tfxio.exceptions.MalformedError as error:
    print(f"record {error.record}, byte {error.byte_offset}: {error.hint}")

loader = tfxio.open(folder / "bad.tfrecord", on_error="skip").loader(inputs=["image"], batch_size=32, shuffle="buffer")
print(sum(batch.num_rows for batch in loader), "digits are loaded")  # a warning says what is not
print([(skipped.start, skipped.end, skipped.reason) for skipped in loader.skip_report().listed])

repaired = tfxio.repair(folder / "bad.tfrecord", folder / "good.tfrecord")
print(repaired.records, "are kept,", sum(lost.lost_records or 0 for lost in repaired.lost), "is lost")
print(tfxio.verify(folder / "good.tfrecord")[0]["state"])
