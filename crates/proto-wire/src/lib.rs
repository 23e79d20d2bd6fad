//! The protobuf wire format: a bounds-checked zero-copy reader and writer without allocation.
