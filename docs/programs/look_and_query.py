"""Looks at tf.Examples: columns, statistics, a schema, what newer records have against it, Parquet, and SQL."""

import tempfile

import duckdb
import numpy as np

import tfxio

folder = tempfile.mkdtemp()
ds = tfxio.open("fixtures/digits/digits@3.tfrecord", scalars=True, text=True)
print(ds)
print(ds.head(2, columns=["id", "label"]))

stats = ds.stats()
print(stats)
schema = stats.infer_schema()

newer = [{"image": np.ones(64, np.float32), "label": "seven"}, {"image": np.ones(63, np.float32), "label": "eight"}]
tfxio.write(newer, f"{folder}/newer.tfrecord")
for anomaly in tfxio.open(f"{folder}/newer.tfrecord").stats().validate(schema):
    print(anomaly)

tfxio.write(ds, f"{folder}/digits.parquet")
print(duckdb.execute(f"select count(*), max(label) from '{folder}/digits.parquet'").fetchall())
reader = ds.read(columns=["label"], filter="label > 6")
print(duckdb.execute("select label, count(*) from reader group by label order by label").fetchall())
