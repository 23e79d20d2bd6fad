//! The tests of filters.

use std::sync::Arc;

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
enum Operand<'a> {
    Null,
    Boolean(bool),
    Integer(i64),
    Float(f64),
    Bytes(&'a [u8]),
}

impl Comparison {
    /// Whether what was read from a datum of these bytes is as the test wants it.
    pub(super) fn passes(&self, slots: &[Slot], bytes: At<'_>) -> bool {
        let is_null = |side: &Side| match side {
            Side::Slot(slot) => matches!(slots[*slot], Slot::Null),
            _ => false,
        };
        let is_equal = match (&self.left, &self.right) {
            (Side::Null, side) | (side, Side::Null) => is_null(side),
            (left, right) => match (operand(left, slots, bytes), operand(right, slots, bytes)) {
                (Operand::Boolean(a), Operand::Boolean(b)) => a == b,
                (Operand::Integer(a), Operand::Integer(b)) => a == b,
                (Operand::Float(a), Operand::Float(b)) => a == b,
                (Operand::Bytes(a), Operand::Bytes(b)) => a == b,
                _ => false,
            },
        };
        is_equal == self.equal
    }
}

fn operand<'s>(side: &'s Side, slots: &'s [Slot], bytes: At<'s>) -> Operand<'s> {
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
