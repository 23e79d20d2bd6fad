//! Recovery of the good records of a damaged container, with a report of the losses.

mod another;
mod report;
mod step;

use std::io::{Read, Seek};
use std::ops::Range;
use std::sync::Arc;

use tfxio_core::LostRange;

use super::block::{Block, BlockPosition};
use super::codec::{Codec, Decompressor};
use super::frame::SYNC;
use super::gate::Gate;
use super::header::{Header, HeaderParser};
use super::input::Input;
use super::open::{ReaderBuilder, Settings};
use super::sift::Sieve;
use crate::Result;
use crate::datum::SkipPlan;
use crate::schema::SchemaLimits;

pub use report::{Reason, Report};

use another::Another;
use step::SalvageStep;

/// Reads a damaged container: returns the good blocks, and reports the losses.
///
/// - A block whose head cannot be true, or which does not end with the sync marker, is lost up to the next sync
///   marker, which is searched from the block's beginning.
///   If only the marker is damaged, so that the next block is where it should be, nothing is lost.
/// - A block that cannot be decompressed is lost, and no more.
/// - Every record is checked as [`check`](crate::datum::check) does. A record that fails is lost; the others of its
///   block are good as long as their borders are known, which is so if exactly the remaining records follow up to the
///   end of the block. Otherwise the records before are good, the others are lost.
/// - If only the sync marker in the header is damaged, it is inferred from the markers after the first blocks, and
///   nothing is lost.
/// - If another container begins, as `cat a.avro b.avro` makes it, its header is reported with no lost record, and its
///   blocks follow, whatever its marker and codec. Records of another schema are resolved to that of the first by
///   [schema resolution](crate::Resolution); where that is impossible, they are lost.
/// - Without the rest of its header a container cannot be read.
///
/// Damage within a block that is not compressed is reported record by record; of a compressed block, whose records have
/// no offsets in the file, as one range.
///
/// Every step moves forward, so that any input ends.
///
/// ```
/// use avro_path::AvroSchema;
/// use avro_path::container::{ContainerWriter, Reason, SalvageReader};
///
/// let schema = AvroSchema::parse("\"long\"")?;
/// let mut writer = ContainerWriter::builder(Vec::new(), &schema).block_bytes(1).build()?;
/// for number in 0..3 {
///     writer.write(&[2 * number])?; // a block for each record
/// }
/// let mut file = writer.finish()?;
/// let end = file.len();
/// file[end - 37] ^= 1; // a bit of the second block's size
///
/// let mut reader = SalvageReader::new(&file[..])?;
/// let mut good = Vec::new();
/// while let Some(block) = reader.next_block()? {
///     good.extend_from_slice(block.bytes());
/// }
/// assert_eq!(good, [0, 4]); // the first and the third record
/// let damage = &reader.report().damages[0];
/// assert_eq!((damage.end - damage.start, damage.reason), (19, Reason::Frame));
/// # Ok::<(), avro_path::Error>(())
/// ```
#[derive(Debug)]
pub struct SalvageReader<R> {
    input: Input<R>,
    header: Arc<Header>,
    /// The marker with which blocks end, which is not the header's if that is damaged.
    marker: [u8; SYNC],
    /// The marker with which the blocks of the first container end.
    first_marker: [u8; SYNC],
    schema_limits: SchemaLimits,
    /// Whether it is known that `marker` is the right one.
    has_voted: bool,
    gate: Gate,
    sieve: Sieve,
    decompressor: Decompressor,
    /// Compression of blocks, which differs from the header's in another container.
    codec: Codec,
    /// Container that is read, if it is not the first.
    another: Option<Another>,
    /// Bytes of false headers that were tried.
    tried: u64,
    data: Vec<u8>,
    /// Good records of a block that has others between them.
    kept: Vec<u8>,
    position: BlockPosition,
    taken: usize,
    /// Good part of the block that was lent last.
    last: Option<Good>,
    /// Offset from which on no block of this reader begins, unless it follows a damaged marker.
    end: u64,
    /// Whether the next block directly follows an intact marker.
    after_marker: bool,
    /// Whether the block that was lent last directly follows an intact marker.
    is_entered: bool,
    /// Number of records before the next block that are known to be lost.
    lost: u64,
    report: Report,
}

