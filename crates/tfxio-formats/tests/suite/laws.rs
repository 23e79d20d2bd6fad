//! Laws of every data set.

#[cfg(all(feature = "avro", feature = "csv", feature = "ipc", feature = "jsonl", feature = "parquet"))]
mod given;
mod limits;
