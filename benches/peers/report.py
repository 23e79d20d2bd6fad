"""benches/RESULTS.md: the figures beside the peers', whether floors are met, and the command that makes each."""

from pathlib import Path

MISSED = "**missed**"
#: The tables of benches/shuffling.py and benches/growth.py.
APART = [Path(__file__).parents[1] / name for name in ("shuffling.md", "growth.md")]
START = """# Results

Written by `cargo xtask bench --peers`; do not edit.

MB/s are 10^6 bytes of the uncompressed file (payload and 16 bytes a record; of Avro the records alone) a second: \
best of five runs (of three where they are long), the median in brackets. Ours and the peers ran by turns on the same data, each in a \
process of its own, bound to as many processors as it has threads, in batches of 1,024 where nothing else is said; \
each line has the run of ours that came just before the peer's. *Ratio* is ours divided by the peer's, best by best; \
*floor* is the least we accept, *aim* where tuning should lead. Memory is the peak of the whole process in 10^6 \
bytes, input and, for the peers, Python included.

The data are made by `python benches/peers/gen_data.py DATA`; `benches/peers/README.md` says what is in them, what \
the peers do, and how to install them.
"""
COMMANDS = """
## Commands

All of it: `cargo xtask bench --peers --data DATA`; one section again: the same with `--only TASK`. One \
figure of a peer:

```sh
python benches/peers/peers.py --data DATA --match TASK/PEER/SET/FROM
cargo run --release -p benches --features arrow-avro --bin measure -- avro DATA/SET.avro --from file --arrow-avro
```

One of ours:

```sh
"""
SPEED = "set | from | ours MB/s | peer | peer MB/s | ratio | floor | aim | | our memory | peer's memory"
TENSORS = "tensors | rows a batch | ours µs | ours MB/s | peer | peer µs | peer MB/s | ratio | floor | "
LOAD = "way | ours examples/s | peer | peer examples/s | ratio | floor | | our memory | peer's memory"
# Task, title, columns, what is to be said.
SECTIONS = (
    (
        "decode",
        "tf.Example and tf.SequenceExample to columns",
        SPEED,
        "`parse_example` and `parse_sequence_example` make tensors, ours and tfx-bsl make Arrow columns.",
    ),
    ("encode", "Columns to tf.Example", SPEED, ""),
    ("scan", "Records", SPEED, "The peers have one processor, ours as many as it has threads."),
    (
        "tensors",
        "Columns to tensors",
        TENSORS,
        "MB/s here are those of the tensors: values (8 bytes for a string), indices and row splits. Tensors that "
        "share all their memory are made in a time that does not depend on their size.",
    ),
    (
        "avro",
        "Avro to columns",
        SPEED,
        "`avro_flat2` and `avro_nested2` are two of the fields. arrow-avro inflates with the same zlib-rs as ours; fastavro makes "
        "Python objects.",
    ),
    (
        "avro_tensors",
        "Avro to tensors",
        SPEED,
        "By key expressions and feature specs. `parse_avro` gets serialised records in memory, ours the file in memory.",
    ),
    (
        "messages",
        "Messages to columns",
        SPEED,
        "Two message types that are usual, and `tangle`, which is slow to decode; into the plain layout, and into the "
        "structured one, which the peers do not make: they have the same figures to beat. prost-reflect decodes to messages, "
        "whose values go to the builders of Arrow; protobuf-python is upb, whose values go to lists and from there to arrays.",
    ),
    (
        "messages_encode",
        "Columns to messages",
        SPEED,
        "Ours reads columns; the peers write messages that exist already.",
    ),
    (
        "structs",
        "tf.Example to structs",
        SPEED,
        "Ten features, one of them absent in most records; `clicks_shuf` has them in random order. prost decodes to its map, from "
        "which the fields are taken.",
    ),
    ("structs_encode", "Structs to tf.Example", SPEED, ""),
    (
        "text",
        "CSV and JSON lines to columns",
        SPEED,
        "With the same schema, in batches of 1,024; with `+infer` both find it from all rows as well. arrow-csv has no lists: "
        "both read the cells of `multivalent.csv` as texts, and with `+lists` ours makes lists of integers of them.",
    ),
    (
        "parquet",
        "Parquet to columns",
        SPEED,
        "Bytes are those of the files, which `measure convert` made of the sets of tf.Examples: all columns are lists. The peer is the "
        "reader that is under ours, in batches of as many rows (after the @) and as it is; `wide5` is five columns of `wide`.",
    ),
    (
        "load",
        "Files to batches",
        LOAD,
        "From files to batches of 128 examples, which are records or windows; ours counts as well the time of building the "
        "loader. `mnist`: images and labels, shuffled. `mnist_padded`: with tokens of varying number, padded: `tf.data` and "
        "ours read SequenceExamples, the others the same values in Examples; `tf.data-parser` pads while it parses whole "
        "batches. `stream_window`: windows of 64 steps of 8 floats, 16 apart. `tokens_bucket`: tokens and labels of the "
        "SequenceExamples, shuffled, padded, in four buckets by length, each batch of at most 4,096 tokens with padding; `tf.data` "
        "has as many examples a batch as fit if all are of the greatest length of their bucket.",
    ),
    (
        "python",
        "From Python",
        SPEED,
        "The package `tfxio` in an interpreter. From memory: lists of records to record batches of pyarrow, by the class that stands in "
        "for the peer's, and of Avro to tensors. From a file: batches of 1,024 rows of a data set that is open; `Rust` is the same loop in "
        "Rust, so that its ratio is what Python costs.",
    ),
    (
        "stats",
        "Statistics",
        SPEED,
        "All columns of records in memory, to finished statistics. tfx-bsl's users have its decoder, its sketches (values, lengths of "
        "lists) and numpy (moments, counts), on the same batches, for fewer statistics than ours has.",
    ),
    (
        "sql",
        "Statements",
        SPEED,
        "Over the 40 columns of `criteo`: `count(*)`; a sum of one column; counts and means by label; sums and least and greatest words of "
        "the 1 % of the rows that a filter keeps. Ours and tfx-bsl (with pyarrow's compute functions) read TFRecord, the others the "
        "same rows in JSON lines or Parquet; all open the files in each run. Bytes are those of the TFRecord file for all.",
    ),
    (
        "places",
        "Objects over a network",
        SPEED,
        "16 shards of 64 MB in the S3-compatible server of the tests, on the same machine, behind a proxy that delays every answer "
        "by 64 ms. `loop`: 16 requests of 4 MiB at a time, whose answers are dropped. `small`: requests of 256 KiB one after the "
        "other, as a reader without a plan has them, of the first 16 MiB. `scan` reads the records and checks both checksums, "
        "`decode` makes columns on two threads. Each way in a process of its own, by turns; server and proxy share the "
        "processors with it.",
    ),
)


