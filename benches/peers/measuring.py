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
    `size` is the uncompressed file size of the records: payloads and 16 bytes a record.
    """

    run: Callable[[], tuple[int, object]]
    records: int
    size: int


def measure(work, repeat):
    """Runs once untimed (to trace graphs, load code and fill buffers), then `repeat` times."""
    seconds = []
    for number in range(repeat + 1):
        gc.collect()
        start = time.perf_counter()
        records, kept = work.run()
        elapsed = time.perf_counter() - start
        del kept
        if records != work.records:
            raise RuntimeError(f"{records} records came out, {work.records} went in")
        if number:
            seconds.append(elapsed)
    best, middle = min(seconds), statistics.median(seconds)
    return {
        "records": work.records,
        "bytes": work.size,
        "repeat": repeat,
        "seconds_min": round(best, 6),
        "seconds_median": round(middle, 6),
        "mb_per_s": round(work.size / best / 1e6, 2),
        "mb_per_s_median": round(work.size / middle / 1e6, 2),
    }


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
