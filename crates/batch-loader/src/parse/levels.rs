//! The levels of nested lists, taken off one by one.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, OffsetSizeTrait};
use arrow_schema::DataType;

/// How many values belong to each of a number of parents, whose values follow each other without gaps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Counts {
    /// So many to each.
    Each(usize),
    /// Where those of each begin, from 0 on, and where the last ends.
    Offsets(Vec<usize>),
}

impl Counts {
    /// The parent of a value.
    pub(super) fn parent(&self, value: usize) -> usize {
        match self {
            Self::Each(count) => value.checked_div(*count).unwrap_or(0),
            // The last parent that begins at the value or before it; empty ones begin there, too.
            Self::Offsets(offsets) => offsets.partition_point(|start| *start <= value).saturating_sub(1),
        }
    }

    /// Offsets for that number of parents.
    pub(super) fn into_offsets(self, parents: usize) -> Vec<usize> {
        match self {
            Self::Each(count) => (0..=parents).map(|parent| parent.saturating_mul(count)).collect(),
            Self::Offsets(offsets) => offsets,
        }
    }

    /// The first of a number of parents that has another count than this, and that count.
    pub(super) fn other_than(&self, expected: usize, parents: usize) -> Option<(usize, usize)> {
        match self {
            Self::Each(count) => (*count != expected && parents > 0).then_some((0, *count)),
            Self::Offsets(offsets) => offsets
                .windows(2)
                .map(|ends| match ends {
                    [start, end] => end - start,
                    _ => expected,
                })
                .enumerate()
                .find(|(_, count)| *count != expected),
        }
    }

    /// The counts of values of values.
    fn then(self, inner: Self) -> Self {
        match (self, inner) {
            (Self::Each(outer), Self::Each(inner)) => Self::Each(outer.saturating_mul(inner)),
            (Self::Each(1), inner) => inner,
            (Self::Each(0), Self::Offsets(_)) => Self::Each(0),
            (Self::Each(outer), Self::Offsets(inner)) => {
                Self::Offsets(inner.into_iter().step_by(outer).collect())
            }
            (Self::Offsets(mut outer), Self::Each(inner)) => {
                outer.iter_mut().for_each(|offset| *offset = offset.saturating_mul(inner));
                Self::Offsets(outer)
            }
            (Self::Offsets(mut outer), Self::Offsets(inner)) => {
                for offset in &mut outer {
                    *offset = inner.get(*offset).or(inner.last()).copied().unwrap_or(0);
                }
                Self::Offsets(outer)
            }
        }
    }
}

/// Something is null: the first value of the level, counted from 0.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NullAt(pub(super) usize);

/// One level: the number of elements in each slot, and the elements. `None` for what is no list.
pub(super) fn level(array: &ArrayRef) -> Option<Result<(Counts, ArrayRef), NullAt>> {
    let below = match array.data_type() {
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            of_offsets(list.value_offsets(), list.values())
        }
        DataType::LargeList(_) => {
            let list = array.as_list::<i64>();
            of_offsets(list.value_offsets(), list.values())
        }
        DataType::FixedSizeList(_, size) => {
            let values = array.as_fixed_size_list().values();
            (Counts::Each(usize::try_from(*size).unwrap_or(0)), ArrayRef::clone(values))
        }
        _ => return None,
    };
    Some(no_nulls(array).map(|()| below))
}

/// Refuses nulls.
pub(super) fn no_nulls(array: &dyn Array) -> Result<(), NullAt> {
    let nulls = array.logical_nulls().filter(|nulls| nulls.null_count() > 0);
    match nulls.and_then(|nulls| nulls.iter().position(|valid| !valid)) {
        Some(at) => Err(NullAt(at)),
        None => Ok(()),
    }
}

/// A null somewhere below the top.
#[derive(Debug)]
pub(super) struct NullBelow {
    /// How many slots of its level belong to each slot at the top.
    pub(super) counts: Counts,
    pub(super) at: NullAt,
    /// Whether it lies at the top.
    pub(super) is_top: bool,
    /// Whether it is a list.
    pub(super) is_list: bool,
}

/// All levels down to what is no list.
pub(super) fn all(mut array: ArrayRef) -> Result<(Counts, ArrayRef), NullBelow> {
    let mut counts = Counts::Each(1);
    let mut is_top = true;
    while let Some(level) = level(&array) {
        match level {
            Ok((inner, below)) => {
                counts = counts.then(inner);
                array = below;
                is_top = false;
            }
            Err(at) => return Err(NullBelow { counts, at, is_top, is_list: true }),
        }
    }
    match no_nulls(&array) {
        Ok(()) => Ok((counts, array)),
        Err(at) => Err(NullBelow { counts, at, is_top, is_list: false }),
    }
}

/// The elements between the first and the last of the offsets.
fn of_offsets<O: OffsetSizeTrait>(offsets: &[O], values: &ArrayRef) -> (Counts, ArrayRef) {
    let (Some(first), Some(last)) = (offsets.first(), offsets.last()) else {
        return (Counts::Each(0), values.slice(0, 0));
    };
    let (start, end) = (first.as_usize(), last.as_usize());
    let parents = offsets.len() - 1;
    let count = (end - start).checked_div(parents).unwrap_or(0);
    let counts = if is_each(offsets, count) {
        Counts::Each(count)
    } else {
        Counts::Offsets(offsets.iter().map(|offset| offset.as_usize() - start).collect())
    };
    (counts, values.slice(start, end - start))
}

/// Whether all offsets are that far apart.
pub(super) fn is_each<O: OffsetSizeTrait>(offsets: &[O], count: usize) -> bool {
    let (Some(count), Some(rest)) = (O::from_usize(count), offsets.get(1..)) else { return false };
    // Without a branch, so that many are compared at once.
    offsets.iter().zip(rest).fold(true, |all, (start, end)| all & (*end - *start == count))
}

#[cfg(test)]
mod tests {
    use super::Counts::{Each, Offsets};
    use super::is_each;

    #[test]
    fn counts_of_counts() {
        assert_eq!(Each(2).then(Each(3)), Each(6));
        assert_eq!(Each(2).then(Offsets(vec![0, 1, 3, 3, 7])), Offsets(vec![0, 3, 7]));
        assert_eq!(Offsets(vec![0, 1, 3]).then(Each(2)), Offsets(vec![0, 2, 6]));
        assert_eq!(Offsets(vec![0, 1, 3]).then(Offsets(vec![0, 4, 5, 9])), Offsets(vec![0, 4, 9]));
        assert_eq!(Each(0).then(Offsets(vec![0])), Each(0));
    }

    #[test]
    fn a_value_belongs_to_the_parent_that_is_not_empty() {
        let counts = Offsets(vec![0, 0, 2, 2, 3]);
        assert_eq!([0, 1, 2].map(|value| counts.parent(value)), [1, 1, 3]);
        assert_eq!(Each(3).parent(5), 1);
    }

    #[test]
    fn the_first_that_differs_is_found() {
        assert_eq!(Offsets(vec![0, 2, 4, 5]).other_than(2, 3), Some((2, 1)));
        assert_eq!(Each(3).other_than(2, 1), Some((0, 3)));
        assert_eq!(Each(3).other_than(2, 0), None);
        assert!(is_each(&[5i64, 7, 9], 2));
        assert!(!is_each(&[5i32, 7, 9, 10], 2));
        assert!(is_each(&[5i32], 0));
    }
}
