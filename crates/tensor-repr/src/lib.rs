//! TensorFlow Metadata schemas and tensors over Apache Arrow.
