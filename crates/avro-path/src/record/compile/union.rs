//! Unions, in the quickest form that each has.

use super::no_such_value;
use crate::record::op::{Branch, Chosen, Fill, Nullable, Op};
use crate::record::shape::{Kind, Shape};

/// What goes by the branch that was written.
pub(super) fn any_of(mut branches: Vec<Branch>) -> Op {
    let null_first = match branches.as_slice() {
        [Branch { op: Op::Absent(_), .. }, Branch { op: Op::Present(..), .. }] => true,
        [Branch { op: Op::Present(..), .. }, Branch { op: Op::Absent(_), .. }] => false,
        _ => return Op::Branches(branches.into()),
    };
    match (branches.pop().map(|branch| branch.op), branches.pop().map(|branch| branch.op)) {
        (Some(Op::Absent(absent)), Some(Op::Present(validity, op)))
        | (Some(Op::Present(validity, op)), Some(Op::Absent(absent))) => {
            Op::Nullable(Box::new(Nullable { null_first, validity, absent, op: *op }))
        }
        _ => no_such_value(),
    }
}

/// What appends a value after marking what is there and what is not.
pub(super) fn chosen(mut present: Vec<usize>, absent: Vec<Fill>, op: Op) -> Op {
    match (present.pop(), present.is_empty(), absent.is_empty()) {
        (None, _, true) => op,
        (Some(only), true, true) => Op::Present(only, Box::new(op)),
        (last, ..) => {
            present.extend(last);
            Op::Chosen(Box::new(Chosen { present: present.into(), absent: absent.into(), op }))
        }
    }
}

/// What fills a shape with an entry for something that is not there.
pub(super) fn absent(shape: &Shape, fills: &mut Vec<Fill>) {
    fills.extend(shape.validity.map(Fill::Bit));
    match &shape.kind {
        Kind::Null => {}
        Kind::Boolean(bits) => fills.push(Fill::Bit(*bits)),
        Kind::Fixed { values, width } => fills.push(Fill::Zeros(*values, *width)),
        Kind::Symbols { values, .. } => fills.push(Fill::Zeros(*values, 4)),
        Kind::Binary(binary) => fills.push(Fill::Binary(*binary)),
        Kind::Strings(strings) => fills.push(Fill::String(*strings)),
        Kind::List { ends, .. } => fills.push(Fill::End(*ends)),
        // A null list has no item; one that cannot be null has one.
        Kind::One { item, .. } if shape.validity.is_none() => absent(item, fills),
        Kind::One { .. } => {}
        Kind::Struct(children) => children.iter().for_each(|child| absent(&child.shape, fills)),
    }
}
