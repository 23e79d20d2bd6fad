"""What type checkers refuse: a misspelt keyword of public calls, or a misspelt word of a few. A call that they take is an ignore that they do not need, which is an
error of theirs. Nothing here runs."""

from __future__ import annotations

import tfxio
import tfxio.jax
import tfxio.tensorflow
import tfxio.torch


def calls(ds: tfxio.Dataset) -> None:
    tfxio.open("x", delimeter=";")  # type: ignore[call-arg]
    tfxio.open("x", int96="ms")  # type: ignore[arg-type]
    tfxio.open("x", format="tfrecrod")  # type: ignore[arg-type]
    tfxio.open("x", on_error="ignore")  # type: ignore[arg-type]
    tfxio.open("x", records="exmple")  # type: ignore[arg-type]
    tfxio.convert("x", "y", to="example")  # type: ignore[arg-type]
    tfxio.write({}, "x", format="raw")  # type: ignore[arg-type]
    tfxio.TFRecordReader("x", compression="lz4")  # type: ignore[arg-type]
    tfxio.Request(on_error="ignore")  # type: ignore[arg-type]
    tfxio.FixedLen([], "int46")  # type: ignore[arg-type]
    ds.read(on_error="ignore")  # type: ignore[arg-type]
    ds.loader(batch_size=1, on_error="ignore")  # type: ignore[arg-type]
    ds.loader(batch_size=1, on_leave="ignore")  # type: ignore[arg-type]
    ds.loader(batch_size=1, pack={"length": 3, "dtype": "int46"})  # type: ignore[arg-type]
    tfxio.write({}, "x", compresion="zstd")  # type: ignore[call-arg]
    tfxio.convert("x", "y", kodec="zstandard")  # type: ignore[call-arg]
    tfxio.inspect("x", delimeter=";")  # type: ignore[call-arg]
    tfxio.verify("x", delimeter=";")  # type: ignore[call-arg]
    tfxio.index("x", delimeter=";")  # type: ignore[call-arg]
    tfxio.extract("x", "y", delimeter=";")  # type: ignore[call-arg]
    tfxio.repair("x", outptu="y")  # type: ignore[call-arg]
    tfxio.infer_schema(ds, limt=1)  # type: ignore[call-arg]
    tfxio.validate(ds, "schema", enviroment="x")  # type: ignore[call-arg]
    ds.read(colums=["a"])  # type: ignore[call-arg]
    ds.aread(colums=["a"])  # type: ignore[call-arg]
    ds.head(colums=["a"])  # type: ignore[call-arg]
    ds.tail(colums=["a"])  # type: ignore[call-arg]
    ds.sample(3, sed=1)  # type: ignore[call-arg]
    ds.to_arrow(limt=1)  # type: ignore[call-arg]
    ds.to_pandas(limt=1)  # type: ignore[call-arg]
    ds.to_polars(limt=1)  # type: ignore[call-arg]
    ds.stats(colums=["a"])  # type: ignore[call-arg]
    ds.loader(shuffel=True)  # type: ignore[call-arg]
    ds.loader(batch_size=1).map(len, thread=1)  # type: ignore[call-arg]
    ds.map(len, colums=[])  # type: ignore[call-arg]
    ds.cast({"a": "int46"})  # type: ignore[dict-item]
    ds.shard(0, cuont=2)  # type: ignore[call-arg]
    ds.take(row=3)  # type: ignore[call-arg]
    tfxio.BatchLoader(None, ds, shuffel=True)  # type: ignore[call-arg]
    tfxio.torch.LoaderDataset(ds, shuffel=True)  # type: ignore[call-arg]
    tfxio.torch.IterableDataset(ds, batchsize=1)  # type: ignore[call-arg]
    tfxio.jax.loader(ds, shuffel=True)  # type: ignore[call-arg]
    tfxio.tensorflow.loader(ds, shuffel=True)  # type: ignore[call-arg]
    tfxio.decode_examples([], colums=["a"])  # type: ignore[call-arg]
    tfxio.encode_examples([], lossles=True)  # type: ignore[call-arg]
