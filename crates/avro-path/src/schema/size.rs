//! The fewest bytes of a value of each type, by which claims about counts are checked.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Node, Type};

/// What is known of a type while its parts become known.
struct Open {
    /// Parts of a record that are not known yet; 1 for a union, for which the first is enough.
    waits_for: usize,
    /// The sum of those that are known.
    sum: usize,
}

/// For each type the fewest bytes of a value; `usize::MAX` where no value is possible.
///
/// Takes the types in the order of their results, smallest first, so that each is settled once: a sum or a union is
/// never less than its parts.
pub(super) fn least(nodes: &[Node]) -> Vec<usize> {
    let mut least = vec![usize::MAX; nodes.len()];
    let mut users = vec![Vec::new(); nodes.len()];
    let mut open = Vec::with_capacity(nodes.len());
    let mut known = BinaryHeap::new();
    for (at, node) in nodes.iter().enumerate() {
        let parts: Vec<usize> = match &node.ty {
            Type::Union(branches) => branches.iter().map(|id| id.index()).collect(),
            Type::Record(record) => record.fields().iter().map(|field| field.type_id().index()).collect(),
            _ => Vec::new(),
        };
        let is_union = matches!(node.ty, Type::Union(_));
        open.push(Open { waits_for: if is_union { 1 } else { parts.len() }, sum: usize::from(is_union) });
        if parts.is_empty() && !is_union {
            known.push(Reverse((alone(&node.ty), at)));
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

/// For types without parts that have to be there.
fn alone(ty: &Type) -> usize {
    match ty {
        Type::Null | Type::Record(_) => 0,
        Type::Float => 4,
        Type::Double => 8,
        Type::Fixed(fixed) => fixed.size(),
        _ => 1,
    }
}
