//! Ranges of an object that were announced, fetched ahead of their use.

use std::ops::Range;
use std::sync::Arc;

use super::budget::{Budget, Taken};
use super::bytes::Request;
use super::fetch::Object;
use super::pace::Pace;
use super::plan::Planner;
use super::window::Window;
use crate::Result;

/// A reader may go back by this much, as one does that has looked at a header through a buffer.
const SLACK: u64 = 16 << 10;
/// Minimum bytes of a request where very many ranges share the window.
const LEAST_REQUEST: u64 = 64 << 10;
/// Requests that are planned at once. The size of the object is a claim of the store; ranges beyond are read as if they had
/// not been announced.
const MOST_REQUESTS: usize = 1 << 18;

/// Ranges of an object that will be read, in any order, such as the columns of a row group. They are requested by a
/// [`Planner`], several at a time, the beginnings of all ranges first. Parts that were read are released.
///
/// Bytes under way and bytes that wait are within the read-ahead of the reader together; a part that is wanted at once is
/// requested in any case. Made by [`StoreBytes::ranges`](super::StoreBytes::ranges).
#[derive(Debug)]
pub struct StoreRanges {
    object: Object,
    window: Window,
    pace: Pace,
    budget: Budget,
    /// In order, without overlaps.
    wanted: Vec<Wanted>,
    /// In order, without overlaps.
    parts: Vec<Part>,
    /// Numbers of parts, in the order in which they are requested.
    order: Vec<usize>,
    /// Number in `order` of the next one to request.
    next: usize,
    /// Bytes of the parts that are under way or wait.
    held: u64,
}

#[derive(Debug)]
struct Wanted {
    range: Range<u64>,
    /// Offset up to which it was read.
    read_to: u64,
}

#[derive(Debug)]
struct Part {
    range: Range<u64>,
    state: State,
    /// Share of the budget, while it is under way or waits.
    taken: Option<Taken>,
    /// Numbers of the ranges that need some of it.
    wanted: Range<usize>,
}

#[derive(Debug)]
enum State {
    Planned,
    UnderWay(Request),
    Here(Arc<Vec<u8>>),
    /// It was read, and let go.
    Gone,
}

impl Part {
    fn len(&self) -> u64 {
        self.range.end - self.range.start
    }
}

impl StoreRanges {
    pub(super) fn new(
        object: Object,
        size: u64,
        wanted: &[Range<u64>],
        planner: Planner,
        most: u64,
        pace: Pace,
        budget: Budget,
    ) -> Self {
        let wanted = distinct(wanted, size);
        // The beginnings of all ranges have room.
        let share = most / (2 * wanted.len() as u64).max(1);
        let request = planner.request_bytes.min(share.max(LEAST_REQUEST));
        // No request is of a gap alone.
        let planner = planner.request_bytes(request).gap_bytes(planner.gap_bytes.min(request / 2));
        let requests: Vec<_> = planner.requests(&wanted, size).take(MOST_REQUESTS).collect();
        let (mut parts, mut keys) = (Vec::with_capacity(requests.len()), Vec::with_capacity(requests.len()));
        let mut number = vec![0usize; wanted.len()];
        for range in requests {
            let first = wanted.partition_point(|wanted| wanted.end <= range.start);
            let after = wanted.partition_point(|wanted| wanted.start < range.end).max(first);
            keys.push(number.get(first..after).and_then(|numbers| numbers.iter().min()).copied());
            number.get_mut(first..after).unwrap_or_default().iter_mut().for_each(|number| *number += 1);
            parts.push(Part { range, state: State::Planned, taken: None, wanted: first..after });
        }
        let mut order: Vec<usize> = (0..parts.len()).collect();
        order.sort_by_key(|part| keys.get(*part).copied().flatten());
        let wanted = wanted.into_iter().map(|range| Wanted { read_to: range.start, range }).collect();
        let window = pace.window(request, most);
        Self { object, window, pace, budget, wanted, parts, order, next: 0, held: 0 }
    }

    /// Returns whether a byte is in a part that is requested or will be.
    #[must_use]
    pub fn has(&self, at: u64) -> bool {
        self.part_of(at)
            .and_then(|part| self.parts.get(part))
            .is_some_and(|part| !matches!(part.state, State::Gone))
    }

