//! The generated protobuf messages of TensorFlow Metadata.
//!
//! The modules follow the published packages: [`metadata::v0`] holds `tensorflow.metadata.v0.Schema`, and
//! [`google::protobuf`] holds `Any`, which notes of a schema may carry. Names, types and field numbers match TensorFlow
//! Metadata 1.21. Fields with numbers from 50000 on are ours, and unknown fields to whoever has the published messages: the
//! two kinds of representation that the design of TFX's inputs names and the published proto lacks (`structured_tensor` and
//! `varlen_ragged_tensor`), and `generate_legacy_feature_spec`.
//!
//! The types are generated from the `.proto` files in the repository's `proto/` folder and not public:
//! [`Schema`](crate::Schema) and [`Representation`](crate::Representation) read and write the encoded messages. Maps are
//! `BTreeMap`s, so that encoding the same message gives the same bytes every time. Enum fields are `i32`, because a file
//! may hold a value that is newer than this crate.
#![allow(
    dead_code,
    clippy::enum_variant_names,
    reason = "generated: names of the published messages, not all used"
)]

// The files are included, not declared as modules, because prost's paths between packages count on
// exactly this nesting.

/// Packages of Google's that the schema refers to.
pub(crate) mod google {
    /// Package `google.protobuf`.
    #[allow(missing_docs, reason = "google.protobuf.Any comes without comments")]
    pub(crate) mod protobuf {
        include!("proto/generated/google.protobuf.rs");
    }
}

/// Package `tensorflow`, of which only its metadata is used here.
pub(crate) mod tensorflow {
    /// Package `tensorflow.metadata`.
    pub(crate) mod metadata {
        /// Package `tensorflow.metadata.v0`: the schema of a data set.
        pub(crate) mod v0 {
            include!("proto/generated/tensorflow.metadata.v0.rs");
        }
    }
}

pub(crate) mod descriptors;
#[cfg(test)]
mod published;

pub(crate) use tensorflow::metadata;
