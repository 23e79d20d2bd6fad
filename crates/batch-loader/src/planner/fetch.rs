//! Examples read by their positions, in whatever order they are needed.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::Locate as _;
use crate::feed::{Feed, Feeds, Start};
use crate::item::{Chunk, Item, Span, Unit};
use crate::progress::ItemPosition;
use crate::source::{PartRun, RecordPosition};
use crate::state::ItemPositions;
use crate::{Error, Kind, Result};

/// Examples that are being read together. They are handed out in the order in which they were asked for, each as soon
/// as its records are there.
pub(super) struct Fetching {
    unit: Unit,
    positions: Vec<ItemPosition>,
    /// Number of examples that were handed out.
    given: usize,
    parts: BTreeMap<u32, Part>,
}

/// Reads of one part.
#[derive(Default)]
struct Part {
    feed: Option<Feed>,
    /// Chunks that have come, in the order of their records.
    chunks: Vec<Arc<Chunk>>,
    /// Errors of the part; `asked_again` is whether the examples that need none of the failed records were asked for
    /// again.
    failed: Vec<Error>,
    asked_again: bool,
}

impl Fetching {
    /// Begins to read the examples at some positions. Every record is read and parsed once, however many examples
    /// contain it.
    pub(super) fn start(feeds: &Feeds, unit: Unit, positions: Vec<ItemPosition>) -> Result<Self> {
        let mut of_parts: BTreeMap<u32, Vec<ItemPosition>> = BTreeMap::new();
        for position in &positions {
            of_parts.entry(position.part).or_default().push(*position);
        }
        let open = |(part, positions): (u32, Vec<ItemPosition>)| {
            let feed = Some(feeds.open(part, Start::Runs(runs(positions)))?);
            Ok((part, Part { feed, ..Part::default() }))
        };
        let parts = of_parts.into_iter().map(open).collect::<Result<_>>()?;
        Ok(Self { unit, parts, positions, given: 0 })
    }

    /// The next example; `None` after the last. A record that cannot be read is an error of the first example that
    /// needs it, and costs none of those before.
    pub(super) fn next(&mut self, feeds: &Feeds) -> Result<Option<Item>> {
        let Some(&position) = self.positions.get(self.given) else {
            self.parts.clear();
            return Ok(None);
        };
        loop {
            let Some(part) = self.parts.get_mut(&position.part) else { return Err(gone(&position)) };
            if let Some(item) = part.find(self.unit, &position) {
                self.given += 1;
                return Ok(Some(item));
            }
            if let Some(feed) = &mut part.feed {
                match feed.next() {
                    Ok(Some(parsed)) => part.insert(parsed.chunk),
                    Ok(None) => part.feed = None,
                    Err(error) => {
                        part.feed = None;
                        let left = self.positions.get(self.given..).unwrap_or_default();
                        let mut left = left.iter().filter(|other| other.part == position.part);
                        if part.is_stuck(&error) || !left.any(|position| concerns(&error, position)) {
                            return Err(error);
                        }
                        part.failed.push(error);
                        part.asked_again = false;
                    }
                }
                continue;
            }
            if let Some(at) = part.failed.iter().position(|error| concerns(error, &position)) {
                return Err(part.failed.swap_remove(at));
            }
            if part.failed.is_empty() || part.asked_again {
                return Err(gone(&position));
            }
            // What lies after the failure was not read; examples that come before those that need it are.
            let rest = self.positions.get(self.given..).unwrap_or_default();
            let rest = rest.iter().filter(|other| other.part == position.part);
            let unharmed =
                rest.take_while(|position| !part.failed.iter().any(|error| concerns(error, position)));
            let missing = unharmed.filter(|position| part.find(self.unit, position).is_none());
            let start = Start::Runs(runs(missing.copied().collect()));
            part.feed = Some(feeds.open(position.part, start)?);
            part.asked_again = true;
        }
    }
}

