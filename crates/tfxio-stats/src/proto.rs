//! The generated protobuf messages: statistics of TensorFlow Metadata, and the states of sketches.
//!
//! Names, types and field numbers match TensorFlow Metadata 1.21 and tfx-bsl 1.21. The types are generated from the
//! `.proto` files in the repository's `proto/` folder and not public: sketches and accumulators read and write bytes.
#![allow(
    dead_code,
    clippy::enum_variant_names,
    reason = "generated: names of the published messages, not all used"
)]

// The files are included, not declared as modules, because prost's paths between packages count on
// exactly this nesting.

/// Packages of Google's that the statistics refer to.
pub(crate) mod google {
    /// Package `google.protobuf`.
    pub(crate) mod protobuf {
        include!("proto/generated/google.protobuf.rs");
    }
}

/// Package `tensorflow`, of which only its metadata is used here.
pub(crate) mod tensorflow {
    /// Package `tensorflow.metadata`.
    pub(crate) mod metadata {
        /// Package `tensorflow.metadata.v0`: the statistics of data sets.
        pub(crate) mod v0 {
            include!("proto/generated/tensorflow.metadata.v0.rs");
        }
    }
}

/// Package `tfx_bsl`, of which only its sketches are used here.
pub(crate) mod tfx_bsl {
    /// Package `tfx_bsl.sketches`: the states of sketches.
    pub(crate) mod sketches {
        include!("proto/generated/tfx_bsl.sketches.rs");
    }
}

pub(crate) use tensorflow::metadata::v0 as tfmd;
pub(crate) use tfx_bsl::sketches;
