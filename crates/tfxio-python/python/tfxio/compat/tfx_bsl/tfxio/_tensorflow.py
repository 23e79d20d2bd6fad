"""Record batches as data sets of `tf.data`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import tensorflow as tf

from tfxio._composite import assembled, component_specs, components
from tfxio.compat.tfx_bsl.tfxio.tensor_adapter import TensorAdapter


def adapted_dataset(begin: Callable[[], Iterator[pa.RecordBatch]], adapter: TensorAdapter) -> tf.data.Dataset:
    """Returns the tensors of record batches by name.

    Args:
        begin: Returns the record batches, each time that the data set is iterated.
        adapter: What makes tensors of them.
    """
    specs = adapter.TypeSpecs()
    signature = {name: component_specs(spec) for name, spec in specs.items()}

    def batches() -> Iterator[Any]:
        for batch in begin():
            tensors = adapter.native_tensors(batch)
            yield {name: components(tensors[name]) for name in specs}

    def by_name(parts: Any) -> dict[str, Any]:
        return {name: assembled(spec, parts[name]) for name, spec in specs.items()}

    return tf.data.Dataset.from_generator(batches, output_signature=signature).map(by_name).prefetch(tf.data.AUTOTUNE)
