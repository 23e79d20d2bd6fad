//! Read machine-learning training data into Apache Arrow.
