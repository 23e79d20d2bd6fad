//! The prefix tree while keys are added to it.

use std::collections::BTreeMap;

use crate::key::Test;
use crate::key::leaf::Take;
use crate::key::resolve::Move;
use crate::plan::slot::Comparison;
use crate::schema::{Schema, Type, TypeId};
use crate::{Error, Kind, Result};

/// A node of the tree.
#[derive(Debug)]
pub(super) struct Draft<'k> {
    pub(super) ty: TypeId,
    /// By the number of the field or branch.
    pub(super) parts: BTreeMap<usize, usize>,
    pub(super) groups: Vec<(Chosen<'k>, usize)>,
    pub(super) columns: Vec<usize>,
    pub(super) slots: Vec<usize>,
    /// The columns of the keys of entries of which this is the value.
    pub(super) entry_keys: Vec<usize>,
    /// Of a union, what wants to know whether there is a value.
    pub(super) presence: Vec<usize>,
    /// Of a union, the branches that are errors.
    pub(super) refused: BTreeMap<usize, String>,
}

/// Which items a group is for.
#[derive(Debug)]
pub(super) enum Chosen<'k> {
    All,
    Index(i64),
    Key(&'k str),
    Filter(Box<Sieve<'k>>),
}

#[derive(Debug)]
pub(super) struct Sieve<'k> {
    pub(super) tests: &'k [Test],
    pub(super) compiled: Vec<Comparison>,
    /// What the tests read from the item.
    pub(super) probe: Drafts<'k>,
    pub(super) slots: Vec<usize>,
    pub(super) entry_keys: Vec<usize>,
}

impl Chosen<'_> {
    fn is(&self, next: &Move<'_>) -> bool {
        match (self, next) {
            (Self::All, Move::All) => true,
            (Self::Index(a), Move::Index(b)) => a == b,
            (Self::Key(a), Move::MapKey(b)) => a == b,
            (Self::Filter(a), Move::Filter(b)) => a.tests == *b,
            _ => false,
        }
    }
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
            presence: Vec::new(),
            refused: BTreeMap::new(),
        });
        self.list.len() - 1
    }

    /// The child of a field or a branch.
    fn part(&mut self, at: usize, number: usize, ty: TypeId) -> usize {
        if let Some(&child) = self.list[at].parts.get(&number) {
            return child;
        }
        let child = self.add(ty);
        self.list[at].parts.insert(number, child);
        child
    }

    pub(super) fn known_group(&self, at: usize, next: &Move<'_>) -> Option<usize> {
        self.list[at].groups.iter().find(|(chosen, _)| chosen.is(next)).map(|(_, child)| *child)
    }

    /// The child to which a move leads.
    pub(super) fn step(&mut self, schema: &Schema, at: usize, next: &Move<'k>) -> Result<usize> {
        let ty = self.list[at].ty;
        let chosen = match *next {
            Move::Field(number) => {
                let Type::Record(record) = schema.get(ty) else { return Err(inconsistent()) };
                let field = record.fields().get(number).ok_or_else(inconsistent)?;
                return Ok(self.part(at, number, field.type_id()));
            }
            Move::Branch(number) => {
                let Type::Union(branches) = schema.get(ty) else { return Err(inconsistent()) };
                let &branch = branches.get(number).ok_or_else(inconsistent)?;
                return Ok(self.part(at, number, branch));
            }
            Move::Index(index) => Chosen::Index(index),
            Move::MapKey(key) => Chosen::Key(key),
            Move::All => Chosen::All,
            Move::Filter(_) | Move::EntryKey => return Err(inconsistent()),
        };
        if let Some(child) = self.known_group(at, next) {
            return Ok(child);
        }
        let child = self.add(element(schema, ty)?);
        self.list[at].groups.push((chosen, child));
        Ok(child)
    }

    /// The drafts of the values that are read where a path ends.
    pub(super) fn ends(&mut self, schema: &Schema, at: usize, take: &Take) -> Vec<usize> {
        let (taken, refusal) = match take {
            Take::Value => return vec![at],
            Take::Presence => return Vec::new(),
            Take::Branches(taken) => (taken, None),
            Take::Only(taken, text) => (taken, Some(text)),
        };
        if let (Some(text), Type::Union(branches)) = (refusal, schema.get(self.list[at].ty)) {
            for (number, &id) in branches.iter().enumerate() {
                let is_taken = taken.iter().any(|(taken, _)| *taken == number);
                if !is_taken && !matches!(schema.get(id), Type::Null) {
                    let text = format!("the value is of the branch {}, {text}", schema.branch_name(id));
                    self.list[at].refused.entry(number).or_insert(text);
                }
            }
        }
        taken.iter().map(|&(number, id)| self.part(at, number, id)).collect()
    }
}

/// What an array or a map holds.
pub(super) fn element(schema: &Schema, ty: TypeId) -> Result<TypeId> {
    match schema.get(ty) {
        Type::Array(item) | Type::Map(item) => Ok(*item),
        _ => Err(inconsistent()),
    }
}

/// Resolving made sure that this cannot be.
#[cold]
fn inconsistent() -> Error {
    Error::new(Kind::KeyType, "the key was resolved with another schema")
}
