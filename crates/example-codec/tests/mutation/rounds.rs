//! Rounds of executions: one family of records, one way to decode.

use std::panic::{AssertUnwindSafe, catch_unwind};

use example_codec::trial::{TrialDecoder, Trials, Way};
use example_codec::{ExampleDecoderBuilder, Origin};

use super::differential::families::Family;
use super::differential::random::Random;
use super::differential::settings::Setting;
use super::differential::tree::Node;
use super::edits::{EDITS, Editor};
use super::pair::{Log, Outcome, Pair};

/// The settings of Examples, which are the first ones.
pub const SETTINGS: usize = Setting::SequenceSchema as usize;
/// Possible outcomes of a record.
pub const OUTCOMES: [&str; 5] = ["by template", "redone", "two passes", "redone, refused", "refused"];
/// The most executions of one pair of decoders.
const EXECUTIONS: u64 = 200;
/// Usual records in succession that no template is tried at, after which new decoders are made.
const MOST_UNTRIED: u32 = 4;
/// Usual records of a round.
const USUAL: usize = 8;
/// The most bytes of one.
const LONGEST: usize = 600;

/// Number of executions by outcome, in the order of [`OUTCOMES`].
type Tally = [u64; OUTCOMES.len()];

/// Counts of executions by setting and edit.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    pub settings: [Tally; SETTINGS],
    /// Tallies in the order of [`EDITS`].
    pub edits: [Tally; EDITS.len()],
    /// Number of records taken by looking each entry up.
    pub by_name: u64,
    pub batches: u64,
}

impl Counts {
    pub fn executions(&self) -> u64 {
        self.settings.iter().flatten().sum()
    }

    /// Returns the number of executions by outcome.
    pub fn outcomes(&self) -> Tally {
        let mut sums = Tally::default();
        self.settings.iter().for_each(|tally| add(&mut sums, tally));
        sums
    }

    pub fn add(&mut self, other: &Self) {
        let settings = self.settings.iter_mut().zip(&other.settings);
        settings.chain(self.edits.iter_mut().zip(&other.edits)).for_each(|(sum, tally)| add(sum, tally));
        self.by_name += other.by_name;
        self.batches += other.batches;
    }

    fn count(&mut self, setting: usize, edit: usize, outcome: Outcome) {
        let index = match (outcome.way, outcome.is_taken) {
            (Way::Template, true) => 0,
            (Way::Redone, true) => 1,
            (Way::TwoPasses, true) => 2,
            (Way::Redone, false) => 3,
            (_, false) => 4,
        };
        self.settings[setting][index] += 1;
        self.edits[edit][index] += 1;
        self.by_name += u64::from(outcome.by_name == Way::Template);
    }
}

fn add(sums: &mut Tally, tally: &Tally) {
    sums.iter_mut().zip(tally).for_each(|(sum, count)| *sum += count);
}

/// Difference between decoders.
#[derive(Debug)]
pub struct Difference {
    pub setting: Setting,
    pub text: String,
    /// The fewest records found with which they do.
    pub log: Log,
}

/// Records that are alike, and what decodes them.
pub struct Records {
    pub builder: ExampleDecoderBuilder,
    pub usual: Vec<Vec<u8>>,
}

impl Records {
    /// Makes records of a family of few features, so that an execution is short.
    pub fn new(random: &mut Random, setting: Setting) -> Self {
        let most = if random.percent(85) { 6 } else { 20 };
        loop {
            let family = Family::new(random);
            if family.len() > most {
                continue;
            }
            let usual = (0..USUAL).map(|_| Node::to_vec(&family.example(random))).collect();
            let records = Self { builder: setting.example_builder(&family), usual };
            let is_short = records.usual.iter().all(|record| record.len() <= LONGEST);
            if is_short && (records.fit_templates() || random.percent(5)) {
                return records;
            }
        }
    }

    /// Returns whether templates are made of the records and take most of them.
    fn fit_templates(&self) -> bool {
        let mut decoder = TrialDecoder::new(self.builder.clone(), Trials::Each).unwrap();
        let mut ways = self.usual.iter().chain(&self.usual).map(|record| {
            // One that is refused is not taken.
            drop(decoder.push(record, Origin::record(0)));
            decoder.way()
        });
        ways.by_ref().nth(USUAL - 1);
        ways.filter(|way| *way == Way::Template).count() > USUAL / 2
    }

    fn any(&self, random: &mut Random) -> &[u8] {
        &self.usual[random.below(USUAL as u64) as usize]
    }
}

/// Edits so many records and decodes them.
pub fn round(seed: u64, number: u64, executions: u64, counts: &mut Counts) -> Result<(), Difference> {
    let mut random = Random::new(seed ^ number.wrapping_mul(0xd134_2543_de82_ef95));
    let index = (number % SETTINGS as u64) as usize;
    let setting = Setting::ALL[index];
    let records = Records::new(&mut random, setting);
    let strange = Records::new(&mut random, setting);
    let mut log = Log::default();
    let mut done = 0;
    while done < executions {
        log.clear();
        let count = EXECUTIONS.min(executions - done);
        let before = counts.executions();
        let run = AssertUnwindSafe(|| {
            let mut decoding =
                Decoding { random: &mut random, records: &records, strange: &strange, log: &mut log };
            decoding.run(count, |edit, outcome| counts.count(index, edit, outcome))
        });
        let result = catch_unwind(run).unwrap_or_else(|_| Err("panicked".to_owned()));
        match result {
            Ok(batches) => counts.batches += batches,
            Err(text) => {
                log.shorten(&records.builder);
                return Err(Difference { setting, text, log });
            }
        }
        done += counts.executions() - before;
    }
    Ok(())
}

struct Decoding<'a> {
    random: &'a mut Random,
    records: &'a Records,
    strange: &'a Records,
    log: &'a mut Log,
}

impl Decoding<'_> {
    /// Has a pair of decoders learn the usual records, then decode edited ones; returns the number of batches.
    fn run(&mut self, executions: u64, mut count: impl FnMut(usize, Outcome)) -> Result<u64, String> {
        let Self { random, records, strange, log } = self;
        let mut pair = Pair::new(&records.builder);
        let mut editor = Editor::default();
        let mut record = Vec::new();
        let mut batches = 0;
        for usual in records.usual.iter().cycle().take(2 * USUAL) {
            pair.push(usual, log)?;
        }
        let mut rows = 0;
        let mut untried = 0;
        for _ in 0..executions {
            record.clear();
            record.extend_from_slice(records.any(random));
            let other = if random.percent(10) { *strange } else { *records };
            let other = other.any(random);
            let edit = editor.edit(random, &mut record, other);
            let outcome = pair.push(&record, log)?;
            count(edit, outcome);
            // What was taken back must not be seen in the next row.
            if outcome.way != Way::Template || random.percent(25) {
                let usual = pair.push(records.any(random), log)?;
                untried = if usual.way == Way::TwoPasses { untried + 1 } else { 0 };
            }
            if untried == MOST_UNTRIED {
                break;
            }
            if pair.rows() >= rows {
                pair.flush(log)?;
                batches += 1;
                rows = [1, 8, 30, 63, 64, 65, 100, 130][random.below(8) as usize];
            }
        }
        pair.flush(log)?;
        Ok(batches + 1)
    }
}
