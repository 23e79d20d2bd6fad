"""Batches over several devices and processes of JAX, which a process has to ask for before it begins."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import DIGITS

pytest.importorskip("jax")

HERE = Path(__file__).parent

#: One of two processes with two devices each, which have two blocks of rows together, or the same rows.
PROCESS = """
import sys, jax, numpy
from jax.sharding import Mesh, NamedSharding, PartitionSpec
jax.distributed.initialize(sys.argv[2], num_processes=2, process_id=int(sys.argv[3]))
import tfxio, tfxio.jax

digits = tfxio.open(sys.argv[1])
how = {"inputs": ["image"], "targets": ["label"], "batch_size": 32, "shuffle": True, "seed": 3}
sized = {**how, "even": "drop", "pad": {"image": 64, "label": 1}}
mesh = Mesh(numpy.array(jax.devices()).reshape(2, 2), ("host", "own"))
here = jax.process_index()

def same(batches, plain, sharding, rows):
    count = 0
    for batch, own in zip(batches, plain, strict=True):
        image = batch["image"]
        assert image.shape == (rows * len(own["image"]), 64) and image.sharding == sharding, image
        for shard in image.addressable_shards:
            first = (shard.index[0].start or 0) - (here * len(own["image"]) if rows == 2 else 0)
            assert numpy.array_equal(shard.data, numpy.asarray(own["image"])[first : first + len(shard.data), shard.index[1]])
        count += 1
    return count

# Each process has rows of its own; the last batch is smaller, and divides.
rows = NamedSharding(mesh, PartitionSpec(("host", "own")))
shard = {"process_index": here, "process_count": 2}
count = same(tfxio.jax.loader(digits, sharding=rows, **sized), tfxio.jax.loader(digits, **shard, **sized), rows, 2)
assert count == 29, count

# Both have the same rows, and each a half of the columns.
columns = NamedSharding(mesh, PartitionSpec("own", "host"))
one = {"process_index": 0, "process_count": 1}
whole = {**how, "drop_remainder": True}
images = {**whole, "targets": []}
assert same(tfxio.jax.loader(digits, sharding=columns, **images), tfxio.jax.loader(digits, **one, **images), columns, 1) == 56

for wrong, what in [
    ({**sized, "even": None}, 'give even="drop", even="repeat" or epochs=None'),
    ({**sized, "pad": {"label": 1}}, 'give its size, as pad={"image": …}'),
    ({**sized, "even": None, "epochs": None, "max_tokens": 4096}, "max_tokens makes batches of other sizes in each process"),
]:
    try:
        tfxio.jax.loader(digits, sharding=rows, **wrong)
    except ValueError as error:
        assert what in str(error), error
    else:
        raise AssertionError(what)
crossed = Mesh(numpy.array([jax.devices()[at] for at in (0, 2, 1, 3)]), ("all",))
assert next(tfxio.jax.loader(digits, sharding=NamedSharding(crossed, PartitionSpec("all")), **sized))["label"].shape == (64, 1)
alone = Mesh(jax.devices()[:2], ("all",))
try:
    tfxio.jax.loader(digits, sharding=NamedSharding(alone, PartitionSpec("all")), **whole)
except ValueError as error:
    assert here == 1 and "no device of this process, which is number 1" in str(error), error
print("done", here)
"""


def environment(devices: int) -> dict[str, str]:
    flags = {"XLA_FLAGS": f"--xla_force_host_platform_device_count={devices}", "JAX_PLATFORMS": "cpu"}
    return {**os.environ, **flags, "TFXIO_FIXTURES_DIR": str(Path(DIGITS).parents[1])}


def test_four_devices() -> None:
    settings = ["-q", "-p", "no:cacheprovider", "-c", str(HERE.parent / "pyproject.toml")]
    command = [sys.executable, "-m", "pytest", *settings, str(HERE / "jax_mesh_cases.py")]
    done = subprocess.run(command, env=environment(4), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def test_two_processes() -> None:
    with socket.socket() as free:
        free.bind(("localhost", 0))
        address = f"localhost:{free.getsockname()[1]}"
    running = [
        subprocess.Popen(
            [sys.executable, "-c", PROCESS, DIGITS, address, str(number)],
            env=environment(2),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for number in range(2)
    ]
    try:
        said = [process.communicate(timeout=300)[0] for process in running]
    finally:
        for process in running:
            process.kill()
    for number, text in enumerate(said):
        assert f"done {number}" in text and running[number].returncode == 0, text
