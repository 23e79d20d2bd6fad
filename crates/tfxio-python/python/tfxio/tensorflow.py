"""Data sets of `tf.data`, read by tfxio: dense, sparse and ragged tensors with their `element_spec`.

>>> import numpy as np, tempfile, tfxio.tensorflow
>>> written = tfxio.write({"image": np.ones((100, 64), "float32"), "label": np.arange(100) % 10}, tempfile.mkdtemp() + "/digits.tfrecord")
>>> ds = tfxio.open(written.files)
>>> tensors = {"image": tfxio.FixedLen([8, 8], "float32"), "label": tfxio.FixedLen([], "int64")}
>>> digits = tfxio.tensorflow.dataset(ds, tensors, batch_size=32, targets=["label"])
>>> digits.element_spec[1]
TensorSpec(shape=(None,), dtype=tf.int64, name=None)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, Unpack

import tensorflow as tf

from tfxio._composite import assembled, component_specs, components, shared
from tfxio._dataset import Dataset
from tfxio._lib import DenseTensor, LoadedBatch, RaggedTensor, SparseTensor, StructuredTensor
from tfxio._loader import BatchLoader
from tfxio._loader_config import Config
from tfxio._loader_keywords import ShardKeywords
from tfxio._shards import Descriptions, Shard, ShardReader

__all__ = ["dataset", "loader", "to_tensorflow", "type_specs"]

Specs: TypeAlias = Mapping[str, Mapping[str, Any]]


def to_tensorflow(value: Any) -> Any:
    """Returns a tensor, or all of a batch by name, as TensorFlow has them: `tf.Tensor`, `tf.SparseTensor`, `tf.RaggedTensor`.

    Numbers are shared, where their memory is aligned as TensorFlow wants it; it does not write to them.

    >>> import tempfile, tfxio.tensorflow
    >>> written = tfxio.write({"words": [[3, 1], [], [2]]}, tempfile.mkdtemp() + "/texts.tfrecord")
    >>> batch = next(tfxio.open(written.files).tensors({"words": tfxio.Ragged("int64")}).read())
    >>> tfxio.tensorflow.to_tensorflow(batch)["words"].row_lengths().numpy().tolist()
    [2, 0, 1]
    """
    if isinstance(value, (Mapping, LoadedBatch)):
        return {name: to_tensorflow(value[name]) for name in value.keys()}
    if isinstance(value, DenseTensor):
        return shared(value)
    if isinstance(value, RaggedTensor):
        values, *splits = components(value)
        return tf.RaggedTensor.from_nested_row_splits(values, splits, validate=False)
    if isinstance(value, (SparseTensor, StructuredTensor)):
        return tf.SparseTensor(*components(value))
    raise TypeError(f"a tensor of tfxio or a batch of them, not {type(value).__name__}")


def type_specs(specs: Specs) -> dict[str, tf.TypeSpec]:
    """Returns the specs of tensors, as `Tensors.specs` or `BatchLoader.specs` have them, as those of TensorFlow.

    >>> import tempfile, tfxio.tensorflow
    >>> written = tfxio.write({"label": [7, 1, 7]}, tempfile.mkdtemp() + "/labels.tfrecord")
    >>> tfxio.tensorflow.type_specs(tfxio.open(written.files).tensors({"label": tfxio.VarLen("int64")}).specs)
    {'label': SparseTensorSpec(TensorShape([None, None]), tf.int64)}
    """
    return {name: _type_spec(name, spec) for name, spec in specs.items()}


def _type_spec(name: str, spec: Mapping[str, Any]) -> tf.TypeSpec:
    shape, dtype = spec.get("shape"), tf.as_dtype(spec.get("dtype", "float32"))
    if spec["kind"] == "dense":
        return tf.TensorSpec(shape, dtype)
    if spec["kind"] == "sparse":
        return tf.SparseTensorSpec(shape, dtype)
    if spec["kind"] == "ragged":
        splits = tf.as_dtype(spec["row_splits"])
        return tf.RaggedTensorSpec(shape, dtype, ragged_rank=spec["ragged_rank"], row_splits_dtype=splits)
    raise TypeError(f"tensor {name!r} is {spec['kind']}, which tf.data has not: describe its fields as tensors of their own")


def _structure(tensors: Mapping[str, Any], targets: Sequence[str]) -> Any:
    """Returns features and labels as Keras takes them: a pair, if there are targets; one target by itself."""
    if not targets:
        return dict(tensors)
    features = {name: tensor for name, tensor in tensors.items() if name not in targets}
    labels = {name: tensors[name] for name in targets}
    return features, labels[targets[0]] if len(targets) == 1 else labels


def _generated(specs: Specs, targets: Sequence[str], begin: Callable[[], Iterator[Any]]) -> tf.data.Dataset:
    missing = [name for name in targets if name not in specs]
    if missing:
        raise KeyError(f"no tensor {missing[0]!r} among {', '.join(specs)}")

    def batches() -> Iterator[Any]:
        for batch in begin():
            yield {name: components(batch[name]) for name in whole}

    def structured(parts: Any) -> Any:
        return _structure({name: assembled(spec, parts[name]) for name, spec in whole.items()}, targets)

    whole = type_specs(specs)
    signature = {name: component_specs(spec) for name, spec in whole.items()}
    return tf.data.Dataset.from_generator(batches, output_signature=signature).map(structured)


def dataset(
    dataset: Dataset,
    tensors: Descriptions = None,
    *,
    batch_size: int,
    targets: Iterable[str] = (),
    shard: Shard = (0, 1),
) -> tf.data.Dataset:
    """Returns batches of tensors in order as a `tf.data.Dataset`: dictionaries by name, or pairs of features and labels.

    Args:
        dataset: What is read.
        tensors: The description of each tensor by its name, as `Dataset.tensors` has them.
        batch_size: Rows a batch. A batch does not span two partitions of the data: the last one of each may have fewer.
        targets: The tensors that are labels, as `Model.fit` of Keras takes them.
        shard: Which part of the data is read, and how many there are.

    >>> import tempfile, tfxio.tensorflow
    >>> written = tfxio.write({"words": [[3, 1], [], [2]]}, tempfile.mkdtemp() + "/texts.tfrecord")
    >>> texts = tfxio.tensorflow.dataset(tfxio.open(written.files), {"words": tfxio.Ragged("int64")}, batch_size=2)
    >>> [batch["words"].shape[0] for batch in texts]
    [2, 1]
    """
    lasting = tensors if tensors is None or isinstance(tensors, Mapping) else list(tensors)
    specs = dataset.tensors(lasting).specs
    return _generated(specs, list(targets), lambda: ShardReader(dataset, lasting, batch_size=batch_size, shard=shard))


def loader(
    dataset: Dataset | Sequence[tuple[Dataset, float]] | None = None,
    config: Config | None = None,
    *,
    seed: int | None = None,
    **how: Unpack[ShardKeywords],
) -> tf.data.Dataset:
    """Returns the batches of a `tfxio.BatchLoader` as a `tf.data.Dataset`: pairs of features and labels, if there are targets.

    `pad={"image": 64, "label": 1}` says the sizes that all examples have, which layers of Keras want to know.
    Each iteration begins anew, with the same batches where there is a seed; `epochs=None` goes on without end, each epoch in an
    order of its own.

    Args:
        dataset: What is loaded, as `tfxio.BatchLoader` has it.
        config: How batches are made, as `tfxio.BatchLoader` has it.
        seed: The seed of everything random.
        **how: Further arguments of `tfxio.BatchLoader`: `inputs`, `targets`, `batch_size`, `shuffle`, `shard`, ….

    >>> import numpy as np, tempfile, tfxio.tensorflow
    >>> written = tfxio.write({"image": np.ones((100, 64), "float32"), "label": np.arange(100) % 10}, tempfile.mkdtemp() + "/digits.tfrecord")
    >>> ds = tfxio.open(written.files)
    >>> digits = tfxio.tensorflow.loader(ds, inputs=["image"], targets=["label"], batch_size=32, shuffle=True)
    >>> digits.element_spec[0]
    {'image': TensorSpec(shape=(None, None), dtype=tf.float32, name=None)}
    """
    asked: dict[str, Any] = {**how, "inputs": list(how.get("inputs", ())), "targets": list(how.get("targets", ()))}

    def begin() -> BatchLoader:
        return BatchLoader(config, dataset, seed=seed, **asked)

    with begin() as first:
        specs = first.specs
    return _generated(specs, asked["targets"], begin)
