//! Range and zeros of numbers, found in one pass.

use crate::statistics::moments::LANES;

/// Range and zeros of numbers, found in one pass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Range {
    pub(super) is_finite: bool,
    /// The least and the largest one; infinite where there is none. Of no use unless all are finite.
    pub(super) min: f64,
    pub(super) max: f64,
    pub(super) zeros: u64,
}

impl Range {
    /// Returns the range of numbers, of which several are compared at once.
    pub(super) fn of(numbers: &[f64]) -> Self {
        let (mut min, mut max) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
        let (mut zeros, mut not_finite) = ([0u64; LANES], [0u64; LANES]);
        let (chunks, rest) = numbers.as_chunks::<LANES>();
        for chunk in chunks {
            for lane in 0..LANES {
                let number = chunk[lane];
                min[lane] = if number < min[lane] { number } else { min[lane] };
                max[lane] = if number > max[lane] { number } else { max[lane] };
                zeros[lane] += u64::from(number == 0.0);
                not_finite[lane] |= u64::from(!number.is_finite());
            }
        }
        for (lane, number) in rest.iter().enumerate() {
            min[lane] = min[lane].min(*number);
            max[lane] = max[lane].max(*number);
            zeros[lane] += u64::from(*number == 0.0);
            not_finite[lane] |= u64::from(!number.is_finite());
        }
        Self {
            is_finite: not_finite.iter().all(|lane| *lane == 0),
            min: min.into_iter().fold(f64::INFINITY, f64::min),
            max: max.into_iter().fold(f64::NEG_INFINITY, f64::max),
            zeros: zeros.iter().sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Range;

    #[test]
    fn all_numbers_are_seen_at_any_length() {
        for length in 0..40u32 {
            for special in 0..length {
                let mut numbers: Vec<f64> = (1..=length).map(f64::from).collect();
                numbers[special as usize] = 0.0;
                let expected = Range { is_finite: true, min: 0.0, max: 0.0, zeros: 1 };
                let max = if special + 1 == length { f64::from(length - 1) } else { f64::from(length) };
                assert_eq!(Range::of(&numbers), Range { max, ..expected });
                for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                    numbers[special as usize] = wrong;
                    assert!(!Range::of(&numbers).is_finite);
                }
            }
        }
        assert_eq!((Range::of(&[]).min, Range::of(&[]).max), (f64::INFINITY, f64::NEG_INFINITY));
    }
}
