//! TFRecord files as parts.

use std::collections::VecDeque;
use std::sync::Arc;

use tfrecord_io::index::Stamp;
use tfrecord_io::salvage::{Report, SalvageReader};
use tfrecord_io::{Compression, Index, Reader, ReaderBuilder, RecordBuffer};
use tfxio_core::{Skip, SkippedRange};

use super::{
    Cost, IndexFor, Input, KeptIndexes, Opener, PartReader, PartRecords, Parts, Place, Raw, RawRecords, Run,
};
use crate::error::Locate;
use crate::error::REWRITE_OR_SKIP;
use crate::{Error, Kind, Result};

/// The most bytes and records in a piece: what is parsed at once and shared by the examples in it.
const PIECE_BYTES: usize = 128 << 10;
const PIECE_RECORDS: usize = 512;
/// Records that follow each other are a piece of their own from so many on.
const LONG_RUN: u64 = 64;
/// Bytes of a frame beside the payload.
pub(crate) const FRAME: u64 = 16;

/// TFRecord files, all compressed in one way.
pub(crate) struct TfRecordParts {
    names: Vec<Arc<str>>,
    compression: Compression,
    /// Damaged records are skipped and reported here.
    skip: Option<Skip>,
    buffer_bytes: usize,
    opener: Arc<dyn Opener>,
    kept: KeptIndexes,
}

impl TfRecordParts {
    /// `buffer_bytes` is what is read at once, 0 for the reader's own choice.
    pub(crate) fn new(
        names: Vec<Arc<str>>,
        compression: Compression,
        skip: Option<Skip>,
        buffer_bytes: usize,
        opener: Arc<dyn Opener>,
        kept: KeptIndexes,
    ) -> Self {
        Self { names, compression, skip, buffer_bytes, opener, kept }
    }

    fn name(&self, part: usize) -> Arc<str> {
        self.names.get(part).cloned().unwrap_or_default()
    }

    fn input(&self, part: usize) -> Result<Box<dyn Input>> {
        let name = self.name(part);
        self.opener.open(&name).map_err(|error| opening(error, &name))
    }

    fn builder<R>(&self, part: usize, input: R) -> ReaderBuilder<R> {
        let builder = Reader::builder(input).compression(Some(self.compression)).name(self.name(part));
        if self.buffer_bytes > 0 { builder.buffer_bytes(self.buffer_bytes) } else { builder }
    }
}

/// Why a file could not be opened.
fn opening(error: std::io::Error, name: &Arc<str>) -> Error {
    let (kind, what) = match error.kind() {
        std::io::ErrorKind::NotFound => (Kind::NotFound, "no such file".to_owned()),
        kind => (Kind::Io, format!("opening failed: {kind}")),
    };
    Error::new(kind, what)
        .help("check the list of files and the paths in it")
        .in_file(name.clone())
        .because(error)
}

/// An error of the frames, whose record is numbered from `base` on.
fn framing(error: Error, base: u64, name: &Arc<str>) -> Error {
    use tfrecord_io::Kind as F;
    use tfxio_core::ErrorKind as Coarse;
    let kind = match error.kind() {
        Coarse::NotFound => Kind::NotFound,
        Coarse::LimitExceeded => Kind::LimitExceeded,
        kind if kind.is_io() => Kind::Io,
        _ => Kind::Corrupt,
    };
    let position = error.position();
    let (record, byte) = (position.record.map(|record| record.saturating_add(base)), position.byte);
    let hint = match error.detail() {
        Some(F::CompressionMismatch | F::NotTfRecord) => "check `compression` in the manifest",
        Some(F::HeaderCrc | F::PayloadCrc | F::Truncated | F::Decompress) => REWRITE_OR_SKIP,
        _ => "",
    };
    let mut out = Error::new(kind, error.what().to_owned()).in_file(name.clone());
    out.position_mut().record = record;
    out.position_mut().byte = byte;
    let out = if hint.is_empty() {
        match error.hint() {
            Some(hint) => out.help(hint.to_owned()),
            None => out,
        }
    } else {
        out.help(hint)
    };
    out.because(error)
}

impl Parts for TfRecordParts {
    fn names(&self) -> &[Arc<str>] {
        &self.names
    }

    fn size(&self, part: usize) -> Result<Option<u64>> {
        let name = self.name(part);
        self.opener.size(&name).map(Some).map_err(|error| opening(error, &name))
    }

