//! The prefix tree of several key expressions: what to do with the bytes of a datum, in their order.

use std::sync::Arc;

use super::check::Check;
use crate::datum::SkipFields;
use crate::key::leaf::Leaf;
use crate::walk::{self, Same};

/// What to do with a value. Numbers are those of columns.
#[derive(Debug)]
pub(super) enum Node {
    /// There are no bytes, and no column needs anything.
    Nothing,
    /// Pass over it.
    Skip(Box<SkipFields>),
    /// Refuse it, with the text of the error.
    Refuse(Box<str>),
    /// Append it to one column: what is most frequent.
    Boolean(usize),
    Int(usize),
    Long(usize),
    Float(usize),
    Double(usize),
    String(usize),
    /// Append several of one type.
    Same(Box<Same>),
    /// Append it to columns, keep it for filters.
    Value(Box<Value>),
    /// Go through its fields.
    Record(Box<[Step]>),
    /// Go by its branch.
    Union(Box<Union>),
    /// Append all of its elements or entries.
    Each(Box<Each>),
    /// Go through its elements or entries, some of them or several times.
    Items(Box<Items>),
}

/// How a value that goes into columns or filters is read.
#[derive(Clone, Debug)]
pub(super) enum Read {
    Null,
    Boolean,
    Int,
    Long,
    Float,
    Double,
    Bytes,
    String,
    Fixed(usize),
    /// The symbols of an enum.
    Symbols(Arc<[Arc<str>]>),
}

#[derive(Debug)]
pub(super) struct Value {
    pub(super) read: Read,
    pub(super) columns: Box<[usize]>,
    pub(super) slots: Box<[usize]>,
}

/// A part of a record.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) node: Node,
    /// The field's name, with that of the record's field in whose place it stands; `None` for fields that are passed over
    /// and for several of one type, which know theirs.
    pub(super) name: Option<Arc<str>>,
}

impl walk::Step for Step {
    fn kind(&self) -> Option<(walk::Kind, usize)> {
        match self.node {
            Node::Long(column) => Some((walk::Kind::Long, column)),
            Node::Float(column) => Some((walk::Kind::Float, column)),
            Node::Double(column) => Some((walk::Kind::Double, column)),
            Node::String(column) => Some((walk::Kind::String, column)),
            _ => None,
        }
    }

    fn into_name(self) -> Arc<str> {
        self.name.unwrap_or_default()
    }

    fn of(same: Same) -> Self {
        Self { node: Node::Same(Box::new(same)), name: None }
    }
}

#[derive(Debug)]
pub(super) struct Union {
    pub(super) branches: Box<[Branch]>,
    /// The lists that the columns below are in.
    pub(super) level: usize,
}

#[derive(Debug)]
pub(super) struct Branch {
    pub(super) name: Box<str>,
    pub(super) node: Node,
    /// The columns to which this branch gives nothing.
    pub(super) missing: Box<[usize]>,
    /// What filters want to know: that the value is not null.
    pub(super) present: Box<[usize]>,
}

/// An array or a map of which every column below has all items.
#[derive(Debug)]
pub(super) struct Each {
    pub(super) is_map: bool,
    /// The fewest bytes of an item or entry.
    pub(super) least: usize,
    /// The lists that the columns below are in, without those of this array or map.
    pub(super) level: usize,
    pub(super) node: Node,
    /// All columns below.
    pub(super) columns: Box<[usize]>,
}

/// An array or a map.
#[derive(Debug)]
pub(super) struct Items {
    pub(super) is_map: bool,
    /// How to pass over an item.
    pub(super) item: SkipFields,
    /// The bytes of an item, if they are known.
    pub(super) width: Option<usize>,
    /// The fewest bytes of an item or entry.
    pub(super) least: usize,
    /// The lists that the columns below are in, without those of this array or map.
    pub(super) level: usize,
    pub(super) groups: Box<[Group]>,
    /// Whether all items matter to a group, not just those of some numbers.
    pub(super) all: bool,
    /// Whether an index counts from the end.
    pub(super) from_end: bool,
    /// Whether the keys of entries go into columns or filters.
    pub(super) reads_keys: bool,
}

/// What is done with some of the items.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) select: Select,
    pub(super) node: Node,
    /// All columns below.
    pub(super) columns: Box<[usize]>,
    /// Those of the keys of a map's entries.
    pub(super) entry_keys: Box<[usize]>,
}

#[derive(Debug)]
pub(super) enum Select {
    All,
    Index(i64),
    /// `found` is where the run remembers that it has seen the key.
    Key {
        key: Box<[u8]>,
        found: usize,
    },
    Filter(Filter),
}

#[derive(Debug)]
pub(super) struct Filter {
    pub(super) tests: Box<[Comparison]>,
    /// Tests of single values of an item that need none of the slots that the probe fills, in the order of the values.
    pub(super) checks: Box<[Check]>,
    /// Reads what the other tests need from an item, and passes over the rest of it; `None` where they need nothing.
    pub(super) probe: Option<Node>,
    /// What the probe reads: empty before each item.
    pub(super) slots: Box<[usize]>,
    /// What gets the key of a map's entry.
    pub(super) entry_keys: Box<[usize]>,
}

#[derive(Debug)]
pub(super) struct Comparison {
    pub(super) left: Side,
    pub(super) equal: bool,
    pub(super) right: Side,
}

#[derive(Debug)]
pub(super) enum Side {
    Slot(usize),
    Text(Box<[u8]>),
    Integer(i64),
    Float(f64),
    Boolean(bool),
    Null,
}

/// All that a request compiles to; immutable and shared.
#[derive(Debug)]
pub(super) struct Tree {
    /// Fills the slots that filters read from the root, before anything else; `None` where there are none.
    pub(super) first: Option<Node>,
    pub(super) main: Node,
    pub(super) columns: Vec<(Leaf, usize)>,
    /// Columns that get bytes of the datum as they are.
    pub(super) copies: u64,
    /// Bytes that all columns together get for one row or one list item, without those.
    pub(super) widest: u64,
    pub(super) slots: usize,
    /// Map keys that are looked for.
    pub(super) keys: usize,
}
