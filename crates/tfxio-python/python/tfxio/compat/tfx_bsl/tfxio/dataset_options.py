"""How data sets are read."""

from __future__ import annotations

from typing import NamedTuple

#: `tf.data.AUTOTUNE`, without an import of TensorFlow.
AUTOTUNE = -1


class TensorFlowDatasetOptions(NamedTuple):
    """How a data set is read as batches of tensors. A data set may leave aside what has no meaning for it.

    Args:
        batch_size: Records a batch.
        drop_final_batch: Whether a last batch with fewer records is left out.
        num_epochs: How many times the records are read; without an end, if it is `None`.
        shuffle: Whether the records come in a random order.
        shuffle_buffer_size: Among how many records the next one is drawn.
        shuffle_seed: What the random order is derived from; each time another one, if it is `None`.
        prefetch_buffer_size: How many batches are read ahead.
        reader_num_threads: How many threads read files.
        parser_num_threads: How many threads parse records.
        sloppy_ordering: Whether the order may depend on which file is read faster.
        label_key: The tensor that is the label: batches are pairs of the other tensors by name, and it.
    """

    batch_size: int
    drop_final_batch: bool = False
    num_epochs: int | None = None
    shuffle: bool = True
    shuffle_buffer_size: int = 10000
    shuffle_seed: int | None = None
    prefetch_buffer_size: int = AUTOTUNE
    reader_num_threads: int = AUTOTUNE
    parser_num_threads: int = AUTOTUNE
    sloppy_ordering: bool = False
    label_key: str | None = None


class RecordBatchesOptions(NamedTuple):
    """How a data set is read as record batches. The options are those of `TensorFlowDatasetOptions`."""

    batch_size: int
    drop_final_batch: bool = False
    num_epochs: int | None = None
    shuffle: bool = True
    shuffle_buffer_size: int = 10000
    shuffle_seed: int | None = None
