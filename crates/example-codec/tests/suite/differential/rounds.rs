//! Rounds of records: one family, one way to decode, one decoder for all of its batches.

use super::agreement::Pair;
use super::damage;
use super::families::Family;
use super::random::Random;
use super::settings::Setting;

/// Counts of compared records by setting and damage.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Counts in the order of [`Setting::ALL`]: records, and records that both refused.
    pub settings: [(u64, u64); Setting::ALL.len()],
    /// The same in the order of [`damage::DAMAGES`].
    pub damages: [(u64, u64); damage::DAMAGES.len()],
    /// Batches that came back from their encoded records, or are compared only.
    pub batches: u64,
}

impl Counts {
    pub fn records(&self) -> u64 {
        self.settings.iter().map(|(records, _)| records).sum()
    }

    pub fn add(&mut self, other: &Self) {
        let pairs = self.settings.iter_mut().zip(other.settings);
        for (sum, (records, refused)) in pairs.chain(self.damages.iter_mut().zip(other.damages)) {
            *sum = (sum.0 + records, sum.1 + refused);
        }
        self.batches += other.batches;
    }
}

/// Difference between decoders.
#[derive(Debug)]
pub struct Difference {
    pub setting: Setting,
    /// The last record that was pushed.
    pub record: Vec<u8>,
    pub text: String,
}

/// Decodes about so many records of one family, and some of another.
pub fn round(seed: u64, number: u64, records: u64, counts: &mut Counts) -> Result<(), Difference> {
    let mut random = Random::new(seed ^ number.wrapping_mul(0xd134_2543_de82_ef95));
    let index = (number % Setting::ALL.len() as u64) as usize;
    let setting = Setting::ALL[index];
    let family = Family::new(&mut random);
    let other = Family::new(&mut random);
    let damaged = [0, 2, 10, 50][random.below(4) as usize];
    let strange = [0, 0, 1, 20][random.below(4) as usize];
    let make = setting.make(&family);
    let mut pair = Pair::new(setting, &make);
    let mut done = 0;
    while done < records {
        let mut last = Vec::new();
        let rows = [1, 3, 30, 64, 65, 130][random.below(6) as usize];
        let difference = |record: &[u8], text| Difference { setting, record: record.to_vec(), text };
        for _ in 0..rows {
            let of = if strange > 0 && random.percent(strange) { &other } else { &family };
            let is_sequence = setting.is_sequence() != (strange > 0 && random.below(300) == 0);
            let nodes = if is_sequence { of.sequence_example(&mut random) } else { of.example(&mut random) };
            let (record, damage) = damage::write(&mut random, nodes, damaged);
            let taken = pair.push(&record, done).map_err(|text| difference(&record, text))?;
            for count in [&mut counts.settings[index], &mut counts.damages[damage]] {
                *count = (count.0 + 1, count.1 + u64::from(!taken));
            }
            done += 1;
            last = record;
        }
        pair.flush_and_encode().map_err(|text| difference(&last, text))?;
        counts.batches += 1;
    }
    Ok(())
}
