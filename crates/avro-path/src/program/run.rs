//! Walks a datum's bytes through the tree, once.

use std::sync::Arc;

use super::column::{Column, Offset};
use super::tree::{Comparison, Filter, Group, Items, Node, Read, Select, Side, Step, Tree, Union, Value};
use crate::datum::{DatumReader, SkipPlan};
use crate::{Error, ErrorKind, Result};

/// What a filter compares: read from the datum.
#[derive(Clone, Debug, Default)]
pub(super) enum Slot {
    /// Null, or nothing there.
    #[default]
    Null,
    Boolean(bool),
    Integer(i64),
    Float(f64),
    /// A range of the datum's bytes.
    Bytes(usize, usize),
    Symbol(Arc<str>),
}

/// What one datum is run with.
pub(super) struct Run<'r, 'd, O> {
    pub(super) skip: &'r SkipPlan,
    pub(super) reader: DatumReader<'d>,
    pub(super) bytes: &'d [u8],
    pub(super) columns: &'r mut [Column<O>],
    pub(super) slots: &'r mut [Slot],
    /// Which map keys were seen.
    pub(super) found: &'r mut [bool],
    /// List items that may still be appended.
    pub(super) items_left: u64,
}

impl<O: Offset> Run<'_, '_, O> {
    /// Appends a row to each column. The reader stands after the datum then.
    pub(super) fn datum(&mut self, tree: &Tree) -> Result<()> {
        self.slots.fill(Slot::Null);
        if let Some(first) = &tree.first {
            let start = self.reader.clone();
            self.node(first)?;
            self.reader = start;
        }
        self.node(&tree.main)
    }

    fn node(&mut self, node: &Node) -> Result<()> {
        match node {
            Node::Skip(ty) => self.skip.skip(*ty, &mut self.reader),
            Node::Value(value) => self.value(value),
            Node::Record(steps) => {
                for step in steps {
                    match step {
                        Step::Bytes(bytes) => {
                            self.reader.fixed(*bytes)?;
                        }
                        Step::Skip(name, ty) => {
                            self.skip.skip(*ty, &mut self.reader).map_err(|error| error.within(name))?;
                        }
                        Step::Field(name, node) => self.node(node).map_err(|error| error.within(name))?,
                    }
                }
                Ok(())
            }
            Node::Union(union) => self.union(union),
            Node::Items(items) => self.items(items),
        }
    }

    fn union(&mut self, union: &Union) -> Result<()> {
        let number = self.reader.index(union.branches.len())?;
        let Some(branch) = union.branches.get(number) else { return Ok(()) };
        self.missing(&branch.missing, union.level);
        self.node(&branch.node).map_err(|error| error.within(&branch.name))
    }

    fn missing(&mut self, columns: &[usize], level: usize) {
        for &column in columns {
            self.columns[column].push_null(level);
        }
    }

    fn value(&mut self, value: &Value) -> Result<()> {
        let slot = match &value.read {
            Read::Null => {
                for &column in &value.columns {
                    let level = self.columns[column].rank();
                    self.columns[column].push_null(level);
                }
                Slot::Null
            }
            Read::Boolean => {
                let found = self.reader.boolean()?;
                value.columns.iter().for_each(|&column| self.columns[column].push_boolean(found));
                Slot::Boolean(found)
            }
            Read::Int => {
                let found = self.reader.int()?;
                value.columns.iter().for_each(|&column| self.columns[column].push_int(found));
                Slot::Integer(i64::from(found))
            }
            Read::Long => {
                let found = self.reader.long()?;
                value.columns.iter().for_each(|&column| self.columns[column].push_long(found));
                Slot::Integer(found)
            }
            Read::Float => {
                let found = self.reader.float()?;
                value.columns.iter().for_each(|&column| self.columns[column].push_float(found));
                Slot::Float(f64::from(found))
            }
            Read::Double => {
                let found = self.reader.double()?;
                value.columns.iter().for_each(|&column| self.columns[column].push_double(found));
                Slot::Float(found)
            }
            Read::Bytes => {
                let found = self.reader.bytes()?;
                self.bytes(value, found)?
            }
            Read::String => {
                let found = self.reader.string()?.as_bytes();
                self.bytes(value, found)?
            }
            Read::Fixed(size) => {
                let found = self.reader.fixed(*size)?;
                self.bytes(value, found)?
            }
            Read::Symbols(symbols) => {
                let number = self.reader.index(symbols.len())?;
                let Some(symbol) = symbols.get(number) else { return Ok(()) };
                for &column in &value.columns {
                    self.columns[column].push_bytes(symbol.as_bytes())?;
                }
                if value.slots.is_empty() { Slot::Null } else { Slot::Symbol(Arc::clone(symbol)) }
            }
        };
        for &at in &value.slots {
            self.slots[at].clone_from(&slot);
        }
        Ok(())
    }

