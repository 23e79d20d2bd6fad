//! Minimum sizes of values of each type, by which claims about counts are checked.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{SchemaNode, Type};

/// State of a type some of whose parts are not known yet.
struct Open {
    /// Number of parts of a record that are not known yet; 1 for a union, for which the first is enough; 0 for types
    /// without parts.
    waits_for: usize,
    /// Sum of the known parts, and of the type's own bytes.
    sum: usize,
}

/// Returns for each type the minimum number of bytes of a value; `usize::MAX` if no value is possible.
///
/// Takes the types in the order of their results, smallest first, so that each is settled once: a sum or a union is
/// never less than its parts.
pub(super) fn least(nodes: &[SchemaNode]) -> Vec<usize> {
    let mut least = vec![usize::MAX; nodes.len()];
    let mut users = vec![Vec::new(); nodes.len()];
    let mut open = Vec::with_capacity(nodes.len());
    let mut known = BinaryHeap::new();
    for (at, node) in nodes.iter().enumerate() {
        let (parts, waits_for, sum): (Vec<usize>, usize, usize) = match &node.ty {
            Type::Union(branches) => (branches.iter().map(|id| id.index()).collect(), 1, 1),
            Type::Record(record) => {
                let fields = record.fields().iter().map(|field| field.type_id().index());
                (fields.collect(), record.fields().len(), 0)
            }
            Type::Null => (Vec::new(), 0, 0),
            Type::Float => (Vec::new(), 0, 4),
            Type::Double => (Vec::new(), 0, 8),
            Type::Fixed(fixed) => (Vec::new(), 0, fixed.size()),
            _ => (Vec::new(), 0, 1),
        };
        open.push(Open { waits_for, sum });
        if waits_for == 0 {
            known.push(Reverse((sum, at)));
        }
        for part in parts {
            if let Some(users) = users.get_mut(part) {
                users.push(at);
            }
        }
    }
    while let Some(Reverse((bytes, at))) = known.pop() {
        let Some(slot) = least.get_mut(at).filter(|slot| **slot == usize::MAX) else { continue };
        *slot = bytes;
        for &user in users.get(at).into_iter().flatten() {
            let Some(open) = open.get_mut(user).filter(|open| open.waits_for > 0) else { continue };
            open.waits_for -= 1;
            open.sum = open.sum.saturating_add(bytes);
            if open.waits_for == 0 {
                known.push(Reverse((open.sum, user)));
            }
        }
    }
    least
}
