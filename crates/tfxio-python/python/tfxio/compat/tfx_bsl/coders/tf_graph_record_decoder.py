"""Decoders of records that are graphs of TensorFlow, and are saved as SavedModels."""

from __future__ import annotations

import abc
from typing import Any

import tensorflow as tf

__all__ = ["LoadedDecoder", "TFGraphRecordDecoder", "load_decoder", "save_decoder"]

#: A signature of this name says which tensor has the numbers of records. What tfx-bsl has saved is read, and it reads what is saved here.
_RECORD_INDEX = "__record_index_tensor_name__:"


class TFGraphRecordDecoder(abc.ABC):
    """Makes tensors of records: subclasses implement `decode_record`.

    `save_decoder` saves it, and `load_decoder` loads what was saved as a `LoadedDecoder`.
    """

    @abc.abstractmethod
    def decode_record(self, records: tf.Tensor) -> dict[str, Any]:
        """Returns the tensors of records, by name, of TensorFlow's operations alone: it is traced once, without autograph.

        The first dimension of all has the same size. If it is not that of `records`, `record_index_tensor_name` names the tensor that
        says which record each row comes from.

        Args:
            records: Strings of shape [records].
        """

    @property
    def record_index_tensor_name(self) -> str | None:
        """The name of the tensor that says for each row which record it comes from, if there is one.

        It is a sparse or ragged tensor of integers of two dimensions, with one value a row.
        """
        return None

    def output_type_specs(self) -> dict[str, tf.TypeSpec]:
        """Returns the types of the tensors of `decode_record`, by name."""
        outputs = self._traced().structured_outputs
        return {name: tf.type_spec_from_value(tensor) for name, tensor in outputs.items()}

    def save(self, path: str) -> None:
        """Saves it as a SavedModel in a folder: see `save_decoder`."""
        save_decoder(self, path)

    def _traced(self) -> Any:
        records = tf.TensorSpec([None], tf.string)
        return tf.function(self.decode_record, input_signature=[records], autograph=False).get_concrete_function()


class LoadedDecoder:
    """A decoder that was saved.

    Args:
        loaded_module: The SavedModel.
    """

    def __init__(self, loaded_module: Any) -> None:
        self._decode = loaded_module.decode_fun
        signatures = getattr(loaded_module, "signatures", {})
        names = [name.removeprefix(_RECORD_INDEX) for name in signatures if name.startswith(_RECORD_INDEX)]
        self._record_index_tensor_name = names[0] if names else None

    def decode_record(self, record: Any) -> dict[str, Any]:
        """Returns the tensors of records, by name."""
        tensors: dict[str, Any] = self._decode(record)
        return tensors

    def output_type_specs(self) -> dict[str, tf.TypeSpec]:
        """Returns the types of the tensors of `decode_record`, by name."""
        return dict(self._decode.structured_outputs)

    @property
    def record_index_tensor_name(self) -> str | None:
        """The name of the tensor that says for each row which record it comes from, if there is one."""
        return self._record_index_tensor_name


def save_decoder(decoder: TFGraphRecordDecoder, path: str) -> None:
    """Saves a decoder as a SavedModel.

    Args:
        decoder: The decoder.
        path: The folder.

    Raises:
        AssertionError: `record_index_tensor_name` is not the name of a tensor.
    """
    name = decoder.record_index_tensor_name
    signatures = {}
    if name is not None:
        specs = decoder.output_type_specs()
        if not name:
            raise AssertionError("Invalid (empty) record_index_tensor_name")
        if name not in specs:
            raise AssertionError(f"Invalid decoder: record_index_tensor_name: {name} not in output tensors: {list(specs)}")
        constant = tf.function(lambda: tf.constant(name), input_signature=[])
        signatures[_RECORD_INDEX + name] = constant.get_concrete_function()
    module = tf.Module()
    module.decode_fun = decoder._traced()
    tf.saved_model.save(module, path, signatures=signatures)


def load_decoder(path: str) -> LoadedDecoder:
    """Loads a decoder that `save_decoder` has saved.

    Args:
        path: The folder.

    Raises:
        AssertionError: The SavedModel is not a decoder.
    """
    module = tf.saved_model.load(path)
    if not hasattr(module, "decode_fun"):
        raise AssertionError(f"{path}: the SavedModel is not a TFGraphRecordDecoder: it has no function decode_fun")
    return LoadedDecoder(module)
