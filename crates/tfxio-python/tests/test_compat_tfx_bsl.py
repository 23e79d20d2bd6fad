"""The stand-in for tfx-bsl: its names, and its functions over arrays. Its own tests are run by `tests/peers/run_tfx_bsl.py`."""

from __future__ import annotations

import io
import marshal
import pickle
import subprocess
import sys
from types import ModuleType
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")

from tfxio.compat.tfx_bsl.arrow import array_util, table_util  # noqa: E402
from tfxio.compat.tfx_bsl.arrow.path import ColumnPath  # noqa: E402
from tfxio.compat.tfx_bsl.beam import fix_code_type_pickling, test_helpers  # noqa: E402
from tfxio.compat.tfx_bsl.types import tfx_namedtuple  # noqa: E402

INSTALLED = """
import pickle, sys
import tfxio.compat
tfxio.compat.install("tfx_bsl")
tfxio.compat.install("tfx_bsl")
import tfx_bsl
from tfx_bsl.arrow import array_util, path
from tfx_bsl.cc.tfx_bsl_extension.arrow.array_util import IndexIn
import tfx_bsl.cc.tfx_bsl_extension.coders as coders
import tfxio.compat.tfx_bsl.arrow.array_util as ours
import tfxio.compat.tfx_bsl_extension as extension
assert tfx_bsl.__version__ == "1.21.0"
assert array_util is ours and array_util.IndexIn is IndexIn
assert tfx_bsl.cc.tfx_bsl_extension is extension and extension.coders is coders
import tfx_bsl.arrow.table_util
assert sys.modules["tfx_bsl.arrow.table_util"].__spec__.name == "tfxio.compat.tfx_bsl.arrow.table_util"
here = path.ColumnPath(["a", "b"])
assert pickle.loads(pickle.dumps(here)) == here and b"tfxio.compat.tfx_bsl" in pickle.dumps(here)
try:
    import tfx_bsl.no_such_module
except ModuleNotFoundError as error:
    print(error)
"""