def speed(figure, unit="bytes"):
    """Units a second in the fastest run; 10^6 of them if they are bytes."""
    return figure[unit] / figure["seconds_min"] / (1e6 if "bytes" in unit else 1)


def both(figure, unit="bytes"):
    """The fastest run, and the median one in brackets."""
    best = speed(figure, unit)
    return f"{best:.0f} ({best * figure['seconds_min'] / figure['seconds_median']:.0f})"


def us_per_tensor(figure):
    return figure["seconds_min"] * 1e6 / figure["tensors"]


def short(value):
    return f"{value:.2f}" if value < 100 else f"{value:.0f}"


def memory(figure):
    value = figure.get("peak_rss_mb")
    return "" if value is None else f"{value:.0f}"


def before_cell(job, ours, before):
    if before is None:
        return ""
    unit = {"load": "records", "tensors": "tensor_bytes"}.get(job.task, "bytes")
    return f"{speed(before, unit):.0f}, {speed(ours, unit) / speed(before, unit):.2f}×"


def row(job, ours, before, peer, theirs, floor):
    name, _, batch = job.set.partition("@")
    unit = "records" if job.task == "load" else "bytes"
    ratio = speed(ours, unit) / speed(theirs, unit)
    least, aim = [*(f"{value}×" for value in floor), "", ""][:2]
    verdict = ""
    if floor:
        is_aim = len(floor) == 2 and ratio >= floor[1]
        verdict = MISSED if ratio < floor[0] else "aim met" if is_aim else "met"
    if job.task == "tensors":
        cells = [f"{short(us_per_tensor(each))} | {short(speed(each, 'tensor_bytes'))}" for each in (ours, theirs)]
        return [name, batch or "1024", cells[0], *before, peer, cells[1], f"{ratio:.1f}×", least, verdict]
    threads = f", {job.threads} threads" if job.threads > 1 else ""
    start = [name] if job.task == "load" else [job.set + threads, job.source]
    floors = [least] if job.task == "load" else [least, aim]
    # What is about as fast is told apart by hundredths.
    times = f"{ratio:.2f}×" if ratio < 1.1 else f"{ratio:.1f}×"
    cells = [both(ours, unit), *before, peer, both(theirs, unit), times]
    return [*start, *cells, *floors, verdict, memory(ours), memory(theirs)]


