"""Data sets as those of Hugging Face's `datasets`, by columns of Arrow.

>>> import tempfile, tfxio.huggingface
>>> written = tfxio.write({"label": [7, 1, 7]}, tempfile.mkdtemp() + "/labels.tfrecord")
>>> builder = tfxio.huggingface.Builder(dataset=tfxio.open(written.files))
>>> next(iter(builder.as_streaming_dataset(split="train")))["label"]
[7]
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import datasets
import pyarrow as pa

from tfxio import _threads
from tfxio._dataset import Dataset
from tfxio._lib import Partition, Request
from tfxio._reading import BATCH_SIZE, size_of

__all__ = ["Builder", "Config"]

Stamp = tuple[str, int, int]

PARTITION_BYTES = 16 << 20


@dataclass
class Config(datasets.BuilderConfig):
    """What a builder reads.

    Args:
        dataset: The data set.
        columns: The columns that are read. Default: all.
        batch_size: Rows that are read at once.
        files: The size and time of each local file, by which a cache of earlier ones is not taken for that of these.
    """

    dataset: Dataset | None = None
    columns: Sequence[str] | None = None
    batch_size: int = BATCH_SIZE
    files: list[Stamp] = field(default_factory=list)


class Builder(datasets.ArrowBasedBuilder):
    """A builder of `datasets` over a data set of tfxio, with one split, `train`.

    `as_streaming_dataset(split="train")` reads while it is iterated, and its workers divide the partitions of the data.
    `download_and_prepare()` and `as_dataset(split="train")` write the data to the cache once, and then map it from there.

    Args:
        dataset: What is read.
        columns: The columns that are read. Default: all.
        batch_size: Rows that are read at once. Default: 1,024; `batch_rows` is another name of it.
        cache_dir: Where the cache is. Default: that of `datasets`.
        **others: Further arguments of `datasets.ArrowBasedBuilder`.
    """

    BUILDER_CONFIG_CLASS = Config

    def __init__(
        self,
        dataset: Dataset,
        columns: Sequence[str] | None = None,
        *,
        batch_size: int | None = None,
        cache_dir: str | None = None,
        batch_rows: int | None = None,
        **others: Any,
    ) -> None:
        others.setdefault("dataset_name", "tfxio")
        size = size_of(batch_size, batch_rows)
        given: dict[str, Any] = {"dataset": dataset, "columns": columns, "batch_size": size, "files": _stamps(dataset)}
        super().__init__(cache_dir=cache_dir, **given, **others)

    def _info(self) -> datasets.DatasetInfo:
        with self.config.dataset._native_dataset.read(self._request()) as reader:
            return datasets.DatasetInfo(features=datasets.Features.from_arrow_schema(pa.schema(reader.schema)))

    def _request(self) -> Request:
        columns = self.config.columns
        columns = None if columns is None else list(columns)
        return Request(columns=columns, batch_size=self.config.batch_size, threads=_threads.asked(0))

    def _split_generators(self, dl_manager: Any) -> list[datasets.SplitGenerator]:
        partitions = list(self.config.dataset.partitions(PARTITION_BYTES))
        return [datasets.SplitGenerator(name="train", gen_kwargs={"partitions": partitions})]

    def _generate_tables(self, partitions: Sequence[Partition]) -> Iterator[tuple[Any, pa.Table]]:
        for number, partition in enumerate(partitions):
            for batch, rows in enumerate(self.config.dataset._native_dataset.scan(partition, self._request())):
                yield (number, batch), pa.Table.from_batches([pa.record_batch(rows)])


def _stamps(dataset: Dataset) -> list[Stamp]:
    paths = sorted({partition.file for partition in dataset.partitions()})
    found = [(path, os.stat(path)) for path in paths if os.path.isfile(path)]
    return [(path, status.st_size, status.st_mtime_ns) for path, status in found]
