"""The peer that makes tensors of columns: tfx-bsl's TensorAdapter in its NumPy mode, on batches decoded before."""

import adapter_data
import data_sets
import framing
from measuring import Work
from peer_sequence import COLUMN


def decoder_of(schema, kind):
    from tfx_bsl.coders import example_coder, sequence_example_coder

    # The decoder looks at names and types alone.
    serialised = schema.SerializeToString()
    if adapter_data.KINDS[kind][0] in data_sets.SEQUENCE_SETS:
        return sequence_example_coder.SequenceExamplesToRecordBatchDecoder(COLUMN, serialised)
    return example_coder.ExamplesToRecordBatchDecoder(serialised)


def of(values):
    import numpy as np

    return np.asarray(values).nbytes


def nbytes(tensor):
    """Bytes of a tensor as `measure` counts them: 8 for each string."""
    if hasattr(tensor, "indices"):
        return of(tensor.values) + of(tensor.indices)
    total = 0
    while hasattr(tensor, "row_splits"):
        total += of(tensor.row_splits)
        tensor = tensor.values
    return total + of(tensor)


def adapter(case, data, batch, _cores):
    from google.protobuf import text_format
    from tensorflow_metadata.proto.v0 import schema_pb2
    from tfx_bsl.tfxio import tensor_adapter

    kind = case.set.split("@")[0]
    schema = text_format.Parse((data / f"{kind}.pbtxt").read_text(), schema_pb2.Schema())
    representations = dict(schema.tensor_representation_group[""].tensor_representation)
    records = framing.payloads(data / case.file)
    size, total = framing.framed_size(records), len(records)
    decoder = decoder_of(schema, kind)
    batches = [decoder.DecodeBatch(one) for one in framing.batches(records, batch)]
    del records
    config = tensor_adapter.TensorAdapterConfig(batches[0].schema, representations)
    made = tensor_adapter.TensorAdapter(config)
    tensors = sum(len(made.ToBatchTensors(one, produce_eager_tensors=False)) for one in batches)
    tensor_bytes = sum(
        nbytes(tensor) for one in batches for tensor in made.ToBatchTensors(one, produce_eager_tensors=False).values()
    )

    def run():
        rows = 0
        for one in batches:
            made.ToBatchTensors(one, produce_eager_tensors=False)
            rows += one.num_rows
        return rows, None

    return Work(run, total, size, tensors, tensor_bytes)


PEERS = {"tfx-bsl-adapter": adapter}


def prepare(case, data, batch, cores):
    return PEERS[case.peer](case, data, batch, cores)
