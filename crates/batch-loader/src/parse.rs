//! Records into the tensors of a pipeline.
