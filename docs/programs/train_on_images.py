"""Gives PyTorch JPEG images of TFRecords, by two workers for each of two ranks, and goes on exactly within an epoch."""

import io
import tempfile
from typing import Any

import numpy as np
import torch
from PIL import Image
from torchdata.stateful_dataloader import StatefulDataLoader

import tfxio
import tfxio.torch


def jpeg(number: int) -> bytes:
    Image.linear_gradient("L").rotate(number).convert("RGB").save(file := io.BytesIO(), "JPEG")
    return file.getvalue()


def prepare(batch: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    images = [np.asarray(Image.open(io.BytesIO(file)).resize((32, 32)), np.float32) for file in batch["jpeg"]]
    pixels = np.stack(images).transpose(0, 3, 1, 2) / 255
    flips = rng.random(len(pixels)) < 0.5
    pixels[flips] = pixels[flips, ..., ::-1]
    return {"pixels": pixels, "label": batch["label"]}


def loader(path: str, rank: int) -> Any:
    photos = tfxio.open(path, scalars=True)
    batches = tfxio.torch.LoaderDataset(
        photos, inputs=["jpeg"], targets=["label"], batch_size=20, shuffle=True, seed=7, rank=rank, world_size=2
    )
    return StatefulDataLoader(batches.map(prepare), batch_size=None, num_workers=2)


if __name__ == "__main__":
    path = tempfile.mkdtemp() + "/photos@4.tfrecord"
    tfxio.write(({"jpeg": jpeg(number), "label": number} for number in range(360)), path)
    labels = [label for rank in range(2) for batch in loader(path, rank) for label in batch["label"].tolist()]
    print("both ranks have all images once:", sorted(labels) == list(range(360)))

    first = loader(path, rank=0)
    batches = iter(first)
    for _ in range(4):
        batch = next(batches)
    print(batch["pixels"].shape, batch["pixels"].dtype)
    torch.save(first.state_dict(), path + ".state")  # together with the model: here the run may be killed
    rest = list(batches)

    resumed = loader(path, rank=0)
    resumed.load_state_dict(torch.load(path + ".state"))
    same = [torch.equal(one["pixels"], other["pixels"]) for one, other in zip(resumed, rest, strict=True)]
    print(f"{len(same)} batches follow, which are those of the first run:", all(same))
