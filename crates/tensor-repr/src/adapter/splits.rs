//! Offsets of the lists of one level.

use arrow_buffer::{ArrowNativeType as _, ScalarBuffer};

use super::TensorRun;
use crate::{Error, Kind, RowSplits, RowSplitsDType};

/// The begins and ends of the lists of one level, which follow each other without gaps. The first list
/// begins at [`base`](Self::base), which need not be 0.
#[derive(Clone, Debug)]
pub(super) enum Splits {
    /// One more offset than lists.
    Small(ScalarBuffer<i32>),
    /// One more offset than lists.
    Large(ScalarBuffer<i64>),
    /// Lists of one length.
    Fixed { size: usize, lists: usize },
}

/// An offset of a list.
pub(super) trait Offset: Copy {
    /// Returns the offset, which Arrow has checked not to be negative.
    fn at(self) -> usize;

    /// Returns whether a list between these offsets has another length than `size`.
    fn any_other_than(offsets: &[Self], size: usize) -> bool;
}

macro_rules! offset {
    ($($type:ty),*) => {$(
        impl Offset for $type {
            #[inline(always)]
            fn at(self) -> usize {
                self.as_usize()
            }

            fn any_other_than(offsets: &[Self], size: usize) -> bool {
                let Ok(size) = Self::try_from(size) else { return offsets.len() > 1 };
                let lists = offsets.iter().zip(offsets.get(1..).unwrap_or_default());
                // Without a branch or a widening for each list, so that several are compared at once.
                lists.fold(0, |bits, (from, to)| bits | (to.wrapping_sub(*from) ^ size)) != 0
            }
        }
    )*};
}

offset!(i32, i64);

/// Returns the first list of another length than `size`.
fn other_than<O: Offset>(offsets: &[O], size: usize) -> Option<usize> {
    if !O::any_other_than(offsets, size) {
        return None;
    }
    let mut lists = offsets.iter().zip(offsets.get(1..).unwrap_or_default());
    lists.position(|(from, to)| to.at().wrapping_sub(from.at()) != size)
}

impl Splits {
    /// Splits that start at 0.
    pub(super) fn of_ends(splits: Vec<i64>) -> Self {
        Self::Large(ScalarBuffer::from(splits))
    }

    /// Returns the number of lists.
    pub(super) fn lists(&self) -> usize {
        match self {
            Self::Small(offsets) => offsets.len().saturating_sub(1),
            Self::Large(offsets) => offsets.len().saturating_sub(1),
            Self::Fixed { lists, .. } => *lists,
        }
    }

    /// Returns the start of list `at`, or, for the number of lists, the end of the last one.
    pub(super) fn get(&self, at: usize) -> usize {
        match self {
            Self::Small(offsets) => offsets.get(at).map_or(0, |offset| offset.at()),
            Self::Large(offsets) => offsets.get(at).map_or(0, |offset| offset.at()),
            Self::Fixed { size, .. } => size.saturating_mul(at),
        }
    }

    /// Returns the start of the first list.
    pub(super) fn base(&self) -> usize {
        self.get(0)
    }

    /// Returns the number of items of all lists together.
    pub(super) fn items(&self) -> usize {
        self.get(self.lists()).saturating_sub(self.base())
    }

    /// Returns the length of a list.
    pub(super) fn length(&self, at: usize) -> usize {
        self.get(at + 1).saturating_sub(self.get(at))
    }

    /// Returns the length of the longest list; 0 without lists.
    pub(super) fn longest(&self) -> usize {
        fn longest<O: Offset>(offsets: &[O]) -> usize {
            let lengths = offsets
                .iter()
                .zip(offsets.iter().skip(1))
                .map(|(from, to)| to.at().saturating_sub(from.at()));
            lengths.max().unwrap_or_default()
        }
        match self {
            Self::Small(offsets) => longest(offsets),
            Self::Large(offsets) => longest(offsets),
            Self::Fixed { size, lists } => {
                if *lists > 0 {
                    *size
                } else {
                    0
                }
            }
        }
    }

    /// Returns the list of item `item`, counted from the begin of the first list.
    pub(super) fn list_of(&self, item: usize) -> usize {
        let item = item.saturating_add(self.base());
        match self {
            Self::Small(offsets) => offsets.partition_point(|offset| offset.at() <= item).saturating_sub(1),
            Self::Large(offsets) => offsets.partition_point(|offset| offset.at() <= item).saturating_sub(1),
            Self::Fixed { size, .. } => item / (*size).max(1),
        }
    }

    /// Calls `f` with each list and its begin and end, counted from the first list's begin.
    #[inline]
    pub(super) fn each(&self, mut f: impl FnMut(usize, usize, usize)) {
        fn each<O: Offset>(offsets: &[O], f: &mut impl FnMut(usize, usize, usize)) {
            let Some((first, rest)) = offsets.split_first() else { return };
            let base = first.at();
            let mut from = 0;
            for (list, to) in rest.iter().enumerate() {
                let to = to.at().saturating_sub(base);
                f(list, from, to);
                from = to;
            }
        }
        match self {
            Self::Small(offsets) => each(offsets, &mut f),
            Self::Large(offsets) => each(offsets, &mut f),
            Self::Fixed { size, lists } => {
                for list in 0..*lists {
                    f(list, list * size, (list + 1) * size);
                }
            }
        }
    }

