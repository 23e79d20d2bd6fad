//! TFRecord files: framing, compression, shards, splits, index and salvage.
//!
//! TFRecord is the record file of TensorFlow: byte strings of any length, each with its length and two checksums. The
//! contents of the records (mostly `tf.Example` messages) are not this crate's business.
//!
//! ```
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("train.tfrecord.gz");
//! # let mut writer = tfrecord_io::FileWriter::create(&path)?;
//! # writer.write(b"one record")?;
//! # writer.finish()?;
//! # std::env::set_current_dir(&folder)?;
//! let mut reader = tfrecord_io::Reader::open("train.tfrecord.gz")?;
//! while let Some(record) = reader.next_record()? {
//!     println!("{} bytes at {}", record.data.len(), record.offset);
//! }
//! # assert_eq!(reader.records_read(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Writing, and reading many records at a time:
//!
//! ```
//! use tfrecord_io::{BatchSize, FileWriter, Reader, RecordBuffer};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("train.tfrecord");
//! let mut writer = FileWriter::create(&path)?; // A name that ends with .gz is gzip.
//! for i in 0..1000u32 {
//!     writer.write(&i.to_le_bytes())?;
//! }
//! writer.finish()?; // The file appears now, and whole.
//!
//! let mut reader = Reader::open(&path)?; // Here it is detected.
//! let mut batch = RecordBuffer::new(); // Filled again and again: nothing is allocated for a record.
//! let mut sum = 0;
//! while reader.read_batch(&mut batch, BatchSize::records(256))? > 0 {
//!     for record in &batch {
//!         sum += record.data.len();
//!     }
//! }
//! assert_eq!(sum, 4000);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Modules
//!
//! | for | see |
//! | --- | --- |
//! | reading | [`Reader`], [`ReaderBuilder`]; in memory [`SliceReader`]; bytes that are pushed [`FileDecoder`]; in object stores `store` (feature `async`) |
//! | records by their numbers | [`Index`], whose [`build`](Index::build) reads a file once, and the module [`index`]; [`RandomReader`] |
//! | writing | [`WriterBuilder`], [`Writer`], [`FileWriter`], [`ShardedWriter`]; files of other kinds: [`OutputFile`](tfxio_base::OutputFile) |
//! | sets of files: `train@16`, globs | [`shards`] |
//! | one file read in parts, in parallel | [`splits`] |
//! | damaged files | [`salvage`] |
//! | the bytes, and a decoder without I/O | [`frame`], [`crc`] |
//! | gzip, zlib, and gzip that can be read at random | [`compression`] |
//!
//! # Trust
//!
//! Nothing in a file is believed. Both checksums are compared unless that is turned off; no memory is taken because a
//! file claims a length; [`Limits`] bound the memory that it can make a reader hold. Every error reports the fault, the
//! file, the byte and record, and what to do ([`Error`]). Records before a damage are always delivered first.
//!
//! # Features
//!
//! | feature | default | brings |
//! | --- | --- | --- |
//! | `gzip` | yes | gzip and zlib, through `flate2` with the pure Rust `zlib-rs` |
//! | `libdeflate` | no | gzip members of known size are inflated by libdeflate (C), about half as fast again |
//! | `async` | no | `store`: readers over object stores, with `object_store` and `tokio` |

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod compression;
pub mod crc;
mod error;
pub mod frame;
pub mod index;
pub mod random;
pub mod reader;
pub mod salvage;
pub mod scan;
pub mod shards;
pub mod splits;
#[cfg(feature = "async")]
pub mod store;
pub mod writer;

pub use compression::Compression;
pub use error::Kind;
pub use index::Index;
pub use random::RandomReader;
pub use reader::{
    BatchSize, FileDecoder, OwnedRecord, Reader, ReaderBuilder, Record, RecordBuffer, SliceReader,
};
pub use shards::Sharding;
pub use splits::{Split, SplitReader, Splitter};
pub use tfxio_base::{Error, ErrorKind, Limits, Position, Result, Threading};
pub use writer::{FileWriter, ShardedWriter, Writer, WriterBuilder};

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The programs of the users' guide are compiled with the doc tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/tfrecord.md")]
struct Guide;
