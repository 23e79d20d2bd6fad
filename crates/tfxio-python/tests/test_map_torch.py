"""Functions that take tensors of torch or batches of Arrow: without a copy, in this process and in others."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from conftest import DIGITS

import tfxio

torch = pytest.importorskip("torch")

HOW: dict[str, Any] = {"inputs": ["image", "id"], "targets": ["label"], "batch_size": 200, "epochs": 1}


def halved(batch: dict[str, Any]) -> dict[str, Any]:
    assert all(type(batch[name]) is torch.Tensor for name in ("image", "label"))
    return {**batch, "image": batch["image"].reshape(-1, 8, 8).flip(2) / 2, "half": batch["image"].bfloat16(), "pid": os.getpid()}


def doubled(rows: dict[str, Any]) -> dict[str, Any]:
    assert type(rows["label"]) is torch.Tensor and rows["id"].dtype == object
    return {"label": rows["label"] * 2, "shape": [list(rows["label"].shape)] * len(rows["id"])}


@pytest.mark.parametrize("how", [{}, {"threads": 2}, {"workers": 1}])
def test_a_loader_gives_tensors(how: dict[str, Any]) -> None:
    ds = tfxio.open(DIGITS, scalars=True)
    with ds.loader(**HOW).map(halved, given="torch", **how) as loader:
        found = list(loader)
    for batch, plain in zip(found, ds.loader(**HOW), strict=True):
        images = torch.from_numpy(plain["image"].numpy().copy())
        assert torch.equal(batch["image"], images.reshape(-1, 8, 8).flip(2) / 2) and torch.equal(batch["half"], images.bfloat16())
        assert batch["id"].tolist() == plain["id"].numpy().tolist() and batch["label"].tolist() == plain["label"].tolist()
        assert (batch["pid"] == os.getpid()) == ("workers" not in how)


@pytest.mark.parametrize("workers", [0, 1])
def test_a_data_set_gives_tensors(workers: int) -> None:
    ds = tfxio.open(DIGITS, scalars=True, text=True)
    mapped = ds.map(doubled, columns=["id", "label"], given="torch", workers=workers)
    assert [row["label"] for row in mapped] == [2 * row["label"] for row in ds]
    assert len(ds.filter(lambda rows: rows["label"] == 7, columns=["label"], given="torch")) == 179


def test_memory_is_shared_and_lists_of_one_length_are_matrices() -> None:
    from tfxio import _columns, _given

    images = np.arange(12, dtype=np.float32).reshape(4, 3)
    images.flags.writeable = False
    batch = _columns.batch({"image": images, "label": np.arange(4), "text": ["a"] * 4, "words": [[1], [], [2], [3]]})
    found = _given.of_columns(batch, "torch")
    assert found["image"].shape == (4, 3) and found["image"].tolist() == images.tolist()
    assert found["image"].data_ptr() == batch["image"].flattened.to_numpy().ctypes.data
    assert found["label"].data_ptr() == batch["label"].to_numpy().ctypes.data
    assert found["text"].tolist() == ["a"] * 4 and found["words"].tolist() == [[1], [], [2], [3]]
    assert _given.tensor(images).data_ptr() == images.ctypes.data


def test_a_loader_dataset_gives_tensors(digits: tfxio.Dataset) -> None:
    import tfxio.torch

    with pytest.raises(ValueError, match='given is "numpy" or "torch", not \'arrow\''):
        tfxio.torch.LoaderDataset(digits, **HOW).map(halved, given="arrow")  # type: ignore[arg-type]
    batch = next(iter(tfxio.torch.LoaderDataset(digits, inputs=["image"], targets=["label"], batch_size=32).map(halved, given="torch")))
    assert batch["image"].shape == (32, 8, 8) and batch["half"].dtype == torch.bfloat16


def test_torch_is_imported_where_it_is_asked_for() -> None:
    code = f"""
import sys, tfxio
ds = tfxio.open({DIGITS!r})
next(ds.map(lambda rows: {{"n": rows["label"]}}).loader(inputs=["label"], batch_size=2).map(dict))
print("torch" in sys.modules)
ds.map(lambda rows: {{"n": [1] * len(rows["label"])}}, given="torch")
print("torch" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["False", "True"], done.stderr
