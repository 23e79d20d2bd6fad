//! Reads what is left of a damaged container, and reports what is lost.

use std::fmt;
use std::io::Read;
use std::sync::Arc;

use super::block::{Block, BlockPlace, whole_records};
use super::codec::{Codec, Decompressor};
use super::cut::{is_from_below, read_frame};
use super::frame::Head;
use super::gate::Gate;
use super::header::Header;
use super::input::Input;
use super::open::ReaderBuilder;
use crate::datum::SkipPlan;
use crate::{Error, ErrorKind, Result};

/// Why something was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// The head of a block is damaged, or the sync marker does not stand behind it: what follows was searched.
    Frame,
    /// The file ends within a block.
    Truncated,
    /// A block cannot be decompressed, or its checksum does not fit.
    Compression,
    /// A block claims more than the limits allow.
    Limit,
    /// Within a block, a record is no datum of the schema, or the block holds another number of records than it says.
    Records,
}

impl Reason {
    /// A name for programs: `frame`, `truncated`, `compression`, `limit` or `records`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Frame => "frame",
            Self::Truncated => "truncated",
            Self::Compression => "compression",
            Self::Limit => "limit",
            Self::Records => "records",
        }
    }

    fn of(error: &Error) -> Self {
        match error.kind() {
            ErrorKind::Truncated => Self::Truncated,
            ErrorKind::Decompress => Self::Compression,
            ErrorKind::LimitExceeded => Self::Limit,
            _ => Self::Frame,
        }
    }
}

/// One range of bytes of which something was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Damage {
    /// The first byte of the file that belongs to the damage.
    pub start: u64,
    /// The byte behind the last one.
    pub end: u64,
    /// Good records before.
    pub records_before: u64,
    /// Records that were lost, as far as the damaged block says it; 0 where only a sync marker is
    /// damaged, or bytes follow the last record of a block.
    pub lost_records: Option<u64>,
    /// Why.
    pub reason: Reason,
}

/// What a [`SalvageReader`] has found. Prints as a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The file, if its name is known.
    pub file: Option<Arc<str>>,
    /// Blocks of which at least one record is good.
    pub blocks: u64,
    /// Good records.
    pub records: u64,
    /// What was lost, in the order of the file: the first [`Report::MOST_LISTED`].
    pub damages: Vec<Damage>,
    /// Damages that are not listed.
    pub unlisted: u64,
}

impl Report {
    /// The most damages that are listed, so that a file of nothing but damage does not fill the memory: 65,536.
    pub const MOST_LISTED: usize = 1 << 16;

    /// Whether nothing was lost.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.damages.is_empty()
    }

    fn add(&mut self, damage: Damage) {
        if self.damages.len() < Self::MOST_LISTED {
            self.damages.push(damage);
        } else {
            self.unlisted = self.unlisted.saturating_add(1);
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}: ")?;
        }
        write!(f, "{} good record{}", self.records, if self.records == 1 { "" } else { "s" })?;
        if self.is_clean() {
            return f.write_str(", nothing lost");
        }
        for damage in &self.damages {
            write!(f, "\nbytes {} to {}: ", damage.start, damage.end)?;
            match damage.lost_records {
                Some(1) => f.write_str("1 record lost")?,
                Some(records) => write!(f, "{records} records lost")?,
                None => f.write_str("an unknown number of records lost")?,
            }
            let (before, plural) = (damage.records_before, if damage.records_before == 1 { "" } else { "s" });
            write!(f, " after {before} good record{plural} ({})", damage.reason.name())?;
        }
        if self.unlisted > 0 {
            write!(f, "\nand {} more", self.unlisted)?;
        }
        Ok(())
    }
}

/// Reads a damaged container: good blocks come out, what is lost is reported.
///
/// - A block whose head cannot be true, or behind which the sync marker does not stand, is lost up to the next sync
///   marker, which is searched from the block's beginning.
///   If only the marker is damaged, so that the next block stands where it should, nothing is lost.
/// - A block that cannot be decompressed is lost, and no more.
/// - Of a block in which a record's end cannot be found, the records before are good, the others are lost. Values
///   within a record are not looked at: that is the decoder's work.
/// - Without its header a container cannot be read.
///
/// Every step moves forward, so that any input ends.
///
/// ```
/// use avro_path::Schema;
/// use avro_path::container::{Reason, SalvageReader, WriterBuilder};
///
/// let schema = Schema::parse("\"long\"")?;
/// let mut writer = WriterBuilder::new().block_bytes(1).from_writer(Vec::new(), &schema)?;
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
/// let damage = reader.report().damages[0];
/// assert_eq!((damage.end - damage.start, damage.reason), (19, Reason::Frame));
/// # Ok::<(), avro_path::Error>(())
/// ```
#[derive(Debug)]
pub struct SalvageReader<R> {
    input: Input<R>,
    header: Arc<Header>,
    gate: Gate,
    plan: SkipPlan,
    decompressor: Decompressor,
    data: Vec<u8>,
    place: BlockPlace,
    taken: usize,
    report: Report,
}

/// What is good of a block.
struct Good {
    /// Where the stored bytes stand in the window.
    stored: std::ops::Range<usize>,
    count: u64,
    bytes: usize,
}

