//! Unions, in the quickest form that each has.

use super::{Want, no_such_value};
use crate::plan::op::{Branch, Chosen, Fill, Nullable, Op};

/// Returns the operation that dispatches on the branch that was written.
pub(super) fn any_of<W: Want>(mut branches: Vec<Branch>, _: &W) -> Op {
    let is_absent = |op: &Op| matches!(op, Op::Absent(_)) || W::NAMES_BRANCH && matches!(op, Op::Nothing);
    let is_present = |op: &Op| W::NAMES_BRANCH || matches!(op, Op::Present(..));
    let null_first = match branches.as_slice() {
        [first, second] if is_absent(&first.op) && is_present(&second.op) => true,
        [first, second] if is_present(&first.op) && is_absent(&second.op) => false,
        _ => return Op::Branches(branches.into()),
    };
    if !null_first {
        branches.reverse();
    }
    let (Some(value), Some(null)) = (branches.pop(), branches.pop()) else { return no_such_value() };
    let absent = match null.op {
        Op::Absent(fills) => fills,
        _ => Box::default(),
    };
    let (validity, op) = match value.op {
        Op::Present(validity, op) => (Some(validity), *op),
        op => (None, op),
    };
    let name = W::NAMES_BRANCH.then_some(value.name);
    Op::Nullable(Box::new(Nullable { null_first, validity, absent, op, name }))
}

/// Returns the operation that appends a value after marking the present parts, for filters too, and filling the absent
/// ones.
pub(crate) fn chosen(mut present: Vec<usize>, absent: Vec<Fill>, slots: &[usize], op: Op) -> Op {
    match (present.pop(), present.is_empty(), absent.is_empty() && slots.is_empty()) {
        (None, _, true) => op,
        (Some(only), true, true) => Op::Present(only, Box::new(op)),
        (last, ..) => {
            present.extend(last);
            let (present, absent, slots) = (present.into(), absent.into(), slots.into());
            Op::Chosen(Box::new(Chosen { present, absent, slots, op }))
        }
    }
}
