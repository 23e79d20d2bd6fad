//! Looking at records, for their format and their schema.

use std::sync::{Arc, Mutex, PoisonError};

use tfxio_core::{
    Error, FormatOptions, Ordered, Origin, Partition, RecordFormat, RecordPlan, RecordPlanner, Result, Work,
};
use tfxio_scan::sampling::sample;

use super::chunk::Chunk;
use super::data::Data;
use super::partition_reader::ReadOptions;
use super::records::Records;

/// Number of records that are sampled to infer their format where they are not needed for the schema.
const FORMAT_RECORDS: u64 = 1024;
/// Records that are read at a time.
const CHUNK: usize = 1024;
/// About how many bytes of them each of several threads reads at a time.
const CHUNK_BYTES: usize = 4 << 20;

/// A format that the records may have.
pub(super) struct Candidate<'a> {
    pub(super) format: &'a Arc<dyn RecordFormat>,
    pub(super) planner: Box<dyn RecordPlanner>,
}

pub(super) enum Inferred {
    Plan(Arc<dyn RecordPlan>),
    /// A record is of another format, whose position among the others this is.
    Other(usize),
}

/// Looks at as many records as the planner needs. One that is not of the format, and of another, ends it.
pub(super) fn infer(
    data: &Arc<Data>,
    options: &FormatOptions,
    candidate: Candidate<'_>,
    others: &[&Arc<dyn RecordFormat>],
) -> Result<Inferred> {
    let Candidate { format, mut planner } = candidate;
    let needs_records = planner.needs_records();
    if !needs_records && (others.is_empty() || options.schema.is_some()) {
        return planner.finish().map(Inferred::Plan);
    }
    let most = if needs_records {
        sample(&data.files, data.settings.infer_records, data.settings.infer_bytes)?
    } else {
        FORMAT_RECORDS
    };
    let records = || {
        let whole = data.files.names().iter().map(|file| Partition::whole(Arc::clone(file)));
        Records::new(Arc::clone(data), ReadOptions::of(&options.request), whole, most)
    };
    let others = others.iter().map(|other| Arc::clone(other)).collect();
    let candidates = Candidates { format: Arc::clone(format), others, needs_records };
    if needs_records
        && most > FORMAT_RECORDS
        && options.request.threads > 1
        && let (Some(fork), Some(joined)) = (planner.fork(), planner.fork())
        && let Some(inferred) = infer_on_threads(records(), options, &candidates, fork, joined)?
    {
        return Ok(inferred);
    }
    let (mut records, mut chunk) = (records(), Chunk::default());
    while records.read(&mut chunk, CHUNK, usize::MAX)? > 0 {
        if let Some(other) = candidates.examine(&chunk, &mut *planner)? {
            return Ok(Inferred::Other(other));
        }
    }
    planner.finish().map(Inferred::Plan)
}

/// As [`infer`], on the threads of the request. Nothing where the parts contradict each other: which record it is, shows looking at
/// one after the other.
fn infer_on_threads(
    records: Records,
    options: &FormatOptions,
    candidates: &Candidates,
    fork: Box<dyn RecordPlanner>,
    mut joined: Box<dyn RecordPlanner>,
) -> Result<Option<Inferred>> {
    let (candidates, fork) = (candidates.clone(), Mutex::new(fork));
    let make = move || {
        let planner = fork.lock().unwrap_or_else(PoisonError::into_inner).fork();
        Ok(InferPart { candidates: candidates.clone(), planner, chunk: Chunk::default(), is_read: false })
    };
    for part in Ordered::new(records, &options.request.threading(), make)? {
        match part? {
            InferredPart::Other(other) => return Ok(Some(Inferred::Other(other))),
            InferredPart::Part(part) => {
                if joined.join(part).is_err() {
                    return Ok(None);
                }
            }
        }
    }
    joined.finish().map(|plan| Some(Inferred::Plan(plan)))
}

/// Formats that records are matched with.
#[derive(Clone)]
struct Candidates {
    format: Arc<dyn RecordFormat>,
    others: Arc<[Arc<dyn RecordFormat>]>,
    needs_records: bool,
}

impl Candidates {
    /// Shows the planner the records of a chunk, up to one of another format, whose position is returned.
    fn examine(&self, chunk: &Chunk, planner: &mut dyn RecordPlanner) -> Result<Option<usize>> {
        let Self { format, others, needs_records } = self;
        let Some(file) = chunk.file() else { return Ok(None) };
        let mut other = None;
        chunk.try_for_each(|record| {
            if other.is_some() {
                return Ok(());
            }
            if !others.is_empty() && !format.recognises(record.data) {
                other = others.iter().position(|other| other.recognises(record.data));
                if other.is_some() {
                    return Ok(());
                }
            }
            if !needs_records {
                return Ok(());
            }
            let origin = Origin::new(file, record.offset, record.index);
            planner.push(record.data, origin).or_else(|error| chunk.ignore(error))
        })?;
        Ok(other)
    }
}

/// Looks at one chunk at a time.
struct InferPart {
    candidates: Candidates,
    /// Has seen nothing.
    planner: Option<Box<dyn RecordPlanner>>,
    chunk: Chunk,
    is_read: bool,
}

/// Result of looking at a chunk.
enum InferredPart {
    Part(Box<dyn RecordPlanner>),
    Other(usize),
}

impl Work for InferPart {
    type Source = Records;
    type Output = InferredPart;
    type Error = Error;

    fn read(&mut self, records: &mut Records) -> Result<bool> {
        self.is_read = records.read(&mut self.chunk, CHUNK, CHUNK_BYTES)? > 0;
        Ok(self.is_read)
    }

    fn next(&mut self) -> Result<Option<InferredPart>> {
        if !std::mem::take(&mut self.is_read) {
            return Ok(None);
        }
        let Some(mut part) = self.planner.as_ref().and_then(|planner| planner.fork()) else {
            return Ok(None);
        };
        let other = self.candidates.examine(&self.chunk, &mut *part)?;
        Ok(Some(other.map_or(InferredPart::Part(part), InferredPart::Other)))
    }

    fn is_done(&self) -> bool {
        !self.is_read
    }
}