    /// Returns the first list in which the lengths of two levels differ; `None` if all are equal.
    pub(super) fn first_difference(&self, other: &Self) -> Option<usize> {
        if let (Self::Large(ours), Self::Large(theirs)) = (self, other)
            && (ours.ptr_eq(theirs) || ours == theirs)
        {
            return None;
        }
        let lists = self.lists().max(other.lists());
        match (self, other) {
            (Self::Small(offsets), Self::Fixed { size, lists: fixed }) if lists == *fixed => {
                return other_than(offsets, *size);
            }
            (Self::Large(offsets), Self::Fixed { size, lists: fixed }) if lists == *fixed => {
                return other_than(offsets, *size);
            }
            _ => {}
        }
        (0..lists).find(|&list| self.length(list) != other.length(list))
    }

    /// Returns these lists, with the items of the lists inside of them.
    pub(super) fn merged(&self, inner: &Self) -> Self {
        if let (Self::Fixed { size, lists }, Self::Fixed { size: inner, .. }) = (self, inner) {
            return Self::Fixed { size: size.saturating_mul(*inner), lists: *lists };
        }
        if matches!(self, Self::Fixed { size: 1, lists } if *lists == inner.lists()) {
            return inner.clone();
        }
        let mut ends = Vec::with_capacity(self.lists() + 1);
        ends.push(0);
        let base = inner.base();
        self.each(|_, _, to| {
            ends.push(i64::try_from(inner.get(to).saturating_sub(base)).unwrap_or(i64::MAX))
        });
        Self::of_ends(ends)
    }

    /// Returns the same as the row splits of a tensor, shared if they begin at 0 and have the width.
    pub(super) fn row_splits(
        &self,
        dtype: RowSplitsDType,
        run: &mut TensorRun<'_>,
    ) -> Result<RowSplits, Error> {
        let total = self.items();
        match (self, dtype) {
            (Self::Small(offsets), RowSplitsDType::Int32) if self.base() == 0 => {
                return Ok(RowSplits::Int32(offsets.clone()));
            }
            (Self::Large(offsets), RowSplitsDType::Int64) if self.base() == 0 => {
                return Ok(RowSplits::Int64(offsets.clone()));
            }
            _ => {}
        }
        let count = self.lists() + 1;
        match dtype {
            RowSplitsDType::Int64 => {
                let mut room = run.room::<i64>(count)?;
                self.write(room.values(), |split| i64::try_from(split).unwrap_or(i64::MAX));
                run.count.computed += (count * 8) as u64;
                Ok(RowSplits::Int64(run.finish(room).into()))
            }
            RowSplitsDType::Int32 => {
                if i32::try_from(total).is_err() {
                    let message =
                        format!("{total} items are more than 32-bit row splits count; take 64-bit ones");
                    return Err(Error::new(Kind::Overflow, message));
                }
                let mut room = run.room::<i32>(count)?;
                self.write(room.values(), |split| i32::try_from(split).unwrap_or(i32::MAX));
                run.count.computed += (count * 4) as u64;
                Ok(RowSplits::Int32(run.finish(room).into()))
            }
        }
    }

    fn write<T: Default>(&self, out: &mut [T], split: impl Fn(usize) -> T) {
        let Some((first, out)) = out.split_first_mut() else { return };
        *first = T::default();
        self.each(|list, _, to| {
            if let Some(slot) = out.get_mut(list) {
                *slot = split(to);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use arrow_buffer::ScalarBuffer;

    use super::Splits;

    #[test]
    fn all_forms_of_the_same_lists_agree() {
        let forms = [
            Splits::Fixed { size: 2, lists: 3 },
            Splits::Small(ScalarBuffer::from(vec![4, 6, 8, 10])),
            Splits::Large(ScalarBuffer::from(vec![0, 2, 4, 6])),
        ];
        let inner = Splits::Small(ScalarBuffer::from(vec![1, 1, 2, 2, 2, 5, 6]));
        for splits in &forms {
            assert_eq!((splits.lists(), splits.items(), splits.longest(), splits.length(1)), (3, 6, 2, 2));
            assert_eq!([0, 1, 2, 5].map(|item| splits.list_of(item)), [0, 0, 1, 2]);
            let mut seen = Vec::new();
            splits.each(|list, from, to| seen.push((list, from, to)));
            assert_eq!(seen, [(0, 0, 2), (1, 2, 4), (2, 4, 6)]);
            assert!(forms.iter().all(|other| splits.first_difference(other).is_none()));
            let merged = splits.merged(&inner);
            assert_eq!([0, 1, 2].map(|list| merged.length(list)), [1, 0, 4]);
        }
        assert_eq!(forms[0].first_difference(&inner), Some(0));
    }

    #[test]
    fn an_item_after_empty_lists_lies_in_the_first_that_holds_it() {
        let splits = Splits::Large(ScalarBuffer::from(vec![3, 3, 3, 4, 4]));
        assert_eq!(splits.list_of(0), 2);
        assert_eq!(Splits::Fixed { size: 0, lists: 2 }.list_of(0), 0);
    }
}
