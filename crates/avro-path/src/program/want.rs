//! Prefix tree as the [`Want`] of the compiler.

use super::checks::checks;
use super::draft::{Draft, Drafts, Sieve};
use crate::key::resolve::Move;
use crate::plan::compile::{Compiler, Elements, ValueSource, Want, again, chosen, item_steps, no_such_value};
use crate::plan::op::{Fill, Filter, Group, Items, Keep, Op, Picks, Select};
use crate::plan::shape::{Child, Kind, Shape};
use crate::plan::slot::Side;
use crate::schema::{Type, TypeId};
use crate::{Result, error};

/// A draft, and the lists that its columns are in.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'a, 'k> {
    drafts: &'a Drafts<'k>,
    /// Shapes of the columns of all keys.
    columns: &'a [Child],
    at: usize,
    level: usize,
}

impl<'a, 'k> Wanted<'a, 'k> {
    /// Returns the root of a tree.
    pub(super) fn new(drafts: &'a Drafts<'k>, columns: &'a [Child]) -> Self {
        Self { drafts, columns, at: 0, level: 0 }
    }

    fn draft(self) -> &'a Draft<'k> {
        &self.drafts.list[self.at]
    }

    fn child(self, at: usize, level: usize) -> Self {
        Self { at, level, ..self }
    }

    /// Returns the columns below, each once.
    fn below(self) -> Vec<usize> {
        let mut columns = Vec::new();
        self.gather(&mut columns);
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    fn gather(self, columns: &mut Vec<usize>) {
        let draft = self.draft();
        columns.extend(&draft.columns);
        draft.parts.values().for_each(|&part| self.child(part, 0).gather(columns));
        for &(_, child) in &draft.groups {
            let child = self.child(child, 0);
            columns.extend(&child.draft().entry_keys);
            child.gather(columns);
        }
    }

    /// Returns the shape of a column below `lists` lists.
    fn column(self, column: usize, lists: usize) -> &'a Shape {
        self.columns[column].shape.below(lists)
    }

    /// Returns what appends an entry of nothing to columns.
    fn absent(self, columns: &[usize]) -> Vec<Fill> {
        let mut fills = Vec::new();
        columns.iter().for_each(|&column| self.column(column, self.level).absent(&mut fills));
        fills
    }

    /// Compiles what reads an array or a map.
    fn items(self, compiler: &mut Compiler<'_>, elements: &Elements) -> Result<Op> {
        let mut groups = Vec::new();
        for &(chosen, child) in &self.draft().groups {
            let (select, lists) = match (chosen, &self.drafts.list[child].sieve) {
                (Move::All, _) => (Select::All, 1),
                (Move::Index(index), _) => (Select::Index(index), 0),
                (Move::MapKey(key), _) => (Select::Key(Box::from(key.as_bytes())), 0),
                (_, Some(sieve)) => (Select::Filter(self.filter(compiler, elements, sieve)?), 1),
                _ => return Ok(no_such_value()),
            };
            let child = self.child(child, self.level + lists);
            let op = compiler.read(elements.source, elements.id, child)?;
            let keys = &child.draft().entry_keys;
            let mut columns = child.below();
            columns.extend(keys);
            let (mut ends, mut absent, mut entry_keys) = (Vec::new(), Vec::new(), Vec::new());
            if lists == 0 {
                absent = self.absent(&columns);
            }
            for &column in columns.iter().filter(|_| lists > 0) {
                let Kind::List { ends: list, .. } = self.column(column, self.level).kind else {
                    return Ok(no_such_value());
                };
                ends.push(list);
            }
            for &column in keys {
                let (Kind::Binary(binary) | Kind::Strings(binary)) = self.column(column, usize::MAX).kind
                else {
                    return Ok(no_such_value());
                };
                entry_keys.push(binary);
            }
            compiler.take(columns.len())?;
            let counter = compiler.counts.counters;
            compiler.counts.counters += 1;
            let (ends, absent, entry_keys) = (ends.into(), absent.into(), entry_keys.into());
            groups.push(Group { select, op, counter, ends, absent, entry_keys });
        }
        let reads_keys = groups.iter().any(Group::reads_keys);
        let least = elements.least;
        match groups.pop() {
            Some(Group { select: Select::All, op, ends, .. }) if groups.is_empty() && !reads_keys => {
                let Some((&ends, more_ends)) = ends.split_first() else { return Ok(no_such_value()) };
                let steps = item_steps(elements.is_map.then_some(Op::SkipSized), op);
                return Ok(Items { ends, more_ends: more_ends.into(), least, steps }.into_op());
            }
            last => groups.extend(last),
        }
        let (item, width) = compiler.element_skip(elements);
        let from_end = groups.iter().any(|group| matches!(group.select, Select::Index(..0)));
        let all = groups.iter().any(|group| !matches!(group.select, Select::Index(_)));
        let (is_map, groups) = (elements.is_map, groups.into());
        Ok(Op::Picks(Box::new(Picks { is_map, item, width, least, groups, all, from_end, reads_keys })))
    }

