"""Measures ours beside the other systems, by turns on the same data, and writes benches/RESULTS.md.

    python compare.py                  writes RESULTS.md again from the figures in results.jsonl
    python compare.py --check          fails if that would change it
    python compare.py --measure PROGRAM --write-sets PROGRAM --data FOLDER [--only TASK,...] [--match TEXT]
                      [--before OLDER_PROGRAM --before-name COMMIT] [--places PROGRAM] [--package FOLDER]

`cargo xtask bench --peers` builds what the last one needs, and calls it.
"""

import argparse
import collections
import datetime
import json
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import tomllib

import data_sets
import report
import sql_data
import text_data

HERE = pathlib.Path(__file__).resolve().parent
RESULTS = HERE.parent / "RESULTS.md"
FIGURES = HERE.parent / "results.jsonl"
# How often jobs of ours that are compared with each other run by turns; odd, so that one is the median.
TURNS = 5
# Of what is measured beside a peer, the part that results.jsonl keeps.
KEPT = ("bytes", "records", "seconds_min", "seconds_median", "peak_rss_mb", "tensors", "tensor_bytes")
ARROW_AVRO_SETS = [
    f"avro_{kind}{rest}" for kind in ("flat", "nested") for rest in ("", "2", ".deflate", ".snappy")
]
TEXT_SETS = [
    f"{name}.{ending}{rest}"
    for ending, names in text_data.SETS.items()
    for name in names
    for rest in ("", "+infer")
] + ["multivalent.csv+lists", "multivalent.csv+lists+infer"]
WIDE5 = "feature_int_007,feature_int_150,feature_float_042,feature_float_199,feature_bytes_050"
# Peers that are crates, and what has `measure` run them.
CRATES = {
    "arrow-avro": "--arrow-avro",
    "arrow-csv": "--arrow",
    "arrow-json": "--arrow",
    "parquet": "--arrow",
    "prost-reflect": "--prost",
    "prost": "--prost",
}
# Sets of tf.Examples that are also read as Parquet files, in batches of these rows.
PARQUET_SETS = [f"{name}@{rows}" for name in ("criteo", "dense", "multi", "wide", "wide5") for rows in (1024, 8192)]
# Sets that the package of Python reads, from where, and the peers. `Rust` is the same work without Python.
PYTHON_SETS = {
    **{f"{name}/memory": ["tfx-bsl"] for name in ("criteo", "dense", "multi", "wide")},
    **{f"{name}/file": ["tfx-bsl", "parse_example", "Rust"] for name in ("criteo", "dense", "multi", "wide")},
    **{f"avro_{kind}/memory": ["parse_avro"] for kind in ("flat", "nested")},
}
# The file of a set, where it is called otherwise.
FILES = {
    "wide5": "wide",
    "dense_fixed": "dense",
    "dense_lists": "dense",
    "dense_default": "criteo",
    "dense_strings": "criteo",
    "varlen_sparse": "multi",
    "sparse": "indexed",
    "ragged": "multi",
    "sequence_ragged": "sequence",
}


