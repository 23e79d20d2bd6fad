//! Moving a scan to a record.

use std::sync::Arc;

use tfxio_core::{Error, ErrorKind, Partition, Result, Seek};
use tfxio_scan::executor::Executor;

use super::TfRecordScan;
use crate::cut;
use crate::indexes::Kind;

impl TfRecordScan {
    /// Moves to a record: by the index of the file, by its members, or by reading.
    pub(super) fn seek_record(&mut self, record: u64) -> Result<Seek> {
        let (Some(whole), Some(rest)) = (self.whole.clone(), self.rest()) else {
            return Ok(Seek::NotOffered);
        };
        let (Some(first), None) = (whole.first_read(), self.request.on_error.skip()) else {
            return Ok(Seek::NotOffered);
        };
        let end = whole.records.map(|records| first.saturating_add(records));
        if record < first || end.is_some_and(|end| record > end) {
            let what = format!("the record {record} is not in the partition {whole}");
            return Err(Error::new(ErrorKind::InvalidArgument, what)
                .help("seek records of the partition")
                .in_file(Arc::clone(&whole.file)));
        }
        self.ended = false;
        if let Some(index) = self.data.index(&whole.file)?
            && matches!(self.data.kind(&whole.file, &self.request.limits)?, Kind::Plain)
        {
            let end = end.unwrap_or(index.len()).min(index.len());
            let end = if whole.end == u64::MAX { end } else { end.min(cut::record_from(&index, whole.end)) };
            self.move_to(cut::of_index(&whole.file, &index, record.min(end), end));
            return Ok(Seek::Exact);
        }
        if let Kind::Members(members) = self.data.kind(&whole.file, &self.request.limits)? {
            let end = end.unwrap_or_else(|| cut::records_of(&members));
            if let Some(partition) = cut::of_members(&whole.file, &members, record, end) {
                let skipped = partition.skip;
                self.move_to(partition);
                return Ok(if skipped == 0 { Seek::Exact } else { Seek::Read(skipped) });
            }
        }
        self.seek_by_reading(&whole, &rest, first, record)
    }

    /// Moves to a record of a whole file that is not compressed by its offset, and in other partitions by its number.
    pub(super) fn seek_byte(&mut self, record: u64, byte: u64) -> Result<Seek> {
        let Some(whole) = self.whole.clone().filter(|whole| whole.is_whole() && whole.records.is_none())
        else {
            return self.seek_record(record);
        };
        let skips = self.request.on_error.skip().is_some();
        if skips || !matches!(self.data.kind(&whole.file, &self.request.limits)?, Kind::Plain) {
            return self.seek_record(record);
        }
        self.ended = false;
        self.move_to(cut::from_record(&whole.file, byte, u64::MAX, true).first_record(record));
        Ok(Seek::Exact)
    }

    /// Moves to a record by reading what precedes it: from where the scan is, or from the beginning of the partition.
    fn seek_by_reading(
        &mut self,
        whole: &Partition,
        rest: &Partition,
        first: u64,
        record: u64,
    ) -> Result<Seek> {
        let Some(skipped) = rest.first_read().and_then(|next| record.checked_sub(next)) else {
            let skipped = record.saturating_sub(first);
            self.move_to(cut::without(whole, skipped));
            return Ok(Seek::Read(skipped));
        };
        // Where one thread works nothing was read ahead, so that it goes on from here.
        if let Some(Executor::Alone(both)) = &mut self.engine
            && both.0.pass_over(skipped)
        {
            self.passed = self.passed.saturating_add(skipped);
            return Ok(Seek::Read(skipped));
        }
        self.move_to(cut::without(rest, skipped));
        Ok(Seek::Read(skipped))
    }
}
