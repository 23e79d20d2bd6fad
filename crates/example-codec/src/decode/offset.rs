//! Offsets of lists and byte strings, and how they become Arrow's.

use arrow_array::OffsetSizeTrait;
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use bytemuck::Pod;

/// An offset: `i32` or `i64`.
pub(super) trait Offset: OffsetSizeTrait + Pod {
    /// Returns whether the first of these is not negative and none is less than the one before. Where some are so far from
    /// each other that this is not sure it returns `false`, as it does for none.
    fn are_offsets(offsets: &[Self]) -> bool;
}

macro_rules! offset {
    ($type:ty, $unsigned:ty) => {
        impl Offset for $type {
            fn are_offsets(offsets: &[Self]) -> bool {
                let Some((first, others)) = offsets.split_first() else { return false };
                // All differences are at most their disjunction. While not even that many times as much overflows, no
                // difference is negative.
                let pairs = offsets.iter().zip(others);
                let most = pairs.fold(0, |all, (last, next)| all | next.wrapping_sub(*last) as $unsigned);
                let end = u128::from(most) * others.len() as u128 + *first as $unsigned as u128;
                end <= <$type>::MAX as u128
            }
        }
    };
}

offset!(i32, u32);
offset!(i64, u64);

/// Returns the offsets as Arrow holds them, which must be in order.
///
/// Arrow's constructor looks at them one by one, which takes as long as appending the values.
pub(super) fn offset_buffer<O: Offset>(offsets: ScalarBuffer<O>) -> OffsetBuffer<O> {
    if O::are_offsets(&offsets) {
        // SAFETY: there is one, the first is not negative, and none is less than the one before.
        unsafe { OffsetBuffer::new_unchecked(offsets) }
    } else {
        OffsetBuffer::new(offsets)
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{RefUnwindSafe, catch_unwind};

    use arrow_buffer::ScalarBuffer;
    use proptest::prelude::*;

    use super::{Offset, offset_buffer};

    /// Returns whether Arrow takes them, and whether they are found to be offsets without Arrow.
    fn check<O: Offset + RefUnwindSafe>(offsets: Vec<O>) -> (bool, bool) {
        let is_sorted = !offsets.is_empty() && offsets.is_sorted() && offsets[0] >= O::usize_as(0);
        let is_sure = O::are_offsets(&offsets);
        let made = catch_unwind(|| offset_buffer(ScalarBuffer::from(offsets.clone())));
        assert_eq!(made.is_ok(), is_sorted, "{offsets:?}");
        assert!(made.is_err() || made.is_ok_and(|made| *made == *offsets));
        (is_sorted, is_sure)
    }

    #[test]
    fn offsets_that_are_far_from_each_other_are_left_to_arrow() {
        assert_eq!(check::<i32>(vec![]), (false, false));
        assert_eq!(check(vec![0]), (true, true));
        assert_eq!(check(vec![i32::MAX]), (true, true));
        assert_eq!(check(vec![-1, 0]), (false, false));
        assert_eq!(check(vec![0, i32::MAX]), (true, true));
        assert_eq!(check(vec![1, i32::MAX]), (true, true));
        assert_eq!(check(vec![0, i32::MAX, i32::MAX]), (true, false));
        // Differences that wrap round to where they began.
        assert_eq!(check(vec![0, i32::MAX, -2, 0]), (false, false));
        assert_eq!(check(vec![0, i64::MAX, -2, 0]), (false, false));
        assert_eq!(check(vec![i64::MAX, i64::MIN]), (false, false));
        assert_eq!(check(vec![5, 9, 8, 10]), (false, false));
    }

    proptest! {
        #[test]
        fn offsets_are_in_order_or_refused(
            mut offsets in prop::collection::vec(prop_oneof![4 => 0i32..1000, 1 => any::<i32>()], 0..40),
            is_sorted: bool,
        ) {
            if is_sorted {
                offsets.sort_unstable();
            }
            let wide = offsets.iter().map(|offset| i64::from(*offset) << 32).collect::<Vec<_>>();
            for (is_sorted, is_sure) in [check(offsets), check(wide)] {
                prop_assert!(is_sorted || !is_sure);
            }
        }
    }
}
