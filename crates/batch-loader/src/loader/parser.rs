//! Parsing of the rows of files into chunks of examples.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tfxio_core::Limits;

use super::check::Member;
use crate::Error;
use crate::feed::Parse;
use crate::item::Chunk;
use crate::parse::{Importer, RecordSource, chunk_of};
use crate::pipeline::Pipeline;
use crate::source::{Part, Parts, Raw};
use crate::stats::{Counters, count as count_records};
use crate::validate::Checks;

/// Parser of the files of all data sets of a loader. Clones share everything.
#[derive(Clone)]
pub(super) struct Parser {
    parts: Arc<Parts>,
    /// The pipeline of each data set, with the number after that of its last file.
    pipelines: Arc<[(u32, Arc<Pipeline>)]>,
    checks: Option<Arc<Checks>>,
    limits: Limits,
}

impl Parser {
    pub(super) fn new(
        members: &[Member],
        parts: &Arc<Parts>,
        checks: Option<&Arc<Checks>>,
        limits: Limits,
    ) -> Self {
        let pipelines = members.iter().map(|member| (member.files.end, Arc::clone(&member.pipeline)));
        Self { parts: Arc::clone(parts), pipelines: pipelines.collect(), checks: checks.cloned(), limits }
    }

    /// Returns a function that parses rows, and adds to these counts.
    pub(super) fn counted_by(&self, counters: Arc<Counters>) -> Parse {
        let parser = self.clone();
        // A schema that an importer has checked serves all files.
        let importers = Mutex::new(Vec::new());
        Arc::new(move |part, raw| parser.parse(part, raw, &counters, &importers))
    }

    fn parse(
        &self,
        part: u32,
        raw: Raw,
        counters: &Counters,
        importers: &Mutex<Vec<Importer>>,
    ) -> (Chunk, Option<Error>) {
        let name = self.parts.names().get(part as usize).cloned().unwrap_or_default();
        let (raw, filtered) = match self.parts.part(part as usize).ok().and_then(Part::filter) {
            Some(filter) => match filter.rows(raw) {
                Ok(rows) => rows,
                Err(error) => return (Chunk::default(), Some(error.in_file(name))),
            },
            None => (raw, 0),
        };
        let of = self.pipelines.partition_point(|(end, _)| *end <= part);
        let (raw, anomalies, left) = match &self.checks {
            Some(checks) => checks.check(of, raw, &name),
            None => (raw, Vec::new(), None),
        };
        if raw.batch.num_rows() == 0 {
            return (Chunk { filtered, ..Chunk::default() }, left);
        }
        let importer = lock(importers).pop();
        let mut importer = importer.unwrap_or_else(|| Importer::new(self.limits));
        count_records(&counters.records_parsed, raw.batch.num_rows() as u64);
        let source = RecordSource { file: part, name: &name, records: raw.records, bytes: raw.bytes };
        let parsed = chunk_of(&mut importer, &self.pipelines[of].1, &raw.batch, source, &self.limits);
        lock(importers).push(importer);
        count_records(&counters.examples_truncated, parsed.truncated);
        // What is wrong with a record before the one that left the schema comes first.
        (Chunk { filtered, anomalies, ..parsed.chunk }, parsed.error.or(left))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
