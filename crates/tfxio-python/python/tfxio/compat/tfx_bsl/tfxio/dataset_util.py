"""Records of TFRecord files as data sets of `tf.data`."""

from __future__ import annotations

from collections.abc import Sequence

import tensorflow as tf


def detect_compression_type(file_patterns: tf.Tensor) -> tf.Tensor:
    """Returns how files are compressed, by their names: `"GZIP"` if all end in `.gz`, `""` if none does.

    Otherwise it is `"INVALID_MIXED_COMPRESSION_TYPES"`, which every reader of files refuses. Made of operations of graphs only.
    """
    is_gzip = tf.strings.regex_full_match(tf.io.matching_files(file_patterns), r".*\.gz")
    some, every = tf.reduce_any(is_gzip), tf.reduce_all(is_gzip)
    of_some = tf.where(every, "GZIP", "INVALID_MIXED_COMPRESSION_TYPES")
    return tf.where(some, of_some, "")


def make_tf_record_dataset(
    file_pattern: str | Sequence[str] | tf.Tensor,
    batch_size: int,
    drop_final_batch: bool,
    num_epochs: int | None,
    shuffle: bool | None,
    shuffle_buffer_size: int,
    shuffle_seed: int | None,
    reader_num_threads: int = tf.data.AUTOTUNE,
    sloppy_ordering: bool = False,
) -> tf.data.Dataset:
    """Returns batches of records of TFRecord files, read by TensorFlow.

    Args:
        file_pattern: Patterns of the files.
        batch_size: Records a batch.
        drop_final_batch: Whether a last batch with fewer records is left out, as it always is where there is no last epoch.
        num_epochs: How many times the records are read; without an end, if it is `None`. Batches span epochs.
        shuffle: Whether files and records come in a random order.
        shuffle_buffer_size: Among how many records the next one is drawn.
        shuffle_seed: What the random order is derived from.
        reader_num_threads: How many files are read at once.
        sloppy_ordering: Whether the order may depend on which file is read faster.
    """
    patterns = tf.convert_to_tensor(file_pattern, tf.string)
    compression = detect_compression_type(patterns)
    records = tf.data.Dataset.list_files(patterns, shuffle=shuffle, seed=shuffle_seed).interleave(
        lambda file: tf.data.TFRecordDataset(file, compression), num_parallel_calls=reader_num_threads
    )
    order = tf.data.Options()
    order.deterministic = not sloppy_ordering
    records = records.with_options(order)
    if shuffle:
        records = records.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        records = records.repeat(num_epochs)
    return records.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
