"""Arrays, batches, streams and schemas of other libraries: what they describe is not believed."""

from __future__ import annotations

import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import tfxio
from tfxio.exceptions import MalformedError, TfxioError

pa = pytest.importorskip("pyarrow")


def offsets(*values: int, width: str = "i") -> Any:
    return pa.py_buffer(struct.pack(f"<{len(values)}{width}", *values))


def text(kind: Any, *values: bytes) -> Any:
    """Text of these values, whatever they are."""
    if kind == pa.string_view():
        return pa.array(list(values), pa.binary_view()).view(kind)
    width = "q" if kind == pa.large_utf8() else "i"
    ends = [sum(map(len, values[:at])) for at in range(len(values) + 1)]
    return pa.Array.from_buffers(kind, len(values), [None, offsets(*ends, width=width), pa.py_buffer(b"".join(values))])


BAD: dict[str, Callable[[], Any]] = {
    "utf8": lambda: text(pa.utf8(), b"a", b"\xff"),
    "large utf8": lambda: text(pa.large_utf8(), b"a", b"\xff"),
    "view": lambda: text(pa.string_view(), b"a", b"\xff"),
    "long view": lambda: text(pa.string_view(), b"longer than twelve bytes \xff"),
    "cut within a character": lambda: text(pa.utf8(), b"a\xc3", b"\xa9"),
    "in a struct": lambda: pa.StructArray.from_arrays([text(pa.utf8(), b"\xff")], ["a"]),
    "in a list": lambda: pa.ListArray.from_arrays(pa.array([0, 1], pa.int32()), text(pa.utf8(), b"\xff")),
    "in a dictionary": lambda: pa.DictionaryArray.from_arrays(pa.array([0], pa.int8()), text(pa.utf8(), b"\xff")),
    "a key beyond": lambda: pa.DictionaryArray.from_arrays(pa.array([5], pa.int8()), pa.array(["a"]), safe=False),
    "a negative key": lambda: pa.DictionaryArray.from_arrays(pa.array([-5], pa.int8()), pa.array(["a"]), safe=False),
    "an offset that goes back": lambda: pa.Array.from_buffers(
        pa.binary(), 2, [None, offsets(0, 3, 1), pa.py_buffer(b"abc")]
    ),
    "a list beyond its items": lambda: pa.Array.from_buffers(
        pa.list_(pa.int8()), 2, [None, offsets(0, 9, 1)], children=[pa.array([1], pa.int8())]
    ),
    "a field of no union": lambda: pa.UnionArray.from_buffers(
        pa.sparse_union([pa.field("a", pa.int8())]),
        1,
        [None, pa.py_buffer(b"\x07")],
        children=[pa.array([1], pa.int8())],
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_values_are_those_of_their_type(name: str) -> None:
    array = BAD[name]()
    batch = pa.RecordBatch.from_arrays([array], ["a"])
    with pytest.raises(MalformedError):
        tfxio.Array.from_arrow(array)
    with pytest.raises(MalformedError, match='column "a"'):
        tfxio.RecordBatch.from_arrow(batch)
    reader = tfxio.BatchReader.from_arrow(pa.Table.from_batches([batch]))
    with pytest.raises(MalformedError, match='column "a"'):
        next(reader)

    class Own(tfxio.Dataset):
        schema = batch.schema

        def partitions(self, target_bytes: int = 0) -> list[tfxio.Partition]:
            return [tfxio.Partition("p", first_record=0, records=len(array))]

        def scan(self, partition: tfxio.Partition, request: tfxio.Request | None = None) -> Iterator[Any]:
            yield batch if len(name) % 2 else pa.Table.from_batches([batch])

    with pytest.raises(TfxioError, match='column "a"'):
        list(Own().read())


def test_a_caller_may_vouch_for_arrays() -> None:
    array = text(pa.utf8(), b"\xff")
    batch = pa.RecordBatch.from_arrays([array], ["a"])
    assert len(tfxio.Array.from_arrow(array, dangerously_not_validated=True)) == 1
    assert tfxio.RecordBatch.from_arrow(batch, dangerously_not_validated=True).num_rows == 1
    reader = tfxio.BatchReader.from_arrow(pa.Table.from_batches([batch]), dangerously_not_validated=True)
    assert next(reader).num_rows == 1


def test_arrays_of_every_type_are_taken() -> None:
    arrays = [
        pa.array(["a", None, "é", "longer than twelve bytes"], kind)
        for kind in (pa.utf8(), pa.large_utf8(), pa.string_view(), pa.binary(), pa.binary_view())
    ]
    arrays += [
        pa.array(["a", "b", "a", None]).dictionary_encode(),
        pa.array([[1], None, [], [2, 3]]),
        pa.array([{"a": 1}, None, {"a": None}, {"a": 2}]),
        pa.array([[("k", 1)], None, [], [("l", 2)]], pa.map_(pa.utf8(), pa.int64())),
        pa.array([1, None, 3, 4], pa.float16()),
        pa.nulls(4),
        pa.array([True, None, False, True]),
        pa.compute.run_end_encode(pa.array([1, 1, 2, 2])),
    ]
    for array in arrays:
        for part in (array, array[1:3], array[:0]):
            own = tfxio.Array.from_arrow(part)
            assert pa.array(own).equals(part), part.type
            batch = tfxio.RecordBatch.from_arrow(pa.RecordBatch.from_arrays([part], ["a"]))
            assert batch.num_rows == len(part)
            # What is ours already is taken as it is.
            assert tfxio.Array.from_arrow(own).type == own.type
            assert tfxio.RecordBatch.from_arrow(batch).num_rows == len(part)


def test_words_of_a_dictionary() -> None:
    words = pa.array(["a", "é", None, "a", "b"] * 100).dictionary_encode()
    for array in (words, words[3:400], words[:0], pa.array([None], pa.dictionary(pa.int8(), pa.utf8()))):
        own = tfxio.Array.from_arrow(array)
        assert own.to_pylist() == array.to_pylist()
        assert [own[at] for at in range(len(array))] == array.to_pylist()


def test_a_capsule_is_read_once() -> None:
    class Twice:
        def __init__(self, given: Any, stream: Any) -> None:
            self.array = given.__arrow_c_array__()
            self.stream = stream.__arrow_c_stream__()

        def __arrow_c_array__(self, requested_schema: object = None) -> Any:
            return self.array

        def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
            return self.stream

    batch = pa.record_batch({"a": [1]})
    for take, given in ((tfxio.Array, pa.array([1])), (tfxio.RecordBatch, batch)):
        twice = Twice(given, pa.table(batch))
        assert len(take.from_arrow(twice)) == 1
        with pytest.raises(ValueError, match="call __arrow_c_array__ again"):
            take.from_arrow(twice)
    twice = Twice(batch, pa.table({"a": [1]}))
    assert next(tfxio.BatchReader.from_arrow(twice)).num_rows == 1
    with pytest.raises(ValueError, match="call __arrow_c_stream__ again"):
        tfxio.BatchReader.from_arrow(twice)


@pytest.mark.parametrize("given", [3, "text", None, [1], object()])
def test_what_is_none_is_refused_by_its_kind(given: object) -> None:
    for take, method in (
        (tfxio.Schema, "__arrow_c_schema__"),
        (tfxio.RecordBatch, "__arrow_c_array__"),
        (tfxio.BatchReader, "__arrow_c_stream__"),
    ):
        with pytest.raises((ValueError, TypeError), match=f"has no {method}"):
            take.from_arrow(given)


def test_capsules_of_another_kind_are_refused() -> None:
    class Wrong:
        def __arrow_c_array__(self, requested_schema: object = None) -> Any:
            return (1, 2)

        def __arrow_c_schema__(self) -> Any:
            return pa.array([1]).__arrow_c_array__()[1]

        def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
            return self.__arrow_c_schema__()

    for take in (tfxio.Array, tfxio.RecordBatch, tfxio.Schema, tfxio.BatchReader):
        with pytest.raises((ValueError, TypeError)):
            take.from_arrow(Wrong())


@pytest.mark.parametrize("levels", [65, 500])
def test_types_within_each_other_have_an_end(levels: int) -> None:
    code = f"""
import pyarrow as pa, tfxio
array = pa.array([1])
for _ in range({levels}):
    array = pa.ListArray.from_arrays(pa.array([0, len(array)], pa.int32()), array)
for take in (lambda: tfxio.Array.from_arrow(array), lambda: tfxio.Schema.from_arrow(pa.schema([("a", array.type)])),
             lambda: tfxio.BatchReader.from_arrow(pa.table({{"a": array}}))):
    try:
        print(take())
    except ValueError as error:
        print("refused:", error)
# Arrays of pyarrow as deep as this are released level by level.
import os; os._exit(0)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    lines = run.stdout.splitlines()
    assert len(lines) == 3 and all("more than 64 levels deep" in line for line in lines), run


def test_sixty_levels_are_read() -> None:
    array = pa.array([1])
    for _ in range(60):
        array = pa.ListArray.from_arrays(pa.array([0, len(array)], pa.int32()), array)
    assert len(tfxio.Array.from_arrow(array).to_pylist()) == 1


class Failing(tfxio.Dataset):
    """Raises after a batch."""

    schema = pa.schema({"n": pa.int64()})

    def partitions(self, target_bytes: int = 0) -> list[tfxio.Partition]:
        return [tfxio.Partition("p", first_record=0, records=1)]

    def scan(self, partition: tfxio.Partition, request: tfxio.Request | None = None) -> Iterator[Any]:
        yield pa.record_batch({"n": [1]}, self.schema)
        raise ValueError("bad value a\0b")


def test_a_zero_byte_in_an_error_leaves_by_a_stream() -> None:
    stream = pa.RecordBatchReader.from_stream(Failing().read())
    with pytest.raises(Exception, match=r"bad value a\\0b"):
        stream.read_all()


def test_a_data_set_that_reads_its_own_reader_is_told_so() -> None:
    code = """
import pyarrow as pa, tfxio

class Own(tfxio.Dataset):
    schema = pa.schema({"n": pa.int64()})
    def partitions(self, target_bytes=0):
        return [tfxio.Partition("p", first_record=0, records=1)]
    def scan(self, partition, request=None):
        yield next(reader)

reader = Own().read()
try:
    next(reader)
except tfxio.exceptions.TfxioError as error:
    print(error)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert "make another reader in the data set" in run.stdout, run


def test_specs_of_a_loader_at_work() -> None:
    code = """
import threading, pyarrow as pa, tfxio

begun, go_on = threading.Event(), threading.Event()

class Slow(tfxio.Dataset):
    schema = pa.schema({"n": pa.int64()})
    def partitions(self, target_bytes=0):
        return [tfxio.Partition("p", first_record=0, records=100)]
    def scan(self, partition, request=None):
        for at in range(10):
            if at == 5:
                begun.set()
                go_on.wait(30)
            yield pa.record_batch({"n": list(range(10 * at, 10 * at + 10))}, self.schema)

loader = Slow().loader(batch_size=10)
def read():
    for batch in loader:
        pass
thread = threading.Thread(target=read)
thread.start()
begun.wait(30)
print(loader.specs)
go_on.set()
thread.join(30)
print("ended", not thread.is_alive())
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=90)
    assert "ended True" in run.stdout, run


@pytest.mark.skipif(sys.platform == "win32", reason="forks of POSIX")
def test_a_stream_says_in_a_fork_that_it_cannot_be_read(digits: tfxio.Dataset) -> None:
    from conftest import DIGITS

    code = f"""
import os, pyarrow as pa, tfxio
stream = pa.RecordBatchReader.from_stream(tfxio.open({DIGITS!r}).read(threads=2, batch_size=10))
stream.read_next_batch(); stream.read_next_batch()
child = os.fork()
if child == 0:
    try:
        stream.read_next_batch()
        print("read", flush=True)
    except Exception as error:
        print(error, flush=True)
    os._exit(0)
os.waitpid(child, 0)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert "before the process forked" in run.stdout, run
