//! What is done with the bytes of a datum, in their order. All numbers are those of buffers in
//! [`Stores`](super::stores::Stores).

use std::sync::Arc;

use crate::datum::SkipFields;
use crate::walk::{self, Same};

/// Reads a value and appends one entry to each column below it.
#[derive(Debug)]
pub(super) enum Op {
    /// No bytes, no buffer.
    Nothing,
    Skip(Box<SkipFields>),
    Boolean(usize),
    Int(usize),
    Long(usize),
    Float(usize),
    Double(usize),
    IntToFloat(usize),
    IntToDouble(usize),
    LongToFloat(usize),
    LongToDouble(usize),
    FloatToDouble(usize),
    Bytes(usize),
    String(usize),
    Same(Box<Same>),
    Fixed {
        values: usize,
        size: usize,
    },
    /// The number of one of so many symbols, as it is.
    Symbol {
        values: usize,
        count: usize,
    },
    Symbols(Box<Symbols>),
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
    Items(Box<Items>),
    Record(Box<[Step]>),
    /// The same bytes for several columns.
    Again(Box<[Op]>),
    Default(Box<FieldDefault>),
    /// What no reader can do, found only if it occurs.
    Fail(Box<str>),
}

/// An entry for something that is not there.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fill {
    /// A bit that is not set.
    Bit(usize),
    /// So many bytes of zero.
    Zeros(usize, usize),
    /// A list of nothing.
    End(usize),
    /// Bytes of nothing.
    Binary(usize),
    /// A string of nothing.
    String(usize),
}

/// A part of a record.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) op: Op,
    /// The field's name, with that of the record's field in whose place it stands; `None` for items, and for several fields
    /// in one step, which know theirs.
    pub(super) name: Option<Arc<str>>,
}

impl walk::Step for Step {
    fn kind(&self) -> Option<(walk::Kind, usize)> {
        match self.op {
            Op::Long(values) => Some((walk::Kind::Long, values)),
            Op::Float(values) => Some((walk::Kind::Float, values)),
            Op::Double(values) => Some((walk::Kind::Double, values)),
            Op::String(strings) => Some((walk::Kind::String, strings)),
            _ => None,
        }
    }

    fn into_name(self) -> Arc<str> {
        self.name.unwrap_or_default()
    }

    fn of(same: Same) -> Self {
        Self { op: Op::Same(Box::new(same)), name: None }
    }
}

/// Symbols of an enum that are stored as text, or under other numbers than those of the writer.
#[derive(Debug)]
pub(super) struct Symbols {
    /// For each number of the writer's the reader's.
    pub(super) numbers: Box<[Result<i32, Box<str>>]>,
    pub(super) store: SymbolStore,
}

#[derive(Debug)]
pub(super) enum SymbolStore {
    Numbers(usize),
    Text { symbols: Box<[Arc<str>]>, strings: usize },
}

#[derive(Debug)]
pub(super) struct Decimal {
    pub(super) values: usize,
    pub(super) precision: u8,
    pub(super) scale: i8,
    /// 256 bits instead of 128.
    pub(super) is_wide: bool,
    /// The size of a fixed; `None` for bytes.
    pub(super) size: Option<usize>,
}

#[derive(Debug)]
pub(super) struct Nullable {
    pub(super) null_first: bool,
    pub(super) validity: usize,
    pub(super) absent: Box<[Fill]>,
    pub(super) op: Op,
}

#[derive(Debug)]
pub(super) struct Branch {
    /// `:string`, for the path of an error.
    pub(super) name: Box<str>,
    pub(super) op: Op,
}

/// A branch of a union that has several columns.
#[derive(Debug)]
pub(super) struct Chosen {
    /// Bits that are set: of the union, and of the branch.
    pub(super) present: Box<[usize]>,
    /// Of the other branches.
    pub(super) absent: Box<[Fill]>,
    pub(super) op: Op,
}

/// An array or a map.
#[derive(Debug)]
pub(super) struct Items {
    pub(super) ends: usize,
    /// The fewest bytes of an item.
    pub(super) least: usize,
    /// What an item has: a value, the fields of a record, or a key before either.
    pub(super) steps: Box<[Step]>,
}

/// A field that the writer does not have.
#[derive(Debug)]
pub(super) struct FieldDefault {
    pub(super) bytes: Box<[u8]>,
    pub(super) op: Op,
}
