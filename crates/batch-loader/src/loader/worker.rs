//! What a parsing thread does with pieces and examples.

use std::sync::Arc;

use tfxio_core::{Limits, Origin, SkippedRange};

use crate::engine::Worker;
use crate::error::Locate;
use crate::item::Chunk;
use crate::parse::{Parser, Source, chunk_of};
use crate::pipeline::Pipeline;
use crate::source::{FRAME, Raw, RawRecords};
use crate::stats::{Counters, count};
use crate::{Error, Kind};

pub(super) struct LoaderWorker {
    pub(super) pipeline: Arc<Pipeline>,
    pub(super) limits: Limits,
    pub(super) parser: Parser,
    pub(super) names: Arc<[Arc<str>]>,
    /// Whether damaged records are skipped.
    pub(super) skips: bool,
    pub(super) counters: Arc<Counters>,
}

impl Worker for LoaderWorker {
    fn parse(&mut self, part: u32, raw: &Raw) -> (Chunk, Option<Error>) {
        let name = self.names.get(part as usize).cloned().unwrap_or_default();
        let mut source = Source { file: part, name: &name, records: Vec::new(), bytes: Vec::new() };
        let error = match &raw.records {
            RawRecords::Frames(buffer) => {
                source.records.reserve_exact(buffer.len());
                source.bytes.reserve_exact(buffer.len());
                let mut records = buffer.iter().zip(raw.first..=u64::MAX);
                records
                    .find_map(|(record, number)| self.push(&mut source, record.data, number, record.offset))
            }
            RawRecords::Apart(all) => {
                let mut records = all.iter();
                records.find_map(|(place, data)| self.push(&mut source, data, place.record, place.byte))
            }
            RawRecords::Batch(batch, numbers) => {
                let rows = batch.num_rows() as u64;
                count(&self.counters.records_parsed, rows);
                source.records.clone_from(numbers);
                let parsed = chunk_of(&self.pipeline, batch, source, &self.limits);
                return (parsed.chunk, parsed.error);
            }
        };
        count(&self.counters.records_parsed, source.records.len() as u64);
        let parsed = self.parser.finish(source);
        // What is wrong with a record before the one that could not be parsed comes first.
        (parsed.chunk, parsed.error.or(error))
    }
}

impl LoaderWorker {
    /// Parses a record. What is wrong with it, unless it is left out.
    #[inline]
    fn push(&mut self, source: &mut Source<'_>, data: &[u8], number: u64, byte: u64) -> Option<Error> {
        match self.parser.push(data, Origin::new(source.name, byte, number)) {
            Ok(()) => {
                source.records.push(number);
                source.bytes.push(byte);
                None
            }
            Err(error) if self.skips && error.is(Kind::Corrupt) => {
                tracing::warn!(%error, "left out a record that is corrupt");
                let end = byte.saturating_add(data.len() as u64).saturating_add(FRAME);
                let range = SkippedRange::new(Arc::clone(source.name), byte, end, error.what()).records(1);
                self.counters.skip.add(range).err().map(Locate::over_budget)
            }
            Err(error) => Some(error),
        }
    }
}