def test_the_modules_have_both_names() -> None:
    done = subprocess.run([sys.executable, "-c", INSTALLED], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("No module named 'tfx_bsl.no_such_module'\n", "")


def test_lists_of_one() -> None:
    values = pa.array([1, None, 3, 4])
    assert array_util.ToSingletonListArray(values).to_pylist() == [[1], None, [3], [4]]
    assert array_util.ToSingletonListArray(values.slice(1, 2)).to_pylist() == [None, [3]]
    whole = array_util.ToSingletonListArray(values.slice(2))
    assert whole.type == pa.large_list(pa.int64()) and whole.to_pylist() == [[3], [4]]
    assert whole.values.buffers()[1].address == values.buffers()[1].address
    assert array_util.ToSingletonListArray(pa.nulls(2)).to_pylist() == [[None], [None]]
    assert array_util.ToSingletonListArray(pa.array([], pa.string())).to_pylist() == []
    words = pa.array(["a", None, "a"]).dictionary_encode()
    assert array_util.ToSingletonListArray(words).to_pylist() == [["a"], None, ["a"]]


def test_nested_lists() -> None:
    lists = pa.array([[[1, 2], None], None, [], [[], [3]]], pa.large_list(pa.list_(pa.int8())))
    assert array_util.get_innermost_nested_type(lists.type) == pa.int8()
    flat, rows = array_util.flatten_nested(lists, return_parent_indices=True)
    assert rows is not None and (flat.to_pylist(), rows.tolist()) == ([1, 2, 3], [0, 0, 3])
    assert array_util.flatten_nested(lists)[1] is None
    flat, rows = array_util.flatten_nested(pa.array([7, 8]), return_parent_indices=True)
    assert rows is not None and (flat.to_pylist(), rows.tolist()) == ([7, 8], [0, 1])


def test_fields_of_structs() -> None:
    structs = pa.array([{"a": 1}, None, {"a": None}, {"a": 4}])
    assert array_util.get_field(structs, "a").to_pylist() == [1, None, None, 4]
    assert array_util.get_field(structs.slice(1, 3), 0).to_pylist() == [None, None, 4]
    with pytest.raises(KeyError, match="b"):
        array_util.get_field(structs, "b")


def test_batches_are_merged() -> None:
    first, second = pa.record_batch({"a": [[1]]}), pa.record_batch({"b": ["x"], "a": [[2, 3]]})
    assert table_util.MergeRecordBatches([first, first]).to_pydict() == {"a": [[1], [1]]}
    merged = table_util.MergeRecordBatches([first, second])
    assert (merged["a"].to_pylist(), merged["b"].to_pylist()) == ([[1], [2, 3]], [None, "x"])
    assert table_util.MergeRecordBatches([]).num_rows == 0
    no_columns = pa.record_batch({"a": [1, 2]}).select([])
    assert table_util.MergeRecordBatches([no_columns, no_columns]).num_rows == 4
    with pytest.raises(AssertionError, match="Unable to merge empty RecordBatches"):
        table_util.MergeRecordBatches([first.slice(1), first.slice(1)])
    with pytest.raises(RuntimeError, match="Unable to merge incompatible type"):
        table_util.MergeRecordBatches([first, pa.record_batch({"a": [["x"]]})])


def test_canonical_types() -> None:
    batch = pa.record_batch(
        {
            "flag": [True, None],
            "small": pa.array([1, 2], pa.uint8()),
            "half": pa.array([0.5, 1.5], pa.float32()),
            "text": pa.array(["a", "b"]),
            "lists": pa.array([[1], None], pa.list_(pa.int32())),
        }
    )
    canonical = table_util.CanonicalizeRecordBatch(batch)
    assert canonical.to_pydict() == {
        "flag": [[1], None],
        "small": [[1], [2]],
        "half": [[0.5], [1.5]],
        "text": [[b"a"], [b"b"]],
        "lists": [[1], None],
    }
    assert canonical.schema.types == [
        pa.large_list(of) for of in (pa.int8(), pa.uint64(), pa.float64(), pa.large_binary(), pa.int64())
    ]
    assert table_util.NumpyKindToArrowType("M") is None
    with pytest.raises(NotImplementedError, match=r"Type timestamp\[s\] is not supported: only numbers"):
        table_util.CanonicalizeRecordBatch(pa.record_batch({"at": pa.array([0], pa.timestamp("s"))}))


def test_sizes() -> None:
    batch = pa.record_batch({"a": pa.array([1, 2, 3], pa.int64())})
    assert table_util.TotalByteSize(batch) == 24
    assert table_util.TotalByteSize(pa.Table.from_batches([batch, batch.slice(1)])) == 40
    assert table_util.TotalByteSize(pa.record_batch({"at": pa.array([0], pa.timestamp("s"))}), ignore_unsupported=True) == 0


def test_columns_by_path() -> None:
    orders = pa.array([[{"items": [1, 2], "by": {"id": 7}}], None, [{"items": None, "by": None}, {"items": [3], "by": {"id": 8}}]])
    batch = pa.record_batch({"order": orders, "n": [[1], [2], [3]]})
    leaves = {str(path): array.to_pylist() for path, array in table_util.enumerate_arrays(batch, True)}
    assert leaves == {"order.items": [[1, 2], None, [3]], "order.by.id": [7, None, 8], "n": [[1], [2], [3]]}
    every = {str(path): array for path, array in table_util.enumerate_arrays(batch, False)}
    assert list(every) == ["order", "order.items", "order.by", "order.by.id", "n"]
    assert every["order.by"].to_pylist() == [[{"id": 7}], None, [{"id": 8}]]

    ids, rows = table_util.get_array(batch, ColumnPath(["order", "by", "id"]), return_example_indices=True)
    assert rows is not None and (ids.to_pylist(), rows.tolist()) == ([7, None, 8], [0, 2, 2])
    by, rows = table_util.get_array(batch, ColumnPath(["order", "by"]), False, wrap_flat_struct_in_list=False)
    assert (by.to_pylist(), rows) == ([{"id": 7}, None, {"id": 8}], None)


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([], "query_path must be non-empty."),
        (["x"], "query_path step 0 (x) not in record batch."),
        (["s", "x"], "query_path step (x) not in struct."),
        (["s", "a", "x", "y"], "Cannot process query_path (x.y) inside an array of type int64. Expecting a struct<...> or (large_)list...<struct<...>>."),
    ],
)
def test_paths_that_are_not_there(steps: list[str], said: str) -> None:
    batch = pa.record_batch({"s": [{"a": 1}]})
    with pytest.raises(KeyError) as refused:
        table_util.get_array(batch, ColumnPath(steps), return_example_indices=False)
    assert refused.value.args == (said,)