class Job(collections.namedtuple("Job", "task set source threads")):
    """A piece of work that we and some peers do; `set` may end in `@` and the rows of a batch."""

    @classmethod
    def of(cls, name):
        task, set_, source, *threads = name.split("/")
        return cls(task, set_, source, int(*threads or [1]))

    def words(self, data):
        """What follows `measure`, or the program that runs the package of Python."""
        name, _, batch = self.set.partition("@")
        if self.task == "python":
            return [f"{data}/{name}.{'avro' if name.startswith('avro') else 'tfrecord'}", "--from", self.source]
        if self.task == "convert":
            name, _, to = name.rpartition(".")
            words = ["convert", f"{data}/{name}.tfrecord", "--to", to, "--threads", str(self.threads)]
            return [*words, "--repeat", "5", "--from", self.source]
        if self.task == "sql":
            name, _, statement = name.partition(".")
            words = ["sql", f"{data}/{name}.tfrecord", "--statement", sql_data.STATEMENTS[statement]]
            return [*words, "--threads", str(self.threads), "--repeat", "5", "--from", self.source]
        if self.task == "places":
            return ["--ways", f"loop,{name}"]
        if self.task == "load":
            return ["load", f"{data}/{name}.json", "--repeat", "5"]
        if self.task.startswith(("messages", "structs")):
            return self.words_of_prost(data, *name.partition("."))
        if self.task == "parquet":
            words = ["read", f"{data}/{FILES.get(name, name)}.parquet", "--batch", batch, "--threads", str(self.threads)]
            return [*words, "--repeat", "5", *(["--columns", WIDE5] if name == "wide5" else [])]
        if self.task == "text":
            file, *ways = name.split("+")
            words = ["read", f"{data}/text_{file}", "--batch", batch or "1024", "--threads", str(self.threads)]
            words += ["--repeat", "5"] + (["--infer"] if "infer" in ways else [])
            more = ["--multivalent", ",".join(text_data.MULTIVALENT)] if "lists" in ways else []
            return words + more
        avro = name.startswith("avro")
        file = f"{name.rstrip('2')}.avro" if avro else f"{FILES.get(name, name)}.tfrecord"
        task = {"avro_blocks": "scan", "avro_tensors": "avro"}.get(self.task, self.task)
        words = [task, f"{data}/{file}", "--batch", batch or "1024", "--threads", str(self.threads)]
        words += ["--repeat", "5"] + ([] if self.task == "read" else ["--from", self.source])
        if self.task == "tensors":
            words += ["--schema", f"{data}/{name}.pbtxt"]
        if self.task == "avro_tensors":
            words += ["--features", f"{data}/{name}.json"]
        if name == "wide5" or (self.task == "avro" and name.endswith("2")):
            words += ["--columns", {"avro_flat2": "d0,l0", "avro_nested2": "label,user"}.get(name, WIDE5)]
        if name.startswith("sequence"):
            words += ["--as", "sequence_example"]
        if name == "dense_fixed":
            words.append("--fixed-size-lists")
        return words

    def words_of_prost(self, data, name, _, layout):
        words = ["encode" if self.task.endswith("encode") else "decode", f"{data}/{name}.tfrecord", "--repeat", "5"]
        if self.task.startswith("structs"):
            return [*words, "--as", "struct"]
        words += ["--as", "message", "--descriptor", f"{data}/{name}.descriptor", "--message"]
        return [*words, f"benches.{name.capitalize()}", *([] if layout else ["--plain"])]


def stamp():
    """When, at which commit, on which machine."""

    def first_line(*command):
        done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)
        return done.stdout.strip()

    text = str(datetime.datetime.now(datetime.timezone.utc).date())
    if commit := first_line("git", "rev-parse", "--short=10", "HEAD"):
        text += f", commit {commit}"
        text += " and changes" if first_line("git", "status", "--porcelain", "--", "../../crates", "../src") else ""
    cpu = platform.machine()
    if os.path.exists("/proc/cpuinfo"):
        names = [line for line in open("/proc/cpuinfo", encoding="utf-8") if line.startswith("model name")]
        cpu = names[0].split(":")[1].strip() if names else cpu
    text += f", on {os.cpu_count()} × {cpu}, {platform.system().lower()}, {first_line('rustc', '--version')}"
    return text if shutil.which("taskset") else f"{text}, processes not bound to processors"