    /// Compiles the tests of a filter, and what reads for them.
    fn filter(self, compiler: &mut Compiler<'_>, elements: &Elements, sieve: &Sieve<'k>) -> Result<Filter> {
        let checks = match elements.source {
            ValueSource::Alike => checks(compiler, sieve),
            ValueSource::Resolved(..) => None,
        };
        let probe = if checks.is_none() && sieve.probe.has_slots {
            let probe = Wanted::new(&sieve.probe, self.columns);
            Some(compiler.read(elements.source, elements.id, probe)?)
        } else {
            None
        };
        let is_checked =
            |side: &Side| checks.is_some() && matches!(side, Side::Slot(slot) if sieve.slots.contains(slot));
        let tests = sieve.compiled.iter().filter(|test| !(is_checked(&test.left) || is_checked(&test.right)));
        Ok(Filter {
            tests: tests.cloned().collect(),
            probe,
            checks: checks.unwrap_or_default(),
            slots: sieve.slots.as_slice().into(),
            entry_keys: sieve.entry_keys.as_slice().into(),
        })
    }
}

impl Want for Wanted<'_, '_> {
    const NAMES_BRANCH: bool = true;

    fn is_nothing(self) -> bool {
        let draft = self.draft();
        let is_unread = draft.columns.is_empty() && draft.slots.is_empty() && draft.presence.is_empty();
        self.at > 0 && is_unread && draft.parts.is_empty() && draft.groups.is_empty()
    }

    fn field(self, number: usize) -> Option<Self> {
        self.draft().parts.get(&number).map(|&part| self.child(part, self.level))
    }

    fn branch(
        self,
        compiler: &mut Compiler<'_>,
        source: ValueSource,
        number: usize,
        branches: &[TypeId],
    ) -> Result<Op> {
        let Some(&id) = branches.get(number) else { return Ok(no_such_value()) };
        let draft = self.draft();
        let part = self.field(number);
        let filled = part.map(Self::below).unwrap_or_default();
        let mut missing = self.below();
        missing.retain(|column| filled.binary_search(column).is_err());
        let absent = self.absent(&missing);
        compiler.take(absent.len())?;
        let is_null = compiler.schema.is_null(id);
        let slots = if is_null { &[][..] } else { &draft.presence };
        let op = match (draft.refused.get(&number), part) {
            (Some(text), _) => Op::Refuse(error::Kind::ValueMismatch, text.as_str().into()),
            (None, Some(part)) => compiler.read(source, id, part)?,
            (None, None) => compiler.skip(source, id),
        };
        Ok(match op {
            Op::Nothing if slots.is_empty() && !absent.is_empty() => Op::Absent(absent.into()),
            op => chosen(Vec::new(), absent, slots, op),
        })
    }

    fn value(self, compiler: &mut Compiler<'_>, source: ValueSource, id: TypeId) -> Result<Op> {
        if let Type::Record(record) = compiler.schema.get(id) {
            return compiler.record(source, record, self);
        }
        if let Some(elements) = compiler.elements(source, id) {
            return self.items(compiler, &elements);
        }
        let draft = self.draft();
        let mut ops = Vec::with_capacity(draft.columns.len());
        for &column in &draft.columns {
            ops.push(compiler.leaf(source, id, self.column(column, usize::MAX)));
        }
        if let (Some(read), false) = (compiler.scalar(source, id), draft.slots.is_empty()) {
            ops.push(Op::Keep(Box::new(Keep { read, slots: draft.slots.as_slice().into() })));
        }
        compiler.take(ops.len())?;
        Ok(again(ops).unwrap_or_else(|| compiler.skip(source, id)))
    }
}

impl Group {
    fn reads_keys(&self) -> bool {
        let in_filter = matches!(&self.select, Select::Filter(filter) if !filter.entry_keys.is_empty());
        in_filter || !self.entry_keys.is_empty()
    }
}
