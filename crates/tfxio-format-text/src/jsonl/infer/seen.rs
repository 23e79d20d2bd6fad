//! Kinds of the values of a column, an item or a field.

use arrow_schema::DataType;
use tfxio_core::{Error, ErrorKind, Result};

use super::kinds::{LIST, OBJECT, fits, item, named, scalar, scalar_kind};
use super::looked::{Looked, Met};
use super::members::Members;
use super::{ONE_KIND, STRUCTURED};
use crate::jsonl::parse::{First, Json};

/// Kinds of the values of a column, an item or a field.
#[derive(Clone, Debug, Default)]
pub(in crate::jsonl) struct Seen {
    /// The kinds that are in `met`.
    pub(super) kinds: u8,
    pub(super) item: Option<Box<Self>>,
    members: Members,
    /// The kinds, and where each was met first.
    met: Vec<(u8, Met)>,
    /// Kinds of the values within all lists, unless this is an item itself.
    leaves: Leaves,
    /// For a member: whether a number in it, however deep, is another as a float.
    pub(super) is_rounded: bool,
    /// State after the records before the one that is looked at.
    kept: Kept,
}

/// State of a column, an item or a field after whole records.
#[derive(Clone, Copy, Debug, Default)]
struct Kept {
    kinds: u8,
    has_item: bool,
    leaf_kinds: u8,
    never_fits: bool,
    is_rounded: bool,
}

/// Kinds of the values of a column or a member, at any depth of lists.
#[derive(Clone, Debug, Default)]
struct Leaves {
    /// Kinds of values other than lists, including conflicting ones.
    kinds: u8,
    /// Each kind, the number of lists around the first value of it, and its origin.
    met: Vec<(u8, usize, Met)>,
    /// Whether an object and a list are beside each other, which no layout reads.
    never_fits: bool,
}

impl Leaves {
    /// Notes a kind within `depth` lists, beside others of these kinds there.
    fn note(&mut self, kind: u8, depth: usize, beside: u8, looked: &Looked<'_>) {
        self.never_fits |= !fits(beside, true);
        if kind != LIST && self.kinds | kind != self.kinds {
            self.kinds |= kind;
            self.met.push((kind, depth, looked.met()));
        }
    }

    /// Returns whether the values can be read where a value is the same as a list of one.
    fn fit(&self) -> bool {
        !self.never_fits && fits(self.kinds, true)
    }
}

impl Seen {
    /// Looks at the next value of a column or a member.
    pub(super) fn push(&mut self, json: &mut Json<'_>, looked: &mut Looked<'_>) -> Result<()> {
        let first = json.first()?;
        let at = json.at();
        if let Some(kind) = scalar_kind(json, first, looked)? {
            // Of most values nothing is new.
            if self.kinds | kind == self.kinds {
                return Ok(());
            }
            return self.with_leaves(|seen, leaves| {
                seen.note(kind, at, 0, leaves, looked);
                Ok(())
            });
        }
        if first == First::Object && self.kinds | OBJECT == self.kinds {
            return self.members.push(json, looked);
        }
        self.with_leaves(|seen, leaves| seen.nested(json, first, at, 0, leaves, looked))
    }

    /// Calls a function with what the values are in all lists.
    fn with_leaves(&mut self, work: impl FnOnce(&mut Self, &mut Leaves) -> Result<()>) -> Result<()> {
        let mut leaves = std::mem::take(&mut self.leaves);
        let done = work(self, &mut leaves);
        self.leaves = leaves;
        done
    }

    /// Looks at the next value, which is within `depth` lists.
    fn look(
        &mut self,
        json: &mut Json<'_>,
        depth: usize,
        leaves: &mut Leaves,
        looked: &mut Looked<'_>,
    ) -> Result<()> {
        let first = json.first()?;
        let at = json.at();
        match scalar_kind(json, first, looked)? {
            Some(kind) => {
                self.note(kind, at, depth, leaves, looked);
                Ok(())
            }
            None => self.nested(json, first, at, depth, leaves, looked),
        }
    }

    /// Looks at a list or an object that begins at `at`.
    fn nested(
        &mut self,
        json: &mut Json<'_>,
        first: First,
        at: usize,
        depth: usize,
        leaves: &mut Leaves,
        looked: &mut Looked<'_>,
    ) -> Result<()> {
        if first == First::List {
            self.note(LIST, at, depth, leaves, looked);
            let item = self.item.get_or_insert_default();
            return json.list(|json| item.look(json, depth + 1, leaves, looked));
        }
        self.note(OBJECT, at, depth, leaves, looked);
        self.members.push(json, looked)
    }

