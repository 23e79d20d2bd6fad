"""Data sets of Avro files: serialized records, or batches of tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from tfxio._lib import AvroRecordReader
from tfxio.compat.tensorflow_io._parse import parse_avro

_BUFFER_BYTES = 256 << 10


class AvroRecordDataset(tf.data.Dataset):
    """The records of Avro files, each a string that `parse_avro` takes.

    Args:
        filenames: A string, strings, or a data set of strings: paths or URLs.
        buffer_size: Bytes of records that are read at a time; 256 KiB, if it is left out.
        num_parallel_reads: How many files are read in turn, `block_length` records of each. Without it, one after the other.
        num_parallel_calls: How many of them are read side by side; at most `num_parallel_reads`.
        reader_schema: The schema that the records have then, as JSON. Without it, that of their file.
        deterministic: Whether the order is the same each time where files are read side by side.
        block_length: Records of a file before it is the next one's turn.

    Raises:
        ValueError: `num_parallel_calls` is 0, negative, or more than `num_parallel_reads`.
    """

    def __init__(
        self,
        filenames: Any,
        buffer_size: int | None = None,
        num_parallel_reads: int | None = None,
        num_parallel_calls: int | None = None,
        reader_schema: str | None = None,
        deterministic: bool = True,
        block_length: int = 1,
    ) -> None:
        _check_calls(num_parallel_calls, num_parallel_reads)
        files = _files(filenames)

        def read(filename: Any) -> tf.data.Dataset:
            return _chunks(filename, buffer_size, reader_schema).unbatch()

        if num_parallel_reads is None:
            self._impl = files.flat_map(read)
        else:
            self._impl = files.interleave(
                read,
                cycle_length=num_parallel_reads,
                num_parallel_calls=num_parallel_calls,
                block_length=block_length,
                deterministic=deterministic,
            )
        super().__init__(self._impl._variant_tensor)

    def _inputs(self) -> list[Any]:
        return [self._impl]

    @property
    def element_spec(self) -> tf.TensorSpec:
        return tf.TensorSpec([], tf.string)


def _check_calls(calls: int | None, reads: int | None) -> None:
    auto = tf.data.AUTOTUNE
    if calls is None:
        return
    if calls != auto and calls <= 0:
        raise ValueError(f"num_parallel_calls: {calls} must be None, tf.data.AUTOTUNE, or greater than 0")
    if reads is None or (reads != auto and reads < calls):
        raise ValueError(f"num_parallel_reads: {reads} must be tf.data.AUTOTUNE, or at least num_parallel_calls: {calls}")


def _files(filenames: Any) -> tf.data.Dataset:
    if isinstance(filenames, tf.data.Dataset):
        if filenames.element_spec != tf.TensorSpec([], tf.string):
            raise TypeError(f"`filenames` must be a data set of strings, not of {filenames.element_spec}")
        return filenames
    names = tf.convert_to_tensor(filenames, dtype_hint=tf.string)
    if names.dtype != tf.string:
        raise TypeError(f"`filenames` must be of dtype string, not {names.dtype.name}")
    return tf.data.Dataset.from_tensor_slices(tf.reshape(names, [-1]))


def _chunks(filename: Any, buffer_size: int | None, reader_schema: str | None) -> tf.data.Dataset:
    """Returns the records of a file, some at a time."""
    batch_bytes = _BUFFER_BYTES if buffer_size is None else max(int(buffer_size), 1)

    def read(path: bytes) -> Iterator[Any]:
        for records in AvroRecordReader(path.decode(), reader_schema or None, batch_bytes):
            yield np.array(records, dtype=object)

    signature = tf.TensorSpec([None], tf.string)
    return tf.data.Dataset.from_generator(read, args=(filename,), output_signature=signature)


def make_avro_record_dataset(
    file_pattern: str | Sequence[str],
    features: Mapping[str, Any],
    batch_size: int,
    reader_schema: str,
    reader_buffer_size: int | None = None,
    num_epochs: int | None = None,
    shuffle: bool | None = True,
    shuffle_buffer_size: int | None = None,
    shuffle_seed: int | None = None,
    prefetch_buffer_size: int = tf.data.AUTOTUNE,
    num_parallel_reads: int | None = None,
    drop_final_batch: bool = False,
) -> tf.data.Dataset:
    """Returns batches of tensors of the records of Avro files.

    Args:
        file_pattern: Paths or patterns of paths, as `tf.io.gfile.glob` has them.
        features: What each tensor is, as `parse_avro` has it.
        batch_size: Records a batch. Batches go over the ends of files and epochs.
        reader_schema: The schema that all files are read with, as JSON.
        reader_buffer_size: Bytes of records that are read at a time; 1 MiB, if it is left out.
        num_epochs: How often all files are read; without end, if it is left out.
        shuffle: Whether files and records come in a random order.
        shuffle_buffer_size: Records among which the next one is drawn; 10,000, if it is left out.
        shuffle_seed: The seed of the order.
        prefetch_buffer_size: Batches that are made ahead; 0 for none.
        num_parallel_reads: How many files are read in turn and side by side, as many records of each, and how many batches are made
            side by side.
        drop_final_batch: Whether a last batch of fewer records is left out. Without `num_epochs` there is none.
    """
    files = tf.data.Dataset.list_files(file_pattern, shuffle=shuffle, seed=shuffle_seed)
    buffer_size = 1 << 20 if reader_buffer_size is None else reader_buffer_size
    drops = drop_final_batch or num_epochs is None
    if num_parallel_reads is None and not shuffle:
        # Nothing looks at single records: they stay together.
        chunks = files.flat_map(lambda filename: _chunks(filename, buffer_size, reader_schema))
        batches = _repeated(chunks, num_epochs).rebatch(batch_size, drop_remainder=drops)
    else:
        records: tf.data.Dataset = AvroRecordDataset(
            files,
            buffer_size=buffer_size,
            num_parallel_reads=num_parallel_reads,
            num_parallel_calls=num_parallel_reads,
            reader_schema=reader_schema,
            block_length=num_parallel_reads or 1,
        )
        if shuffle:
            records = records.shuffle(shuffle_buffer_size or 10_000, shuffle_seed)
        batches = _repeated(records, num_epochs).batch(batch_size, drop_remainder=drops)
    parsed = batches.map(lambda data: parse_avro(data, reader_schema, features), num_parallel_calls=num_parallel_reads)
    return parsed if prefetch_buffer_size == 0 else parsed.prefetch(prefetch_buffer_size)


def _repeated(dataset: tf.data.Dataset, epochs: int | None) -> tf.data.Dataset:
    return dataset if epochs == 1 else dataset.repeat(epochs)
