//! The tests of filters.

use std::sync::Arc;

use super::check::Against;
use super::tree::{Comparison, Side};
use crate::datum::At;

/// What a filter compares: read from the datum.
#[derive(Clone, Debug, Default)]
pub(super) enum Slot {
    /// Null, or nothing there.
    #[default]
    Null,
    Boolean(bool),
    Integer(i64),
    Float(f64),
    /// A range of the datum's bytes.
    Bytes(usize, usize),
    Symbol(Arc<str>),
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
    /// Whether two values are of one kind and equal; what is missing equals nothing.
    #[inline]
    pub(super) fn equals(&self, other: &Operand<'_>) -> bool {
        match (self, other) {
            (Operand::Boolean(a), Operand::Boolean(b)) => a == b,
            (Operand::Integer(a), Operand::Integer(b)) => a == b,
            (Operand::Float(a), Operand::Float(b)) => a == b,
            (Operand::Bytes(a), Operand::Bytes(b)) => a == b,
            _ => false,
        }
    }
}

impl Comparison {
    /// Whether what was read from a datum of these bytes is as the test wants it.
    pub(super) fn passes(&self, slots: &[Slot], bytes: At<'_>) -> bool {
        let left = || operand(&self.left, slots, bytes);
        let right = || operand(&self.right, slots, bytes);
        let is_equal = match (&self.left, &self.right) {
            (Side::Null, _) => matches!(right(), Operand::Null),
            (_, Side::Null) => matches!(left(), Operand::Null),
            _ => left().equals(&right()),
        };
        is_equal == self.equal
    }
}

impl Against {
    /// Whether a value is as the test wants it.
    #[inline]
    pub(super) fn passes(&self, found: &Operand<'_>, slots: &[Slot], bytes: At<'_>) -> bool {
        let is_equal = match &self.other {
            Side::Text(text) => matches!(found, Operand::Bytes(found) if **found == **text),
            Side::Null => matches!(found, Operand::Null),
            other => found.equals(&operand(other, slots, bytes)),
        };
        is_equal == self.equal
    }
}

pub(super) fn operand<'s>(side: &'s Side, slots: &'s [Slot], bytes: At<'s>) -> Operand<'s> {
    match side {
        Side::Slot(slot) => match &slots[*slot] {
            Slot::Null => Operand::Null,
            Slot::Boolean(value) => Operand::Boolean(*value),
            Slot::Integer(value) => Operand::Integer(*value),
            Slot::Float(value) => Operand::Float(*value),
            Slot::Bytes(start, end) => Operand::Bytes(bytes.0.get(*start..*end).unwrap_or_default()),
            Slot::Symbol(symbol) => Operand::Bytes(symbol.as_bytes()),
        },
        Side::Text(text) => Operand::Bytes(text),
        Side::Integer(value) => Operand::Integer(*value),
        Side::Float(value) => Operand::Float(*value),
        Side::Boolean(value) => Operand::Boolean(*value),
        Side::Null => Operand::Null,
    }
}