    /// Notes a kind. One that does not fit the kinds before it is noted as a conflict, which only matters to readers of the column.
    fn note(&mut self, kind: u8, at: usize, depth: usize, leaves: &mut Leaves, looked: &mut Looked<'_>) {
        if self.kinds | kind == self.kinds {
            return;
        }
        looked.changes += 1;
        let kinds = self.kinds | kind;
        leaves.note(kind, depth, kinds, looked);
        // Where a value stands for a list of one, those of all depths stand in one column.
        if !fits(kinds, looked.wraps) || looked.wraps && !fits(leaves.kinds, true) {
            let other = |met: u8, wraps| !fits(met | kind, wraps);
            let here = self.met.iter().find(|(met, _)| other(*met, looked.wraps));
            let here = here.map(|(kind, met)| (*kind, depth, met));
            let there = leaves.met.iter().find(|(met, ..)| kind != LIST && other(*met, true));
            let there = there.map(|(kind, depth, met)| (*kind, *depth, met));
            let before = here.or(there).map_or_else(String::new, |(kind, depth, met)| {
                format!(", and one before it was {} ({})", named(kind, depth), looked.record(met))
            });
            let what = format!("the value is {}{before}", named(kind, depth));
            let help = if leaves.fit() { STRUCTURED } else { ONE_KIND };
            let conflict = Error::new(ErrorKind::Malformed, what).help(help).at_record_byte(at);
            looked.conflicts.push((String::new(), conflict));
            return;
        }
        self.met.push((kind, looked.met()));
        self.kinds = kinds;
    }

    /// Keeps what a record has said, or forgets it: see [`Members::settle`].
    pub(super) fn settle(&mut self, keeps: bool) -> usize {
        let leaves = &mut self.leaves;
        if keeps {
            self.kept = Kept {
                kinds: self.kinds,
                has_item: self.item.is_some(),
                leaf_kinds: leaves.kinds,
                never_fits: leaves.never_fits,
                is_rounded: self.is_rounded,
            };
        } else {
            let Kept { kinds, has_item, leaf_kinds, never_fits, is_rounded } = self.kept;
            self.is_rounded = is_rounded;
            // Each kind is met once, and one is one bit.
            self.kinds = kinds;
            self.met.truncate(kinds.count_ones() as usize);
            (leaves.kinds, leaves.never_fits) = (leaf_kinds, never_fits);
            leaves.met.truncate(leaf_kinds.count_ones() as usize);
            if !has_item {
                self.item = None;
            }
        }
        let of_item = self.item.as_mut().map_or(0, |item| item.settle(keeps));
        self.members.settle(keeps) + of_item
    }

    /// Returns whether the layout of lists reads all of the values.
    pub(in crate::jsonl) fn fits_structured(&self) -> bool {
        self.leaves.fit() && self.levels().all(|level| level.members.seen().all(Seen::fits_structured))
    }

    /// Returns what is seen in no list, in one, in lists of lists and so on.
    fn levels(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |seen| seen.item.as_deref())
    }

    /// Appends the keys whose values are in lists of several depths, some of them in lists of lists, and how they are read.
    pub(super) fn mixed_depths(&self, key: &str, out: &mut Vec<String>) {
        let mut found = self.levels().enumerate().filter_map(|(depth, seen)| {
            let value = seen.met.iter().find(|(kind, _)| *kind != LIST);
            value.map(|(_, met)| (depth, met))
        });
        let (least, most) = (found.next(), found.last());
        if let (Some((least, first)), Some((most, other))) = (least, most)
            && most > 1
        {
            let record = |(_, record): &Met| format!("record {record}");
            let values = match least {
                0 => "values in no list".to_owned(),
                depth => format!("values in lists of depth {depth}"),
            };
            out.push(format!(
                "under the key {key:?}, {values} (first {}) and of depth {most} (first {}) stand beside each other, and are all read in \
                 lists of depth {most}: a value stands for a list of one",
                record(first),
                record(other)
            ));
        }
        self.levels().for_each(|seen| seen.members.mixed_depths(key, out));
    }

    /// Returns the type of the values as they are.
    pub(in crate::jsonl) fn plain(&self) -> DataType {
        match self.kinds {
            0 => DataType::Null,
            LIST => DataType::LargeList(item(self.item.as_ref().map_or(DataType::Null, |item| item.plain()))),
            OBJECT => DataType::Struct(self.members.fields(&|seen| seen.plain())),
            kinds => scalar(kinds, true),
        }
    }

    /// Returns the type of the values as features: lists.
    pub(in crate::jsonl) fn structured(&self) -> DataType {
        let item_type = |seen: &Self| match seen.kinds {
            0 => DataType::Null,
            kinds if kinds & LIST != 0 => seen.structured(),
            OBJECT => DataType::Struct(seen.members.fields(&|seen| seen.structured())),
            kinds => scalar(kinds, false),
        };
        match (self.kinds & LIST, &self.item) {
            (0, _) | (_, None) if self.kinds == 0 => DataType::Null,
            // Feature lists are fields of one struct: lists of the values of each step.
            (0, _) if self.kinds == OBJECT && self.members.are_steps() => {
                DataType::Struct(self.members.fields(&|seen| seen.structured()))
            }
            (0, _) | (_, None) => DataType::LargeList(item(item_type(self))),
            (_, Some(items)) => {
                let mut items = (**items).clone();
                items.kinds |= self.kinds & !LIST;
                DataType::LargeList(item(item_type(&items)))
            }
        }
    }
}
