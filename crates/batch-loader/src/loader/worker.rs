//! What a parsing thread does with the rows that were read.

use std::sync::Arc;

use tfxio_core::Limits;

use crate::Error;
use crate::engine::Worker;
use crate::item::Chunk;
use crate::parse::{Importer, Source, chunk_of};
use crate::pipeline::Pipeline;
use crate::source::Raw;
use crate::stats::{Counters, count};

pub(super) struct LoaderWorker {
    pub(super) pipeline: Arc<Pipeline>,
    pub(super) importer: Importer,
    pub(super) limits: Limits,
    pub(super) names: Arc<[Arc<str>]>,
    pub(super) counters: Arc<Counters>,
}

impl Worker for LoaderWorker {
    fn parse(&mut self, part: u32, raw: Raw) -> (Chunk, Option<Error>) {
        let name = self.names.get(part as usize).cloned().unwrap_or_default();
        count(&self.counters.records_parsed, raw.batch.num_rows() as u64);
        let source = Source { file: part, name: &name, records: raw.records, bytes: raw.bytes };
        let parsed = chunk_of(&mut self.importer, &self.pipeline, &raw.batch, source, &self.limits);
        (parsed.chunk, parsed.error)
    }
}
