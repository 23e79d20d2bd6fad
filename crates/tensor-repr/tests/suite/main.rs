//! The tests of the crate in one program, which is linked once. Recorded cases are in `golden`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod adapter;
mod adapter_claims;
mod adapter_converted;
mod adapter_dense;
mod adapter_dictionaries;
mod adapter_laws;
mod adapter_padding;
mod adapter_ragged;
mod adapter_sequence;
mod adapter_sharing;
mod adapter_slices;
mod adapter_sparse;
mod adapter_specs;
mod array_errors;
mod array_functions;
mod array_types;
mod columns;
mod infer_data;
mod infer_representations;
mod infer_validation;
mod key_specs;
mod proto;
mod representation;
mod representation_json;
mod schema;
mod schema_build;
mod schema_text;
mod spec_json;
mod table_functions;
mod tensor;
mod tensor_batch;
mod tensor_export;
mod to_arrow;
mod to_arrow_errors;

/// Tests that this build leaves out, for `cargo test` to name.
mod left_out {
    #[cfg(not(feature = "ndarray"))]
    #[test]
    #[ignore = "arrays of ndarray need the feature ndarray: cargo test -p tensor-repr --all-features"]
    fn arrays() {}

    #[cfg(not(feature = "dlpack"))]
    #[test]
    #[ignore = "tensors of DLPack need the feature dlpack: cargo test -p tensor-repr --all-features"]
    fn capsules() {}
}
