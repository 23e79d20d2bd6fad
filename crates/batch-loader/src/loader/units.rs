//! How many records, or steps, each file of a data set has.

use std::ops::Range;
use std::sync::Arc;

use tfxio_core::{Ordered, Threading, Work};

use super::plan::windows;
use crate::config::LoaderConfig;
use crate::engine::Parse;
use crate::item::Unit;
use crate::pipeline::Pipeline;
use crate::planner::{Steps, Units};
use crate::source::{IndexFor, PartRecords, Parts, Place};
use crate::{Error, Result};

/// Counts the units of some files. Headers are read, or indexes that were kept; where windows are counted in steps
/// and the manifest does not give the steps of a record, all records are parsed once by `parse`. Without it, `None` then.
pub(super) fn units(
    config: &LoaderConfig,
    pipeline: &Pipeline,
    parts: &Arc<Parts>,
    files: Range<u32>,
    purpose: IndexFor,
    threading: &Threading,
    parse: Option<&Parse>,
) -> Result<Option<Units>> {
    let first = pipeline.tensors.first().and_then(|tensor| tensor.shape.first().copied().flatten());
    let known = match windows(&config.loader).0 {
        Unit::Row | Unit::Rows => Some(1),
        Unit::Steps => first.filter(|&steps| steps > 0).map(|steps| steps as u64),
    };
    if known.is_none() && parse.is_none() {
        return Ok(None);
    }
    let make = {
        let parts = Arc::clone(parts);
        move || Ok(Counting { parts: Arc::clone(&parts), purpose, part: None })
    };
    let records = Ordered::new(files.clone(), threading, make)?.collect::<Result<_>>()?;
    let steps = match (known, parse) {
        (None, Some(parse)) => {
            let starts = files.map(|part| lengths(parts, part, threading, parse));
            Steps::Starts(starts.collect::<Result<_>>()?)
        }
        (known, _) => Steps::Equal(known.unwrap_or(1)),
    };
    Ok(Some(Units { records, steps }))
}

/// Counts the records of files.
struct Counting {
    parts: Arc<Parts>,
    purpose: IndexFor,
    part: Option<u32>,
}

impl Work for Counting {
    type Source = Range<u32>;
    type Output = PartRecords;
    type Error = Error;

    fn read(&mut self, parts: &mut Range<u32>) -> Result<bool> {
        self.part = parts.next();
        Ok(self.part.is_some())
    }

    fn next(&mut self) -> Result<Option<PartRecords>> {
        let Some(part) = self.part.take() else { return Ok(None) };
        self.parts.part(part as usize)?.index(self.purpose).map(Some)
    }

    fn is_done(&self) -> bool {
        self.part.is_none()
    }
}

/// Where the steps of each record of a file begin among all of them, and where the last ends.
fn lengths(parts: &Parts, part: u32, threading: &Threading, parse: &Parse) -> Result<Vec<u64>> {
    let mut reader = parts.part(part as usize)?.open(Place::default(), threading)?;
    let mut starts = vec![0u64];
    while let Some(raw) = reader.read()? {
        let (chunk, error) = parse(part, raw);
        if let Some(error) = error {
            return Err(error);
        }
        let begin = starts.last().copied().unwrap_or(0);
        let ends = chunk.steps.iter().flatten().skip(1);
        starts.extend(ends.map(|&end| begin.saturating_add(end as u64)));
    }
    Ok(starts)
}
