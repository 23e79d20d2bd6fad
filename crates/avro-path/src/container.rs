//! Object containers: files of records with their schema.
//!
//! ```text
//! "Obj" 1, metadata (schema, codec), sync marker                                   the header
//! records, bytes, [bytes of the records, compressed]     , sync marker              a block
//! ...                                                                              further blocks
//! ```
//!
//! A [`ContainerReader`] lends one block after the other, a [`BlockDecoder`] does so for bytes that come in chunks.
//! [`ContainerReader::map_blocks`] and [`ContainerReader::map_runs`] work on them with several threads, [`splits`] cuts
//! a file into parts, [`BlockHeads`] counts records without reading them, [`SalvageReader`] reads what is left of a
//! damaged one, [`SkippingReader`] within a budget, and a [`ContainerWriter`] writes.
//!
//! ```
//! use avro_path::AvroSchema;
//! use avro_path::container::{Codec, ContainerReader, ContainerWriter};
//! use avro_path::datum::{DatumReader, write};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("numbers.avro");
//! let schema = AvroSchema::parse("\"long\"")?;
//! let mut writer = ContainerWriter::builder(&path, &schema).codec(Codec::Null).create()?;
//! for number in 0..1000 {
//!     writer.write_with(|out| {
//!         write::long(out, number);
//!         Ok(())
//!     })?;
//! }
//! writer.finish()?; // The file appears now, and whole.
//!
//! let mut reader = ContainerReader::open(&path)?;
//! let mut sum = 0;
//! while let Some(block) = reader.next_block()? {
//!     let mut records = DatumReader::new(block.bytes());
//!     for _ in 0..block.count() {
//!         sum += records.long()?;
//!     }
//!     block.finish(&records)?;
//! }
//! assert_eq!(sum, 499_500);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod block;
mod codec;
mod decoder;
mod encoded_block;
mod enter;
mod file;
mod frame;
mod gate;
mod header;
mod hop;
mod input;
mod open;
mod parallel;
mod parser;
mod reader;
mod run;
mod salvage;
mod sift;
mod skipping;
mod split;
mod writer;

pub use block::{Block, BlockPosition, Records};
pub use codec::Codec;
pub use decoder::BlockDecoder;
pub use encoded_block::{BlockEncoder, EncodedBlock};
pub use file::FileWriter;
pub use header::Header;
pub use hop::{BlockHead, BlockHeads};
pub use open::ReaderBuilder;
pub use parallel::ParallelBlocks;
pub use reader::ContainerReader;
pub use run::BlockRun;
pub use salvage::{Reason, Report, SalvageReader};
pub use skipping::SkippingReader;
pub use split::splits;
pub use tfxio_core::LostRange;
pub use writer::{ContainerWriter, WriterBuilder};
