"""Data sets of `tf.data` as data sets of tfx-bsl."""

from __future__ import annotations

import os
import tempfile
from collections import OrderedDict
from collections.abc import Iterator
from itertools import count
from typing import Any, NamedTuple

import apache_beam as beam
import pyarrow as pa
import tensorflow as tf

from tfxio.compat.tfx_bsl.tfxio import dataset_options, tensor_adapter, tensor_to_arrow, tfxio
from tfxio.compat.tfx_bsl.tfxio._transforms import chained

__all__ = ["DatasetTFXIO", "DatasetTFXIOOptions"]


class DatasetTFXIOOptions(NamedTuple):
    """How a data set of `tf.data` is read.

    Args:
        working_dir: The folder where it is saved for the workers of a pipeline, which all of them can read; a new one, if it is left out.
        feature_names: The names of the tensors, in the order of `tf.nest.flatten`. If there are not as many as tensors, these have the
            names that they have in dictionaries and named tuples, and others are called `feature0`, `feature1`, ….
        num_shards: In how many parts it is saved, each of which is read by itself; one, if it is left out.
    """

    working_dir: str | None = None
    feature_names: list[str] | None = None
    num_shards: int | None = None


class DatasetTFXIO(tfxio.TFXIO):
    """A data set of batches of `tf.data` with an end.

    The tensors are by name, and of int64, float32 or string.

    Args:
        dataset: The data set.
        options: How it is read.

    Raises:
        TypeError: A tensor is of another type, such as complex128.
        ValueError: Two tensors are of the same name.
    """

    def __init__(self, dataset: tf.data.Dataset, options: DatasetTFXIOOptions | None = None) -> None:
        self._dataset = dataset
        self._options = options or DatasetTFXIOOptions()
        self._prepared = _PrepareDataset(dataset, self._options.feature_names)
        self._type_specs = self._prepared.element_spec
        self._converter = tensor_to_arrow.TensorsToRecordBatchConverter(self._type_specs)

    def ArrowSchema(self) -> pa.Schema:
        return self._converter.arrow_schema()

    def TensorRepresentations(self) -> tensor_adapter.TensorRepresentations:
        return self._converter.tensor_representations()

    def TensorAdapterConfig(self) -> tensor_adapter.TensorAdapterConfig:
        return tensor_adapter.TensorAdapterConfig(self.ArrowSchema(), self.TensorRepresentations(), self._type_specs)

    def BeamSource(self, batch_size: int | None = None) -> beam.PTransform:
        """Saves the data set, and returns a transform that reads what was saved.

        Args:
            batch_size: Rows a batch; as many as the data set has, if it is left out.
        """
        folder = self._options.working_dir or tempfile.mkdtemp(prefix="tfxio-dataset-")
        path, shards = os.path.join(folder, "saved_dataset"), self._options.num_shards or 1
        batches = self._prepared if batch_size is None else self._prepared.rebatch(batch_size)
        batches.enumerate().save(path, shard_func=lambda number, _: number % shards)
        steps = {
            "Shards": beam.Create([(path, shard) for shard in range(shards)]),
            "Load": beam.FlatMap(_record_batches, self._converter),
        }
        return chained("BeamSource", steps, Any, pa.RecordBatch)

    def RecordBatches(self, options: dataset_options.RecordBatchesOptions) -> Iterator[pa.RecordBatch]:
        return map(self._converter.convert, self._batches(options))

    def TensorFlowDataset(self, options: dataset_options.TensorFlowDatasetOptions) -> tf.data.Dataset:
        """Returns batches of the tensors by name; pairs of the features and the label, if the options name one."""
        batches, label = self._batches(options), options.label_key
        if label is None:
            return batches
        if label not in self._type_specs:
            raise ValueError(f"The `label_key` provided ({label}) is not a tensor: there are {', '.join(self._type_specs)}.")
        return batches.map(lambda tensors: ({name: tensors[name] for name in tensors if name != label}, tensors[label]))

    def _batches(
        self, options: dataset_options.RecordBatchesOptions | dataset_options.TensorFlowDatasetOptions
    ) -> tf.data.Dataset:
        rows = self._prepared.unbatch()
        if options.shuffle:
            rows = rows.shuffle(options.shuffle_buffer_size, options.shuffle_seed)
        is_dropped = options.drop_final_batch or options.num_epochs is None
        batches = rows.repeat(options.num_epochs).batch(options.batch_size, drop_remainder=is_dropped)
        return batches.prefetch(tf.data.AUTOTUNE)

    def _ProjectImpl(self, tensor_names: list[str]) -> tfxio.TFXIO:
        raise NotImplementedError("DatasetTFXIO has no projection: leave tensors out of the data set with its `map`")


