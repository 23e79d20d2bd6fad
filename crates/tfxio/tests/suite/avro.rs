//! Data sets of Avro files.
#![cfg(feature = "avro")]

#[cfg(all(feature = "example", feature = "ipc", feature = "parquet"))]
mod convert;
mod errors;
mod reading;
mod records;
mod schemas;
mod skip;
#[cfg(feature = "object-store")]
mod store;
#[cfg(feature = "tensors")]
mod tensors;
mod test_files;