/// Good part of a block.
#[derive(Debug)]
struct Good {
    /// Range of the stored bytes in the window.
    stored: Range<usize>,
    count: u64,
    /// Ranges of the good records in the block's bytes.
    runs: Vec<Range<usize>>,
    /// Number of records before the block that are known to be lost.
    lost_before: u64,
    /// Lost records of the block: the number of good ones before them, and theirs.
    gaps: Vec<(u64, u64)>,
}

impl<R: Read> SalvageReader<R> {
    /// Reads from anything with the default limits; see [`ReaderBuilder::build_salvage`] for others.
    ///
    /// # Errors
    /// As [`ReaderBuilder::build_salvage`].
    pub fn new(source: R) -> Result<Self> {
        ReaderBuilder::default().source(source).build_salvage()
    }

    pub(super) fn start(source: R, settings: &Settings) -> Result<Self> {
        let mut input = Input::new(source);
        let mut parser = HeaderParser::new(settings.schema_limits);
        let header = input.look(|window| parser.parse(window)).map_err(|error| settings.locate(error))?;
        let decompressor = Decompressor::new(header.codec()).map_err(|error| settings.locate(error))?;
        input.take_to(header.len());
        Ok(Self {
            input,
            marker: header.sync_marker(),
            first_marker: header.sync_marker(),
            schema_limits: settings.schema_limits,
            has_voted: false,
            gate: Gate::new(&header, settings.limits),
            sieve: Sieve {
                schema: header.schema().clone(),
                plan: SkipPlan::new(header.schema()),
                limits: settings.limits,
                values: true,
            },
            codec: header.codec(),
            another: None,
            tried: 0,
            header: Arc::new(header),
            decompressor,
            data: Vec::new(),
            kept: Vec::new(),
            position: BlockPosition { file: settings.name.clone(), ..BlockPosition::default() },
            taken: 0,
            last: None,
            end: u64::MAX,
            after_marker: true,
            is_entered: true,
            lost: 0,
            report: Report { file: settings.name.clone(), ..Report::default() },
        })
    }

    /// Chooses whether the values of records are checked, and not only where the records end. Default: true.
    #[must_use]
    pub fn check_values(mut self, on: bool) -> Self {
        self.sieve.values = on;
        self
    }

    /// Returns the container's header: schema, codec, metadata.
    #[must_use]
    pub fn header(&self) -> &Arc<Header> {
        &self.header
    }

    /// Returns the findings so far.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Takes the damages that were found so far out of the report, so that they need no memory.
    pub fn take_damages(&mut self) -> Vec<LostRange<Reason>> {
        std::mem::take(&mut self.report.damages)
    }

