"""Times `parse_avro` of tensorflow-io and of ours in one process, and ours without TensorFlow.

    taskset -c 0 PYTHON tests/peers/time_tensorflow_io.py DATA [SET ...]

PYTHON is of an environment with TensorFlow 2.16, tensorflow-io 0.37.1 and tfxio. DATA is the folder that `benches/peers/gen_data.py` made,
with SET.avro and the features in SET.json; the sets are `avro_nested` and `avro_flat`, unless they are named. Prints for each
way the median time of a batch of 1,024 records, and how much faster it is than theirs in a function that TensorFlow has traced.
"""

from __future__ import annotations

import json
import re
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tensorflow as tf

import tfxio
from tfxio._lib import AvroRecordReader
from tfxio.compat import tensorflow_io as ours

BATCH = 1024
BATCHES = 20
#: Seconds that each way is timed.
SECONDS = 4.0


def features(module: Any, specs: dict[str, Any]) -> dict[str, Any]:
    """Returns specs as features of a module."""
    found = {}
    for key, spec in specs.items():
        dtype = tf.as_dtype(spec["dtype"])
        if spec["kind"] == "VarLen":
            found[key] = module.experimental.columnar.VarLenFeatureWithRank(dtype, spec["rank"])
        else:
            found[key] = tf.io.FixedLenFeature(spec["shape"], dtype, default_value=spec.get("default"))
    return found


def schema_of(file: Path) -> str:
    """Returns the schema of a file."""
    head = file.read_bytes()[: 1 << 16]
    at = re.search(rb"avro\.schema", head)
    assert at is not None
    rest, length, shift = head[at.end() :], 0, 0
    while True:
        byte, rest = rest[0], rest[1:]
        length |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
    return rest[: length >> 1].decode()


def median(run: Callable[[Any], Any], batches: list[Any]) -> float:
    """Returns the median of the times of a batch."""
    run(batches[0])
    times: list[float] = []
    begun = time.perf_counter()
    while time.perf_counter() - begun < SECONDS or len(times) < 5:
        for batch in batches:
            start = time.perf_counter()
            run(batch)
            times.append(time.perf_counter() - start)
            if time.perf_counter() - begun > SECONDS and len(times) >= 5:
                break
    return statistics.median(times)


def in_graph(module: Any, schema: str, specs: dict[str, Any]) -> Callable[[Any], Any]:
    """Returns a traced function."""
    wanted = features(module, specs)
    signature = [tf.TensorSpec([None], tf.string)]
    parse: Callable[[Any], Any] = tf.function(
        lambda one: module.experimental.columnar.parse_avro(one, reader_schema=schema, features=wanted), input_signature=signature
    )
    return parse


def as_numpy(tensors: dict[str, Any]) -> list[Any]:
    """Returns all arrays of tensors."""
    return [
        [tensor.indices.numpy(), tensor.values.numpy()] if isinstance(tensor, tfxio.SparseTensor) else tensor.numpy()
        for tensor in tensors.values()
    ]


def of_set(data: Path, name: str) -> None:
    """Prints the times of a set."""
    import tensorflow_io as theirs

    file, specs = data / f"{name.rstrip('2')}.avro", json.loads((data / f"{name}.json").read_text())
    schema = schema_of(file)
    records: list[bytes] = []
    for some in AvroRecordReader(str(file)):
        records += some
        if len(records) >= BATCH * BATCHES:
            break
    lists = [records[at : at + BATCH] for at in range(0, BATCH * BATCHES, BATCH)]
    tensors = [tf.constant(some) for some in lists]
    native = tfxio.AvroFeatures(schema, specs)
    eager = features(ours, specs)
    columnar = ours.experimental.columnar

    def pipeline(module: Any) -> Callable[[Any], Any]:
        wanted, parse = features(module, specs), module.experimental.columnar.parse_avro
        dataset = tf.data.Dataset.from_tensor_slices(tf.stack(tensors)).repeat()
        batches = iter(dataset.map(lambda one: parse(one, reader_schema=schema, features=wanted)))
        return lambda _: next(batches)

    ways: list[tuple[str, Callable[[Any], Any], list[Any]]] = [
        ("theirs, tf.function", in_graph(theirs, schema, specs), tensors),
        ("theirs, Dataset.map", pipeline(theirs), tensors),
        ("ours, Dataset.map", pipeline(ours), tensors),
        ("ours, tf.function", in_graph(ours, schema, specs), tensors),
        ("ours, eager", lambda one: columnar.parse_avro(one, schema, eager), tensors),
        ("AvroFeatures.tensors as numpy", lambda one: as_numpy(native.tensors(one)), lists),
        ("AvroFeatures.tensors", native.tensors, lists),
        ("AvroFeatures.columns", native.columns, lists),
    ]
    found: dict[str, float] = {}
    for way, run, batches in ways:
        found[way] = median(run, batches)
        base = found["theirs, Dataset.map" if "Dataset.map" in way else "theirs, tf.function"]
        print(f"{name:12} {way:32} {1e6 * found[way]:10.0f} µs {BATCH / found[way]:12,.0f} records/s {base / found[way]:8.1f}×", flush=True)


def main() -> None:
    """Prints the times of all sets."""
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    for name in sys.argv[2:] or ["avro_nested", "avro_flat"]:
        of_set(Path(sys.argv[1]), name)


if __name__ == "__main__":
    main()
