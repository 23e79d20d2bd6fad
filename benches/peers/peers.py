"""Runs the systems that tfxio is compared with, and prints one JSON line for each case.

    python peers.py --data FOLDER [--match TEXT]... [--cores 1|2] [--batch 1024] [--repeat 5]
    python peers.py --list [--match TEXT]...

README.md beside this file describes the output.
"""

import argparse
import dataclasses
import importlib
import importlib.metadata
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import adapter_data
import avro_data
import data_sets
import sql_data

# Rows a batch for which adapters are compared; these cases say theirs behind an `@`.
ADAPTER_BATCHES = (1024, 32768)
# Which package a peer is from, where it is not TensorFlow.
PACKAGES = {
    "tfx-bsl": "tfx-bsl",
    "tfx-bsl-no-schema": "tfx-bsl",
    "tfx-bsl-encoder": "tfx-bsl",
    "tfx-bsl-adapter": "tfx-bsl",
    "protobuf": "protobuf",
    "protobuf-python": "protobuf",
    "fastavro": "fastavro",
    "parse_avro": "tensorflow-io",
    "atds": "tensorflow-io",
    "duckdb-parquet": "duckdb",
    "duckdb-jsonl": "duckdb",
    "pyspark-jsonl": "pyspark",
}
# Peers that work record by record.
ONE_BY_ONE = ("tf_record_iterator", "protobuf", "fastavro")


@dataclasses.dataclass(frozen=True)
class Case:
    """One line of the output."""

    task: str
    peer: str
    set: str
    source: str  # "memory" or "file"
    file: str

    @property
    def name(self):
        return f"{self.task}/{self.peer}/{self.set}/{self.source}"


def all_cases():
    for file in ("criteo.tfrecord", "wide.tfrecord", "criteo.gz.tfrecord", "criteo.zlib.tfrecord"):
        for peer in ("tf.data", "tf_record_iterator"):
            yield Case("scan", peer, file.removesuffix(".tfrecord"), "file", file)
    for source in ("memory", "file"):
        for name, (file, _) in data_sets.SETS.items():
            if name == "taxi":
                continue  # of statistics alone
            for peer in ("tfx-bsl", "tfx-bsl-no-schema", "parse_example"):
                # Without a schema there is no projection.
                if not (peer == "tfx-bsl-no-schema" and name == "wide5"):
                    yield Case("decode", peer, name, source, file)
    for name, (file, *_) in data_sets.SEQUENCE_SETS.items():
        for peer in ("tfx-bsl", "tfx-bsl-no-schema", "parse_sequence_example"):
            yield Case("decode", peer, name, "memory", file)
    for name in ("criteo", "dense", "multi"):
        for peer in ("tfx-bsl-encoder", "protobuf"):
            yield Case("encode", peer, name, "memory", data_sets.SETS[name][0])
    for name in data_sets.MESSAGES:
        for part in ("", ".structured"):
            yield Case("messages", "protobuf-python", f"{name}{part}", "memory", f"{name}.tfrecord")
        yield Case("messages_encode", "protobuf-python", name, "memory", f"{name}.tfrecord")
    for kind in adapter_data.KINDS:
        for rows in ADAPTER_BATCHES:
            yield Case("tensors", "tfx-bsl-adapter", f"{kind}@{rows}", "memory", adapter_data.file_of(kind))
    for name in avro_data.SETS:
        for part in ("", "2"):
            yield Case("avro", "fastavro", f"{name}{part}", "file", avro_data.file_of(name))
            yield Case("avro_tensors", "parse_avro", f"{name}{part}", "memory", avro_data.file_of(name))
    for name, peer in (
        ("mnist", "tf.data"),
        ("mnist_padded", "tf.data"),
        ("mnist_padded", "tf.data-example"),
        ("mnist_padded", "tf.data-parser"),
        ("stream_window", "tf.data"),
        ("tokens_bucket", "tf.data"),
    ):
        yield Case("load", peer, name, "file", f"{name}.json")
    for name in ("criteo", "taxi"):
        yield Case("stats", "tfx-bsl", name, "memory", data_sets.SETS[name][0])
    for statement in sql_data.STATEMENTS:
        for peer in ("tfx-bsl", "duckdb-jsonl", "pyspark-jsonl", "duckdb-parquet"):
            file = {"tfx-bsl": "criteo.tfrecord", "duckdb-parquet": "sql.parquet"}.get(peer, "sql.jsonl")
            yield Case("sql", peer, f"criteo.{statement}", "file", file)
    for part in ("", "2"):
        yield Case("avro_tensors", "atds", f"avro_flat{part}", "file", avro_data.file_of("avro_flat"))


