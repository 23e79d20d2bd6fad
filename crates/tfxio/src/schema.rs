//! Schemas of TensorFlow Metadata.
