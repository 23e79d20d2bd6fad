//! Secondary features and the steps of processing, on whole chunks.
