"""Cuts time series into windows: two days as the input, and the twelve hours after them as the target."""

import tempfile

import numpy as np

import tfxio

folder = tempfile.mkdtemp()
hours = np.arange(24 * 365)
for station in range(3):
    warmth = np.float32(10 * station) + (12 - abs(hours % 24 - 12)) / np.float32(2)
    tfxio.write({"hour": hours % 24, "warmth": warmth}, f"{folder}/station-{station}.tfrecord")

loader = tfxio.open(f"{folder}/station-*.tfrecord").loader(
    inputs=["hour", "x"],
    targets=["y"],
    features={"x": "warmth", "y": "warmth"},
    window={"size": 60, "stride": 6, "steps": [("hour", "slice", "[:48]"), ("x", "slice", "[:48]"), ("y", "slice", "[48:]")]},
    batch_size=32,
    shuffle=True,
    seed=7,
)
batch = next(loader)
print(batch)
print(batch["hour"].numpy()[0, -3:], batch["x"].numpy()[0, -3:], batch["y"].numpy()[0, :3])
print(batch.num_rows + sum(other.num_rows for other in loader), "windows, none of which is of two files")
