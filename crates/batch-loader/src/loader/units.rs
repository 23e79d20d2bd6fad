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

/// Counts the units of all files. Headers are read, or indexes that were kept; where windows are counted in steps
/// and the manifest does not give the steps of a record, all records are parsed once by `parse`. Without it, `None` then.
pub(super) fn units(
    config: &LoaderConfig,
    pipeline: &Pipeline,
    parts: &Arc<dyn Parts>,
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
    let count = parts.names().len();
    let make = {
        let parts = Arc::clone(parts);
        move || Ok(Counting { parts: Arc::clone(&parts), purpose, part: None })
    };
    let records = Ordered::new(0..count, threading, make)?.collect::<Result<_>>()?;
    let steps = match (known, parse) {
        (None, Some(parse)) => {
            let starts = (0..count).map(|part| lengths(&**parts, part, threading, parse));
            Steps::Starts(starts.collect::<Result<_>>()?)
        }
        (known, _) => Steps::Equal(known.unwrap_or(1)),
    };
    Ok(Some(Units { records, steps }))
}

/// Counts the records of files.
struct Counting {
    parts: Arc<dyn Parts>,
    purpose: IndexFor,
    part: Option<usize>,
}

impl Work for Counting {
    type Source = Range<usize>;
    type Output = PartRecords;
    type Error = Error;

    fn read(&mut self, parts: &mut Range<usize>) -> Result<bool> {
        self.part = parts.next();
        Ok(self.part.is_some())
    }

    fn next(&mut self) -> Result<Option<PartRecords>> {
        self.part.take().map(|part| self.parts.index(part, self.purpose)).transpose()
    }

    fn is_done(&self) -> bool {
        self.part.is_none()
    }
}

/// Where the steps of each record of a file begin among all of them, and where the last ends.
fn lengths(parts: &dyn Parts, part: usize, threading: &Threading, parse: &Parse) -> Result<Vec<u64>> {
    let mut reader = parts.open(part, Place::default(), threading)?;
    let mut starts = vec![0u64];
    let file = u32::try_from(part).unwrap_or(u32::MAX);
    while let Some(raw) = reader.read()? {
        let (chunk, error) = parse(file, raw);
        if let Some(error) = error {
            return Err(error);
        }
        let begin = starts.last().copied().unwrap_or(0);
        let ends = chunk.steps.iter().flatten().skip(1);
        starts.extend(ends.map(|&end| begin.saturating_add(end as u64)));
    }
    Ok(starts)
}
