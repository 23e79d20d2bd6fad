//! Walks a datum's bytes through the tree, once.
//!
//! The place in the bytes is handed from function to function, so that it stays in a register.

use std::sync::Arc;

use super::column::Column;
use super::filter::Slot;
use super::tree::{Each, Node, Read, Step, Tree, Union, Value};
use crate::buffers::Offset;
use crate::datum::At;
use crate::walk::{Sink, check_size, claim, claim_empty, string, strings};
use crate::{Error, ErrorKind, Result};

/// What one datum is run with.
pub(super) struct Run<'r, 'd, O> {
    pub(super) bytes: At<'d>,
    pub(super) columns: &'r mut [Column<O>],
    pub(super) slots: &'r mut [Slot],
    /// Which map keys were seen.
    pub(super) found: &'r mut [bool],
    /// List items that may still be appended.
    pub(super) items_left: u64,
    /// List items without bytes that may still be appended to the batch.
    pub(super) empty_left: u64,
}

impl<O: Offset> Run<'_, '_, O> {
    /// Appends a row to each column, and says where the datum ends.
    #[inline]
    pub(super) fn datum(&mut self, tree: &Tree) -> Result<usize> {
        if let Some(first) = &tree.first {
            // What filters read from an item is emptied before each.
            self.slots.fill(Slot::Null);
            self.node(first, 0)?;
        }
        self.node(&tree.main, 0)
    }

