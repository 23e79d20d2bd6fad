//! Single blocks of a damaged container: the good records of each, and the losses.

use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

use tfxio_core::LostRange;

use super::{Good, Reason, SalvageReader};
use crate::container::frame::{Head, SYNC, is_from_below, other_marker, read_frame};
use crate::container::header::MAGIC;
use crate::container::sift::Sifted;
use crate::{Error, Kind, Result};

/// Detail for bytes that are not a block, and that no block follows.
const TRAILING: &str =
    "no block follows up to the end of the file: bytes that do not belong to it, or a damaged block";

/// Result of a step through the container.
pub(super) enum SalvageStep {
    Good(Good),
    Again,
    End,
}

impl<R: Read> SalvageReader<R> {
    /// Determines whether the header's marker is that of the blocks, and replaces it if not.
    pub(super) fn vote(&mut self) -> Result<()> {
        self.has_voted = true;
        let (marker, most) = (self.marker, self.gate.most_stored());
        let found = self.input.look(|window| Ok(other_marker(window, &marker, most)));
        if let Some(marker) = found.map_err(|error| self.position.locate(error))? {
            (self.marker, self.first_marker) = (marker, marker);
            let end = self.header.len();
            let detail = "the sync marker in the header is damaged: the blocks end with another one";
            self.lose(end.saturating_sub(SYNC as u64)..end, Some(0), Reason::Frame, 0, Some(detail.into()));
        }
        Ok(())
    }

    pub(super) fn step(&mut self) -> Result<SalvageStep> {
        let start = self.input.offset();
        let most = self.gate.most_stored();
        let mut marker_lost = false;
        let marker = self.marker;
        let head = match self.input.look(|window| read_frame(window, 0, &marker, most)) {
            Ok(Some(head)) => head,
            Ok(None) => return Ok(SalvageStep::End),
            Err(error) if is_from_below(&error) => return Err(self.position.locate(error)),
            Err(error) => match self.without_marker(&error)? {
                Some(head) => {
                    marker_lost = true;
                    head
                }
                None => {
                    if self.pass_header()? {
                        return Ok(SalvageStep::Again);
                    }
                    self.settle_refused();
                    self.after_marker = self.skip_to_block()?;
                    let reason = Reason::of(&error);
                    let is_last = !self.after_marker && reason == Reason::Frame;
                    let detail = is_last.then(|| TRAILING.into());
                    self.lose(start..self.input.offset(), None, reason, 0, detail);
                    return Ok(SalvageStep::Again);
                }
            },
        };
        if self.refuse(&head) {
            self.taken = head.whole();
            self.after_marker = !marker_lost;
            return Ok(SalvageStep::Again);
        }
        self.is_entered = self.after_marker && !self.is_foreign();
        self.after_marker = !marker_lost;
        self.taken = head.whole();
        let end = start.saturating_add(self.taken as u64);
        let stored = head.stored();
        let bytes = self.input.window().bytes.get(stored.clone()).unwrap_or_default();
        let opened = self.gate.open(head.count, bytes, false, &mut self.decompressor, &mut self.data);
        let sifted = match opened {
            Ok(bytes) => self.sieve.sift(head.count, bytes),
            Err(error) => {
                // A count that cannot be true does not say how many records are lost.
                let (lost, reason) = match error.detail() {
                    Some(Kind::Block) => (None, Reason::Records),
                    _ => (Some(head.count), Reason::of(&error)),
                };
                self.lost = self.lost.saturating_add(lost.unwrap_or_default());
                self.lose(start..end, lost, reason, 0, Some(error.what().into()));
                return Ok(SalvageStep::Again);
            }
        };
        self.report_bad(&sifted, start, &stored, end, marker_lost);
        let sifted = self.resolved(sifted, start, &stored, end);
        let Sifted { good: count, runs, bad, .. } = sifted;
        let gaps = bad.iter().filter_map(|bad| Some((bad.good_before, bad.records?))).collect::<Vec<_>>();
        let lost_before = self.lost;
        self.lost = gaps.iter().fold(self.lost, |lost, (_, more)| lost.saturating_add(*more));
        Ok(match count {
            0 => SalvageStep::Again,
            _ => SalvageStep::Good(Good { stored, count, runs, lost_before, gaps }),
        })
    }

    /// Reports the bad part of a block: its range in the file if that is known, otherwise the block.
    fn report_bad(
        &mut self,
        sifted: &Sifted,
        start: u64,
        stored: &Range<usize>,
        end: u64,
        marker_lost: bool,
    ) {
        let Some(first) = sifted.bad.first() else {
            if marker_lost {
                self.lose(start..end, Some(0), Reason::Frame, 0, None);
            }
            return;
        };
        if !self.has_offsets() || sifted.lost_borders {
            let detail = match sifted.bad.len() {
                1 => Arc::clone(&first.detail),
                count => format!("{}; and {} more", first.detail, count - 1).into(),
            };
            self.lose(start..end, sifted.lost(), Reason::Records, first.good_before, Some(detail));
            return;
        }
        let data = start.saturating_add(stored.start as u64);
        for bad in &sifted.bad {
            let at = |byte: usize| data.saturating_add(byte as u64);
            let range = at(bad.bytes.start)..at(bad.bytes.end);
            let detail = Some(Arc::clone(&bad.detail));
            self.lose(range, bad.records, Reason::Records, bad.good_before, detail);
        }
        if marker_lost {
            self.lose(end.saturating_sub(SYNC as u64)..end, Some(0), Reason::Frame, sifted.good, None);
        }
    }

    /// Returns the head of a block of which only the sync marker is damaged: a whole block, another container or the
    /// end of the file follows it.
    fn without_marker(&mut self, error: &Error) -> Result<Option<Head>> {
        if !error.is(Kind::Sync) {
            return Ok(None);
        }
        let (marker, most) = (self.marker, self.gate.most_stored());
        let Ok(Some(head)) = Head::parse(self.input.window().bytes, most) else { return Ok(None) };
        match self.input.look(|window| read_frame(window, head.whole(), &marker, most)) {
            Ok(_) => Ok(Some(head)),
            Err(error) if is_from_below(&error) => Err(self.position.locate(error)),
            Err(_) => {
                let rest = self.input.window().bytes.get(head.whole()..).unwrap_or_default();
                Ok(rest.starts_with(&MAGIC).then_some(head))
            }
        }
    }

    /// Reports a damage after the records so far and `good_before` more.
    pub(super) fn lose(
        &mut self,
        bytes: Range<u64>,
        lost_records: Option<u64>,
        reason: Reason,
        good_before: u64,
        detail: Option<Arc<str>>,
    ) {
        let records_before = self.report.records.saturating_add(good_before);
        let Range { start, end } = bytes;
        let mut lost = LostRange::new(start, end, reason);
        (lost.records_before, lost.records, lost.detail) = (records_before, lost_records, detail);
        self.report.add(lost);
    }
}
