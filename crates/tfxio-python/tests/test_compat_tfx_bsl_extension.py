"""The stand-in for the native module of tfx-bsl. Its own tests are run by `tests/peers/run_tfx_bsl.py`."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

import pytest

import tfxio
from tfxio import compat

pa = pytest.importorskip("pyarrow")

from tfxio.compat.tfx_bsl_extension import coders, sketches, statistics  # noqa: E402
from tfxio.compat.tfx_bsl_extension.arrow import array_util, table_util  # noqa: E402


def test_arrays() -> None:
    lists = pa.array([[1, 2], None, [], [3]])
    assert array_util.ListLengthsFromListArray(lists).to_pylist() == [2, 0, 0, 1]
    assert array_util.GetFlattenedArrayParentIndices(lists).to_pylist() == [0, 0, 3]
    assert array_util.GetArrayNullBitmapAsByteArray(lists).to_pylist() == [0, 1, 0, 0]
    assert array_util.GetArrayNullBitmapAsByteArray(pa.nulls(2)).to_pylist() == [0, 0]
    assert array_util.FillNullLists(lists, pa.array([7])).to_pylist() == [[1, 2], [7], [], [3]]
    assert array_util.IndexIn(pa.array(["b", "x"]), pa.array(["a", "b"])).to_pylist() == [1, None]


def test_tables() -> None:
    batches = [pa.record_batch({"a": [[1]]}), pa.record_batch({"b": [["x"]]})]
    merged = table_util.MergeRecordBatches(batches)
    assert (merged.num_rows, sorted(merged.schema.names)) == (2, ["a", "b"])
    assert table_util.RecordBatchTake(merged, pa.array([1], pa.int32())).num_rows == 1
    assert table_util.TotalByteSize(batches[0]) > 0


def test_coders() -> None:
    records = [tfxio.Example({"age": age}).to_bytes() for age in (36, 41)]
    batch = coders.ExamplesToRecordBatchDecoder().DecodeBatch(records)
    assert batch.to_pydict() == {"age": [[36], [41]]}
    assert coders.RecordBatchToExamplesEncoder().Encode(batch) == records
    ages = coders.ExampleToNumpyDict(records[0])["age"]
    assert ages is not None and ages.tolist() == [36]
    with pytest.raises(RuntimeError, match="DATA_LOSS: Unable to parse example. record 0"):
        coders.ExamplesToRecordBatchDecoder().DecodeBatch([b"\xff"])


def test_records_with_empty_feature_lists() -> None:
    decoder = coders.SequenceExamplesToRecordBatchDecoder("##SEQUENCE##")
    batch = decoder.DecodeBatch([b"\x12\x00", b""])
    assert (batch.schema.names, batch.num_rows) == (["##SEQUENCE##"], 2)
    assert decoder.DecodeBatch([b"\x0a\x00"]).num_columns == 0


@pytest.mark.parametrize("make", [lambda: sketches.KmvSketch(10), lambda: sketches.MisraGriesSketch(10)])
def test_sketches_cross_processes(make: Any) -> None:
    sketch = make()
    sketch.AddValues(pa.array(["a", "b", "a"]))
    there = pickle.loads(pickle.dumps(sketch))
    there.Merge(sketch)
    assert there.Serialize() != b""


@pytest.mark.parametrize("streams", [1, 2, 3])
def test_quantiles_of_nothing(streams: int) -> None:
    def made(*values: Any) -> Any:
        sketch = sketches.QuantilesSketch(0.01, 1000, streams)
        for each in values:
            sketch.AddValues(each)
        return sketch

    def compacted(sketch: Any) -> Any:
        sketch.Merge(made())
        sketch.Compact()
        return pickle.loads(pickle.dumps(sketch))

    nothing = [made(), made(pa.nulls(streams)), made(pa.nulls(streams, pa.float64())), made(pa.nulls(streams, pa.string()))]
    for sketch in [*nothing, *map(compacted, nothing)]:
        for found in (sketch.GetQuantiles(3), *sketch.GetQuantilesAndCumulativeWeights(3)):
            assert (found.type.list_size, found.to_pylist()) == (4, [])
    # Where a stream has values, each has its place.
    some = made(pa.array([None] * (streams - 1) + [1.0])).GetQuantiles(2).to_pylist()
    assert some == [None] * (streams - 1) + [[1.0, 1.0, 1.0]]


def test_quantiles_of_texts_that_are_numbers() -> None:
    sketch = sketches.QuantilesSketch(0.01, 1000, 1)
    sketch.AddValues(pa.array(["1.5", None, "2"]))
    assert sketch.GetQuantiles(2).to_pylist() == [[1.5, 2.0, 2.0]]
    with pytest.raises(RuntimeError, match="INTERNAL: Arrow error Invalid : Failed to parse string: 'x'"):
        sketch.AddValues(pa.array(["x"]))
    with pytest.raises(RuntimeError, match=r"UNIMPLEMENTED: Unsupported cast from list<\w+: int64> to double"):
        sketch.AddValues(pa.array([1.0]), pa.array([[1]]))


def test_types_that_are_not_taken() -> None:
    fixed = pa.array([[1, 2], [3, 4]], pa.list_(pa.int64(), 2))
    for function in (array_util.ListLengthsFromListArray, array_util.GetElementLengths, array_util.GetByteSize):
        with pytest.raises(RuntimeError, match="UNIMPLEMENTED: fixed_size_list"):
            function(fixed)
    assert array_util.ListLengthsFromListArray(pa.array(["abc", None])).to_pylist() == [3, 0]
    assert [each.to_pylist() for each in array_util.CooFromListArray(fixed)] == [[0, 1], [2]]
    with pytest.raises(RuntimeError, match="Array type didn't match type of values set: string vs binary"):
        array_util.IndexIn(pa.array(["a"]), pa.array([b"a"]))
    with pytest.raises(TypeError, match="-1"):
        array_util.MakeListArrayFromParentIndicesAndValues(-1, pa.array([0]), pa.array([0]))
    with pytest.raises(RuntimeError, match="INVALID_ARGUMENT: .*Expected ListArray or LargeListArray"):
        coders.RecordBatchToExamplesEncoder().Encode(pa.record_batch({"a": pa.nulls(1)}))


def test_quantiles() -> None:
    sketch = sketches.QuantilesSketch(0.01, 1000, 1)
    sketch.AddValues(pa.array(list(range(1001)), pa.float64()))
    [quantiles] = pickle.loads(pickle.dumps(sketch)).GetQuantiles(2).to_pylist()
    assert quantiles == [0.0, 500.0, 1000.0] or abs(quantiles[1] - 500) <= 10


def test_an_empty_accumulator() -> None:
    assert isinstance(statistics.DatasetListAccumulator().Get(), bytes)


def test_it_is_refused_when_it_comes_late() -> None:
    code = (
        "import sys, types; sys.modules['tfx_bsl.cc.tfx_bsl_extension'] = types.ModuleType('x')\n"
        "import tfxio.compat\n"
        "try: tfxio.compat.install('tfx_bsl_extension')\n"
        "except RuntimeError as error: print(error)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
    assert said.startswith("tfx_bsl is already imported")
    with pytest.raises(ValueError, match="no module stands in for 'numpy'"):
        compat.install("numpy")
