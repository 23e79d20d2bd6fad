"""Models of inference, as components of TFX are configured with them."""

from tfxio.compat.tfx_bsl.public.proto._messages import messages

__all__ = ["DESCRIPTOR", "AIPlatformPredictionModelSpec", "BatchParameters", "InferenceSpecType", "SavedModelSpec"]

DESCRIPTOR, _CLASSES = messages(
    "tfx_bsl/public/proto/model_spec.proto",
    "tfx_bsl.model_spec",
    {
        "InferenceSpecType": {
            "saved_model_spec": "type: SavedModelSpec",
            "ai_platform_prediction_model_spec": "type: AIPlatformPredictionModelSpec",
            "batch_parameters": "BatchParameters",
        },
        "SavedModelSpec": {"model_path": "string", "signature_name": "repeated string", "tag": "repeated string"},
        "AIPlatformPredictionModelSpec": {
            "project_id": "string",
            "model_name": "string",
            "version_name": "string",
            "use_serialization_config": "example_config: bool",
        },
        "BatchParameters": {
            "min_batch_size": "int64",
            "max_batch_size": "int64",
            "target_batch_overhead": "double",
            "target_batch_duration_secs": "double",
            "variance": "double",
        },
    },
)
InferenceSpecType = _CLASSES["InferenceSpecType"]
SavedModelSpec = _CLASSES["SavedModelSpec"]
AIPlatformPredictionModelSpec = _CLASSES["AIPlatformPredictionModelSpec"]
BatchParameters = _CLASSES["BatchParameters"]
