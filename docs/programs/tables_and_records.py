"""Writes a frame of pandas as TFRecords and as Parquet, converts one into the other, and reads them back."""

import tempfile

import numpy as np
import pandas as pd

import tfxio

folder = tempfile.mkdtemp()
frame = pd.DataFrame({"name": ["Ada", "Bo", "Cy"], "age": [36, 41, 7], "tags": [["a"], [], ["b", "c"]]})
frame["score"] = np.array([0.5, np.nan, 1.25], np.float32)

tfxio.write(frame, f"{folder}/people.tfrecord.gz")
people = tfxio.open(f"{folder}/people.tfrecord.gz", scalars=True, text=True)
print(people.to_pandas())

tfxio.write(frame, f"{folder}/people.parquet")
tfxio.convert(f"{folder}/people.parquet", f"{folder}/people@2.tfrecord")  # without opening them: two shards
done = tfxio.convert(f"{folder}/people@2.tfrecord", f"{folder}/again.parquet", scalars=True, text=True)
print(done.rows, sorted(pd.read_parquet(f"{folder}/again.parquet")["name"]))

frame["born"] = pd.to_datetime(["1815-12-10", "1810-01-01", "1844-05-05"])
done = tfxio.write(frame, f"{folder}/born.tfrecord")  # warns of what is lost
print(done.losses[0].what)
tfxio.write(frame, f"{folder}/born.tfrecord", cast={"born": "string"}, lossless=True)
print(tfxio.open(f"{folder}/born.tfrecord").head(1, columns=["born"], text=True))