    /// Does what a node says with the bytes from a place on, and gives the place behind them.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn inlined(&mut self, node: &Node, at: usize) -> Result<usize> {
        match node {
            Node::Long(column) => {
                let (found, at) = self.bytes.long(at)?;
                self.columns[*column].push_number(found);
                Ok(at)
            }
            Node::String(column) => string(self.columns, *column, self.bytes, at),
            Node::Double(column) => {
                let (found, at) = self.bytes.double(at)?;
                self.columns[*column].push_number(found);
                Ok(at)
            }
            Node::Float(column) => {
                let (found, at) = self.bytes.float(at)?;
                self.columns[*column].push_number(found);
                Ok(at)
            }
            Node::Int(column) => {
                let (found, at) = self.bytes.int(at)?;
                self.columns[*column].push_number(found);
                Ok(at)
            }
            Node::Boolean(column) => {
                let (found, at) = self.bytes.boolean(at)?;
                self.columns[*column].push_boolean(found);
                Ok(at)
            }
            Node::Union(union) => self.union(union, at),
            Node::Each(each) => self.each(each, at),
            Node::Skip(skip) => skip.skip(self.bytes, at),
            Node::Record(steps) => self.record(steps, at),
            Node::Same(same) => same.append(self.columns, self.bytes, at),
            Node::Value(value) => self.value(value, at),
            Node::Items(items) => self.items(items, at),
            Node::Nothing => Ok(at),
            Node::Refuse(text) => Err(refused(text, at)),
        }
    }

    /// As [`inlined`](Self::inlined), called.
    #[inline(never)]
    pub(super) fn node(&mut self, node: &Node, at: usize) -> Result<usize> {
        self.inlined(node, at)
    }

    #[inline(never)]
    fn record(&mut self, steps: &[Step], at: usize) -> Result<usize> {
        self.steps(steps, at)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn steps(&mut self, steps: &[Step], mut at: usize) -> Result<usize> {
        for step in steps {
            at = match self.inlined(&step.node, at) {
                Ok(at) => at,
                Err(error) => return Err(in_step(step, error)),
            };
        }
        Ok(at)
    }

    #[inline(never)]
    fn union(&mut self, union: &Union, at: usize) -> Result<usize> {
        let (number, at) = self.bytes.index(at, union.branches.len())?;
        let Some(branch) = union.branches.get(number) else { return Ok(at) };
        self.missing(&branch.missing, union.level);
        for &slot in &branch.present {
            self.slots[slot] = Slot::Boolean(true);
        }
        self.node(&branch.node, at).map_err(|error| error.within(&branch.name))
    }

    pub(super) fn missing(&mut self, columns: &[usize], level: usize) {
        for &column in columns {
            self.columns[column].push_null(level);
        }
    }

    #[inline(never)]
    fn value(&mut self, value: &Value, at: usize) -> Result<usize> {
        let (slot, end) = match &value.read {
            Read::Null => {
                for &column in &value.columns {
                    let level = self.columns[column].rank();
                    self.columns[column].push_null(level);
                }
                (Slot::Null, at)
            }
            Read::Boolean => {
                let (found, end) = self.bytes.boolean(at)?;
                value.columns.iter().for_each(|&column| self.columns[column].push_boolean(found));
                (Slot::Boolean(found), end)
            }
            Read::Int => {
                let (found, end) = self.bytes.int(at)?;
                value.columns.iter().for_each(|&column| self.columns[column].push_number(found));
                (Slot::Integer(i64::from(found)), end)
            }
            Read::Long => {
                let (found, end) = self.bytes.long(at)?;
                value.columns.iter().for_each(|&column| self.columns[column].push_number(found));
                (Slot::Integer(found), end)
            }
            Read::Float => {
                let (found, end) = self.bytes.float(at)?;
                value.columns.iter().for_each(|&column| self.columns[column].push_number(found));
                (Slot::Float(f64::from(found)), end)
            }
            Read::Double => {
                let (found, end) = self.bytes.double(at)?;
                value.columns.iter().for_each(|&column| self.columns[column].push_number(found));
                (Slot::Float(found), end)
            }
            Read::Bytes => self.bytes(value, self.bytes.bytes(at)?),
            Read::String => {
                let (text, end) = self.bytes.text(at)?;
                self.bytes(value, (text.as_bytes(), end))
            }
            Read::Fixed(size) => self.bytes(value, self.bytes.fixed(at, *size)?),
            Read::Symbols(symbols) => {
                let (number, end) = self.bytes.index(at, symbols.len())?;
                let Some(symbol) = symbols.get(number) else { return Ok(end) };
                for &column in &value.columns {
                    self.columns[column].push_bytes(symbol.as_bytes());
                }
                (if value.slots.is_empty() { Slot::Null } else { Slot::Symbol(Arc::clone(symbol)) }, end)
            }
        };
        for &at in &value.slots {
            self.slots[at].clone_from(&slot);
        }
        Ok(end)
    }

    #[inline]
    fn bytes(&mut self, value: &Value, (found, end): (&[u8], usize)) -> (Slot, usize) {
        for &column in &value.columns {
            self.columns[column].push_bytes(found);
        }
        (Slot::Bytes(end - found.len(), end), end)
    }

    /// An array or a map of which all columns have all items.
    #[inline(never)]
    fn each(&mut self, each: &Each, mut at: usize) -> Result<usize> {
        let mut total = 0;
        loop {
            let (count, size, start) = self.bytes.item_block(at, each.least)?;
            at = start;
            if count == 0 {
                break;
            }
            claim(&mut self.items_left, count)?;
            if each.least == 0 {
                claim_empty(&mut self.empty_left, count)?;
            }
            at = self.block(each, count, total, at)?;
            check_size(self.bytes, size, start, at)?;
            total += count;
        }
        let total = usize::try_from(total).unwrap_or(usize::MAX);
        for &column in &each.columns {
            self.columns[column].push_list(each.level, total);
        }
        Ok(at)
    }

    /// Items of a block, behind so many.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn block(&mut self, each: &Each, count: u64, before: u64, mut at: usize) -> Result<usize> {
        let in_item = |number: u64, error: Error| error.within(&format!("[{}]", before + number));
        match &each.node {
            node if each.is_map => {
                for number in 0..count {
                    let value = self.bytes.skip_sized(at, 0).and_then(|at| self.node(node, at));
                    at = value.map_err(|error| in_item(number, error))?;
                }
            }
            Node::String(column) => {
                let texts = self.columns.texts(*column);
                at = strings(texts, count, self.bytes, at)
                    .map_err(|(number, error)| in_item(number, error))?;
            }
            Node::Record(steps) => {
                for number in 0..count {
                    at = self.steps(steps, at).map_err(|error| in_item(number, error))?;
                }
            }
            node => {
                for number in 0..count {
                    at = self.node(node, at).map_err(|error| in_item(number, error))?;
                }
            }
        }
        Ok(at)
    }
}

#[cold]
fn refused(text: &str, at: usize) -> Error {
    Error::new(ErrorKind::ValueMismatch, text).at_inner_byte(at)
}

/// The error with the name of the field in which it is.
#[cold]
fn in_step(step: &Step, error: Error) -> Error {
    match &step.name {
        Some(name) => error.within(name),
        None => error,
    }
}
