//! Reads one file with several threads, in order.
//!
//! ```
//! use tfrecord_io::{FileWriter, ParallelReader, RecordBuffer};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("train.tfrecord");
//! let mut writer = FileWriter::create(&path)?;
//! for i in 0..5000 {
//!     writer.write(format!("record {i}").as_bytes())?;
//! }
//! writer.finish()?;
//!
//! let mut reader = ParallelReader::builder(&path).threads(4).split_bytes(64 << 10).open()?;
//! let mut batch = RecordBuffer::new();
//! let mut next = 0;
//! while reader.read_batch(&mut batch)? > 0 {
//!     for record in &batch {
//!         assert_eq!(record.data, format!("record {next}").as_bytes());
//!         next += 1;
//!     }
//! }
//! assert_eq!(next, 5000);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The records, their order, their numbers and the errors are those of a [`Reader`](crate::Reader); only of a
//! corrupt gzip member nothing is given out, where a `Reader` gives what comes before the corrupt bytes. How the
//! work is divided depends on the file:
//!
//! | file | a thread takes |
//! | --- | --- |
//! | not compressed | a [split](crate::splits), the start of which it finds by scanning |
//! | gzip by this crate's writer | a [member](crate::compression::members), the start of which is known |
//! | other gzip, zlib | all of it: one thread inflates, the caller decodes |
//!
//! Splits are read on the assumption that scanning has found their starts. When a split has ended, it is known where the
//! next one begins; if scanning was deceived (see [`splits`](crate::splits#when-scanning-is-exact)), what was read on
//! the wrong assumption is thrown away and read again from the right offset. So this is exact whatever the payloads hold.
//!
//! Memory: about [`split_bytes`](ParallelBuilder::split_bytes) for each thread and one more. Dropping the reader stops
//! the threads.

mod builder;
mod reader;
mod worker;

pub use builder::ParallelBuilder;
pub use reader::ParallelReader;
