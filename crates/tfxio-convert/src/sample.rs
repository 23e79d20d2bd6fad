//! Rows that are chosen by chance.

use arrow_array::BooleanArray;
use tfxio_core::{Batch, Error, ErrorKind, Result};

use tfxio_scan::filter;
use tfxio_scan::ranks::{Drawn, RowRanks};

/// Rows that are chosen by chance, the same for the same seed, and in a larger sample, too. They stay in order.
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

/// Chooses rows by their ranks, which depend on the seed, on the file and on the number of the record, and not on which rows a
/// filter leaves.
#[derive(Clone, Debug)]
pub(super) struct Sampler {
    ranks: RowRanks,
    rule: Rule,
}

#[derive(Clone, Debug)]
enum Rule {
    Fraction(f64),
    Drawn(Drawn),
}

impl Sampler {
    pub(super) fn of_fraction(ranks: RowRanks, fraction: f64) -> Self {
        Self { ranks, rule: Rule::Fraction(fraction) }
    }

    pub(super) fn of_drawn(ranks: RowRanks, drawn: Drawn) -> Self {
        Self { ranks, rule: Rule::Drawn(drawn) }
    }

    /// Returns the rows of a batch that are chosen.
    pub(super) fn batch(&mut self, batch: Batch) -> Result<Batch> {
        let ranks = self.ranks.next(&batch).into_iter();
        let mask = ranks.map(|rank| Some(self.rule.takes(rank))).collect::<BooleanArray>();
        filter::keep(&mask, batch)
    }
}

impl Rule {
    fn takes(&mut self, rank: u64) -> bool {
        match self {
            // A number from 0 to less than 1.
            Self::Fraction(fraction) => ((rank >> 11) as f64 / (1u64 << 53) as f64) < *fraction,
            Self::Drawn(drawn) => drawn.takes(rank),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Rule;
    use tfxio_scan::ranks::Ranks;

    #[test]
    fn a_fraction_of_the_rows_is_chosen() {
        let chosen = |fraction, seed| {
            let ranks = Ranks::new(seed, 0);
            let mut rule = Rule::Fraction(fraction);
            (0..100_000).filter(|row| rule.takes(ranks.of(*row))).collect::<Vec<_>>()
        };
        let quarter = chosen(0.25, 7);
        assert!((24_000..26_000).contains(&quarter.len()), "{}", quarter.len());
        assert_ne!(quarter, chosen(0.25, 8));
        // Those of a smaller sample are in the larger one.
        assert!(chosen(0.125, 7).iter().all(|row| quarter.binary_search(row).is_ok()));
        assert!(chosen(0.0, 1).is_empty());
        assert_eq!(chosen(1.0, 1).len(), 100_000);
    }
}
