//! Formats of records: tf.Example, tf.SequenceExample, messages of any protobuf type, and raw bytes.

#[cfg(feature = "example")]
mod decoder;
#[cfg(feature = "example")]
pub(crate) mod describe;
#[cfg(feature = "example")]
mod encoder;
#[cfg(feature = "example")]
mod example;
#[cfg(feature = "example")]
mod features;
#[cfg(feature = "example")]
mod format;
#[cfg(all(feature = "example", feature = "tensors"))]
mod kinds;
#[cfg(feature = "example")]
mod messages;
#[cfg(all(feature = "example", feature = "tensors"))]
mod metadata;
#[cfg(feature = "example")]
pub(crate) mod options;
#[cfg(feature = "proto")]
mod proto;
#[cfg(all(feature = "example", feature = "tensors"))]
mod ragged;
mod raw;
mod raw_encoder;
#[cfg(feature = "example")]
mod selection;
#[cfg(feature = "example")]
mod sequence;

#[cfg(feature = "example")]
pub use self::messages::{ExampleFormat, SequenceExampleFormat};
#[cfg(all(feature = "example", feature = "tensors"))]
pub use self::metadata::{example_schema, sequence_example_schema};
#[cfg(feature = "proto")]
pub use self::proto::ProtoFormat;
pub use self::raw::RawFormat;
