//! The types of columns, by what the objects hold.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields};
use tfxio_core::{Count, Error, ErrorKind, Limits, Position, Result};

use super::digits;
use super::parse::{First, Json};

/// The strings that stand for floats that JSON lacks.
pub(super) fn word(text: &[u8]) -> Option<f64> {
    match text {
        b"NaN" => Some(f64::NAN),
        b"Infinity" => Some(f64::INFINITY),
        b"-Infinity" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

const BOOL: u8 = 1;
const INT: u8 = 2;
const FLOAT: u8 = 4;
/// A string that may stand for a float.
const WORD: u8 = 8;
const TEXT: u8 = 16;
const BYTES: u8 = 32;
const LIST: u8 = 64;
const OBJECT: u8 = 128;

/// Returns the name of a value of a kind within `depth` lists.
fn named(kind: u8, depth: usize) -> String {
    let name = names(kind);
    match depth {
        0 => name.to_owned(),
        1 => format!("{name} in a list"),
        depth => format!("{name} in lists of depth {depth}"),
    }
}

/// What is said of the kinds of values.
fn names(seen: u8) -> &'static str {
    match seen {
        BOOL => "true or false",
        INT | FLOAT => "a number",
        WORD | TEXT => "a string",
        BYTES => "bytes",
        LIST => "a list",
        _ => "an object",
    }
}

/// What the values of a column, an item or a field are.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    /// The kinds that are in `met`.
    kinds: u8,
    item: Option<Box<Self>>,
    members: Members,
    /// The kinds, and where each was met first.
    met: Vec<(u8, Met)>,
    /// Of what is not an item: what the values are in all lists.
    leaves: Leaves,
    /// Of a member: whether a number in it, however deep, is another as a float.
    is_rounded: bool,
    /// What the records before the one that is looked at have said.
    kept: Kept,
}

/// How much of what was seen of a column, an item or a field is of whole records.
#[derive(Clone, Copy, Debug, Default)]
struct Kept {
    kinds: u8,
    has_item: bool,
    leaf_kinds: u8,
    never_fits: bool,
    is_rounded: bool,
}

/// Where something was met: the record, and its file.
type Met = (Option<Arc<str>>, u64);

/// What the values of a column or a member are, in whatever lists they stand.
#[derive(Clone, Debug, Default)]
struct Leaves {
    /// Kinds of what are no lists, those of conflicts included.
    kinds: u8,
    /// Each of them, the number of lists that the first stands in, and where it was met.
    met: Vec<(u8, usize, Met)>,
    /// Whether an object and a list stand beside each other, which no layout reads.
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

    /// Returns whether the values are read where a value stands for a list of one.
    fn fit(&self) -> bool {
        !self.never_fits && fits(self.kinds, true)
    }
}

/// The members of objects, in the order in which they were met.
#[derive(Clone, Debug, Default)]
pub(super) struct Members {
    names: HashMap<String, usize>,
    members: Vec<(String, Seen)>,
    /// Number of the object in which each was met last.
    met: Vec<u64>,
    objects: u64,
    /// Member after the last one that was met.
    next: usize,
    /// Number of the members that records before the one that is looked at have.
    kept: usize,
    /// The members that this record has changed; one may be there several times.
    changed: Vec<usize>,
}

/// Reads the next value where it is neither a list nor an object, and returns its kind; that of null has no bit.
#[inline]
fn scalar_kind(json: &mut Json<'_>, first: First, looked: &mut Looked<'_>) -> Result<Option<u8>> {
    Ok(Some(match first {
        First::Null => {
            json.null()?;
            0
        }
        First::Bool => {
            json.bool()?;
            BOOL
        }
        First::Number => match json.number()? {
            (_, true) => INT,
            (text, false) => {
                looked.is_rounded |= !looked.wraps && !digits::is_kept(text);
                FLOAT
            }
        },
        First::String => match word(json.string(&mut looked.unescaped)?) {
            Some(_) => WORD,
            None => TEXT,
        },
        First::List => return Ok(None),
        First::Object => return Ok(json.base64()?.map(|_| BYTES)),
    }))
}

