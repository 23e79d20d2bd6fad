//! How many records, or steps, each file of a data set has.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::plan::windows;
use crate::Result;
use crate::config::LoaderConfig;
use crate::engine::Worker;
use crate::item::Unit;
use crate::pipeline::Pipeline;
use crate::planner::{Steps, Units};
use crate::source::{IndexFor, PartRecords, Parts, Place};

/// Counts the units of all files. Headers are read, or indexes that were kept; where windows are counted in steps
/// and the manifest does not give the steps of a record, all records are parsed once by `worker`. Without one,
/// `None` then.
pub(super) fn units(
    config: &LoaderConfig,
    pipeline: &Pipeline,
    parts: &dyn Parts,
    purpose: IndexFor,
    worker: Option<&mut dyn Worker>,
) -> Result<Option<Units>> {
    let first = pipeline.tensors.first().and_then(|tensor| tensor.shape.first().copied().flatten());
    let known = match windows(&config.loader).0 {
        Unit::Row | Unit::Rows => Some(1),
        Unit::Steps => first.filter(|&steps| steps > 0).map(|steps| steps as u64),
    };
    if known.is_none() && worker.is_none() {
        return Ok(None);
    }
    let records = records(parts, config.num_parallel_reads, purpose)?;
    let steps = match (known, worker) {
        (None, Some(worker)) => {
            let starts = (0..parts.names().len()).map(|part| lengths(parts, part, worker));
            Steps::Starts(starts.collect::<Result<_>>()?)
        }
        (known, _) => Steps::Equal(known.unwrap_or(1)),
    };
    Ok(Some(Units { records, steps }))
}

/// The records of all files, several of which are read side by side. An error is that of the first file that has one.
fn records(parts: &dyn Parts, threads: usize, purpose: IndexFor) -> Result<Vec<PartRecords>> {
    let count = parts.names().len();
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let found = Mutex::new(Vec::with_capacity(count));
    let work = || {
        while !failed.load(Ordering::Relaxed) {
            let part = next.fetch_add(1, Ordering::Relaxed);
            if part >= count {
                return;
            }
            let index = parts.index(part, purpose);
            failed.fetch_or(index.is_err(), Ordering::Relaxed);
            found.lock().unwrap_or_else(PoisonError::into_inner).push((part, index));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(count) {
            // Where no thread can be started, this one does it all.
            let _ = std::thread::Builder::new().name("tfxio-index".to_owned()).spawn_scoped(scope, work);
        }
        work();
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    // Files are begun in order, so all before one that failed have been looked at.
    found.sort_unstable_by_key(|(part, _)| *part);
    found.into_iter().map(|(_, index)| index).collect()
}

/// Where the steps of each record of a file begin among all of them, and where the last ends.
fn lengths(parts: &dyn Parts, part: usize, worker: &mut dyn Worker) -> Result<Vec<u64>> {
    let mut reader = parts.open(part, Place::default())?;
    let mut starts = vec![0u64];
    let file = u32::try_from(part).unwrap_or(u32::MAX);
    while let Some(raw) = reader.read()? {
        let (chunk, error) = worker.parse(file, raw);
        if let Some(error) = error {
            return Err(error);
        }
        let begin = starts.last().copied().unwrap_or(0);
        let ends = chunk.steps.iter().flatten().skip(1);
        starts.extend(ends.map(|&end| begin.saturating_add(end as u64)));
    }
    Ok(starts)
}
