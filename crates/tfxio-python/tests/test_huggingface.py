"""Data sets of Hugging Face: the same values, streamed and from the cache, and no cache of other files."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import tfxio

pytest.importorskip("datasets")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def builder(tmp_path: Path) -> Any:
    from tfxio.huggingface import Builder

    return lambda dataset, *columns: Builder(dataset, columns or None, cache_dir=str(tmp_path / "cache"))


def test_streams(digits: tfxio.Dataset, builder: Any) -> None:
    stream = builder(digits).as_streaming_dataset(split="train")
    rows = list(stream)
    wanted = digits.to_arrow().to_pylist()
    assert rows == wanted
    assert stream.num_shards == len(digits.partitions(16 << 20))
    parts = [list(stream.shard(num_shards=stream.num_shards, index=index)) for index in range(stream.num_shards)]
    assert sum(parts, []) == wanted
    assert list(next(iter(builder(digits, "label").as_streaming_dataset(split="train")))) == ["label"]


def test_the_cache(digits_file: str, tmp_path: Path, builder: Any) -> None:
    path = tmp_path / "some.tfrecord"
    shutil.copyfile(digits_file, path)
    made = builder(tfxio.open(path))
    made.download_and_prepare()
    table = made.as_dataset(split="train")
    assert table[:] == tfxio.open(path).to_arrow().to_pydict()
    assert table.with_format("numpy")[598]["image"].shape == (64,)
    # Another file of the same name.
    with tfxio.TFRecordWriter(path) as writer:
        writer.write(tfxio.Example({"label": [5], "image": [1.0]}).to_bytes())
    made = builder(tfxio.open(path))
    made.download_and_prepare()
    assert made.as_dataset(split="train")["label"][:] == [[5]]
