//! Features of dependencies of dependencies, as the whole workspace has them.
//!
//! `cargo xtask lint` selects this package together with each crate that it builds alone. Without it, the same versions of a few small
//! crates at the bottom, and all that is above them, would be compiled again for nearly every crate.
