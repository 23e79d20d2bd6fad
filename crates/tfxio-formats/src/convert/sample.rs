//! Rows that are chosen by chance.

use arrow_array::BooleanArray;
use tfxio_core::{Batch, Error, ErrorKind, Result};

use crate::filter;

/// Rows that are chosen by chance, the same for the same seed. They stay in order.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Sample {
    /// Each row with this probability, from 0 to 1.
    Fraction(f64),
    /// This many rows, or all where there are not as many.
    Rows(u64),
}

impl Sample {
    /// Refuses a fraction that is not from 0 to 1.
    pub(super) fn check(self) -> Result<()> {
        match self {
            Self::Fraction(fraction) if !(0.0..=1.0).contains(&fraction) => {
                let what = format!("the sample is a fraction of {fraction} of the rows");
                Err(Error::new(ErrorKind::InvalidArgument, what).help("give a fraction from 0 to 1"))
            }
            _ => Ok(()),
        }
    }
}

/// Chooses rows.
#[derive(Clone, Debug)]
pub(super) struct Sampler {
    rule: Rule,
    random: u64,
}

#[derive(Clone, Debug)]
enum Rule {
    Fraction(f64),
    /// Rows that are still wanted, of those that are still to come.
    Rows {
        wanted: u64,
        left: u64,
    },
}

impl Sampler {
    /// Returns what chooses of this many rows, which only a number of rows asks for.
    pub(super) fn new(sample: Sample, seed: u64, count: impl FnOnce() -> Result<u64>) -> Result<Self> {
        let rule = match sample {
            Sample::Fraction(fraction) => Rule::Fraction(fraction),
            Sample::Rows(wanted) => Rule::Rows { wanted, left: count()? },
        };
        Ok(Self { rule, random: seed })
    }

    /// Returns the rows of a batch that are chosen.
    pub(super) fn batch(&mut self, batch: Batch) -> Result<Batch> {
        let mask = (0..batch.num_rows()).map(|_| Some(self.choose())).collect::<BooleanArray>();
        filter::keep(&mask, batch)
    }

    fn choose(&mut self) -> bool {
        let chance = self.next();
        match &mut self.rule {
            Rule::Fraction(fraction) => chance < *fraction,
            // Knuth, The Art of Computer Programming, volume 2, 3.4.2, algorithm S.
            Rule::Rows { wanted, left } => {
                let is_chosen = chance * (*left as f64) < *wanted as f64;
                *left = left.saturating_sub(1);
                *wanted = wanted.saturating_sub(u64::from(is_chosen));
                is_chosen
            }
        }
    }

    /// Returns a number from 0 to less than 1, by SplitMix64.
    fn next(&mut self) -> f64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.random;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::{Sample, Sampler};

    fn chosen(sample: Sample, seed: u64, rows: usize) -> Vec<usize> {
        let mut sampler = Sampler::new(sample, seed, || Ok(rows as u64)).expect("a count");
        (0..rows).filter(|_| sampler.choose()).collect()
    }

    #[test]
    fn a_number_of_rows_is_kept_exactly() {
        for (wanted, rows) in [(0, 10), (1, 10), (9, 10), (10, 10), (20, 10), (5, 0), (1000, 100_000)] {
            for seed in 0..20 {
                let kept = chosen(Sample::Rows(wanted), seed, rows).len();
                assert_eq!(kept as u64, wanted.min(rows as u64), "{wanted} of {rows}");
            }
        }
    }

    #[test]
    fn every_row_has_its_chance() {
        let mut counts = [0; 10];
        for seed in 0..10_000 {
            chosen(Sample::Rows(3), seed, 10).iter().for_each(|row| counts[*row] += 1);
        }
        assert!(counts.iter().all(|count| (2800..3200).contains(count)), "{counts:?}");
        let kept = chosen(Sample::Fraction(0.25), 7, 100_000);
        assert!((24_000..26_000).contains(&kept.len()), "{}", kept.len());
        assert_eq!(kept, chosen(Sample::Fraction(0.25), 7, 100_000));
        assert_ne!(kept, chosen(Sample::Fraction(0.25), 8, 100_000));
        assert!(chosen(Sample::Fraction(0.0), 1, 1000).is_empty());
        assert_eq!(chosen(Sample::Fraction(1.0), 1, 1000).len(), 1000);
    }
}
