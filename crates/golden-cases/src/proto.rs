//! The generated messages of `proto/`: tf.Example, tf.SequenceExample, and the schemas and statistics of TensorFlow Metadata.
//!
//! No published crate shows them; tests compare with them. The modules follow the published packages. Decoding into them
//! accepts what prost accepts, which makes them a second opinion.

use prost::Message;

/// Package `tensorflow`: tf.Example and tf.SequenceExample.
pub mod tensorflow {
    include!("generated/tensorflow.rs");
}

pub use tfxio_tfmd::{google, metadata};

/// Returns the schema that `bytes` encode.
///
/// # Panics
///
/// If they encode none.
#[must_use]
pub fn schema(bytes: &[u8]) -> metadata::v0::Schema {
    Message::decode(bytes).unwrap()
}

/// Returns the statistics that `bytes` encode.
///
/// # Panics
///
/// If they encode none.
#[must_use]
pub fn statistics(bytes: &[u8]) -> metadata::v0::DatasetFeatureStatisticsList {
    Message::decode(bytes).unwrap()
}
