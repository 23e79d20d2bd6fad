//! Generated protobuf messages of TensorFlow Metadata, and of the states of tfx-bsl's sketches.
//!
//! Only crates of tfxio use them: no signature of theirs names a message. The modules follow the published packages. Names,
//! types and field numbers match TensorFlow Metadata 1.21 and tfx-bsl 1.21. Fields with numbers from 50000 on are ours, and
//! unknown fields to whoever has the published messages: the two kinds of representation that the design of TFX's inputs
//! names and the published proto lacks (`structured_tensor` and `varlen_ragged_tensor`), and `generate_legacy_feature_spec`.
//!
//! The types are generated from the `.proto` files in the repository's `proto/` folder. Maps are `BTreeMap`s, so that
//! encoding the same message gives the same bytes every time. Enum fields are `i32`, because a file may hold a value that is
//! newer than this crate.
#![allow(
    missing_docs,
    clippy::enum_variant_names,
    reason = "generated: names and comments of the published messages"
)]

// The files are included, not declared as modules, because prost's paths between packages count on
// exactly this nesting.

/// Packages of Google's that the messages refer to.
#[doc(hidden)]
pub mod google {
    /// Package `google.protobuf`.
    pub mod protobuf {
        include!("generated/google.protobuf.rs");
    }
}

/// Package `tensorflow`, of which only its metadata is used here.
#[doc(hidden)]
pub mod tensorflow {
    /// Package `tensorflow.metadata`.
    pub mod metadata {
        /// Package `tensorflow.metadata.v0`: schemas and statistics of data sets.
        pub mod v0 {
            include!("generated/tensorflow.metadata.v0.rs");
        }
    }
}

/// Package `tfx_bsl`, of which only its sketches are used here.
#[doc(hidden)]
pub mod tfx_bsl {
    /// Package `tfx_bsl.sketches`: the states of sketches.
    pub mod sketches {
        include!("generated/tfx_bsl.sketches.rs");
    }
}

#[doc(hidden)]
pub use tensorflow::metadata;

/// Runs the examples of this crate's README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct CrateReadme;