    /// Returns the next block with a good record, with only its good records; `None` at the end. Records are numbered
    /// among the good ones.
    ///
    /// # Errors
    /// When reading fails. Damages are not errors.
    pub fn next_block(&mut self) -> Result<Option<Block<'_>>> {
        self.last = None;
        if !self.has_voted {
            self.vote()?;
        }
        let good = loop {
            self.input.take(std::mem::take(&mut self.taken));
            self.position.offset = self.input.offset();
            if self.position.offset >= self.end && self.after_marker && !self.is_foreign() {
                self.settle_refused();
                return Ok(None);
            }
            match self.step()? {
                SalvageStep::Good(good) => break good,
                SalvageStep::Again => {}
                SalvageStep::End => {
                    self.settle_refused();
                    return Ok(None);
                }
            }
        };
        self.position.first_record = self.report.records;
        self.position.number = self.report.blocks;
        self.report.records = self.report.records.saturating_add(good.count);
        self.report.blocks += 1;
        if good.runs.len() > 1 {
            let mut kept = std::mem::take(&mut self.kept);
            kept.clear();
            let whole = self.whole(&good);
            good.runs
                .iter()
                .for_each(|run| kept.extend_from_slice(whole.get(run.clone()).unwrap_or_default()));
            self.kept = kept;
        }
        self.last = Some(good);
        Ok(self.last_block())
    }

    /// Returns the block that [`next_block`](Self::next_block) lent last, once more. `None` before the first block and
    /// after the last one.
    #[must_use]
    pub fn last_block(&self) -> Option<Block<'_>> {
        let good = self.last.as_ref()?;
        let bytes = match &*good.runs {
            [] => &[],
            [run] => self.whole(good).get(run.clone()).unwrap_or_default(),
            _ => &self.kept,
        };
        Some(Block { position: &self.position, count: good.count, bytes })
    }

    /// Returns the offset in the file of a byte of the block that was lent last, where blocks are not compressed.
    #[must_use]
    pub fn offset_of(&self, byte: usize) -> Option<u64> {
        if !self.has_offsets() {
            return None;
        }
        let good = self.last.as_ref()?;
        let mut left = byte;
        for run in &good.runs {
            if left < run.len() {
                let at = good.stored.start.saturating_add(run.start).saturating_add(left);
                return Some(self.position.offset.saturating_add(at as u64));
            }
            left -= run.len();
        }
        None
    }

    /// Returns the number of the first record of the block that was lent last, good or not, as [`number_of`](Self::number_of)
    /// counts.
    #[must_use]
    pub fn first_number(&self) -> u64 {
        let before = self.last.as_ref().map_or(0, |good| good.lost_before);
        self.position.first_record.saturating_add(before)
    }

    /// Returns the number of a record of the block that was lent last, counted from the first block of the reader with the
    /// lost records whose number is known.
    #[must_use]
    pub fn number_of(&self, record: u64) -> u64 {
        let gaps = self.last.as_ref().map_or(&[][..], |good| &good.gaps);
        let lost = gaps.iter().take_while(|(good, _)| *good <= record).map(|(_, lost)| *lost);
        lost.fold(self.first_number().saturating_add(record), u64::saturating_add)
    }

    /// Returns whether the bytes of blocks are lent as they are in the file.
    pub(super) fn has_offsets(&self) -> bool {
        self.codec == Codec::Null && !self.is_resolved()
    }

    /// Returns whether the sync marker before the block that was lent last is whole, so that a reader of a
    /// [split](super::splits) that begins with the block finds it.
    #[must_use]
    pub fn is_entered(&self) -> bool {
        self.is_entered
    }

    /// Returns the range of the file that the block takes which was lent last.
    #[must_use]
    pub fn last_range(&self) -> Range<u64> {
        self.position.offset..self.position.offset.saturating_add(self.taken as u64)
    }

    /// Returns all bytes of a block.
    fn whole(&self, good: &Good) -> &[u8] {
        match self.has_offsets() {
            true => self.input.window().bytes.get(good.stored.clone()).unwrap_or_default(),
            false => &self.data,
        }
    }
}

impl<R: Read + Seek> SalvageReader<R> {
    /// Restricts the reader to blocks that begin at `start` or after it and before `end`: the readers of
    /// [`splits`](super::splits) of a file together give every good block once. A block that follows a damaged marker
    /// belongs to the split of the block before it, and all blocks of another container with another marker to the
    /// split of its header. To be called before the first block is read.
    ///
    /// # Errors
    /// When reading fails.
    pub fn restrict(&mut self, start: u64, end: u64) -> Result<()> {
        if !self.has_voted {
            self.vote()?;
        }
        if start > 0 {
            // The first split tells of the header.
            self.report.damages.clear();
        }
        if start > self.header.len() {
            // The block at `start` has its marker right before it.
            let from = start.saturating_sub(SYNC as u64).max(self.header.len().saturating_sub(SYNC as u64));
            let sought = self.input.seek(from).and_then(|()| self.input.skip_past(&self.marker));
            sought.map_err(|error| self.position.locate(error))?;
        }
        self.end = end;
        Ok(())
    }

    /// Moves to the blocks that begin at `start` or after it and before `end`, as [`restrict`](Self::restrict) does,
    /// forward or backward. Records are numbered from the first of them.
    ///
    /// # Errors
    /// When reading fails.
    pub fn enter(&mut self, start: u64, end: u64) -> Result<()> {
        if !self.has_voted {
            self.vote()?;
        }
        self.input.seek(self.header.len()).map_err(|error| self.position.locate(error))?;
        self.move_to_first()?;
        (self.last, self.taken, self.lost, self.after_marker) = (None, 0, 0, true);
        (self.report.records, self.report.blocks) = (0, 0);
        self.restrict(start, end)
    }
}
