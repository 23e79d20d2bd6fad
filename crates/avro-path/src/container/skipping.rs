//! Containers whose damage is skipped within a budget.

use std::io::{Read, Seek};
use std::sync::Arc;

use tfxio_core::{Count, Error, ErrorKind, LostRange, Position, Skip};

use super::block::Block;
use super::header::Header;
use super::open::Settings;
use super::salvage::SalvageReader;
use crate::datum::{DatumReader, SkipPlan};

/// Lends the blocks of a container with their good records, and reports the others to a [`Skip`]: one by one in an
/// uncompressed block, as one range in a compressed one.
///
/// Made by [`ReaderBuilder::build_skipping`](super::ReaderBuilder::build_skipping). Errors are those of [`tfxio_core`],
/// since one budget covers all files of a data set.
///
/// ```
/// use avro_path::AvroSchema;
/// use avro_path::container::{Codec, ContainerReader, ContainerWriter};
/// use tfxio_core::Skip;
///
/// let schema = AvroSchema::parse("\"string\"")?;
/// let mut writer = ContainerWriter::builder(Vec::new(), &schema).codec(Codec::Null).check(false).build()?;
/// for record in [b"\x02a", b"\x02\xff", b"\x02c"] {
///     writer.write(record)?;
/// }
/// let file = writer.finish()?;
///
/// let skip = Skip::default();
/// let builder = ContainerReader::builder(&file[..]).name("a.avro");
/// let mut reader = builder.build_skipping(file.len() as u64, &skip)?;
/// assert!(reader.next_block()?);
/// assert_eq!(reader.last_block().map(|block| block.bytes()), Some(&b"\x02a\x02c"[..]));
/// assert!(!reader.next_block()?);
/// assert_eq!((skip.report().records, skip.report().bytes), (1, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SkippingReader<R> {
    reader: SalvageReader<R>,
    plan: SkipPlan,
    skip: Skip,
    file: Arc<str>,
    /// Size of the file, if all of it is read.
    total: Option<u64>,
    /// Bytes that were skipped.
    skipped: u64,
    /// Skipped range of the block that was lent last, if its records have no offsets in the file.
    pending: Option<LostRange>,
}

impl<R: Read> SkippingReader<R> {
    pub(super) fn start(source: R, settings: &Settings, bytes: u64, skip: &Skip) -> Result<Self, Error> {
        let reader = SalvageReader::start(source, settings)?;
        Ok(Self {
            plan: SkipPlan::new(reader.header().schema()),
            reader,
            skip: skip.clone(),
            file: settings.name.clone().unwrap_or_else(|| "".into()),
            total: Some(bytes),
            skipped: 0,
            pending: None,
        })
    }

    /// Returns the container's header: schema, codec, metadata.
    #[must_use]
    pub fn header(&self) -> &Arc<Header> {
        self.reader.header()
    }

    /// Moves to the next block with a good record, and returns whether there is one.
    ///
    /// # Errors
    /// When reading fails; `LimitExceeded` when the budget is exceeded.
    pub fn next_block(&mut self) -> Result<bool, Error> {
        self.settle()?;
        let found = self.reader.next_block()?.is_some();
        let has_offsets = self.reader.has_offsets();
        for damage in self.reader.take_damages() {
            let start = damage.start;
            let range = damage.file(Arc::clone(&self.file)).map_reason(|reason| reason.name().into());
            if found && !has_offsets && start == self.reader.last_range().start {
                // Records of the block that cannot be decoded join it.
                self.pending = Some(range);
            } else {
                self.add(range)?;
            }
        }
        let unlisted = self.reader.report().unlisted;
        if unlisted > 0 {
            let damages = Count::of(unlisted, "damage");
            let follow = damages.verb("follows", "follow");
            let message = format!("{damages} {follow} each other too closely to be listed; repair the file");
            let position = Position::new().file(Arc::clone(&self.file));
            return Err(Error::new(ErrorKind::LimitExceeded, message).at(position));
        }
        if let (false, Some(total)) = (found, self.total) {
            self.skip.end_of_file(&self.file, self.skipped, total)?;
        }
        Ok(found)
    }

