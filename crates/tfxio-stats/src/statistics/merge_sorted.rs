//! Merging of sorted keys.

/// Merges keys in ascending order. The choice is a number, not a branch, which could not be predicted.
pub(super) fn merge_keys(left: &[u64], right: &[u64]) -> Vec<u64> {
    if left.is_empty() {
        return right.to_vec();
    }
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut at, mut other) = (0, 0);
    while let (Some(ours), Some(theirs)) = (left.get(at), right.get(other)) {
        let is_ours = ours <= theirs;
        merged.push(if is_ours { *ours } else { *theirs });
        at += usize::from(is_ours);
        other += usize::from(!is_ours);
    }
    merged.extend(left.iter().skip(at));
    merged.extend(right.iter().skip(other));
    merged
}

/// Merges counts of keys in ascending order, and adds up the counts of equal keys.
pub(super) fn merge_counts(left: &[(u64, u64)], right: &[(u64, u64)]) -> Vec<(u64, u64)> {
    if left.is_empty() {
        return right.to_vec();
    }
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut at, mut other) = (0, 0);
    while let (Some((ours, our_count)), Some((theirs, their_count))) = (left.get(at), right.get(other)) {
        let (is_ours, is_theirs) = (ours <= theirs, theirs <= ours);
        let (ours_of, theirs_of) = (our_count * u64::from(is_ours), their_count * u64::from(is_theirs));
        merged.push((*ours.min(theirs), ours_of.saturating_add(theirs_of)));
        at += usize::from(is_ours);
        other += usize::from(is_theirs);
    }
    merged.extend(left.iter().skip(at));
    merged.extend(right.iter().skip(other));
    merged
}

#[cfg(test)]
mod tests {
    use super::{merge_counts, merge_keys};

    #[test]
    fn both_sides_come_out_in_order() {
        assert_eq!(merge_keys(&[1, 3, 3], &[2, 3, 9]), [1, 2, 3, 3, 3, 9]);
        assert_eq!(merge_keys(&[], &[2]), [2]);
        assert_eq!(merge_counts(&[(1, 2), (4, 1)], &[(0, 5), (4, 3)]), [(0, 5), (1, 2), (4, 4)]);
        assert_eq!(merge_counts(&[(1, 2)], &[]), [(1, 2)]);
    }
}