    fn open(&self, part: usize, from: Place) -> Result<Box<dyn PartReader>> {
        let name = self.name(part);
        let input = self.input(part)?;
        if let Some(skip) = &self.skip {
            let all = vec![Run { from, count: u64::MAX }];
            return Ok(Box::new(Salvaged::new(input, self.compression, name, all, skip.clone())));
        }
        if self.compression == Compression::None {
            let reader = self.builder(part, input).build_range(from.byte..u64::MAX);
            let reader = reader.map_err(|error| framing(error, 0, &name))?;
            return Ok(Box::new(Frames {
                reader,
                base: from.record,
                skip: 0,
                name,
                seen: from,
                inflates: false,
            }));
        }
        let reader = self.builder(part, input).build();
        let seen = Place::default();
        Ok(Box::new(Frames { reader, base: 0, skip: from.record, name, seen, inflates: true }))
    }

    fn fetch(&self, part: usize, runs: Vec<Run>) -> Result<Box<dyn PartReader>> {
        let name = self.name(part);
        let input = self.input(part)?;
        if let Some(skip) = &self.skip {
            return Ok(Box::new(Salvaged::new(input, self.compression, name, runs, skip.clone())));
        }
        if self.compression == Compression::None {
            return Ok(Box::new(Seeks {
                input: Some(input),
                builder: self.builder(part, ()),
                runs: runs.into(),
                name,
            }));
        }
        let reader = self.builder(part, input).build();
        Ok(Box::new(Passing { reader, runs: runs.into(), name, seen: Place::default() }))
    }

    fn index(&self, part: usize, purpose: IndexFor) -> Result<PartRecords> {
        self.indexed(part, purpose).map(|index| PartRecords::Indexed(Arc::new(index)))
    }
}

impl TfRecordParts {
    fn indexed(&self, part: usize, purpose: IndexFor) -> Result<Index> {
        let name = self.name(part);
        if self.compression != Compression::None && purpose == IndexFor::AnyOrder {
            let what = "a global shuffle reads records in any order, which a compressed file does not allow";
            return Err(Error::new(Kind::InvalidValue, what)
                .help("write the data set without compression, or shuffle through a buffer")
                .in_file(name));
        }
        if let Some(index) = self.kept.find(&name)?.filter(|index| index.compression() == self.compression) {
            return Ok(index);
        }
        if self.compression != Compression::None {
            let what = "how many records a compressed file has shows only when all of it is decompressed";
            return Err(Error::new(Kind::InvalidValue, what)
                .help("index it first (`tfxio index FILE`), or write it without compression")
                .in_file(name));
        }
        let size = self.opener.size(&name).map_err(|error| opening(error, &name))?;
        let stamp = Stamp::of_file(&*name).ok().filter(|stamp| stamp.file_bytes == size);
        let stamp = stamp.unwrap_or_else(|| Stamp::new(size));
        // What needs an index refuses to skip damage.
        let index =
            Index::hop(self.input(part)?, stamp).map_err(|error| framing(error, 0, &name).without_skip())?;
        self.kept.keep(&name, &index)?;
        Ok(index)
    }
}

/// All records from a place on.
struct Frames<R> {
    reader: Reader<R>,
    /// The number of the reader's first record.
    base: u64,
    /// Records to pass over: those before the place in a compressed file.
    skip: u64,
    name: Arc<str>,
    /// Where the last piece ended.
    seen: Place,
    inflates: bool,
}

impl<R: Input> Frames<R> {
    fn place(&self) -> Place {
        Place { record: self.base.saturating_add(self.reader.records_read()), byte: self.reader.offset() }
    }
}

impl<R: Input> PartReader for Frames<R> {
    fn read(&mut self, mut spare: RecordBuffer) -> Result<Option<Raw>> {
        let fail = |error| framing(error, self.base, &self.name);
        while self.skip > 0 {
            let some = usize::try_from(self.skip).unwrap_or(usize::MAX).min(PIECE_RECORDS);
            match self.reader.read_batch(&mut spare, some, PIECE_BYTES).map_err(fail)? {
                0 => {
                    let record = self.skip.saturating_add(self.reader.records_read());
                    return Err(gone(Place { record, byte: 0 }, &self.name));
                }
                count => self.skip -= count as u64,
            }
        }
        let first = self.base.saturating_add(self.reader.records_read());
        if self.reader.read_batch(&mut spare, PIECE_RECORDS, PIECE_BYTES).map_err(fail)? == 0 {
            return Ok(None);
        }
        let next = self.place();
        let cost = cost(self.seen, next, self.inflates);
        self.seen = next;
        Ok(Some(Raw { records: RawRecords::Frames(spare), first, next, cost }))
    }
}

