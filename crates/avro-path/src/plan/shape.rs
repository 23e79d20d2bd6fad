//! Shapes of columns, and the buffers that they are built in.

use arrow_array::ArrayRef;
use arrow_schema::extension::EXTENSION_TYPE_NAME_KEY;
use arrow_schema::{DataType, Field};

use super::op::{Entry, Fill};

/// The extension type of the fields of UUIDs.
const UUID: &str = "arrow.uuid";

/// Shape of a column, or of a part of one.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) validity: Validity,
    pub(crate) kind: Kind,
    pub(crate) data_type: DataType,
}

/// Representation of the nulls of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Validity {
    /// No entry can be null.
    Always,
    /// Bit for each entry.
    Bits(usize),
    /// Numbers of the null entries: an entry that is not null costs nothing.
    Nulls(usize),
}

impl Validity {
    fn bits(self) -> Option<usize> {
        match self {
            Self::Bits(bits) => Some(bits),
            Self::Always | Self::Nulls(_) => None,
        }
    }
}

/// Buffers of the entries of a column: numbers of buffers in [`Stores`](super::stores::Stores).
#[derive(Debug)]
pub(crate) enum Kind {
    /// No buffer: all are null.
    Null,
    Boolean(usize),
    /// `width` bytes for each entry, which may be a UUID.
    Fixed {
        values: usize,
        width: usize,
        is_uuid: bool,
    },
    /// Numbers of the symbols of an enum.
    Symbols {
        values: usize,
        symbols: ArrayRef,
    },
    Binary(usize),
    Strings(usize),
    /// Lists and maps.
    List {
        ends: usize,
        item: Box<Shape>,
    },
    /// Lists of one item, or none where they are null; `ends` where they can be.
    One {
        ends: Option<usize>,
        item: Box<Shape>,
    },
    Struct(Vec<Child>),
}

/// A part of a struct.
#[derive(Debug)]
pub(crate) struct Child {
    /// The number of the record's field, of the union's branch, or of the column; for a map 0 is the key and 1 the value.
    pub(crate) number: usize,
    pub(crate) shape: Shape,
}

impl Shape {
    /// Returns the field of the column, or of a part of one.
    pub(crate) fn arrow_field(&self, name: &str, is_nullable: bool) -> Field {
        let field = Field::new(name, self.data_type.clone(), is_nullable);
        match self.kind {
            Kind::Fixed { is_uuid: true, .. } => {
                let extension = [(EXTENSION_TYPE_NAME_KEY.to_owned(), UUID.to_owned())];
                field.with_metadata(extension.into())
            }
            _ => field,
        }
    }

    /// Returns the shape below lists of one item, and the validity bits on the way.
    pub(crate) fn innermost(&self) -> (Vec<usize>, &Self) {
        let mut present = Vec::from_iter(self.validity.bits());
        let mut shape = self;
        while let Kind::One { item, .. } = &shape.kind {
            shape = item;
            present.extend(shape.validity.bits());
        }
        (present, shape)
    }

    /// Returns the shape below `lists` lists.
    pub(crate) fn below(&self, lists: usize) -> &Self {
        match &self.kind {
            Kind::List { item, .. } if lists > 0 => item.below(lists - 1),
            _ => self,
        }
    }

    /// Returns the maximum number of bytes of one entry, without the bytes of strings and of list items.
    pub(super) fn width(&self) -> usize {
        let below = match &self.kind {
            Kind::Null => 0,
            Kind::Boolean(_) => 1,
            Kind::Fixed { width, .. } => *width,
            Kind::Symbols { .. } => 4,
            Kind::Binary(_) | Kind::Strings(_) => 8,
            Kind::List { item, .. } => item.width().saturating_add(8),
            Kind::One { item, .. } => item.width(),
            Kind::Struct(children) => {
                children.iter().fold(0, |sum: usize, child| sum.saturating_add(child.shape.width()))
            }
        };
        below.saturating_add(match self.validity {
            Validity::Nulls(_) => size_of::<usize>(),
            _ => 1,
        })
    }

    /// Adds the fills that append an entry for something that is not there.
    pub(crate) fn absent(&self, fills: &mut Vec<Fill>) {
        let nulls = match self.validity {
            Validity::Always => None,
            Validity::Bits(bits) => {
                fills.push(Fill { nulls: None, entry: Entry::Bit(bits) });
                None
            }
            Validity::Nulls(nulls) => Some(nulls),
        };
        let entry = match &self.kind {
            Kind::Null => return,
            Kind::Boolean(bits) => Entry::Bit(*bits),
            Kind::Fixed { values, width, .. } => Entry::Zeros(*values, *width),
            Kind::Symbols { values, .. } => Entry::Zeros(*values, 4),
            Kind::Binary(binary) | Kind::Strings(binary) => Entry::Binary(*binary),
            Kind::List { ends, .. } => Entry::End(*ends),
            // A null list has no item; one that cannot be null has one.
            Kind::One { item, .. } if self.validity == Validity::Always => return item.absent(fills),
            Kind::One { .. } => return,
            Kind::Struct(children) => return children.iter().for_each(|child| child.shape.absent(fills)),
        };
        fills.push(Fill { nulls, entry });
    }
}