impl<R: Read> SalvageReader<R> {
    /// Reads from anything with the default limits.
    ///
    /// # Errors
    /// As [`from_builder`](Self::from_builder).
    pub fn new(source: R) -> Result<Self> {
        Self::from_builder(source, &ReaderBuilder::new())
    }

    /// Reads from anything, with the name and the limits of a builder.
    ///
    /// # Errors
    /// When reading fails or the header is damaged.
    pub fn from_builder(source: R, builder: &ReaderBuilder) -> Result<Self> {
        let mut input = Input::new(source, 0);
        let opened =
            Header::read(&mut input).and_then(|header| Ok((Decompressor::new(header.codec())?, header)));
        let (decompressor, header) = opened.map_err(|mut error| {
            error.position_mut().file.clone_from(&builder.name);
            error
        })?;
        Ok(Self {
            input,
            gate: Gate::new(&header, builder.limits),
            plan: SkipPlan::new(header.schema()),
            header: Arc::new(header),
            decompressor,
            data: Vec::new(),
            place: BlockPlace { file: builder.name.clone(), ..BlockPlace::default() },
            taken: 0,
            report: Report { file: builder.name.clone(), ..Report::default() },
        })
    }

    /// The container's header: schema, codec, metadata.
    #[must_use]
    pub fn header(&self) -> &Arc<Header> {
        &self.header
    }

    /// What was found so far.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The next block of which a record is good, with only its good records; `None` at the end. Records are numbered
    /// among the good ones.
    ///
    /// # Errors
    /// When reading fails. Damages are no errors.
    pub fn next_block(&mut self) -> Result<Option<Block<'_>>> {
        let good = loop {
            self.input.take(std::mem::take(&mut self.taken));
            self.place.offset = self.input.offset();
            match self.step()? {
                Step::Good(good) => break good,
                Step::Again => {}
                Step::End => return Ok(None),
            }
        };
        self.place.first_record = self.report.records;
        self.place.number = self.report.blocks;
        self.report.records = self.report.records.saturating_add(good.count);
        self.report.blocks += 1;
        let whole = match self.header.codec() {
            Codec::Null => self.input.window().get(good.stored).unwrap_or_default(),
            _ => &self.data,
        };
        let bytes = whole.get(..good.bytes).unwrap_or_default();
        Ok(Some(Block { place: &self.place, count: good.count, bytes }))
    }

    fn step(&mut self) -> Result<Step> {
        let start = self.input.offset();
        let marker = self.header.sync_marker();
        let most = self.gate.most_stored();
        let mut marker_lost = false;
        let head = match read_frame(&mut self.input, 0, &marker, most) {
            Ok(Some(head)) => head,
            Ok(None) => return Ok(Step::End),
            Err(error) if is_from_below(&error) => return Err(self.place.locate(error)),
            Err(error) => match self.without_marker(&error)? {
                Some(head) => {
                    marker_lost = true;
                    head
                }
                None => {
                    self.input.skip_past(&marker)?;
                    let reason = Reason::of(&error);
                    self.lose(start, self.input.offset(), self.report.records, None, reason);
                    return Ok(Step::Again);
                }
            },
        };
        self.taken = head.whole();
        let end = start.saturating_add(self.taken as u64);
        let stored = head.length..head.length.saturating_add(head.size);
        let bytes = self.input.window().get(stored.clone()).unwrap_or_default();
        let opened = self.gate.open(head.count, bytes, &mut self.decompressor, &mut self.data);
        let (good, lost) = match opened {
            Ok(bytes) => {
                let (count, length) = whole_records(&self.header, &self.plan, head.count, bytes);
                let all = count == head.count && length == bytes.len();
                (
                    Good { stored, count, bytes: length },
                    (!all).then_some((head.count - count, Reason::Records)),
                )
            }
            Err(error) => {
                let reason = match error.kind() {
                    ErrorKind::Block => Reason::Records,
                    _ => Reason::of(&error),
                };
                (Good { stored, count: 0, bytes: 0 }, Some((head.count, reason)))
            }
        };
        let lost = lost.or(marker_lost.then_some((0, Reason::Frame)));
        if let Some((records, reason)) = lost {
            let before = self.report.records.saturating_add(good.count);
            self.lose(start, end, before, Some(records), reason);
        }
        Ok(if good.count == 0 { Step::Again } else { Step::Good(good) })
    }

    /// The head of a block whose sync marker alone is damaged: behind where it should stand, a whole block follows, or
    /// the file ends.
    fn without_marker(&mut self, error: &Error) -> Result<Option<Head>> {
        if error.kind() != ErrorKind::Sync {
            return Ok(None);
        }
        let most = self.gate.most_stored();
        let Ok(head) = Head::parse(self.input.window(), most) else { return Ok(None) };
        match read_frame(&mut self.input, head.whole(), &self.header.sync_marker(), most) {
            Ok(_) => Ok(Some(head)),
            Err(error) if is_from_below(&error) => Err(self.place.locate(error)),
            Err(_) => Ok(None),
        }
    }

    fn lose(&mut self, start: u64, end: u64, records_before: u64, lost_records: Option<u64>, reason: Reason) {
        self.report.add(Damage { start, end, records_before, lost_records, reason });
    }
}

enum Step {
    Good(Good),
    Again,
    End,
}
