//! Scans of TFRecord files.

use std::sync::Arc;

use arrow_schema::{Schema, SchemaRef};
use tfxio_core::{
    Batch, Cancel, Error, ErrorKind, Nested, Ordered, Partition, RecordPlan, Result, Scan, ScanCounts,
    ScanRequest, Seek, Work as _,
};

use super::cut;
use super::data::Data;
use super::indexes::Kind;
use super::job::{Cursor, Decoder, Done, Job};
use super::partition_reader::Reading;
use super::records::Records;

/// What decodes: the caller alone, or several threads.
enum Engine {
    Alone(Box<(Records, Job)>),
    Threads(Ordered<Job>),
}

impl Engine {
    fn next(&mut self) -> Result<Option<Done>> {
        match self {
            Self::Alone(both) => {
                let (records, job) = &mut **both;
                if !job.is_done() || job.read(records)? { job.next() } else { Ok(None) }
            }
            Self::Threads(ordered) => ordered.next().transpose(),
        }
    }
}

/// A scan of one partition, or of several for chosen records.
pub(super) struct TfRecordScan {
    data: Arc<Data>,
    plan: Arc<dyn RecordPlan>,
    request: ScanRequest,
    schema: SchemaRef,
    /// Ends the reads of other threads when the scan is dropped.
    cancel: Cancel,
    /// The partition as it was asked for, without what was given away; nothing where there are several.
    whole: Option<Partition>,
    /// What the engine reads, from its first record on.
    from: Vec<Partition>,
    /// How far the batches that were returned have come in it.
    cursor: Option<Cursor>,
    /// Number of records after them that are to be passed over.
    passed: u64,
    engine: Option<Engine>,
    /// Rows that are still to be returned.
    left: u64,
    counts: ScanCounts,
    ended: bool,
}

impl TfRecordScan {
    /// Returns a scan of partitions, one after the other. Opens the first, so that its errors come early.
    pub(super) fn new(
        data: Arc<Data>,
        plan: Arc<dyn RecordPlan>,
        partitions: Vec<Partition>,
        request: &ScanRequest,
    ) -> Result<Self> {
        let decoder = decoder(&*plan, request)?;
        let schema = match &decoder {
            Some(decoder) => decoder.schema().unwrap_or_else(|| Arc::clone(plan.schema())),
            None => Arc::new(Schema::empty()),
        };
        let mut scan = Self {
            data,
            plan,
            request: request.clone(),
            schema,
            cancel: request.cancel.child(),
            whole: match partitions.as_slice() {
                [one] => Some(one.clone()),
                _ => None,
            },
            from: partitions,
            cursor: None,
            passed: 0,
            engine: None,
            // Rows that the filter leaves are counted above.
            left: request.limit.filter(|_| request.filter.is_none()).unwrap_or(u64::MAX),
            counts: ScanCounts::default(),
            ended: false,
        };
        scan.start(Some(decoder))?;
        Ok(scan)
    }

    /// Starts reading what is left, with this decoder or a new one.
    fn start(&mut self, decoder: Option<Decoder>) -> Result<()> {
        let threading = self.request.threading().cancel(self.cancel.clone());
        let nested = Nested::new();
        let reading = Reading {
            limits: self.request.limits,
            skip: self.request.on_error.skip().cloned(),
            cancel: self.cancel.clone(),
            inflates: (self.request.threads > 1).then(|| nested.threading(&threading)),
        };
        // Records that are skipped do not count.
        let limit = if reading.skip.is_some() { u64::MAX } else { self.left };
        let mut records = Records::new(Arc::clone(&self.data), reading, self.from.clone(), limit);
        if limit > 0 {
            records.open()?;
        }
        // What is one batch at most is not shared.
        let rows = self.from.iter().try_fold(0u64, |rows, from| rows.checked_add(from.records?));
        let is_small = rows.is_some_and(|rows| rows <= self.request.batch_rows as u64);
        self.engine = Some(if self.request.threads > 1 && !is_small {
            let (plan, request) = (Arc::clone(&self.plan), self.request.clone());
            let make = move || Ok(Job::new(self::decoder(&*plan, &request)?, &request, true));
            Engine::Threads(Ordered::over(records, &threading, nested, make)?)
        } else {
            let decoder = match decoder {
                Some(decoder) => decoder,
                None => self::decoder(&*self.plan, &self.request)?,
            };
            Engine::Alone(Box::new((records, Job::new(decoder, &self.request, false))))
        });
        Ok(())
    }

