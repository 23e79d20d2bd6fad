"""The data sets of the loader: folders of TFRecord files with a manifest, and the configuration for each way of loading."""

import json

import numpy as np
import tensorflow as tf

RECORDS = 60_000
SHARDS = 10
PIXELS = 784
WORDS = 30_000  # tokens are numbers below
LONGEST = 32  # tokens a record, at most

STEPS = 1_000_000
STEPS_A_RECORD = 1000
CHANNELS = 8

BATCH = 128
SHUFFLED = 10_000
OPEN_FILES = 4
WINDOW = 64
STRIDE = 16
WINDOWS = (STEPS - WINDOW) // STRIDE + 1

# Lengths at which buckets end, and the most tokens of a batch, padding counted.
BOUNDARIES = [9, 17, 25]
TOKENS_A_BATCH = 4096

# Way of loading -> folder of its files.
FOLDERS = {
    "mnist": "mnist",
    "mnist_padded": "mnist_sequence",
    "stream_window": "stream",
    "tokens_bucket": "mnist_sequence",
}
# The features that are read, where these are not all.
FEATURES = {"tokens_bucket": ["label", "tokens"]}
# What gen_data.py makes.
SETS = (*dict.fromkeys(FOLDERS.values()), "configurations")
FILES = {name: f"{name}.json" for name in FOLDERS}

IMAGE = {"name": "image", "dtype": "uint8", "shape": [PIXELS], "deserialize_type": "raw"}
LABEL = {"name": "label", "dtype": "int64", "shape": [], "deserialize_type": "int"}
LITTLE = {"deserialize_args": {"endian": "little"}}
MANIFESTS = {
    "mnist": {"compression": None, "allow_var_len": False, "features": [IMAGE | LITTLE, LABEL]},
    "mnist_sequence": {
        "compression": None,
        "allow_var_len": True,
        "features": [
            IMAGE | LITTLE | {"var_len": False},
            LABEL | {"var_len": False},
            {"name": "tokens", "dtype": "int64", "shape": [], "deserialize_type": "int", "var_len": True},
        ],
    },
    "stream": {
        "compression": None,
        "allow_var_len": False,
        "features": [
            {"name": "x", "dtype": "float32", "shape": [STEPS_A_RECORD, CHANNELS], "deserialize_type": "float"}
        ],
    },
}
SHUFFLE = {
    "shuffle": True,
    "num_shuffle_buffer_elements": SHUFFLED,
    "num_filenames_shuffle_buffer": SHARDS,
    "num_mix_files": OPEN_FILES,
}
ONCE = {
    "target_batch_size": BATCH,
    "drop_remainder": False,
    "epochs": 1,
    "num_read_buffer_bytes": 0,
    "num_prefetch": 2,
}
# What each way of loading says beside the files, the batches and the features.
WAYS = {
    "mnist": {"type": "independent", **SHUFFLE},
    "mnist_padded": {"type": "independent", **SHUFFLE, "padding": True},
    "stream_window": {
        "type": "continuous_sequence",
        "min_window": WINDOW,
        "max_window": WINDOW,
        "stride": STRIDE,
    },
    "tokens_bucket": {
        "type": "independent",
        **SHUFFLE,
        "padding": True,
        "max_tokens": {"tokens": TOKENS_A_BATCH, "tensors": ["tokens"]},
        "bucket_by_length": {"tensor": "tokens", "boundaries": BOUNDARIES},
    },
}


def configuration(name):
    """The loader's configuration; paths in it start from the folder of the data sets."""
    folder = FOLDERS[name]
    features = FEATURES.get(name, [feature["name"] for feature in MANIFESTS[folder]["features"]])
    return {
        **WAYS[name],
        "dataset": {"type": "dir", "args": {"data_dir": folder}},
        **ONCE,
        "primary_features": [{"from_name": feature, "to_name": feature} for feature in features],
    }


def images(random):
    """Pixels, four fifths of them 0 as in MNIST, a label, and 1 to 32 tokens, as many times as there are records."""
    for _ in range(RECORDS):
        image = random.integers(0, 256, PIXELS, dtype=np.uint8)
        image[random.random(PIXELS) < 0.8] = 0
        count = int(random.integers(1, LONGEST + 1))
        yield image.tobytes(), int(random.integers(0, 10)), random.integers(0, WORDS, count).tolist()


def image_example(image, label, tokens):
    """All three as features."""
    message = tf.train.Example()
    feature = message.features.feature
    feature["image"].bytes_list.value.append(image)
    feature["label"].int64_list.value.append(label)
    feature["tokens"].int64_list.value.extend(tokens)
    return message


def image_sequence(image, label, tokens):
    """The tokens as a feature list of one a step, the others as context."""
    message = tf.train.SequenceExample()
    context = message.context.feature
    context["image"].bytes_list.value.append(image)
    context["label"].int64_list.value.append(label)
    steps = message.feature_lists.feature_list["tokens"].feature
    for token in tokens:
        steps.add().int64_list.value.append(token)
    return message


def stream(random):
    """Normally distributed floats in records of 1,000 steps."""
    for _ in range(STEPS // STEPS_A_RECORD):
        message = tf.train.Example()
        values = random.standard_normal(STEPS_A_RECORD * CHANNELS, dtype=np.float32)
        message.features.feature["x"].float_list.value.extend(values)
        yield message


def messages(name, random):
    if name == "stream":
        return stream(random)
    make = image_example if name == "mnist" else image_sequence
    return (make(*values) for values in images(random))


def write(name, folder, random):
    """Writes a set, or all configurations; (records, payload bytes)."""
    if name == "configurations":
        for way, file in FILES.items():
            (folder / file).write_text(json.dumps(configuration(way), indent=2) + "\n")
        return 0, 0
    shards = 1 if name == "stream" else SHARDS
    (folder / name).mkdir(exist_ok=True)
    (folder / name / "__manifest__.json").write_text(json.dumps(MANIFESTS[name], indent=2) + "\n")
    per_shard = (STEPS // STEPS_A_RECORD if name == "stream" else RECORDS) // shards
    source = messages(name, random)
    size = 0
    for shard in range(shards):
        path = folder / name / f"{name}-{shard:05d}-of-{shards:05d}.tfrecord"
        with tf.io.TFRecordWriter(str(path)) as writer:
            for _ in range(per_shard):
                data = next(source).SerializeToString(deterministic=True)
                writer.write(data)
                size += len(data)
    return per_shard * shards, size
