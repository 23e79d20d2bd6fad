"""Data sets of torch over TFRecord files: a dictionary of arrays of numpy each record."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import torch.utils.data

from tfxio.compat.tfrecord import iterator_utils, reader
from tfxio.compat.tfrecord._columns import Description
from tfxio.compat.tfrecord.reader import Shard


class _Records(torch.utils.data.IterableDataset[Any]):
    """What both data sets have in common: the shard of the worker, the queue of shuffling, the transformation."""

    shuffle_queue_size: int | None
    transform: Callable[[Any], Any] | None

    def _load(self, shard: Shard | None) -> Iterator[Any]:
        raise NotImplementedError

    def __iter__(self) -> Iterator[Any]:
        worker = torch.utils.data.get_worker_info()
        shard = None
        if worker is not None:
            shard = worker.id, worker.num_workers
            np.random.seed(worker.seed % np.iinfo(np.uint32).max)
        records = self._load(shard)
        if self.shuffle_queue_size:
            records = iterator_utils.shuffle_iterator(records, self.shuffle_queue_size)
        return map(self.transform, records) if self.transform else iter(records)


class TFRecordDataset(_Records):
    """The examples of a TFRecord file. Workers divide them.

    Args:
        data_path: The file.
        index_path: Its index, or `None`.
        description: The features and their types, `"byte"`, `"float"` or `"int"`; or their names alone; or `None` for all.
        shuffle_queue_size: Examples among which one is drawn.
        transform: What is done with each dictionary.
        sequence_description: The features of the sequence. If it is given, the records are sequence examples.
        compression_type: `"gzip"` or `None`.
    """

    def __init__(
        self,
        data_path: str,
        index_path: str | None,
        description: Description = None,
        shuffle_queue_size: int | None = None,
        transform: Callable[[Any], Any] | None = None,
        sequence_description: Description = None,
        compression_type: str | None = None,
    ) -> None:
        super().__init__()
        self.data_path = data_path
        self.index_path = index_path
        self.description = description
        self.sequence_description = sequence_description
        self.shuffle_queue_size = shuffle_queue_size
        self.transform = transform
        self.compression_type = compression_type

    def _load(self, shard: Shard | None) -> Iterator[Any]:
        return reader.tfrecord_loader(
            data_path=self.data_path,
            index_path=self.index_path,
            description=self.description,
            shard=shard,
            sequence_description=self.sequence_description,
            compression_type=self.compression_type,
        )


class MultiTFRecordDataset(_Records):
    """The examples of several TFRecord files, mixed. Workers divide them.

    Args:
        data_pattern: The pattern of the files, in which `{}` stands for the name of a split.
        index_pattern: That of their indexes, or `None`.
        splits: How often examples of each split are drawn.
        description: The features, as `TFRecordDataset` has them.
        shuffle_queue_size: Examples among which one is drawn.
        transform: What is done with each dictionary.
        sequence_description: The features of the sequence. If it is given, the records are sequence examples.
        compression_type: `"gzip"` or `None`.
        infinite: Whether splits that have ended begin again.
    """

    def __init__(
        self,
        data_pattern: str,
        index_pattern: str | None,
        splits: Mapping[str, float],
        description: Description = None,
        shuffle_queue_size: int | None = None,
        transform: Callable[[Any], Any] | None = None,
        sequence_description: Description = None,
        compression_type: str | None = None,
        infinite: bool = True,
    ) -> None:
        super().__init__()
        self.data_pattern = data_pattern
        self.index_pattern = index_pattern
        self.splits = splits
        self.description = description
        self.sequence_description = sequence_description
        self.shuffle_queue_size = shuffle_queue_size
        self.transform = transform
        self.compression_type = compression_type
        self.infinite = infinite

    def _load(self, shard: Shard | None) -> Iterator[Any]:
        return reader.multi_tfrecord_loader(
            data_pattern=self.data_pattern,
            index_pattern=self.index_pattern,
            splits=self.splits,
            description=self.description,
            sequence_description=self.sequence_description,
            compression_type=self.compression_type,
            infinite=self.infinite,
            shard=shard,
        )
