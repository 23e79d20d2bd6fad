"""The digits, trained by each framework: from the same weights by plain SGD, the losses are those of a reference in numpy."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import tfxio

from conftest import FIXTURES

pytestmark = pytest.mark.filterwarnings("ignore")

CONFIG = str(FIXTURES / "loader" / "digits.json")
HOW: dict[str, Any] = {"inputs": ["image"], "targets": ["label"], "seed": 7}
EPOCHS, RATE, HIDDEN = 2, 0.1, 32
TOLERANCE = 1e-4


def weights() -> list[Any]:
    random = np.random.default_rng(3)
    shapes = [(64, HIDDEN), (HIDDEN,), (HIDDEN, 10), (10,)]
    return [(random.standard_normal(shape) * 0.2).astype(np.float32) for shape in shapes]


@pytest.fixture(scope="module")
def reference() -> list[tuple[int, float]]:
    """The number of examples and the loss of each batch: softmax over a hidden layer of tanh, in numpy."""
    into, bias, out, last = (array.astype(np.float64) for array in weights())
    losses = []
    for _ in range(EPOCHS):
        for batch in tfxio.BatchLoader(CONFIG, **HOW):
            image = batch["image"].numpy().reshape(-1, 64).astype(np.float64) / 16
            label = batch["label"].numpy()
            hidden = np.tanh(image @ into + bias)
            logits = hidden @ out + last
            logits -= logits.max(axis=1, keepdims=True)
            shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
            losses.append((len(label), float(-np.log(shares[np.arange(len(label)), label]).mean())))
            shares[np.arange(len(label)), label] -= 1
            slope = shares / len(label)
            inner = (slope @ out.T) * (1 - hidden**2)
            out, last = out - RATE * (hidden.T @ slope), last - RATE * slope.sum(axis=0)
            into, bias = into - RATE * (image.T @ inner), bias - RATE * inner.sum(axis=0)
    return losses


def test_the_reference_learns(reference: list[tuple[int, float]]) -> None:
    assert len(reference) == EPOCHS * 57
    assert reference[0][1] > 2.0 > 1.0 > reference[-1][1]


def test_torch(reference: list[tuple[int, float]]) -> None:
    torch = pytest.importorskip("torch")
    import tfxio.torch

    model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(64, HIDDEN), torch.nn.Tanh(), torch.nn.Linear(HIDDEN, 10))
    with torch.no_grad():
        for parameter, start in zip(model.parameters(), weights(), strict=True):
            parameter.copy_(torch.tensor(start.T))
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE)
    digits = tfxio.torch.LoaderDataset(config=CONFIG, **HOW)
    losses = []
    for _ in range(EPOCHS):
        # The reference has the order of the first epoch in each.
        digits.set_epoch(0)
        for batch in torch.utils.data.DataLoader(digits, batch_size=None, num_workers=1):
            loss = torch.nn.functional.cross_entropy(model(batch["image"] / 16), batch["label"])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(float(loss.detach()))
    assert np.allclose(losses, [loss for _, loss in reference], rtol=0, atol=TOLERANCE)


def test_jax(reference: list[tuple[int, float]]) -> None:
    jax = pytest.importorskip("jax")
    import tfxio.jax

    def loss_of(parameters: list[Any], image: Any, label: Any) -> Any:
        into, bias, out, last = parameters
        logits = jax.numpy.tanh(image.reshape(-1, 64) / 16 @ into + bias) @ out + last
        return -jax.nn.log_softmax(logits)[jax.numpy.arange(len(label)), label].mean()

    step = jax.jit(jax.value_and_grad(loss_of))
    parameters, losses = weights(), []
    for _ in range(EPOCHS):
        for batch in tfxio.jax.loader(config=CONFIG, **HOW):
            loss, slopes = step(parameters, batch["image"], batch["label"])
            parameters = [parameter - RATE * slope for parameter, slope in zip(parameters, slopes, strict=True)]
            losses.append(float(loss))
    assert np.allclose(losses, [loss for _, loss in reference], rtol=0, atol=TOLERANCE)


def test_keras(reference: list[tuple[int, float]]) -> None:
    pytest.importorskip("tensorflow")
    keras = pytest.importorskip("keras")
    import tfxio.tensorflow

    image = keras.Input([8, 8], name="image")
    hidden = keras.layers.Dense(HIDDEN, activation="tanh")(keras.layers.Flatten()(image) / 16.0)
    model = keras.Model({"image": image}, keras.layers.Dense(10)(hidden))
    model.set_weights(weights())
    model.compile(keras.optimizers.SGD(RATE), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    losses = model.fit(tfxio.tensorflow.loader(config=CONFIG, **HOW), epochs=EPOCHS, verbose=0).history["loss"]
    # Keras reports the mean of an epoch.
    epochs = np.split(np.array(reference), EPOCHS)
    assert np.allclose(losses, [np.average(epoch[:, 1], weights=epoch[:, 0]) for epoch in epochs], rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("framework", ["torch", "jax"])
def test_tensorflow_is_not_imported(framework: str) -> None:
    pytest.importorskip(framework)
    code = f"""
import sys, tfxio.{framework}
next(iter(tfxio.{framework}.{"LoaderDataset" if framework == "torch" else "loader"}(config={CONFIG!r}, inputs=["image"], targets=["label"])))
print("tensorflow" in sys.modules)
"""
    child = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=120)
    assert child.stdout.split() == ["False"], child.stderr
