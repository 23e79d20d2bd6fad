"""Kinds of sketches and merged statistics: the same state and the same results, to the byte."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pyarrow as pa

from tfxio.compat.tfx_bsl_extension import sketches, statistics

from columns import array, same_array
from golden import Case, Unreachable, check, decoded, equal, phase


def _values(value: dict[str, Any]) -> Any:
    if "formula" not in value:
        return array(value["array"])
    count, factor, modulus, divisor = value["formula"]
    return pa.array(np.arange(count, dtype=np.uint64) * np.uint64(factor) % np.uint64(modulus) / divisor, pa.float64())


def _make(kind: str, how: dict[str, Any]) -> Any:
    if kind == "kmv_sketch":
        return sketches.KmvSketch(how["num_buckets"])
    if kind == "quantiles_sketch":
        return sketches.QuantilesSketch(how["eps"], how["max_num_elements"], how["num_streams"])
    orders = sketches.MisraGriesSketch.OrderOnTie
    return sketches.MisraGriesSketch(
        how["num_buckets"],
        how.get("invalid_utf8_placeholder"),
        how.get("large_string_threshold"),
        how.get("large_string_placeholder"),
        orders.ReverseLexicographical if how.get("reverse") else orders.Lexicographical,
    )


def _sketch(kind: str, inputs: dict[str, Any]) -> Any:
    sketch = _make(kind, inputs["make"])
    for step in inputs["steps"]:
        match step["op"]:
            case "add":
                sketch.AddValues(*[_values(step[name]) for name in ("values", "weights") if step.get(name)])
            case "merge":
                sketch.Merge(_sketch(kind, step))
            case "compact":
                sketch.Compact()
            case "reload":
                sketch = pickle.loads(pickle.dumps(sketch))
    return sketch


def _lists(quantiles: Any) -> list[list[Any]]:
    names = {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}
    return [[names.get(str(value), value) for value in stream] for stream in quantiles.to_pylist() if stream is not None]


def sketch(case: Case, expected: dict[str, Any]) -> None:
    """Judges `kmv_sketch`, `misra_gries_sketch` and `quantiles_sketch`."""

    def ours() -> Any:
        with phase("construct", "call"):
            made = _sketch(case.kind, case.inputs)
            asked = [made.GetQuantilesAndCumulativeWeights(number) for number in case.inputs.get("ask", [])]
            return made, [{"quantiles": _lists(quantiles), "weights": _lists(weights)} for quantiles, weights in asked]

    def same(made: Any, ok: dict[str, Any]) -> None:
        sketch, answers = made
        state = decoded(ok["state"])
        equal(sketch.__getstate__(), state, "the state")
        equal(pickle.loads(pickle.dumps(sketch)).__getstate__(), state, "the state that is read again")
        if hasattr(sketch, "Serialize"):
            equal(type(sketch).Deserialize(state).Serialize(), state, "the state that is read again")
        if case.kind == "kmv_sketch":
            equal(sketch.Estimate(), ok["estimate"], "the estimate")
        elif case.kind == "misra_gries_sketch":
            same_array(sketch.Estimate(), array(ok["estimate"]["array"]), "the estimate")
        else:
            equal(answers, ok["answers"])

    check(ours, expected, same)


def merge_statistics(case: Case, expected: dict[str, Any]) -> None:
    """Judges `merge_statistics`: shards of statistics, and the list that is made of them."""

    def ours() -> bytes:
        with phase("construct", "call"):
            accumulator = statistics.DatasetListAccumulator(include_empty_placeholder=case.inputs["include_empty_placeholder"])
            for shard in case.inputs["shards"]:
                accumulator.MergeDatasetFeatureStatistics(decoded(shard["b64"]))
            return accumulator.Get()

    def same(ours: bytes, ok: dict[str, Any]) -> None:
        recorded = decoded(ok["b64"])
        if ours == recorded:
            return
        try:
            from tensorflow_metadata.proto.v0 import statistics_pb2
        except ImportError as missing:
            raise Unreachable("messages whose fields are in another order are compared with tensorflow_metadata") from missing
        messages = statistics_pb2.DatasetFeatureStatisticsList
        equal(messages.FromString(ours), messages.FromString(recorded))

    check(ours, expected, same)
