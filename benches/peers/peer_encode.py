"""The encode peers: Arrow to tf.Example bytes (tfx-bsl), and ready-made protobuf objects to bytes.

Throughput counts the bytes of the file the batches were decoded from, as for our own encoder. tfx-bsl writes more
than that: an entry without values for each null.
"""

import data_sets
import framing
from measuring import Work
from peer_decode import in_threads, tfmd_schema

# Protobuf objects take a lot of memory: so many are enough.
OBJECTS = 20_000


def tfx_bsl_encoder(case, data, batch, cores):
    """RecordBatchToExamplesEncoder, one a thread, on batches that its own decoder made."""
    from tfx_bsl.coders import example_coder

    file, columns = data_sets.SETS[case.set]
    records = framing.payloads(data / file)
    size, total = framing.framed_size(records), len(records)
    decoder = example_coder.ExamplesToRecordBatchDecoder(tfmd_schema(columns))
    batches = [decoder.DecodeBatch(one) for one in framing.batches(records, batch)]
    del records
    parts = [batches[number::cores] for number in range(cores)]
    encoders = [example_coder.RecordBatchToExamplesEncoder() for _ in range(cores)]

    def encode(number, part):
        return sum(len(encoders[number].encode(one)) for one in part)

    return Work(lambda: (in_threads(cores, parts, encode), None), total, size)


def protobuf(case, data, _batch, _cores):
    """SerializeToString of objects that exist already: building them costs more, and is not counted."""
    import tensorflow as tf

    records = framing.payloads(data / data_sets.SETS[case.set][0], OBJECTS)
    messages = [tf.train.Example.FromString(record) for record in records]

    def run():
        for message in messages:
            message.SerializeToString()
        return len(messages), None

    return Work(run, len(records), framing.framed_size(records))


PEERS = {"tfx-bsl-encoder": tfx_bsl_encoder, "protobuf": protobuf}


def prepare(case, data, batch, cores):
    return PEERS[case.peer](case, data, batch, cores)