/// Returns whether values of these kinds can stand in one column.
fn fits(kinds: u8, wraps: bool) -> bool {
    const NUMBERS: u8 = INT | FLOAT | WORD;
    const TEXTS: u8 = TEXT | WORD | BYTES;
    let scalars = kinds & !LIST;
    // A value and a list of such values are both features of that kind.
    let is_list = kinds & LIST != 0 && !(wraps && scalars & OBJECT == 0);
    if is_list {
        return scalars == 0;
    }
    scalars == 0 || scalars == BOOL || scalars == OBJECT || scalars & !NUMBERS == 0 || scalars & !TEXTS == 0
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

    /// Looks at the next value, which stands within `depth` lists.
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

    /// Notes a kind. One that cannot stand beside those before it is noted as a conflict: who does not read the column need not know.
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
    fn settle(&mut self, keeps: bool) -> usize {
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
    pub(super) fn fits_structured(&self) -> bool {
        self.leaves.fit()
            && self.levels().all(|level| level.members.members.iter().all(|(_, seen)| seen.fits_structured()))
    }

    /// Returns what is seen in no list, in one, in lists of lists and so on.
    fn levels(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |seen| seen.item.as_deref())
    }

    /// Appends the keys whose values stand in lists of several depths, some of them in lists of lists, and what is made of them.
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
    pub(super) fn plain(&self) -> DataType {
        match self.kinds {
            0 => DataType::Null,
            LIST => DataType::LargeList(item(self.item.as_ref().map_or(DataType::Null, |item| item.plain()))),
            OBJECT => DataType::Struct(self.members.fields(&|seen| seen.plain())),
            kinds => scalar(kinds, true),
        }
    }

    /// Returns the type of the values as features: lists.
    pub(super) fn structured(&self) -> DataType {
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

/// What is lost of numbers.
const ROUNDED: &str = "numbers of more digits than 64-bit floats have are rounded";

/// What to do about values that the layout of lists reads.
pub(super) const STRUCTURED: &str = "set the option layout to structured, which reads every value as a list";
/// What to do about others.
pub(super) const ONE_KIND: &str = "write one kind of values under a key, or convert without it";

fn item(data_type: DataType) -> FieldRef {
    Arc::new(Field::new_list_field(data_type, true))
}

/// Returns the type of values that are neither lists nor objects.
fn scalar(kinds: u8, is_plain: bool) -> DataType {
    match kinds {
        BOOL => DataType::Boolean,
        INT => DataType::Int64,
        // Nothing beside them says that they are numbers.
        WORD => scalar(TEXT, is_plain),
        _ if kinds & (TEXT | BYTES) == 0 && is_plain => DataType::Float64,
        _ if kinds & (TEXT | BYTES) == 0 => DataType::Float32,
        _ if kinds & BYTES == 0 && is_plain => DataType::LargeUtf8,
        _ => DataType::LargeBinary,
    }
}

impl Members {
    /// Looks at the next object.
    pub(super) fn push(&mut self, json: &mut Json<'_>, looked: &mut Looked<'_>) -> Result<()> {
        self.objects += 1;
        self.next = 0;
        let mut key = std::mem::take(&mut looked.key);
        let result = json.object(&mut key, |json, key, at| {
            let name = || std::str::from_utf8(key).unwrap_or_default();
            let index = match self.members.get(self.next) {
                Some((known, _)) if known.as_bytes() == key => self.next,
                _ => match self.names.get(name()) {
                    Some(index) => *index,
                    None => {
                        looked.columns += 1;
                        if looked.columns > looked.limits.columns {
                            let what = format!(
                                "there are more than {}, the limit",
                                Count::of(looked.limits.columns, "column")
                            );
                            return Err(
                                Error::new(ErrorKind::LimitExceeded, what).help("raise the limit columns")
                            );
                        }
                        looked.changes += 1;
                        self.names.insert(name().to_owned(), self.members.len());
                        self.members.push((name().to_owned(), Seen::default()));
                        self.met.push(0);
                        self.members.len() - 1
                    }
                },
            };
            if let Some(met) = self.met.get_mut(index)
                && std::mem::replace(met, self.objects) == self.objects
            {
                return Err(twice(name(), at));
            }
            self.next = index + 1;
            let Some((_, seen)) = self.members.get_mut(index) else { return Ok(()) };
            let (before, changes) = (looked.conflicts.len(), looked.changes);
            let is_rounded = std::mem::take(&mut looked.is_rounded);
            let pushed = seen.push(json, looked);
            if looked.is_rounded && !seen.is_rounded {
                seen.is_rounded = true;
                looked.changes += 1;
            }
            looked.is_rounded |= is_rounded;
            if (looked.changes > changes || index >= self.kept) && self.changed.last() != Some(&index) {
                self.changed.push(index);
            }
            pushed.map_err(|error| error.within(name()))?;
            if looked.conflicts.len() > before {
                let own = looked.conflicts.split_off(before).into_iter();
                looked.conflicts.extend(own.map(|(_, error)| (name().to_owned(), error.within(name()))));
            }
            Ok(())
        });
        looked.key = key;
        result
    }

    /// Keeps what the record that was looked at has said, or forgets it, so that only the records before it count. Goes over what the
    /// record has changed, and not over all that is known. Returns how many members it went over.
    pub(super) fn settle(&mut self, keeps: bool) -> usize {
        if !keeps {
            for (name, _) in self.members.drain(self.kept.min(self.members.len())..) {
                self.names.remove(&name);
            }
            self.met.truncate(self.kept);
        }
        self.kept = self.members.len();
        let mut count = self.changed.len();
        for index in self.changed.drain(..) {
            if let Some((_, seen)) = self.members.get_mut(index) {
                count += seen.settle(keeps);
            }
        }
        count
    }

    /// Returns the fields, each of a type.
    pub(super) fn fields(&self, of: &dyn Fn(&Seen) -> DataType) -> Fields {
        self.members.iter().map(|(name, seen)| Field::new(name, of(seen), true)).collect()
    }

    /// Returns the member of a name.
    pub(super) fn get(&self, name: &str) -> Option<&Seen> {
        self.names.get(name).and_then(|index| self.members.get(*index)).map(|(_, seen)| seen)
    }

    /// Returns what is made of each column that has values in lists of several depths.
    pub(super) fn mixed_columns(&self) -> Vec<(String, String)> {
        let mut all = Vec::new();
        for (name, seen) in &self.members {
            let mut found = Vec::new();
            seen.mixed_depths(name, &mut found);
            all.extend(found.into_iter().map(|what| (name.clone(), what)));
        }
        all
    }

    /// Returns the columns of numbers that are others as floats, and what is lost of them.
    pub(super) fn rounded_columns(&self) -> impl Iterator<Item = (String, String)> {
        let rounded = self.members.iter().filter(|(_, seen)| seen.is_rounded);
        rounded.map(|(name, _)| (name.clone(), ROUNDED.to_owned()))
    }

    /// Appends what is made of members that have values in lists of several depths.
    fn mixed_depths(&self, within: &str, out: &mut Vec<String>) {
        self.members.iter().for_each(|(name, seen)| seen.mixed_depths(&format!("{within}.{name}"), out));
    }

    /// Returns whether all members are lists of lists, or never had a value.
    fn are_steps(&self) -> bool {
        let is_steps = |seen: &Seen| {
            seen.kinds == 0
                || (seen.kinds == LIST && seen.item.as_ref().is_none_or(|item| item.kinds & !LIST == 0))
        };
        !self.members.is_empty() && self.members.iter().all(|(_, seen)| is_steps(seen))
    }
}

/// Returns the error of an object that has a key twice.
#[cold]
pub(super) fn twice(name: &str, at: usize) -> Error {
    let what = format!("the object has the key {name:?} twice");
    Error::new(ErrorKind::Malformed, what)
        .help("leave out one of them")
        .at(Position::new().record_byte(at as u64))
}

/// What is used while values are looked at.
pub(super) struct Looked<'a> {
    pub(super) limits: &'a Limits,
    /// Whether a value and a list of one are the same.
    pub(super) wraps: bool,
    pub(super) columns: usize,
    /// The file and the number of the record that is looked at.
    pub(super) at: (Option<&'a Arc<str>>, u64),
    /// How often something was met that had not been before.
    pub(super) changes: usize,
    /// Whether a number of the value that is looked at is another as a float.
    pub(super) is_rounded: bool,
    /// Values that cannot stand beside those before them, with the names of their columns.
    pub(super) conflicts: Vec<(String, Error)>,
    pub(super) unescaped: Vec<u8>,
    pub(super) key: Vec<u8>,
}

impl<'a> Looked<'a> {
    pub(super) fn new(limits: &'a Limits, wraps: bool) -> Self {
        Self {
            limits,
            wraps,
            columns: 0,
            at: (None, 0),
            changes: 0,
            is_rounded: false,
            conflicts: Vec::new(),
            unescaped: Vec::new(),
            key: Vec::new(),
        }
    }

    /// Returns where something is met now.
    fn met(&self) -> Met {
        (self.at.0.cloned(), self.at.1)
    }

    /// Returns what is said of another record than this one: its file as well, if that is another.
    fn record(&self, (file, record): &Met) -> String {
        match file {
            Some(file) if self.at.0 != Some(file) => format!("record {record} of {file}"),
            _ => format!("record {record}"),
        }
    }
}

#[cfg(test)]
mod tests;
