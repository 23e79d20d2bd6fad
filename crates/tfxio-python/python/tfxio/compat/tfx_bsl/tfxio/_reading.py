"""TFRecord files as record batches, read by this package: in order or shuffled, as often as it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import tensorflow as tf
from tensorflow_metadata.proto.v0 import schema_pb2

from tfxio import _lib
from tfxio._dataset import Dataset
from tfxio._dataset import open as open_dataset
from tfxio.compat.tfx_bsl.tfxio._decoding import Decoder, ExampleDecoder
from tfxio.compat.tfx_bsl.tfxio.dataset_options import RecordBatchesOptions, TensorFlowDatasetOptions
from tfxio.exceptions import MalformedError, NotFoundError, SchemaMismatchError

Options = RecordBatchesOptions | TensorFlowDatasetOptions


def record_batches(files: Sequence[str], decoder: Decoder, options: Options) -> Iterator[pa.RecordBatch]:
    """Yields the records of TFRecord files, decoded, in batches of the size of the options.

    Batches span files and epochs. A last one with fewer records is left out where there is no last epoch, as `tf.data` does.

    Args:
        files: Paths or patterns.
        decoder: What decodes the records.
        options: How they are read. Shuffled records come from files in a random order; among as many as the buffer has, any is next.
            Less than no epoch is as many as are asked for.
    """
    whole = None if _is_shuffled(options) else _decoded_by_the_reader(files, decoder)
    if whole is not None:
        yield from _batches(whole, options)
        return
    for batch in _batches(open_dataset(list(files), format="tfrecord", records="raw"), options):
        yield decoder.decode(batch.column(0).flatten())


def require_files(files: Sequence[str]) -> None:
    """Looks for the files of paths or patterns.

    Raises:
        InvalidArgumentError: There are none. It is the error of TensorFlow.
    """
    try:
        open_dataset(list(files), format="tfrecord", records="raw")
    except NotFoundError as error:
        raise tf.errors.InvalidArgumentError(None, None, f"No files matched pattern: {', '.join(files)}: {error}") from error


def raised_as_by_tensorflow(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yields the batches.

    Raises:
        DataLossError: A file is damaged. It is the error of TensorFlow.
        RuntimeError: A feature has values of another kind than in the schema.
    """
    try:
        yield from batches
    except MalformedError as error:
        raise tf.errors.DataLossError(None, None, str(error)) from error
    except SchemaMismatchError as error:
        raise RuntimeError(f"INVALID_ARGUMENT: Feature had wrong type: {error}") from error


def _batches(dataset: Dataset, options: Options) -> Iterator[pa.RecordBatch]:
    """Yields the rows of a data set in batches of the size of the options, as `record_batches` does."""
    rows = _shuffled(dataset, options) if _is_shuffled(options) else _in_order(dataset, options)
    is_dropped = options.drop_final_batch or options.num_epochs is None
    for batch in rows:
        if len(batch) == options.batch_size or not is_dropped:
            yield batch


def _is_shuffled(options: Options) -> bool:
    return options.shuffle and options.shuffle_buffer_size > 1


def _decoded_by_the_reader(files: Sequence[str], decoder: Decoder) -> Dataset | None:
    """Returns the data set whose batches are those of the decoder, if there is one: the reader need not keep the records then."""
    if not isinstance(decoder, ExampleDecoder) or decoder.schema is None or decoder.is_sequence:
        return None
    features = schema_pb2.Schema.FromString(decoder.schema).feature
    columns = schema_pb2.Schema(feature=[{"name": feature.name, "type": feature.type} for feature in features])
    how: dict[str, Any] = {}
    expected = decoder.arrow_schema()
    if decoder.raw_record_column is not None:
        how["raw_record_column"] = decoder.raw_record_column
        expected = expected.append(pa.field(decoder.raw_record_column, pa.large_list(pa.large_binary())))
    dataset = open_dataset(list(files), format="tfrecord", records="example", schema=columns, **how)
    return dataset if pa.schema(dataset.schema).equals(expected) else None


def _epochs(count: int | None) -> Iterator[int]:
    epoch = 0
    while count is None or count < 0 or epoch < count:
        yield epoch
        epoch += 1


def _in_order(dataset: Dataset, options: Options) -> Iterator[pa.RecordBatch]:
    """Yields batches of the size, each epoch after the other."""
    size = options.batch_size
    rest: pa.RecordBatch | None = None
    for _ in _epochs(options.num_epochs):
        rows = 0
        for native in dataset.read(batch_size=size):
            batch = pa.record_batch(native)
            rows += len(batch)
            if rest is None and len(batch) == size:
                yield batch
                continue
            batch, rest = _joined(rest, batch), None
            if len(batch) >= size:
                yield _taken(batch, np.arange(size))
            if len(batch) % size:
                rest = _taken(batch, np.arange(len(batch) // size * size, len(batch)))
        if rows == 0:
            break
    if rest is not None:
        yield rest


def _shuffled(dataset: Dataset, options: Options) -> Iterator[pa.RecordBatch]:
    """Yields batches of the size: each time as many rows as the buffer has, in a random order."""
    size, window = options.batch_size, options.shuffle_buffer_size
    random = np.random.default_rng(options.shuffle_seed)
    # Read at once: windows that make a batch together.
    block = window * max(1, -(-size // window))
    rest: pa.RecordBatch | None = None
    for _ in _epochs(options.num_epochs):
        rows = 0
        for batch in _in_random_partitions(dataset, block, random):
            rows += len(batch)
            first = 0 if rest is None else len(rest)
            batch = _joined(rest, batch)
            order = np.arange(len(batch))
            for start in range(first, len(batch), window):
                random.shuffle(order[start : start + window])
            whole = len(batch) // size * size
            for start in range(0, whole, size):
                yield _taken(batch, order[start : start + size])
            rest = _taken(batch, order[whole:]) if whole < len(batch) else None
        if rows == 0:
            break
    if rest is not None:
        yield rest


def _in_random_partitions(dataset: Dataset, block: int, random: np.random.Generator) -> Iterator[pa.RecordBatch]:
    partitions = dataset.partitions()
    request = _lib.Request(batch_size=block, threads=0)
    for number in random.permutation(len(partitions)):
        for native in dataset.scan(partitions[number], request):
            yield pa.record_batch(native)


def _joined(first: pa.RecordBatch | None, second: pa.RecordBatch) -> pa.RecordBatch:
    if first is None:
        return second
    [batch] = pa.Table.from_batches([first, second]).combine_chunks().to_batches()
    return batch


def _taken(batch: pa.RecordBatch, rows: Any) -> pa.RecordBatch:
    """Returns some rows, as a batch that is not a slice of another."""
    return _lib.RecordBatchTake(batch, pa.array(rows))
