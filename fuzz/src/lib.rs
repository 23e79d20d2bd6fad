//! Laws that tfxio keeps for every input. Each module has one `check`, which panics when the law does not hold, and
//! seeds from which a fuzzer starts. `README.md` says how to run them.

pub mod avro_container;
pub mod avro_datum;
pub mod avro_key;
pub mod compression;
pub mod example_decode;
pub mod framing;
pub mod index;
pub mod inflate;
mod input;
pub mod salvage;
pub mod schema_text;
pub mod sequence_decode;
pub mod splits;
pub mod wire;

/// A law and where to begin looking for what breaks it.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name of the fuzz target.
    pub name: &'static str,
    /// Panics when the law does not hold for these bytes.
    pub check: fn(&[u8]),
    /// Inputs that reach most of the code.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// All of them.
pub const TARGETS: [Target; 13] = [
    Target { name: "framing", check: framing::check, seeds: framing::seeds },
    Target { name: "splits", check: splits::check, seeds: splits::seeds },
    Target { name: "salvage", check: salvage::check, seeds: salvage::seeds },
    Target { name: "index", check: index::check, seeds: index::seeds },
    Target { name: "compression", check: compression::check, seeds: compression::seeds },
    Target { name: "inflate", check: inflate::check, seeds: inflate::seeds },
    Target { name: "wire", check: wire::check, seeds: wire::seeds },
    Target { name: "example_decode", check: example_decode::check, seeds: example_decode::seeds },
    Target { name: "sequence_decode", check: sequence_decode::check, seeds: sequence_decode::seeds },
    Target { name: "avro_container", check: avro_container::check, seeds: avro_container::seeds },
    Target { name: "avro_datum", check: avro_datum::check, seeds: avro_datum::seeds },
    Target { name: "avro_key", check: avro_key::check, seeds: avro_key::seeds },
    Target { name: "schema_text", check: schema_text::check, seeds: schema_text::seeds },
];
