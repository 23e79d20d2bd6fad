"""The decode peers on SequenceExamples: to Arrow (tfx-bsl) or to tensors (tf.io.parse_sequence_example), in batches."""

import data_sets
import framing
from measuring import Work
from peer_decode import in_threads, rows_of

# The name that tfx-bsl is to give to the column of the sequence features.
COLUMN = "##SEQUENCE##"


def tfmd_schema(context, lists):
    """The schema as tfx-bsl takes it: names and types, the sequence features in a struct."""
    from tensorflow_metadata.proto.v0 import schema_pb2

    types = {
        data_sets.INT: schema_pb2.INT,
        data_sets.FLOAT: schema_pb2.FLOAT,
        data_sets.BYTES: schema_pb2.BYTES,
    }
    schema = schema_pb2.Schema()
    for name, column in context.items():
        schema.feature.add(name=name, type=types[column.kind])
    steps = schema.feature.add(name=COLUMN, type=schema_pb2.STRUCT).struct_domain
    for name, column in lists.items():
        steps.feature.add(name=name, type=types[column.kind])
    return schema.SerializeToString()


def tfx_bsl(case, data, batch, cores):
    """SequenceExamplesToRecordBatchDecoder, one a thread (it frees the interpreter lock)."""
    from tfx_bsl.coders import sequence_example_coder

    file, context, lists = data_sets.SEQUENCE_SETS[case.set]
    schema = tfmd_schema(context, lists) if case.peer == "tfx-bsl" else None
    records = framing.payloads(data / file)
    size = framing.framed_size(records)
    batches = framing.batches(records, batch)
    parts = [batches[number::cores] for number in range(cores)]
    arguments = (COLUMN, schema) if schema else (COLUMN,)
    decoders = [sequence_example_coder.SequenceExamplesToRecordBatchDecoder(*arguments) for _ in range(cores)]

    def decode(number, part):
        return sum(decoders[number].DecodeBatch(one).num_rows for one in part)

    return Work(lambda: (in_threads(cores, parts, decode), None), len(records), size)


def parse_sequence_example(case, data, batch, _cores):
    """TensorFlow's own parser. Sequence features become ragged, the fastest form that it has for them."""
    import tensorflow as tf

    file, context, lists = data_sets.SEQUENCE_SETS[case.set]
    types = {data_sets.INT: tf.int64, data_sets.FLOAT: tf.float32, data_sets.BYTES: tf.string}
    context_spec = {
        name: tf.io.FixedLenFeature([] if column.count == 1 else [column.count], types[column.kind])
        for name, column in context.items()
    }
    lists_spec = {
        name: tf.io.RaggedFeature(types[column.kind], row_splits_dtype=tf.int64) for name, column in lists.items()
    }
    first = next(iter(lists_spec))
    records = framing.payloads(data / file)
    size, total = framing.framed_size(records), len(records)
    batches = [tf.constant(one) for one in framing.batches(records, batch)]
    del records
    parse = tf.function(
        lambda serialized: tf.io.parse_sequence_example(serialized, context_spec, lists_spec),
        input_signature=[tf.TensorSpec([None], tf.string)],
    )
    return Work(lambda: (sum(rows_of(parse(one)[1][first]) for one in batches), None), total, size)


PEERS = {"tfx-bsl": tfx_bsl, "tfx-bsl-no-schema": tfx_bsl, "parse_sequence_example": parse_sequence_example}


def prepare(case, data, batch, cores):
    return PEERS[case.peer](case, data, batch, cores)
