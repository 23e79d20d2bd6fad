//! Files that take turns: several are open at once, and each gives one example at a time.

use std::collections::VecDeque;

use super::cut::Cutter;
use super::empty::Left;
use super::{ExamplePlan, Order, order};
use crate::Result;
use crate::feed::{Feed, Feeds, Start};
use crate::item::{Item, Unit};
use crate::progress::Progress;
use crate::source::RecordPosition;

/// The files of one epoch.
pub(super) struct Interleave {
    epoch: u64,
    order: Vec<u32>,
    /// Number of files of the order that have been given a slot.
    opened: usize,
    /// Feeds of the next ones, whose reading has begun.
    ahead: VecDeque<Feed>,
    slots: Vec<Option<Cutter>>,
    /// Slots that are to be opened again where a saved state left them.
    restored: bool,
    turn: usize,
}

impl Interleave {
    pub(super) fn new(plan: &ExamplePlan, progress: &Progress) -> Self {
        let slots = match plan.order {
            Order::Shuffled { mix_files, .. } => mix_files.clamp(1, (plan.parts as usize).max(1)),
            _ => 1,
        };
        let mut interleave = Self {
            epoch: progress.epoch,
            order: order::files(plan, progress.epoch),
            opened: usize::try_from(progress.opened).unwrap_or(usize::MAX),
            ahead: VecDeque::new(),
            slots: (0..slots).map(|_| None).collect(),
            restored: false,
            turn: progress.turn as usize % slots,
        };
        for (slot, part) in interleave.slots.iter_mut().zip(&progress.open) {
            *slot = part.map(|part| Cutter::restored(plan, progress.epoch, &part));
            interleave.restored |= slot.is_some();
        }
        interleave
    }

    /// Begins an epoch.
    pub(super) fn begin(&mut self, plan: &ExamplePlan, epoch: u64) {
        self.epoch = epoch;
        self.order = order::files(plan, epoch);
        self.opened = 0;
        self.turn = 0;
    }

    /// Leaves out what is left of the epoch.
    pub(super) fn stop(&mut self) {
        self.slots.iter_mut().for_each(|slot| *slot = None);
        self.ahead.clear();
        self.restored = false;
        self.opened = self.order.len();
    }

    /// The next example; `None` at the end of the epoch.
    ///
    /// A turn that finds its file at its end frees the slot and gives nothing; the next file is opened at the
    /// slot's next turn. That is the order in which tf.data's `interleave` takes turns.
    pub(super) fn next(
        &mut self,
        feeds: &Feeds,
        plan: &ExamplePlan,
        left: &mut Left,
    ) -> Result<Option<Item>> {
        if self.restored {
            self.restored = false;
            for cutter in self.slots.iter_mut().flatten() {
                cutter.open(feeds)?;
            }
        }
        self.open_ahead(feeds, plan)?;
        let mut idle = 0;
        while idle <= self.slots.len() {
            if plan.sloppy {
                self.turn = self.ready_slot();
            }
            let turn = self.turn;
            let slots = self.slots.len();
            let Some(slot) = self.slots.get_mut(turn) else { return Ok(None) };
            self.turn = (turn + 1) % slots;
            if slot.is_none() {
                let Some(&part) = self.order.get(self.opened) else {
                    idle += 1;
                    continue;
                };
                self.opened += 1;
                let feed = self.ahead.pop_front().map_or_else(|| open(feeds, part), Ok)?;
                let cutter = Cutter::new(plan, self.epoch, part, feed);
                if let Some(slot) = self.slots.get_mut(turn) {
                    *slot = Some(cutter);
                }
                self.open_ahead(feeds, plan)?;
            }
            let Some(slot) = self.slots.get_mut(turn) else { return Ok(None) };
            if let Some(cutter) = slot {
                if let Some(item) = cutter.next(plan, left)? {
                    return Ok(Some(item));
                }
                *slot = None;
            }
            idle = 0;
        }
        Ok(None)
    }

    /// Begins to read the files whose turn comes next.
    fn open_ahead(&mut self, feeds: &Feeds, plan: &ExamplePlan) -> Result<()> {
        while self.ahead.len() < plan.open_ahead {
            let Some(&part) = self.order.get(self.opened + self.ahead.len()) else { break };
            self.ahead.push_back(open(feeds, part)?);
        }
        Ok(())
    }

    /// The first slot from the turn on whose example is there already, or the turn itself. What comes out then
    /// depends on the disk.
    fn ready_slot(&self) -> usize {
        let slots = self.slots.len();
        let all = (0..slots).map(|more| (self.turn + more) % slots);
        let ready = |slot: &usize| {
            self.slots.get(*slot).is_some_and(|slot| slot.as_ref().is_some_and(|cutter| cutter.is_ready()))
        };
        all.into_iter().find(ready).unwrap_or(self.turn)
    }

    pub(super) fn save(&self, progress: &mut Progress, unit: Unit) {
        progress.opened = self.opened as u64;
        progress.turn = u32::try_from(self.turn).unwrap_or(0);
        progress.open = self.slots.iter().map(|slot| slot.as_ref().map(|cutter| cutter.save(unit))).collect();
    }
}

fn open(feeds: &Feeds, part: u32) -> Result<Feed> {
    feeds.open(part, Start::From(RecordPosition::default()))
}
