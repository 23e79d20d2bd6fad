//! Writers of records: to any `Write`, to a file that appears whole or not at all, to a set of shards.

mod builder;
mod file;
#[cfg(feature = "gzip")]
mod member;
mod sharded;
mod sink;
mod stream;

pub use builder::WriterBuilder;
pub use file::FileWriter;
#[cfg(feature = "gzip")]
pub use member::{GzipMember, MemberEncoder};
pub use sharded::ShardedWriter;
pub use stream::Writer;
