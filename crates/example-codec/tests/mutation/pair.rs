//! Decoders that try a template at each record, against one that never does.

use std::fmt::{self, Debug};
use std::ops::Range;

use arrow_array::{Array as _, RecordBatch};
use example_codec::trial::{TrialDecoder, Trials, Way};
use example_codec::{Error, ExampleDecoderBuilder, Kind, Origin};

/// Log of the calls since the decoders were made.
#[derive(Clone, Debug, Default)]
pub struct Log {
    bytes: Vec<u8>,
    steps: Vec<Step>,
}

#[derive(Clone, Debug)]
enum Step {
    Push(Range<usize>),
    Flush,
}

/// Outcome of a record: how it was decoded, and whether it was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub way: Way,
    /// The same where each entry is looked up.
    pub by_name: Way,
    pub is_taken: bool,
}

/// Decoders that have the same history.
pub struct Pair<'a> {
    builder: &'a ExampleDecoderBuilder,
    by_template: TrialDecoder,
    by_name: TrialDecoder,
    in_two_passes: TrialDecoder,
    batches: u32,
}

impl<'a> Pair<'a> {
    /// Makes decoders that have seen nothing.
    pub fn new(builder: &'a ExampleDecoderBuilder) -> Self {
        let make = |trials| TrialDecoder::new(builder.clone(), trials).unwrap();
        let [by_template, by_name, in_two_passes] =
            [Trials::Each, Trials::EachByName, Trials::Never].map(make);
        Self { builder, by_template, by_name, in_two_passes, batches: 0 }
    }

    pub fn rows(&self) -> usize {
        self.in_two_passes.rows()
    }

    /// Pushes a record and compares.
    pub fn push(&mut self, record: &[u8], log: &mut Log) -> Result<Outcome, String> {
        let start = log.bytes.len();
        log.bytes.extend_from_slice(record);
        log.steps.push(Step::Push(start..log.bytes.len()));
        self.push_unlogged(record)
    }

    fn push_unlogged(&mut self, record: &[u8]) -> Result<Outcome, String> {
        let wanted = self.in_two_passes.push(record, Origin::record(7));
        for decoder in [&mut self.by_template, &mut self.by_name] {
            let found = decoder.push(record, Origin::record(7));
            if let (Err(found), Err(wanted)) = (&found, &wanted) {
                same_error(found, wanted)?;
            } else if found.is_ok() != wanted.is_ok() {
                return Err(format!("{found:?}, in two passes {wanted:?}"));
            }
            same("rows", &decoder.rows(), &self.in_two_passes.rows())?;
        }
        let (way, by_name) = (self.by_template.way(), self.by_name.way());
        Ok(Outcome { way, by_name, is_taken: wanted.is_ok() })
    }

    /// Compares the batches.
    pub fn flush(&mut self, log: &mut Log) -> Result<(), String> {
        log.steps.push(Step::Flush);
        self.flush_unlogged(false)
    }

    fn flush_unlogged(&mut self, is_replay: bool) -> Result<(), String> {
        let wanted = self.in_two_passes.flush().map_err(|error| format!("flush: {error}"))?;
        self.batches += 1;
        for decoder in [&mut self.by_template, &mut self.by_name] {
            let found = decoder.flush().map_err(|error| format!("flush: {error}"))?;
            if is_replay || self.batches.is_multiple_of(8) {
                for column in found.columns() {
                    column.to_data().validate_full().map_err(|error| format!("not sound: {error}"))?;
                }
            }
            if found != wanted {
                return Err(difference(&found, &wanted));
            }
        }
        Ok(())
    }
}

fn same_error(found: &Error, wanted: &Error) -> Result<(), String> {
    same("kind", &found.kind(), &wanted.kind())?;
    same("detail", &found.detail::<Kind>(), &wanted.detail())?;
    same("position", found.position(), wanted.position())?;
    same("error", &found.what(), &wanted.what())
}

fn same<T: PartialEq + Debug>(what: &str, found: &T, wanted: &T) -> Result<(), String> {
    if found == wanted { Ok(()) } else { Err(format!("{what}: {found:?}, in two passes {wanted:?}")) }
}

/// Words the first difference of two batches.
fn difference(found: &RecordBatch, wanted: &RecordBatch) -> String {
    if found.schema() != wanted.schema() || found.num_rows() != wanted.num_rows() {
        return format!("{} rows of {}, in two passes {wanted:?}", found.num_rows(), found.schema());
    }
    for (field, (found, wanted)) in
        found.schema().fields().iter().zip(found.columns().iter().zip(wanted.columns()))
    {
        for row in 0..found.len() {
            if let Err(text) = same("value", &found.slice(row, 1), &wanted.slice(row, 1)) {
                return format!("column {}, row {row}: {text}", field.name());
            }
        }
    }
    "batches that differ in no value".to_owned()
}

impl Log {
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.steps.clear();
    }

    /// Does the same with new decoders, and compares once more at the end.
    pub fn replay(&self, builder: &ExampleDecoderBuilder) -> Result<(), String> {
        let mut pair = Pair::new(builder);
        for step in &self.steps {
            match step {
                Step::Push(range) => drop(pair.push_unlogged(&self.bytes[range.clone()])?),
                Step::Flush => pair.flush_unlogged(true)?,
            }
        }
        pair.flush_unlogged(true)
    }

    /// Leaves out what can be left out so that the decoders still differ, or panic.
    pub fn shorten(&mut self, builder: &ExampleDecoderBuilder) {
        let differs = |log: &Self| {
            let replay = std::panic::AssertUnwindSafe(|| log.replay(builder));
            std::panic::catch_unwind(replay).map_or(true, |result| result.is_err())
        };
        let mut count = self.steps.len();
        while count > 0 {
            let mut at = self.steps.len();
            while at > 0 {
                at = at.saturating_sub(count);
                let mut shorter = self.clone();
                shorter.steps.drain(at..shorter.steps.len().min(at + count));
                if differs(&shorter) {
                    *self = shorter;
                }
            }
            count /= 2;
        }
    }
}

impl fmt::Display for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.steps {
            match step {
                Step::Flush => writeln!(f, "flush")?,
                Step::Push(range) => {
                    for byte in &self.bytes[range.clone()] {
                        write!(f, "{byte:02x}")?;
                    }
                    writeln!(f)?;
                }
            }
        }
        Ok(())
    }
}
