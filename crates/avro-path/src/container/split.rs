//! Splits: parts of one container that are read on their own.
//!
//! A container can be cut at any byte. A block belongs to the split in which it begins; a reader of a split finds its
//! first block by the sync marker before it. So splits that cover a file without overlap yield every block exactly
//! once, in order, wherever they are cut.
//!
//! The sync marker of a file is random. A split can begin inside a block only if the stored bytes of that block contain
//! the same marker, as in a file that was put into itself. In all but contrived cases reading then ends in an error;
//! such a file is to be read whole.
//!
//! ```
//! use std::io::Cursor;
//! use avro_path::AvroSchema;
//! use avro_path::container::{ContainerReader, ContainerWriter, splits};
//!
//! let schema = AvroSchema::parse("\"long\"")?;
//! let mut writer = ContainerWriter::builder(Vec::new(), &schema).block_bytes(100).build()?;
//! for _ in 0..1000 {
//!     writer.write(&[84])?;
//! }
//! let file = writer.finish()?;
//!
//! let mut records = 0;
//! for split in splits(file.len() as u64, 300) {
//!     let mut reader = ContainerReader::builder(Cursor::new(&file)).build_range(split.start..split.end)?;
//!     while let Some(block) = reader.next_block()? {
//!         records += block.count();
//!     }
//! }
//! assert_eq!(records, 1000);
//! # Ok::<(), avro_path::Error>(())
//! ```

use std::ops::Range;

/// Cuts a container of this number of bytes into ranges of about `target` bytes, of equal size. A file of no bytes has one.
///
/// No byte of the file is read. A range in which no block begins yields nothing.
#[must_use]
pub fn splits(bytes: u64, target: u64) -> Vec<Range<u64>> {
    let count = bytes.div_ceil(target.max(1)).max(1);
    let cut = |at: u64| match at {
        0 => 0,
        _ if at == count => u64::MAX,
        // Below `bytes`, since `at < count`.
        _ => (u128::from(bytes) * u128::from(at) / u128::from(count)) as u64,
    };
    (0..count).map(|at| cut(at)..cut(at + 1)).collect()
}