    #[inline]
    fn bytes(&mut self, value: &Value, found: &[u8]) -> Result<Slot> {
        for &column in &value.columns {
            self.columns[column].push_bytes(found)?;
        }
        let end = self.reader.position();
        Ok(Slot::Bytes(end - found.len(), end))
    }

    /// An array or a map.
    fn items(&mut self, items: &Items) -> Result<()> {
        let total = if items.from_end { self.count(items)? } else { 0 };
        for group in &items.groups {
            if let Select::Key { found, .. } = group.select {
                self.found[found] = false;
            }
        }
        let mut number = 0_u64;
        while let Some(block) = self.reader.item_block(items.least)? {
            if items.all {
                self.items_left = self.items_left.checked_sub(block.count).ok_or_else(too_many_items)?;
            }
            let start = self.reader.position();
            let end = number.saturating_add(block.count);
            while number < end {
                if !items.all {
                    // Straight to the next item of a wanted number.
                    let wanted = next_index(items, number, total).min(end);
                    self.pass_over(items, wanted - number)?;
                    number = wanted;
                    if number == end {
                        break;
                    }
                }
                self.item(items, number, total).map_err(|error| error.within(&format!("[{number}]")))?;
                number += 1;
            }
            block.check_size(&self.reader, start)?;
        }
        for group in &items.groups {
            let is_missing = match group.select {
                Select::All | Select::Filter(_) => {
                    for &column in &group.columns {
                        self.columns[column].close_list(items.level)?;
                    }
                    false
                }
                Select::Index(index) => resolved(index, total).is_none_or(|index| index >= number),
                Select::Key { found, .. } => !self.found[found],
            };
            if is_missing {
                self.missing(&group.columns, items.level);
            }
        }
        Ok(())
    }

    /// One item, for each group that wants it.
    fn item(&mut self, items: &Items, number: u64, total: u64) -> Result<()> {
        let key = if items.is_map { self.reader.bytes()? } else { &[] };
        let start = self.reader.clone();
        let mut is_read = false;
        for group in &items.groups {
            let is_wanted = match &group.select {
                Select::All | Select::Filter(_) => true,
                Select::Index(index) => resolved(*index, total) == Some(number),
                Select::Key { key: wanted, found } => {
                    // The first of several entries of a key counts.
                    let is_first = **wanted == *key && !self.found[*found];
                    self.found[*found] |= is_first;
                    is_first
                }
            };
            if !is_wanted {
                continue;
            }
            if is_read {
                self.reader = start.clone();
            }
            is_read = true;
            match &group.select {
                Select::Filter(filter) => self.filtered(group, filter, items.level + 1)?,
                _ => self.node(&group.node)?,
            }
        }
        if !is_read {
            self.skip.skip(items.item, &mut self.reader)?;
        }
        Ok(())
    }

    /// An item that counts if it passes tests: it is read first, because what is tested may come last.
    fn filtered(&mut self, group: &Group, filter: &Filter, level: usize) -> Result<()> {
        for &slot in &filter.slots {
            self.slots[slot] = Slot::Null;
        }
        // As many for each column of the group: they are in the same lists.
        let before = group.columns.first().map_or(0, |&column| self.columns[column].len(level));
        self.node(&group.node)?;
        if !filter.tests.iter().all(|test| self.passes(test)) {
            for &column in &group.columns {
                self.columns[column].truncate(level, before);
            }
        }
        Ok(())
    }

