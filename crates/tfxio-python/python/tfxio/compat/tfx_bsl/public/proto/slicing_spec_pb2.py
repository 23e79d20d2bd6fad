"""Slices of data sets, as TensorFlow Data Validation takes them."""

from tfxio.compat.tfx_bsl.public.proto._messages import messages

__all__ = ["DESCRIPTOR", "SlicingConfig", "SlicingSpec"]

DESCRIPTOR, _CLASSES = messages(
    "tfx_bsl/public/proto/slicing_spec.proto",
    "tfx_bsl.slicing_spec",
    {
        "SlicingSpec": {"feature_keys": "repeated string", "feature_values": "map", "slice_keys_sql": "string"},
        "SlicingConfig": {"slicing_specs": "repeated SlicingSpec"},
    },
)
SlicingSpec = _CLASSES["SlicingSpec"]
SlicingConfig = _CLASSES["SlicingConfig"]
