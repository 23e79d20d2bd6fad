//! Benchmarks of tfxio.
