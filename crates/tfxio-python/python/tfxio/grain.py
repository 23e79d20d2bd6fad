"""Rows of a data set by number, for the samplers and pipelines of Grain. Grain itself is not imported.

>>> import numpy as np, tempfile, tfxio.grain
>>> written = tfxio.write({"image": np.ones((100, 64), "float32"), "label": np.arange(100) % 10}, tempfile.mkdtemp() + "/digits.tfrecord")
>>> ds = tfxio.open(written.files)
>>> rows = tfxio.grain.RowSource(ds, {"image": tfxio.FixedLen([8, 8], "float32"), "label": tfxio.FixedLen([], "int64")})
>>> len(rows), rows[-1]["image"].shape, int(rows[3]["label"])
(100, (8, 8), 3)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, SupportsIndex

import numpy as np

from tfxio import _rows
from tfxio._dataset import Dataset
from tfxio._representations import Description

__all__ = ["RowSource"]


class RowSource:
    """The rows of a data set by number: a dictionary of arrays of numpy each, which can be written to.

    It is what Grain calls a random access data source: `grain.MapDataset.source` and `grain.DataLoader` take it, in processes as well.
    Of sparse and ragged tensors a row has the values.

    Args:
        dataset: What is read.
        tensors: The description of each tensor by its name, as `Dataset.tensors` has them.
    """

    def __init__(self, dataset: Dataset, tensors: Mapping[str, Description]) -> None:
        self._rows = _rows.Rows(dataset, tensors)
        files = sorted({partition.file for partition in dataset.partitions()})
        # By this text Grain tells whether a saved position is one of the same source.
        self._text = f"tfxio.grain.RowSource({len(self)} rows, {files}, {self.specs})"

    @property
    def specs(self) -> dict[str, dict[str, Any]]:
        """The kind, dtype and shape of each tensor, by name."""
        return self._rows.specs

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: SupportsIndex) -> dict[str, Any]:
        """Returns a row; one that counts from the end, if the number is negative."""
        return self.__getitems__([index])[0]

    def __getitems__(self, indices: Sequence[SupportsIndex]) -> list[dict[str, Any]]:
        """Returns several rows, in the order that is asked for; near ones are read at once."""
        rows = self._rows.take([index.__index__() for index in indices])
        return [{name: np.array(_rows.row(tensor)) for name, tensor in row.items()} for row in rows]

    # The name by which Grain asks for several rows.
    _getitems = __getitems__

    def __repr__(self) -> str:
        return self._text
