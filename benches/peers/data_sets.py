"""What stands in the benchmark data sets: one place for the generator and for the peers."""

import dataclasses

INT, FLOAT, BYTES = "int64", "float32", "bytes"


@dataclasses.dataclass(frozen=True)
class Column:
    """A feature: its kind, and how many values each record has (None: any number)."""

    kind: str
    count: int | None = 1


CRITEO_INTS = [f"I{n}" for n in range(1, 14)]
CRITEO_WORDS = [f"C{n}" for n in range(1, 27)]
CRITEO = {
    "label": Column(INT),
    **{name: Column(INT) for name in CRITEO_INTS},
    **{name: Column(BYTES) for name in CRITEO_WORDS},
}
PIXELS = 784
DENSE = {"x": Column(FLOAT, PIXELS), "label": Column(INT), "image": Column(BYTES)}
MULTI_INTS = [f"mi{n:02d}" for n in range(10)]
MULTI_FLOATS = [f"mf{n:02d}" for n in range(10)]
MULTI = {
    **{name: Column(INT, None) for name in MULTI_INTS},
    **{name: Column(FLOAT, None) for name in MULTI_FLOATS},
}
WIDE_INTS = [f"feature_int_{n:03d}" for n in range(200)]
WIDE_FLOATS = [f"feature_float_{n:03d}" for n in range(200)]
WIDE_WORDS = [f"feature_bytes_{n:03d}" for n in range(100)]
WIDE = {
    **{name: Column(INT) for name in WIDE_INTS},
    **{name: Column(FLOAT) for name in WIDE_FLOATS},
    **{name: Column(BYTES) for name in WIDE_WORDS},
}
# The rides of TFX's taxi example: numbers, places and times, few words.
TAXI = {
    **{name: Column(INT) for name in ("trip_start_month", "trip_start_day", "trip_start_hour", "trip_start_timestamp")},
    **{name: Column(INT) for name in ("pickup_community_area", "dropoff_community_area", "trip_seconds")},
    **{name: Column(INT) for name in ("pickup_census_tract", "dropoff_census_tract")},
    **{f"{end}_{axis}": Column(FLOAT) for end in ("pickup", "dropoff") for axis in ("latitude", "longitude")},
    **{name: Column(FLOAT) for name in ("fare", "tips", "trip_miles")},
    **{name: Column(BYTES) for name in ("payment_type", "company")},
}
# The five that a reader of `wide` wants in the projection task.
WIDE5 = {
    name: WIDE[name]
    for name in (
        "feature_int_007",
        "feature_int_150",
        "feature_float_042",
        "feature_float_199",
        "feature_bytes_050",
    )
}

# Values, and beside each feature of them one of indices, for sparse tensors.
INDEXED_VALUES = [f"v{n}" for n in range(10)]
INDEXED = {
    **{f"at_{name}": Column(INT, None) for name in INDEXED_VALUES},
    **{name: Column(FLOAT, None) for name in INDEXED_VALUES},
}

# SequenceExamples: the features of the context, and the sequence features (count: values of a step).
SEQUENCE_CONTEXT = {"user": Column(INT), "country": Column(BYTES), "weights": Column(FLOAT, 4)}
SEQUENCE_LISTS = {
    "items": Column(INT, None),
    "scores": Column(FLOAT, None),
    "words": Column(BYTES, None),
    "categories": Column(INT, None),
}
# Set of SequenceExamples -> (file, features of the context, sequence features).
SEQUENCE_SETS = {"sequence": ("sequence.tfrecord", SEQUENCE_CONTEXT, SEQUENCE_LISTS)}

# Sets of Examples that are made into tensors and not decoded for themselves.
TENSOR_SETS = {"indexed": ("indexed.tfrecord", INDEXED)}

# Set of Examples -> (file, columns that are read).
SETS = {
    "criteo": ("criteo.tfrecord", CRITEO),
    "criteo_shuf": ("criteo_shuf.tfrecord", CRITEO),
    "dense": ("dense.tfrecord", DENSE),
    "multi": ("multi.tfrecord", MULTI),
    "taxi": ("taxi.tfrecord", TAXI),
    "wide": ("wide.tfrecord", WIDE),
    "wide5": ("wide.tfrecord", WIDE5),
}

# Messages of other types than tf.Example, and tf.Examples that are read as structs: the program write-sets makes them.
MESSAGES = ("spans", "impressions", "tangle")
STRUCTS = ("clicks", "clicks_shuf")
