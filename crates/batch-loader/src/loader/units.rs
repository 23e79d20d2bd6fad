//! Number of records, or steps, of each file of a data set.

use std::ops::Range;
use std::sync::Arc;

use tfxio_core::{Entries, Ordered, Threading, Work};

use super::check::Member;
use super::plan::windows;
use crate::config::LoaderConfig;
use crate::feed::Parse;
use crate::item::Unit;
use crate::planner::{Steps, Units};
use crate::source::{IndexFor, PartRecords, Parts, RecordPosition, RecordSet};
use crate::{Error, Result};

/// Counts the units of some files. Headers are read, or indexes that were kept. Where windows are counted in steps and
/// the manifest does not give the steps of a record, `parse` parses all records once; without `parse`, the result is
/// then `None`. With a filter, all records are read, in the columns of the filter only.
pub(super) fn units(
    config: &LoaderConfig,
    member: &Member,
    parts: &Arc<Parts>,
    purpose: IndexFor,
    threading: &Threading,
    parse: Option<&Parse>,
) -> Result<Option<Units>> {
    let (pipeline, files) = (&member.pipeline, member.files.clone());
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
    let counted = Ordered::new(files.clone(), threading, make)?.collect::<Result<Vec<_>>>()?;
    let records = counted.iter().map(|counted| counted.records).collect();
    let (kept, entries): (Vec<_>, Vec<_>) =
        counted.into_iter().map(|counted| (counted.kept, counted.entries)).unzip();
    let entries = entries.into_iter().flatten().collect();
    let kept = kept.into_iter().flatten();
    let (kept, filtered): (Vec<_>, Vec<_>) = kept.unzip();
    let (kept, filtered) = (kept.into(), filtered.into_iter().fold(0, u64::saturating_add));
    let steps = match (known, parse) {
        (None, Some(parse)) => {
            let starts = files.map(|part| lengths(parts, part, threading, parse));
            Steps::Starts(starts.collect::<Result<_>>()?)
        }
        (known, _) => Steps::Equal(known.unwrap_or(1)),
    };
    Ok(Some(Units { records, kept, filtered, steps, entries }))
}

/// Counts of a file.
struct Counted {
    records: PartRecords,
    /// Records that a filter keeps, and the number that it leaves out.
    kept: Option<(RecordSet, u64)>,
    /// Entry points, if they were asked for.
    entries: Option<Entries>,
}

/// Counts the records of files.
struct Counting {
    parts: Arc<Parts>,
    purpose: IndexFor,
    part: Option<u32>,
}

impl Work for Counting {
    type Source = Range<u32>;
    type Output = Counted;
    type Error = Error;

    fn read(&mut self, parts: &mut Range<u32>) -> Result<bool> {
        self.part = parts.next();
        Ok(self.part.is_some())
    }

    fn next(&mut self) -> Result<Option<Counted>> {
        let Some(part) = self.part.take() else { return Ok(None) };
        let part = self.parts.part(part as usize)?;
        let kept = part.kept()?;
        let records = match &kept {
            // Where they are only counted, they were.
            Some((kept, _)) if self.purpose == IndexFor::Count => {
                PartRecords { records: kept.len(), ..PartRecords::default() }
            }
            _ => part.index(self.purpose)?,
        };
        let is_cut = self.purpose != IndexFor::Count;
        let entries = is_cut.then(|| part.entries(records.records)).transpose()?;
        Ok(Some(Counted { records, kept, entries }))
    }

    fn is_done(&self) -> bool {
        self.part.is_none()
    }
}

/// Returns the step offsets of a file's records: the start of each among all steps, and the end of the last.
fn lengths(parts: &Parts, part: u32, threading: &Threading, parse: &Parse) -> Result<Vec<u64>> {
    let mut reader = parts.part(part as usize)?.open(RecordPosition::default(), threading)?;
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
