//! The members of objects.

use std::collections::HashMap;

use arrow_schema::{DataType, Field, Fields};
use tfxio_core::{Count, Error, ErrorKind, Loss, Result};

use super::kinds::LIST;
use super::looked::Looked;
use super::seen::Seen;
use super::twice;
use crate::jsonl::parse::{Json, Key};

/// Loss of numbers.
const ROUNDED: &str = "numbers of more digits than 64-bit floats have are rounded";

/// The members of objects, in the order in which they were met.
#[derive(Clone, Debug, Default)]
pub(in crate::jsonl) struct Members {
    names: HashMap<String, usize>,
    members: Vec<Member>,
    objects: u64,
    /// Member after the last one that was met.
    next: usize,
    /// Number of the members that records before the one that is looked at have.
    kept: usize,
    /// The members that this record has changed; one may be there several times.
    changed: Vec<usize>,
}

/// A member of objects.
#[derive(Clone, Debug)]
struct Member {
    key: Key,
    /// Number of the object in which it was met last.
    met: u64,
    seen: Seen,
    name: String,
}

impl Members {
    /// Looks at the next object.
    pub(in crate::jsonl) fn push(&mut self, json: &mut Json<'_>, looked: &mut Looked<'_>) -> Result<()> {
        self.objects += 1;
        self.next = 0;
        let mut keys = std::mem::take(&mut looked.key);
        let result = json.object(|json| {
            let at = json.at();
            let index = match self.members.get(self.next) {
                Some(member) if json.pass_key(&member.key) => self.next,
                _ => self.index(json.key(&mut keys)?, looked)?,
            };
            let Some(member) = self.members.get_mut(index) else { return Ok(()) };
            if std::mem::replace(&mut member.met, self.objects) == self.objects {
                return Err(twice(&member.name, at));
            }
            self.next = index + 1;
            let (before, changes) = (looked.conflicts.len(), looked.changes);
            let is_rounded = std::mem::take(&mut looked.is_rounded);
            let pushed = member.seen.push(json, looked);
            if looked.is_rounded && !member.seen.is_rounded {
                member.seen.is_rounded = true;
                looked.changes += 1;
            }
            looked.is_rounded |= is_rounded;
            if (looked.changes > changes || index >= self.kept) && self.changed.last() != Some(&index) {
                self.changed.push(index);
            }
            if pushed.is_ok() && looked.conflicts.len() == before {
                return Ok(());
            }
            let own = looked.conflicts.split_off(before).into_iter();
            looked.conflicts.extend(own.map(|(_, error)| (member.name.clone(), error.within(&member.name))));
            pushed.map_err(|error| error.within(&member.name))
        });
        looked.key = keys;
        result
    }

    /// Returns which member a key is. It is a new one where no object before had it.
    fn index(&mut self, key: &[u8], looked: &mut Looked<'_>) -> Result<usize> {
        let name = std::str::from_utf8(key).unwrap_or_default();
        if self.members.get(self.next).is_some_and(|member| member.name == name) {
            return Ok(self.next);
        }
        if let Some(index) = self.names.get(name) {
            return Ok(*index);
        }
        looked.columns += 1;
        if looked.columns > looked.limits.columns {
            let limit = Count::of(looked.limits.columns, "column");
            let error =
                Error::new(ErrorKind::LimitExceeded, format!("there are more than {limit}, the limit"));
            return Err(error.help("raise the limit columns"));
        }
        looked.changes += 1;
        let index = self.members.len();
        self.names.insert(name.to_owned(), index);
        let name = name.to_owned();
        self.members.push(Member { key: Key::new(&name), met: 0, seen: Seen::default(), name });
        Ok(index)
    }

    /// Keeps what the record that was looked at has said, or forgets it, so that only the records before it count. Goes over what the
    /// record has changed, and not over all that is known. Returns how many members it went over.
    pub(in crate::jsonl) fn settle(&mut self, keeps: bool) -> usize {
        if !keeps {
            for member in self.members.drain(self.kept.min(self.members.len())..) {
                self.names.remove(&member.name);
            }
        }
        self.kept = self.members.len();
        let mut count = self.changed.len();
        for index in self.changed.drain(..) {
            if let Some(member) = self.members.get_mut(index) {
                count += member.seen.settle(keeps);
            }
        }
        count
    }

    /// Returns the fields, each of a type.
    pub(in crate::jsonl) fn fields(&self, of: &dyn Fn(&Seen) -> DataType) -> Fields {
        self.members.iter().map(|member| Field::new(&member.name, of(&member.seen), true)).collect()
    }

    /// Returns what is seen of each member.
    pub(super) fn seen(&self) -> impl Iterator<Item = &Seen> {
        self.members.iter().map(|member| &member.seen)
    }

    /// Returns the member of a name.
    pub(in crate::jsonl) fn get(&self, name: &str) -> Option<&Seen> {
        self.names.get(name).and_then(|index| self.members.get(*index)).map(|member| &member.seen)
    }

    /// Returns the columns that have values in lists of several depths, and how they are read.
    pub(in crate::jsonl) fn mixed_columns(&self) -> Vec<Loss> {
        let mut all = Vec::new();
        for Member { name, seen, .. } in &self.members {
            let mut found = Vec::new();
            seen.mixed_depths(name, &mut found);
            all.extend(found.into_iter().map(|what| Loss::new(name, what)));
        }
        all
    }

    /// Returns the columns of numbers that are others as floats, and what is lost of them.
    pub(in crate::jsonl) fn rounded_columns(&self) -> impl Iterator<Item = Loss> {
        let rounded = self.members.iter().filter(|member| member.seen.is_rounded);
        rounded.map(|member| Loss::new(&member.name, ROUNDED))
    }

    /// Appends the members that have values in lists of several depths, and how they are read.
    pub(super) fn mixed_depths(&self, within: &str, out: &mut Vec<String>) {
        for Member { name, seen, .. } in &self.members {
            seen.mixed_depths(&format!("{within}.{name}"), out);
        }
    }

    /// Returns whether all members are lists of lists, or never had a value.
    pub(super) fn are_steps(&self) -> bool {
        let is_steps = |seen: &Seen| {
            seen.kinds == 0
                || (seen.kinds == LIST && seen.item.as_ref().is_none_or(|item| item.kinds & !LIST == 0))
        };
        !self.members.is_empty() && self.seen().all(is_steps)
    }
}
