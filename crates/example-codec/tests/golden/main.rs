//! The recorded cases: what existing decoders and encoders answer, and ours must.
//!
//! `cargo test -p example-codec --test golden -- --nocapture` shows a line for each kind.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

mod examples;
mod render;
mod run;
mod sequence;
mod tfmd;

/// The kinds that this crate owns.
const KINDS: [&str; 8] = [
    "append_raw_record_column",
    "decode_examples",
    "decode_examples_arrow_schema",
    "decode_examples_reuse",
    "decode_sequence_examples",
    "decode_sequence_examples_arrow_schema",
    "encode_examples",
    "example_to_numpy_dict",
];

#[test]
fn recorded_cases() {
    golden_cases::run(env!("CARGO_MANIFEST_DIR"), &KINDS.map(|kind| (kind, run::run as _)), |_| true);
}
