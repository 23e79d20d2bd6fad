//! The examples of one host in an order of blocks.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use super::BlockOrder;
use super::rows::{Pick, Rows, chunk_of};
use super::stream::{Shared, Stream};
use crate::batch::outside;
use crate::engine::Feeds;
use crate::item::{Chunk, Item, Span};
use crate::planner::positions::Positions;
use crate::planner::{Order, Plan};
use crate::{Error, Result};

/// Reads the examples of this host: those of its streams, or its share of all streams.
pub(in crate::planner) struct BlockReader {
    pub(in crate::planner) positions: Positions,
    streams: BTreeMap<u64, Stream>,
    shared: Shared,
    /// Whether all streams of this host were opened.
    opened: bool,
    /// Records that were drawn together, the epoch of each, and how many of them were given out.
    drawn: Arc<Chunk>,
    epochs: Vec<u64>,
    given: u32,
    /// What is wrong with the record after those.
    failed: Option<Error>,
}

impl BlockReader {
    /// A reader that goes on from a position.
    pub(in crate::planner) fn new(position: u64) -> Self {
        Self {
            positions: Positions::new(position),
            streams: BTreeMap::new(),
            shared: Shared::default(),
            opened: false,
            drawn: Arc::default(),
            epochs: Vec::new(),
            given: 0,
            failed: None,
        }
    }

    pub(in crate::planner) fn next(&mut self, feeds: &Feeds, plan: &Plan) -> Result<Option<Item>> {
        let Order::Blocks(order) = &plan.order else { return Ok(None) };
        let context = (feeds, plan, order);
        if !self.opened {
            self.opened = true;
            // All streams begin to read at once.
            for turn in 0..order.streams {
                let Some(position) = self.positions.nth(plan, self.positions.taken() + turn) else { break };
                self.open(position, context)?;
            }
        }
        if order.copies(plan.unit) {
            if self.given as usize >= self.epochs.len() {
                self.draw(context)?;
            }
            let Some(&epoch) = self.epochs.get(self.given as usize) else {
                self.positions.end();
                return Ok(None);
            };
            let first = Span { chunk: Arc::clone(&self.drawn), start: self.given, len: 1 };
            self.given += 1;
            self.positions.take(epoch);
            return Ok(Some(Item { first, rest: None }));
        }
        let Some(position) = self.positions.next(plan) else {
            self.positions.end();
            return Ok(None);
        };
        let (epoch, stream, before) = self.open(position, context)?;
        let Some(stream) = self.streams.get_mut(&stream) else { return Ok(None) };
        let item = stream.item((epoch, before), context, &mut self.shared)?;
        if item.is_some() {
            self.positions.take(epoch);
        }
        Ok(item)
    }

    /// Draws the next records.
    fn draw(&mut self, context: (&Feeds, &Plan, &BlockOrder)) -> Result<()> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let (_, plan, order) = context;
        let mut windows: Vec<Arc<Rows>> = Vec::new();
        // The window of each stream from which the last record was drawn.
        let mut last: Vec<Option<u32>> = Vec::new();
        let mut picks: Vec<Pick> = Vec::with_capacity(order.together());
        self.epochs.clear();
        while picks.len() < order.together()
            && let Some(position) = self.positions.nth(plan, self.positions.taken() + picks.len() as u64)
        {
            let picked = self.pick(position, context, &mut windows, &mut last);
            match picked {
                Ok(Some((epoch, pick))) => {
                    picks.push(pick);
                    self.epochs.push(epoch);
                }
                Ok(None) => break,
                Err(error) if picks.is_empty() => return Err(error),
                Err(error) => {
                    self.failed = Some(error);
                    break;
                }
            }
        }
        self.given = 0;
        if !picks.is_empty() {
            self.drawn = Arc::new(chunk_of(&windows, &picks).ok_or_else(outside)?);
        }
        windows.into_iter().for_each(|rows| self.shared.reuse(rows));
        Ok(())
    }

    /// Draws one record, of a window that is added to those of the others if it is none of them.
    fn pick(
        &mut self,
        position: u64,
        context: (&Feeds, &Plan, &BlockOrder),
        windows: &mut Vec<Arc<Rows>>,
        last: &mut Vec<Option<u32>>,
    ) -> Result<Option<(u64, Pick)>> {
        let (epoch, number, before) = self.open(position, context)?;
        let Some(stream) = self.streams.get_mut(&number) else { return Ok(None) };
        let Some((rows, row)) = stream.copied((epoch, before), context, &mut self.shared)? else {
            return Ok(None);
        };
        let slot = usize::try_from(number).unwrap_or(usize::MAX);
        let known = last.get(slot).copied().flatten();
        let is_known =
            |window: &u32| windows.get(*window as usize).is_some_and(|known| Arc::ptr_eq(known, rows));
        let window = match known.filter(is_known) {
            Some(window) => window,
            None => {
                windows.push(Arc::clone(rows));
                let window = u32::try_from(windows.len() - 1).unwrap_or(u32::MAX);
                if last.len() <= slot {
                    last.resize(slot.saturating_add(1), None);
                }
                last.iter_mut().skip(slot).take(1).for_each(|known| *known = Some(window));
                window
            }
        };
        Ok(Some((epoch, (window, row))))
    }

    /// Returns the epoch of a position, its stream, which is opened, and how many examples of the epoch precede it in that.
    fn open(
        &mut self,
        position: u64,
        (feeds, plan, order): (&Feeds, &Plan, &BlockOrder),
    ) -> Result<(u64, u64, u64)> {
        let (epoch, at) = Positions::at(position, plan, order.examples.len());
        let (number, before) = (at % order.streams, at / order.streams);
        if let Entry::Vacant(vacant) = self.streams.entry(number) {
            vacant.insert(Stream::new(number, (epoch, before), (feeds, plan, order), &mut self.shared)?);
        }
        Ok((epoch, number, before))
    }
}
