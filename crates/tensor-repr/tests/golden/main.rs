//! The recorded cases: what tfx-bsl answers, and this crate must.
//!
//! `cargo test -p tensor-repr --test golden -- --nocapture` shows a line for each kind.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

mod array_util;
mod column_path;
mod table_util;
mod tensor_adapter;
mod tensor_representation_util;
mod tensors;
mod tensors_to_record_batch;
mod values;

use golden_cases::CheckCase;

/// The kinds that this crate owns: one line and one module for each.
const KINDS: &[(&str, CheckCase)] = &[
    ("array_util", array_util::run),
    ("column_path", column_path::run),
    ("table_util", table_util::run),
    ("tensor_adapter", tensor_adapter::run),
    ("tensor_representation_util", tensor_representation_util::run),
    ("tensors_to_record_batch", tensors_to_record_batch::run),
];

#[test]
fn recorded_cases() {
    golden_cases::run(env!("CARGO_MANIFEST_DIR"), KINDS, |_| true);
}
