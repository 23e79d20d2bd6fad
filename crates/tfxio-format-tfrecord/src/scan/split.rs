//! Remaining partitions of a scan, and splitting a scan in two.

use std::sync::Arc;

use tfrecord_io::compression::members::Member;
use tfxio_core::{Partition, Result};

use super::TfRecordScan;
use crate::cut;
use crate::indexes::Kind;
use crate::job::Cursor;

impl TfRecordScan {
    /// Returns what follows the batches that were returned.
    pub(super) fn after_cursor(&self) -> Option<Partition> {
        let ([from], Some(_)) = (self.from.as_slice(), &self.whole) else { return None };
        let Some(Cursor { records, offset, is_compressed }) = self.cursor else { return Some(from.clone()) };
        let given = records.saturating_sub(from.skip);
        let left = from.records.map(|all| all.saturating_sub(given));
        if !is_compressed {
            let mut rest = cut::from_record(&from.file, offset, from.end, cut::is_exact(from).1);
            rest.first_record = from.first_record.and_then(|first| first.checked_add(records));
            rest.records = left;
            return Some(rest);
        }
        let mut rest = cut::without(from, given);
        if let (Some(Kind::Members(members)), Some(next), None) =
            (self.data.known_kind(&from.file), rest.first_read(), self.request.on_error.skip())
        {
            let end =
                next.saturating_add(left.unwrap_or_else(|| cut::records_of(&members).saturating_sub(next)));
            if let Some(partition) = cut::of_members(&from.file, &members, next, end) {
                rest = partition;
            }
        }
        Some(rest)
    }

    /// Gives away the end of what is left, from about this fraction of it on.
    pub(super) fn split(&mut self, fraction: f64) -> Result<Option<Partition>> {
        let Some(rest) = self.rest() else { return Ok(None) };
        let cut = match self.data.kind(&rest.file, &self.request.limits)? {
            Kind::Plain => self.cut_plain(&rest, fraction)?,
            Kind::Members(members) if self.request.on_error.skip().is_none() => {
                self.cut_members(&rest, &members, fraction)
            }
            Kind::Members(_) | Kind::Stream => None,
        };
        let Some((kept, tail)) = cut else { return Ok(None) };
        if let Some(whole) = &mut self.whole {
            // Up to where the tail begins.
            let first = whole.first_read().zip(kept.first_read());
            let before = first.map(|(first, kept)| kept.saturating_sub(first));
            whole.records = before.zip(kept.records).map(|(before, kept)| before.saturating_add(kept));
            if cut::member_offset(&kept).is_none() {
                let start_is_exact = cut::is_exact(whole).0;
                whole.end = kept.end;
                whole.extra = if start_is_exact { kept.extra.clone() } else { Default::default() };
            }
        }
        self.move_to(kept);
        Ok(Some(tail))
    }

    /// Cuts a range of an uncompressed file in two.
    fn cut_plain(&self, rest: &Partition, fraction: f64) -> Result<Option<(Partition, Partition)>> {
        let file = &rest.file;
        if let Some(index) = self.data.index(file)?
            && self.request.on_error.skip().is_none()
        {
            let from = cut::record_from(&index, rest.start).saturating_add(rest.skip);
            let end = if rest.end == u64::MAX { index.len() } else { cut::record_from(&index, rest.end) };
            let end = rest.records.map_or(end, |records| from.saturating_add(records).min(end));
            let kept = cut::part(end.saturating_sub(from), fraction);
            let at = from.saturating_add(kept);
            let both = || (cut::of_index(file, &index, from, at), cut::of_index(file, &index, at, end));
            return Ok((at < end).then(both));
        }
        if rest.skip > 0 || rest.records.is_some() {
            return Ok(None);
        }
        let mut splitter = self.data.splitter(file, &self.request.limits, &self.cancel)?;
        let end = rest.end.min(splitter.file_bytes());
        let (start_is_exact, end_is_exact) = cut::is_exact(rest);
        let at = rest.start.saturating_add(cut::part(end.saturating_sub(rest.start), fraction));
        let at = splitter.first_record(at).map_err(|error| error.in_file(Arc::clone(file)))?;
        if at >= end || at < rest.start {
            return Ok(None);
        }
        let tail = cut::from_record(file, at, rest.end, end_is_exact);
        let mut kept = Partition::range(Arc::clone(file), rest.start, at);
        if start_is_exact {
            kept = cut::from_record(file, rest.start, at, true);
        }
        kept.first_record = rest.first_record;
        Ok(Some((kept, tail)))
    }

    /// Cuts gzip members in two.
    fn cut_members(
        &self,
        rest: &Partition,
        members: &[Member],
        fraction: f64,
    ) -> Option<(Partition, Partition)> {
        let from = rest.first_read()?;
        let all = cut::records_of(members);
        let end = rest.records.map_or(all, |records| from.saturating_add(records).min(all));
        let wish = from.saturating_add(cut::part(end.saturating_sub(from), fraction));
        let at =
            members.iter().map(|member| member.first_record).filter(|first| *first > from && *first < end);
        let at = at.min_by_key(|first| first.abs_diff(wish))?;
        cut::of_members(&rest.file, members, from, at).zip(cut::of_members(&rest.file, members, at, end))
    }
}