/// Reads the examples at some positions again, in their order.
pub(super) fn all(
    feeds: &Feeds,
    unit: Unit,
    positions: ItemPositions,
    mut give: impl FnMut(Item),
) -> Result<()> {
    let mut missing = positions.0.len();
    if missing == 0 {
        return Ok(());
    }
    let mut fetching = Fetching::start(feeds, unit, positions.0)?;
    while let Some(item) = fetching.next(feeds)? {
        give(item);
        missing -= 1;
    }
    if missing == 0 { Ok(()) } else { Err(no_more()) }
}

/// Returns an error that never occurs: every position that was asked for gives an example or an error.
#[cold]
fn no_more() -> Error {
    Error::new(Kind::State, "the state holds other examples than it says").help("start anew")
}

impl Part {
    /// Whether reading again would fail again: nothing can be read, or what was asked for comes after a record that is
    /// known to fail, in a file that is read from its start.
    fn is_stuck(&self, error: &Error) -> bool {
        let record = error.position().record;
        error.kind().is_io() || self.failed.iter().any(|known| known.position().record == record)
    }

    fn insert(&mut self, chunk: Arc<Chunk>) {
        let first = chunk.records.first().copied();
        if first.is_none() {
            return;
        }
        let at = self.chunks.partition_point(|other| other.records.first().copied() <= first);
        self.chunks.insert(at, chunk);
    }

    fn find(&self, unit: Unit, position: &ItemPosition) -> Option<Item> {
        find(&self.chunks, unit, position)
    }
}

/// Returns the example at a position, of chunks of its file in the order of their records; `None` where they do not hold all of it.
pub(super) fn find(chunks: &[Arc<Chunk>], unit: Unit, position: &ItemPosition) -> Option<Item> {
    let after =
        chunks.partition_point(|chunk| chunk.records.first().is_some_and(|&first| first <= position.record));
    let at = after.checked_sub(1)?;
    let row = chunks.get(at)?.records.binary_search(&position.record).ok()?;
    let mut missing = position.len as usize;
    let mut spans = Vec::new();
    for (number, chunk) in chunks.get(at..)?.iter().enumerate() {
        let row = if number == 0 { row } else { 0 };
        let step = if number == 0 { position.step as usize } else { 0 };
        let (start, units) = match (&chunk.steps, unit) {
            (Some(steps), Unit::Steps) => (steps.get(row)?.checked_add(step)?, *steps.last()?),
            _ => (row, chunk.rows()),
        };
        let take = missing.min(units.checked_sub(start)?);
        let chunk = Arc::clone(chunk);
        spans.push(Span { chunk, start: u32::try_from(start).ok()?, len: u32::try_from(take).ok()? });
        missing -= take;
        if missing == 0 {
            break;
        }
    }
    let mut spans = spans.into_iter();
    let first = spans.next()?;
    let rest = spans.collect::<Box<[_]>>();
    let item = Item { first, rest: (!rest.is_empty()).then_some(rest) };
    // Where a record between could not be read, what follows it is not of this example.
    (missing == 0 && (item.is_row() || item.position(unit).records == position.records)).then_some(item)
}

/// Whether an error is about a record of the example at a position.
fn concerns(error: &Error, position: &ItemPosition) -> bool {
    error.position().record.is_none_or(|record| {
        record.checked_sub(position.record).is_some_and(|after| after < u64::from(position.records))
    })
}

#[cold]
pub(super) fn gone(position: &ItemPosition) -> Error {
    Error::new(Kind::State, "the example that began at this record is not there any more")
        .help("the file was changed since it was indexed or the state was saved; start anew")
        .in_record(position.record, Some(position.byte))
}

/// The records that positions touch, as runs that neither overlap nor touch.
fn runs(mut positions: Vec<ItemPosition>) -> Vec<PartRun> {
    positions.sort_unstable_by_key(|position| position.record);
    let mut runs: Vec<PartRun> = Vec::new();
    for position in positions {
        let end = position.record.saturating_add(u64::from(position.records));
        match runs.last_mut() {
            Some(run) if position.record <= run.from.record.saturating_add(run.count) => {
                run.count = run.count.max(end - run.from.record);
            }
            _ => {
                let from = RecordPosition { record: position.record, byte: position.byte };
                runs.push(PartRun { from, count: end - position.record });
            }
        }
    }
    runs
}