/// What it takes to read from one place to another.
fn cost(from: Place, to: Place, inflates: bool) -> Cost {
    let bytes = to.byte.saturating_sub(from.byte);
    let inflated = if inflates { bytes } else { 0 };
    Cost { records: to.record.saturating_sub(from.record), bytes, inflated, damaged: 0 }
}

/// Runs of records of a file that can be sought in.
struct Seeks {
    input: Option<Box<dyn Input>>,
    builder: ReaderBuilder,
    runs: VecDeque<Run>,
    name: Arc<str>,
}

impl PartReader for Seeks {
    fn read(&mut self, mut spare: RecordBuffer) -> Result<Option<Raw>> {
        let (Some(&first), Some(mut input)) = (self.runs.front(), self.input.take()) else { return Ok(None) };
        let (mut apart, mut bytes, mut all, mut next) = (Vec::new(), 0, Cost::default(), first.from);
        while let Some(run) = self.runs.pop_front() {
            let long = run.count >= LONG_RUN;
            if !apart.is_empty() && (long || apart.len() >= PIECE_RECORDS || bytes >= PIECE_BYTES) {
                self.runs.push_front(run);
                break;
            }
            let fail = |error| framing(error, run.from.record, &self.name);
            // A few records are read with one small read, not with a whole buffer.
            let builder = self.builder.clone().source(input);
            let builder = if long { builder } else { builder.buffer_bytes(16 << 10) };
            let mut reader = builder.build_range(run.from.byte..u64::MAX).map_err(fail)?;
            let most = usize::try_from(run.count).unwrap_or(usize::MAX).min(PIECE_RECORDS);
            let count = reader.read_batch(&mut spare, most, PIECE_BYTES).map_err(fail)? as u64;
            if count == 0 {
                return Err(gone(run.from, &self.name));
            }
            next = Place { record: run.from.record.saturating_add(count), byte: reader.offset() };
            if count < run.count {
                self.runs.push_front(Run { from: next, count: run.count - count });
            }
            let cost = cost(run.from, next, false);
            all.records += cost.records;
            all.bytes += cost.bytes;
            input = reader.into_inner();
            if long {
                self.input = Some(input);
                return Ok(Some(Raw {
                    records: RawRecords::Frames(spare),
                    first: run.from.record,
                    next,
                    cost: all,
                }));
            }
            for (record, number) in spare.iter().zip(run.from.record..=u64::MAX) {
                bytes += record.data.len();
                apart.push((Place { record: number, byte: record.offset }, record.data.to_vec()));
            }
        }
        self.input = Some(input);
        Ok(Some(Raw { records: RawRecords::Apart(apart), first: first.from.record, next, cost: all }))
    }

    fn is_done(&self) -> bool {
        self.runs.is_empty()
    }
}

/// Runs of records of a file that is read from its start.
struct Passing<R> {
    reader: Reader<R>,
    runs: VecDeque<Run>,
    name: Arc<str>,
    seen: Place,
}

impl<R: Input> PartReader for Passing<R> {
    fn read(&mut self, mut spare: RecordBuffer) -> Result<Option<Raw>> {
        let fail = |error| framing(error, 0, &self.name);
        let Some(run) = self.runs.pop_front() else { return Ok(None) };
        loop {
            let first = self.reader.records_read();
            let wanted = if first < run.from.record { run.from.record - first } else { run.count };
            let most = usize::try_from(wanted).unwrap_or(usize::MAX).min(PIECE_RECORDS);
            let count = self.reader.read_batch(&mut spare, most, PIECE_BYTES).map_err(fail)? as u64;
            if count == 0 {
                return Err(gone(run.from, &self.name));
            }
            if first < run.from.record {
                continue;
            }
            let next = Place { record: first + count, byte: self.reader.offset() };
            if count < run.count {
                self.runs.push_front(Run { from: next, count: run.count - count });
            }
            let cost = cost(self.seen, next, true);
            self.seen = next;
            return Ok(Some(Raw { records: RawRecords::Frames(spare), first, next, cost }));
        }
    }

    fn is_done(&self) -> bool {
        self.runs.is_empty()
    }
}

/// A record that was there is not there any more.
fn gone(from: Place, name: &Arc<str>) -> Error {
    Error::new(Kind::State, "the file ends before this record")
        .help("it was changed since it was indexed or the state was saved; start anew")
        .in_file(name.clone())
        .in_record(from.record, Some(from.byte))
}

