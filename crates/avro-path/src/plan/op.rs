//! Operations on the bytes of a datum, in their order. Numbers are indices of buffers in
//! [`Stores`](super::stores::Stores), except for slots and counters.

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
    /// Marks an entry as not null, then runs the operation.
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
    Record(Box<[RecordStep]>),
    /// The same bytes for several columns.
    Again(Box<[Op]>),
    Default(Box<FieldDefault>),
    /// Keeps the value for filters.
    Keep(Box<Keep>),
    /// Fails, for a value that cannot be read.
    Refuse(Kind, Box<str>),
}

/// Stored value of each symbol, and its buffer.
#[derive(Debug)]
pub(crate) struct Stored<T> {
    pub(crate) symbols: Symbols<T>,
    pub(crate) store: usize,
}

/// Entry for something that is not there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fill {
    /// Buffer of nulls in which the entry is noted, if it is null and its own buffer has no nulls.
    pub(crate) nulls: Option<usize>,
    pub(crate) entry: Entry,
}

/// Entry without a value.
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
pub(crate) struct RecordStep {
    pub(crate) op: Op,
    /// Name of the field, after the name of its record's field if the record is inlined; `None` for items, for skipped
    /// fields, and for several fields in one step, which have their own.
    pub(crate) name: Option<Arc<str>>,
}

#[derive(Debug)]
pub(crate) struct Decimal {
    pub(crate) values: usize,
    pub(crate) precision: u8,
    pub(crate) scale: i8,
    /// Whether it has 256 bits instead of 128.
    pub(crate) is_wide: bool,
    /// Size of a fixed; `None` for bytes.
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

/// Branch of a union that has several columns.
#[derive(Debug)]
pub(crate) struct Chosen {
    /// Bits to set: of the union, and of the branch.
    pub(crate) present: Box<[usize]>,
    /// Entries of the other branches.
    pub(crate) absent: Box<[Fill]>,
    /// Slots of filters that test whether there is a value.
    pub(crate) slots: Box<[usize]>,
    pub(crate) op: Op,
}

/// An array or a map.
#[derive(Debug)]
pub(crate) struct Items {
    /// List of all items.
    pub(crate) ends: usize,
    /// Lists of other columns with the same items.
    pub(crate) more_ends: Box<[usize]>,
    /// Minimum number of bytes of an item.
    pub(crate) least: usize,
    /// Steps of an item: a value, the fields of a record, or a key before either.
    pub(crate) steps: Box<[RecordStep]>,
}

impl Items {
    /// Returns the operation that appends the items.
    pub(crate) fn into_op(self) -> Op {
        match *self.steps {
            [RecordStep { op: Op::String(texts), name: None }] => Op::Strings(Box::new(self), texts),
            _ => Op::Items(Box::new(self)),
        }
    }
}

/// Array or map of which some items are wanted, or the same items for several groups of columns.
#[derive(Debug)]
pub(crate) struct Picks {
    pub(crate) is_map: bool,
    /// Plan to skip an item.
    pub(crate) item: SkipFields,
    /// Size of an item in bytes, if it is fixed.
    pub(crate) width: Option<usize>,
    /// Minimum number of bytes of an item or entry.
    pub(crate) least: usize,
    pub(crate) groups: Box<[Group]>,
    /// Whether a group needs all items, and not only certain indices.
    pub(crate) all: bool,
    /// Whether an index counts from the end.
    pub(crate) from_end: bool,
    /// Whether the keys of entries go into columns or filters.
    pub(crate) reads_keys: bool,
}

/// Operation on some of the items.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) select: Select,
    pub(crate) op: Op,
    /// Counter of the items of the group.
    pub(crate) counter: usize,
    /// Lists of the items, of which there is one for each column, unless an index or a key selects a single one.
    pub(crate) ends: Box<[usize]>,
    /// Entries to append if there is no such item.
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
    /// Checks of single values of an item that need none of the slots that the probe fills, in the order of the values.
    pub(crate) checks: Box<[Check]>,
    /// Operation that reads what the other tests need from an item, and skips the rest of it; `None` if they need
    /// nothing.
    pub(crate) probe: Option<Op>,
    /// Slots that the probe fills, cleared before each item.
    pub(crate) slots: Box<[usize]>,
    /// Slots that get the key of a map's entry.
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
