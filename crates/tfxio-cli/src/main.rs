//! The `tfxio` command.
fn main() {}
