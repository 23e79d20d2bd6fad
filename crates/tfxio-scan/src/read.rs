//! The read loop over the partitions of a data set, and what reads by it: the last rows, samples, single records, a stream.

mod batches;
mod buffered;
mod builder;
mod counts;
pub mod record;
pub mod sample;
#[cfg(feature = "async")]
mod spawned;
#[cfg(feature = "async")]
mod stream;
pub mod tail;

pub use self::batches::Batches;
pub use self::builder::{BatchesBuilder, ScanWatch};
pub use self::counts::{Counted, count_all, counted_files, runs_of};
#[cfg(feature = "async")]
pub use self::spawned::Spawned;
#[cfg(feature = "async")]
pub use self::stream::BatchStream;