    fn passes(&self, test: &Comparison) -> bool {
        let is_null = |side: &Side| match side {
            Side::Slot(slot) => matches!(self.slots[*slot], Slot::Null),
            _ => false,
        };
        let is_equal = match (&test.left, &test.right) {
            (Side::Null, side) | (side, Side::Null) => is_null(side),
            (left, right) => match (self.operand(left), self.operand(right)) {
                (Operand::Boolean(a), Operand::Boolean(b)) => a == b,
                (Operand::Integer(a), Operand::Integer(b)) => a == b,
                (Operand::Float(a), Operand::Float(b)) => a == b,
                (Operand::Bytes(a), Operand::Bytes(b)) => a == b,
                _ => false,
            },
        };
        is_equal == test.equal
    }

    fn operand<'s>(&'s self, side: &'s Side) -> Operand<'s> {
        match side {
            Side::Slot(slot) => match &self.slots[*slot] {
                Slot::Null => Operand::Null,
                Slot::Boolean(value) => Operand::Boolean(*value),
                Slot::Integer(value) => Operand::Integer(*value),
                Slot::Float(value) => Operand::Float(*value),
                Slot::Bytes(start, end) => Operand::Bytes(self.bytes.get(*start..*end).unwrap_or_default()),
                Slot::Symbol(symbol) => Operand::Bytes(symbol.as_bytes()),
            },
            Side::Text(text) => Operand::Bytes(text),
            Side::Integer(value) => Operand::Integer(*value),
            Side::Float(value) => Operand::Float(*value),
            Side::Boolean(value) => Operand::Boolean(*value),
            Side::Null => Operand::Null,
        }
    }

    /// Passes over so many items, at once where their width is known.
    fn pass_over(&mut self, items: &Items, count: u64) -> Result<()> {
        if let (Some(width), false) = (self.skip.fixed_width(items.item), items.is_map) {
            let bytes = usize::try_from(count).unwrap_or(usize::MAX).saturating_mul(width);
            return self.reader.fixed(bytes).map(drop);
        }
        for _ in 0..count {
            if items.is_map {
                self.reader.bytes()?;
            }
            self.skip.skip(items.item, &mut self.reader)?;
        }
        Ok(())
    }

    /// The number of all items; the reader stays where it is.
    fn count(&mut self, items: &Items) -> Result<u64> {
        let start = self.reader.clone();
        let mut total = 0_u64;
        while let Some(block) = self.reader.item_block(items.least)? {
            total = total.saturating_add(block.count);
            match block.bytes {
                Some(bytes) => self.reader.fixed(bytes).map(drop)?,
                None => self.pass_over(items, block.count)?,
            }
        }
        self.reader = start;
        Ok(total)
    }
}

/// One side of a comparison.
enum Operand<'a> {
    Null,
    Boolean(bool),
    Integer(i64),
    Float(f64),
    Bytes(&'a [u8]),
}

/// The number of an item from the beginning; `None` where it would be before the first.
fn resolved(index: i64, total: u64) -> Option<u64> {
    u64::try_from(index).ok().or_else(|| total.checked_sub(index.unsigned_abs()))
}

/// The first number at or after this one of which an index wants the item.
fn next_index(items: &Items, number: u64, total: u64) -> u64 {
    let indices = items.groups.iter().filter_map(|group| match group.select {
        Select::Index(index) => resolved(index, total),
        _ => None,
    });
    indices.filter(|&index| index >= number).min().unwrap_or(u64::MAX)
}

#[cold]
fn too_many_items() -> Error {
    Error::new(ErrorKind::LimitExceeded, "the datum has more list items than the limit allows")
        .with_hint("raise Limits::list_items if this is meant")
}
