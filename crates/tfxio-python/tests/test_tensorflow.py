"""Data sets of tf.data: what they hold, their element_spec, and Keras."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tfxio

tf = pytest.importorskip("tensorflow")

import tfxio.tensorflow as tt  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")

DENSE = {"image": tfxio.FixedLen([8, 8], "float32"), "label": tfxio.FixedLen([], "int64")}


def test_kinds_and_their_specs(fixtures: Path) -> None:
    people = tfxio.open(fixtures / "tensors" / "people.tfrecord", schema=fixtures / "tensors" / "people.pbtxt")
    data = tt.dataset(people, batch_size=10)
    batch = next(iter(data))
    assert data.element_spec == {
        "age": tf.TensorSpec([None], tf.int64),
        "moves": tf.RaggedTensorSpec([None, None, None], tf.int64, ragged_rank=2, row_splits_dtype=tf.int64),
        "name": tf.TensorSpec([None], tf.string),
        "scores": tf.TensorSpec([None, 2], tf.float32),
        "tags": tf.SparseTensorSpec([None, None], tf.string),
        "weights": tf.SparseTensorSpec([None, 10], tf.float32),
    }
    assert batch["name"].numpy().tolist() == [b"Ada", b"Grace", b"Edith"]
    assert batch["moves"].to_list() == [[[7, 8], [9]], [], [[], [3, 5]]]
    assert tf.sparse.to_dense(batch["tags"]).numpy().tolist() == [[b"engine", b"notes"], [b"", b""], [b"loops", b""]]
    for name, spec in data.element_spec.items():
        assert spec.is_compatible_with(batch[name]), name


def test_parse_example_gives_the_same(digits: tfxio.Dataset, digits_file: str) -> None:
    features = {"image": tf.io.FixedLenFeature([64], tf.float32), "label": tf.io.VarLenFeature(tf.int64)}
    theirs = tf.data.TFRecordDataset(digits_file).batch(599).map(lambda records: tf.io.parse_example(records, features))
    one = tfxio.open(digits_file)
    ours = tt.dataset(one, {"image": tfxio.FixedLen([64], "float32"), "label": tfxio.VarLen("int64")}, batch_size=599)
    for their, our in zip(theirs, ours, strict=True):
        assert bool(tf.reduce_all(their["image"] == our["image"]))
        assert bool(tf.reduce_all(tf.sparse.to_dense(their["label"]) == tf.sparse.to_dense(our["label"])))


def test_shards_and_targets(digits: tfxio.Dataset) -> None:
    labels: list[int] = []
    for index in range(2):
        for features, label in tt.dataset(digits, DENSE, batch_size=100, targets=["label"], shard=(index, 2)):
            assert features["image"].shape[1:] == (8, 8)
            labels += label.numpy().tolist()
    assert sorted(labels) == sorted(row["label"][0] for row in digits)
    with pytest.raises(KeyError, match="lable"):
        tt.dataset(digits, DENSE, batch_size=100, targets=["lable"])


def test_keras_fits(digits: tfxio.Dataset) -> None:
    keras = pytest.importorskip("keras")
    keras.utils.set_random_seed(1)
    how: dict[str, Any] = {"batch_size": 64, "shuffle": True, "seed": 1, "epochs": None}
    # Sizes that all examples have are said, so that Keras knows the shapes.
    data = tt.loader(digits, inputs=["image"], targets=["label"], pad={"image": 64, "label": 1}, **how)
    image = keras.Input([64], name="image")
    model = keras.Model({"image": image}, keras.layers.Dense(10, activation="softmax")(image / 16.0))
    model.compile(keras.optimizers.Adam(0.01), "sparse_categorical_crossentropy", metrics=["accuracy"])
    history: Any = model.fit(data, epochs=4, steps_per_epoch=28, verbose=0).history
    assert history["accuracy"][-1] > 0.6


@pytest.mark.parametrize("sizes", [[], [0], [0, 1, 63, 64, 127, 128, 20_000], [300] * 500])
def test_strings_become_tensors_without_an_object_each(sizes: list[int]) -> None:
    def long(value: int) -> bytes:
        value, out = value << 1, b""
        while value >= 0x80:
            out, value = out + bytes([value & 0x7F | 0x80]), value >> 7
        return out + bytes([value])

    strings = [bytes((at + size) % 256 for at in range(size)) for size in sizes]
    items = b"".join(long(len(string)) + string for string in strings)
    record = (long(len(strings)) + items if strings else b"") + b"\0"
    schema = '{"type": "record", "name": "r", "fields": [{"name": "s", "type": {"type": "array", "items": "bytes"}}]}'
    specs = {
        "s[*]": tfxio.VarLen("string"),
        "padded": tfxio.FixedLen([None], "string", key="s[*]", default="-"),
        "first": tfxio.FixedLen([], "string", key="s[0]", default=""),
        "ragged": tfxio.Ragged("string", key="s[*]"),
    }
    tensors: dict[str, Any] = tfxio.AvroFeatures(schema, specs).tensors([record, b"\0"])
    found = tfxio.tensorflow.to_tensorflow(tensors)
    assert found["s[*]"].values.numpy().tolist() == tensors["s[*]"].values.tolist() == strings
    assert found["padded"].numpy().tolist() == tensors["padded"].tolist() == [strings, [b"-"] * len(strings)]
    assert found["first"].numpy().tolist() == [*strings[:1], b"", b""][:2]
    assert found["ragged"].flat_values.numpy().tolist() == strings
    assert tensors["s[*]"].indices.to_tensor_proto() is None
