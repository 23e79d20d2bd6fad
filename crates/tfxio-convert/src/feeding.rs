//! The way of batches to the sink.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tfxio_core::{Batch, Feed, Nested, Result, Sink, Threading};
use tfxio_scan::cast::CastPlan;
use tfxio_scan::filter::RowFilter;
use tfxio_store::counted_store::Counter;

use super::run::Watch;

use super::{Conversion, Phase, Progress};

/// Reports the progress of a conversion, from any thread.
#[derive(Clone)]
pub(super) struct Meter {
    watch: Watch,
    counter: Arc<Counter>,
    bytes_in: u64,
    /// Records that were written.
    records: Arc<AtomicU64>,
}

impl Meter {
    pub(super) fn new(conversion: &Conversion, watch: &Watch) -> Self {
        Self {
            watch: Arc::clone(watch),
            counter: Arc::clone(&conversion.counter),
            bytes_in: conversion.bytes_in,
            records: Arc::default(),
        }
    }

    pub(super) fn say(&self, phase: Phase) {
        let most = if self.bytes_in > 0 { self.bytes_in } else { u64::MAX };
        let records = self.records.load(Ordering::Relaxed);
        (self.watch)(Progress { phase, bytes_read: self.counter.bytes().min(most), records });
    }

    /// Reports the number of records that were written.
    pub(super) fn say_records(&self, records: u64) {
        self.records.store(records, Ordering::Relaxed);
        self.say(Phase::Records);
    }
}

/// Steps of batches between their data set and the sink.
pub(super) struct Way {
    /// Columns, as the format of the output takes them.
    pub(super) plan: Arc<CastPlan>,
    /// Filter of the rows that are written, if the batches are not filtered already.
    pub(super) filter: Option<RowFilter>,
    pub(super) threading: Threading,
}

impl Way {
    /// Writes the batches that `next` gives on threads that `nested` lends it. Returns the number of rows.
    pub(super) fn write(
        &self,
        sink: &mut dyn Sink,
        nested: Nested,
        mut next: impl FnMut() -> Result<Option<Batch>> + Send + 'static,
        meter: &Meter,
    ) -> Result<u64> {
        let (plan, filter, reading) = (Arc::clone(&self.plan), self.filter.clone(), meter.clone());
        let next = move || {
            let batch = next()?;
            // Of formats that write large blocks this is more often than records are written.
            reading.say(Phase::Records);
            Ok(batch)
        };
        let change = move |batch| {
            let batch = match &filter {
                Some(filter) => filter.apply(batch)?,
                None => batch,
            };
            if batch.num_rows() == 0 { Ok(batch) } else { plan.apply(batch) }
        };
        let feed = Feed::new(self.threading.clone(), next).nested(nested).change(change);
        let (before, mut rows) = (meter.records.load(Ordering::Relaxed), 0u64);
        sink.write_all(feed, &mut |written| {
            rows = written;
            meter.say_records(before.saturating_add(written));
        })?;
        Ok(rows)
    }
}