    fn next(&mut self) -> Result<Option<Batch>> {
        while self.left > 0 {
            self.request.cancel.check()?;
            if self.engine.is_none() {
                self.start(None)?;
            }
            let Some(engine) = &mut self.engine else { return Ok(None) };
            let Some(Done { batch, after, counts }) = engine.next()? else { return Ok(None) };
            self.cursor = after;
            self.counts = self.counts.plus(counts);
            self.passed = 0;
            let rows = batch.num_rows() as u64;
            if rows == 0 {
                continue;
            }
            let wanted = usize::try_from(self.left).unwrap_or(usize::MAX);
            let batch = if rows > self.left { batch.slice(0, wanted) } else { batch };
            self.left = self.left.saturating_sub(rows);
            return Ok(Some(batch));
        }
        Ok(None)
    }

    /// Returns what was not returned yet.
    fn rest(&self) -> Option<Partition> {
        self.after_cursor().map(|rest| cut::without(&rest, self.passed))
    }

    /// Returns what follows the batches that were returned.
    fn after_cursor(&self) -> Option<Partition> {
        let ([from], Some(_)) = (self.from.as_slice(), &self.whole) else { return None };
        let Some(Cursor { records, offset, is_compressed }) = self.cursor else { return Some(from.clone()) };
        let given = records.saturating_sub(from.skip);
        let left = from.records.map(|all| all.saturating_sub(given));
        if !is_compressed {
            let mut rest = cut::from_record(&from.file, offset, from.end, cut::is_exact(from).1);
            rest.first_record = from.first_record.and_then(|first| first.checked_add(records));
            rest.records = left;
            return Some(rest);
        }
        let mut rest = cut::without(from, given);
        if let (Some(Kind::Members(members)), Some(next), None) =
            (self.data.known_kind(&from.file), rest.first_read(), self.request.on_error.skip())
        {
            let end =
                next.saturating_add(left.unwrap_or_else(|| cut::records_of(&members).saturating_sub(next)));
            if let Some(partition) = cut::of_members(&from.file, &members, next, end) {
                rest = partition;
            }
        }
        Some(rest)
    }

    /// Goes on from the beginning of a partition.
    fn move_to(&mut self, partition: Partition) {
        self.from = vec![partition];
        self.cursor = None;
        self.passed = 0;
        self.engine = None;
    }

    /// Cuts a range of an uncompressed file in two.
    fn cut_plain(&self, rest: &Partition, fraction: f64) -> Result<Option<(Partition, Partition)>> {
        let file = &rest.file;
        if let Some(index) = self.data.index(file)?
            && self.request.on_error.skip().is_none()
        {
            let from = cut::record_from(&index, rest.start).saturating_add(rest.skip);
            let end = if rest.end == u64::MAX { index.len() } else { cut::record_from(&index, rest.end) };
            let end = rest.records.map_or(end, |records| from.saturating_add(records).min(end));
            let kept = cut::part(end.saturating_sub(from), fraction);
            let at = from.saturating_add(kept);
            let both = || (cut::of_index(file, &index, from, at), cut::of_index(file, &index, at, end));
            return Ok((at < end).then(both));
        }
        if rest.skip > 0 || rest.records.is_some() {
            return Ok(None);
        }
        let mut splitter = self.data.splitter(file, &self.request.limits, &self.cancel)?;
        let end = rest.end.min(splitter.file_bytes());
        let (start_is_exact, end_is_exact) = cut::is_exact(rest);
        let at = rest.start.saturating_add(cut::part(end.saturating_sub(rest.start), fraction));
        let at = splitter.first_record(at).map_err(|error| error.in_file(Arc::clone(file)))?;
        if at >= end || at < rest.start {
            return Ok(None);
        }
        let tail = cut::from_record(file, at, rest.end, end_is_exact);
        let mut kept = Partition::range(Arc::clone(file), rest.start, at);
        if start_is_exact {
            kept = cut::from_record(file, rest.start, at, true);
        }
        kept.first_record = rest.first_record;
        Ok(Some((kept, tail)))
    }

    /// Cuts gzip members in two.
    fn cut_members(
        &self,
        rest: &Partition,
        members: &[tfrecord_io::compression::members::Member],
        fraction: f64,
    ) -> Option<(Partition, Partition)> {
        let from = rest.first_read()?;
        let all = cut::records_of(members);
        let end = rest.records.map_or(all, |records| from.saturating_add(records).min(all));
        let wish = from.saturating_add(cut::part(end.saturating_sub(from), fraction));
        let at =
            members.iter().map(|member| member.first_record).filter(|first| *first > from && *first < end);
        let at = at.min_by_key(|first| first.abs_diff(wish))?;
        cut::of_members(&rest.file, members, from, at).zip(cut::of_members(&rest.file, members, at, end))
    }
}

fn decoder(plan: &dyn RecordPlan, request: &ScanRequest) -> Result<Decoder> {
    let is_framing = request.columns.as_ref().is_some_and(Vec::is_empty);
    if is_framing { Ok(None) } else { plan.decoder(request).map(Some) }
}

