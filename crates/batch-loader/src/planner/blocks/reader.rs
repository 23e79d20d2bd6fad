//! The examples of one host in an order of blocks.

use std::sync::Arc;

use super::BlockOrder;
use super::drawn::Drawn;
use super::rows::{Span, WindowRows};
use super::stream::{Shared, Stream};
use crate::feed::Feeds;
use crate::item::Item;
use crate::planner::positions::Positions;
use crate::planner::{ExamplePlan, Order};
use crate::{Error, Result};

/// Reads the examples of this host: of the streams it owns, or its share of all streams.
pub(in crate::planner) struct BlockReader {
    pub(in crate::planner) positions: Positions,
    /// The streams of which examples were given out, by their numbers.
    streams: Vec<Option<Stream>>,
    shared: Shared,
    /// Whether all streams of this host were opened.
    opened: bool,
    /// Examples of records that were drawn together. `epochs` has the epoch of each, `given` the number of them that
    /// were given out.
    items: Vec<Item>,
    epochs: Vec<u64>,
    given: usize,
    /// Error of the record after those.
    failed: Option<Error>,
}

/// Records that are being drawn.
struct Drawing {
    drawn: Drawn,
    epochs: Vec<u64>,
    /// The window of each stream from which the last record was drawn.
    last: Vec<Option<u32>>,
}

impl Drawing {
    fn new(shared: &Shared) -> Self {
        Self { drawn: Drawn::new(shared.spare.clone()), epochs: Vec::new(), last: Vec::new() }
    }

    /// Adds a record from the window of a stream. The window is added to `drawn`, unless the stream's last record was
    /// of it.
    fn add(&mut self, stream: usize, epoch: u64, rows: &Arc<WindowRows>, row: Span) {
        let Drawn { windows, picks, .. } = &mut self.drawn;
        let known = self.last.get(stream).copied().flatten();
        let is_same =
            |window: &u32| windows.get(*window as usize).is_some_and(|known| Arc::ptr_eq(known, rows));
        let window = known.filter(is_same).unwrap_or_else(|| {
            windows.push(Arc::clone(rows));
            let window = u32::try_from(windows.len() - 1).unwrap_or(u32::MAX);
            if self.last.len() <= stream {
                self.last.resize(stream.saturating_add(1), None);
            }
            if let Some(last) = self.last.get_mut(stream) {
                *last = Some(window);
            }
            window
        });
        picks.push((window, row));
        self.epochs.push(epoch);
    }
}

impl BlockReader {
    /// A reader that goes on from a position.
    pub(in crate::planner) fn new(position: u64) -> Self {
        Self {
            positions: Positions::new(position),
            streams: Vec::new(),
            shared: Shared::default(),
            opened: false,
            items: Vec::new(),
            epochs: Vec::new(),
            given: 0,
            failed: None,
        }
    }

    pub(in crate::planner) fn next(&mut self, feeds: &Feeds, plan: &ExamplePlan) -> Result<Option<Item>> {
        let Order::Blocks(order) = &plan.order else { return Ok(None) };
        let context = (feeds, plan, order);
        self.open_all(context)?;
        if order.copies(plan.unit) {
            if self.given >= self.items.len() {
                self.draw_together(context)?;
            }
            let (Some(item), Some(&epoch)) = (self.items.get(self.given), self.epochs.get(self.given)) else {
                self.positions.end();
                return Ok(None);
            };
            self.given += 1;
            self.positions.take(epoch);
            return Ok(Some(item.clone()));
        }
        let Some(position) = self.positions.next(plan) else {
            self.positions.end();
            return Ok(None);
        };
        let (epoch, stream, before) = self.open(position, context)?;
        let Some(Some(stream)) = self.streams.get_mut(stream) else { return Ok(None) };
        let item = stream.item((epoch, before), context, &mut self.shared)?;
        if item.is_some() {
            self.positions.take(epoch);
        }
        Ok(item)
    }

    /// Returns the next records, at most `count`, for another thread to make examples of; `None` at the end, and where
    /// examples are not drawn together.
    pub(in crate::planner) fn draw(
        &mut self,
        count: usize,
        feeds: &Feeds,
        plan: &ExamplePlan,
    ) -> Result<Option<Drawn>> {
        let Order::Blocks(order) = &plan.order else { return Ok(None) };
        // What was drawn together before comes first.
        if !order.copies(plan.unit) || self.given < self.items.len() {
            return Ok(None);
        }
        let context = (feeds, plan, order);
        self.open_all(context)?;
        let mut drawing = Drawing::new(&self.shared);
        while drawing.drawn.len() < count && self.pick(&mut drawing, context)? {}
        drawing.epochs.iter().for_each(|epoch| self.positions.take(*epoch));
        if drawing.drawn.len() < count {
            self.positions.end();
        }
        Ok(Some(drawing.drawn).filter(|drawn| drawn.len() > 0))
    }

    /// Opens all streams, so that they begin to read at once.
    fn open_all(&mut self, context: (&Feeds, &ExamplePlan, &BlockOrder)) -> Result<()> {
        if self.opened {
            return Ok(());
        }
        self.opened = true;
        let (_, plan, order) = context;
        for turn in 0..order.streams {
            let Some(position) = self.positions.nth(plan, self.positions.taken() + turn) else { break };
            self.open(position, context)?;
        }
        Ok(())
    }

    /// Draws the next records, and makes examples of them.
    fn draw_together(&mut self, context: (&Feeds, &ExamplePlan, &BlockOrder)) -> Result<()> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let (_, _, order) = context;
        let mut drawing = Drawing::new(&self.shared);
        while drawing.drawn.len() < order.together() {
            match self.pick(&mut drawing, context) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) if drawing.drawn.len() == 0 => return Err(error),
                // The records before it come first.
                Err(error) => {
                    self.failed = Some(error);
                    break;
                }
            }
        }
        (self.items, self.epochs, self.given) = (drawing.drawn.items()?, drawing.epochs, 0);
        Ok(())
    }

    /// Draws one record after others; returns whether there was one.
    fn pick(&mut self, drawing: &mut Drawing, context: (&Feeds, &ExamplePlan, &BlockOrder)) -> Result<bool> {
        let (_, plan, _) = context;
        let before = self.positions.taken() + drawing.drawn.len() as u64;
        let Some(position) = self.positions.nth(plan, before) else { return Ok(false) };
        let (epoch, number, before) = self.open(position, context)?;
        let Some(Some(stream)) = self.streams.get_mut(number) else { return Ok(false) };
        let Some((rows, row)) = stream.copied((epoch, before), context, &mut self.shared)? else {
            return Ok(false);
        };
        drawing.add(number, epoch, rows, row);
        Ok(true)
    }

    /// Returns the epoch of a position, its stream, which is opened, and how many examples of the epoch precede it in that.
    fn open(
        &mut self,
        position: u64,
        (feeds, plan, order): (&Feeds, &ExamplePlan, &BlockOrder),
    ) -> Result<(u64, usize, u64)> {
        let (epoch, at) = Positions::at(position, plan, order.examples.len());
        let (number, before) = (at % order.streams, at / order.streams);
        let slot = usize::try_from(number).unwrap_or(usize::MAX);
        if self.streams.get(slot).is_none_or(Option::is_none) {
            let stream = Stream::new(number, (epoch, before), (feeds, plan, order), &mut self.shared)?;
            if self.streams.len() <= slot {
                self.streams.resize_with(slot.saturating_add(1), || None);
            }
            if let Some(empty) = self.streams.get_mut(slot) {
                *empty = Some(stream);
            }
        }
        Ok((epoch, slot, before))
    }
}
