//! Examples read by their places, in whatever order they are needed.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::engine::{Halt, Shared, Start};
use crate::item::{Chunk, Item, Piece, Unit};
use crate::progress::ItemPlace;
use crate::source::{Place, Run};
use crate::{Error, ErrorKind, Result};

/// Chunks that are being read for a number of places.
pub(super) struct Fetching {
    unit: Unit,
    feeds: Vec<(u32, u64)>,
}

/// Chunks that hold the examples of a number of places: those of each part, in the order of its records.
pub(super) struct Fetched {
    unit: Unit,
    chunks: BTreeMap<u32, Vec<Arc<Chunk>>>,
}

impl Fetched {
    /// Begins to read what lies at some places. Every record is read and parsed once, however many examples touch it.
    pub(super) fn start(shared: &Shared, unit: Unit, places: &[ItemPlace]) -> Fetching {
        let mut parts: BTreeMap<u32, Vec<ItemPlace>> = BTreeMap::new();
        for place in places {
            parts.entry(place.part).or_default().push(*place);
        }
        let open =
            |(part, places): (u32, Vec<ItemPlace>)| (part, shared.open(part, Start::Runs(runs(places))));
        Fetching { unit, feeds: parts.into_iter().map(open).collect() }
    }

    /// The example at a place that was asked for.
    pub(super) fn item(&self, place: &ItemPlace) -> Result<Item> {
        self.find(place).ok_or_else(|| {
            Error::new(ErrorKind::State, "the example that began at this record is not there any more")
                .with_hint("the file was changed since the state was saved; start anew")
                .in_record(place.record, Some(place.byte))
        })
    }

    fn find(&self, place: &ItemPlace) -> Option<Item> {
        let chunks = self.chunks.get(&place.part)?;
        let after =
            chunks.partition_point(|chunk| chunk.records.first().is_some_and(|&first| first <= place.record));
        let at = after.checked_sub(1)?;
        let row = chunks.get(at)?.records.binary_search(&place.record).ok()?;
        let mut missing = place.len as usize;
        let mut pieces = Vec::new();
        for (number, chunk) in chunks.get(at..)?.iter().enumerate() {
            let row = if number == 0 { row } else { 0 };
            let step = if number == 0 { place.step as usize } else { 0 };
            let (start, units) = match (&chunk.steps, self.unit) {
                (Some(steps), Unit::Steps) => (steps.get(row)?.checked_add(step)?, *steps.last()?),
                _ => (row, chunk.rows()),
            };
            let take = missing.min(units.checked_sub(start)?);
            let chunk = Arc::clone(chunk);
            pieces.push(Piece { chunk, start: u32::try_from(start).ok()?, len: u32::try_from(take).ok()? });
            missing -= take;
            if missing == 0 {
                break;
            }
        }
        let mut pieces = pieces.into_iter();
        let first = pieces.next()?;
        let rest = pieces.collect::<Box<[_]>>();
        (missing == 0).then_some(Item { first, rest: (!rest.is_empty()).then_some(rest) })
    }
}

impl Fetching {
    /// Waits for all of it.
    pub(super) fn finish(self, shared: &Shared) -> Result<Fetched, Halt> {
        let mut chunks = BTreeMap::new();
        for (part, feed) in self.feeds {
            let mut all = Vec::new();
            while let Some(parsed) = shared.next(feed)? {
                all.push(parsed.chunk);
            }
            shared.close(feed);
            chunks.insert(part, all);
        }
        Ok(Fetched { unit: self.unit, chunks })
    }
}

/// The records that places touch, as runs that neither overlap nor touch.
fn runs(mut places: Vec<ItemPlace>) -> Vec<Run> {
    places.sort_unstable_by_key(|place| place.record);
    let mut runs: Vec<Run> = Vec::new();
    for place in places {
        let end = place.record.saturating_add(u64::from(place.records));
        match runs.last_mut() {
            Some(run) if place.record <= run.from.record.saturating_add(run.count) => {
                run.count = run.count.max(end - run.from.record);
            }
            _ => {
                let from = Place { record: place.record, byte: place.byte };
                runs.push(Run { from, count: end - place.record });
            }
        }
    }
    runs
}
