//! The protobuf messages of tf.Example and of TensorFlow Metadata.
//!
//! The modules follow the published packages: [`tensorflow`] holds `tensorflow.Example` and
//! `tensorflow.SequenceExample`, [`metadata::v0`] holds `tensorflow.metadata.v0.Schema`, and
//! [`google::protobuf`] holds `Any`, which notes of a schema may carry. Names, types and field numbers
//! are those of TensorFlow 2.21 and TensorFlow Metadata 1.21. Fields with numbers from 50000 on are ours,
//! and unknown fields to whoever has the published messages: the two kinds of representation that the
//! design of TFX's inputs names and the published proto lacks (`structured_tensor` and
//! `varlen_ragged_tensor`), and `generate_legacy_feature_spec`.
//!
//! The types are generated from the `.proto` files in the repository's `proto/` folder. Three things
//! to know about them:
//!
//! - Maps are `BTreeMap`s, so that encoding the same message gives the same bytes every time.
//! - Enum fields are `i32`, because a file may hold a value that is newer than this crate. The getter
//!   of the same name gives the known value or the default.
//! - Decoding into these types builds an object for each message. To decode many examples, use the
//!   `example-codec` crate, which goes from the wire bytes to Arrow columns.
//!
//! # Example
//!
//! ```
//! use prost::Message as _;
//! use tensor_repr::proto::tensorflow::{Example, Feature, Features, Int64List, feature::Kind};
//!
//! let label = Feature { kind: Some(Kind::Int64List(Int64List { value: vec![7] })) };
//! let example =
//!     Example { features: Some(Features { feature: [("label".to_owned(), label)].into() }) };
//! let bytes = example.encode_to_vec();
//! assert_eq!(Example::decode(bytes.as_slice())?, example);
//! # Ok::<(), prost::DecodeError>(())
//! ```

// The files are included, not declared as modules, because prost's paths between packages count on
// exactly this nesting.

/// Packages of Google's that the schema refers to.
pub mod google {
    /// Package `google.protobuf`.
    #[allow(missing_docs, reason = "google.protobuf.Any comes without comments")]
    pub mod protobuf {
        include!("proto/generated/google.protobuf.rs");
    }
}

/// Package `tensorflow`: tf.Example and tf.SequenceExample.
pub mod tensorflow {
    include!("proto/generated/tensorflow.rs");

    /// Package `tensorflow.metadata`.
    pub mod metadata {
        /// Package `tensorflow.metadata.v0`: the schema of a data set.
        pub mod v0 {
            include!("proto/generated/tensorflow.metadata.v0.rs");
        }
    }
}

pub(crate) mod descriptors;
#[cfg(test)]
mod published;

pub use tensorflow::metadata;
