//! TFRecord files: framing, compression, shards, splits, index and salvage.

pub mod compression;
pub mod crc;
pub mod error;
pub mod frame;
pub mod reader;
pub mod scan;
pub mod shards;
pub mod splits;
pub mod writer;

pub use compression::Compression;
pub use error::{Error, ErrorKind, Position, Result};
pub use reader::{Limits, OwnedRecord, ReaderBuilder, Record, RecordBuffer, RecordReader, SliceReader};
pub use splits::{Split, SplitReader, Splitter};
pub use writer::{FileWriter, RecordWriter, ShardedWriter, Sharding, WriterBuilder};
