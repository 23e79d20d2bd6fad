"""Times tfx-bsl's TensorAdapter in its NumPy mode, beside the suite `adapter`, and prints one JSON line for each kind.

    python peer_adapter.py --data FOLDER [--kind KIND]... [--batch 1024] [--repeat 5]

The kinds are those of benches/benches/adapter.rs. Batches are decoded before the clock starts. `bytes` are those of the
tensors, 8 for each string; `us_per_tensor` is one tensor of one batch. Bind it to one processor, as with
`taskset -c 0`.
"""

import argparse
import json
import pathlib

import data_sets
import framing
import measuring
from peer_decode import tfmd_schema

# Kind -> (set, the names of its columns begin so, representation of a column).
KINDS = {
    "dense lists": ("dense", "x", "dense_tensor { column_name: '%s' shape { dim { size: 784 } } }"),
    "dense default": ("criteo", "I", "dense_tensor { column_name: '%s' shape {} default_value { int_value: 0 } }"),
    "dense strings": ("criteo", "C", "dense_tensor { column_name: '%s' shape {} default_value { bytes_value: 'x' } }"),
    "varlen sparse": ("multi", "m", "varlen_sparse_tensor { column_name: '%s' }"),
    "sparse": (
        "multi",
        "m",
        "sparse_tensor { index_column_names: '%s at' value_column_name: '%s' dense_shape { dim { size: 51 } } }",
    ),
    "ragged": ("multi", "m", "ragged_tensor { feature_path { step: '%s' } row_partition_dtype: INT64 }"),
}
# So many records are enough, and a multiple of both batch sizes.
RECORDS = 32768


def with_indices(batch):
    """Beside each column one of indices, descending as in the suite."""
    import numpy as np
    import pyarrow as pa

    names, arrays = [], []
    for name, array in zip(batch.schema.names, batch.columns):
        offsets = np.asarray(array.offsets)
        ends = np.repeat(offsets[1:], np.diff(offsets))
        indices = ends - 1 - np.arange(len(ends), dtype=np.int64)
        names += [f"{name} at", name]
        arrays += [pa.LargeListArray.from_arrays(pa.array(offsets), pa.array(indices)), array]
    return pa.RecordBatch.from_arrays(arrays, names)


def batches_of(kind, data, rows):
    from tfx_bsl.coders import example_coder

    name, prefix, _ = KINDS[kind]
    file, columns = data_sets.SETS[name]
    columns = {column: spec for column, spec in columns.items() if column.startswith(prefix)}
    records = framing.payloads(data / file, RECORDS)
    decoder = example_coder.ExamplesToRecordBatchDecoder(tfmd_schema(columns))
    batches = [decoder.DecodeBatch(one) for one in framing.batches(records, rows)]
    return [with_indices(batch) for batch in batches] if kind == "sparse" else batches, list(columns)


def nbytes(tensor):
    import numpy as np

    def of(values):
        return np.asarray(values).nbytes

    if hasattr(tensor, "indices"):
        return of(tensor.values) + of(tensor.indices)
    total = 0
    while hasattr(tensor, "row_splits"):
        total += of(tensor.row_splits)
        tensor = tensor.values
    return total + of(tensor)


def measured(kind, data, rows, repeat):
    from google.protobuf import text_format
    from tensorflow_metadata.proto.v0 import schema_pb2
    from tfx_bsl.tfxio import tensor_adapter

    batches, columns = batches_of(kind, data, rows)
    text = KINDS[kind][2]
    representations = {
        column: text_format.Parse(text.replace("%s", column), schema_pb2.TensorRepresentation()) for column in columns
    }
    config = tensor_adapter.TensorAdapterConfig(batches[0].schema, representations)
    adapter = tensor_adapter.TensorAdapter(config)
    made = [adapter.ToBatchTensors(batch, produce_eager_tensors=False) for batch in batches]
    size = sum(nbytes(tensor) for tensors in made for tensor in tensors.values())
    del made

    def run():
        for batch in batches:
            adapter.ToBatchTensors(batch, produce_eager_tensors=False)
        return sum(batch.num_rows for batch in batches), None

    work = measuring.Work(run, sum(batch.num_rows for batch in batches), size)
    line = {"peer": "tfx-bsl-adapter", "kind": kind, "batch": rows, **measuring.measure(work, repeat)}
    tensors = len(batches) * len(columns)
    return line | {"us_per_tensor": round(line["seconds_min"] / tensors * 1e6, 2), "tensors": tensors}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path, required=True, help="folder of the data sets")
    parser.add_argument("--kind", action="append", choices=KINDS, help="only this kind; may be repeated")
    parser.add_argument("--batch", type=int, default=1024, help="rows a batch (default: %(default)s)")
    parser.add_argument("--repeat", type=int, default=5, help="timed runs (default: %(default)s)")
    args = parser.parse_args()
    if not 1 <= args.batch <= RECORDS or args.repeat < 1:
        parser.error(f"--batch must be from 1 to {RECORDS}, --repeat at least 1")
    for kind in args.kind or KINDS:
        print(json.dumps(measured(kind, args.data, args.batch, args.repeat)), flush=True)


if __name__ == "__main__":
    main()
