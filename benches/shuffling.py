"""Reading in order and shuffled, of every format, beside tf.data, Grain and MosaicML streaming over the same records.

`python3 benches/shuffling.py [FOLDER] [--rows N] [--runs N]` writes the records in FOLDER, in each format once, and prints tables: rows a second
over three epochs, the first of which counts the records of files that do not say it, beside those of peers; and how well orders are mixed. It
needs tfxio, pyarrow and numpy; what is not installed of tensorflow-cpu, grain with array_record, and mosaicml-streaming is left out. Peers read
what their users would: tf.data parses examples that come through a buffer of 10,000, Grain gives records that nobody parses, MosaicML
streaming the columns of MDS.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import tfxio

#: Examples a batch, and epochs of a run.
BATCH = 256
EPOCHS = 3
#: Files of the formats that have several.
SHARDS = 8
THREADS = 2
#: Batches that Grain is measured over, which takes minutes for all.
GRAIN_BATCHES = 60
#: What is measured of ours.
SHUFFLES: tuple[bool | str, ...] = (False, True, "blocks", "buffer")
#: Values of an example.
VALUES = 16


def table(rows: int) -> pa.Table:
    chance = np.random.default_rng(1)
    words = np.array(["taxi", "cash", "credit card", "no charge", "company", "trip", "north", "south side"])
    return pa.table({
        "id": pa.array(np.arange(rows)),
        "label": pa.array(chance.integers(0, 10, rows)),
        "x": pa.FixedSizeListArray.from_arrays(pa.array(chance.random(rows * VALUES, np.float32)), VALUES),
        "words": pa.array([" ".join(words[of]) for of in chance.integers(0, len(words), (rows, 4))]),
    })


def written(folder: Path, rows: int) -> dict[str, str]:
    """Writes the records in each format, and returns a pattern of the files of each."""
    patterns = {
        "TFRecord": "plain/*.tfrecord",
        "TFRecord, foreign gzip": "foreign/*.tfrecord.gz",
        "TFRecord, gzip of tfxio": "ours/*.tfrecord.gz",
        "Avro, deflate": "avro/*.avro",
        "Parquet, one row group": "one/*.parquet",
        "Parquet, groups of 5,000": "many/*.parquet",
    }
    if not (folder / "done").exists():
        for pattern in patterns.values():
            (folder / pattern).parent.mkdir(parents=True, exist_ok=True)
        all_rows = table(rows)
        tfxio.write(all_rows, folder / f"plain/x@{SHARDS}.tfrecord")
        tfxio.write(all_rows, folder / f"ours/x@{SHARDS}.tfrecord.gz")
        tfxio.write(all_rows, folder / f"avro/x@{SHARDS}.avro")
        for file in (folder / "plain").iterdir():
            with gzip.open(folder / "foreign" / f"{file.name}.gz", "wb", compresslevel=6) as out:
                out.write(file.read_bytes())
        pq.write_table(all_rows, folder / "one/x.parquet", row_group_size=rows)
        pq.write_table(all_rows, folder / "many/x.parquet", row_group_size=5000)
        (folder / "done").touch()
    return {name: str(folder / pattern) for name, pattern in patterns.items()}


def ours(pattern: str, shuffle: bool | str) -> Callable[[], Iterator[int]]:
    dataset = tfxio.open(pattern)

    def rows() -> Iterator[int]:
        loader = dataset.loader(batch_size=BATCH, shuffle=shuffle, seed=1, epochs=EPOCHS, threads=THREADS)
        return (batch.num_rows for batch in loader)

    return rows


def of_tf_data(pattern: str, compression: str) -> Callable[[], Iterator[int]]:
    import tensorflow as tf

    features = {
        "id": tf.io.FixedLenFeature([], tf.int64),
        "label": tf.io.FixedLenFeature([], tf.int64),
        "x": tf.io.FixedLenFeature([VALUES], tf.float32),
        "words": tf.io.FixedLenFeature([], tf.string),
    }
    auto = tf.data.AUTOTUNE

    def rows() -> Iterator[int]:
        files = tf.data.Dataset.list_files(pattern, shuffle=True, seed=1)
        mixed = files.interleave(lambda file: tf.data.TFRecordDataset(file, compression), num_parallel_calls=auto, deterministic=True)
        shuffled = mixed.shuffle(10_000, seed=2).repeat(EPOCHS).batch(BATCH)
        parsed = shuffled.map(lambda records: tf.io.parse_example(records, features), num_parallel_calls=auto).prefetch(auto)
        return (int(batch["id"].shape[0]) for batch in parsed)

    return rows


def of_grain(folder: Path, pattern: str) -> Callable[[], Iterator[int]]:
    import grain.python as grain
    from array_record.python.array_record_module import ArrayRecordWriter

    file = folder / "x.array_record"
    if not file.exists():
        writer = ArrayRecordWriter(str(file), "group_size:1")
        for shard in sorted(Path(pattern).parent.iterdir()):
            for record in tfxio.TFRecordReader(shard):
                writer.write(bytes(record))
        writer.close()

    def rows() -> Iterator[int]:
        source = grain.ArrayRecordDataSource(str(file))
        dataset = grain.MapDataset.source(source).shuffle(seed=1).repeat(EPOCHS)
        batches = dataset.to_iter_dataset(grain.ReadOptions(num_threads=16, prefetch_buffer_size=500)).batch(BATCH, batch_fn=list)
        # As fast from the first record to the last.
        return (len(batch) for batch in itertools.islice(batches, GRAIN_BATCHES))

    return rows


def of_mosaic(folder: Path, rows_of: pa.Table, held: int | None = None) -> Callable[[], Iterator[int]]:
    from streaming import MDSWriter, StreamingDataset

    local = folder / "mds"
    if not local.exists():
        columns = {"id": "int", "label": "int", "x": f"ndarray:float32:{VALUES}", "words": "str"}
        with MDSWriter(out=str(local), columns=columns) as out:
            for row in rows_of.to_pylist():
                out.write({**row, "x": np.array(row["x"], np.float32)})
    if held is not None:
        dataset = StreamingDataset(local=str(local), shuffle=True, shuffle_algo="py1e", shuffle_block_size=held, batch_size=BATCH)
        sys.stdout.buffer.write(np.array([row["id"] for row in dataset], np.int64).tobytes())
        sys.exit()

    def rows() -> Iterator[int]:
        dataset = StreamingDataset(local=str(local), shuffle=True, shuffle_algo="py1e", batch_size=BATCH)
        for _ in range(EPOCHS):
            for _ in dataset:
                yield 1

    return rows


#: The peers, and the format of ours beside which each stands.
PEERS = {
    "tf.data, `shuffle(10_000)`, TFRecord": "TFRecord",
    "tf.data, `shuffle(10_000)`, foreign gzip": "TFRecord, foreign gzip",
    "Grain, ArrayRecord, records not parsed": "TFRecord",
    "MosaicML streaming, MDS, `py1e`": "TFRecord",
}


def peer(name: str, folder: Path, patterns: dict[str, str], rows: int) -> Callable[[], Iterator[int]]:
    if name.startswith("tf.data"):
        return of_tf_data(patterns[PEERS[name]], "GZIP" if "gzip" in name else "")
    if name.startswith("Grain"):
        return of_grain(folder, patterns["TFRecord"])
    return of_mosaic(folder, table(rows))


def mixing(folder: Path, patterns: dict[str, str], rows: int) -> None:
    """Prints how well orders of little memory are mixed: a sixth of the records at a time, blocks of a sixth for `py1e`."""
    dataset = tfxio.open(patterns["TFRecord, gzip of tfxio"])
    memory = 4 << 20
    plan = dataset.loader(batch_size=BATCH, shuffle="blocks", shuffle_bytes=memory, seed=1).plan()
    held = memory // plan.orders[0]["example_bytes"]

    def ids(**how: Any) -> np.ndarray:
        # All columns, which take the memory that is compared.
        loader = dataset.loader(batch_size=BATCH, seed=1, **how)
        return np.concatenate([np.asarray(batch["id"]).ravel() for batch in loader])

    orders = {
        "in order": ids(),
        "`\"blocks\"`": ids(shuffle="blocks", shuffle_bytes=memory),
        "`\"buffer\"`": ids(shuffle="buffer", shuffle_buffer=held),
        "`\"global\"`": ids(shuffle="global"),
    }
    command = [sys.executable, __file__, str(folder), "--rows", str(rows), "--peer", "MosaicML streaming, MDS, `py1e`", "--order", str(held)]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode == 0:
        orders["MosaicML streaming, `py1e`"] = np.frombuffer(done.stdout, np.int64)
    print(f"\nOf {rows:,} records in {SHARDS} files, {held:,} are held. In a random order, the correlation is 0, neighbours are 1 apart, and runs {SHARDS / (SHARDS - 1):.2f} long.\n")
    print("| order | rank correlation | distance of neighbours | runs of one file |\n| --- | --- | --- | --- |")
    # Records are numbered as they lie in the files.
    numbers = np.argsort(orders["in order"])
    for name, order in orders.items():
        order = order if name.startswith("MosaicML") else numbers[order]
        correlation = np.corrcoef(np.arange(rows), order)[0, 1]
        apart = np.abs(np.diff(order)).mean() / (rows / 3)
        file = order // -(-rows // SHARDS)
        runs = rows / (1 + np.count_nonzero(np.diff(file)))
        print(f"| {name} | {correlation:.3f} | {apart:.3f} | {runs:.2f} |")


def speed(rows: Callable[[], Iterator[int]], runs: int) -> float:
    """Returns the median of rows a second."""
    speeds = []
    for _ in range(runs):
        start = time.perf_counter()
        count = sum(rows())
        speeds.append(count / (time.perf_counter() - start))
    return statistics.median(speeds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--rows", type=int, default=160_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", choices=["speed", "peers", "mixing"])
    parser.add_argument("--order", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--peer", choices=PEERS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    folder = given.folder or Path(tempfile.mkdtemp())
    patterns = written(folder, given.rows)
    if given.order:
        of_mosaic(folder, table(given.rows), given.order)
    if given.peer:
        print(speed(peer(given.peer, folder, patterns, given.rows), given.runs))
        return
    if given.only in (None, "speed", "peers"):
        speeds(folder, patterns, given)
    if given.only in (None, "mixing"):
        mixing(folder, patterns, given.rows)
    if given.folder is None:
        shutil.rmtree(folder)


def speeds(folder: Path, patterns: dict[str, str], given: argparse.Namespace) -> None:
    """Prints the speeds of ours, and those of peers."""
    print(f"{given.rows:,} rows, {EPOCHS} epochs, batches of {BATCH}, {THREADS} threads; rows/s, medians of {given.runs} runs\n")
    print("| format | in order | `shuffle=True` | of in order | `\"blocks\"` | `\"buffer\"` |\n| --- | --- | --- | --- | --- | --- |")
    best = {}
    for name, pattern in patterns.items():
        # By turns, so that what else the machine does meets all of them.
        turns = [[speed(ours(pattern, shuffle), 1) for shuffle in SHUFFLES] for _ in range(given.runs)]
        cells = {shuffle: statistics.median(turn[at] for turn in turns) for at, shuffle in enumerate(SHUFFLES)}
        best[name] = cells[True]
        print(
            f"| {name} | {cells[False]:,.0f} | {cells[True]:,.0f} | {cells[True] / cells[False]:.2f} | {cells['blocks']:,.0f} |"
            f" {cells['buffer']:,.0f} |",
            flush=True,
        )
    if given.only == "speed":
        return
    print("\n| peer | rows/s | ours, `shuffle=True` | ratio |\n| --- | --- | --- | --- |")
    for name, beside in PEERS.items():
        # One peer's libraries do not go with another's.
        command = [sys.executable, __file__, str(folder), "--rows", str(given.rows), "--runs", str(max(1, given.runs // 2)), "--peer", name]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(f"| {name} | {(done.stderr.strip().splitlines() or ['?'])[-1]} | | |")
            continue
        rate = float(done.stdout.splitlines()[-1])
        print(f"| {name} | {rate:,.0f} | {best[beside]:,.0f} | {best[beside] / rate:.1f} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
