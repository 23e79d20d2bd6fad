//! TFRecord files: framing, compression, shards, splits, index and salvage.
