//! The files of a data set, and known facts about them.

use std::sync::Arc;

use tfrecord_io::{Index, Splitter};
use tfxio_core::{Cancel, Files, Limits, Partition, Result};

use super::cut::{self, Exact};
use super::indexes::Indexes;
use super::partition_reader::ReadOptions;
use super::settings::Settings;

/// The files of a data set, and known facts about them. Shared by all scans.
#[derive(Debug)]
pub(super) struct Data {
    pub(super) files: Files,
    pub(super) settings: Settings,
    pub(super) indexes: Indexes,
}

impl Data {
    pub(super) fn new(files: Files, settings: Settings) -> Self {
        Self { files, settings, indexes: Indexes::default() }
    }

    /// Returns what finds records in an uncompressed file.
    pub(super) fn splitter(
        &self,
        file: &Arc<str>,
        limits: &Limits,
        cancel: &Cancel,
    ) -> Result<Splitter<Box<dyn tfxio_core::Input>>> {
        // While records are searched for, nothing is read ahead.
        let input = self.files.store().open(file, 0..0, cancel)?;
        let splitter = Splitter::new(input).map_err(|error| error.in_file(Arc::clone(file)))?;
        Ok(splitter.name(Arc::clone(file)).record_bytes(limits.record_bytes))
    }

    /// Finds the first record of a range of bytes, and the first one after it.
    pub(super) fn exact(
        &self,
        partition: &Partition,
        index: Option<&Index>,
        options: &ReadOptions,
    ) -> Result<Exact> {
        let Partition { file, start, end, .. } = partition;
        let (start_is_exact, end_is_exact) = cut::is_exact(partition);
        let mut exact = Exact { start: *start, end: *end, next: *end, first_record: None };
        if start_is_exact && end_is_exact {
            return Ok(exact);
        }
        if let Some(index) = index {
            let first = cut::record_from(index, *start);
            exact.start = index.offset(first).unwrap_or(index.uncompressed_bytes());
            exact.first_record = Some(first);
            if !end_is_exact {
                let after = cut::record_from(index, *end);
                exact.next = index.offset(after).unwrap_or(index.uncompressed_bytes());
            }
        } else {
            let mut splitter = self.splitter(file, &options.limits, &options.cancel)?;
            let mut find = |cut| splitter.first_record(cut).map_err(|error| error.in_file(Arc::clone(file)));
            if !start_is_exact {
                exact.start = find(*start)?;
            }
            if !end_is_exact {
                exact.next = find(*end)?;
            }
        }
        // Not `next`: after a damage that may lie far beyond the range.
        exact.end = exact.end.max(exact.start);
        exact.next = exact.next.max(exact.start);
        Ok(exact)
    }
}
