//! Writers of records: to any `Write`, to a file that appears whole or not at all, to a set of shards.

mod builder;
mod file;
mod output;
mod record_writer;
mod sharded;
mod sink;
mod unfinished;

pub use builder::WriterBuilder;
pub use file::FileWriter;
pub use output::OutputFile;
pub(crate) use output::write_whole;
pub use record_writer::RecordWriter;
pub use sharded::{ShardedWriter, Sharding};
pub use unfinished::remove_unfinished;
