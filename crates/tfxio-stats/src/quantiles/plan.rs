//! Division of a stream into blocks.

/// The error of one step, and the sizes that follow from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BlockPlan {
    /// Error that one reduction of a summary may add, relative to the weight of all.
    pub(super) eps: f64,
    /// Number of expected values; at least one.
    pub(super) max_elements: i64,
    /// The most entries of the summary of a level, but one.
    pub(super) block: usize,
    /// Number of values that are gathered before they become a summary.
    pub(super) buffer: usize,
}

impl BlockPlan {
    /// Returns the plan of a positive error and a positive number of values.
    ///
    /// Level l is made of 2^l blocks of values and adds l times the error of one reduction, 1/block; the block is the least
    /// whose levels hold all values within `eps`.
    pub(super) fn new(eps: f64, max_elements: i64) -> Self {
        let expected = u64::try_from(max_elements).unwrap_or(1);
        let mut block: u64 = 2;
        if eps <= f64::EPSILON {
            // Too exact for summaries: all values are kept.
            block = expected.max(2);
        } else {
            let mut levels: u32 = 1;
            while (u128::from(block) << levels) < u128::from(expected) {
                // Two more for the least and the largest value.
                block = ((f64::from(levels) / eps).ceil() as u64).saturating_add(1).max(2);
                levels += 1;
            }
        }
        let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        Self { eps, max_elements, block: size(block), buffer: size(block.saturating_mul(2).min(expected)) }
    }
}

#[cfg(test)]
mod tests {
    use super::BlockPlan;

    #[test]
    fn blocks_hold_the_expected_values_within_the_error() {
        let sizes = |eps, max_elements| {
            let plan = BlockPlan::new(eps, max_elements);
            (plan.block, plan.buffer)
        };
        assert_eq!(sizes(0.01, 1), (2, 1));
        assert_eq!(sizes(0.01, 4), (2, 4));
        assert_eq!(sizes(0.01, 5), (101, 5));
        assert_eq!(sizes(0.01, 1 << 32), (2101, 4202));
        assert_eq!(sizes(2.0, 100), (4, 8));
        assert_eq!(sizes(1e-17, 100), (100, 100));
        assert_eq!(sizes(1e-17, i64::MAX), (usize::MAX / 2, usize::MAX / 2));
        assert_eq!(sizes(f64::MAX, i64::MAX), (2, 4));
    }
}