    /// Returns the bytes that are under way and that wait.
    #[must_use]
    pub fn bytes_held(&self) -> u64 {
        self.held
    }

    /// Notes that `read` was read, which may reach over the ends of ranges. Lets go of the parts that every range which wants some
    /// of them was read beyond.
    pub fn read(&mut self, read: Range<u64>) {
        let first = self.wanted.partition_point(|wanted| wanted.range.end <= read.start);
        let after = self.wanted.partition_point(|wanted| wanted.range.start < read.end).max(first);
        let touched = self.wanted.get_mut(first..after).unwrap_or_default();
        let Some(start) = touched.first().map(|wanted| wanted.range.start) else { return };
        for wanted in touched {
            wanted.read_to = wanted.read_to.max(read.end.min(wanted.range.end));
        }
        let first = self.parts.partition_point(|part| part.range.end <= start);
        let after = self.parts.partition_point(|part| part.range.start < read.end).max(first);
        for part in self.parts.get_mut(first..after).unwrap_or_default() {
            let end = part.range.end;
            let is_read = |wanted: &Wanted| {
                wanted.read_to >= wanted.range.end || wanted.read_to >= end.saturating_add(SLACK)
            };
            let wanted = self.wanted.get(part.wanted.clone()).unwrap_or_default();
            if matches!(part.state, State::Here(_)) && wanted.iter().all(is_read) {
                (part.state, part.taken) = (State::Gone, None);
                self.held = self.held.saturating_sub(part.len());
            }
        }
    }

    fn part_of(&self, at: u64) -> Option<usize> {
        let number = self.parts.partition_point(|part| part.range.end <= at);
        self.parts.get(number).filter(|part| part.range.contains(&at)).map(|_| number)
    }

    /// Returns the part with a byte, and the offset of the part in the object. `None` if no range has the byte, or its part was
    /// let go.
    ///
    /// # Errors
    ///
    /// The error of the store after all retries.
    pub async fn part_at(&mut self, at: u64) -> Result<Option<(u64, Arc<Vec<u8>>)>> {
        self.request_ahead();
        let Some(part) = self.part_of(at).and_then(|number| self.parts.get_mut(number)) else {
            return Ok(None);
        };
        if matches!(part.state, State::Planned) {
            self.held = self.held.saturating_add(part.len());
            part.taken = self.budget.take(part.len(), true);
            part.state = State::UnderWay(Request::send(&self.object, part.range.clone()));
        }
        if let State::UnderWay(request) = &mut part.state {
            let fetched = request.wait().await;
            match fetched {
                Ok((bytes, arrival)) => {
                    part.state = State::Here(Arc::new(bytes));
                    self.pace.arrived(&mut self.window, &arrival);
                }
                Err(error) => {
                    (part.state, part.taken) = (State::Gone, None);
                    self.held = self.held.saturating_sub(part.len());
                    return Err(error);
                }
            }
        }
        let found = match &part.state {
            State::Here(bytes) => Some((part.range.start, Arc::clone(bytes))),
            _ => None,
        };
        self.request_ahead();
        Ok(found)
    }

    fn request_ahead(&mut self) {
        while let Some(part) = self.order.get(self.next).and_then(|number| self.parts.get_mut(*number)) {
            if matches!(part.state, State::Planned) {
                let held = self.held.saturating_add(part.len());
                if self.held > 0 && held > self.window.bytes() {
                    break;
                }
                let Some(taken) = self.budget.take(part.len(), self.held == 0) else { break };
                (self.held, part.taken) = (held, Some(taken));
                part.state = State::UnderWay(Request::send(&self.object, part.range.clone()));
            }
            self.next += 1;
        }
    }
}

/// Returns the ranges within an object in order. Overlapping ranges are merged; adjacent ones are not, since each is
/// read by itself.
fn distinct(wanted: &[Range<u64>], size: u64) -> Vec<Range<u64>> {
    let within = wanted.iter().map(|range| range.start..range.end.min(size));
    let mut wanted: Vec<_> = within.filter(|range| !range.is_empty()).collect();
    wanted.sort_by_key(|range| range.start);
    let mut distinct: Vec<Range<u64>> = Vec::with_capacity(wanted.len());
    for range in wanted {
        match distinct.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => distinct.push(range),
        }
    }
    distinct
}
