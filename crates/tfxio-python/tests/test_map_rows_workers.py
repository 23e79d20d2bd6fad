"""Columns that a function makes in other processes: as it makes them here, with errors of records, and ends that leave nothing behind."""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import DIGITS

import tfxio


def ink(rows: dict[str, np.ndarray]) -> dict[str, Any]:
    return {"ink": np.array([sum(image) for image in rows["image"]]), "id": [id[0].decode() for id in rows["id"]]}


def ink_of_row(row: dict[str, Any]) -> dict[str, Any]:
    return {"ink": sum(row["image"]), "id": row["id"][0].decode()}


def ink_of_arrow(batch: tfxio.RecordBatch) -> Any:
    import pyarrow as pa

    rows = batch.to_pylist()
    return pa.record_batch({"ink": [sum(row["image"]) for row in rows], "id": [row["id"][0].decode() for row in rows]})


def words(rows: dict[str, np.ndarray]) -> dict[str, Any]:
    return {"tokens": [[int(label[0])] * (1 + int(label[0])) for label in rows["label"]], "pid": [os.getpid()] * len(rows["label"])}


def fails(row: dict[str, Any]) -> dict[str, Any]:
    if row["id"] == [b"digit-0107"]:
        raise ValueError("no such word")
    return {"x": row["label"]}


def ends(rows: dict[str, np.ndarray]) -> dict[str, Any]:
    os._exit(3)


@pytest.mark.parametrize(("function", "given"), [(ink, "numpy"), (ink_of_row, "rows"), (ink_of_arrow, "arrow")])
def test_columns_are_those_of_one_process(digits: tfxio.Dataset, function: Any, given: Any) -> None:
    if given == "arrow":
        pytest.importorskip("pyarrow")
    ds = digits.map(function, columns=["image", "id"], given=given, workers=1)
    expected = digits.map(function, columns=["image", "id"], given=given)
    assert ds.schema == expected.schema and list(ds) == list(expected)
    assert ds.head(3, filter="ink > 300") == expected.head(3, filter="ink > 300")


def test_loaders_shuffle_pack_and_go_on(digits: tfxio.Dataset) -> None:
    how: dict[str, Any] = {"inputs": ["tokens"], "pack": 32, "batch_size": 4, "shuffle": True, "seed": 3}
    whole = [batch["tokens"].numpy().tolist() for batch in digits.map(words, columns=["label"]).loader(**how)]
    ds = digits.map(words, columns=["label"], workers=2)
    with ds.loader(**how, threads=3) as loader:
        assert [next(loader)["tokens"].numpy().tolist() for _ in range(5)] == whole[:5]
        state = loader.state_dict()
    again = pickle.loads(pickle.dumps(ds))
    assert [batch["tokens"].numpy().tolist() for batch in again.loader(**how, threads=2, state=state)] == whole[5:]
    pids = {row["pid"] for row in again}
    assert len(pids) in (1, 2) and os.getpid() not in pids
    del again
    gc.collect()
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_errors_name_the_record_and_the_line(digits: tfxio.Dataset) -> None:
    ds = digits.map(fails, given="rows", workers=1)
    with pytest.raises(ValueError, match="no such word") as raised:
        list(ds.read(batch_size=50, threads=2))
    trace, record = raised.value.__notes__
    name = Path(DIGITS).with_name("digits-00000-of-00003.tfrecord")
    assert record == f"in map, of record 107 of {name}"
    assert f'{Path(__file__).name}", line {fails.__code__.co_firstlineno + 2}, in fails' in trace
    ds = digits.map(ends, workers=1, schema=digits.map(fails, given="rows")._made)
    with pytest.raises(RuntimeError, match="a worker of map ended with the exit code 3") as died:
        list(ds.read(batch_size=50))
    assert died.value.__notes__[0].startswith(f"in map, of record 0 of {name} to record 49")
    with pytest.raises(TypeError, match=r"map\(workers=1\) calls .*<lambda> in other processes"):
        digits.map(lambda rows: rows, workers=1)


def own_pids(ds: tfxio.Dataset) -> tuple[set[int], int]:
    return {row["pid"] for row in ds.head(5)}, os.getpid()


def test_a_process_that_may_have_none_calls_the_function_itself(digits: tfxio.Dataset) -> None:
    ds = digits.map(words, columns=["label"], workers=2)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        pids, own = pool.apply(own_pids, (ds,))
    assert pids == {own} and own != os.getpid()


PROGRAM = """
import sys, os
import tfxio

def pid(rows):
    return {"pid": [os.getpid()] * len(rows["label"])}

if __name__ == "__main__":
    ds = tfxio.open(sys.argv[1]).map(pid, columns=["label"], workers=2)
    loader = ds.loader(inputs=["pid"], batch_size=10, threads=2, epochs=None, shuffle="buffer", shuffle_buffer=100)
    print(*{int(next(loader)["pid"].numpy()[0]) for _ in range(200)})
"""


def test_a_program_ends_in_the_midst_of_a_loader(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    shared = Path("/dev/shm")
    before = set(shared.glob("*"))
    done = subprocess.run([sys.executable, str(program), DIGITS], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    pids = [int(pid) for pid in done.stdout.split()]
    assert len(pids) in (1, 2) and set(shared.glob("*")) == before
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
