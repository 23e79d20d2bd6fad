"""Tensors: what they hold, and that numpy and DLPack see the same memory."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import tfxio


def test_dense(digits: tfxio.Dataset) -> None:
    tensors = digits.tensors({"pixels": tfxio.FixedLen([8, 8], "float32", key="image"), "label": tfxio.FixedLen([], "int64")})
    assert tensors.specs["pixels"] == {"kind": "dense", "dtype": "float32", "shape": [None, 8, 8]}
    batch = next(tensors.read(batch_size=32))
    pixels = batch["pixels"].numpy()
    assert (pixels.shape, pixels.dtype, pixels.flags.writeable) == ((32, 8, 8), np.float32, False)
    assert pixels[0].reshape(-1).tolist() == digits[0]["image"]
    assert batch["label"].tolist() == [row["label"][0] for row in digits.head(32)]
    exported = np.from_dlpack(batch["pixels"])
    assert exported.__array_interface__["data"][0] == pixels.__array_interface__["data"][0]


def test_the_memory_of_the_batch_is_the_tensor(digits: tfxio.Dataset) -> None:
    batch = next(digits.read(columns=["image"], batch_size=16))
    adapter = tfxio.TensorAdapter(batch.schema, {"image": tfxio.FixedLen([64], "float32")})
    tensor = pickle.loads(pickle.dumps(adapter)).tensors(batch)["image"]
    assert isinstance(tensor, tfxio.DenseTensor)
    assert tensor.__array_interface__["data"][0] == batch["image"].flattened.__array_interface__["data"][0]


def test_kinds(fixtures: Path) -> None:
    people = tfxio.open(fixtures / "tensors" / "people.tfrecord", schema=fixtures / "tensors" / "people.pbtxt")
    batch = next(people.tensors().read())
    assert batch["name"].numpy().tolist() == [b"Ada", b"Grace", b"Edith"]
    assert batch["age"].numpy().tolist() == [36, -1, 41]
    tags = batch["tags"]
    assert tags.dense_shape == (3, 2)
    assert tags.indices.numpy().tolist() == [[0, 0], [0, 1], [2, 0]]
    assert tags.values.numpy().tolist() == [b"engine", b"notes", b"loops"]
    moves = batch["moves"]
    assert [splits.numpy().tolist() for splits in moves.row_splits] == [[0, 2, 2, 4], [0, 2, 3, 3, 5]]
    assert moves.values.numpy().tolist() == [7, 8, 9, 3, 5]
    assert {type(tensor).__name__ for tensor in batch.values()} == {"DenseTensor", "SparseTensor", "RaggedTensor"}


def test_some_of_the_tensors(fixtures: Path) -> None:
    schema = (fixtures / "tensors" / "people.pbtxt").read_bytes()
    people = tfxio.open(fixtures / "tensors" / "people.tfrecord", schema=schema)
    assert list(next(people.tensors(["age"]).read())) == ["age"]
    with pytest.raises(KeyError, match="agee"):
        people.tensors(["agee"])


def test_without_a_schema_there_are_no_tensors(digits: tfxio.Dataset) -> None:
    with pytest.raises(ValueError, match="schema"):
        digits.tensors()
    with pytest.raises(TypeError, match="the description of tensor 'label' is a representation"):
        digits.tensors({"label": object()})


def test_a_tensor_that_does_not_fit(digits: tfxio.Dataset) -> None:
    with pytest.raises(tfxio.exceptions.SchemaMismatchError, match="64") as raised:
        list(digits.tensors({"image": tfxio.FixedLen([8], "float32")}).read())
    assert raised.value.record == 0


def test_partitions(digits: tfxio.Dataset) -> None:
    tensors = digits.tensors({"label": tfxio.FixedLen([], "int64")})
    rows = sum(len(batch["label"]) for part in digits.partitions(20_000) for batch in tensors.scan(part))
    assert rows == 1797


def test_dlpack_says_that_it_must_not_be_written_to(digits: tfxio.Dataset) -> None:
    image = next(digits.tensors({"image": tfxio.FixedLen([64], "float32")}).read())["image"]
    assert "dltensor_versioned" in repr(image.__dlpack__(max_version=(1, 0)))
    view = np.from_dlpack(image)
    assert view.__array_interface__["data"] == (image.__array_interface__["data"][0], True)
    with pytest.raises(ValueError, match="read-only"):
        view[0, 0] = 1


def test_dlpack_before_version_1_takes_a_copy(digits: tfxio.Dataset) -> None:
    image = next(digits.tensors({"image": tfxio.FixedLen([64], "float32")}).read())["image"]
    for version in (None, (0, 8)):
        with pytest.raises(BufferError, match="max_version"):
            image.__dlpack__(max_version=version)
    assert '"dltensor"' in repr(image.__dlpack__(copy=True))

    class Old:
        """A tensor that has no version."""

        def __dlpack__(self, **_asked: object) -> object:
            return image.__dlpack__(copy=True)

        def __dlpack_device__(self) -> tuple[int, int]:
            return 1, 0

    address = image.__array_interface__["data"][0]
    assert np.from_dlpack(Old()).__array_interface__["data"][0] != address  # type: ignore[arg-type]
    copy = np.from_dlpack(image, copy=True)
    copy[0, 0] = 100
    assert copy.__array_interface__["data"][0] != address and image.numpy()[0, 0] != 100


def test_dlpack_refuses_what_it_cannot(digits: tfxio.Dataset) -> None:
    tensor = next(digits.tensors({"id": tfxio.FixedLen([], "string")}).read())["id"]
    with pytest.raises(NotImplementedError, match="string"):
        tensor.__dlpack__(max_version=(1, 0))
    image = next(digits.tensors({"image": tfxio.FixedLen([64], "float32")}).read())["image"]
    assert image.__dlpack_device__() == (1, 0)
    with pytest.raises(BufferError):
        image.__dlpack__(max_version=(1, 0), dl_device=(2, 0))
