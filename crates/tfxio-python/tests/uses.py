"""What a typed program calls, for type checkers: nothing here runs."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import assert_type

import tfxio


def read(path: str) -> int:
    """Reads, filters and slices."""
    ds = tfxio.open(path, schema=b"", storage_options={"aws_region": "eu-west-1"}, infer_records=10, keys=["a.b"])
    assert_type(ds, tfxio.Dataset)
    reader = ds.read(columns=["label", ["user", "name"]], filter="label = 7", limit=10, threads=0)
    assert_type(reader, tfxio.BatchReader)
    for batch in reader:
        assert_type(batch, tfxio.RecordBatch)
        assert_type(batch["label"], tfxio.Array)
        assert_type(batch.origin(0), tuple[str, int | None, int | None] | None)
    assert_type(ds[0:10], tfxio.BatchReader)
    first = ds[0]
    assert_type(first.keys().__len__(), int)
    assert_type(ds.partitions()[0], tfxio.Partition) if isinstance(ds.partitions(), list) else None
    return len(ds)


def tensors(ds: tfxio.Dataset) -> Iterator[tfxio.DenseTensor]:
    """Makes tensors."""
    described = {"image": tfxio.FixedLen([8, 8], "float32"), "tags": tfxio.VarLen("string")}
    for batch in ds.tensors(described).read(batch_size=32):
        image = batch["image"]
        if isinstance(image, tfxio.DenseTensor):
            assert_type(image.shape, tuple[int, ...])
            yield image


def load(ds: tfxio.Dataset) -> None:
    """Loads batches."""
    with ds.loader(inputs=["image"], targets=["label"], batch_size=32, shuffle=True, seed=7) as loader:
        for batch in loader:
            assert_type(batch["image"], tfxio.DenseTensor)
        state = loader.state_dict()
    tfxio.BatchLoader({"type": "independent"}, [(ds, 1.0), (ds, 2.0)], state=state)


def mapped(ds: tfxio.Dataset) -> None:
    """Calls functions."""
    assert_type(ds.filter("label = 7").filter(bool, given="rows", columns=["label"], workers=2), tfxio.Dataset)
    loader = ds.map(dict, given="rows", workers=2).loader(inputs=["image"], batch_size=32)
    assert_type(next(loader.map(len, workers=2)), int)


def records() -> None:
    """Writes and reads records."""
    target = io.BytesIO()
    with tfxio.TFRecordWriter(target, compression="gzip") as writer:
        writer.write(tfxio.Example({"name": "Ada", "scores": [0.5, 1.5]}).to_bytes())
    for record in tfxio.TFRecordReader(target):
        assert_type(record, bytes)
    assert_type(tfxio.decode_examples([b""]), tfxio.RecordBatch)


def errors() -> None:
    """Catches errors."""
    try:
        tfxio.open("none")
    except tfxio.exceptions.NotFoundError as error:
        assert_type(error.path, str | None)
        assert_type(error.record, int | None)
