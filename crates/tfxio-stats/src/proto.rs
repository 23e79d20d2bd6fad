//! The protobuf messages of statistics, and of the states of sketches.
//!
//! They are not public: sketches and accumulators read and write bytes.

pub(crate) use tfxio_tfmd::metadata::v0 as tfmd;
pub(crate) use tfxio_tfmd::tfx_bsl::sketches;
