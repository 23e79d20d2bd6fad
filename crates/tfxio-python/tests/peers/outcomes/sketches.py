"""Sketches, and merged statistics."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
from tensorflow_metadata.proto.v0 import statistics_pb2
from tfx_bsl import statistics
from tfx_bsl.sketches import KmvSketch, MisraGriesSketch, QuantilesSketch
from tfx_bsl.statistics import merge_util

from outcomes.arrays import nothings

Case = tuple[str, Callable[[], Any]]


def _with(sketch: Any, *values: Any) -> Any:
    sketch.AddValues(*values)
    return sketch


def _merged(sketch: Any, other: Any) -> Any:
    sketch.Merge(other)
    return sketch


def _restored(sketch: Any) -> Any:
    return pickle.loads(pickle.dumps(sketch))


def _compact(sketch: Any) -> Any:
    sketch.Compact()
    return sketch


def _quantiles(sketch: Any, number: int = 3) -> Any:
    return sketch.GetQuantiles(number), sketch.GetQuantilesAndCumulativeWeights(number)


def cases() -> Iterator[Case]:
    """Yields the cases."""
    yield from _of_quantiles()
    yield from _of_counts("KmvSketch", KmvSketch)
    yield from _of_counts("MisraGriesSketch", MisraGriesSketch)
    yield from _of_misra_gries()
    yield from _of_statistics()


def _of_quantiles() -> Iterator[Case]:
    def made(streams: int) -> Any:
        return QuantilesSketch(0.01, 1000, streams)

    for streams in (1, 2, 3):
        nulls = pa.nulls(streams * 2, pa.float64())
        nothing: dict[str, Callable[[], Any]] = {
            "new": lambda streams=streams: made(streams),
            "no values": lambda streams=streams: _with(made(streams), pa.array([], pa.float64())),
            "nulls": lambda streams=streams, nulls=nulls: _with(made(streams), nulls),
            "the null type": lambda streams=streams: _with(made(streams), pa.nulls(streams)),
            "NaN": lambda streams=streams: _with(made(streams), pa.array([float("nan")] * streams)),
            "weights of 0": lambda streams=streams: _with(made(streams), pa.array([1.0] * streams), pa.array([0.0])),
            "no weights": lambda streams=streams: _with(made(streams), pa.array([], pa.float32()), pa.array([], pa.float32())),
        }
        for about, make in nothing.items():
            head = f"quantiles of {streams} streams, {about}"
            yield head, lambda make=make: _quantiles(make())
            yield f"{head}, more", lambda make=make: _quantiles(make(), 10)
            yield f"{head}, merged", lambda make=make, streams=streams: _quantiles(_merged(make(), made(streams)))
            yield f"{head}, merged into new", lambda make=make, streams=streams: _quantiles(_merged(made(streams), make()))
            yield f"{head}, pickled", lambda make=make: _quantiles(_restored(make()))
            yield f"{head}, compact", lambda make=make: _quantiles(_compact(make()))
            yield (
                f"{head}, merged, compact and pickled",
                lambda make=make, streams=streams: _quantiles(_restored(_compact(_merged(make(), made(streams))))),
            )
            yield (
                f"{head}, then values",
                lambda make=make, streams=streams: _quantiles(_with(make(), pa.array([1.0, 2.0] * streams))),
            )
            yield (
                f"{head}, merged with values",
                lambda make=make, streams=streams: _quantiles(_merged(make(), _with(made(streams), pa.array([1.0] * streams)))),
            )
    yield "quantiles of a stream without values", lambda: _quantiles(_with(made(2), pa.array([1.0, None, 2.0, None])))
    for about, arguments in (
        ("eps of 0", (0.0, 1000, 1)),
        ("eps below 0", (-1.0, 1000, 1)),
        ("no elements", (0.01, 0, 1)),
        ("elements below 0", (0.01, -1, 1)),
        ("no streams", (0.01, 1000, 0)),
        ("streams below 0", (0.01, 1000, -1)),
        ("eps of text", ("a", 1000, 1)),
        ("no arguments", ()),
        ("None", (None, None, None)),
    ):
        yield f"QuantilesSketch with {about}", lambda arguments=arguments: _quantiles(QuantilesSketch(*arguments))
    for number in (-1, 0, 1, 2):
        yield f"GetQuantiles({number}) of nothing", lambda number=number: made(1).GetQuantiles(number)
        yield f"GetQuantiles({number}) of a value", lambda number=number: _with(made(1), pa.array([1.0])).GetQuantiles(number)
        yield (
            f"GetQuantilesAndCumulativeWeights({number}) of nothing",
            lambda number=number: made(1).GetQuantilesAndCumulativeWeights(number),
        )
    for about, array in nothings():
        yield f"QuantilesSketch.AddValues: {about}", lambda array=array: _quantiles(_with(made(1), array))
        yield f"QuantilesSketch.AddValues weighted: {about}", lambda array=array: _quantiles(_with(made(1), array, array))
    yield "quantiles of rows that are not full", lambda: _with(made(2), pa.array([1.0]))
    yield "quantiles with too few weights", lambda: _with(made(1), pa.array([1.0, 2.0]), pa.array([1.0]))
    yield "quantiles with too many weights", lambda: _with(made(1), pa.array([1.0]), pa.array([1.0, 2.0]))
    yield "quantiles with weights of text", lambda: _with(made(1), pa.array([1.0]), pa.array(["1"]))
    yield "quantiles of None", lambda: _with(made(1), None)
    yield "quantiles merged with other streams", lambda: _merged(made(1), made(2))
    yield "quantiles merged with None", lambda: _merged(made(1), None)
    yield "quantiles merged with another sketch", lambda: _merged(made(1), KmvSketch(3))
    yield "quantiles merged with itself", lambda: (lambda one: _quantiles(_merged(one, one)))(made(1))


def _of_counts(name: str, kind: Any) -> Iterator[Case]:
    def estimate(sketch: Any) -> Any:
        return sketch.Estimate()

    nothing: dict[str, Callable[[], Any]] = {
        "new": lambda: kind(4),
        "no values": lambda: _with(kind(4), pa.array([], pa.string())),
        "a null": lambda: _with(kind(4), pa.nulls(1, pa.string())),
        "the null type": lambda: _with(kind(4), pa.nulls(2)),
    }
    for about, make in nothing.items():
        yield f"{name} of {about}", lambda make=make: estimate(make())
        yield f"{name} of {about}, merged", lambda make=make: estimate(_merged(make(), kind(4)))
        yield f"{name} of {about}, pickled", lambda make=make: estimate(_restored(make()))
        yield f"{name} of {about}, serialized", lambda make=make: estimate(kind.Deserialize(make().Serialize()))
        yield f"{name} of {about}, its bytes", lambda make=make: make().Serialize()
        yield f"{name} of {about}, then a value", lambda make=make: estimate(_with(make(), pa.array(["a"])))
    for about, array in nothings():
        yield f"{name}.AddValues: {about}", lambda array=array: estimate(_with(kind(4), array))
    for about, arguments in (("None", (None,)), ("text", ("a",)), ("no arguments", ())):
        yield f"{name} with {about}", lambda arguments=arguments: estimate(kind(*arguments))
    yield f"{name}.AddValues of None", lambda: _with(kind(4), None)
    yield f"{name}.AddValues of a list", lambda: _with(kind(4), ["a"])
    yield f"{name} merged with another number", lambda: estimate(_merged(kind(4), kind(5)))
    yield f"{name} merged with None", lambda: _merged(kind(4), None)
    yield f"{name} of numbers merged with texts", lambda: _merged(_with(kind(4), pa.array([1])), _with(kind(4), pa.array(["a"])))
    yield f"{name} with numbers, then texts", lambda: _with(_with(kind(4), pa.array([1])), pa.array(["a"]))
    yield f"{name} of no bytes", lambda: estimate(kind.Deserialize(b""))
    yield f"{name} of other bytes", lambda: estimate(kind.Deserialize(b"\xff\xff"))
    yield f"{name} of None", lambda: kind.Deserialize(None)


def _of_misra_gries() -> Iterator[Case]:
    for about, array in nothings():
        yield (
            f"MisraGriesSketch.AddValues weighted: {about}",
            lambda array=array: _with(MisraGriesSketch(4), array, pa.array([1.0] * len(array), pa.float32())).Estimate(),
        )
    texts = pa.array(["a"])
    for about, weights in (
        ("too many weights", pa.array([1.0, 2.0], pa.float32())),
        ("no weights", pa.array([], pa.float32())),
        ("weights of integers", pa.array([1])),
        ("weights of text", texts),
        ("weights of the null type", pa.nulls(1)),
    ):
        yield f"MisraGriesSketch with {about}", lambda weights=weights: _with(MisraGriesSketch(4), texts, weights).Estimate()
    for about, keywords in (
        ("a threshold alone", {"large_string_threshold": 3}),
        ("a placeholder alone", {"large_string_placeholder": "x"}),
        ("another order", {"order_on_tie": 1}),
        ("an order", {"order_on_tie": MisraGriesSketch.OrderOnTie.ReverseLexicographical}),
        ("unknown keywords", {"what": 1}),
        ("empty placeholders", {"invalid_utf8_placeholder": "", "large_string_threshold": 0, "large_string_placeholder": ""}),
    ):
        yield f"MisraGriesSketch with {about}", lambda keywords=keywords: _with(MisraGriesSketch(4, **keywords), texts).Estimate()


def _of_statistics() -> Iterator[Case]:
    message = statistics_pb2.DatasetFeatureStatistics

    def accumulated(*serialized: Any, **how: Any) -> Any:
        accumulator = statistics.DatasetListAccumulator(**how)
        for each in serialized:
            accumulator.MergeDatasetFeatureStatistics(each)
        return statistics_pb2.DatasetFeatureStatisticsList.FromString(accumulator.Get())

    one_row = message(num_examples=1).SerializeToString()
    for placeholder in (True, False):
        how = {"include_empty_placeholder": placeholder}
        yield f"statistics of nothing, {placeholder}", lambda how=how: accumulated(**how)
        yield f"statistics of an empty message, {placeholder}", lambda how=how: accumulated(b"", **how)
        yield f"statistics of two empty messages, {placeholder}", lambda how=how: accumulated(b"", b"", **how)
        yield f"statistics of a row, {placeholder}", lambda how=how: accumulated(one_row, b"", one_row, **how)
    yield "statistics of other bytes", lambda: accumulated(b"\xff\xff")
    yield "statistics of None", lambda: accumulated(None)
    yield "statistics of text", lambda: accumulated("")
    yield "merge of nothing", lambda: merge_util.merge_dataset_feature_statistics([])
    yield "merge of an empty message", lambda: merge_util.merge_dataset_feature_statistics([message()])
    yield "merge of two", lambda: merge_util.merge_dataset_feature_statistics([message(name="a"), message(name="b", num_examples=2)])
    yield "merge of None", lambda: merge_util.merge_dataset_feature_statistics(None)
    yield "merge of lists of nothing", lambda: merge_util.merge_dataset_feature_statistics_list([])
    yield (
        "merge of an empty list",
        lambda: merge_util.merge_dataset_feature_statistics_list([statistics_pb2.DatasetFeatureStatisticsList()]),
    )
    empty = statistics_pb2.DatasetFeatureStatisticsList(datasets=[message()])
    yield "merge of lists of an empty message", lambda: merge_util.merge_dataset_feature_statistics_list([empty, empty])
    yield "merge of other messages", lambda: merge_util.merge_dataset_feature_statistics([empty])
