//! Batches: examples gathered, padded and normalised.