def _PrepareDataset(dataset: tf.data.Dataset, feature_names: list[str] | None) -> tf.data.Dataset:
    """Returns the data set with its tensors by name, of the types that tfx-bsl has."""
    structure = _GetDictStructureForElementSpec(dataset.element_spec, feature_names=feature_names)
    types = {name: _CanonicalType(spec.dtype) for name, spec in structure.items()}

    def prepared(*element: Any) -> dict[str, Any]:
        tensors = zip(types.items(), tf.nest.flatten(element), strict=True)
        return OrderedDict((name, tf.cast(tensor, dtype)) for (name, dtype), tensor in tensors)

    return dataset.map(prepared)


def _GetDictStructureForElementSpec(
    *spec: Any, feature_names: list[str] | None = None
) -> OrderedDict[str, tf.TypeSpec]:
    """Returns the specs of all tensors of an element by name."""
    flat = tf.nest.flatten(spec[0])
    names = feature_names if feature_names and len(feature_names) == len(flat) else list(_names(spec[0], (), count()))
    if len(set(names)) < len(names):
        raise ValueError(f"two tensors are of the same name: {names}. Give names: DatasetTFXIOOptions(feature_names=[…])")
    return OrderedDict(zip(names, flat, strict=True))


def _names(spec: Any, path: tuple[str, ...], unnamed: Iterator[int]) -> Iterator[str]:
    """Yields the name of each tensor of a structure, in the order of `tf.nest.flatten`."""
    members: Any
    if isinstance(spec, dict):
        members = sorted(spec.items())
    elif hasattr(spec, "_asdict"):
        members = spec._asdict().items()
    elif isinstance(spec, tuple):
        for each in spec:
            yield from _names(each, path, unnamed) if tf.nest.is_nested(each) else ["_".join([*path, f"feature{next(unnamed)}"])]
        return
    else:
        yield "_".join(path) or f"feature{next(unnamed)}"
        return
    for name, each in members:
        yield from _names(each, (*path, name), unnamed)


def _CanonicalType(dtype: tf.DType) -> tf.DType:
    """Returns the type of TensorFlow that a type becomes."""
    if dtype.is_floating:
        return tf.float32
    if dtype.is_integer or dtype.is_bool:
        return tf.int64
    if dtype == tf.string:
        return tf.string
    raise TypeError(
        f"Got {dtype}. Only tf.uint8/16/32, tf.int8/16/32/64, tf.float16/32 and bytes/tf.string supported."
    )


def _record_batches(
    part: tuple[str, int], converter: tensor_to_arrow.TensorsToRecordBatchConverter
) -> Iterator[pa.RecordBatch]:
    """Yields the record batches of a part of what was saved: its folder and number."""
    path, shard = part

    def one(shards: tf.data.Dataset) -> tf.data.Dataset:
        return shards.skip(shard).take(1).flat_map(lambda batches: batches)

    for _, tensors in tf.data.Dataset.load(path, reader_func=one).prefetch(tf.data.AUTOTUNE):
        yield converter.convert(tensors)
