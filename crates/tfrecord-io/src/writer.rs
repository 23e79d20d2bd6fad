//! Writers of records: to any `Write`, to a file that appears whole or not at all, to a set of shards.

mod builder;
mod file;
mod record_writer;
mod sharded;
mod sink;

pub use builder::WriterBuilder;
pub use file::FileWriter;
pub use record_writer::RecordWriter;
pub use sharded::{ShardedWriter, Sharding};
