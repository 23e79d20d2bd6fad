//! Values that filters compare.

use super::check::Against;

/// Value that was read for filters.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slot {
    value: Value,
    bytes: Vec<u8>,
}

#[derive(Clone, Copy, Debug, Default)]
enum Value {
    /// Null, or nothing there.
    #[default]
    Null,
    Boolean(bool),
    Integer(i64),
    Float(f64),
    /// The bytes of the slot.
    Bytes,
}

impl Slot {
    pub(super) fn set(&mut self, found: &Operand<'_>) {
        self.value = match *found {
            Operand::Null => Value::Null,
            Operand::Boolean(value) => Value::Boolean(value),
            Operand::Integer(value) => Value::Integer(value),
            Operand::Float(value) => Value::Float(value),
            Operand::Bytes(found) => {
                self.bytes.clear();
                self.bytes.extend_from_slice(found);
                Value::Bytes
            }
        };
    }

    fn operand(&self) -> Operand<'_> {
        match self.value {
            Value::Null => Operand::Null,
            Value::Boolean(value) => Operand::Boolean(value),
            Value::Integer(value) => Operand::Integer(value),
            Value::Float(value) => Operand::Float(value),
            Value::Bytes => Operand::Bytes(&self.bytes),
        }
    }
}

/// One side of a comparison.
pub(super) enum Operand<'a> {
    Null,
    Boolean(bool),
    Integer(i64),
    Float(f64),
    Bytes(&'a [u8]),
}

impl Operand<'_> {
    /// Returns whether two values are of one kind and equal; a missing value equals nothing.
    #[inline]
    fn equals(&self, other: &Operand<'_>) -> bool {
        match (self, other) {
            (Operand::Boolean(a), Operand::Boolean(b)) => a == b,
            (Operand::Integer(a), Operand::Integer(b)) => a == b,
            (Operand::Float(a), Operand::Float(b)) => a == b,
            (Operand::Bytes(a), Operand::Bytes(b)) => a == b,
            _ => false,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Comparison {
    pub(crate) left: Side,
    pub(crate) equal: bool,
    pub(crate) right: Side,
}

#[derive(Clone, Debug)]
pub(crate) enum Side {
    Slot(usize),
    Text(Box<[u8]>),
    Integer(i64),
    Float(f64),
    Boolean(bool),
    Null,
}

impl Side {
    fn operand<'s>(&'s self, slots: &'s [Slot]) -> Operand<'s> {
        match self {
            Self::Slot(slot) => slots[*slot].operand(),
            Self::Text(text) => Operand::Bytes(text),
            Self::Integer(value) => Operand::Integer(*value),
            Self::Float(value) => Operand::Float(*value),
            Self::Boolean(value) => Operand::Boolean(*value),
            Self::Null => Operand::Null,
        }
    }
}

impl Comparison {
    /// Returns whether the values that were read pass the test.
    pub(super) fn passes(&self, slots: &[Slot]) -> bool {
        let left = || self.left.operand(slots);
        let right = || self.right.operand(slots);
        let is_equal = match (&self.left, &self.right) {
            (Side::Null, _) => matches!(right(), Operand::Null),
            (_, Side::Null) => matches!(left(), Operand::Null),
            _ => left().equals(&right()),
        };
        is_equal == self.equal
    }
}

impl Against {
    /// Returns whether a value passes the test.
    #[inline]
    pub(super) fn passes(&self, found: &Operand<'_>, slots: &[Slot]) -> bool {
        let is_equal = match &self.other {
            Side::Text(text) => matches!(found, Operand::Bytes(found) if **found == **text),
            Side::Null => matches!(found, Operand::Null),
            other => found.equals(&other.operand(slots)),
        };
        is_equal == self.equal
    }
}
