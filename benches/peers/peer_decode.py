"""The decode peers: tf.Example bytes to Arrow (tfx-bsl) or to tensors (tf.io.parse_example), in whole batches."""

import threading

import data_sets
import framing
from measuring import Work


def tfmd_schema(columns):
    """The schema as tfx-bsl takes it: names and types, nothing else."""
    from tensorflow_metadata.proto.v0 import schema_pb2

    types = {
        data_sets.INT: schema_pb2.INT,
        data_sets.FLOAT: schema_pb2.FLOAT,
        data_sets.BYTES: schema_pb2.BYTES,
    }
    schema = schema_pb2.Schema()
    for name, column in columns.items():
        schema.feature.add(name=name, type=types[column.kind])
    return schema.SerializeToString()


def in_threads(cores, parts, work):
    """work(part number, part) for each part, a thread each; the sum of what they return."""
    if cores == 1:
        return work(0, parts[0])
    done = [0] * cores

    def one(number):
        done[number] = work(number, parts[number])

    threads = [threading.Thread(target=one, args=(number,)) for number in range(cores)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(done)


def tfx_bsl(case, data, batch, cores):
    """ExamplesToRecordBatchDecoder, one a thread (it frees the interpreter lock)."""
    from tfx_bsl.coders import example_coder

    file, columns = data_sets.SETS[case.set]
    schema = tfmd_schema(columns) if case.peer == "tfx-bsl" else None
    if case.source == "memory":
        records = framing.payloads(data / file)
        size = framing.framed_size(records)
        total = len(records)
        batches = framing.batches(records, batch)
        parts = [batches[number::cores] for number in range(cores)]
        decoders = [example_coder.ExamplesToRecordBatchDecoder(schema) for _ in range(cores)]

        def decode(number, part):
            return sum(decoders[number].DecodeBatch(one).num_rows for one in part)

        return Work(lambda: (in_threads(cores, parts, decode), None), total, size)

    import tensorflow as tf

    decoder = example_coder.ExamplesToRecordBatchDecoder(schema)
    batches = tf.data.TFRecordDataset(str(data / file), buffer_size=4 << 20).batch(batch).prefetch(4)

    def run():
        iterator = batches.as_numpy_iterator()
        return sum(decoder.DecodeBatch(one.tolist()).num_rows for one in iterator), iterator

    return Work(run, *framing.count(data / file))


def feature_spec(columns):
    """FixedLen with a default for one value, FixedLen for a fixed number, Ragged for any number."""
    import tensorflow as tf

    types = {
        data_sets.INT: (tf.int64, 0),
        data_sets.FLOAT: (tf.float32, 0.0),
        data_sets.BYTES: (tf.string, ""),
    }
    spec = {}
    for name, column in columns.items():
        dtype, default = types[column.kind]
        if column.count is None:
            spec[name] = tf.io.RaggedFeature(dtype, row_splits_dtype=tf.int64)
        elif column.count == 1:
            spec[name] = tf.io.FixedLenFeature([], dtype, default_value=default)
        else:
            spec[name] = tf.io.FixedLenFeature([column.count], dtype)
    return spec


def rows_of(tensor):
    return int(tensor.nrows()) if hasattr(tensor, "nrows") else int(tensor.shape[0])


def parse_example(case, data, batch, _cores):
    """TensorFlow's own parser; it splits a batch over its threads by itself."""
    import tensorflow as tf

    file, columns = data_sets.SETS[case.set]
    spec = feature_spec(columns)
    first = next(iter(spec))
    if case.source == "memory":
        records = framing.payloads(data / file)
        size, total = framing.framed_size(records), len(records)
        batches = [tf.constant(one) for one in framing.batches(records, batch)]
        del records
        parse = tf.function(
            lambda serialized: tf.io.parse_example(serialized, spec), input_signature=[tf.TensorSpec([None], tf.string)]
        )
        return Work(lambda: (sum(rows_of(parse(one)[first]) for one in batches), None), total, size)

    parsed = (
        tf.data.TFRecordDataset(str(data / file), buffer_size=4 << 20)
        .batch(batch)
        .map(lambda serialized: tf.io.parse_example(serialized, spec), num_parallel_calls=tf.data.AUTOTUNE)
        .prefetch(tf.data.AUTOTUNE)
    )

    def run():
        iterator = iter(parsed)
        return sum(rows_of(one[first]) for one in iterator), iterator

    return Work(run, *framing.count(data / file))


PEERS = {"tfx-bsl": tfx_bsl, "tfx-bsl-no-schema": tfx_bsl, "parse_example": parse_example}


def prepare(case, data, batch, cores):
    return PEERS[case.peer](case, data, batch, cores)
