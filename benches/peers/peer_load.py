"""The loading peers: tf.data from files to shuffled, padded or windowed batches of tensors, as users write it."""

import tensorflow as tf

import framing
import loader_data as sets
from measuring import Work

AUTO = tf.data.AUTOTUNE
BATCH = sets.BATCH
IMAGE = {"image": tf.io.FixedLenFeature([], tf.string), "label": tf.io.FixedLenFeature([], tf.int64)}
TOKENS = tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True)


def pixels(parsed):
    """Turns the bytes into pixels; no arithmetic."""
    return parsed | {"image": tf.io.decode_raw(parsed["image"], tf.uint8)}


def shuffled(data, folder):
    """Serialised records: the files in random order, four of them by turns, and a buffer."""
    files = tf.data.Dataset.list_files(str(data / folder / "*.tfrecord"), shuffle=True, seed=1)
    mixed = files.interleave(tf.data.TFRecordDataset, cycle_length=sets.OPEN_FILES, num_parallel_calls=AUTO)
    return mixed.shuffle(sets.SHUFFLED, seed=2)


def parsed_in_batches(data):
    """Batches of serialised records, parsed together: the fastest way where all records have one length."""
    records = shuffled(data, "mnist").batch(BATCH)
    return records.map(lambda batch: pixels(tf.io.parse_example(batch, IMAGE)), num_parallel_calls=AUTO)


def padded_sequences(data):
    """SequenceExamples, parsed one by one and padded as batches: the files that ours reads."""

    def parse(record):
        context, lists = tf.io.parse_single_sequence_example(
            record, IMAGE, {"tokens": tf.io.FixedLenSequenceFeature([], tf.int64)}
        )
        return pixels(context | lists)

    records = shuffled(data, "mnist_sequence").map(parse, num_parallel_calls=AUTO)
    return records.padded_batch(BATCH)


def padded_examples(data):
    """The same values in Examples, parsed one by one and padded as batches."""
    spec = IMAGE | {"tokens": tf.io.VarLenFeature(tf.int64)}

    def parse(record):
        parsed = tf.io.parse_single_example(record, spec)
        return pixels(parsed | {"tokens": tf.sparse.to_dense(parsed["tokens"])})

    return shuffled(data, "mnist").map(parse, num_parallel_calls=AUTO).padded_batch(BATCH)


def padded_by_parser(data):
    """The same Examples, parsed in batches by a parser that pads: no other kind of padding can be had so."""
    spec = IMAGE | {"tokens": TOKENS}
    records = shuffled(data, "mnist").batch(BATCH)
    return records.map(lambda batch: pixels(tf.io.parse_example(batch, spec)), num_parallel_calls=AUTO)


def windows(data):
    """One stream of steps, cut into windows that overlap."""
    spec = {"x": tf.io.FixedLenFeature([sets.STEPS_A_RECORD, sets.CHANNELS], tf.float32)}
    files = [str(path) for path in sorted((data / "stream").glob("*.tfrecord"))]
    records = tf.data.TFRecordDataset(files)
    steps = records.map(
        lambda record: tf.io.parse_single_example(record, spec)["x"], num_parallel_calls=AUTO
    ).unbatch()
    parts = steps.window(sets.WINDOW, shift=sets.STRIDE, drop_remainder=True)
    whole = parts.flat_map(lambda window: window.batch(sets.WINDOW, drop_remainder=True))
    return whole.batch(BATCH).map(lambda x: {"label": x})


def token_buckets(data):
    """Tokens in buckets by length, each with batches of as many examples as fit in the budget if all are of its greatest length."""
    context = {"label": IMAGE["label"]}

    def parse(record):
        parsed = tf.io.parse_single_sequence_example(
            record, context, {"tokens": tf.io.FixedLenSequenceFeature([], tf.int64)}
        )
        return parsed[0] | parsed[1]

    greatest = [boundary - 1 for boundary in sets.BOUNDARIES] + [sets.LONGEST]
    records = shuffled(data, "mnist_sequence").map(parse, num_parallel_calls=AUTO)
    return records.bucket_by_sequence_length(
        lambda example: tf.shape(example["tokens"])[0],
        bucket_boundaries=sets.BOUNDARIES,
        bucket_batch_sizes=[sets.TOKENS_A_BATCH // length for length in greatest],
    )


# Way of loading -> peer -> (pipeline, folder that it reads).
PEERS = {
    "mnist": {"tf.data": (parsed_in_batches, "mnist")},
    "mnist_padded": {
        "tf.data": (padded_sequences, "mnist_sequence"),
        "tf.data-example": (padded_examples, "mnist"),
        "tf.data-parser": (padded_by_parser, "mnist"),
    },
    "stream_window": {"tf.data": (windows, "stream")},
    "tokens_bucket": {"tf.data": (token_buckets, "mnist_sequence")},
}


def prepare(case, data, _batch, _cores):
    pipeline, folder = PEERS[case.set][case.peer]
    batches = pipeline(data).prefetch(AUTO)
    size = sum(framing.count(path)[1] for path in (data / folder).glob("*.tfrecord"))

    def run():
        iterator, examples = iter(batches), 0
        for batch in iterator:
            examples += int(batch["label"].shape[0])
        return examples, iterator

    return Work(run, sets.WINDOWS if folder == "stream" else sets.RECORDS, size)