    /// Returns the block that [`next_block`](Self::next_block) has moved to, with its good records only.
    #[must_use]
    pub fn last_block(&self) -> Option<Block<'_>> {
        self.reader.last_block()
    }

    /// Returns the number of the first record of the last block; see [`SalvageReader::first_number`].
    #[must_use]
    pub fn first_number(&self) -> u64 {
        self.reader.first_number()
    }

    /// Returns the number of a record of the last block; see [`SalvageReader::number_of`].
    #[must_use]
    pub fn number_of(&self, record: u64) -> u64 {
        self.reader.number_of(record)
    }

    /// Returns whether a reader of a part of the file can begin with the last block; see [`SalvageReader::is_entered`].
    #[must_use]
    pub fn is_entered(&self) -> bool {
        self.reader.is_entered()
    }

    /// Skips the record at a byte of the last block, which cannot be decoded for this reason although its encoding is
    /// whole: a text that is not a UUID. Returns its length in bytes.
    ///
    /// # Errors
    /// The same error, if it is not one of damaged bytes; `LimitExceeded` when the budget is exceeded.
    pub fn pass_over(&mut self, at: usize, error: Error) -> Result<usize, Error> {
        let what = match &error.position().path {
            Some(path) => format!("at {path}: {}", error.what()),
            None => error.what().to_owned(),
        };
        let length = self.length(at).filter(|_| error.is(ErrorKind::Malformed));
        let Some(length) = length else { return Err(error) };
        if let Some(start) = self.reader.offset_of(at) {
            let end = start.saturating_add(length as u64);
            self.add(LostRange::new(start, end, what).file(Arc::clone(&self.file)).records(1))?;
        } else if let Some(pending) = &mut self.pending {
            pending.records = pending.records.map(|records| records.saturating_add(1));
        } else {
            let block = self.reader.last_range();
            let range = LostRange::new(block.start, block.end, what).file(Arc::clone(&self.file));
            self.pending = Some(range.records(1));
        }
        Ok(length)
    }

    /// Returns the length in bytes of the record at a byte of the last block.
    fn length(&self, at: usize) -> Option<usize> {
        let block = self.reader.last_block()?;
        let mut record = DatumReader::new(block.bytes().get(at..)?);
        self.plan.skip(self.reader.header().schema().root(), &mut record).ok()?;
        Some(record.position())
    }
}

impl<R> SkippingReader<R> {
    /// Reports the skipped range of the last block.
    fn settle(&mut self) -> Result<(), Error> {
        match self.pending.take() {
            Some(range) => self.add(range),
            None => Ok(()),
        }
    }

    fn add(&mut self, range: LostRange) -> Result<(), Error> {
        self.skipped = self.skipped.saturating_add(range.bytes());
        self.skip.add(range)
    }
}

impl<R: Read + Seek> SkippingReader<R> {
    /// Restricts the reader to the blocks of a split, as [`SalvageReader::restrict`] does. The budget's share of a file
    /// does not count then.
    ///
    /// # Errors
    /// When reading fails.
    pub fn restrict(&mut self, start: u64, end: u64) -> Result<(), Error> {
        self.total = None;
        self.reader.restrict(start, end)
    }

    /// Moves to other blocks, before or after, as [`SalvageReader::enter`] does. The budget's share of a file does not
    /// count then.
    ///
    /// # Errors
    /// When reading fails; `LimitExceeded` when the budget is exceeded.
    pub fn enter(&mut self, start: u64, end: u64) -> Result<(), Error> {
        self.settle()?;
        self.total = None;
        self.reader.enter(start, end)
    }
}

impl<R> Drop for SkippingReader<R> {
    fn drop(&mut self) {
        // Rows of the block may have been given out.
        let _ = self.settle();
    }
}
