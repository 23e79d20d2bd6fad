"""Reads TFRecord files of tf.Example and tf.SequenceExample as dictionaries of arrays of numpy.

Records are decoded by columns, many at a time, and their checksums are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from tfxio import _lib
from tfxio.compat.tfrecord import _columns, iterator_utils
from tfxio.compat.tfrecord._columns import Description, Features
from tfxio.compat.tfrecord._parts import Part

Shard: TypeAlias = tuple[int, int]

TYPENAMES = {"byte": "bytes_list", "float": "float_list", "int": "int64_list"}


def _parts(path: str, index_path: str | None, shard: Shard | None, compression_type: str | None) -> Iterator[Part]:
    """Yields the parts of a file that are read."""
    if compression_type not in (None, "gzip"):
        raise ValueError("compression_type should be either 'gzip' or None")
    compression = compression_type or "none"
    if index_path is None:
        first, step = shard or (0, 1)
        yield Part(_lib.TFRecordReader(path, None, compression), first, step)
        return
    offsets = np.loadtxt(index_path, dtype=np.int64, ndmin=2)[:, 0]
    if shard is None:
        begin = int(np.random.choice(len(offsets)))
        parts = [(begin, len(offsets)), (0, begin)]
    else:
        parts = [(len(offsets) * shard[0] // shard[1], len(offsets) * (shard[0] + 1) // shard[1])]
    for begin, end in parts:
        if begin == end:
            continue
        if compression_type is not None:
            yield Part(_lib.TFRecordReader(path, None, compression), first=begin, end=end)
            continue
        with open(path, "rb") as file:
            file.seek(int(offsets[begin]))
            yield Part(_lib.TFRecordReader(None, file, compression), end=end - begin)


def tfrecord_iterator(
    data_path: str,
    index_path: str | None = None,
    shard: Shard | None = None,
    compression_type: str | None = None,
) -> Iterator[memoryview]:
    """Yields the bytes of each record.

    Args:
        data_path: The file.
        index_path: Its index. With one and without a shard, the records begin with one that is drawn at random.
        shard: Which part of the records is read, and how many parts there are: of neighbouring ones with an index, of every
            `count`-th one without.
        compression_type: `"gzip"` or `None`.

    >>> import tempfile, tfxio
    >>> from tfxio.compat.tfrecord import tfrecord_iterator
    >>> written = tfxio.write({"label": [7, 1, 7]}, tempfile.mkdtemp() + "/labels.tfrecord")
    >>> len(next(tfrecord_iterator(written.files[0])))
    18
    """
    for part in _parts(data_path, index_path, shard, compression_type):
        for records in part.records():
            yield from [memoryview(record) for record in records]


def process_feature(feature: Any, typename: str | None, typename_mapping: Mapping[str, str], key: str) -> Any:
    """Returns the values of a message `Feature`: an array, or the bytes themselves, if there is one value of these.

    Args:
        feature: The message.
        typename: The type that it should have, or `None`.
        typename_mapping: The fields of the message by the names of the types.
        key: The name of the feature, for messages of errors.
    """
    fields = feature.ListFields()
    if not fields:
        raise KeyError(f"Key {key} has no values: none of its lists is set")
    field, kind = fields[0]
    if typename is not None and typename_mapping[typename] != field.name:
        there = {member: name for name, member in typename_mapping.items()}[field.name]
        raise TypeError(f"Incompatible type '{typename}' for `{key}` (should be '{there}').")
    values = kind.value
    if field.name == "bytes_list":
        return values[0] if len(values) == 1 else np.array(values, dtype=bytes)
    return np.array(values, dtype=np.float32 if field.name == "float_list" else np.int64)


def extract_feature_dict(features: Any, description: Description, typename_mapping: Mapping[str, str]) -> Features:
    """Returns the values of a message `Features` or `FeatureLists` by name.

    Args:
        features: The message.
        description: The features and their types, or their names, or `None` for all.
        typename_mapping: The fields of the message by the names of the types.
    """
    process: Callable[[Any, str | None, str], Any]
    if hasattr(features, "feature_list"):
        members = features.feature_list

        def process(message: Any, typename: str | None, key: str) -> Any:
            return [process_feature(step, typename, typename_mapping, key) for step in message.feature]

    elif hasattr(features, "feature"):
        # A feature of which no list is set is one that is not there.
        members = {name: member for name, member in features.feature.items() if member.ListFields()}

        def process(message: Any, typename: str | None, key: str) -> Any:
            return process_feature(message, typename, typename_mapping, key)

    else:
        what = "features should be either of type example_pb2.Features or example_pb2.FeatureLists"
        raise TypeError(f"Incompatible type: {what} and not {type(features)}")
    found = {}
    for key, typename in (_columns.typed(description) or dict.fromkeys(members)).items():
        if key not in members:
            raise KeyError(f"Key {key} doesn't exist (select from {list(members)})!")
        found[key] = process(members[key], typename, key)
    return found


def example_loader(
    data_path: str,
    index_path: str | None,
    description: Description = None,
    shard: Shard | None = None,
    compression_type: str | None = None,
) -> Iterator[Features]:
    """Yields the features of each example.

    Args:
        data_path: The file.
        index_path: Its index, or `None`.
        description: The features and their types, `"byte"`, `"float"` or `"int"`; or their names alone; or `None` for all.
        shard: Which part of the records is read, and how many parts there are.
        compression_type: `"gzip"` or `None`.
    """
    return _columns.examples(_parts(data_path, index_path, shard, compression_type), description)


def sequence_loader(
    data_path: str,
    index_path: str | None,
    context_description: Description = None,
    features_description: Description = None,
    shard: Shard | None = None,
    compression_type: str | None = None,
) -> Iterator[tuple[Features, Features]]:
    """Yields the features of the context and of the sequence of each sequence example.

    Args:
        data_path: The file.
        index_path: Its index, or `None`.
        context_description: The features of the context, as `example_loader` has them.
        features_description: Those of the sequence.
        shard: Which part of the records is read, and how many parts there are.
        compression_type: `"gzip"` or `None`.
    """
    parts = _parts(data_path, index_path, shard, compression_type)
    return _columns.sequences(parts, context_description, features_description)


def tfrecord_loader(
    data_path: str,
    index_path: str | None,
    description: Description = None,
    shard: Shard | None = None,
    sequence_description: Description = None,
    compression_type: str | None = None,
) -> Iterator[Any]:
    """Yields what `example_loader` yields, or `sequence_loader` if `sequence_description` is given.

    >>> import tempfile, tfxio
    >>> from tfxio.compat.tfrecord import tfrecord_loader
    >>> written = tfxio.write({"label": [7, 1, 7]}, tempfile.mkdtemp() + "/labels.tfrecord")
    >>> next(tfrecord_loader(written.files[0], None, ["label"]))
    {'label': array([7])}
    """
    if sequence_description is None:
        return example_loader(data_path, index_path, description, shard, compression_type)
    return sequence_loader(data_path, index_path, description, sequence_description, shard, compression_type)


def multi_tfrecord_loader(
    data_pattern: str,
    index_pattern: str | None,
    splits: Mapping[str, float],
    description: Description = None,
    sequence_description: Description = None,
    compression_type: str | None = None,
    infinite: bool = True,
    shard: Shard | None = None,
) -> Iterator[Any]:
    """Yields the examples of several files, each drawn with the probability of its ratio.

    Args:
        data_pattern: The pattern of the files, in which `{}` stands for the name of a split.
        index_pattern: That of their indexes, or `None`.
        splits: The ratios of the splits by name.
        description: The features, as `example_loader` has them.
        sequence_description: Those of the sequence; if it is given, the records are sequence examples.
        compression_type: `"gzip"` or `None`.
        infinite: Whether splits that have ended begin again.
        shard: Which part of the records of each file is read, and how many parts there are.
    """
    loaders = [
        partial(
            tfrecord_loader,
            data_path=data_pattern.format(split),
            index_path=None if index_pattern is None else index_pattern.format(split),
            description=description,
            shard=shard,
            sequence_description=sequence_description,
            compression_type=compression_type,
        )
        for split in splits
    ]
    return iterator_utils.sample_iterators(loaders, list(splits.values()), infinite=infinite)
