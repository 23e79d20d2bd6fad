//! Laws of every data set.

pub mod filters;
#[cfg(all(feature = "avro", feature = "csv", feature = "ipc", feature = "jsonl", feature = "parquet"))]
mod given;
mod limits;
pub mod records;