/// Records of a file that may be damaged, from its start; what is damaged is left out.
struct Salvaged<R> {
    reader: SalvageReader<R>,
    runs: VecDeque<Run>,
    name: Arc<str>,
    seen: Place,
    /// Damages that were found since the last piece.
    damaged: u64,
    inflates: bool,
    skip: Skip,
    /// What comes after the records that were read: more is damaged than the budget allows.
    failed: Option<Error>,
}

impl<R: Input> Salvaged<R> {
    fn new(input: R, compression: Compression, name: Arc<str>, runs: Vec<Run>, skip: Skip) -> Self {
        let reader = SalvageReader::builder(input).compression(Some(compression)).name(name.clone()).build();
        let inflates = compression != Compression::None;
        Self {
            reader,
            runs: runs.into(),
            name,
            seen: Place::default(),
            damaged: 0,
            inflates,
            skip,
            failed: None,
        }
    }

    /// Counts the damage that was found since the last time.
    fn count(&mut self) -> Result<()> {
        for damage in self.reader.take_damages() {
            self.damaged += 1;
            let reason = damage.reason.to_string();
            let mut range = SkippedRange::new(Arc::clone(&self.name), damage.start, damage.end, reason);
            (range.records, range.compressed) = (damage.lost_records, damage.compressed);
            self.skip.add(range).map_err(Locate::over_budget)?;
        }
        // The list is emptied after each record, so it is full only where none comes in between.
        let report = self.reader.report();
        if report.unlisted > 0 {
            let listed = Report::MOST_LISTED;
            let what =
                format!("more than {listed} damages follow each other without a whole record between them");
            let error = Error::new(Kind::LimitExceeded, what).help("write the file again");
            return Err(error.in_file(Arc::clone(&self.name)));
        }
        Ok(())
    }

    /// Checks the share of the file that was damaged.
    fn end(&self) -> Result<()> {
        let report = self.reader.report();
        let lost = report.lost_bytes.saturating_add(report.lost_compressed_bytes);
        let frames = report.records.saturating_mul(FRAME);
        let all = lost.saturating_add(report.payload_bytes).saturating_add(frames);
        self.skip.end_of_file(&self.name, lost, all).map_err(Locate::over_budget)
    }
}

impl<R: Input> PartReader for Salvaged<R> {
    fn read(&mut self, _: RecordBuffer) -> Result<Option<Raw>> {
        if let Some(error) = self.failed.take() {
            self.runs.clear();
            return Err(error);
        }
        let mut out = Vec::new();
        let mut bytes = 0;
        let mut next = Place::default();
        while out.len() < PIECE_RECORDS && bytes < PIECE_BYTES && !self.runs.is_empty() {
            let record = self.reader.next_record().map_err(|error| framing(error, 0, &self.name))?;
            let record = record.map(|record| {
                let wanted = self.runs.front().is_some_and(|run| record.offset >= run.from.byte);
                let place = Place { record: record.index, byte: record.offset };
                let after = Place {
                    record: record.index + 1,
                    byte: record.offset + record.data.len() as u64 + FRAME,
                };
                (place, after, if wanted { Some(record.data.to_vec()) } else { None })
            });
            let within = self.count().and_then(|()| if record.is_none() { self.end() } else { Ok(()) });
            if let Err(error) = within {
                self.failed = Some(error);
                break;
            }
            let Some((place, after, data)) = record else {
                self.runs.clear();
                break;
            };
            let Some(data) = data else { continue };
            bytes += data.len();
            next = after;
            out.push((place, data));
            if let Some(run) = self.runs.front_mut() {
                run.count -= 1;
                run.from.byte = next.byte;
                if run.count == 0 {
                    self.runs.pop_front();
                }
            }
        }
        let found = std::mem::take(&mut self.damaged);
        if out.is_empty() && found == 0 {
            return match self.failed.take() {
                Some(error) => Err(error),
                None => Ok(None),
            };
        }
        let first = out.first().map_or(self.seen.record, |(place, _)| place.record);
        let next = if out.is_empty() { self.seen } else { next };
        let mut cost = cost(self.seen, next, self.inflates);
        cost.damaged = found;
        self.seen = next;
        Ok(Some(Raw { first, records: RawRecords::Apart(out), next, cost }))
    }

    fn is_done(&self) -> bool {
        self.runs.is_empty() && self.failed.is_none()
    }
}