def test_paths() -> None:
    path = ColumnPath(["a", "b", "c"])
    assert (str(path), repr(path), path.steps(), len(path)) == ("a.b.c", "a.b.c", ("a", "b", "c"), 3)
    assert path.parent().child("c") == path and hash(path.parent().child("c")) == hash(path)
    assert (path.prefix(1), path.suffix(1), path.initial_step()) == (ColumnPath("a"), ColumnPath(["b", "c"]), "a")
    assert sorted([path, ColumnPath("a")]) == [ColumnPath("a"), path]
    assert path != ("a", "b", "c") and not ColumnPath([])
    assert pickle.loads(pickle.dumps(path)) == path
    with pytest.raises(ValueError, match="Root does not have parent"):
        ColumnPath([]).parent()
    with pytest.raises(ValueError, match="This ColumnPath does not have any steps"):
        ColumnPath([]).initial_step()


def test_paths_as_messages() -> None:
    pytest.importorskip("tensorflow_metadata")
    path = ColumnPath(["a", "b"])
    assert list(path.to_proto().step) == ["a", "b"] and ColumnPath.from_proto(path.to_proto()) == path


Pair = tfx_namedtuple.namedtuple("Pair", ["left", "right"])
Typed: Any = tfx_namedtuple.TypedNamedTuple("Typed", [("left", int), ("right", str)])


class NamedPair(Pair):  # type: ignore[misc, valid-type]
    """A subclass that says more."""


class TypedPair(Typed):
    """Another."""


@pytest.mark.parametrize("pair", [Pair(1, "b"), Typed(1, "b"), NamedPair(1, "b"), TypedPair(left=1, right="b")])
def test_named_tuples_stay_what_they_are(pair: Any) -> None:
    there = pickle.loads(pickle.dumps(pair))
    assert type(there) is type(pair) and there == pair and there.left == 1
    assert Pair.__module__ == Typed.__module__ == __name__ and Typed.__annotations__ == {"left": int, "right": str}


@pytest.mark.parametrize(("version", "registers"), [("0.3.1.1", True), ("0.3.5", True), ("0.3.6", False), ("0.4.1", False)])
def test_an_old_dill_is_told_how_code_is_pickled(version: str, registers: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    dill: Any = ModuleType("dill")
    dill.__version__ = version
    found: dict[Any, Any] = {}
    dill.register = lambda kind: lambda save: found.setdefault(kind, save)
    monkeypatch.setitem(sys.modules, "dill", dill)
    fix_code_type_pickling()
    code = compile("1 + 1", "here", "eval")
    assert list(found) == ([type(code)] if registers else [])
    for save in found.values():
        pickler: Any = type("Pickler", (pickle._Pickler,), {"dispatch": pickle._Pickler.dispatch | found})
        there = io.BytesIO()
        pickler(there).dump(code)
        assert eval(pickle.loads(there.getvalue())) == 2 and marshal.dumps(code) in there.getvalue(), save


def test_without_dill(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dill", None)
    fix_code_type_pickling()
    assert test_helpers.make_test_beam_pipeline_kwargs() == {}


def test_arguments_of_batches() -> None:
    pytest.importorskip("apache_beam")
    flags = pytest.importorskip("absl.flags")
    flagsaver = pytest.importorskip("absl.testing.flagsaver")
    from tfxio.compat.tfx_bsl.coders import batch_util

    assert batch_util.GetBatchElementsKwargs(7) == {"min_batch_size": 7, "max_batch_size": 7}
    assert batch_util.GetBatchElementsKwargs(None)["max_batch_size"] == 1000
    flags.FLAGS(["test"])
    with flagsaver.flagsaver(tfxio_use_byte_size_batching=True):
        arguments = batch_util.GetBatchElementsKwargs(None)
        assert (arguments["element_size_fn"](b"x"), arguments["element_size_fn"](b"x" * 9999)) == (2560, 9999)
