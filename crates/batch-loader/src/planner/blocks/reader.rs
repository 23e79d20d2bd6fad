//! The examples of one host in an order of blocks.

use std::collections::BTreeMap;

use super::stream::{Layouts, Stream};
use crate::Result;
use crate::engine::Feeds;
use crate::item::Item;
use crate::planner::positions::Positions;
use crate::planner::{Order, Plan};

/// Reads the examples of this host: those of its streams, or its share of all streams.
pub(in crate::planner) struct BlockReader {
    pub(in crate::planner) positions: Positions,
    streams: BTreeMap<u64, Stream>,
    layouts: Layouts,
    /// Whether all streams of this host were opened.
    opened: bool,
}

impl BlockReader {
    /// A reader that goes on from a position.
    pub(in crate::planner) fn new(position: u64) -> Self {
        let (streams, layouts) = (BTreeMap::new(), Layouts::default());
        Self { positions: Positions::new(position), streams, layouts, opened: false }
    }

    pub(in crate::planner) fn next(&mut self, feeds: &Feeds, plan: &Plan) -> Result<Option<Item>> {
        let Order::Blocks(order) = &plan.order else { return Ok(None) };
        if !self.opened {
            self.opened = true;
            // All streams begin to read at once.
            for turn in 0..order.streams {
                let Some(position) = self.positions.nth(plan, self.positions.taken() + turn) else { break };
                self.open(position, (feeds, plan, order))?;
            }
        }
        let Some(position) = self.positions.next(plan) else {
            self.positions.end();
            return Ok(None);
        };
        let (epoch, stream, before) = self.open(position, (feeds, plan, order))?;
        let Some(stream) = self.streams.get_mut(&stream) else { return Ok(None) };
        let item = stream.item((epoch, before), (feeds, plan, order), &mut self.layouts)?;
        if item.is_some() {
            self.positions.take(epoch);
        }
        Ok(item)
    }

    /// Returns the epoch of a position, its stream, which is opened, and how many examples of the epoch precede it in that.
    fn open(
        &mut self,
        position: u64,
        (feeds, plan, order): (&Feeds, &Plan, &super::BlockOrder),
    ) -> Result<(u64, u64, u64)> {
        let (epoch, at) = Positions::at(position, plan, order.examples.len());
        let (number, before) = (at % order.streams, at / order.streams);
        if let std::collections::btree_map::Entry::Vacant(vacant) = self.streams.entry(number) {
            vacant.insert(Stream::new(number, (epoch, before), (feeds, plan, order), &mut self.layouts)?);
        }
        Ok((epoch, number, before))
    }
}