def chosen_cases(matches):
    return [case for case in all_cases() if not matches or any(text in case.name for text in matches)]


def limit_to(cores):
    """Binds this process to so many processors. Has to happen before TensorFlow counts them."""
    if hasattr(os, "sched_setaffinity"):
        allowed = sorted(os.sched_getaffinity(0))
        if len(allowed) < cores:
            raise SystemExit(f"only {len(allowed)} processors may be used here, {cores} were asked for")
        os.sched_setaffinity(0, allowed[:cores])
        return
    # macOS and Windows have no such call in Python: keep at least TensorFlow to that many threads.
    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(cores)
    tf.config.threading.set_inter_op_parallelism_threads(cores)


def run_here(case, args):
    """Measures the case in this process and prints its line."""
    limit_to(args.cores)
    import measuring

    module = "peer_sequence" if case.set in data_sets.SEQUENCE_SETS else f"peer_{case.task.split('_')[0]}"
    peers = importlib.import_module(module)
    # Some sets say how large their batches are, and so do the pipelines of the loader.
    batch = int(case.set.split("@")[1]) if "@" in case.set else getattr(peers, "BATCH", args.batch)
    work = peers.prepare(case, args.data, batch, args.cores)
    package = PACKAGES.get(case.peer, "tensorflow")
    line = {
        "peer": case.peer,
        "version": f"{package} {importlib.metadata.version(package)}",
        "task": case.task,
        "set": case.set,
        "from": case.source,
        "cores": args.cores,
        "batch": 1 if case.peer in ONE_BY_ONE else batch,
        **measuring.measure(work, args.repeat),
        "peak_rss_mb": measuring.peak_rss_mb(),
    }
    print(json.dumps(line), flush=True)
    # Threads of tf.data may still wait for a timer; there is nothing to wait for.
    os._exit(0)


def run_alone(case, args):
    """Runs the case in a process of its own; true if it printed its line."""
    command = [sys.executable, __file__, "--data", str(args.data), "--cores", str(args.cores)]
    command += ["--batch", str(args.batch), "--repeat", str(args.repeat), "--run", case.name]
    quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "ABSL_MIN_LOG_LEVEL": "3"}
    done = subprocess.run(command, env=os.environ | quiet, capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode == 0 and lines:
        print(lines[-1], flush=True)
        return True
    reason = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
    print(f"{case.name} failed: {reason}", file=sys.stderr, flush=True)
    return False


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = os.environ.get("BENCH_DATA", os.path.join(tempfile.gettempdir(), "bench-data"))
    parser.add_argument(
        "--data",
        type=pathlib.Path,
        default=pathlib.Path(default),
        help="folder of the data sets (default: $BENCH_DATA, else %(default)s)",
    )
    parser.add_argument(
        "--match", action="append", default=[], metavar="TEXT", help="only cases whose name holds TEXT; may be repeated"
    )
    parser.add_argument("--list", action="store_true", help="print the names of the cases and end")
    parser.add_argument(
        "--cores", type=int, choices=(1, 2), default=1, help="processors a case may use (default: %(default)s)"
    )
    parser.add_argument("--batch", type=int, default=1024, help="records a batch (default: %(default)s)")
    parser.add_argument("--repeat", type=int, default=5, help="timed runs of each case (default: %(default)s)")
    parser.add_argument("--run", metavar="NAME", help="measure one case in this process (used by the program itself)")
    args = parser.parse_args()
    if args.batch < 1 or args.repeat < 1:
        parser.error("--batch and --repeat must be at least 1")
    return args


def main():
    args = arguments()
    if args.run:
        run_here(next(case for case in all_cases() if case.name == args.run), args)
    cases = chosen_cases(args.match)
    if not cases:
        raise SystemExit("no case has such a name; --list shows them")
    if args.list:
        print("\n".join(case.name for case in cases))
        return
    failed = 0
    for case in cases:
        if not (args.data / case.file).is_file():
            print(f"{case.name} left out: {args.data / case.file} is not there (gen_data.py or write-sets makes it)", file=sys.stderr)
            failed += 1
        elif not run_alone(case, args):
            failed += 1
    if failed:
        raise SystemExit(f"{failed} of {len(cases)} cases gave no figure")


if __name__ == "__main__":
    main()
