"""The input and output of data, by the names that are for everyone. Each is imported when it is first used."""

import importlib
from typing import Any

__all__ = [
    "BeamRecordCsvTFXIO",
    "CsvTFXIO",
    "RecordBatchToExamplesEncoder",
    "RecordBatchesOptions",
    "TFExampleBeamRecord",
    "TFExampleRecord",
    "TFGraphRecordDecoder",
    "TFSequenceExampleBeamRecord",
    "TFSequenceExampleRecord",
    "TFXIO",
    "TensorAdapter",
    "TensorAdapterConfig",
    "TensorFlowDatasetOptions",
    "TensorRepresentations",
]

_MODULES = {
    "coders.example_coder": ("RecordBatchToExamplesEncoder",),
    "coders.tf_graph_record_decoder": ("TFGraphRecordDecoder",),
    "tfxio.csv_tfxio": ("BeamRecordCsvTFXIO", "CsvTFXIO"),
    "tfxio.dataset_options": ("RecordBatchesOptions", "TensorFlowDatasetOptions"),
    "tfxio.tensor_adapter": ("TensorAdapter", "TensorAdapterConfig", "TensorRepresentations"),
    "tfxio.tf_example_record": ("TFExampleBeamRecord", "TFExampleRecord"),
    "tfxio.tf_sequence_example_record": ("TFSequenceExampleBeamRecord", "TFSequenceExampleRecord"),
    "tfxio.tfxio": ("TFXIO",),
}
_MODULE_OF = {name: f"tfxio.compat.tfx_bsl.{module}" for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(importlib.import_module(_MODULE_OF[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