class Session:
    def __init__(self, args):
        self.args = args
        self.ways = {}

    def places(self, job, peers):
        """The figures of all ways of reading from a store, which one run of `places` takes by turns."""
        if not self.ways:
            done = subprocess.run([self.args.places], capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise ValueError(f"`places` gave no figures: {done.stderr.strip()}")
            print(done.stdout, flush=True)
            for line in map(json.loads, done.stdout.splitlines()):
                self.ways[line["way"]] = {key: line[key] for key in KEPT if line.get(key) is not None} | {"version": ""}
        ours = self.ways[job.set]
        return {"ours": [ours] * len(peers), "peers": [[name, self.ways[name]] for name in peers], "turns": []}

    def run(self, command, version=""):
        """The figure in the last line of JSON that the command writes."""
        package = {"PYTHONPATH": self.args.package} if HERE / "ours_python.py" in command else {}
        done = subprocess.run(command, env=os.environ | package, capture_output=True, text=True, check=False)
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        if done.returncode != 0 or not lines:
            raise ValueError(f"`{' '.join(map(str, command))}` gave no figure: {done.stderr.strip()}")
        print(lines[-1], flush=True)
        line = json.loads(lines[-1])
        if line["seconds_min"] <= 0:
            raise ValueError(f"no time was taken: {lines[-1]}")
        kept = {key: line[key] for key in KEPT if line.get(key) is not None}
        return kept | {"version": line.get("version") or version}

    def ours(self, job, *more, version=""):
        pin = ["taskset", "-c", f"0-{job.threads - 1}"] if shutil.which("taskset") else []
        program = [sys.executable, HERE / "ours_python.py"] if job.task == "python" else [self.args.measure]
        return self.run([*pin, *program, *job.words(self.args.data), *more], version)

    def before(self, job):
        """The figure of the older program; none if it cannot do the job."""
        pin = ["taskset", "-c", f"0-{job.threads - 1}"] if shutil.which("taskset") else []
        try:
            return self.run([*pin, self.args.before, *job.words(self.args.data)], self.args.before_name)
        except ValueError as error:
            print(f"commit {self.args.before_name} cannot do this job: {error}", file=sys.stderr)
            return None

    def peer(self, job, name):
        if name in CRATES:
            return self.ours(job, CRATES[name], version=self.args.crate.get(name, name))
        if name == "Rust":
            return self.ours(Job("read", job.set, job.source, job.threads))
        python = self.args.tfio if name in ("parse_avro", "atds") else sys.executable
        task = {"tfx-bsl": "decode", "parse_example": "decode", "parse_avro": "avro_tensors"}[name] if job.task == "python" else job.task
        case = f"{task}/{name}/{job.set}/{job.source}"
        words = ["--data", self.args.data, "--match", case, "--batch", "1024", "--repeat", "5", "--cores", "1"]
        return self.run([python, HERE / "peers.py", *words])

    def by_turns(self, job, peers, beside, failed):
        """Ours, a peer, ours, the next peer: whatever else the machine does meanwhile falls on both."""
        if job.task == "places":
            return self.places(job, peers)
        measured = {"ours": [], "peers": [], "turns": []}
        for name in peers:
            ours = self.ours(job)
            before = self.before(job) if self.args.before else None
            try:
                measured["peers"].append([name, self.peer(job, name)])
                measured["ours"].append(ours)
                if self.args.before:
                    measured.setdefault("before", []).append(before)
            except ValueError as error:
                failed.append(f"{job.task}/{name}/{job.set}/{job.source}: {error}")
        if beside:
            measured["turns"] = [[self.ours(each) for each in (job, *beside)] for _ in range(TURNS)]
        if not measured["ours"]:
            measured["ours"] = [measured["turns"][0][0] if beside else self.ours(job)]
        return measured


def all_jobs(floors):
    """Each job with the peers that do it, and with the jobs of ours that a floor compares it with."""
    done = subprocess.run([sys.executable, HERE / "peers.py", "--list"], capture_output=True, text=True, check=True)
    names = done.stdout.split() + [f"avro/arrow-avro/{name}/file" for name in ARROW_AVRO_SETS]
    for name in data_sets.MESSAGES:
        names += [f"messages/prost-reflect/{name}{part}/memory" for part in ("", ".structured")]
        names.append(f"messages_encode/prost-reflect/{name}/memory")
    names += [f"structs/prost/{name}/memory" for name in data_sets.STRUCTS] + ["structs_encode/prost/clicks/memory"]
    names += [f"text/arrow-{'csv' if '.csv' in name else 'json'}/{name}/file" for name in TEXT_SETS]
    names += [f"parquet/parquet/{name}/file" for name in PARQUET_SETS]
    jobs = collections.defaultdict(list)
    for name, peers in PYTHON_SETS.items():
        jobs[Job("python", *name.split("/"), 1)] = list(peers)
    for name in names:
        task, peer, set_, source = name.split("/")
        jobs[Job(task, set_, source, 1)].append(peer)
    jobs[Job("places", "scan", "s3", 1)] = ["loop", "small"]
    jobs[Job("places", "decode", "s3", 1)] = ["loop"]
    # On two threads, beside the peer on one.
    for name, peers in floors["peers"].items():
        if (job := Job.of(name)).threads > 1:
            jobs[job] = list(peers)
    beside = {Job.of(floor["job"]): [Job.of(job) for job in floor.get("beside", ())] for floor in floors["own"]}
    for job, others in beside.items():
        for each in (job, *others):
            jobs[each]  # is there now
    return {job: (peers, beside.get(job, [])) for job, peers in sorted(jobs.items())}


def read_figures():
    lines = FIGURES.read_text(encoding="utf-8").splitlines() if FIGURES.exists() else []
    found = (json.loads(line) for line in lines)
    return {Job(line.pop("task"), line.pop("set"), line.pop("from"), line.pop("threads")): line for line in found}


def write_figures(measured):
    lines = (
        {"task": job.task, "set": job.set, "from": job.source, "threads": job.threads, **result}
        for job, result in sorted(measured.items())
    )
    text = "".join(json.dumps(line, sort_keys=True, separators=(",", ":")) + "\n" for line in lines)
    FIGURES.write_text(text, encoding="utf-8")


def make_files(args, jobs):
    """Makes the data sets of these jobs that are not there."""

    def is_missing(job):
        words = [*job.words(args.data), *([f"{args.data}/sql.json"] if job.task == "sql" else [])]
        return not all(os.path.exists(word) for word in words if word.startswith(f"{args.data}/"))

    size = ["--mb", args.mb] if args.mb else []
    makers = {
        "messages": [args.write_sets, args.data],
        "structs": [args.write_sets, args.data],
        # They need no packages.
        "text": [sys.executable, HERE / "text_data.py", args.data, *size],
    }
    of_all = [sys.executable, HERE / "gen_data.py", args.data, *size]

    def maker(job):
        if job.task == "sql":
            return [*of_all, "--only", "criteo,sql"]
        if job.task != "parquet":
            return makers.get(job.task.partition("_")[0], of_all)
        output = job.words(args.data)[1]
        words = [args.measure, "convert", output.removesuffix("parquet") + "tfrecord", "--to", "parquet"]
        return [*words, "--output", output, "--repeat", "1", "--from", "file"]

    # Parquet files are made of the others.
    for job in sorted(filter(is_missing, jobs), key=lambda job: job.task == "parquet"):
        if is_missing(job):
            subprocess.run(list(map(str, maker(job))), check=True)


def measure(args, floors):
    """Measures what was asked for; true if every figure of the report is there, and every case gave one."""
    wanted = all_jobs(floors)
    jobs = dict(wanted)
    if args.only:
        jobs = {job: of for job, of in jobs.items() if job.task.startswith(tuple(args.only.split(",")))}
    if args.match:
        name = lambda job, peer: f"{job.task}/{peer}/{job.set}/{job.source}"
        chosen = {job: [peer for peer in of[0] if args.match in name(job, peer)] for job, of in jobs.items()}
        jobs = {job: (chosen[job], of[1]) for job, of in jobs.items() if chosen[job] or args.match in name(job, "ours")}
    if not jobs:
        raise SystemExit("no case fits --only and --match")
    make_files(args, jobs)
    session, run, failed = Session(args), stamp(), []
    measured = {} if args.match else {job: of for job, of in read_figures().items() if job in wanted}
    for job, (peers, beside) in jobs.items():
        measured.pop(job, None)
        try:
            measured[job] = session.by_turns(job, peers, beside, failed) | {"run": run}
        except ValueError as error:
            failed.append(str(error))
        if not args.match:
            write_figures(measured)  # at once: a run that is cut off can be finished with --only
    missing = sorted({
        job.task
        for job, (peers, beside) in wanted.items()
        if job not in measured or len(measured[job]["peers"]) != len(peers) or bool(beside) != bool(measured[job]["turns"])
    })
    text = report.render(measured, floors)
    print(f"{text}\n{text.count(report.MISSED)} floors missed")
    if args.match:
        print("--match was given: benches/RESULTS.md stays as it is")
    elif missing:
        print(f"benches/RESULTS.md waits for figures of {', '.join(missing)}: measure them with --only")
    else:
        RESULTS.write_text(text, encoding="utf-8")
    for line in failed:
        print(f"no figure for {line}", file=sys.stderr)
    return not failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words = ("--measure", "--write-sets", "--data", "--mb", "--tfio", "--places", "--only", "--match", "--before", "--before-name", "--package")
    for name in words:
        parser.add_argument(name)
    parser.add_argument("--crate", action="append", default=[], metavar="NAME VERSION", help="the version of a peer")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    args.crate = {line.split()[0]: line for line in args.crate}
    floors = tomllib.loads((HERE.parent / "floors.toml").read_text(encoding="utf-8"))
    if args.measure:
        return 0 if measure(args, floors) else 1
    text = report.render(read_figures(), floors)
    if not args.check:
        RESULTS.write_text(text, encoding="utf-8")
    elif RESULTS.read_text(encoding="utf-8") != text:
        print("benches/RESULTS.md is not what benches/peers/compare.py makes of results.jsonl and floors.toml")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
