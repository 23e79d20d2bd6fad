//! Sequences of several examples in one row: each in the first of a few open rows that has room for it, or one after the other
//! and over the ends of rows.

use std::collections::VecDeque;

use super::lengths::Measured;
use crate::item::{Item, Unit};
use crate::packing::Packing;
use crate::state::ItemPositions;

/// Plan of packing examples into rows.
#[derive(Clone, Debug)]
pub(crate) struct PackPlan {
    /// The tokens of a row.
    pub(crate) length: usize,
    /// The most rows that are open at once.
    pub(crate) open_rows: usize,
    /// Whether an example that does not fit into a row is continued in the next.
    pub(crate) split: bool,
    /// All tensors, which have the same length in each example.
    pub(crate) tensors: Vec<Measured>,
}

/// A part of an example, in a row.
struct Part {
    item: Item,
    from: usize,
    len: usize,
}

#[derive(Default)]
struct Row {
    parts: Vec<Part>,
    used: usize,
}

/// Rows in the making.
pub(super) struct Packer {
    plan: PackPlan,
    /// Rows that are closed, in the order in which they come out.
    closed: VecDeque<Row>,
    /// Rows that have room, the oldest first.
    open: VecDeque<Row>,
    /// An example that is to be split: what comes next of it, and how much of it was given out before.
    rest: Option<(Item, usize)>,
}

impl Packer {
    pub(super) fn new(plan: PackPlan) -> Self {
        Self { plan, closed: VecDeque::new(), open: VecDeque::new(), rest: None }
    }

    /// Returns the length of an example, or two lengths of its tensors that differ and should not.
    pub(super) fn length(&self, item: &Item) -> Result<usize, [(usize, usize); 2]> {
        let mut lengths = self.plan.tensors.iter().map(|tensor| (tensor.tensor, tensor.length(item)));
        let Some(first) = lengths.next() else { return Ok(0) };
        match lengths.find(|(_, length)| *length != first.1) {
            Some(other) => Err([first, other]),
            None => Ok(first.1),
        }
    }

    /// Puts an example of a length from 1 into a row.
    pub(super) fn push(&mut self, item: Item, len: usize) {
        if self.plan.split {
            self.rest = Some((item, 0));
            return;
        }
        let length = self.plan.length;
        let fits = |row: &Row| row.used.saturating_add(len) <= length;
        let at = self.open.iter().position(fits).unwrap_or_else(|| {
            if self.open.len() >= self.plan.open_rows.max(1) {
                self.closed.extend(self.open.pop_front());
            }
            self.open.push_back(Row::default());
            self.open.len() - 1
        });
        self.add(at, Part { item, from: 0, len });
    }

    /// Adds a part to an open row, which closes when it is full.
    fn add(&mut self, at: usize, part: Part) {
        let Some(row) = self.open.get_mut(at) else { return };
        row.used = row.used.saturating_add(part.len);
        row.parts.push(part);
        if row.used >= self.plan.length {
            self.closed.extend(self.open.remove(at));
        }
    }

    /// Returns the next `rows` rows, once as many are closed. An example that is split is given out row by row, so that what is left
    /// of it is all that waits.
    pub(super) fn take_full(&mut self, rows: usize) -> Option<(Vec<Item>, Packing)> {
        while self.closed.len() < rows
            && let Some((item, from)) = self.rest.take()
        {
            let left = self.length(&item).unwrap_or(0).saturating_sub(from);
            if self.open.is_empty() {
                self.open.push_back(Row::default());
            }
            let room = self.open.front().map_or(0, |row| self.plan.length.saturating_sub(row.used));
            let len = left.min(room);
            if len < left {
                self.rest = Some((item.clone(), from.saturating_add(len)));
            }
            self.add(0, Part { item, from, len });
        }
        (self.closed.len() >= rows).then(|| self.take(rows))
    }

    /// Returns the remaining rows, at most `rows`, the last of which may have room; `None` if there are none.
    pub(super) fn take_rest(&mut self, rows: usize) -> Option<(Vec<Item>, Packing)> {
        self.closed.append(&mut self.open);
        (!self.closed.is_empty()).then(|| self.take(rows))
    }

    /// Returns how many rows there are, closed or open.
    pub(super) fn rows(&self) -> usize {
        self.closed.len().saturating_add(self.open.len())
    }

    fn take(&mut self, rows: usize) -> (Vec<Item>, Packing) {
        let mut items = Vec::new();
        let mut packing = Packing { length: self.plan.length, ..Packing::default() };
        for row in self.closed.drain(..rows.min(self.closed.len())) {
            for Part { item, from, len } in row.parts {
                items.push(item);
                packing.parts.push((from, len));
            }
            packing.ends.push(items.len());
        }
        (items, packing)
    }

    /// Puts back an example that waited in a row of a saved state, which the caller numbers in their order.
    pub(super) fn put(&mut self, row: usize, item: Item, split: usize) {
        let Ok(len) = self.length(&item) else { return };
        if self.plan.split {
            self.rest = Some((item, split));
            return;
        }
        while self.open.len() <= row {
            self.open.push_back(Row::default());
        }
        if let Some(row) = self.open.get_mut(row) {
            row.used = row.used.saturating_add(len);
            row.parts.push(Part { item, from: 0, len });
        }
    }

    /// Closes the rows of a saved state that are full.
    pub(super) fn restored(&mut self) {
        let rows = std::mem::take(&mut self.open);
        let (full, open) = rows.into_iter().partition(|row: &Row| row.used >= self.plan.length);
        (self.closed, self.open) = (full, open);
    }

    /// Returns what waits.
    pub(super) fn items_mut(&mut self) -> impl Iterator<Item = &mut Item> {
        let rows = self.closed.iter_mut().chain(&mut self.open);
        let rest = self.rest.iter_mut().map(|(item, _)| item);
        rows.flat_map(|row| &mut row.parts).map(|part| &mut part.item).chain(rest)
    }

    /// Returns the examples that wait, row by row, and how much of the first was given out.
    pub(super) fn positions(&self, unit: Unit) -> (Vec<ItemPositions>, u64) {
        let positions =
            |row: &Row| ItemPositions(row.parts.iter().map(|part| part.item.position(unit)).collect());
        let rest = self.rest.iter().map(|(item, _)| ItemPositions(vec![item.position(unit)]));
        let split = self.rest.as_ref().map_or(0, |(_, from)| *from as u64);
        (self.closed.iter().chain(&self.open).map(positions).chain(rest).collect(), split)
    }
}