impl Scan for TfRecordScan {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn next_batch(&mut self) -> Result<Option<Batch>> {
        if self.ended {
            return Ok(None);
        }
        let next = self.next();
        if !matches!(next, Ok(Some(_))) {
            self.ended = true;
            self.engine = None;
        }
        next
    }

    fn try_split(&mut self, fraction: f64) -> Result<Option<Partition>> {
        if self.ended {
            return Ok(None);
        }
        let Some(rest) = self.rest() else { return Ok(None) };
        let cut = match self.data.kind(&rest.file, &self.request.limits)? {
            Kind::Plain => self.cut_plain(&rest, fraction)?,
            Kind::Members(members) if self.request.on_error.skip().is_none() => {
                self.cut_members(&rest, &members, fraction)
            }
            Kind::Members(_) | Kind::Stream => None,
        };
        let Some((kept, tail)) = cut else { return Ok(None) };
        if let Some(whole) = &mut self.whole {
            // Up to where the tail begins.
            let first = whole.first_read().zip(kept.first_read());
            let before = first.map(|(first, kept)| kept.saturating_sub(first));
            whole.records = before.zip(kept.records).map(|(before, kept)| before.saturating_add(kept));
            if cut::member_offset(&kept).is_none() {
                let start_is_exact = cut::is_exact(whole).0;
                whole.end = kept.end;
                whole.extra = if start_is_exact { kept.extra.clone() } else { Default::default() };
            }
        }
        self.move_to(kept);
        Ok(Some(tail))
    }

    fn remaining(&self) -> Option<Partition> {
        if self.ended {
            return None;
        }
        self.rest()
    }

    fn seek(&mut self, record: u64) -> Result<Seek> {
        let (Some(whole), Some(rest)) = (self.whole.clone(), self.rest()) else {
            return Ok(Seek::NotOffered);
        };
        let (Some(first), None) = (whole.first_read(), self.request.on_error.skip()) else {
            return Ok(Seek::NotOffered);
        };
        let end = whole.records.map(|records| first.saturating_add(records));
        if record < first || end.is_some_and(|end| record > end) {
            let what = format!("the record {record} is not in the partition {whole}");
            return Err(Error::new(ErrorKind::InvalidArgument, what)
                .help("seek records of the partition")
                .in_file(Arc::clone(&whole.file)));
        }
        self.ended = false;
        if let Some(index) = self.data.index(&whole.file)?
            && matches!(self.data.kind(&whole.file, &self.request.limits)?, Kind::Plain)
        {
            let end = end.unwrap_or(index.len()).min(index.len());
            let end = if whole.end == u64::MAX { end } else { end.min(cut::record_from(&index, whole.end)) };
            self.move_to(cut::of_index(&whole.file, &index, record.min(end), end));
            return Ok(Seek::Exact);
        }
        if let Kind::Members(members) = self.data.kind(&whole.file, &self.request.limits)? {
            let end = end.unwrap_or_else(|| cut::records_of(&members));
            if let Some(partition) = cut::of_members(&whole.file, &members, record, end) {
                let skipped = partition.skip;
                self.move_to(partition);
                return Ok(if skipped == 0 { Seek::Exact } else { Seek::Read(skipped) });
            }
        }
        self.seek_by_reading(&whole, &rest, first, record)
    }

    fn seek_to_byte(&mut self, record: u64, byte: u64) -> Result<Seek> {
        let Some(whole) = self.whole.clone().filter(|whole| whole.is_whole() && whole.records.is_none())
        else {
            return self.seek(record);
        };
        let skips = self.request.on_error.skip().is_some();
        if skips || !matches!(self.data.kind(&whole.file, &self.request.limits)?, Kind::Plain) {
            return self.seek(record);
        }
        self.ended = false;
        self.move_to(cut::from_record(&whole.file, byte, u64::MAX, true).first_record(record));
        Ok(Seek::Exact)
    }

    fn counts(&self) -> ScanCounts {
        self.counts
    }
}

impl TfRecordScan {
    /// Moves to a record by reading what precedes it: from where the scan is, or from the beginning of the partition.
    fn seek_by_reading(
        &mut self,
        whole: &Partition,
        rest: &Partition,
        first: u64,
        record: u64,
    ) -> Result<Seek> {
        let Some(skipped) = rest.first_read().and_then(|next| record.checked_sub(next)) else {
            let skipped = record.saturating_sub(first);
            self.move_to(cut::without(whole, skipped));
            return Ok(Seek::Read(skipped));
        };
        // Where one thread works nothing was read ahead, so that it goes on from here.
        if let Some(Engine::Alone(both)) = &mut self.engine
            && both.0.pass_over(skipped)
        {
            self.passed = self.passed.saturating_add(skipped);
            return Ok(Seek::Read(skipped));
        }
        self.move_to(cut::without(rest, skipped));
        Ok(Seek::Read(skipped))
    }
}

impl Drop for TfRecordScan {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}
