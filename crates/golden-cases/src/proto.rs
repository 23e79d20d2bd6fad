//! The generated messages of `proto/`: tf.Example, tf.SequenceExample, and the schemas and statistics of TensorFlow Metadata.
//!
//! No published crate shows them; tests compare with them. The modules follow the published packages. Decoding into them
//! accepts what prost accepts, which makes them a second opinion.

use prost::Message;

// The files are included, not declared as modules, because prost's paths between packages count on
// exactly this nesting.

/// Packages of Google's that the schema refers to.
pub mod google {
    /// Package `google.protobuf`.
    #[allow(missing_docs, reason = "google.protobuf.Any comes without comments")]
    pub mod protobuf {
        include!("../../tensor-repr/src/proto/generated/google.protobuf.rs");
    }
}

/// Package `tensorflow`: tf.Example and tf.SequenceExample.
pub mod tensorflow {
    include!("../../tensor-repr/src/proto/generated/tensorflow.rs");

    /// Package `tensorflow.metadata`.
    pub mod metadata {
        /// Package `tensorflow.metadata.v0`: the schema of a data set.
        pub mod v0 {
            include!("../../tensor-repr/src/proto/generated/tensorflow.metadata.v0.rs");
        }
    }
}

pub use tensorflow::metadata;

/// Returns the schema that `bytes` encode.
///
/// # Panics
///
/// If they encode none.
#[must_use]
pub fn schema(bytes: &[u8]) -> metadata::v0::Schema {
    Message::decode(bytes).unwrap()
}

/// The packages again, as far as statistics go.
#[allow(clippy::enum_variant_names, reason = "generated: names of the published messages")]
pub mod stats {
    /// Packages of Google's that the statistics refer to.
    pub mod google {
        /// Package `google.protobuf`.
        #[allow(missing_docs, reason = "google.protobuf.Any comes without comments")]
        pub mod protobuf {
            include!("../../tfxio-stats/src/proto/generated/google.protobuf.rs");
        }
    }

    /// Package `tensorflow`, of which only its metadata is used here.
    pub mod tensorflow {
        /// Package `tensorflow.metadata`.
        pub mod metadata {
            /// Package `tensorflow.metadata.v0`: the statistics of data sets.
            pub mod v0 {
                include!("../../tfxio-stats/src/proto/generated/tensorflow.metadata.v0.rs");
            }
        }
    }
}

/// Returns the statistics that `bytes` encode.
///
/// # Panics
///
/// If they encode none.
#[must_use]
pub fn statistics(bytes: &[u8]) -> stats::tensorflow::metadata::v0::DatasetFeatureStatisticsList {
    Message::decode(bytes).unwrap()
}