def section(task, title, columns, remark, measured, floors):
    jobs = [(job, result) for job, result in measured if job.task == task and result["peers"]]
    if not jobs:
        return ""
    runs = "; ".join(sorted({result["run"] for _, result in jobs}))
    versions = {figure["version"] for _, result in jobs for _, figure in result["peers"]} - {""}
    text = f"Measured {runs}. Peers: {', '.join(sorted(versions))}. {remark}".rstrip()
    commits = {figure["version"] for _, result in jobs for figure in result.get("before", []) if figure}
    if commits:
        columns = columns.replace(" | peer |", " | before | peer |", 1)
        text += f" *Before*: that of commit {', '.join(sorted(commits))} by turns with ours, and how many times ours is it."
    lines = ["", f"## {title}", "", text, "", f"| {columns} |", "|" + " --- |" * (columns.count("|") + 1)]
    for job, result in jobs:
        of_job = floors.get("/".join(map(str, job)).removesuffix("/1"), {})
        befores = result.get("before", [None] * len(result["ours"]))
        for ours, older, (peer, theirs) in zip(result["ours"], befores, result["peers"]):
            before = [before_cell(job, ours, older)] if commits else []
            lines.append(f"| {' | '.join(row(job, ours, before, peer, theirs, of_job.get(peer, [])))} |")
    return "\n".join(lines) + "\n"


def own_floor(floor, job, result):
    """What was found, what was wanted, and whether that is met."""
    ours = result["ours"][0]
    if "mb_per_s" in floor:
        found, limit = speed(ours), floor["mb_per_s"]
        return f"{found:.0f} MB/s", f"{limit} MB/s", found >= limit
    if "us_per_tensor" in floor:
        found, limit = us_per_tensor(ours), floor["us_per_tensor"]
        return f"{short(found)} µs", f"{limit} µs", found <= limit
    # The first speed by that of doing all the others' work one after the other, in the median turn.
    turns = [(speed(of[0]) * sum(1 / speed(other) for other in of[1:]), of) for of in result["turns"]]
    ratio, (ours, *others) = sorted(turns, key=lambda turn: turn[0])[len(turns) // 2]
    between = " of" if len(others) == 1 else " MB/s;"
    speeds = " and ".join(f"{speed(other):.0f}" for other in others)
    return f"{ratio:.2f}× ({speed(ours):.0f}{between} {speeds} MB/s)", f"{floor['times']}×", ratio >= floor["times"]


def render(measured, floors):
    """The whole file; `measured` has the results of jobs."""
    out = START
    ordered = sorted(measured.items())
    for task, title, columns, remark in SECTIONS:
        out += section(task, title, columns, remark, ordered, floors["peers"])
    by_name = {"/".join(map(str, job)).removesuffix("/1"): (job, result) for job, result in ordered}
    rows = ""
    turns = set()
    for floor in floors["own"]:
        if floor["job"] in by_name:
            job, result = by_name[floor["job"]]
            found, wanted, is_met = own_floor(floor, job, result)
            turns |= {len(result["turns"])} - {0}
            name = job.set.replace("@", ", batches of ")
            rows += f"| {floor['about']} | {name} | {found} | {wanted} | {'met' if is_met else MISSED} |\n"
    if rows:
        out += (
            "\n## Floors of our own\n\nEach of the run of its section above. Where ours is beside ours, both "
            f"ran by turns, {' or '.join(map(str, sorted(turns)))} times; the turn with the median quotient stands here.\n\n"
            f"| what | set | ours | floor | |\n| --- | --- | --- | --- | --- |\n{rows}"
        )
    # Measured by programs of their own.
    out += "".join("\n" + path.read_text() for path in APART)
    out += COMMANDS
    if any(job.task == "places" for job, _ in ordered):
        out += "TFXIO_S3_SERVER=SERVER cargo run --release -p benches --features places --bin places\n"
    for job, _ in ordered:
        if job.task == "places":
            continue
        pin = "taskset -c 0 " if job.threads == 1 else ""
        if job.task == "python":
            out += f"PYTHONPATH=PACKAGE {pin}python benches/peers/ours_python.py {' '.join(job.words('DATA'))}\n"
            continue
        out += f"{pin}cargo run --release -p benches --bin measure -- {' '.join(job.words('DATA'))}\n"
    return out + "```\n"
