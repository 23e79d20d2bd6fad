//! Laws that tfxio keeps for every input. Each module has one `check`, which panics when the law does not hold, and
//! seeds from which a fuzzer starts. `README.md` describes how to run them.

#[path = "../../crates/example-codec/tests/mutation/harness.rs"]
pub mod harness;
mod input;
mod rows;

/// Law, and the inputs from which to search for a violation.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Name of the fuzz target.
    pub name: &'static str,
    /// Panics when the law does not hold for these bytes.
    pub check: fn(&[u8]),
    /// Inputs that reach most of the code.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// Declares the module of each law, and the list of all.
macro_rules! targets {
    ($($name:ident)*) => {
        $(pub mod $name;)*

        /// All of them.
        pub const TARGETS: &[Target] =
            &[$(Target { name: stringify!($name), check: $name::check, seeds: $name::seeds }),*];
    };
}

targets! {
    framing splits salvage index compression inflate wire example_decode example_template sequence_decode avro_container
    avro_datum avro_key message_decode schema_text text
}
