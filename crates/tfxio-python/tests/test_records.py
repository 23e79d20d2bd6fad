"""Records of TFRecord files and of tf.Example."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

import tfxio
from tfxio._literals import Compression

RECORDS = [b"", b"one", b"x" * 100_000] + [bytes([at % 256]) * at for at in range(400)]


@pytest.mark.parametrize("compression", [None, "gzip", "zlib", "none"])
def test_paths_and_file_objects(tmp_path: Path, compression: Compression | None) -> None:
    path = tmp_path / "records.tfrecord"
    target = io.BytesIO()
    for file in (path, target):
        with tfxio.TFRecordWriter(file, compression=compression) as writer:
            for record in RECORDS:
                writer.write(record)
        assert writer.records_written == len(RECORDS)
    for source in (path, io.BytesIO(target.getvalue())):
        with tfxio.TFRecordReader(source) as reader:
            assert list(reader) == RECORDS


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "records.tfrecord"
    with pytest.raises(RuntimeError, match="in the midst"):
        with tfxio.TFRecordWriter(path) as writer:
            writer.write(b"one")
            raise RuntimeError("in the midst")
    assert list(tmp_path.iterdir()) == []
    with tfxio.TFRecordWriter(path) as writer:
        writer.write(b"one")
        assert not path.exists()
    with pytest.raises(ValueError, match="closed"):
        writer.write(b"two")
    with pytest.raises(tfxio.exceptions.ExistsError) as raised:
        tfxio.TFRecordWriter(path, overwrite=False).close()
    assert isinstance(raised.value, FileExistsError)
    assert raised.value.path == str(path)


def test_records_before_damage_come_first(tmp_path: Path) -> None:
    target = io.BytesIO()
    with tfxio.TFRecordWriter(target) as writer:
        for at in range(10):
            writer.write(b"record %d" % at)
    data = bytearray(target.getvalue())
    data[5 * 24 + 13] ^= 1
    reader = tfxio.TFRecordReader(io.BytesIO(data))
    assert reader.read(5) == [b"record %d" % at for at in range(5)]
    with pytest.raises(tfxio.exceptions.MalformedError) as raised:
        next(reader)
    assert (raised.value.record, raised.value.byte_offset) == (5, 120)


def test_a_cut_file(digits_file: str) -> None:
    data = Path(digits_file).read_bytes()[:-3]
    with pytest.raises(ValueError, match="598|truncated|ends"):
        list(tfxio.TFRecordReader(io.BytesIO(data)))


def test_errors_of_file_objects_are_raised_as_they_are() -> None:
    class Broken(io.RawIOBase):
        def read(self, size: int = -1) -> bytes:
            raise PermissionError("not today")

    with pytest.raises(PermissionError, match="not today"):
        next(tfxio.TFRecordReader(Broken()))  # type: ignore[arg-type]


def test_records_by_number(digits_file: str) -> None:
    records = tfxio.open_index(digits_file)
    everything = list(tfxio.TFRecordReader(digits_file))
    assert len(records) == len(everything) == 599
    assert [records[at] for at in (0, 598, -1, 300)] == [everything[at] for at in (0, 598, -1, 300)]
    with pytest.raises(IndexError, match="599 records"):
        records[599]


def test_examples_and_batches(digits_file: str) -> None:
    records = list(tfxio.TFRecordReader(digits_file))
    batch = tfxio.decode_examples(records)
    assert batch.num_rows == 599
    assert batch.to_pylist()[3]["label"] == tfxio.Example.from_bytes(records[3])["label"]
    assert [dict(tfxio.Example.from_bytes(record)) for record in tfxio.encode_examples(batch)] == batch.to_pylist()
    only = tfxio.decode_examples(records[:2], columns=["label"])
    assert only.schema.names == ["label"]
    with pytest.raises(tfxio.exceptions.MalformedError) as raised:
        tfxio.decode_examples([records[0], b"\xff\xff"])
    assert raised.value.record == 1


def test_an_example() -> None:
    features = {"i": [1, 2], "f": 0.5, "s": "text", "b": [b"\x00"], "n": np.arange(4).reshape(2, 2), "none": []}
    example = tfxio.Example(features)  # type: ignore[arg-type]
    again = tfxio.Example.from_bytes(example.to_bytes())
    assert again == example
    assert again["n"] == [0, 1, 2, 3]
    with pytest.raises(TypeError, match="feature 'x'.*all values are int|feature \"x\""):
        tfxio.Example({"x": [1, b"a"]}).to_bytes()
    with pytest.raises(OverflowError, match="64 bits"):
        tfxio.Example({"x": 2**63}).to_bytes()
    with pytest.raises(TypeError, match="feature 'x'"):
        tfxio.Example({"x": object()})  # type: ignore[dict-item]


def test_examples_are_encoded_of_values_and_of_64_bit_floats() -> None:
    with pytest.warns(UserWarning, match=r"64-bit floats are rounded to 32 bits \(column 'score'; lossless=True refuses that\)") as said:
        records = tfxio.encode_examples({"id": [7, None], "name": ["ada", "bob"], "score": [0.5, 0.1]})
    assert [warning.filename for warning in said] == [__file__]
    assert dict(tfxio.Example.from_bytes(records[0])) == {"id": [7], "name": [b"ada"], "score": [0.5]}
    assert tfxio.Example.from_bytes(records[1])["id"] == []
    with pytest.raises(tfxio.exceptions.UnsupportedError, match="something would be lost"):
        tfxio.encode_examples({"score": [0.1]}, lossless=True)
    with pytest.raises(tfxio.exceptions.SchemaMismatchError) as refused:
        tfxio.encode_examples({"n": [1, 2**63]})
    assert (refused.value.column, refused.value.record) == ("n", 1)
