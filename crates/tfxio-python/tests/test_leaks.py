"""Nothing is leaked: after 10,000 batches, by every way out, as much memory is allocated as before.

What Rust has allocated is counted by the allocator of the C library, live bytes and not pages; what Python has, in blocks.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np
import pytest

import tfxio

BATCHES = 10_000
#: A leak of 5 bytes a batch is seen.
MAX_BYTES = 50_000
MAX_BLOCKS = 1_000
#: How often it may have been something else that grew, such as what a thread that ends has not yet released.
ROUNDS = 3


#: Batches of a stream.
STREAMED = 100


class Mallinfo(ctypes.Structure):
    """`struct mallinfo2` of the GNU C library."""

    names = ["arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"]
    _fields_ = [(name, ctypes.c_size_t) for name in names]


def mallinfo() -> Callable[[], Mallinfo]:
    """Returns the function of the C library that counts."""
    try:
        function = ctypes.CDLL(None).mallinfo2
    except (AttributeError, OSError, TypeError):
        pytest.skip("only the GNU C library, 2.33 or newer, counts live bytes")
    function.restype = Mallinfo
    counted: Callable[[], Mallinfo] = function
    return counted


def forever(read: Callable[[], Any]) -> Iterator[Any]:
    """Yields the batches of one reader after the other."""
    while True:
        yield from read()


def rows(digits: tfxio.Dataset) -> Iterator[Any]:
    return forever(lambda: digits.read(batch_size=1, columns=["label", "image"]))


def tensors(digits: tfxio.Dataset) -> Iterator[Any]:
    described = {"image": tfxio.FixedLen([8, 8], "float32"), "label": tfxio.VarLen("int64"), "id": tfxio.Ragged("string")}
    return forever(lambda: digits.tensors(described).read(batch_size=1))


def loaded(digits: tfxio.Dataset) -> Iterator[Any]:
    return forever(lambda: digits.loader(inputs=["image"], targets=["label"], batch_size=2, shuffle=True, seed=1))


def to_pyarrow(batch: Any) -> None:
    import pyarrow

    pyarrow.record_batch(batch)


def stream(table: Any) -> None:
    import pyarrow

    pyarrow.RecordBatchReader.from_stream(table).read_all()


WAYS: dict[str, tuple[Callable[[tfxio.Dataset], Iterator[Any]], Callable[[Any], object]]] = {
    "arrow, by batch": (rows, to_pyarrow),
    "arrow, by stream": (lambda digits: forever(lambda: [digits.read(batch_size=1, limit=STREAMED)]), stream),
    "arrow, not taken": (rows, lambda batch: (batch.__arrow_c_array__(), batch["label"].__arrow_c_array__())),
    "objects": (rows, lambda batch: batch.to_pylist()),
    "numpy": (rows, lambda batch: batch["image"].flattened.to_numpy().sum()),
    "tensors": (tensors, lambda batch: (batch["image"].numpy(), batch["label"].indices.numpy(), batch["id"].row_splits[0].numpy())),
    "dlpack": (tensors, lambda batch: np.from_dlpack(batch["image"])),
    "dlpack, copied": (tensors, lambda batch: np.from_dlpack(batch["image"], copy=True)),
    "dlpack, not taken": (tensors, lambda batch: (batch["image"].__dlpack__(max_version=(1, 0)), batch["image"].__dlpack__(copy=True))),
    "loader": (loaded, lambda batch: np.from_dlpack(batch["image"])),
}


@pytest.mark.parametrize("way", WAYS)
def test_nothing_is_leaked(way: str, digits: tfxio.Dataset) -> None:
    if way.startswith("arrow, by"):
        pytest.importorskip("pyarrow")
    count = mallinfo()

    def live() -> tuple[int, int]:
        gc.collect()
        found = count()
        return found.uordblks + found.hblkhd, sys.getallocatedblocks()

    batches, use = WAYS[way]

    def read(number: int) -> None:
        source = batches(digits)
        for batch in islice(source, number // STREAMED if way == "arrow, by stream" else number):
            use(batch)
        # The reader that it stopped in is closed before memory is counted.
        source.close()  # type: ignore[attr-defined]

    # What is made once, and kept, is there after this.
    read(2_000)
    grown = []
    for _ in range(ROUNDS):
        before = live()
        read(BATCHES)
        after = live()
        grown.append((after[0] - before[0], after[1] - before[1]))
        if grown[-1][0] < MAX_BYTES and grown[-1][1] < MAX_BLOCKS:
            return
    pytest.fail(f"bytes and blocks that {BATCHES} batches have left: {grown}")
