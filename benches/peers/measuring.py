"""Times one piece of work: repeats, minimum and median."""

import dataclasses
import gc
import statistics
import time
from collections.abc import Callable


@dataclasses.dataclass
class Work:
    """A prepared case.

    `run` does all of it once and returns (records done, something to keep). What it keeps is freed after the clock has
    stopped: freeing a tf.data iterator waits for its threads, up to seconds, and that is no work.
    `size` is the uncompressed file size of the records: payloads and 16 bytes a record, of Avro the records alone.
    `tensors` and `tensor_bytes` are those of one run, if making them is what the case is about.
    """

    run: Callable[[], tuple[int, object]]
    records: int
    size: int
    tensors: int | None = None
    tensor_bytes: int | None = None


# Runs shorter than this are done several times for each figure, as `measure` does them.
SHORTEST = 0.02
# Once timed runs have taken so long, three are enough.
ENOUGH = 4.0


def measure(work, repeat):
    """Runs once untimed (to trace graphs, load code and fill buffers), then `repeat` times."""
    passes = max(1, min(10_000, int(SHORTEST / timed(work, 1))))
    seconds = []
    while len(seconds) < repeat and not (len(seconds) >= 3 and sum(seconds) > ENOUGH):
        seconds.append(timed(work, passes) / passes)
    best, middle = min(seconds), statistics.median(seconds)
    line = {
        "records": work.records,
        "bytes": work.size,
        "repeat": len(seconds),
        "seconds_min": round(best, 9),
        "seconds_median": round(middle, 9),
        "mb_per_s": round(work.size / best / 1e6, 2),
        "mb_per_s_median": round(work.size / middle / 1e6, 2),
    }
    if work.tensors:
        line |= {
            "tensors": work.tensors,
            "tensor_bytes": work.tensor_bytes,
            "us_per_tensor": round(best * 1e6 / work.tensors, 3),
        }
    return line


def timed(work, passes):
    """Seconds of doing it so many times."""
    gc.collect()
    start = time.perf_counter()
    for _ in range(passes):
        records, kept = work.run()
    elapsed = time.perf_counter() - start
    del kept
    if records != work.records:
        raise RuntimeError(f"{records} records came out, {work.records} went in")
    return elapsed


def peak_rss_mb():
    """The process's peak resident memory in 10^6 bytes; None where the system does not tell."""
    try:
        with open("/proc/self/status", encoding="ascii") as status:
            for line in status:
                if line.startswith("VmHWM:"):
                    return round(int(line.split()[1]) * 1024 / 1e6, 1)
    except OSError:
        pass
    return None
