//! The prefix tree while keys are added to it.

use std::collections::BTreeMap;

use crate::key::leaf::Take;
use crate::key::resolve::Move;
use crate::plan::slot::Comparison;
use crate::schema::{AvroSchema, Type, TypeId};

/// Node of the tree.
#[derive(Debug)]
pub(super) struct Draft<'k> {
    pub(super) ty: TypeId,
    /// Nodes of fields or branches, by their numbers.
    pub(super) parts: BTreeMap<usize, usize>,
    /// Nodes of the items of an index, a key or a filter, or of all items.
    pub(super) groups: Vec<(Move<'k>, usize)>,
    pub(super) columns: Vec<usize>,
    pub(super) slots: Vec<usize>,
    /// Columns of the keys of map entries whose value this is.
    pub(super) entry_keys: Vec<usize>,
    /// Tests that select an item, if this is the item of a filter.
    pub(super) sieve: Option<Sieve<'k>>,
    /// Slots that test the presence of a value in a union.
    pub(super) presence: Vec<usize>,
    /// Branches of a union that are errors, with their messages.
    pub(super) refused: BTreeMap<usize, String>,
}

/// Tests of a filter.
#[derive(Debug)]
pub(super) struct Sieve<'k> {
    pub(super) compiled: Vec<Comparison>,
    /// Values that the tests read from the item.
    pub(super) probe: Drafts<'k>,
    pub(super) slots: Vec<usize>,
    pub(super) entry_keys: Vec<usize>,
}

/// A tree whose root is the first of the list.
#[derive(Debug)]
pub(super) struct Drafts<'k> {
    pub(super) list: Vec<Draft<'k>>,
    pub(super) has_slots: bool,
}

impl<'k> Drafts<'k> {
    pub(super) fn new(root: TypeId) -> Self {
        let mut drafts = Self { list: Vec::new(), has_slots: false };
        drafts.add(root);
        drafts
    }

    pub(super) fn add(&mut self, ty: TypeId) -> usize {
        self.list.push(Draft {
            ty,
            parts: BTreeMap::new(),
            groups: Vec::new(),
            columns: Vec::new(),
            slots: Vec::new(),
            entry_keys: Vec::new(),
            sieve: None,
            presence: Vec::new(),
            refused: BTreeMap::new(),
        });
        self.list.len() - 1
    }

    /// Returns the child of a field or a branch.
    fn part(&mut self, at: usize, number: usize, ty: TypeId) -> usize {
        if let Some(&child) = self.list[at].parts.get(&number) {
            return child;
        }
        let child = self.add(ty);
        self.list[at].parts.insert(number, child);
        child
    }

    /// Returns the child to which a move leads.
    pub(super) fn step(&mut self, at: usize, next: Move<'k>, to: TypeId) -> usize {
        match next {
            Move::Field(number) | Move::Branch(number) => self.part(at, number, to),
            _ => self.group(at, next, to).0,
        }
    }

    /// Returns the child of items, and whether it is new.
    pub(super) fn group(&mut self, at: usize, next: Move<'k>, to: TypeId) -> (usize, bool) {
        if let Some((_, child)) = self.list[at].groups.iter().find(|(known, _)| *known == next) {
            return (*child, false);
        }
        let child = self.add(to);
        self.list[at].groups.push((next, child));
        (child, true)
    }

    /// Returns the drafts of the values that are read at the end of a path.
    pub(super) fn ends(&mut self, schema: &AvroSchema, at: usize, take: &Take) -> Vec<usize> {
        let (taken, refusal) = match take {
            Take::Value => return vec![at],
            Take::Presence => return Vec::new(),
            Take::Branches(taken) => (taken, None),
            Take::Only(taken, text) => (taken, Some(text)),
        };
        if let (Some(text), Type::Union(branches)) = (refusal, schema.get(self.list[at].ty)) {
            for (number, &id) in branches.iter().enumerate() {
                let is_taken = taken.iter().any(|(taken, _)| *taken == number);
                if !is_taken && !schema.is_null(id) {
                    let text = format!("the value is of the branch {}, {text}", schema.branch_name(id));
                    self.list[at].refused.entry(number).or_insert(text);
                }
            }
        }
        taken.iter().map(|&(number, id)| self.part(at, number, id)).collect()
    }
}
