//! What is done with the bytes of a datum, in their order. Numbers are those of buffers in
//! [`Stores`](super::stores::Stores), but for slots and counters.

use std::sync::Arc;

use super::check::Check;
use super::read::{Read, Symbols};
use super::same::Same;
use super::slot::Comparison;
use crate::Kind;
use crate::datum::SkipFields;
use crate::resolution::Promotion;

/// Reads a value and appends one entry to each column below it.
#[derive(Debug)]
pub(crate) enum Op {
    /// No bytes, no buffer.
    Nothing,
    Skip(Box<SkipFields>),
    /// Passes over bytes with their length before them: the key of a map.
    SkipSized,
    Boolean(usize),
    Int(usize),
    Long(usize),
    Float(usize),
    Double(usize),
    /// A number that was written as a narrower one.
    Promoted(Promotion, usize),
    Bytes(usize),
    String(usize),
    Same(Box<Same>),
    /// Bytes of known length, into entries of that length.
    Fixed {
        values: usize,
        size: usize,
    },
    /// Bytes of known length, as an entry of bytes.
    FixedBytes {
        binary: usize,
        size: usize,
    },
    /// The number of one of `count` symbols, as it is.
    Symbol {
        values: usize,
        count: usize,
    },
    /// A symbol, under another number.
    Renumbered(Box<Stored<i32>>),
    /// A symbol, as text.
    SymbolText(Box<Stored<Arc<str>>>),
    Decimal(Box<Decimal>),
    /// The text of a UUID.
    Uuid(usize),
    Duration(usize),
    /// A null, or a branch that has no column: no bytes.
    Absent(Box<[Fill]>),
    /// What follows is not null.
    Present(usize, Box<Op>),
    /// A union of null and one other type.
    Nullable(Box<Nullable>),
    Branches(Box<[Branch]>),
    Chosen(Box<Chosen>),
    /// All elements of an array or entries of a map.
    Items(Box<Items>),
    /// All elements of an array of strings, and the buffer of these.
    Strings(Box<Items>, usize),
    /// Some of them, or the same ones for several columns.
    Picks(Box<Picks>),
    Record(Box<[Step]>),
    /// The same bytes for several columns.
    Again(Box<[Op]>),
    Default(Box<FieldDefault>),
    /// Keeps the value for filters.
    Keep(Box<Keep>),
    /// What cannot be read, found only if it occurs.
    Refuse(Kind, Box<str>),
}

/// What is stored for each symbol, and where.
#[derive(Debug)]
pub(crate) struct Stored<T> {
    pub(crate) symbols: Symbols<T>,
    pub(crate) store: usize,
}

/// An entry for something that is not there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fill {
    /// Where the entry is noted as null, if it is that and its buffer knows nothing of nulls.
    pub(crate) nulls: Option<usize>,
    pub(crate) entry: Entry,
}

/// An entry without a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Entry {
    /// A bit that is not set.
    Bit(usize),
    /// Bytes of zero: the buffer, and how many.
    Zeros(usize, usize),
    /// A list of nothing.
    End(usize),
    /// Bytes or a string of nothing.
    Binary(usize),
}

/// A part of a record.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) op: Op,
    /// The field's name, after that of the record's field if it stands in place of that; `None` for items, for fields that are
    /// passed over, and for several fields in one step, which know theirs.
    pub(crate) name: Option<Arc<str>>,
}

#[derive(Debug)]
pub(crate) struct Decimal {
    pub(crate) values: usize,
    pub(crate) precision: u8,
    pub(crate) scale: i8,
    /// 256 bits instead of 128.
    pub(crate) is_wide: bool,
    /// The size of a fixed; `None` for bytes.
    pub(crate) size: Option<usize>,
}

#[derive(Debug)]
pub(crate) struct Nullable {
    pub(crate) null_first: bool,
    pub(crate) validity: Option<usize>,
    pub(crate) absent: Box<[Fill]>,
    pub(crate) op: Op,
    /// The name of the branch that is not null, where the path of an error has it.
    pub(crate) name: Option<Box<str>>,
}

#[derive(Debug)]
pub(crate) struct Branch {
    /// `:string`, for the path of an error.
    pub(crate) name: Box<str>,
    pub(crate) op: Op,
}

/// A branch of a union that has several columns.
#[derive(Debug)]
pub(crate) struct Chosen {
    /// Bits that are set: of the union, and of the branch.
    pub(crate) present: Box<[usize]>,
    /// Of the other branches.
    pub(crate) absent: Box<[Fill]>,
    /// What filters want to know: that there is a value.
    pub(crate) slots: Box<[usize]>,
    pub(crate) op: Op,
}

/// An array or a map.
#[derive(Debug)]
pub(crate) struct Items {
    /// The list of all items.
    pub(crate) ends: usize,
    /// The same lists of other columns.
    pub(crate) more_ends: Box<[usize]>,
    /// The fewest bytes of an item.
    pub(crate) least: usize,
    /// What an item has: a value, the fields of a record, or a key before either.
    pub(crate) steps: Box<[Step]>,
}

impl Items {
    /// Returns the operation that appends the items.
    pub(crate) fn into_op(self) -> Op {
        match *self.steps {
            [Step { op: Op::String(texts), name: None }] => Op::Strings(Box::new(self), texts),
            _ => Op::Items(Box::new(self)),
        }
    }
}

/// An array or a map of which some items are wanted, or the same items for several groups of columns.
#[derive(Debug)]
pub(crate) struct Picks {
    pub(crate) is_map: bool,
    /// How to pass over an item.
    pub(crate) item: SkipFields,
    /// The bytes of an item, if they are known.
    pub(crate) width: Option<usize>,
    /// The fewest bytes of an item or entry.
    pub(crate) least: usize,
    pub(crate) groups: Box<[Group]>,
    /// Whether all items matter to a group, not just those of some numbers.
    pub(crate) all: bool,
    /// Whether an index counts from the end.
    pub(crate) from_end: bool,
    /// Whether the keys of entries go into columns or filters.
    pub(crate) reads_keys: bool,
}

/// What is done with some of the items.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) select: Select,
    pub(crate) op: Op,
    /// Where the run counts the items of the group.
    pub(crate) counter: usize,
    /// Lists of the items, of which there is one for each column, unless an index or a key selects a single one.
    pub(crate) ends: Box<[usize]>,
    /// Where there is no such item.
    pub(crate) absent: Box<[Fill]>,
    /// Columns of the keys of a map's entries.
    pub(crate) entry_keys: Box<[usize]>,
}

#[derive(Debug)]
pub(crate) enum Select {
    All,
    Index(i64),
    Key(Box<[u8]>),
    Filter(Filter),
}

#[derive(Debug)]
pub(crate) struct Filter {
    pub(crate) tests: Box<[Comparison]>,
    /// Tests of single values of an item that need none of the slots that the probe fills, in the order of the values.
    pub(crate) checks: Box<[Check]>,
    /// Reads what the other tests need from an item, and passes over the rest of it; `None` where they need nothing.
    pub(crate) probe: Option<Op>,
    /// What the probe reads: empty before each item.
    pub(crate) slots: Box<[usize]>,
    /// What gets the key of a map's entry.
    pub(crate) entry_keys: Box<[usize]>,
}

/// A field that the writer does not have.
#[derive(Debug)]
pub(crate) struct FieldDefault {
    pub(crate) bytes: Box<[u8]>,
    pub(crate) op: Op,
}

/// A value that filters compare.
#[derive(Debug)]
pub(crate) struct Keep {
    pub(crate) read: Read,
    pub(crate) slots: Box<[usize]>,
}
