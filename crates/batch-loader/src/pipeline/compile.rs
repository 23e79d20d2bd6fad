//! From a configuration to a pipeline.
